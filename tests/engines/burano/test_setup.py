"""Set-up: what lies where, and which dice were drawn for it."""

from __future__ import annotations

from collections import Counter

import pytest

from server.engines.burano.actions import CoinPrivilege, CubePrivilege, Done, DrawRoof, ReturnRoof, Stack
from server.engines.burano.state import FirstRoofs, Options, Phase
from server.engines.burano.steps import layout, wheel
from server.engines.dice import Dice
from tests.engines.burano.tables import BOX, ENGINE, NODE, act, fresh, legal, maps, refused, with_roofs
from tests.engines.play import dice

Tile = tuple[int, frozenset[tuple[int, int]]]  # colour, cells


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_seat_starts_with_its_letters_island_mooring_and_ring_piece(seats: int) -> None:
    state = fresh(seats)
    for seat, family in enumerate(state.families):
        letter = "ABCD"[seat]
        island = state.sea.islands[NODE[BOX.sea.letters[letter]]]
        assert island.workers == tuple(int(other == seat) for other in range(seats))
        assert family.boat == NODE[f"mooring {letter}"]
        assert (family.coins, family.privileges, family.points) == (3, 1, 0)
        assert family.wheel.workers == 9
        uncovered = [(sector.colour, sector.mark) for sector in wheel.uncovered(family.wheel, BOX)]
        assert uncovered == [(sector.colour, sector.mark) for sector in BOX.pieces[seat]]
        assert len(wheel.reds(family.wheel, BOX)) == 3
        assert family.stock.counts == (3, 3, 3, 3, 3, 3)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_supply_lacks_the_stocks_and_the_first_cube_below_the_fountain(seats: int) -> None:
    state = fresh(seats)
    square = BOX.island.square_at(3, 4)
    assert square is not None
    plot = state.island.plots[square]
    assert plot is not None
    (floor,) = plot.floors
    assert sum(bool(plot.floors) for plot in state.island.plots if plot) == 1
    expected = [20 - 3 * seats] * 6
    expected[floor.house] -= 1
    assert state.supply.counts == tuple(expected)


def test_ships_docks_markers_and_open_cards_are_dealt() -> None:
    state = fresh(4)
    assert Counter(state.sea.ships) == {0: 2, 1: 2}
    assert all(len(island.docks) == 3 for island in state.sea.islands)
    assert Counter(state.markers.works) == {"fish": 2, "lace": 2, "earn": 2}
    assert len(state.buildings.open) == 4
    assert len(state.buildings.deck) == 12
    assert len(state.fish.open) == 3
    assert len(state.fish.deck) == 45
    assert [len(stack) for stack in state.roofs.stacks] == [12, 12, 12, 12]


def test_the_dice_are_drawn_in_the_order_of_the_rules() -> None:
    state, again = fresh(2, seed=5), dice(5, 2)
    first = again.below(6)
    ships = again.shuffle(range(4))
    houses = again.shuffle(colour for colour in range(6) for _ in range(3))
    markers = again.shuffle(range(6))
    cards = again.shuffle(range(16))
    fish = [card // 6 for card in again.shuffle(range(48))]
    roofs = [again.shuffle(range(start, start + 12)) for start in (0, 12, 24, 36)]
    rings = [again.shuffle(range(4)) for _ in range(2)]
    beneath = state.island.plots[4 * 7 + 3]
    assert beneath is not None
    assert beneath.floors[0].house == first
    assert [ship for ship in range(4) if state.sea.ships[ship] == 0] == sorted(ships[:2])
    assert [list(island.docks) for island in state.sea.islands] == [
        sorted(houses[place : place + 3]) for place in range(0, 18, 3)
    ]
    assert [colour for colour in range(6) if state.markers.works[colour] == "fish"] == sorted(markers[:2])
    assert [colour for colour in range(6) if state.markers.works[colour] == "earn"] == sorted(markers[4:])
    assert list(state.buildings.open) == cards[:-5:-1]
    assert list(state.buildings.deck) == cards[:-4]
    assert list(state.fish.open) == fish[:-4:-1]
    assert list(state.fish.deck) == fish[:-3]
    assert [list(stack) for stack in state.roofs.stacks] == roofs
    assert [list(family.wheel.pieces) for family in state.families] == rings


@pytest.mark.parametrize(("seats", "size"), [(2, 3), (3, 3), (4, 4)])
def test_the_first_games_workshops_are_the_fixed_layout(seats: int, size: int) -> None:
    squares = fresh(seats).workshops.squares
    rows, coins = BOX.workshops.fixed(seats)
    letters = {BOX.colour_of[colour]: letter for letter, colour in BOX.workshops.letters.items()}
    drawn = "".join("." if square is None else letters[square.colour] for square in squares)
    assert [drawn[start : start + 7] for start in range(0, 28, 7)] == list(rows)
    assert sorted(divmod(n, 7) for n, square in enumerate(squares) if square and square.coin) == sorted(coins)
    assert all(number == size for letter, number in Counter(drawn).items() if letter != ".")


@pytest.mark.parametrize("seats", [2, 4])
def test_random_workshops_are_the_same_tiles_turned_in_one_region(seats: int) -> None:
    layouts = set()
    for seed in range(30):
        squares = fresh(seats, seed, Options(workshops="random")).workshops.squares
        lying = {divmod(n, 7): square for n, square in enumerate(squares) if square}
        layouts.add(tuple(sorted((cell, square.colour) for cell, square in lying.items())))
        assert len(lying) == 6 * (4 if seats == 4 else 3)
        assert layout.one_region(lying)
        for tile in layout.fixed(BOX, seats):
            cells = {cell for cell, square in lying.items() if square.colour == tile.colour}
            (coin,) = (cell for cell in cells if lying[cell].coin)
            assert layout.is_turned(tile, cells, coin)
    assert len(layouts) == 30


def test_a_random_layout_follows_the_dice_tile_by_tile() -> None:
    state, again = fresh(2, seed=3, options=Options(workshops="random")), dice(3, 2)
    again.below(6)
    laid = _laid_by_hand(again)
    squares = state.workshops.squares
    assert {cell: colour for colour, cells in laid for cell in cells} == {
        divmod(n, 7): square.colour for n, square in enumerate(squares) if square
    }
    assert [ship for ship in range(4) if state.sea.ships[ship] == 0] == sorted(again.shuffle(range(4))[:2])


def _laid_by_hand(again: Dice) -> list[Tile]:
    """The rule in other words: tiles as sets of cells; anew on a dead end or if it falls apart."""
    rows = BOX.workshops.three
    shapes = []
    for letter in "WOBPGY":
        cells = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == letter]
        shapes.append((BOX.colour_of[BOX.workshops.letters[letter]], cells))
    while True:
        laid: list[Tile] = []
        for colour, cells in again.shuffle(shapes):
            taken = {cell for _, other in laid for cell in other}
            places = [place for quarter in range(4) for place in _fitting(cells, quarter) if not place & taken]
            if not places:
                break
            laid.append((colour, places[again.below(len(places))]))
        else:
            if layout.one_region({cell for _, cells in laid for cell in cells}):
                return laid


def _fitting(cells: list[tuple[int, int]], quarters: int) -> list[frozenset[tuple[int, int]]]:
    for _ in range(quarters):
        cells = [(c, -r) for r, c in cells]
    top, left = min(r for r, _ in cells), min(c for _, c in cells)
    moved = [frozenset((r - top + row, c - left + column) for r, c in cells) for row in range(4) for column in range(7)]
    return [place for place in moved if all(0 <= r < 4 and 0 <= c < 7 for r, c in place)]


def test_each_seat_takes_three_roofs_of_different_kinds_in_a_row() -> None:
    state = fresh(3)
    for seat in range(3):
        for kinds in (4, 3, 2):
            assert ENGINE.deciding(state) == (seat,)
            assert isinstance(state.task, FirstRoofs)
            assert len(legal(state)) == kinds
            top = state.roofs.stacks[4 - kinds][-1]
            state = act(state, DrawRoof(["islands", "workshops", "wheel"][4 - kinds]))
            assert top in state.families[seat].roofs
    assert state.phase is Phase.PYRAMID
    assert state.turn == 1


def test_a_kind_held_an_unknown_kind_and_season_end_actions_are_refused_in_set_up() -> None:
    state = act(fresh(), DrawRoof("fixed"))
    assert maps(state) == [{"type": "draw_roof", "kind": kind} for kind in ("islands", "workshops", "wheel")]
    for action in ({"type": "draw_roof", "kind": "fixed"}, {"type": "draw_roof", "kind": "straw"}):
        assert "roof" in refused(state, DrawRoof(action["kind"]))
    for action in (Stack("white", 0, 0, 0), CubePrivilege("white"), CoinPrivilege(), ReturnRoof(36), Done()):
        assert "phase" in refused(state, action)
    assert with_roofs(2).families[0].roofs == tuple(sorted(with_roofs(2).families[0].roofs))
