"""Islet: what an island offers a bird, and what a seat's position is worth.

Tiles of one terrain that hang together are a region: within it walks are free. So to a bird a board is a few regions,
the nests in them, and the paid walks between them.

The game is a race to the last egg: what counts is how many eggs are left to lay and how nearly the next two are paid
for. The worth is in eggs, those in the middle of the game.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from operator import add
from typing import NamedTuple, TypeAlias

from server.engines.islet import ENGINE
from server.engines.islet.components import NESTS, TERRAINS, Counts
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Board, State

C = ENGINE.components
FIRST_NEST, KINDS = len(TERRAINS), len(TERRAINS) + len(NESTS)
PAIRS = tuple(C.pairs[nest] for nest in range(FIRST_NEST, KINDS))
COUPLES = tuple(combinations_with_replacement(range(len(NESTS)), 2))
PRICE = C.nest_price

TO_LAY = (10.0, 9.0, 8.2, 7.4, 6.6, 5.8, 5.0, 4.0, 2.9, 1.6, 0.0)
"""By the eggs that are still to lay. The first ones bring guarded resources, the last ones the end."""
HEIGHT, HEIGHT_ALONE = 0.02, 0.2  # a level of an egg: where it breaks ties, and in the solo game, where it scores
TERRAIN_CARD, NEST_CARD, GUARDED = 0.07, 0.1, 0.25
LACKING = -0.15  # each nest card that the next egg lacks
LACKING_TWO = -0.05  # the same for the next two eggs together
PAID = 0.1  # nothing lacks but a walk
ASHORE = 0.2
STEP = 0.8  # what a paid walk takes, in nest cards
FARES = 2  # terrain cards that are kept for walks when too many cards have to go back
FAR = 4  # paid walks that stand for more than a bird sees

Reach: TypeAlias = tuple[int, int, int]
"""By nest how many paid walks lead to a free tile with it."""


class Tile(NamedTuple):
    """A tile without an egg."""

    level: int
    cell: Cell


class Island:
    """The regions of a board, by number."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.terrain = {cell: C.tile_kinds[stack.top].terrain for cell, stack in board.at.items()}
        self.region: dict[Cell, int] = {}
        self.cells: list[list[Cell]] = []
        for cell in board.at:
            if cell not in self.region:
                self._flood(cell)
        self.beside = [
            tuple({self.region[near] for cell in cells for near in neighbours(cell) if near in board.at} - {number})
            for number, cells in enumerate(self.cells)
        ]
        self._reached: dict[tuple[int | None, frozenset[tuple[int, int]]], Reach] = {}

    @staticmethod
    def of(board: Board) -> Island:
        """The board's: made once, and kept with the board."""
        island: Island | None = board.__dict__.get("island")
        if island is None:
            island = board.__dict__["island"] = _island(board)
        return island

    def _flood(self, start: Cell) -> None:
        number, found = len(self.cells), [start]
        self.region[start] = number
        for cell in found:
            for near in neighbours(cell):
                if near not in self.region and self.terrain.get(near) == self.terrain[cell]:
                    self.region[near] = number
                    found.append(near)
        self.cells.append(found)

    @cached_property
    def ashore(self) -> tuple[int, ...]:
        """The regions that a bird can come to from the ocean."""
        return tuple({self.region[cell] for cell in self.board.coast})

    @cached_property
    def nests(self) -> list[dict[int, list[Tile]]]:
        """By region and nest the tiles without an egg, the highest first."""
        found: list[dict[int, list[Tile]]] = []
        for cells in self.cells:
            here: dict[int, list[Tile]] = {}
            for cell in cells:
                stack = self.board.at[cell]
                if stack.egg is None:
                    here.setdefault(C.tile_kinds[stack.top].nest, []).append(Tile(stack.level, cell))
            for tiles in here.values():
                tiles.sort(reverse=True)
            found.append(here)
        return found

    def free(self, region: int, nest: int, taken: Set[Cell]) -> Cell | None:
        """The highest tile with this nest that has no egg and is not taken."""
        for tile in self.nests[region].get(nest, ()):
            if tile.cell not in taken:
                return tile.cell
        return None

    def reach(self, region: int | None, taken: Set[Cell]) -> Reach:
        """What a bird in this region (None: in the ocean) has in reach when these cells are taken."""
        kinds = [self._kinds[cell] for cell in taken]
        gone = frozenset([kind for kind in kinds if self.free(*kind, taken) is None])
        key = region, gone
        known = self._reached.get(key)
        if known is None:
            known = self._reached[key] = self._look(region, gone)
        return known

    @cached_property
    def _kinds(self) -> dict[Cell, tuple[int, int]]:
        """The region and the nest of each cell."""
        return {cell: (self.region[cell], C.tile_kinds[stack.top].nest) for cell, stack in self.board.at.items()}

    def _look(self, region: int | None, gone: frozenset[tuple[int, int]]) -> Reach:
        walks = [FAR] * len(NESTS)
        ahead = self.ashore if region is None else (region,)
        seen = set(ahead)
        for paid in range(int(region is None), FAR):
            for here in ahead:
                for nest in self.nests[here]:
                    if walks[nest - FIRST_NEST] > paid and (here, nest) not in gone:
                        walks[nest - FIRST_NEST] = paid
            further: list[int] = []
            for here in ahead:
                for near in self.beside[here]:
                    if near not in seen:
                        seen.add(near)
                        further.append(near)
            ahead = tuple(further)
        leaf, twig, flower = walks
        return leaf, twig, flower


@lru_cache(maxsize=1 << 9)
def _island(board: Board) -> Island:
    return Island(board)


def height_worth(state: State) -> float:
    """What a level of an egg is worth in this game."""
    return HEIGHT if state.solo is None else HEIGHT_ALONE


# ---------------------------------------------------------------------------------------------- what a seat can pay for


def nest_cards(means: Counts) -> list[int]:
    """By nest how many cards there are for an egg on it, those included that two terrains stand for."""
    return [means[FIRST_NEST + nest] + min(means[one], means[other]) for nest, (one, other) in enumerate(PAIRS)]


def lacking(means: Counts) -> list[int]:
    """By nest how many cards an egg on it lacks."""
    return [max(0, PRICE - cards) for cards in nest_cards(means)]


def _lacking_two(means: Counts, first: int, second: int) -> int:
    """How many nest cards two eggs lack: their pairs of terrains have one in common."""
    one, other = PAIRS[first]
    if first == second:
        return max(0, 2 * PRICE - means[FIRST_NEST + first] - min(means[one], means[other]))
    short = max(0, PRICE - means[FIRST_NEST + first])
    least = 2 * PRICE
    for made in range(min(short, means[one], means[other]) + 1):
        left = [count - made if kind in (one, other) else count for kind, count in enumerate(means)]
        least = min(least, short - made + lacking(tuple(left))[second])
    return least


@lru_cache(maxsize=1 << 14)
def _all_lacking(means: Counts) -> tuple[list[int], list[int]]:
    """By nest what an egg lacks, by couple of nests what two eggs lack."""
    return lacking(means), [_lacking_two(means, *couple) for couple in COUPLES]


@lru_cache(maxsize=1 << 14)
def needs(means: Counts, reach: Reach) -> tuple[float, float]:
    """What the next egg lacks, and the next two: nest cards, with paid walks as parts of one."""
    ones, twos = _all_lacking(means)
    one = min(short + STEP * walks for short, walks in zip(ones, reach, strict=True))
    two = min(
        short + STEP * max(reach[first], reach[second]) for short, (first, second) in zip(twos, COUPLES, strict=True)
    )
    return one, two


@lru_cache(maxsize=1 << 14)
def kept_of(cards: Counts) -> Counts:
    """What is kept of too many cards: terrains go first, down to the fares, then what there is most of."""
    left = list(cards)
    while sum(left) > C.unguarded_limit:
        kinds = range(FIRST_NEST) if sum(left[:FIRST_NEST]) > FARES else range(FIRST_NEST, KINDS)
        left[max(kinds, key=left.__getitem__)] -= 1
    return tuple(left)


class Means(NamedTuple):
    """What a seat has at the end of a turn, and what it has in reach."""

    to_lay: int
    cards: Counts
    guarded: Counts
    reach: Reach
    ashore: bool


@lru_cache(maxsize=1 << 14)
def worth(means: Means) -> float:
    """How far the seat is, in eggs."""
    to_lay, cards, guarded, reach, ashore = means
    if not to_lay:
        return TO_LAY[0]
    if sum(cards) > C.unguarded_limit:
        cards = kept_of(cards)
    one, two = needs(tuple(map(add, cards, guarded)), reach)
    return (
        TO_LAY[to_lay]
        + TERRAIN_CARD * sum(cards[:FIRST_NEST])
        + NEST_CARD * sum(cards[FIRST_NEST:])
        + GUARDED * sum(guarded)
        + LACKING * one
        + PAID * (one <= STEP)
        + LACKING_TWO * two
        + PAID * (two <= 2 * STEP)
        + ASHORE * ashore
    )
