"""Set-up of the game and part 1 of a round: D2, D10, D12, D13, D14, D19."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import (
    BargeEvent,
    ChooseBarge,
    Gain,
    Gained,
    IncomeEvent,
    Opened,
    Pass,
    RoundEvent,
    Supplied,
    WeatherEvent,
)
from server.engines.bretagne.box import CLASSES, MATERIALS
from server.engines.bretagne.state import Barges, Income, Loading, State, Status, plus
from server.engines.engine import IllegalAction
from server.engines.islet.state import Options as IsletOptions
from tests.engines.bretagne.tables import (
    BOX,
    BRICK,
    COMPONENTS,
    WOOD,
    acting,
    built,
    change_player,
    checked,
    harbour_tile,
    in_harbour,
    legal,
    new,
    only,
    pass_but,
    play,
    step,
)
from tests.engines.play import dice

STANDING = {2: [1, 4, 6, 10, 12, 15], 3: [4, 10, 15], 4: []}


@pytest.mark.parametrize("seats", ENGINE.seats)
def test_some_lighthouses_stand_from_the_start(seats: int) -> None:
    state = new(seats)
    standing = [site for site, each in enumerate(state.lighthouses, 1) if each.status is Status.STANDING]
    assert standing == STANDING[seats]
    for row, lighthouse in zip(BOX.sites, state.lighthouses, strict=True):
        assert BOX.lighthouses[lighthouse.tile].light_class is row.light_class


@pytest.mark.parametrize("seats", ENGINE.seats)
def test_every_seat_starts_with_eight_workers_and_its_barge_card(seats: int) -> None:
    state = new(seats)
    assert state.order == tuple(range(seats))
    for place, player in enumerate(state.players):
        card = BOX.barges[place]
        assert (player.warehouse, player.reserve, player.hand) == (8, 6, ())
        assert (player.barge, player.engineers, player.coins) == (place + 1, card.engineers, card.coins)


@pytest.mark.parametrize("seats", ENGINE.seats)
def test_the_first_round_fills_brest_quimper_and_the_tiles(seats: int) -> None:
    state = new(seats)
    assert state.brest.market == (3, 3, 3, 3)
    assert (state.brest.single_engineers, state.brest.engineer_pairs) == (3, 2)
    assert state.quimper == BOX.production[state.production[0]][seats]
    assert [len(tiles) for tiles in state.open] == [4, 4, 4]
    assert [len(stack) for stack in state.stacks] == [8, 8, 8]
    assert (state.round, state.number, state.task) == (1, 1, Loading(0, 0))


def test_the_dice_are_drawn_in_the_order_of_the_rules() -> None:
    """RULES.md, Dice, followed by hand."""
    stream = dice(5, 4)
    shuffles = [stream.shuffle(ids) for ids in (range(5), range(5, 10), range(10, 15), range(12))]
    stacks = [stream.shuffle(ids) for ids in (range(12), range(12, 24), range(24, 36))]
    equipment, weather, production = (stream.shuffle(range(n)) for n in (30, 6, 6))
    of_room = dice(5, 4)
    state = ENGINE.new(4, ENGINE.options(), of_room)
    for light_class, deck in zip(CLASSES, shuffles[:3], strict=True):
        tops = [state.lighthouses[site - 1].tile for site in COMPONENTS.sites_of[light_class]]
        assert tops == deck[::-1]
    assert [harbour.tile for harbour in state.harbours] == shuffles[3][::-1][:9]
    for stack, opened, deck in zip(state.stacks, state.open, stacks, strict=True):
        assert (list(stack), list(opened)) == (deck[:8], sorted(deck[8:]))
    assert list(state.deck) == equipment
    assert list(state.weather) == [BOX.weather[card] for card in weather[::-1]]
    assert list(state.production) == production[::-1]
    assert of_room.words == stream.words


def test_any_tile_may_lie_at_any_harbour() -> None:
    """D10."""
    seen = {(number, harbour.tile) for seed in range(150) for number, harbour in enumerate(new(2, seed).harbours)}
    assert len(seen) == 9 * 12


def next_round(state: State) -> tuple[State, list]:
    """The last seat passes; nothing is evaluated."""
    last = len(state.players) - 1
    return step(pass_but(state, last), Pass())


def test_the_forecast_becomes_the_weather() -> None:
    state = acting(3)
    after, events = next_round(state)
    assert only(events, RoundEvent).order == (0, 1, 2)
    told = only(events, WeatherEvent)
    assert (told.weather, told.forecast) == (state.weather[1], state.weather[2])
    view = ENGINE.public_view(after)["weather"]
    assert (view["now"], view["forecast"], view["past"]) == (state.weather[1], state.weather[2], (state.weather[0],))


def test_there_is_no_forecast_in_the_last_round() -> None:
    after, events = next_round(replace(acting(2), round=4))
    assert only(events, WeatherEvent).forecast is None
    assert ENGINE.public_view(after)["weather"]["forecast"] is None


def test_quimpers_leftovers_go_to_the_supply_and_brest_is_only_filled_up() -> None:
    state = acting(2)
    taken = replace(state.brest, market=(1, 3, 0, 3), single_engineers=2, engineer_pairs=1)
    back = replace(
        state.supply, materials=plus(state.supply.materials, (2, 0, 3, 0)), engineers=state.supply.engineers + 3
    )
    state = checked(replace(state, brest=taken, supply=back))
    after, events = next_round(state)
    told = only(events, Supplied)
    assert (told.market, told.single_engineers, told.engineer_pairs) == ((2, 0, 3, 0), 1, 1)
    assert after.quimper == BOX.production[state.production[1]][2]
    assert told.card == state.production[1]


def test_the_next_round_is_played_in_the_order_of_passing() -> None:
    state = pass_but(acting(3), 0)
    after, events = step(state, Pass())
    assert after.order == (1, 2, 0)
    assert [body.public.place for body in events if isinstance(body.public, BargeEvent)] == [1, 2, 3]
    assert [after.players[seat].barge for seat in (1, 2, 0)] == [1, 2, 3]
    assert after.task == Loading(1, 0)


def hoard(state: State, seat: int, *, leave: int, engineers: int | None = None) -> State:
    """Brest and the supply have only so much of each material; the rest is in a warehouse, engineers likewise."""
    player, supply = state.players[seat], state.supply
    taken = tuple(n - leave for n in plus(supply.materials, state.brest.market))
    kept = supply.engineers if engineers is None else engineers
    state = change_player(
        state, seat, materials=plus(player.materials, taken), engineers=player.engineers + supply.engineers - kept
    )
    return checked(
        replace(
            state,
            supply=replace(supply, materials=(leave,) * 4, engineers=kept),
            brest=replace(state.brest, market=(0, 0, 0, 0)),
        )
    )


def test_what_the_supply_has_not_nobody_gets_and_the_event_says_so() -> None:
    """D12: the market before Quimper, and neither gets more than there is."""
    state = new(2, barges=Barges.CHOSEN)
    state = hoard(state, 0, leave=4)
    state = play(state, ChooseBarge(1))
    after, events = step(state, ChooseBarge(2))
    told = only(events, Supplied)
    wanted = BOX.production[state.production[0]][2]
    assert told.market == (3, 3, 3, 3)
    assert told.quimper == (1, 1, 1, 1)
    assert told.quimper_short == tuple(n - 1 for n in wanted)
    assert after.supply.materials == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("there", "singles", "pairs", "short"), [(2, 2, 0, 5), (4, 3, 0, 4), (5, 3, 1, 2), (7, 3, 2, 0)]
)
def test_engineers_come_singly_first_and_no_pair_is_halved(there: int, singles: int, pairs: int, short: int) -> None:
    state = play(new(2, barges=Barges.CHOSEN), ChooseBarge(1))
    second = BOX.barges[1].engineers
    state = hoard(state, 0, leave=0, engineers=there + second)
    after, events = step(state, ChooseBarge(2))
    told = only(events, Supplied)
    assert (told.single_engineers, told.engineer_pairs, told.engineers_short) == (singles, pairs, short)
    assert after.supply.engineers == there - singles - 2 * pairs


def test_a_barge_card_brings_the_engineers_that_there_are() -> None:
    """D12, D14: at once, when it is chosen."""
    state = hoard(new(2, barges=Barges.CHOSEN), 1, leave=0, engineers=1)
    after, events = step(state, ChooseBarge(2))
    told = only(events, BargeEvent)
    assert (told.got, told.short) == ({"engineers": 1, "coins": 2}, {"engineers": 1})
    assert (after.players[0].engineers, after.players[0].coins) == (1, 2)


def test_chosen_barges_go_round_in_turn_order_and_loading_by_card() -> None:
    """D2."""
    state = new(3, barges=Barges.CHOSEN)
    assert legal(state) == [ChooseBarge(1), ChooseBarge(2), ChooseBarge(3)]
    state = play(state, ChooseBarge(3))
    assert legal(state) == [ChooseBarge(1), ChooseBarge(2)]
    with pytest.raises(IllegalAction, match="left"):
        step(state, ChooseBarge(3))
    with pytest.raises(IllegalAction, match="left"):
        step(state, ChooseBarge(4))
    state = play(state, ChooseBarge(1))
    assert legal(state) == [ChooseBarge(2)]  # one legal action is still a decision
    state = play(state, ChooseBarge(2))
    assert state.task == Loading(1, 0)
    loaded = []
    while isinstance(state.task, Loading):
        loaded.append(state.task.seat)
        state = play(state, legal(state)[0])
    assert loaded == [1, 2, 0] * 3
    assert state.task.seat == 0  # actions go by turn order


def test_a_production_card_is_to_come_until_quimper_is_filled() -> None:
    """D19."""
    state = new(2, barges=Barges.CHOSEN)
    assert ENGINE.public_view(state)["production"] == {"now": None, "past": ()}
    state = play(state, ChooseBarge(1), ChooseBarge(2))
    assert ENGINE.public_view(state)["production"] == {"now": state.production[0], "past": ()}


def test_open_tiles_are_filled_up_to_four_as_far_as_the_stacks_go() -> None:
    state = acting(2)
    stacks = [list(stack) for stack in state.stacks]
    opened = list(state.open)
    laid = state.lighthouses
    opened[0] = opened[0][1:]
    stacks[0].insert(0, state.open[0][0])
    after, events = next_round(replace(state, stacks=tuple(map(tuple, stacks)), open=tuple(opened)))
    assert only(events, Opened).tiles == (state.stacks[0][-1],)
    assert [len(tiles) for tiles in after.open] == [4, 4, 4]
    assert after.lighthouses != laid  # an idle coin on each


# Income


def paying(*tiles: int, seats: int = 2, improved: bool = False) -> State:
    """The last seat is to pass; a worker of seat 0 stands in harbours 0, 1, … with these tiles."""
    state = acting(seats)
    for number, tile in enumerate(tiles):
        state = in_harbour(harbour_tile(state, number, tile), number, 0)
    if improved:
        state = built(state, 2, 3)
    return pass_but(state, seats - 1)


def harbour_with(**normal: int) -> int:
    """The first harbour tile with this normal side."""
    return next(i for i, row in enumerate(BOX.harbours) if row.normal == type(row.normal)(**normal))


def test_a_harbour_pays_its_workers_owner_from_round_two_on() -> None:
    state = in_harbour(harbour_tile(acting(2), 0, harbour_with(brick=1)), 0, 0)
    before = state.players[0]
    after, events = step(pass_but(state, 1), Pass())
    told = only(events, IncomeEvent)
    assert (told.seat, told.harbour, told.got, told.short) == (0, 0, {"brick": 1}, {})
    assert after.players[0].materials[0] == before.materials[0] + 1


def test_the_improved_side_pays_more() -> None:
    after, events = step(paying(harbour_with(coins=1), improved=True), Pass())
    assert only(events, IncomeEvent).got == {"coins": 3}
    assert after.players[0].coins == 3 + BOX.barges[0].coins


def test_income_goes_in_turn_order_and_by_harbour_number() -> None:
    state = acting(2)
    for number, tile in enumerate((harbour_with(brick=1), harbour_with(sand=1), harbour_with(points=1))):
        state = harbour_tile(state, number, tile)
    state = in_harbour(in_harbour(in_harbour(state, 2, 0), 0, 0, 1), 1, 1)
    _, events = step(pass_but(state, 0), Pass())
    told = [event.public for event in events if isinstance(event.public, IncomeEvent)]
    assert [(body.seat, body.harbour) for body in told] == [(1, 0), (1, 1), (0, 0), (0, 2)]


def test_a_material_of_choice_is_a_decision_and_comes_last() -> None:
    """D13: what is fixed first, then the choices one by one."""
    state = play(paying(harbour_with(any_material=1), harbour_with(engineers=1), improved=True), Pass())
    assert state.task == Income(0, 0, 2)
    assert legal(state) == [Gain(material) for material in MATERIALS]
    state, events = step(state, Gain(WOOD))
    assert only(events, Gained) == Gained(0, WOOD, 0, None)
    assert state.task == Income(0, 0, 1)
    before = state.players[0].engineers
    state, events = step(state, Gain(BRICK))
    assert only(events, IncomeEvent).harbour == 1
    assert state.players[0].engineers == before + 2
    assert state.players[0].materials == (1, 0, 0, 1)
    assert state.task == Loading(0, 0)


def drained(state: State, *, but: tuple[int, ...] = (0, 0, 0, 0)) -> State:
    """The supply has only these materials; seat 1 holds the rest."""
    taken = tuple(a - b for a, b in zip(state.supply.materials, but, strict=True))
    state = change_player(state, 1, materials=plus(state.players[1].materials, taken))
    return replace(state, supply=replace(state.supply, materials=but))


def test_a_choice_is_skipped_when_the_supply_has_nothing() -> None:
    """Once when one of two is there, once when none is."""
    state = in_harbour(harbour_tile(new(2, barges=Barges.CHOSEN), 0, harbour_with(any_material=1)), 0, 0)
    state = drained(replace(state, round=2), but=(1, 0, 0, 0))
    state = built(state, 2, 3)
    state = play(checked(state), ChooseBarge(1), ChooseBarge(2))
    assert state.task == Income(0, 0, 1)  # of two, one is there
    assert legal(state) == [Gain(BRICK)]
    with pytest.raises(IllegalAction, match="supply"):
        step(state, Gain(WOOD))
    assert isinstance(play(state, Gain(BRICK)).task, Loading)
    empty = replace(new(2, barges=Barges.CHOSEN), round=2)
    empty = drained(in_harbour(harbour_tile(empty, 0, harbour_with(any_material=1)), 0, 0))
    empty = play(empty, ChooseBarge(1))
    after, events = step(empty, ChooseBarge(2))
    assert only(events, IncomeEvent).short == {"any_material": 1}
    assert isinstance(after.task, Loading)


def test_equipment_as_income_is_a_number_to_others_and_reveals() -> None:
    after, events = step(paying(harbour_with(equipment=1)), Pass())
    [event] = [event for event in events if isinstance(event.public, IncomeEvent)]
    [card] = after.players[0].hand
    assert event.reveals
    assert event.form_for(1).cards is None
    assert event.form_for(0).cards == (COMPONENTS.card_kinds[card],)
    assert event.form_for(1).got == {"equipment": 1}


def test_a_worker_as_income_comes_from_the_reserve_if_one_is_there() -> None:
    tile = next(i for i, row in enumerate(BOX.harbours) if row.improved.workers)
    state = paying(tile, improved=True)
    none_left = change_player(state, 0, reserve=0, warehouse=state.players[0].warehouse + state.players[0].reserve)
    after, events = step(state, Pass())
    assert only(events, IncomeEvent).got == {"workers": 1}
    assert after.players[0].reserve == state.players[0].reserve - 1
    _, events = step(none_left, Pass())
    assert (only(events, IncomeEvent).got, only(events, IncomeEvent).short) == ({}, {"workers": 1})


def test_options_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="not options of this game"):
        ENGINE.new(2, IsletOptions(), dice(1, 2))
