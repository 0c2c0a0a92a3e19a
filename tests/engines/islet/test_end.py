"""The end of a game of several seats: eggs, bag, idle; which comes first; ties; passing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from server.engines.islet.components import check
from server.engines.islet.state import Board, Phase, Stack
from tests.engines.islet.tables import COMPONENTS, Play, ending, pay, scene, seat

ROW = {(x, 0): "wl" for x in range(4)}
LEAVES = pay({"leaf": 3})
LAST_EGG = {"cards": {"leaf": 3}, "guarded": {"leaf": 1}, "laid": 9}


def explore(play: Play) -> list[dict[str, Any]]:
    """Lays one tile on the first place and stops."""
    first = play.listed("lay_tile")[0]
    play.do("lay_tile", tile=first["tile"], x=first["x"], y=first["y"])
    return play.do("stop")


def lay_the_last_egg(play: Play) -> list[dict[str, Any]]:
    play.do("lay_egg", pay=LEAVES)
    return play.do("unguard", resource="leaf", used=False)


def stroll(play: Play, x: int) -> list[dict[str, Any]]:
    """A move that lays nothing."""
    play.do("walk", x=x, y=0, pay=pay())
    return play.do("stop")


def kinds(events: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in events]


def outcome(play: Play) -> tuple[object, ...]:
    result = play.engine.result(play.state)
    assert result is not None
    return result.scores, result.ranks, result.reason


def test_the_last_egg_ends_the_game_after_the_round() -> None:
    play = Play(scene(ROW, seat((0, 0), **LAST_EGG), seat((1, 0))))
    assert lay_the_last_egg(play)[-1] == {"kind": "last_round", "round": 1, "reason": "eggs"}
    assert not play.reveals, "it can be undone"
    assert play.state.phase is Phase.MOVE, "the turn is finished first"
    play.do("stop")
    assert play.engine.deciding(play.state) == (1,)
    assert explore(play)[-1] == {"kind": "ended", "reason": "eggs"}
    assert outcome(play) == ((10, 0), (1, 2), "eggs")


def test_a_game_that_is_over_takes_no_action() -> None:
    play = Play(scene(ROW, seat((1, 0)), seat((0, 0), **LAST_EGG), turn=2))
    lay_the_last_egg(play)
    assert play.do("stop") == [{"kind": "ended", "reason": "eggs"}], "nobody is left in the round"
    assert play.engine.deciding(play.state) == ()
    assert play.engine.turn(play.state) == (2, "over")
    assert play.listed() == []
    assert "over" in play.refusal("stop")
    assert outcome(play) == ((0, 10), (2, 1), "eggs")


def test_the_last_tile_leaving_the_bag_gives_one_more_round() -> None:
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0)), bag=1))
    assert explore(play)[-1] == {"kind": "last_round", "round": 2, "reason": "bag"}
    explore(play)
    explore(play)
    assert play.state.number == 4
    assert explore(play)[-1] == {"kind": "ended", "reason": "bag"}
    assert outcome(play) == ((0, 0), (1, 1), "bag")


def test_a_bag_with_one_more_tile_tells_of_nothing() -> None:
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0)), bag=2))
    assert "last_round" not in kinds(explore(play))
    assert play.state.ending is None


def test_drawing_nothing_reveals_nothing() -> None:
    """D13."""
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0)), bag=1))
    assert "tiles_drawn" in kinds(explore(play))
    assert play.reveals
    assert "tiles_drawn" not in kinds(explore(play))
    assert not play.reveals
    assert len(play.state.players[1].hand) == 3


def test_an_egg_in_the_round_in_which_the_bag_emptied_ends_the_game_earlier() -> None:
    play = Play(scene(ROW, seat((1, 0)), seat((0, 0), **LAST_EGG), bag=1))
    assert explore(play)[-1] == {"kind": "last_round", "round": 2, "reason": "bag"}
    assert lay_the_last_egg(play)[-1] == {"kind": "last_round", "round": 1, "reason": "eggs"}
    assert play.do("stop") == [{"kind": "ended", "reason": "eggs"}]


def test_the_reason_is_eggs_when_both_end_the_game_after_the_same_round() -> None:
    play = Play(scene(ROW, seat((0, 0), **LAST_EGG), seat((1, 0)), bag=1))
    explore(play)
    explore(play)
    assert "last_round" not in kinds(lay_the_last_egg(play)), "round 2 was the last already"
    assert play.state.ending == ending(2, "eggs")
    play.do("stop")
    assert explore(play)[-1] == {"kind": "ended", "reason": "eggs"}


def test_the_bag_that_empties_after_the_last_egg_changes_nothing() -> None:
    play = Play(scene(ROW, seat((0, 0), **LAST_EGG), seat((1, 0)), bag=1))
    lay_the_last_egg(play)
    play.do("stop")
    assert kinds(explore(play)) == ["resource_gained", "tiles_drawn", "ended"]
    assert not play.state.bag
    assert outcome(play)[-1] == "eggs"


def test_three_idle_rounds_end_the_game_after_the_third() -> None:
    """D12."""
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0))))
    for round_, (mine, yours) in enumerate([(1, 2), (0, 3), (1, 2)], 1):
        assert kinds(stroll(play, mine)) == []
        events = stroll(play, yours)
        assert play.engine.public_view(play.state)["idle"] == round_
    assert events == [{"kind": "ended", "reason": "idle"}], "and no `last_round` (D14)"
    assert outcome(play) == ((0, 0), (1, 1), "idle")


def test_an_egg_by_anybody_makes_a_round_busy() -> None:
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0), {"leaf": 3}), idle=2, turn=7))
    stroll(play, 1)
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="leaf")
    play.do("stop")
    assert (play.state.idle, play.state.busy, play.state.phase) == (0, False, Phase.TURN)


def test_a_tile_by_anybody_makes_a_round_busy() -> None:
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0)), idle=2, turn=7))
    explore(play)
    assert play.state.busy
    stroll(play, 2)
    assert (play.state.idle, play.state.phase) == (0, Phase.TURN)


def test_a_known_end_comes_before_the_idle_one() -> None:
    """D14: with one idle round for an end, the round after the bag emptied is the last for both reasons."""
    brisk = msgspec.structs.replace(COMPONENTS, idle_rounds=1)
    check(brisk)
    play = Play(scene(ROW, seat((0, 0)), seat((3, 0)), bag=1, components=brisk), brisk)
    explore(play)
    stroll(play, 2)
    stroll(play, 1)
    assert stroll(play, 3) == [{"kind": "ended", "reason": "bag"}]
    assert play.state.idle == 1


def test_without_tiles_walks_and_eggs_a_turn_is_passed() -> None:
    """D5; and D12: it is idle."""
    board = {(-1, 0): "st"} | ROW
    state = scene(board, seat((-1, 0), {"leaf": 2}, hand=""), seat((1, 0)), bag=0, ending=ending(2, "bag"))
    play = Play(state)
    assert play.listed() == [{"type": "pass"}]
    assert play.do("pass") == [{"kind": "passed", "seat": 0}]
    assert not play.state.busy
    assert play.engine.deciding(play.state) == (1,)


@pytest.mark.parametrize(
    "mine",
    [seat((-1, 0), hand="sf"), seat((-1, 0), {"water": 1}, hand=""), seat((-1, 0), {"twig": 3}, hand="")],
    ids=["a tile", "a paid walk", "an egg"],
)
def test_who_can_do_something_may_not_pass(mine: dict[str, Any]) -> None:
    """D5."""
    board = {(-1, 0): "st"} | ROW
    play = Play(scene(board, mine, seat((1, 0), hand="cf"), bag=0, ending=ending(2, "bag"), turn=1))
    assert play.listed("pass") == []
    assert "passed only when" in play.refusal("pass")


def test_a_free_walk_counts_as_something_to_do() -> None:
    """D5: also a bird in the ocean without a card has to pass, one ashore beside its own terrain has not."""
    play = Play(scene(ROW, seat((0, 0), hand=""), seat(None, hand=""), bag=0, ending=ending(2, "bag")))
    assert play.listed("pass") == []
    stroll(play, 1)
    assert play.listed() == [{"type": "pass"}]


@pytest.mark.parametrize(
    ("levels", "ranks"),
    [
        ([[3, 2, 1], [3, 1, 1]], (1, 2)),
        ([[2, 1], [2, 2]], (2, 1)),
        ([[2, 2], [2, 2]], (1, 1)),
        ([[1, 1], [5]], (1, 2)),
        ([[1], [2], [2], []], (3, 1, 1, 4)),
        ([[4, 1], [3, 3], [4, 1]], (1, 3, 1)),
    ],
)
def test_worked_example_5_ties(levels: list[list[int]], ranks: tuple[int, ...]) -> None:
    owners = [(owner, height) for owner, heights in enumerate(levels) for height in reversed(heights)]
    stacks = tuple(Stack(x, 0, (0,) * height, owner) for x, (owner, height) in enumerate(owners))
    play = Play(scene(ROW, *(seat() for _ in levels)))
    play.state = msgspec.structs.replace(
        play.state, board=Board(stacks), phase=Phase.OVER, ending=ending(1, "bag"), number=len(levels)
    )
    assert outcome(play) == (tuple(len(heights) for heights in levels), ranks, "bag")
