"""Trade: a visit to one city or both (RULES.md, Round, 3, Trade).

A visit begins only with a worker at home and a possible trade, and ends only after a trade: there is no dead end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement

from msgspec.structs import replace

from server.engines.bretagne.actions import (
    AnyAction,
    Buy,
    CityEntered,
    Done,
    DrawCards,
    Hire,
    HirePair,
    NextCity,
    Recruit,
    Sell,
    SellCards,
    Swap,
    Traded,
    TradeDone,
)
from server.engines.bretagne.box import (
    CITIES,
    KINDS,
    MATERIALS,
    NOTHING,
    PLACE,
    TERMS,
    City,
    Deal,
    Equipment,
    Material,
    Stock,
    Trade,
)
from server.engines.bretagne.state import Trading, minus, plus
from server.engines.bretagne.steps.play import Play, Stage, counts, leaving, one
from server.engines.engine import IllegalAction

TRADE_OF: dict[type[AnyAction], Trade] = {
    Hire: Trade.HIRE,
    HirePair: Trade.HIRE_PAIR,
    Buy: Trade.BUY,
    Sell: Trade.SELL,
    DrawCards: Trade.DRAW_CARDS,
    SellCards: Trade.SELL_CARDS,
    Recruit: Trade.RECRUIT,
    Swap: Trade.SWAP,
}


def _deal(play: Play, city: City, trade: Trade) -> Deal:
    return play.components.trades[city][trade]


def _shelf(play: Play, city: City) -> Stock:
    """Where materials bought in the city come from."""
    return play.state.brest.market if city is City.BREST else play.state.supply.materials


def possible(play: Play, seat: int, city: City, trade: Trade) -> bool:
    """Whether the seat can give what the trade asks, and all that it gives is there."""
    deal, player, state = _deal(play, city, trade), play.player(seat), play.state
    if player.coins < deal.pay or len(player.hand) < deal.give_equipment or player.reserve < deal.workers:
        return False
    if sum(player.materials) < deal.give_materials or sum(_shelf(play, city)) < deal.materials:
        return False
    if trade is Trade.HIRE_PAIR:
        return state.brest.engineer_pairs > 0
    return state.brest.single_engineers >= deal.engineers and len(state.deck) + len(state.discards) >= deal.equipment


def may_enter(play: Play, seat: int, city: City) -> bool:
    """A worker at home, and a possible trade there."""
    return play.player(seat).warehouse > 0 and any(possible(play, seat, city, trade) for trade in TERMS[city])


@lru_cache(maxsize=4096)
def _picks(there: Stock, size: int) -> tuple[tuple[int, ...], ...]:
    """Every choice of `size` pieces out of these counts, each once, sorted by place."""
    picks = combinations_with_replacement(range(len(there)), size)
    return tuple(pick for pick in picks if all(pick.count(place) <= there[place] for place in pick))


@lru_cache(maxsize=4096)
def _materials(there: Stock, size: int) -> tuple[tuple[Material, ...], ...]:
    return tuple(tuple(MATERIALS[place] for place in pick) for pick in _picks(there, size))


def hand_counts(play: Play, seat: int) -> Stock:
    """The cards in a hand by kind, in component order."""
    kinds = [play.components.card_kinds[card] for card in play.player(seat).hand]
    return tuple(kinds.count(kind) for kind in KINDS)


def _cards(play: Play, seat: int, size: int) -> list[tuple[Equipment, ...]]:
    return [tuple(KINDS[place] for place in pick) for pick in _picks(hand_counts(play, seat), size)]


def _offers(play: Play, seat: int, city: City, trade: Trade) -> list[AnyAction]:
    """Every way to make a trade that is possible."""
    deal = _deal(play, city, trade)
    match trade:
        case Trade.HIRE:
            return [Hire()]
        case Trade.HIRE_PAIR:
            return [HirePair()]
        case Trade.BUY:
            return [Buy(materials) for materials in _materials(_shelf(play, city), deal.materials)]
        case Trade.SELL:
            return [Sell(materials) for materials in _materials(play.player(seat).materials, deal.give_materials)]
        case Trade.DRAW_CARDS:
            return [DrawCards()]
        case Trade.SELL_CARDS:
            return [SellCards(cards) for cards in _cards(play, seat, deal.give_equipment)]
        case Trade.RECRUIT:
            return [Recruit()]
        case Trade.SWAP:
            cards = [card for (card,) in _cards(play, seat, deal.give_equipment)]
            return [Swap(card, material) for card in cards for material in play.in_supply()]


def _next_city(play: Play, task: Trading) -> City | None:
    """Where the seat can go on to, having traded here."""
    gone = (*task.visited, task.city)
    return next((city for city in CITIES if city not in gone and may_enter(play, task.seat, city)), None)


def choices(play: Play, task: Trading) -> list[AnyAction]:
    """The trades of the city not yet made, then what ends the visit."""
    actions: list[AnyAction] = []
    for trade in TERMS[task.city]:
        if trade not in task.made and possible(play, task.seat, task.city, trade):
            actions.extend(_offers(play, task.seat, task.city, trade))
    if task.made:
        if _next_city(play, task) is not None:
            actions.append(NextCity())
        actions.append(Done())
    return actions


def enter(play: Play, seat: int, city: City, visited: tuple[City, ...] = ()) -> None:
    """A worker goes from the warehouse to the city."""
    if not may_enter(play, seat, city):
        raise IllegalAction("to enter a city you need a worker in your warehouse and a trade that is possible there")
    player, place = play.player(seat), CITIES.index(city)
    cities = tuple(n + (i == place) for i, n in enumerate(player.cities))
    play.change_player(seat, warehouse=player.warehouse - 1, cities=cities)
    play.tell(CityEntered(seat, city))
    play.await_decision(Trading(seat, city, (), visited))


def act(play: Play, task: Trading, action: AnyAction) -> Stage | None:
    """A trade, the way to the other city, or the end of the visit."""
    if isinstance(action, Done | NextCity):
        return _leave(play, task, action)
    trade = TRADE_OF.get(type(action))
    if trade is None or trade not in TERMS[task.city]:
        raise IllegalAction("this city has no such trade")
    if trade in task.made:
        raise IllegalAction("each trade may be made once a visit")
    if not possible(play, task.seat, task.city, trade) or action not in _offers(play, task.seat, task.city, trade):
        raise IllegalAction("a trade needs all that you give, in component order, and all that it gives must be there")
    _trade(play, task, trade, action)
    play.await_decision(replace(task, made=(*task.made, trade)))
    return None


def _leave(play: Play, task: Trading, action: Done | NextCity) -> Stage | None:
    if not task.made:
        raise IllegalAction("a city is left only after a trade")
    if isinstance(action, Done):
        play.tell(TradeDone(task.seat))
        return Stage.NEXT_TURN
    city = _next_city(play, task)
    if city is None:
        raise IllegalAction(
            "to go on you need a worker in your warehouse, and a possible trade in the other city, once"
        )
    enter(play, task.seat, city, (*task.visited, task.city))
    return None


def _trade(play: Play, task: Trading, trade: Trade, action: AnyAction) -> None:
    """Gives what the deal asks, then gets what it gives."""
    seat, deal = task.seat, _deal(play, task.city, trade)
    given = _stock(action.materials) if isinstance(action, Sell) else NOTHING
    taken = _taken(action)
    sold = action.cards if isinstance(action, SellCards) else (action.card,) if isinstance(action, Swap) else ()
    _discard(play, seat, sold)
    play.supply(given)
    _take_from_shelf(play, task.city, taken)
    if deal.engineers:
        _take_engineers(play, trade, deal.engineers)
    player = play.player(seat)
    play.change_player(
        seat,
        coins=player.coins - deal.pay + deal.coins,
        materials=plus(minus(player.materials, given), taken),
        engineers=player.engineers + deal.engineers,
        warehouse=player.warehouse + deal.workers,
        reserve=player.reserve - deal.workers,
    )
    cards = play.draw_cards(seat, deal.equipment) if deal.equipment else ()
    paid = counts(given, coins=deal.pay, equipment=len(sold))
    got = counts(taken, coins=deal.coins, equipment=len(cards), engineers=deal.engineers, workers=deal.workers)
    play.tell_drawn(seat, Traded(seat, task.city, trade, paid, got, sold), cards)


def _stock(materials: Sequence[Material]) -> Stock:
    places = [PLACE[material] for material in materials]
    return tuple(places.count(place) for place in range(len(MATERIALS)))


def _taken(action: AnyAction) -> Stock:
    if isinstance(action, Buy):
        return _stock(action.materials)
    return one(action.material) if isinstance(action, Swap) else NOTHING


def _take_from_shelf(play: Play, city: City, taken: Stock) -> None:
    if not any(taken):
        return
    if city is City.BREST:
        brest = play.state.brest
        play.change(brest=replace(brest, market=minus(brest.market, taken)))
    else:
        play.supply(minus(NOTHING, taken))


def _take_engineers(play: Play, trade: Trade, engineers: int) -> None:
    """Neither is a pair split nor are singles joined."""
    brest = play.state.brest
    if trade is Trade.HIRE_PAIR:
        play.change(brest=replace(brest, engineer_pairs=brest.engineer_pairs - 1))
    else:
        play.change(brest=replace(brest, single_engineers=brest.single_engineers - engineers))


def _discard(play: Play, seat: int, kinds: Sequence[Equipment]) -> None:
    cards = leaving(play, seat, kinds)
    if cards:
        hand = tuple(card for card in play.player(seat).hand if card not in cards)
        play.change_player(seat, hand=hand)
        play.change(discards=tuple(sorted((*play.state.discards, *cards))))
