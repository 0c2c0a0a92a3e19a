"""The end: by rounds, by the last lighthouse; the points of the end; ties. D5, D20."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Ended, Pass
from server.engines.bretagne.state import Over, State
from server.engines.engine import Event, IllegalAction
from tests.engines.bretagne.tables import (
    acting,
    built,
    change_player,
    checked,
    give,
    in_harbour,
    in_round,
    levels,
    only,
    passing,
    step,
)

OPEN_AT_TWO = (2, 3, 5, 7, 8, 9, 11, 13, 14)


def ended(state: State, *order: int) -> tuple[State, list[Event]]:
    """All pass in this order."""
    state = passing(state, *order[:-1])
    return step(checked(replace(state, task=type(state.task)(order[-1]))), Pass())


def test_the_game_ends_after_round_five() -> None:
    state, events = ended(in_round(acting(2), 5), 0, 1)
    assert state.task == Over("rounds")
    assert ENGINE.deciding(state) == ()
    assert ENGINE.turn(state) == (3, "over")
    assert only(events, Ended).reason == "rounds"
    assert ENGINE.result(state).reason == "rounds"


def test_not_before() -> None:
    state, _ = ended(in_round(acting(2), 4), 0, 1)
    assert state.round == 5
    assert ENGINE.result(state) is None


@pytest.mark.parametrize("round_", [2, 5])
def test_the_game_ends_with_the_last_lighthouse_also_in_round_five(round_: int) -> None:
    """Those that stood from the start count as finished."""
    state = built(acting(2), *OPEN_AT_TWO[:-1])
    state = in_round(levels(state, OPEN_AT_TWO[-1], (0, 0), (0, 0), (1, 0)), round_)
    state, events = ended(state, 0, 1)
    assert state.task == Over("lighthouses")
    assert only(events, Ended).reason == "lighthouses"


def test_one_unfinished_lighthouse_and_it_goes_on() -> None:
    state = built(acting(2), *OPEN_AT_TWO[:-1])
    state, _ = ended(levels(state, OPEN_AT_TWO[-1], (0, 0), (0, 0)), 0, 1)
    assert state.round == 2


@pytest.mark.parametrize(
    ("inside", "points"),
    [((0,), (4, 0, 0, 0)), ((0, 2), (2, 0, 2, 0)), ((0, 1, 2), (1, 1, 1, 0)), ((3, 2, 1, 0), (1, 1, 1, 1))],
)
def test_workers_in_harbours(inside: tuple, points: tuple) -> None:
    """D6: the points are per worker."""
    _, events = ended(in_round(in_harbour(acting(4), 4, *inside), 5), 0, 1, 2, 3)
    assert only(events, Ended).harbour_points == points


def test_harbours_add_up() -> None:
    state = in_harbour(in_harbour(acting(2), 4, 0), 5, 0, 1)
    _, events = ended(in_round(state, 5), 0, 1)
    assert only(events, Ended).harbour_points == (6, 2)


@pytest.mark.parametrize(("coins", "points"), [(0, 0), (2, 0), (3, 1), (5, 1), (9, 3)])
def test_three_coins_are_a_point_rounded_down_and_stay(coins: int, points: int) -> None:
    state, events = ended(in_round(give(acting(2), 0, coins=coins), 5), 0, 1)
    assert only(events, Ended).coin_points == (points, 0)
    assert state.players[0].coins == coins


def test_the_scores_of_the_end_are_in_the_last_view() -> None:
    """D20."""
    state = change_player(in_round(acting(2), 5), 1, points=20)
    state, events = ended(give(state, 0, coins=6), 1, 0)
    assert only(events, Ended).scores == (0 + 2 + 2, 20 + 4)
    assert [player["points"] for player in ENGINE.public_view(state)["players"]] == [4, 24]
    assert ENGINE.result(state).scores == (4, 24)
    assert ENGINE.result(state).ranks == (2, 1)


def test_at_three_seats_the_order_scores_four_two_one() -> None:
    _, events = ended(in_round(acting(3), 5), 2, 1, 0)
    assert only(events, Ended).order_points == (1, 2, 4)


def test_a_tie_goes_to_most_coins() -> None:
    """D5: seat 0 has 4 points of the order; seat 1 has 2 and 2 more, and two coins that are no point."""
    state = change_player(in_round(acting(2), 5), 1, points=2)
    state, _ = ended(give(state, 1, coins=2), 0, 1)
    assert ENGINE.result(state).scores == (4, 4)
    assert ENGINE.result(state).ranks == (2, 1)


def test_then_to_the_earlier_place_in_the_final_order_and_ranks_are_never_shared() -> None:
    """D5."""
    state = change_player(in_round(acting(3), 5), 0, points=3)
    state = change_player(state, 1, points=2)
    state, _ = ended(state, 2, 1, 0)
    assert ENGINE.result(state).scores == (4, 4, 4)
    assert ENGINE.result(state).ranks == (3, 2, 1)


def test_nobody_acts_after_the_end() -> None:
    state, _ = ended(in_round(acting(2), 5), 0, 1)
    for seat in (0, 1):
        assert ENGINE.legal_actions(state, seat) == ()
        with pytest.raises(IllegalAction, match="over"):
            ENGINE.apply(state, seat, Pass(), None)  # type: ignore[arg-type]
