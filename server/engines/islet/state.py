"""The state of a game of Islet: frozen values that share what did not change.

1. Resources are six counts in component order; tiles and day-and-night cards are ids; the top of the bag, of the
   deck and of a stack is the end of its tuple.
2. Stacks are kept in ascending order of (x, y), a hand in ascending order of ids: one position, one state.
3. What is worked out from a part (an index, its view) is kept in the part's `__dict__`: it lives as long as the
   part and is no part of the state.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from itertools import chain

import msgspec

from server.engines.islet.components import NONE, Counts
from server.engines.islet.grid import Cell, neighbours


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Islet has no options of its own."""


class Phase(StrEnum):
    """What the seat whose turn it is has to decide."""

    TURN = "turn"
    EXPLORE = "explore"
    MOVE = "move"
    GUARD = "guard"
    UNGUARD = "unguard"
    RETURN = "return"
    OVER = "over"


class Reason(StrEnum):
    """Why a game of several seats ends."""

    EGGS = "eggs"
    BAG = "bag"
    IDLE = "idle"


class Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The round after which the game ends, as far as it is known, and why."""

    round: int
    reason: Reason


class Payment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, cache_hash=True):
    """What is spent at once: six counts of unguarded cards, six of guarded resources."""

    cards: Counts
    guarded: Counts


FREE = Payment(NONE, NONE)


class Stack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The tiles on one cell, bottom to top, and the seat whose egg lies on the top one."""

    x: int
    y: int
    tiles: tuple[int, ...]
    egg: int | None

    @property
    def cell(self) -> Cell:
        """Where the stack stands."""
        return self.x, self.y

    @property
    def level(self) -> int:
        """How many tiles high the stack is."""
        return len(self.tiles)

    @property
    def top(self) -> int:
        """The tile that counts."""
        return self.tiles[-1]


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Every stack of the island, ascending by (x, y)."""

    stacks: tuple[Stack, ...]

    @cached_property
    def at(self) -> dict[Cell, Stack]:
        """The stack on each cell that has one."""
        return {(stack.x, stack.y): stack for stack in self.stacks}

    @cached_property
    def shallows(self) -> tuple[Cell, ...]:
        """The empty cells adjacent to the island, ascending. A hole is ocean too (D1)."""
        return tuple(sorted(_beside(self.at) - self.at.keys()))

    @cached_property
    def coast(self) -> tuple[Cell, ...]:
        """The cells with a tile and an empty neighbour, ascending."""
        return tuple(sorted(_beside(self.shallows) & self.at.keys()))

    def with_stack(self, stack: Stack) -> Board:
        """This board with a stack added, or put in the place of the one on its cell.

        What is known of this board is not worked out again: the shallows change only next to the stack.
        """
        place = bisect_left(self.stacks, stack.cell, key=_cell)
        after = place + (stack.cell in self.at)
        board = Board((*self.stacks[:place], stack, *self.stacks[after:]))
        at = {**self.at, stack.cell: stack}
        shallows = {*self.shallows, *neighbours(stack.cell)} - at.keys()
        board.__dict__.update(at=at, shallows=tuple(sorted(shallows)))
        return board

    def without(self, cell: Cell) -> Board:
        """This board after the stack on a cell left the game."""
        return Board(tuple(stack for stack in self.stacks if stack.cell != cell))


def _cell(stack: Stack) -> Cell:
    return stack.x, stack.y


def _beside(cells: Iterable[Cell]) -> set[Cell]:
    return set(chain.from_iterable(map(neighbours, cells)))


class Player(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A seat's bird (None: in the ocean), resources, available eggs and tiles in hand."""

    bird: Cell | None
    cards: Counts
    guarded: Counts
    used: Counts
    eggs: int
    hand: tuple[int, ...]

    @property
    def guards(self) -> int:
        """How many resources the seat guards, used this turn or not."""
        return sum(self.guarded) + sum(self.used)


class SoloDeck(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The solo game's day-and-night cards still to come in this pass, and the tiles that the tide took."""

    passing: int
    deck: tuple[int, ...]
    lost: tuple[int, ...]


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole game at one moment.

    `trail`: while exploring the cells laid on, in order; while moving the tiles that D8 bars, the last of them
    under the bird. `paid`: what an egg was paid with that lies only after the choice in `unguard`.
    `idle`: rounds in a row without a tile or an egg laid; `busy`: whether this round had one (neither counts in solo).
    """

    phase: Phase
    number: int
    players: tuple[Player, ...]
    board: Board
    piles: Counts
    bag: tuple[int, ...]
    trail: tuple[Cell, ...]
    paid: Payment | None
    ending: Ending | None
    idle: int
    busy: bool
    solo: SoloDeck | None

    @property
    def seat(self) -> int:
        """Whose turn it is: turns go round without exception."""
        return (self.number - 1) % len(self.players)

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return (self.number - 1) // len(self.players) + 1

    @property
    def player(self) -> Player:
        """The seat whose turn it is."""
        return self.players[self.seat]

    def others(self) -> tuple[Cell, ...]:
        """The tiles under the birds of the seats whose turn it is not."""
        turn = self.seat
        return tuple(p.bird for seat, p in enumerate(self.players) if p.bird is not None and seat != turn)

    def with_player(self, player: Player) -> tuple[Player, ...]:
        """The players, with another value for the one whose turn it is."""
        seat, players = self.seat, self.players
        return players if player is players[seat] else (*players[:seat], player, *players[seat + 1 :])
