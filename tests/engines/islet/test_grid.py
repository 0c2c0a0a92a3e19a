"""The grid of triangles, the coast and the holes (D1)."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.engines.islet.grid import Cell, neighbours, points_up
from server.engines.islet.state import Board, Stack
from tests.engines.islet.tables import COMPONENTS

CELLS = list(product(range(-4, 5), repeat=2))


def corners(cell: Cell) -> set[tuple[int, int]]:
    """The triangle's corners on a lattice of half steps: an upward one has its apex at the top."""
    x, y = cell
    if (x + y) % 2 == 0:
        return {(x - 1, y), (x + 1, y), (x, y + 1)}
    return {(x - 1, y + 1), (x + 1, y + 1), (x, y)}


@pytest.mark.parametrize("cell", CELLS)
def test_neighbours_are_the_triangles_that_share_two_corners(cell: Cell) -> None:
    around = product(range(cell[0] - 2, cell[0] + 3), range(cell[1] - 2, cell[1] + 3))
    sharing = [other for other in around if len(corners(cell) & corners(other)) == 2]
    assert list(neighbours(cell)) == sorted(sharing)


def test_neighbours_as_the_rules_give_them() -> None:
    assert points_up((0, 0))
    assert set(neighbours((0, 0))) == {(-1, 0), (1, 0), (0, -1)}
    assert not points_up((1, 0))
    assert set(neighbours((1, 0))) == {(0, 0), (2, 0), (1, 1)}
    assert points_up((-1, -1))


def test_the_start_is_a_hexagon_round_one_point() -> None:
    shared = set.intersection(*(corners(cell) for cell in COMPONENTS.start))
    assert len(COMPONENTS.start) == 6
    assert len(shared) == 1


def board(*cells: Cell) -> Board:
    return Board(tuple(sorted((Stack(*cell, (0,), None) for cell in cells), key=lambda stack: stack.cell)))


def test_all_of_the_hexagon_is_coast_and_six_cells_lie_off_it() -> None:
    island = board(*COMPONENTS.start)
    assert set(island.coast) == set(COMPONENTS.start)
    assert set(island.shallows) == {(-1, 0), (-1, -1), (3, 0), (3, -1), (1, 1), (1, -2)}


def test_a_stack_without_an_empty_neighbour_is_no_coast() -> None:
    island = board((0, 0), *neighbours((0, 0)))
    assert (0, 0) not in island.coast
    assert len(island.coast) == 3


def test_an_enclosed_hole_is_ocean() -> None:
    """D1: the tiles round a hole are coast, and the hole takes a first tile."""
    hole = (0, 0)
    round_it = [cell for cell in product(range(-2, 3), range(-1, 2)) if cell != hole]
    island = board(*round_it)
    assert set(neighbours(hole)) <= set(island.coast)
    assert hole in island.shallows


@given(st.lists(st.sampled_from(list(product(range(-2, 3), repeat=2))), max_size=20), st.sampled_from(COMPONENTS.start))
def test_a_board_that_grew_is_the_board_made_at_once(cells: list[Cell], gone: Cell) -> None:
    """What a board hands on to the next one is what that one would find by itself."""
    grown = board(*COMPONENTS.start)
    for tile, cell in enumerate(cells):
        grown = grown.with_stack(Stack(*cell, (tile,), None))
    for found in (grown, grown.without(gone), grown.without(gone).with_stack(Stack(*gone, (7,), 0))):
        fresh = Board(found.stacks)
        assert found.at == fresh.at
        assert found.shallows == fresh.shallows
        assert found.coast == fresh.coast
        assert set(found.shallows) == {n for c in fresh.at for n in neighbours(c)} - fresh.at.keys()
        assert set(found.coast) == {c for c in fresh.at if not fresh.at.keys() >= set(neighbours(c))}


def test_boards_keep_their_order_and_share_their_stacks() -> None:
    island = board(*COMPONENTS.start)
    grown = island.with_stack(Stack(1, 1, (5,), None))
    assert [stack.cell for stack in grown.stacks] == sorted([*COMPONENTS.start, (1, 1)])
    raised = grown.with_stack(Stack(1, 0, (0, 7), None))
    assert raised.at[1, 0].tiles == (0, 7)
    assert len(raised.stacks) == 7
    assert all(raised.at[cell] is island.at[cell] for cell in COMPONENTS.start if cell != (1, 0))
    assert raised.without((1, 1)).at.keys() == island.at.keys()
