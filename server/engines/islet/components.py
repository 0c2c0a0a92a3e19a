"""The typed, validated form of `components.toml`: every tile, card, price and number of Islet.

1. A file that breaks a constraint the rules rely on is refused at load, with the file, the key and the reason.
2. Kinds of resource are numbered in component order: water, sand, clay (terrains 0 to 2), leaf, twig, flower
   (nests 3 to 5). Six counts in that order are how the rules hold resources.
3. What follows from the file alone (tile ids, what may be paid with what) is worked out once, here.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import msgspec

from server.engines.components import BrokenComponents, read_components
from server.engines.islet.grid import Cell, neighbours

PATH = Path(__file__).with_name("components.toml")
MOST_SEATS = 4

Counts: TypeAlias = tuple[int, ...]  # six, in component order
AtLeast0 = Annotated[int, msgspec.Meta(ge=0)]
AtLeast1 = Annotated[int, msgspec.Meta(ge=1)]


class Resource(StrEnum):
    """The six kinds of resource in component order."""

    WATER = "water"
    SAND = "sand"
    CLAY = "clay"
    LEAF = "leaf"
    TWIG = "twig"
    FLOWER = "flower"


KINDS = tuple(Resource)
TERRAINS, NESTS = KINDS[:3], KINDS[3:]
KIND_OF = {kind.value: number for number, kind in enumerate(KINDS)}
NONE: Counts = (0,) * len(KINDS)


class NestCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many tiles of one terrain show each nest."""

    leaf: AtLeast0
    twig: AtLeast0
    flower: AtLeast0


class TileCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The tiles of each terrain."""

    water: NestCounts
    sand: NestCounts
    clay: NestCounts


class CardCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many cards each pile has: `terrain` for each terrain, `nest` for each nest."""

    terrain: AtLeast0
    nest: AtLeast0


class Points(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The solo game's points."""

    egg: AtLeast0
    level: AtLeast0
    unused_card: AtLeast0


class Solo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The solo game: its deck, how often it is gone through, and what a score is called."""

    day: AtLeast0
    night: AtLeast0
    passes: AtLeast1
    points: Points
    ranks: dict[str, int]

    @property
    def cards(self) -> int:
        """The size of the day-and-night deck."""
        return self.day + self.night

    def rank(self, score: int) -> str:
        """The name of the highest rank that the score reaches."""
        return [name for name, least in self.ranks.items() if score >= least][-1]


class TileKind(NamedTuple):
    """What a tile shows, as kinds of resource."""

    terrain: int
    nest: int


class Recipe(NamedTuple):
    """One way to make up a price: six counts to spend, and whether some are converted to the price's kind."""

    spend: Counts
    converts: bool


class Price(msgspec.Struct, frozen=True, cache_hash=True):
    """What one walk onto a terrain or one egg on a nest costs: every exact way to make it up."""

    kind: int
    recipes: tuple[Recipe, ...]


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The whole file, and what follows from it. `load` and `check` see to the constraints."""

    start: tuple[Cell, ...]
    hand: AtLeast1
    lay_at_most: AtLeast1
    unguarded_limit: AtLeast0
    guarded_per_kind: AtLeast0
    nest_price: AtLeast1
    walk_price: AtLeast1
    idle_rounds: AtLeast1
    eggs: dict[str, AtLeast1]
    egg_colours: tuple[str, ...]
    tiles: TileCounts
    cards: CardCounts
    nest_of: dict[str, Resource]
    solo: Solo

    @cached_property
    def tile_kinds(self) -> tuple[TileKind, ...]:
        """What each tile shows, by id: terrain by terrain, nest by nest, in file order (D12)."""
        counts = [msgspec.structs.astuple(nests) for nests in msgspec.structs.astuple(self.tiles)]
        return tuple(
            TileKind(terrain, len(TERRAINS) + nest)
            for terrain, nests in enumerate(counts)
            for nest, count in enumerate(nests)
            for _ in range(count)
        )

    @cached_property
    def pile_sizes(self) -> Counts:
        """The cards of each kind in the game."""
        return (self.cards.terrain,) * len(TERRAINS) + (self.cards.nest,) * len(NESTS)

    @cached_property
    def pairs(self) -> dict[int, tuple[int, int]]:
        """The two terrains that make each nest."""
        return {
            KIND_OF[nest]: (KIND_OF[one], KIND_OF[other])
            for pair, nest in self.nest_of.items()
            for one, _, other in (pair.partition("+"),)
        }

    @cached_property
    def gains(self) -> tuple[Counts, ...]:
        """`gains[covered][laid]`: the kind gained for a tile of one terrain laid on another."""
        made = {frozenset(pair): nest for nest, pair in self.pairs.items()}
        terrains = range(len(TERRAINS))
        return tuple(tuple(made.get(frozenset((under, over)), over) for over in terrains) for under in terrains)

    @cached_property
    def prices(self) -> tuple[Price, ...]:
        """By kind: the price of a walk onto a terrain, or of an egg on a nest."""
        walks = [_walk_price(kind, self.walk_price) for kind in range(len(TERRAINS))]
        return (*walks, *(_egg_price(nest, self.pairs[nest], self.nest_price) for nest in sorted(self.pairs)))

    def eggs_of(self, seats: int) -> int:
        """The eggs that each of so many seats has."""
        return self.eggs[str(seats)]


def _walk_price(kind: int, price: int) -> Price:
    """`price` cards of a terrain, any of which two of the same other terrain may stand for."""
    others = [other for other in range(len(TERRAINS)) if other != kind]
    recipes = []
    for converted in product(range(price + 1), repeat=len(others)):
        if (direct := price - sum(converted)) >= 0:
            spend = dict(zip(others, (2 * n for n in converted), strict=True)) | {kind: direct}
            recipes.append(_recipe(spend, converts=direct < price))
    return Price(kind, tuple(recipes))


def _egg_price(nest: int, pair: tuple[int, int], price: int) -> Price:
    """`price` cards of a nest, any of which its pair of terrains may stand for."""
    spends = ({nest: price - n, pair[0]: n, pair[1]: n} for n in range(price + 1))
    return Price(nest, tuple(_recipe(spend, converts=n > 0) for n, spend in enumerate(spends)))


def _recipe(spend: dict[int, int], *, converts: bool) -> Recipe:
    return Recipe(tuple(spend.get(kind, 0) for kind in range(len(KINDS))), converts)


def load(path: Path = PATH) -> Components:
    """The components as the file has them.

    Raises:
        BrokenComponents: the game can't be played with this file; says which key, and why.
    """
    components = read_components(path, Components)
    check(components, path.name)
    return components


def check(components: Components, file: str = PATH.name) -> None:
    """Refuse components that the rules can't be played with.

    Raises:
        BrokenComponents: with file, key and reason.
    """
    for key, reason in _faults(components):
        raise BrokenComponents(file, key, reason)


def _faults(c: Components) -> list[tuple[str, str]]:
    return [
        (key, reason)
        for key, broken, reason in (
            ("start", len(c.start) < 1, "the island begins with a tile at least"),
            ("start", len(set(c.start)) < len(c.start), "a cell is named twice"),
            ("start", not _in_one_piece(c.start), "the cells are not in one piece"),
            ("eggs", sorted(c.eggs) != [str(n + 1) for n in range(MOST_SEATS)], "needs a number for 1, 2, 3 and 4"),
            ("egg_colours", len(c.egg_colours) != MOST_SEATS, f"needs {MOST_SEATS} colours"),
            ("egg_colours", len(set(c.egg_colours)) < len(c.egg_colours), "a colour is named twice"),
            ("egg_colours", not all(c.egg_colours), "a colour has no name"),
            ("tiles", len(c.tile_kinds) <= _dealt(c), f"more than the {_dealt(c)} dealt at set-up are needed"),
            ("nest_of", set(c.nest_of) != set(_PAIRS), f"needs the pairs {', '.join(_PAIRS)}"),
            ("nest_of", sorted(c.nest_of.values()) != sorted(NESTS), "each nest is made by one pair"),
            ("solo.day", c.solo.cards < 1, "the deck has no card"),
            ("solo.ranks", list(c.solo.ranks.values())[:1] != [0], "the first rank begins at 0"),
            ("solo.ranks", not _ascending(list(c.solo.ranks.values())), "each rank needs more than the one before"),
            ("solo.ranks", not all(c.solo.ranks), "a rank has no name"),
        )
        if broken
    ]


_PAIRS = tuple(f"{one}+{other}" for one, other in combinations(TERRAINS, 2))


def _dealt(c: Components) -> int:
    return len(c.start) + MOST_SEATS * c.hand


def _ascending(numbers: list[int]) -> bool:
    return all(a < b for a, b in pairwise(numbers))


def _in_one_piece(cells: tuple[Cell, ...]) -> bool:
    reached, ahead = set(cells[:1]), list(cells[:1])
    while ahead:
        found = [cell for cell in neighbours(ahead.pop()) if cell in cells and cell not in reached]
        reached.update(found)
        ahead.extend(found)
    return len(reached) == len(set(cells))
