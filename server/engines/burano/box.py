"""What is in the box of Burano: the forms that `components.toml` is read into, and what follows from them.

Rules that hold here:

1. Rule code takes every number of the box from here; none stands in the code a second time.
2. What the rules rely on beyond these types is checked by `components.py` before anybody sees a box.
3. Inside the engine a colour, a kind of fish, a node, a roof or a card is its number in file order; names are
   spoken only at the border (actions, views, events).
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Annotated, NewType, TypeAlias

import msgspec
from msgspec import Meta

from server.engines.burano.boards import Colour, Form, IslandGrid, Positive, SeaChart, WorkshopLayouts

LEAVE_AT_START = 3  # one worker to a sea island, one marks privileges, one the action track: set-up 3

Kind = NewType("Kind", int)  # of fish
Roof = NewType("Roof", int)
Card = NewType("Card", int)

Count = Annotated[int, Meta(ge=0)]
Scale = Annotated[tuple[Count, ...], Meta(min_length=1)]


class Scheme(StrEnum):
    """What a trade ship buys together."""

    DIFFERENT = "different"
    SAME = "same"
    PAIRS = "pairs"
    ANY = "any"


class Mark(StrEnum):
    """What a sector of the wheel shows beside its colour."""

    COIN = "coin"
    FOUNTAIN = "fountain"


class RoofKind(StrEnum):
    """The four kinds of roof, in the order of the box."""

    ISLANDS = "islands"
    WORKSHOPS = "workshops"
    WHEEL = "wheel"
    FIXED = "fixed"


class Scores(Form, frozen=True):
    """The tables of points."""

    islands_at_season_end: dict[int, Count]
    lace_cube: Count
    guild: Scale
    unsold_fish: Count
    coins_per_point: Positive
    roof_islands: Scale
    roof_workshops: Scale
    roof_wheel: Scale
    roof_fixed: Count
    roof_privilege: Count


class Workers(Form, frozen=True):
    """Workers of a seat: round the wheel, and the one that marks the score."""

    wheel: Positive
    score: Count


class FishCards(Form, frozen=True):
    """The kinds of fish, and how many cards there are of each."""

    kinds: Annotated[tuple[str, ...], Meta(min_length=1)]
    copies: Positive


class Ship(Form, frozen=True):
    """A trade ship: what it buys together, and the points by cards (or pairs) sold."""

    name: str
    sells: Scheme
    points: Scale


class Building(Form, frozen=True, tag_field="effect"):
    """A building card; the subclass is its effect."""

    name: str


class Painter(Building, frozen=True, tag="roof_bonus"):
    colours: tuple[str, ...]
    points: tuple[Count, Count]  # with one end, with both


class Scaffolder(Building, frozen=True, tag="roof_any_colour"):
    colours: tuple[str, ...]


class Fishmonger(Building, frozen=True, tag="sold_fish"):
    fish: tuple[str, ...]
    points: Count


class LaceSchool(Building, frozen=True, tag="lace_workers"):
    colours: tuple[str, ...]
    points: Count


class FastBoat(Building, frozen=True, tag="two_routes"):
    pass


class SharedBench(Building, frozen=True, tag="lace_overlap"):
    pass


class HarbourMaster(Building, frozen=True, tag="wins_island_ties"):
    pass


class DyeHouse(Building, frozen=True, tag="joker_cube"):
    points: Count


class TownArchive(Building, frozen=True, tag="per_building"):
    points: Count


class Campanile(Building, frozen=True, tag="points"):
    points: Count


AnyBuilding: TypeAlias = (
    Painter
    | Scaffolder
    | Fishmonger
    | LaceSchool
    | FastBoat
    | SharedBench
    | HarbourMaster
    | DyeHouse
    | TownArchive
    | Campanile
)


class Sector(msgspec.Struct, frozen=True):
    """A sector of a wheel's ring."""

    colour: Colour
    mark: Mark


class RoofTile(msgspec.Struct, frozen=True):
    """A roof: its kind, and the colours of its first and second end."""

    kind: RoofKind
    ends: tuple[Colour, Colour]


class Components(Form, frozen=True, eq=False):
    """Everything in the box. The fields are the keys of the file. A box is itself, whatever another may hold."""

    colours: Annotated[tuple[str, ...], Meta(min_length=1)]
    cubes_per_colour: Positive
    cubes_to_start: Count
    coins_to_start: Count
    rounds: Annotated[tuple[Positive, ...], Meta(min_length=1)]
    action_coins: Annotated[tuple[int, ...], Meta(min_length=1)]
    ready_limit: Positive
    pyramid: Annotated[tuple[Positive, ...], Meta(min_length=1)]
    highest_house: Positive
    highest_roof: Positive
    returned_cube_coins: Count
    displaced_worker_coins: Count
    recalled_worker_coins: Count
    privilege_to_start: Count
    privilege_limit: Count
    roofs_in_hand: Positive
    crew: tuple[Count, ...]
    fish_per_match: Positive
    lace_at_most: Positive
    stay_on_wheel: Positive
    own_roof_privilege: Count
    privilege_price: Positive
    privilege_coin: Count
    coin_square: Count
    open_fish: Positive
    open_buildings: Positive
    workers: Workers
    island: IslandGrid
    score: Scores
    wheel: dict[str, tuple[tuple[str, Mark], ...]]
    sea: SeaChart
    fish: FishCards
    ships: tuple[Ship, ...]
    workshops: WorkshopLayouts
    roofs: dict[str, tuple[tuple[str, str], ...]]
    buildings: tuple[AnyBuilding, ...]

    @cached_property
    def colour_of(self) -> dict[str, Colour]:
        """The number of each colour by name."""
        return {name: Colour(number) for number, name in enumerate(self.colours)}

    @cached_property
    def fish_of(self) -> dict[str, Kind]:
        """The number of each kind of fish by name."""
        return {name: Kind(number) for number, name in enumerate(self.fish.kinds)}

    @cached_property
    def pieces(self) -> tuple[tuple[Sector, ...], ...]:
        """The ring pieces by letter."""
        return tuple(tuple(Sector(self.colour_of[c], mark) for c, mark in piece) for piece in self.wheel.values())

    @cached_property
    def roof_tiles(self) -> tuple[RoofTile, ...]:
        """Every roof by its id."""
        return tuple(
            RoofTile(kind, (self.colour_of[a], self.colour_of[b])) for kind in RoofKind for a, b in self.roofs[kind]
        )

    @cached_property
    def places(self) -> tuple[tuple[int, int, int], ...]:
        """The places of a pyramid: layer (0 is the base), row, column."""
        return tuple(
            (layer, row, column)
            for layer, edge in enumerate(self.pyramid)
            for row in range(edge)
            for column in range(edge)
        )

    @cached_property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """For every place the places beneath that must hold a cube first."""
        number = {place: n for n, place in enumerate(self.places)}
        return tuple(
            tuple(number[layer - 1, r, c] for r in (row, row + 1) for c in (column, column + 1)) if layer else ()
            for layer, row, column in self.places
        )

    @cached_property
    def loads(self) -> tuple[tuple[int, ...], ...]:
        """For every place the places above that rest on it."""
        return tuple(
            tuple(above for above, beneath in enumerate(self.supports) if place in beneath)
            for place in range(len(self.places))
        )

    @property
    def workers_in_play(self) -> int:
        """Workers of a seat on its wheel, the sea islands and the workshops together (D1)."""
        return self.workers.wheel - LEAVE_AT_START + 1
