"""Trade in Lorient and Brest: every deal, every choice once, no dead ends. D3, D4."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import (
    AnyAction,
    Buy,
    CityEntered,
    Done,
    DrawCards,
    EnterCity,
    Hire,
    HirePair,
    NextCity,
    Pass,
    Recruit,
    Sell,
    SellCards,
    Swap,
    Traded,
    TradeDone,
)
from server.engines.bretagne.box import KINDS, MATERIALS, City, Equipment
from server.engines.bretagne.state import Act, State, Trading, plus
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import (
    BRICK,
    COMPONENTS,
    SAND,
    STONE,
    WOOD,
    acting,
    change_player,
    checked,
    deal,
    give,
    legal,
    only,
    play,
    step,
    workers,
)

BREST, LORIENT = City.BREST, City.LORIENT
FURNISHINGS, PIER, SIREN, CABLEWAY = KINDS


def market(state: State, *left: int, singles: int = 3, pairs: int = 2) -> State:
    """Brest has only this; the rest is in the supply."""
    brest, supply = state.brest, state.supply
    back = tuple(a - b for a, b in zip(brest.market, left, strict=True))
    engineers = brest.single_engineers - singles + 2 * (brest.engineer_pairs - pairs)
    supply = replace(supply, materials=plus(supply.materials, back), engineers=supply.engineers + engineers)
    return checked(replace(state, brest=type(brest)(left, singles, pairs), supply=supply))


def types(actions: list[AnyAction]) -> list[str]:
    """The types of the actions, each once, in order."""
    return list(dict.fromkeys(str(action.__struct_config__.tag) for action in actions))


def refused(state: State, action: AnyAction, rule: str) -> None:
    """The action is refused by this rule, and is not on the list."""
    assert action not in legal(state)
    with pytest.raises(IllegalAction, match=rule):
        step(state, action)


@pytest.mark.parametrize(
    ("action", "engineers", "left"), [(Hire(), 1, (2, 2)), (HirePair(), 2, (3, 1))], ids=["hire", "pair"]
)
def test_engineers_of_brest_cost_two_coins_one_or_a_pair(action: AnyAction, engineers: int, left: tuple) -> None:
    """D3."""
    state = play(give(acting(), 0, coins=2), EnterCity(BREST))
    state, events = step(state, action)
    told = only(events, Traded)
    assert (told.paid, told.got) == ({"coins": 2}, {"engineers": engineers})
    assert (state.players[0].coins, state.players[0].engineers) == (0, engineers)
    assert (state.brest.single_engineers, state.brest.engineer_pairs) == left


def test_no_pair_is_split_and_no_singles_are_joined() -> None:
    only_pairs = play(give(market(acting(), 0, 0, 0, 0, singles=0, pairs=1), 0, coins=4), EnterCity(BREST))
    assert types(legal(only_pairs)) == ["hire_pair"]
    only_singles = play(give(market(acting(), 0, 0, 0, 0, singles=3, pairs=0), 0, coins=4), EnterCity(BREST))
    assert types(legal(only_singles)) == ["hire"]
    refused(only_singles, HirePair(), "there")


def test_brest_sells_from_its_market_alone() -> None:
    state = play(give(market(acting(), 2, 0, 1, 0), 0, coins=2), EnterCity(BREST))
    buys = [action for action in legal(state) if isinstance(action, Buy)]
    assert buys == [Buy((BRICK, BRICK)), Buy((BRICK, SAND))]
    refused(state, Buy((SAND, SAND)), "there")
    refused(state, Buy((SAND, BRICK)), "component order")
    refused(state, Buy((BRICK,)), "component order")
    supply = state.supply.materials
    state = play(state, Buy((BRICK, SAND)))
    assert state.brest.market == (1, 0, 0, 0)
    assert state.players[0].materials == (1, 0, 1, 0)
    assert state.supply.materials == supply


def test_a_market_with_one_material_sells_nothing() -> None:
    state = play(give(market(acting(), 1, 0, 0, 0), 0, coins=2), EnterCity(BREST))
    assert types(legal(state)) == ["hire", "hire_pair"]


def test_lorient_sells_two_materials_from_the_supply_for_three_coins() -> None:
    state = play(give(acting(), 0, coins=3), EnterCity(LORIENT))
    buys = [action.materials for action in legal(state) if isinstance(action, Buy)]
    assert buys == list(combinations_with_replacement(MATERIALS, 2))
    state, events = step(state, Buy((STONE, WOOD)))
    assert (only(events, Traded).paid, only(events, Traded).got) == ({"coins": 3}, {"stone": 1, "wood": 1})
    assert state.players[0].materials == (0, 1, 0, 1)


def test_two_materials_go_to_the_supply_for_two_coins() -> None:
    state = play(give(acting(), 0, "2 brick 1 wood"), EnterCity(BREST))
    assert legal(state) == [Sell((BRICK, BRICK)), Sell((BRICK, WOOD))]
    refused(state, Sell((WOOD, WOOD)), "give")
    before = state.supply.materials
    state, events = step(state, Sell((BRICK, WOOD)))
    assert only(events, Traded).paid == {"brick": 1, "wood": 1}
    assert state.players[0].coins == 2
    assert state.supply.materials == plus(before, (1, 0, 0, 1))


def test_two_cards_are_drawn_for_three_coins() -> None:
    state = play(give(acting(), 0, coins=3), EnterCity(LORIENT))
    state, events = step(state, DrawCards())
    [event] = [event for event in events if isinstance(event.public, Traded)]
    assert event.reveals
    assert (event.public.got, event.public.cards) == ({"equipment": 2}, None)
    assert len(event.form_for(0).cards) == 2
    assert len(state.players[0].hand) == 2


def only_cards(state: State, in_deck: int) -> State:
    """The deck has so many cards, the other seat the rest."""
    deck = state.deck
    held = tuple(sorted((*state.players[1].hand, *deck[in_deck:])))
    return checked(change_player(replace(state, deck=deck[:in_deck]), 1, hand=held))


def test_cards_are_drawn_only_if_two_are_there_just_sold_ones_included() -> None:
    state = deal(give(acting(), 0, coins=3), 0, SIREN, PIER)
    state = play(only_cards(state, 1), EnterCity(LORIENT))
    assert DrawCards() not in legal(state)
    state = play(state, Swap(SIREN, BRICK))
    assert DrawCards() in legal(state)
    state = play(state, DrawCards())
    assert (state.deck, state.discards) == ((), ())


def test_two_cards_are_sold_for_three_coins_those_with_the_lowest_ids() -> None:
    """D4."""
    state = deal(acting(), 0, SIREN, SIREN, SIREN, PIER)
    hand = state.players[0].hand
    sirens = [card for card in hand if COMPONENTS.card_kinds[card] is SIREN]
    state = play(state, EnterCity(LORIENT))
    sales = [action for action in legal(state) if isinstance(action, SellCards)]
    assert sales == [SellCards((PIER, SIREN)), SellCards((SIREN, SIREN))]
    refused(state, SellCards((PIER, PIER)), "give")
    refused(state, SellCards((SIREN, PIER)), "component order")
    refused(state, SellCards((CABLEWAY, CABLEWAY)), "give")
    state, events = step(state, SellCards((SIREN, SIREN)))
    assert only(events, Traded).sold == (SIREN, SIREN)
    assert state.players[0].coins == 3
    assert state.discards == tuple(sirens[:2])
    assert sirens[2] in state.players[0].hand


def test_a_worker_is_recruited_from_the_reserve_for_four_coins() -> None:
    state = play(give(acting(), 0, coins=4), EnterCity(LORIENT))
    state = play(state, Recruit())
    assert (state.players[0].warehouse, state.players[0].reserve) == (8, 5)
    assert state.players[0].coins == 0
    nobody = play(give(workers(acting(), 0, 14), 0, coins=4), EnterCity(LORIENT))
    assert Recruit() not in legal(nobody)
    refused(nobody, Recruit(), "there")


def test_a_card_is_swapped_for_a_material_and_a_coin() -> None:
    state = play(deal(acting(), 0, CABLEWAY, PIER), EnterCity(LORIENT))
    swaps = [action for action in legal(state) if isinstance(action, Swap)]
    assert swaps == [Swap(kind, material) for kind in (PIER, CABLEWAY) for material in MATERIALS]
    state, events = step(state, Swap(CABLEWAY, SAND))
    assert (only(events, Traded).sold, only(events, Traded).got) == ((CABLEWAY,), {"sand": 1, "coins": 1})
    assert (state.players[0].coins, state.players[0].materials) == (1, (0, 0, 1, 0))


def test_swap_and_buy_need_a_material_that_is_there() -> None:
    state = deal(give(acting(), 0, coins=3), 0, PIER)
    wood = state.supply.materials[3]
    state = play(give(state, 1, f"{wood} wood"), EnterCity(LORIENT))
    assert Swap(PIER, WOOD) not in legal(state)
    assert all(WOOD not in action.materials for action in legal(state) if isinstance(action, Buy))
    with pytest.raises(IllegalAction, match="there"):
        step(state, Swap(PIER, WOOD))


def test_each_trade_is_made_once_a_visit() -> None:
    state = play(give(acting(), 0, coins=8), EnterCity(BREST), Hire())
    refused(state, Hire(), "once a visit")
    state = play(state, HirePair())
    assert types(legal(state)) == ["buy", "next_city", "done"]


def test_trades_of_the_other_city_are_not_made_here() -> None:
    state = play(give(acting(), 0, coins=9), EnterCity(BREST))
    refused(state, Recruit(), "no such trade")
    refused(state, Pass(), "no such trade")
    state = play(give(acting(), 0, coins=9), EnterCity(LORIENT))
    refused(state, Hire(), "no such trade")


def test_a_city_is_entered_only_with_a_worker_and_a_possible_trade() -> None:
    poor = acting()
    refused(poor, EnterCity(BREST), "worker")
    refused(poor, EnterCity(LORIENT), "worker")
    rich = give(acting(), 0, coins=9)
    assert types(legal(rich)) == ["trade", "pass"]
    refused(workers(rich, 0, 0), EnterCity(BREST), "worker")
    one_coin = give(acting(), 0, "2 wood", coins=1)
    assert [action for action in legal(one_coin) if isinstance(action, EnterCity)] == [EnterCity(BREST)]


def test_a_city_is_left_only_after_a_trade_and_there_is_no_way_back() -> None:
    state = play(give(acting(), 0, coins=12), EnterCity(BREST))
    refused(state, Done(), "after a trade")
    refused(state, NextCity(), "after a trade")
    state, events = step(play(state, Hire()), NextCity())
    assert only(events, CityEntered) == CityEntered(0, LORIENT)
    assert state.task == Trading(0, LORIENT, (), (BREST,))
    assert state.players[0].cities == (1, 1)
    assert state.players[0].warehouse == 6
    refused(state, Done(), "after a trade")
    state = play(state, Buy((BRICK, BRICK)))
    assert NextCity() not in legal(state)
    refused(state, NextCity(), "other city")
    state, events = step(state, Done())
    assert only(events, TradeDone) == TradeDone(0)
    assert (state.task, ENGINE.turn(state)[0]) == (Act(1), 2)


def test_the_way_can_be_taken_from_lorient_too_and_needs_another_worker() -> None:
    state = play(give(acting(), 0, coins=12), EnterCity(LORIENT), Buy((BRICK, BRICK)))
    assert NextCity() in legal(state)
    alone = play(give(workers(acting(), 0, 1), 0, coins=12), EnterCity(LORIENT), Buy((BRICK, BRICK)))
    assert NextCity() not in legal(alone)
    refused(alone, NextCity(), "worker")
    assert NextCity() in legal(play(alone, Recruit()))  # a worker just recruited


def test_any_number_of_workers_may_stand_in_a_city() -> None:
    state = give(acting(2), 0, coins=8)
    state = play(state, EnterCity(BREST), Hire(), Done(), Pass(), EnterCity(BREST), HirePair(), Done())
    assert state.players[0].cities == (2, 0)
    assert state.players[0].engineers == 3


def test_trades_are_listed_in_the_order_of_the_table() -> None:
    state = deal(give(acting(), 0, "2 brick 1 sand", coins=20), 0, SIREN, PIER)
    in_brest = play(state, EnterCity(BREST))
    assert types(legal(in_brest)) == ["hire", "hire_pair", "buy", "sell"]
    in_lorient = play(state, EnterCity(LORIENT))
    assert types(legal(in_lorient)) == ["buy", "draw_cards", "sell_cards", "recruit", "swap"]
    assert types(legal(play(in_lorient, Recruit()))) == ["buy", "draw_cards", "sell_cards", "swap", "next_city", "done"]
    for there in (in_brest, in_lorient):
        assert len(set(legal(there))) == len(legal(there))


@pytest.mark.parametrize("coins", range(6))
def test_there_is_no_dead_end(coins: int) -> None:
    """Whatever is done in a city, something can be done next, and it ends."""
    waiting = [deal(give(acting(), 0, "1 brick 1 sand", coins=coins), 0, Equipment.SIREN)]
    ends = 0
    while waiting:
        state = waiting.pop()
        actions = legal(state)
        assert actions
        if isinstance(state.task, Act) and state.task.seat == 1:
            ends += 1
            continue
        seen: dict[str, AnyAction] = {str(action.__struct_config__.tag): action for action in actions}
        waiting.extend(play(state, action) for action in seen.values())
    assert ends > 1
