"""The state of a game of Burano: a value of frozen structs and tuples.

Rules that hold here:

1. A part that an action did not change is the same object in the next state.
2. What follows from a part alone (its view, its building sites) is kept with the part by `remembered`, for as long
   as the part lives.
3. Cubes, fish and workers are counted, not named: two of one colour are the same to the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import wraps
from operator import add, sub
from typing import Literal, Self, TypeVar, TypeVarTuple

import msgspec
from msgspec.structs import replace

from server.engines.burano.boards import Colour, Node
from server.engines.burano.box import Card, Kind, Roof


class Phase(StrEnum):
    """What is being decided."""

    ROOFS = "roofs"
    PYRAMID = "pyramid"
    TURN = "turn"
    PERFORM = "perform"
    CATCH = "catch"
    CREW = "crew"
    SELL = "sell"
    RECALL = "recall"
    REWARD = "reward"
    LACE_SCORING = "lace_scoring"
    OVER = "over"


class Work(StrEnum):
    """The action that a colour stands for in this season."""

    FISH = "fish"
    LACE = "lace"
    EARN = "earn"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A part of the state; `dict` is where `remembered` keeps what follows from it."""


P = TypeVar("P", bound=Part)
T = TypeVar("T")
Rest = TypeVarTuple("Rest")


def remembered(derive: Callable[[P, *Rest], T]) -> Callable[[P, *Rest], T]:
    """Derive once for each part and box: a second call with the same part gives the same object."""
    key = f"{derive.__module__}.{derive.__qualname__}"

    @wraps(derive)
    def recall(part: P, *rest: *Rest) -> T:
        kept = part.__dict__.get(key)
        derived: T
        if kept is not None and kept[0] == rest:
            derived = kept[1]
        else:
            derived = derive(part, *rest)
            part.__dict__[key] = (rest, derived)
        return derived

    return recall


def with_item(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    """The items with another one in this place."""
    return (*items[:place], item, *items[place + 1 :])


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game's options."""

    workshops: Literal["first_game", "random"] = "first_game"


class Counted(Part, frozen=True):
    """Things that are counted: how many of each sort."""

    counts: tuple[int, ...]

    def plus(self, sort: int, number: int = 1) -> Self:
        """These and `number` more of one sort (fewer where negative)."""
        return replace(self, counts=with_item(self.counts, sort, self.counts[sort] + number))

    def with_all(self, counts: Sequence[int]) -> Self:
        """These and so many more of each sort."""
        return replace(self, counts=tuple(map(add, self.counts, counts)))

    def without(self, counts: Sequence[int]) -> Self:
        """These less so many of each sort."""
        return replace(self, counts=tuple(map(sub, self.counts, counts)))

    @property
    def total(self) -> int:
        """All sorts together."""
        return sum(self.counts)


class Cubes(Counted, frozen=True):
    """House cubes by colour."""


class Fish(Counted, frozen=True):
    """Fish cards in a hand or sold, by kind."""


class Wheel(Part, frozen=True):
    """A seat's work wheel: its ring pieces in order, the sector of number 1, the workers on it."""

    pieces: tuple[int, ...]
    first: int
    workers: int


class Pyramid(Part, frozen=True):
    """A seat's pyramid: the cube on each place (see `Components.places`)."""

    cubes: tuple[Colour | None, ...]


class Family(Part, frozen=True):
    """A seat."""

    wheel: Wheel
    coins: int
    privileges: int
    points: int
    stock: Cubes
    pyramid: Pyramid
    ready: Cubes
    roofs: tuple[Roof, ...]  # ascending
    buildings: tuple[Card, ...]  # in the order taken
    fish: Fish
    sold: Fish
    boat: Node


class RoofEnd(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A roof's end on a house: the roof, 0 for its first end or 1, and who painted it."""

    roof: Roof
    end: Literal[0, 1]
    painter: int


class Floor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A house and what lies on it."""

    house: Colour
    roof: RoofEnd | None


class Plot(Part, frozen=True):
    """A house square of the island: its floors, level 1 first. Another house stands on the roof of the last."""

    floors: tuple[Floor, ...]


class Island(Part, frozen=True):
    """The coloured island by square; None where no house can stand."""

    plots: tuple[Plot | None, ...]


class SeaIsland(Part, frozen=True):
    """A sea island: the colours of its dock houses, ascending, and the workers there by seat."""

    docks: tuple[Colour, ...]
    workers: tuple[int, ...]


class Sea(Part, frozen=True):
    """The sea islands, and the harbour (0 or 1) of each ship."""

    islands: tuple[SeaIsland, ...]
    ships: tuple[int, ...]


class Workshop(Part, frozen=True):
    """A square of the workshops: the seats with a worker there, ascending."""

    colour: Colour
    coin: bool
    workers: tuple[int, ...]


class Workshops(Part, frozen=True):
    """The area of the workshops by square; None where no tile lies."""

    squares: tuple[Workshop | None, ...]


class Markers(Part, frozen=True):
    """The action of each colour."""

    works: tuple[Work, ...]


class RoofStacks(Part, frozen=True):
    """The face-down roofs by kind; the top is the end."""

    stacks: tuple[tuple[Roof, ...], ...]


class BuildingRow(Part, frozen=True):
    """The open building cards by slot, and the deck; its top is the end."""

    open: tuple[Card | None, ...]
    deck: tuple[Card, ...]


class FishMarket(Part, frozen=True):
    """The open fish by slot, and the deck; its top is the end."""

    open: tuple[Kind | None, ...]
    deck: tuple[Kind, ...]


class Task(Part, frozen=True, tag=True):
    """What the phase needs to know besides."""

    @property
    def name(self) -> str:
        """The tag: in the phase `perform`, the action of the colour."""
        return str(self.__struct_config__.tag)


class FirstRoofs(Task, frozen=True, tag="first_roofs"):
    """Set-up: taking the first roofs."""


class NewRoofs(Task, frozen=True, tag="new_roofs"):
    """Season's end: after the first draw no roof goes back."""

    drawn: bool


class Fishing(Task, frozen=True, tag="fish"):
    """About to sail; whether a dock house was swapped."""

    swapped: bool


class Lacing(Task, frozen=True, tag="lace"):
    """The red colours not yet used, how many workers may still be sent, how many were (still on the wheel)."""

    reds: tuple[Colour, ...]
    left: int
    sent: int


class Earning(Task, frozen=True, tag="earn"):
    """About to earn."""


class Catching(Task, frozen=True, tag="catch"):
    """How many matches the boat's island had, how many fish may still be taken."""

    matches: int
    left: int


class Crewing(Task, frozen=True, tag="crew"):
    """How many matches the boat's island had."""

    matches: int


class Rewarded(Task, frozen=True, tag="reward"):
    """The roof that was painted."""

    roof: Roof


AnyTask = FirstRoofs | NewRoofs | Fishing | Lacing | Earning | Catching | Crewing | Rewarded


class State(Part, frozen=True):
    """Everything on the table, secrets included."""

    options: Options
    phase: Phase
    task: AnyTask | None
    season: int  # from 0
    round: int  # from 0, in the season
    turn: int  # of the game, from 1
    start: int  # who has the start-player marker
    seat: int  # who decides; while pyramids are built, who will begin
    actions: int  # taken in this turn
    moves: int  # actions of all seats since the game began: tells one decision from the next
    supply: Cubes
    markers: Markers
    island: Island
    sea: Sea
    workshops: Workshops
    roofs: RoofStacks
    buildings: BuildingRow
    fish: FishMarket
    families: tuple[Family, ...]

    @property
    def acting(self) -> Family:
        """The family of the seat that decides."""
        return self.families[self.seat]
