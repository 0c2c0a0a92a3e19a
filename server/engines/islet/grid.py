"""The grid of triangles: which cells share an edge (RULES.md, "The grid").

A cell (x, y) points up when x + y is even, down when it is odd; y grows upward.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

Cell: TypeAlias = tuple[int, int]


def points_up(cell: Cell) -> bool:
    """Whether the triangle stands on its base."""
    return sum(cell) % 2 == 0


@lru_cache(maxsize=4096)
def neighbours(cell: Cell) -> tuple[Cell, Cell, Cell]:
    """The three cells that share an edge with this one, ascending: a base is shared below an upward triangle."""
    x, y = cell
    return (x - 1, y), (x, y - 1 if points_up(cell) else y + 1), (x + 1, y)
