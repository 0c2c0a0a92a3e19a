"""Pyramids: built by all at once, taken from, filled by privileges."""

from __future__ import annotations

from random import Random

import pytest

from server.engines.burano.actions import CubePrivilege, EndTurn, Stack, Take
from server.engines.burano.events import CubeGained, RoundsBegun, Stacked, Taken
from server.engines.burano.state import Phase, Pyramid, State
from server.engines.burano.steps import pyramid
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ENGINE,
    ORANGE,
    PINK,
    WHITE,
    act,
    cubes,
    give,
    in_turn,
    legal,
    legal_of,
    play,
    refused,
    replace,
    with_roofs,
    without_pyramids,
)


def built(state: State, seat: int) -> State:
    """The state after a seat built its whole pyramid from the first legal cubes."""
    while seat in ENGINE.deciding(state):
        state = act(state, legal(state, seat)[0], seat)
    return state


def test_all_seats_build_at_once_and_nobody_waits() -> None:
    state = with_roofs(3)
    assert ENGINE.deciding(state) == (0, 1, 2)
    state = built(state, 2)
    assert ENGINE.deciding(state) == (0, 1)
    state = built(state, 0)
    assert ENGINE.deciding(state) == (1,)
    state = built(state, 1)
    assert state.phase is Phase.TURN
    assert ENGINE.deciding(state) == (0,)
    assert state.turn == 1


def test_a_decision_is_a_cube_and_others_do_not_change_it() -> None:
    state = with_roofs(2)
    before = ENGINE.decision(state, 0), ENGINE.legal_actions(state, 0)
    state = act(state, legal(state, 1)[0], 1)
    assert (ENGINE.decision(state, 0), ENGINE.legal_actions(state, 0)) == before
    assert ENGINE.decision(act(state, legal(state, 0)[0], 0), 0) != before[0]


def test_base_then_a_layer_that_needs_four_beneath_then_the_top() -> None:
    state = with_roofs(2)
    layers = []
    while 0 in ENGINE.deciding(state):
        places = {(action.layer, action.row, action.column) for action in legal(state, 0)}
        cubes_there = dict(zip(BOX.places, state.families[0].pyramid.cubes, strict=True))
        for place in BOX.places:
            layer, row, column = place
            beneath = [(layer - 1, r, c) for r in (row, row + 1) for c in (column, column + 1)] if layer else []
            open_place = cubes_there[place] is None and all(cubes_there[under] is not None for under in beneath)
            assert (place in places) == open_place
        action = Random(len(layers)).choice(legal(state, 0))
        layers.append(action.layer)
        state = act(state, action, 0)
    assert sorted(layers) == [0] * 9 + [1] * 4 + [2]
    assert None not in state.families[0].pyramid.cubes


@pytest.mark.parametrize("place", [(1, 0, 0), (2, 0, 0), (0, 3, 0), (0, -1, 0), (3, 0, 0)])
def test_a_cube_is_stacked_only_where_it_is_borne(place: tuple[int, int, int]) -> None:
    assert "beneath" in refused(with_roofs(2), Stack("white", *place), 0)


def test_a_colour_the_stock_lacks_or_the_game_has_not_is_refused() -> None:
    state = give(with_roofs(2), stock=[BLUE])
    assert "no cube of that colour" in refused(state, Stack("white", 0, 0, 0), 0)
    assert "no such colour" in refused(state, Stack("purple", 0, 0, 0), 0)


def test_cubes_left_over_are_returned_for_a_coin_each() -> None:
    state = with_roofs(2)
    supply = state.supply
    while len([cube for cube in state.families[1].pyramid.cubes if cube is not None]) < 13:
        state = act(state, legal(state, 1)[0], 1)
    left = state.families[1].stock
    state, events = play(state, legal(state, 1)[0], 1)
    (event,) = events
    assert isinstance(event, Stacked)
    assert event.coins == 4
    assert sum(event.returned.values()) == 4
    assert state.families[1].coins == 3 + 4
    assert state.families[1].stock.total == 0
    assert state.supply.total == supply.total + 4
    assert left.total == 5


def test_with_fewer_than_fourteen_cubes_all_are_built_and_nothing_is_paid() -> None:
    state = give(with_roofs(2), stock=[WHITE, BLUE])
    state = act(act(state, Stack("white", 0, 0, 0), 0), Stack("blue", 0, 2, 2), 0)
    assert ENGINE.deciding(state) == (1,)
    assert state.families[0].coins == 3
    assert state.families[0].pyramid.cubes.count(None) == 12


def test_a_seat_with_an_empty_stock_does_not_decide() -> None:
    state = give(with_roofs(2), stock=[])
    assert ENGINE.deciding(state) == (1,)
    assert refused(state, Stack("white", 0, 0, 0), 0) == "this seat has nothing to decide now"


def test_the_last_pyramid_begins_the_rounds() -> None:
    state = give(give(with_roofs(2), 0, stock=[WHITE]), 1, stock=[BLUE])
    state = act(state, Stack("blue", 0, 1, 1), 1)
    state, events = play(state, Stack("white", 0, 1, 1), 0)
    assert RoundsBegun(0, 0) in events
    assert state.phase is Phase.TURN


def test_only_a_cube_on_which_nothing_rests_can_be_taken() -> None:
    state = in_turn()
    assert [(take.layer, take.row, take.column) for take in legal_of(state, Take)] == [(2, 0, 0)]
    assert "rests" in refused(state, Take(1, 0, 0))
    top = state.families[0].pyramid.cubes[-1]
    state, events = play(state, Take(2, 0, 0))
    assert events == [Taken(0, BOX.colours[top], 2, 0, 0, 1)]
    assert state.families[0].ready == cubes(top)
    assert [(take.layer, take.row, take.column) for take in legal_of(state, Take)] == [
        (1, row, column) for row in (0, 1) for column in (0, 1)
    ]
    state = act(give(state, coins=9), Take(1, 0, 0))
    assert (0, 0, 0) in [(take.layer, take.row, take.column) for take in legal_of(state, Take)]
    assert (0, 1, 1) not in [(take.layer, take.row, take.column) for take in legal_of(state, Take)]


def test_at_most_three_cubes_are_ready() -> None:
    state = give(in_turn(), ready=[PINK, PINK, WHITE])
    assert not legal_of(state, Take)
    assert "at most 3" in refused(state, Take(2, 0, 0))
    assert legal_of(give(state, ready=[PINK, PINK]), Take)


def test_a_privilege_brings_a_cube_of_the_supply_to_an_open_supported_place() -> None:
    state = act(in_turn(), Take(2, 0, 0))
    places = {(action.layer, action.row, action.column) for action in legal_of(state, CubePrivilege)}
    assert places == {(2, 0, 0)}
    assert {action.colour for action in legal_of(state, CubePrivilege)} == set(BOX.colours)
    after, events = play(state, CubePrivilege("orange", 2, 0, 0))
    assert events == [CubeGained(0, "orange", (2, 0, 0))]
    assert after.families[0].pyramid.cubes[-1] == ORANGE
    assert after.families[0].privileges == 0
    assert after.supply == state.supply.plus(ORANGE, -1)
    assert after.actions == state.actions
    assert "privilege" in refused(give(state, privileges=0), CubePrivilege("orange", 2, 0, 0))


def test_the_cube_privilege_needs_a_place_in_the_rounds_and_a_cube_in_the_supply() -> None:
    state = without_pyramids(in_turn())
    assert len(legal_of(state, CubePrivilege)) == 6 * 9
    assert "place" in refused(state, CubePrivilege("white"))
    assert "beneath" in refused(state, CubePrivilege("white", 1, 0, 0))
    state = replace(state, supply=state.supply.plus(WHITE, -state.supply.counts[WHITE]))
    assert "supply" in refused(state, CubePrivilege("white", 0, 0, 0))
    assert len(legal_of(state, CubePrivilege)) == 5 * 9


def test_a_cube_privilege_may_make_an_action_possible_again() -> None:
    """Before the first action the turn ends only if no take, build or paint is possible."""
    state = give(without_pyramids(in_turn()), roofs=(), privileges=2)
    assert EndTurn() in legal(state)
    state = act(state, CubePrivilege("white", 0, 0, 0))
    assert legal_of(state, Take) == [Take(0, 0, 0)]
    assert EndTurn() not in legal(state)
    assert "first action" in refused(state, EndTurn())


def test_free_and_open_places_of_a_half_built_pyramid() -> None:
    base = Pyramid((WHITE,) * 9 + (None,) * 5)
    assert pyramid.open_places(base, BOX) == (9, 10, 11, 12)
    assert pyramid.free_cubes(base, BOX) == tuple(range(9))
    one = pyramid.with_cube(base, 9, BLUE)
    assert pyramid.free_cubes(one, BOX) == (2, 5, 6, 7, 8, 9)
