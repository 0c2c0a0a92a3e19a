"""Lace: which squares a worker may go to, what is fixed when it starts, when the wheel turns."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import Lace, Skip
from server.engines.burano.events import LaceEnded, LacePlaced
from server.engines.burano.state import Lacing, Phase, State
from tests.engines.burano.scenes import lacing
from tests.engines.burano.tables import (
    BLUE,
    ORANGE,
    WHITE,
    act,
    at_work,
    card,
    give,
    in_turn,
    legal,
    legal_of,
    maps,
    play,
    refused,
    replace,
    square,
)

BLUES = [square(1, 2), square(1, 3), square(1, 4)]  # of the three-square layout; the coin is at 1, 3
WHITES = [square(2, 3), square(2, 4), square(3, 3)]  # the coin is at 3, 3
ORANGES = [square(1, 6), square(2, 5), square(2, 6)]  # the coin is at 2, 6


def squares(state: State) -> dict[int, bool]:
    return {lace.square: lace.privilege for lace in legal_of(state, Lace)}


def test_the_first_worker_goes_on_any_free_square_of_a_red_colour() -> None:
    state = lacing(at_work(in_turn(3), WHITES[0], seat=1))
    assert squares(state) == dict.fromkeys(sorted([*BLUES, *WHITES[1:], *ORANGES]), False)
    assert maps(state)[-1] == {"type": "skip"}
    for lace in (
        Lace(WHITES[0], False),
        Lace(square(0, 0), False),
        Lace(square(0, 6), False),
        Lace(99, False),
        Lace(-1, False),
    ):
        assert "free square" in refused(state, lace)


def test_every_other_goes_next_to_an_own_one_and_each_red_colour_is_used_once() -> None:
    state = act(lacing(), Lace(BLUES[2], False))
    assert state.task == Lacing((WHITE, ORANGE), 2, 1)
    assert squares(state) == {WHITES[1]: False}
    state = act(state, Lace(WHITES[1], False))
    assert squares(state) == {ORANGES[1]: False}
    assert "own worker" in refused(state, Lace(BLUES[1], False))


def test_an_own_worker_of_before_is_what_the_first_one_goes_next_to() -> None:
    state = lacing(at_work(in_turn(3), BLUES[0]))
    assert squares(state) == {BLUES[1]: False}


def test_two_red_arrows_of_one_colour_allow_two_workers_of_it() -> None:
    state = lacing()
    state = replace(state, task=Lacing((WHITE, WHITE, BLUE), 3, 0))
    state = act(act(state, Lace(WHITES[0], False)), Lace(WHITES[2], False))
    assert state.task.reds == (BLUE,)
    assert squares(state) == {BLUES[1]: False}


def test_the_wheel_turns_once_when_the_action_ends() -> None:
    """Workers sent stay on the wheel until then (D17)."""
    state = lacing()
    for sent, lace in enumerate((Lace(BLUES[2], False), Lace(WHITES[1], False)), 1):
        state = act(state, lace)
        assert (state.families[0].wheel.first, state.families[0].wheel.workers) == (3, 9)
        assert state.task.sent == sent
    skipped, events = play(state, Skip())
    assert events == [LaceEnded(0, 2)]
    assert (skipped.families[0].wheel.first, skipped.families[0].wheel.workers) == (5, 7)
    assert skipped.phase is Phase.TURN
    ended, events = play(give(state, coins=9), Lace(ORANGES[1], False))
    assert events == [LacePlaced(0, ORANGES[1], False, 0, (), 2), LaceEnded(0, 3)]
    assert (ended.families[0].wheel.first, ended.families[0].wheel.workers) == (6, 6)
    assert ended.phase is Phase.TURN


@pytest.mark.parametrize(("workers", "left"), [(10, 2), (9, 3), (4, 3), (3, 2), (2, 1), (1, 0)])
def test_at_most_three_workers_one_stays_and_red_colours_limit_them(workers: int, left: int) -> None:
    """D1: ten workers leave two red colours."""
    state = lacing(workers=workers)
    assert state.task.left == left
    assert bool(squares(state)) == bool(left)


def test_lace_ends_by_itself_after_the_last_worker_that_may_be_sent() -> None:
    state = give(lacing(workers=2), coins=9)
    state = act(state, Lace(BLUES[0], False))
    assert state.phase is Phase.TURN
    assert state.families[0].wheel.workers == 1


def test_lace_without_a_spare_worker_offers_only_skip() -> None:
    """D7."""
    state = lacing(workers=1)
    assert legal(state) == [Skip()]
    assert play(state, Skip())[1][0].what == "lace"


def test_a_coin_square_pays_a_coin() -> None:
    state = lacing()
    after, (event,) = play(state, Lace(BLUES[1], False))
    assert event.coins == 1
    assert after.families[0].coins == state.families[0].coins + 1
    assert act(state, Lace(BLUES[0], False)).families[0].coins == state.families[0].coins


def test_a_privilege_waives_adjacency_and_occupancy_but_not_the_colour() -> None:
    """D12."""
    state = at_work(at_work(at_work(in_turn(3), BLUES[0]), WHITES[2], seat=1), BLUES[1], seat=1)
    state = lacing(state, privileges=1)
    assert squares(state) == dict.fromkeys(sorted([*BLUES[1:], *WHITES, *ORANGES]), True)
    assert "colour" in refused(state, Lace(square(0, 0), True))
    assert "colour" in refused(state, Lace(BLUES[0], True))
    assert "privilege" in refused(give(state, privileges=0), Lace(BLUES[1], True))
    after, events = play(state, Lace(WHITES[2], True))
    assert events == [LacePlaced(0, WHITES[2], True, 1, (1,), 2)]
    assert after.workshops.squares[WHITES[2]].workers == (0,)
    assert after.families[0].privileges == 0
    assert after.families[1].coins == state.families[1].coins + 2
    assert after.families[1].wheel.workers == state.families[1].wheel.workers + 1


def test_a_privilege_is_offered_only_where_the_placement_is_illegal_without_it() -> None:
    state = lacing(at_work(in_turn(3), BLUES[0]), privileges=1)
    assert squares(state)[BLUES[1]] is False
    assert squares(state)[BLUES[2]] is True
    assert "needed" in refused(state, Lace(BLUES[1], True))
    assert "needed" in refused(state, Lace(BLUES[2], False))


def test_a_privilege_sends_all_workers_of_a_square_back() -> None:
    state = lacing(at_work(at_work(in_turn(3), BLUES[0], seat=1), BLUES[0], seat=2), privileges=1)
    after, (event,) = play(state, Lace(BLUES[0], True))
    assert event.displaced == (1, 2)
    assert [after.families[seat].coins - state.families[seat].coins for seat in (1, 2)] == [2, 2]
    assert after.workshops.squares[BLUES[0]].workers == (0,)


BENCH = (card("shared bench"),)


def test_with_the_shared_bench_workers_join_others_coin_included() -> None:
    state = lacing(at_work(in_turn(3), BLUES[1], seat=1), cards=BENCH)
    assert squares(state)[BLUES[1]] is False
    after, events = play(state, Lace(BLUES[1], False))
    assert events == [LacePlaced(0, BLUES[1], False, 1, (), 2)]
    assert after.workshops.squares[BLUES[1]].workers == (0, 1)


def test_the_shared_bench_keeps_adjacency_and_one_own_worker_a_square() -> None:
    state = lacing(at_work(at_work(in_turn(3), BLUES[0]), BLUES[2], seat=1), cards=BENCH)
    assert squares(state) == {BLUES[1]: False}
    assert "own worker" in refused(state, Lace(BLUES[2], False))


def test_with_the_shared_bench_a_privilege_ignores_adjacency_and_displaces_nobody() -> None:
    state = lacing(at_work(at_work(in_turn(3), BLUES[0]), WHITES[0], seat=1), privileges=1, cards=BENCH)
    assert squares(state)[WHITES[0]] is True
    after, (event,) = play(state, Lace(WHITES[0], True))
    assert event.displaced == ()
    assert after.workshops.squares[WHITES[0]].workers == (0, 1)


def test_nobody_else_may_join_because_of_the_bench() -> None:
    state = give(lacing(at_work(in_turn(3), BLUES[1], seat=1)), 1, buildings=BENCH)
    assert BLUES[1] not in squares(state)


def test_placements_are_listed_by_square() -> None:
    state = lacing(at_work(in_turn(3), BLUES[1], seat=1), privileges=1)
    assert list(squares(state)) == sorted(squares(state))
    assert len(squares(state)) == 9


def test_the_colours_of_the_squares_are_as_the_tests_say() -> None:
    for colour, places in ((BLUE, BLUES), (WHITE, WHITES), (ORANGE, ORANGES)):
        assert {in_turn().workshops.squares[place].colour for place in places} == {colour}
