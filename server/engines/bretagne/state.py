"""Bretagne's state: who has what, what stands where, and the one decision that is waited for.

1. Every count has one home: a worker is in a warehouse, a reserve, a city, on a level or in a harbour, and likewise for
   materials, engineers, tiles and cards. `possible.py` counts them.
2. `task` is the present decision with all that it needs; with turn and round it names the decision.
3. Tuples by class or material are in component order; `lighthouses[i]` is site i + 1; the top of a stack is its end.
"""

from __future__ import annotations

from enum import StrEnum
from operator import add, le, sub
from typing import TypeAlias

import msgspec

from server.engines.bretagne.box import City, Stock, Trade, Weather


class Barges(StrEnum):
    """How barge cards are handed out (D2)."""

    BY_ORDER = "by_order"
    CHOSEN = "chosen"


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game's options."""

    barges: Barges = Barges.BY_ORDER


class Status(StrEnum):
    """A lighthouse is open until its evaluation; some stand from the start and take no part."""

    OPEN = "open"
    BUILT = "built"
    STANDING = "standing"


class Load(msgspec.Struct, frozen=True, cache_hash=True):
    """What lies in one barge, by the material's place in component order."""

    material: int
    amount: int


class Player(msgspec.Struct, frozen=True, cache_hash=True):
    """A seat's belongings. `barge` is the place on its card, None when returned; a load is None for an empty barge."""

    coins: int
    points: int
    materials: Stock
    engineers: int
    warehouse: int  # workers at home
    reserve: int  # workers that are not in play
    cities: tuple[int, ...]  # workers by city
    barge: int | None
    loads: tuple[Load | None, ...]
    hand: tuple[int, ...]  # equipment cards, ascending


class Level(msgspec.Struct, frozen=True, cache_hash=True):
    """A construction tile on a lighthouse, with workers of its builder only (D1)."""

    tile: int
    seat: int
    workers: int


class Lighthouse(msgspec.Struct, frozen=True, cache_hash=True):
    """A lighthouse on its site; `cards` are the equipment cards played in its evaluation, in order."""

    tile: int
    status: Status
    levels: tuple[Level, ...]  # from the ground up
    engineers: int
    coins: int
    cards: tuple[int, ...]


class Harbour(msgspec.Struct, frozen=True, cache_hash=True):
    """A harbour with its tile; `workers` are seats in the order of their arrival, each once (D6)."""

    tile: int
    improved: bool
    workers: tuple[int, ...]


class Supply(msgspec.Struct, frozen=True):
    """What nobody has."""

    materials: Stock
    engineers: int


class Brest(msgspec.Struct, frozen=True):
    """The market of Brest and its engineers."""

    market: Stock
    single_engineers: int
    engineer_pairs: int


class Task(msgspec.Struct, frozen=True, tag_field="phase"):
    """Base of the decisions; `phase` is the protocol's `turn.phase`."""


class ChooseBarge(Task, frozen=True, tag="barge"):
    """Option `chosen`: the seat takes one of the cards that are left."""

    seat: int


class Income(Task, frozen=True, tag="income"):
    """A harbour pays materials of choice, of which `left` are to come."""

    seat: int
    harbour: int
    left: int


class Loading(Task, frozen=True, tag="load"):
    """The seat fills one of its barges, 0 to 2."""

    seat: int
    barge: int


class Act(Task, frozen=True, tag="action"):
    """The seat builds, trades or passes."""

    seat: int


class Reward(Task, frozen=True, tag="reward"):
    """A tile rewards materials of choice, of which `left` are to come; then it is manned, by `spent` at most."""

    seat: int
    site: int
    spent: int
    left: int


class Crew(Task, frozen=True, tag="crew"):
    """The tile just laid takes as many workers as materials were spent, or all there are."""

    seat: int
    site: int
    spent: int


class Trading(Task, frozen=True, tag="trade"):
    """The seat stands in a city; `made` are the trades of this visit, `visited` the cities it has left."""

    seat: int
    city: City
    made: tuple[Trade, ...]
    visited: tuple[City, ...]


class Equip(Task, frozen=True, tag="equip"):
    """Step a of an evaluation: the first of `order` plays cards, the others follow."""

    site: int
    order: tuple[int, ...]


class EnterHarbour(Task, frozen=True, tag="harbour"):
    """Step b of an evaluation: the first of `order` may enter the lighthouse's harbour, the others follow."""

    site: int
    order: tuple[int, ...]


class Over(Task, frozen=True, tag="over"):
    """Nothing is to be decided any more."""

    reason: str


AnyDecision: TypeAlias = ChooseBarge | Income | Loading | Act | Reward | Crew | Trading | Equip | EnterHarbour
AnyTask: TypeAlias = AnyDecision | Over


class State(msgspec.Struct, frozen=True):
    """A whole game of Bretagne at one moment."""

    barges: Barges
    round: int
    number: int  # 1 plus the completed actions of part 3
    task: AnyTask
    order: tuple[int, ...]  # of this round
    passed: tuple[int, ...]  # the next round's order, as far as it is known
    weather: tuple[Weather, ...]  # all cards in the order of their turning up, the first being round 1's
    production: tuple[int, ...]  # likewise
    players: tuple[Player, ...]
    lighthouses: tuple[Lighthouse, ...]
    harbours: tuple[Harbour, ...]
    supply: Supply
    brest: Brest
    quimper: Stock
    stacks: tuple[tuple[int, ...], ...]  # of construction tiles, by class
    open: tuple[tuple[int, ...], ...]  # construction tiles by class, ascending
    deck: tuple[int, ...]  # of equipment
    discards: tuple[int, ...]  # of equipment, ascending


def plus(a: Stock, b: Stock) -> Stock:
    """Both stocks together."""
    return tuple(map(add, a, b))


def minus(a: Stock, b: Stock) -> Stock:
    """What is left of `a` without `b`."""
    return tuple(map(sub, a, b))


def covers(a: Stock, b: Stock) -> bool:
    """Whether `b` can be paid out of `a`."""
    return all(map(le, b, a))


def smaller(a: Stock, b: Stock) -> Stock:
    """The smaller count of each material."""
    return tuple(map(min, a, b))


def deciding_seat(state: State) -> int | None:
    """The seat that decides now, None when the game is over."""
    task = state.task
    if isinstance(task, Over):
        return None
    if isinstance(task, Equip | EnterHarbour):
        return task.order[0]
    return task.seat


def finished(lighthouse: Lighthouse) -> bool:
    """Whether nothing more is built there."""
    return lighthouse.status is not Status.OPEN
