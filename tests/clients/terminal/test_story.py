"""What a viewer was told of a room, as a log."""

from __future__ import annotations

from typing import Any

from clients.terminal.story import Story
from protocol.messages import ChatLine, Error, Patch, Presence, Snapshot, Turn

TAG = "0" * 16


def state(turn: int = 1, deciding: tuple[int, ...] = (0,), since: tuple[int, ...] = (3,)) -> dict[str, Any]:
    """A room of a game that nobody drew a board for: it is told plainly."""
    return {
        "room": {"id": "K7QF2M", "game": "nim", "status": "playing", "seats": [{"name": "Ana"}, {"name": "Ben"}]},
        "turn": {"number": turn, "seats": list(deciding), "since": list(since), "clock": None},
        "game": {"heap": 9},
        "you": None,
        "result": None,
    }


def snapshot(seq: int = 3, **more: Any) -> Snapshot:
    return Snapshot("K7QF2M", seq, TAG, state(**more))


def patch(seq: int, *events: dict[str, Any], ops: list[dict[str, Any]] | None = None) -> Patch:
    return Patch("K7QF2M", seq, TAG, 0, ops or [], list(events))


def chat(n: int, text: str, name: str | None = "Ben") -> ChatLine:
    return ChatLine("K7QF2M", n, 1, name, text, 0)


def told(*messages: Any) -> list[str]:
    story = Story()
    for message in messages:
        story.take(message)
    return [str(line) for line in story.lines]


def test_events_are_told_with_the_state_of_their_own_entry() -> None:
    renamed = [{"op": "replace", "path": "/room/seats/1/name", "value": "Eva"}]
    lines = told(
        snapshot(), patch(4, {"kind": "resign", "seat": 1}), patch(5, {"kind": "back", "seat": 1}, ops=renamed)
    )
    assert lines == ["- Turn 1: Ana", "* Ben resigns; the server plays on.", "* Eva plays again."]


def test_the_games_own_events_are_the_boards_to_tell() -> None:
    assert told(snapshot(), patch(4, {"kind": "action", "seat": 0}, {"kind": "took", "seat": 0, "n": 2}))[1:] == [
        "  Ana took n 2"
    ]


def test_a_turn_gets_a_heading_once() -> None:
    other = [
        {"op": "replace", "path": "/turn/number", "value": 2},
        {"op": "replace", "path": "/turn/seats/0", "value": 1},
    ]
    assert told(snapshot(), patch(4), patch(5, ops=other), patch(6)) == ["- Turn 1: Ana", "- Turn 2: Ben"]


def test_what_came_without_its_story_is_named() -> None:
    assert told(snapshot(), snapshot(9, turn=4)) == [
        "- Turn 1: Ana",
        "! Entries 4 to 9 came as a whole, without their story.",
        "- Turn 4: Ana",
    ]
    assert told(snapshot(), snapshot()) == ["- Turn 1: Ana"]


def test_what_the_server_has_lost_is_named_and_its_actions_hold_no_more() -> None:
    story = Story()
    for message in (snapshot(), patch(4), patch(5), Turn("K7QF2M", 5, [{"type": "take", "n": 1}])):
        story.take(message)
    assert story.asks(0)
    story.take(snapshot(3))
    assert [str(line) for line in story.lines][1:] == [
        "! Entries 4 to 5 got lost at the server; the game goes on from what you see."
    ]
    assert not story.asks(0)
    assert story.actions == ()


def test_the_end_is_told_with_its_ranking_once() -> None:
    result = {"scores": [3, 11], "ranks": [2, 1], "reason": "heap"}
    over = [
        {"op": "replace", "path": "/result", "value": result},
        {"op": "replace", "path": "/room/status", "value": "finished"},
        {"op": "replace", "path": "/turn/seats", "value": []},
    ]
    story = Story()
    for message in (snapshot(), patch(4, ops=over), patch(5)):
        story.take(message)
    assert [line.text for line in story.lines[1:]] == ["The game has ended (heap).", "  1. Ben  11", "  2. Ana  3"]
    assert story.over


def test_every_room_event_of_the_protocol_has_its_words() -> None:
    events = [
        {"kind": "seated", "seat": 1, "name": "Ben"},
        {"kind": "vacated", "seat": 1},
        {"kind": "offered", "seat": 1, "policy": "greedy"},
        {"kind": "invited"},
        {"kind": "timeout", "seat": 0},
        {"kind": "undo", "seat": 0, "of": 3},
        {"kind": "resign", "seat": 0},
        {"kind": "back", "seat": 0},
        {"kind": "paused", "ms": 7000},
        {"kind": "abandoned", "reason": "nobody there"},
    ]
    lines = told(snapshot(), patch(4, *events))[1:]
    assert len(lines) == len(events)
    assert all(line.startswith("* ") for line in lines)
    assert "greedy" in lines[2]
    assert "7 seconds" in lines[8]
    assert "nobody there" in lines[9]


def test_talk_and_errors_stand_between_the_events() -> None:
    lines = told(snapshot(), chat(1, "hello"), chat(2, "hi", None), Error(None, "displaced", "another desk took over"))
    assert lines[1:] == ["> Ben: hello", "> a spectator: hi", "! another desk took over"]


def test_the_actions_hold_for_the_decision_they_were_listed_for() -> None:
    story = Story()
    story.take(snapshot())
    assert not story.asks(0)
    story.take(Turn("K7QF2M", 3, [{"type": "take"}]))
    assert story.asks(0)
    assert not story.asks(1)
    assert not story.asks(None)
    anew = [{"op": "replace", "path": "/turn/since/0", "value": 5}]
    story.take(patch(4))
    assert story.asks(0)
    story.take(patch(5, ops=anew))
    assert not story.asks(0)
    assert story.actions_state["turn"]["since"] == [3]
    story.take(Turn("K7QF2M", 5, []))
    assert story.asks(0)


def test_who_is_there_is_kept_and_every_line_is_heard() -> None:
    heard: list[str] = []
    story = Story(lambda line: heard.append(str(line)))
    story.take(snapshot())
    story.take(Presence("K7QF2M", [True, False], 2))
    story.take(chat(1, "hello"))
    assert story.presence is not None
    assert story.presence.connected == [True, False]
    assert heard == [str(line) for line in story.lines] == ["- Turn 1: Ana", "> Ben: hello"]
