"""Islet: explores of a whole turn. What one gains is all that is weighed, so of those that gain the same one is kept.

Gains are packed: four bits for each kind of resource. Tiles in hand are packed the same way, by their terrains.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from operator import add
from typing import NamedTuple, TypeAlias

from clients.bots.outlooks.islet import FIRST_NEST, KINDS, C, Island, Means, nest_cards, worth
from clients.bots.outlooks.islet_moves import Plan
from server.engines.engine import Action
from server.engines.islet.actions import LayTile, Stop
from server.engines.islet.components import Counts
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Phase, State
from server.engines.islet.steps.explore import gain_of

BITS = 4
ONE = tuple(1 << BITS * kind for kind in range(KINDS))
GAINS = tuple(tuple(ONE[kind] for kind in kinds) for kinds in C.gains)
"""`GAINS[covered][laid]`, packed."""

Path: TypeAlias = "tuple[Cell, int, Path] | None"
"""A cell, the terrain of the tile that is laid on it, and what follows."""


STOP: dict[int, Path] = {0: None}


class Place(NamedTuple):
    """Where a further tile can go, how high it lies there, and what each terrain gains."""

    cell: Cell
    level: int
    gains: Counts


@lru_cache(maxsize=1 << 12)
def _unpacked(gained: int) -> Counts:
    return tuple(gained >> BITS * kind & (1 << BITS) - 1 for kind in range(KINDS))


@lru_cache(maxsize=1 << 8)
def _next(held: int) -> tuple[tuple[int, int], ...]:
    """The terrains that can be laid next, and the tiles that are then left."""
    return tuple((terrain, held - ONE[terrain]) for terrain, count in enumerate(_unpacked(held)) if count)


class Explorer:
    """Looks for explores of the seat whose turn it is."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._at = state.board.at
        self._birds = {player.bird for player in state.players}
        self._known: dict[tuple[Cell, int], dict[int, Path]] = {}
        self._places: dict[Cell, list[Place]] = {}

    def explores(self, most: int) -> Sequence[Plan]:
        """Those that gain what is worth most, from here on; to stop at once is among them when a tile was laid."""
        state = self._state
        player = state.player
        kept = tuple(map(add, player.guarded, player.used))
        ashore, island = player.bird is not None, Island.of(state.board)
        reach = island.reach(None if player.bird is None else island.region[player.bird], frozenset(state.others()))
        already = self._gained()
        liked: list[tuple[float, Path]] = []
        for gained, path in self._paths().items():
            counts = map(min, _unpacked(already + gained), state.piles)
            cards = tuple(map(add, player.cards, counts))
            liked.append((worth(Means(player.eggs + sum(kept), cards, kept, reach, ashore)), path))
        liked.sort(key=lambda each: -each[0])
        nests = nest_cards(tuple(map(add, player.cards, kept)))
        return [Plan(liking, self._line(path, nests)) for liking, path in liked[:most]]

    def _gained(self) -> int:
        if self._state.phase is not Phase.EXPLORE:
            return 0
        return sum(ONE[gain_of(C, self._at[cell])] for cell in self._state.trail)

    def _paths(self) -> dict[int, Path]:
        """By what they gain: rows of tiles, those that begin near the bird first."""
        state = self._state
        held = sum(ONE[C.tile_kinds[tile].terrain] for tile in state.player.hand)
        if state.phase is Phase.EXPLORE:
            top = state.trail[-1]
            return self._onward(Place(top, self._at[top].level, ()), held, C.lay_at_most - len(state.trail))
        x, y = state.player.bird or (0, 0)
        found: dict[int, Path] = {}
        for cell in sorted(state.board.shallows, key=lambda cell: abs(cell[0] - x) + abs(cell[1] - y)):
            place = Place(cell, 1, ())
            for terrain, left in _next(held):
                gain = ONE[terrain]
                for gained, path in self._onward(place, left, C.lay_at_most - 1).items():
                    if gained + gain not in found:
                        found[gained + gain] = cell, terrain, path
        return found

    def _onward(self, place: Place, held: int, most: int) -> dict[int, Path]:
        """By what they gain: rows of at most so many of these tiles that go on from there."""
        if not held or not most:
            return STOP
        key = place.cell, held
        known = self._known.get(key)
        if known is not None:
            return known
        found = self._known[key] = dict(STOP)
        for beside in self._beside(place):
            for terrain, left in _next(held):
                gain = beside.gains[terrain]
                further = self._onward(beside, left, most - 1) if left else STOP
                for gained, path in further.items():
                    if gained + gain not in found:
                        found[gained + gain] = beside.cell, terrain, path
        return found

    def _beside(self, place: Place) -> list[Place]:
        known = self._places.get(place.cell)
        if known is None:
            stacks = ((cell, self._at[cell]) for cell in neighbours(place.cell) if cell in self._at)
            known = self._places[place.cell] = [
                Place(cell, stack.level + 1, GAINS[C.tile_kinds[stack.top].terrain])
                for cell, stack in stacks
                if stack.level >= place.level and stack.egg is None and cell not in self._birds
            ]
        return known

    def _line(self, path: Path, nests: Sequence[int]) -> tuple[Action, ...]:
        """The tiles for a path: the higher one lies, the more cards there are for an egg on its nest."""
        kinds = C.tile_kinds
        hand = sorted(self._state.player.hand, key=lambda tile: (nests[kinds[tile].nest - FIRST_NEST], tile))
        cells: list[tuple[Cell, int]] = []
        while path is not None:
            cell, terrain, path = path
            cells.append((cell, terrain))
        line: list[Action] = []
        for cell, terrain in reversed(cells):
            tile = next(tile for tile in reversed(hand) if kinds[tile].terrain == terrain)
            hand.remove(tile)
            line.append(LayTile(tile, *cell))
        return (*reversed(line), Stop())
