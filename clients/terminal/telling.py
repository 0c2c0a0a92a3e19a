"""What happened in a room, in words: its own events (protocol section 8), the turns, the end.

What happened in the game is the board's to tell. A line says of what kind it is, so that a screen can set it apart by
a sign, and not by colour alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

from clients.terminal.games import Board, Event, State, seat_name

ABANDONED = {
    "all_served": "the server plays for everybody",
    "idle": "nobody has done anything for too long",
    "too_long": "the game took too long",
    "unattended": "nobody was there",
}
"""Why a room was abandoned, by the server's reason."""

Teller: TypeAlias = Callable[[State, Event], str | None]


class Sort(StrEnum):
    """What a line of the log is about; the value is the sign in front of it."""

    GAME = " "
    TURN = "-"
    ROOM = "*"
    CHAT = ">"
    NOTE = "!"


class Line(msgspec.Struct, frozen=True):
    """A line of the log."""

    sort: Sort
    text: str

    def __str__(self) -> str:
        return f"{self.sort.value} {self.text}"


def lines_of(board: Board, state: State, events: Sequence[Event]) -> Iterator[Line]:
    """What the events of one entry say; `state` is the one that the entry led to."""
    for event in events:
        teller = _ROOM.get(event["kind"])
        if teller is not None:
            text, sort = teller(state, event), Sort.ROOM
        else:
            text, sort = board.narrate(state, event), Sort.GAME
        if text:
            yield Line(sort, text)


def turn_line(before: State | None, state: State) -> Line | None:
    """A heading, where the state's turn is another than before."""
    turn = state["turn"]
    if turn is None or not turn["seats"]:
        return None
    old = before["turn"] if before is not None else None
    if old is not None and old["number"] == turn["number"]:
        return None
    return Line(Sort.TURN, f"Turn {turn['number']}: {', '.join(seat_name(state, seat) for seat in turn['seats'])}")


def ranking(state: State) -> list[str]:
    """The final ranking, best first; empty without a result."""
    result = state["result"]
    if result is None:
        return []
    seats = range(len(result["scores"]))
    order = sorted(seats, key=lambda seat: (result["ranks"][seat], seat))
    width = max(len(seat_name(state, seat)) for seat in seats)
    return [f"{result['ranks'][seat]}. {seat_name(state, seat):<{width}}  {result['scores'][seat]}" for seat in order]


def end_lines(before: State | None, state: State) -> Iterator[Line]:
    """What is to be said when the game ended with this state."""
    if state["result"] is not None and (before is None or before["result"] is None):
        yield Line(Sort.ROOM, f"The game has ended ({state['result']['reason']}).")
        for line in ranking(state):
            yield Line(Sort.ROOM, f"  {line}")


def _by_seat(words: str) -> Teller:
    return lambda state, event: f"{seat_name(state, event['seat'])} {words}"


def _abandoned(_state: State, event: Mapping[str, Any]) -> str:
    return f"The room is abandoned: {ABANDONED.get(event['reason'], event['reason'])}."


_ROOM: dict[str, Teller] = {
    "created": lambda _state, _event: "The room is open.",
    "seated": lambda _state, event: f"{event['name']} takes seat {event['seat'] + 1}.",
    "vacated": lambda _state, event: f"Seat {event['seat'] + 1} was given up.",
    "offered": lambda _state, event: f"Seat {event['seat'] + 1} waits for a bot ({event['policy']}).",
    "invited": lambda _state, _event: "Somebody is invited to a seat that was given up.",
    "action": lambda _state, _event: None,
    "timeout": _by_seat("is played for by the server."),
    "undo": _by_seat("takes the last action back."),
    "resign": _by_seat("resigns; the server plays on."),
    "back": _by_seat("plays again."),
    "paused": lambda _state, event: f"The clocks get {event['ms'] // 1000} seconds back.",
    "abandoned": _abandoned,
}
