"""Selling fish to the trade ships, by each ship's scheme (D15)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from msgspec.structs import replace

from server.engines.burano.actions import Sell, Skip
from server.engines.burano.box import Components, Scheme, Ship
from server.engines.burano.events import Sold
from server.engines.burano.state import Fish, State, with_item
from server.engines.burano.steps.play import Play
from server.engines.burano.steps.rounds import resume
from server.engines.engine import Action, IllegalAction

Lot = tuple[int, ...]  # kinds, ascending


def harbour_of(state: State, box: Components) -> int:
    """The harbour (0 or 1) where the boat of the seat that decides lies."""
    return state.acting.boat - len(box.sea.islands)


def lots(ship: Ship, hand: Fish) -> list[Lot]:
    """Every set that the ship buys, once, in order."""
    most = len(ship.points)
    kinds = [kind for kind, number in enumerate(hand.counts) if number]
    match ship.sells:
        case Scheme.DIFFERENT:
            return sorted(lot for size in range(1, most + 1) for lot in combinations(kinds, size))
        case Scheme.SAME:
            return [(kind,) * size for kind in kinds for size in range(1, min(hand.counts[kind], most) + 1)]
        case Scheme.PAIRS:
            pairs = list(_multisets([number // 2 for number in hand.counts], most))
            return sorted(tuple(kind for kind in lot for _ in range(2)) for lot in pairs)
        case Scheme.ANY:
            return list(_multisets(list(hand.counts), most))


def _multisets(counts: list[int], most: int, first: int = 0) -> Iterator[Lot]:
    """The multisets of 1 to `most` kinds from these, of kinds from `first` on, in order."""
    if not most:
        return
    for kind in range(first, len(counts)):
        if counts[kind]:
            yield (kind,)
            counts[kind] -= 1
            for rest in _multisets(counts, most - 1, kind):
                yield (kind, *rest)
            counts[kind] += 1


def sold_units(ship: Ship, lot: Lot) -> int:
    """How many cards (or pairs) the ship counts in this lot; 0 if it does not buy it."""
    kinds = set(lot)
    match ship.sells:
        case Scheme.DIFFERENT:
            units = len(lot) if len(kinds) == len(lot) else 0
        case Scheme.SAME:
            units = len(lot) if len(kinds) == 1 else 0
        case Scheme.PAIRS:
            units = 0 if any(lot.count(kind) % 2 for kind in kinds) else len(lot) // 2
        case Scheme.ANY:
            units = len(lot)
    return units if units <= len(ship.points) else 0


def legal_sell(state: State, box: Components) -> list[Action]:
    """What each ship of the harbour buys from the hand, or nothing."""
    hand = state.acting.fish
    names = box.fish.kinds
    harbour = harbour_of(state, box)
    actions: list[Action] = [
        Sell(number, tuple(names[kind] for kind in lot))
        for number, ship in enumerate(box.ships)
        if state.sea.ships[number] == harbour
        for lot in lots(ship, hand)
    ]
    actions.append(Skip())
    return actions


def sell(play: Play, action: Sell) -> None:
    """Sell: the fish lie open before the seat, the ship sails to the other harbour."""
    box, family = play.box, play.family
    harbour = harbour_of(play.state, box)
    ships = play.state.sea.ships
    if not 0 <= action.ship < len(ships) or ships[action.ship] != harbour:
        raise IllegalAction("that ship does not lie in this harbour")
    lot = _lot(box, family.fish, action.fish)
    units = sold_units(box.ships[action.ship], lot)
    if not units:
        raise IllegalAction("the ship does not buy these fish together")
    sold = tuple(lot.count(kind) for kind in range(len(box.fish.kinds)))
    points = box.ships[action.ship].points[units - 1]
    play.renew(
        replace(
            family,
            fish=family.fish.without(sold),
            sold=family.sold.with_all(sold),
            points=family.points + points,
        )
    )
    other = (harbour + 1) % len(box.sea.harbours)
    play.change(sea=replace(play.state.sea, ships=with_item(ships, action.ship, other)))
    play.tell(Sold(play.seat, action.ship, action.fish, points, box.sea.harbours[other]))
    resume(play)


def _lot(box: Components, hand: Fish, names: tuple[str, ...]) -> Lot:
    if any(name not in box.fish_of for name in names):
        raise IllegalAction("there is no such fish")
    lot = tuple(box.fish_of[name] for name in names)
    if list(lot) != sorted(lot):
        raise IllegalAction("fish are named in the order of their kinds")
    if any(lot.count(kind) > hand.counts[kind] for kind in set(lot)):
        raise IllegalAction("those fish are not in hand")
    return lot
