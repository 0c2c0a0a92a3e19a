"""The three boards: the coloured island, the sea, the area of the workshops; their forms and their geometry."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, NewType

import msgspec
from msgspec import Meta

SEATS = range(2, 5)
AREA = (4, 7)  # rows and columns of the workshops: squares are numbered by it in the actions

Colour = NewType("Colour", int)
Node = NewType("Node", int)  # islands, then harbours, then moorings
Square = NewType("Square", int)  # row * width + column, of the island's grid or of the workshops

Cell = tuple[int, int]  # row, column

Positive = Annotated[int, Meta(ge=1)]


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A table of the file. `dict` keeps what is derived from it."""


def one_region(cells: Iterable[Cell]) -> bool:
    """Whether these squares (at least one) touch by sides, all of them."""
    waiting = set(cells)
    reached = [waiting.pop()]
    for row, column in reached:
        beside = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)} & waiting
        reached.extend(beside)
        waiting -= beside
    return not waiting


class IslandGrid(Form, frozen=True):
    """The coloured island: `.` house square, `F` fountain, `#` water."""

    grid: Annotated[tuple[str, ...], Meta(min_length=1)]
    first_cube: tuple[int, int]

    @property
    def width(self) -> int:
        """Squares in a row."""
        return len(self.grid[0])

    @cached_property
    def houses(self) -> tuple[Square, ...]:
        """The house squares, ascending by x, then y (the order of the actions)."""
        cells = [(x, y) for x in range(self.width) for y in range(len(self.grid)) if self.grid[y][x] == "."]
        return tuple(Square(y * self.width + x) for x, y in cells)

    @cached_property
    def where(self) -> tuple[tuple[int, int], ...]:
        """The x and y of every square."""
        return tuple((x, y) for y in range(len(self.grid)) for x in range(self.width))

    @cached_property
    def touching(self) -> tuple[tuple[Square, ...], ...]:
        """For every square the house squares that it touches by side or corner (D3)."""
        steps = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
        return tuple(self._around(square, steps) for square in range(self.width * len(self.grid)))

    @cached_property
    def beside(self) -> tuple[tuple[Square, ...], ...]:
        """For every square the house squares that it touches by a side, ascending by x, then y."""
        steps = [(-1, 0), (0, -1), (0, 1), (1, 0)]
        return tuple(self._around(square, steps) for square in range(self.width * len(self.grid)))

    def _around(self, square: int, steps: list[tuple[int, int]]) -> tuple[Square, ...]:
        y, x = divmod(square, self.width)
        found = (self.square_at(x + dx, y + dy) for dx, dy in steps)
        return tuple(place for place in found if place is not None)

    def square_at(self, x: int, y: int) -> Square | None:
        """The house square at these coordinates, or None where there is none."""
        inside = 0 <= y < len(self.grid) and 0 <= x < self.width
        return Square(y * self.width + x) if inside and self.grid[y][x] == "." else None


class SeaChart(Form, frozen=True):
    """Sea islands, harbours, moorings and the routes between them."""

    islands: Annotated[tuple[str, ...], Meta(min_length=1)]
    harbours: Annotated[tuple[str, ...], Meta(min_length=2, max_length=2)]
    letters: dict[str, str]
    dock_houses: Positive
    routes: tuple[tuple[str, str], ...]

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Islands, harbours, then a mooring for each letter."""
        return (*self.islands, *self.harbours, *(f"mooring {letter}" for letter in self.letters))

    @cached_property
    def node_of(self) -> dict[str, Node]:
        """The number of each node by name."""
        return {name: Node(node) for node, name in enumerate(self.nodes)}

    @cached_property
    def ways(self) -> tuple[tuple[Node, ...], ...]:
        """From every node the nodes one route away, ascending; moorings are only left."""
        ends = [(self.node_of[a], self.node_of[b]) for a, b in self.routes]
        ends += [(b, a) for a, b in ends]
        enterable = len(self.islands) + len(self.harbours)
        return tuple(
            tuple(sorted(b for a, b in ends if a == node and b < enterable)) for node in range(len(self.nodes))
        )

    def mooring(self, letter: int) -> Node:
        """Where the boat with that letter waits."""
        return Node(len(self.islands) + len(self.harbours) + letter)

    def letter_island(self, letter: int) -> Node:
        """The sea island of that letter."""
        return self.node_of[self.letters[list(self.letters)[letter]]]

    def is_island(self, node: Node) -> bool:
        """Whether the node is a sea island."""
        return node < len(self.islands)


class WorkshopTile(msgspec.Struct, frozen=True):
    """A workshop tile: its colour, its squares (row, column), the one with the coin."""

    colour: Colour
    squares: tuple[tuple[int, int], ...]
    coin: tuple[int, int]


class WorkshopLayouts(Form, frozen=True):
    """The two fixed layouts of the workshop tiles; `.` is no workshop."""

    letters: dict[str, str]
    three: tuple[str, ...]
    three_coins: tuple[tuple[int, int], ...]
    four: tuple[str, ...]
    four_coins: tuple[tuple[int, int], ...]

    @property
    def height(self) -> int:
        """Rows of the area."""
        return AREA[0]

    @property
    def width(self) -> int:
        """Squares in a row of the area."""
        return AREA[1]

    @cached_property
    def beside(self) -> tuple[tuple[Square, ...], ...]:
        """For every square of the area the squares next to it by a side."""
        cells = [(row, column) for row in range(self.height) for column in range(self.width)]
        return tuple(
            tuple(Square(r * self.width + c) for r, c in cells if abs(r - row) + abs(c - column) == 1)
            for row, column in cells
        )

    def fixed(self, seats: int) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
        """The layout for that many seats, and its coin squares."""
        return (self.four, self.four_coins) if seats == SEATS[-1] else (self.three, self.three_coins)
