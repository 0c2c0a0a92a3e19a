"""The solo game: cards, the tide, the two passes, the tenth egg, points and ranks."""

from __future__ import annotations

from typing import Any

import pytest

from server.engines.islet import ENGINE
from server.engines.islet.state import Phase, SoloDeck
from server.engines.islet.steps.scoring import solo_score
from tests.engines.islet.tables import COMPONENTS, Play, pay, scene, seat
from tests.engines.play import dice

DAY, NIGHT = 0, 12
ROW = {(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "sl"}
LEAVES = pay({"leaf": 3})


def deck(*top: int, passing: int = 1, turned: int = 0) -> SoloDeck:
    """A deck after so many cards of a pass, with these cards on top, the next one first."""
    rest = [card for card in range(13) if card not in top]
    return SoloDeck(passing, (*rest[: 13 - turned - len(top)], *reversed(top)), ())


def stroll(play: Play, x: int = 1) -> list[dict[str, Any]]:
    play.do("walk", x=x, y=0, pay=pay())
    return play.do("stop")


def night(board: dict[tuple[int, int], str], eggs: dict[tuple[int, int], int] | None = None) -> Play:
    """The bird on (0, 0) beside another water tile; a night card on top."""
    return Play(scene(board, seat((0, 0)), eggs=eggs, solo=deck(NIGHT)))


def test_a_day_has_no_event_and_reveals_all_the_same() -> None:
    play = Play(scene(ROW, seat((0, 0)), solo=deck(DAY)))
    board = play.state.board
    assert stroll(play) == []
    assert play.reveals
    assert play.state.board is board
    assert play.engine.public_view(play.state)["solo"] == {"pass": 1, "turned": 1, "day": 6, "night": 6, "lost": ()}


def test_a_night_takes_one_of_the_lowest_coast_stacks_without_bird_or_egg() -> None:
    play = night(ROW | {(4, 0): "ct ct"}, {(3, 0): 0})
    (event,) = stroll(play)
    gone = {(0, 0), (2, 0)} - set(play.state.board.at)
    assert [event["lost"]] == [{"x": x, "y": y} for x, y in gone]
    assert set(play.state.board.at) == {*ROW, (4, 0)} - gone
    assert play.reveals


def test_the_tide_is_below_k_on_the_candidates_in_ascending_order() -> None:
    for seed in range(6):
        play = Play(scene(ROW | {(0, -1): "ct"}, seat((0, 0)), solo=deck(NIGHT)), seed=seed)
        play.do("walk", x=1, y=0, pay=pay())
        stream = play.dice.fork()
        expected = [(0, -1), (0, 0), (2, 0), (3, 0)][stream.below(4)]
        assert play.do("stop") == [{"kind": "night", "lost": {"x": expected[0], "y": expected[1]}}]
        assert play.dice.words == stream.words


def test_one_candidate_takes_a_word_too_and_none_takes_none() -> None:
    one = night({(0, 0): "wl", (1, 0): "wt", (2, 0): "sf"}, {(2, 0): 0})
    one.do("walk", x=1, y=0, pay=pay())
    words = one.dice.words
    assert one.do("stop") == [{"kind": "night", "lost": {"x": 0, "y": 0}}]
    assert one.dice.words == words + 1
    none = night({(0, 0): "wl", (1, 0): "wt", (2, 0): "sf"}, {(2, 0): 0, (0, 0): 0})
    assert stroll(none) == [{"kind": "night", "lost": None}]
    assert none.reveals
    assert none.dice.words == 0


def test_a_stack_leaves_whole_and_lies_open() -> None:
    play = night({(0, 0): "wl", (1, 0): "wt wl", (2, 0): "sf st"}, {(0, 0): 0})
    stroll(play)
    assert play.state.solo is not None
    assert (2, 0) not in play.state.board.at
    view: Any = play.engine.public_view(play.state)["solo"]
    assert view["lost"] == ({"terrain": "sand", "nest": "flower"}, {"terrain": "sand", "nest": "twig"})


def test_the_stack_under_the_bird_is_safe() -> None:
    for seed in range(6):
        play = Play(scene({(0, 0): "wl", (1, 0): "wt wl"}, seat((1, 0)), solo=deck(NIGHT)), seed=seed)
        play.do("walk", x=0, y=0, pay=pay())
        assert play.do("stop") == [{"kind": "night", "lost": {"x": 1, "y": 0}}], "though the bird's own is lower"


def test_inland_stacks_are_safe() -> None:
    inland = {(0, 0): "sl", (-1, 0): "wl wl", (1, 0): "wl wl", (0, -1): "wl wl"}
    play = Play(scene(inland, seat((1, 0), {"sand": 1, "water": 1}), solo=deck(NIGHT)))
    play.do("walk", x=0, y=0, pay=pay({"sand": 1}))
    play.do("walk", x=1, y=0, pay=pay({"water": 1}))
    play.do("stop")
    assert (0, 0) in play.state.board.at


def test_the_island_may_fall_apart() -> None:
    """A cell next to any tile is adjacent to it; walks never cross the ocean; from the ocean any coast will do."""
    parts = {(0, 0): "wl", (1, 0): "wt", (5, 0): "wl"}
    play = Play(scene(parts, seat((0, 0), {"water": 2}), solo=deck(DAY)))
    assert {(action["x"], action["y"]) for action in play.listed("walk")} == {(1, 0)}
    assert {(4, 0), (6, 0), (2, 0)} <= {(action["x"], action["y"]) for action in play.listed("lay_tile")}
    ashore = Play(scene(parts, seat(None, {"water": 1}), solo=deck(DAY)))
    assert {(action["x"], action["y"]) for action in ashore.listed("walk")} == set(parts)


def test_the_thirteenth_card_is_followed_by_a_shuffle_of_all() -> None:
    play = Play(scene(ROW, seat((0, 0)), turn=13, solo=deck(NIGHT, turned=12)))
    play.do("walk", x=1, y=0, pay=pay())
    stream = play.dice.fork()
    stream.below(3)
    again = stream.shuffle(range(13))
    play.do("stop")
    assert play.state.solo is not None
    assert (play.state.solo.passing, play.state.solo.deck) == (2, tuple(again))
    assert play.dice.words == stream.words
    assert len(play.state.solo.lost) == 1, "the tide before the shuffle"
    assert play.state.number == 14


def test_the_last_card_of_the_second_pass_ends_the_game() -> None:
    play = Play(scene(ROW, seat((0, 0)), eggs={(3, 0): 0}, turn=26, solo=deck(DAY, passing=2, turned=12)))
    words = play.dice.words
    assert stroll(play) == [{"kind": "ended", "reason": "hatchling"}]
    assert play.dice.words == words
    result = play.engine.result(play.state)
    assert result is not None
    assert (result.scores, result.ranks, result.reason) == ((4,), (1,), "hatchling")


def test_the_last_night_is_carried_out_before_the_end() -> None:
    play = Play(scene(ROW, seat((0, 0)), turn=26, solo=deck(NIGHT, passing=2, turned=12)))
    assert [event["kind"] for event in stroll(play)] == ["night", "ended"]


def tenth(turn: int, board: dict[tuple[int, int], str]) -> Play:
    turned = (turn - 1) % 13
    mine = seat((0, 0), {"leaf": 3}, {"leaf": 1}, laid=9)
    return Play(scene(board, mine, turn=turn, solo=deck(NIGHT, passing=1 + (turn - 1) // 13, turned=turned)))


@pytest.mark.parametrize(("turn", "score", "rank"), [(1, 66, "seabird"), (14, 53, "fledgling"), (26, 41, "fledgling")])
def test_the_tenth_egg_ends_the_game_as_soon_as_it_lies(turn: int, score: int, rank: str) -> None:
    """3 per egg, 1 per level, and 1 per card not turned: no card for this turn."""
    play = tenth(turn, ROW)
    play.do("lay_egg", pay=LEAVES)
    assert play.state.phase is Phase.UNGUARD
    words = play.dice.words
    events = play.do("unguard", resource="leaf", used=False)
    assert [event["kind"] for event in events] == ["unguarded", "egg_laid", "ended"]
    assert play.dice.words == words
    result = play.engine.result(play.state)
    assert result is not None
    assert (result.scores, result.reason) == ((score,), rank)
    assert play.engine.turn(play.state) == (turn, "over")


def test_levels_count_and_a_high_island_makes_an_albatross() -> None:
    high = {(0, 0): " ".join(["wl"] * 10), (1, 0): "sf"}
    play = tenth(1, high)
    play.do("lay_egg", pay=LEAVES)
    assert play.do("unguard", resource="leaf", used=False)[-1] == {"kind": "ended", "reason": "albatross"}
    result = play.engine.result(play.state)
    assert result is not None
    assert result.scores == (75,)


def test_cards_not_turned_count_only_with_all_eggs() -> None:
    """Nine eggs on the island leave the thirteen cards of the second pass out, ten take them in."""
    play = tenth(14, ROW)
    assert solo_score(COMPONENTS, play.state) == 9 * 3 + 9
    play.do("lay_egg", pay=LEAVES)
    play.do("unguard", resource="leaf", used=False)
    assert solo_score(COMPONENTS, play.state) == 10 * 3 + 10 + 13


def test_a_pass_is_a_turn_and_turns_a_card() -> None:
    board = {(0, 0): "wl", (1, 0): "st"}
    play = Play(scene(board, seat((0, 0), hand=""), bag=0, solo=deck(NIGHT)))
    assert [event["kind"] for event in play.do("pass")] == ["passed", "night"]
    assert play.reveals
    assert play.state.number == 2


def test_an_empty_bag_ends_nothing() -> None:
    play = Play(scene(ROW, seat((0, 0)), bag=1, solo=deck(DAY)))
    first = play.listed("lay_tile")[0]
    play.do("lay_tile", tile=first["tile"], x=first["x"], y=first["y"])
    events = play.do("stop")
    assert "last_round" not in [event["kind"] for event in events]
    assert play.state.ending is None
    assert not play.state.bag


def test_idle_turns_end_nothing() -> None:
    play = Play(scene(ROW, seat((0, 0)), solo=deck(DAY, 1, 2, 3)))
    for x in (1, 0, 1, 0):
        stroll(play, x)
    assert play.state.number == 5
    assert (play.state.idle, play.state.busy) == (0, False)


def test_every_end_of_a_turn_reveals_and_nothing_before_it() -> None:
    play = Play(scene(ROW, seat((0, 0), {"sand": 1}), solo=deck(DAY, NIGHT)))
    play.do("walk", x=1, y=0, pay=pay())
    assert not play.reveals
    play.do("walk", x=2, y=0, pay=pay({"sand": 1}))
    assert not play.reveals
    play.do("stop")
    assert play.reveals


def test_the_deck_runs_through_two_passes_of_all_cards() -> None:
    stream = dice(3, 1)
    state = ENGINE.new(1, ENGINE.options(), stream)
    seen: list[int] = []
    while ENGINE.deciding(state):
        deck_before = state.solo.deck if state.solo else ()
        number = state.number
        state, _ = ENGINE.apply(state, 0, ENGINE.default_action(state, 0), stream)
        if state.number != number or state.phase is Phase.OVER:
            seen.append(deck_before[-1])
    assert sorted(seen[:13]) == sorted(seen[13:]) == list(range(13))
