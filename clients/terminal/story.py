"""A room as one viewer has been told of it, frame by frame: the state, and the log of everything said and done.

Rules that hold here:

1. An event is told with the state that its own entry led to, not with a later one that has come in meanwhile.
2. No line is told twice, and what could not be told (the server sent a whole state in place of entries) is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from clients.room import Told
from clients.terminal.games import Board, State, board_of
from clients.terminal.telling import Line, Sort, end_lines, lines_of, turn_line
from protocol.messages import ChatLine, Error, Patch, Presence, Snapshot, Turn
from protocol.patch import apply


class Story:
    """What was told of one room. `heard` is called with every new line."""

    def __init__(self, heard: Callable[[Line], None] = lambda _line: None) -> None:
        self.state: State | None = None
        self.seq = 0
        self.actions: Sequence[Mapping[str, Any]] = ()
        self.actions_seq = 0
        """The entry that the actions were listed at."""
        self.actions_state: State = {}
        """The state that the actions were listed for, with which they are to be described."""
        self.presence: Presence | None = None
        self.lines: list[Line] = []
        self._heard = heard
        self._board: Board | None = None

    @property
    def board(self) -> Board:
        """How the room's game looks."""
        if self._board is None:
            self._board = board_of(str(self.state["room"]["game"]) if self.state else "")
        return self._board

    @property
    def over(self) -> bool:
        """Whether the room has ended."""
        return self.state is not None and self.state["room"]["status"] in ("finished", "abandoned")

    def asks(self, seat: int | None) -> bool:
        """Whether the seat has to decide, and its actions are those of the present decision."""
        turn = self.state["turn"] if self.state is not None else None
        if turn is None or seat not in turn["seats"]:
            return False
        return bool(turn["since"][turn["seats"].index(seat)] <= self.actions_seq)

    def take(self, message: Told) -> None:
        """Hear a frame of the room."""
        match message:
            case Snapshot():
                self._leap(message)
            case Patch():
                self._step(message)
            case Turn():
                self.actions, self.actions_seq = message.actions, message.seq
                self.actions_state = self.state or {}
            case Presence():
                self.presence = message
            case ChatLine():
                self.say(Sort.CHAT, f"{message.name or 'a spectator'}: {message.text}")
            case Error():
                self.say(Sort.NOTE, message.message)

    def say(self, sort: Sort, text: str) -> None:
        """Add a line to the log."""
        self._add(Line(sort, text))

    def _leap(self, snapshot: Snapshot) -> None:
        before, self.state = self.state, snapshot.state
        if before is not None and snapshot.seq < self.seq:
            lost = f"Entries {snapshot.seq + 1} to {self.seq}" if snapshot.seq + 1 < self.seq else f"Entry {self.seq}"
            self.say(Sort.NOTE, f"{lost} got lost at the server; the game goes on from what you see.")
        if self.actions_seq > snapshot.seq:  # they were those of a state that is no more
            self.actions, self.actions_seq = (), 0
        if before is not None and snapshot.seq > self.seq:
            self.say(Sort.NOTE, f"Entries {self.seq + 1} to {snapshot.seq} came as a whole, without their story.")
        self.seq = snapshot.seq
        self._tell_turn_and_end(before)

    def _step(self, patch: Patch) -> None:
        if self.state is None:
            return
        before, self.seq = self.state, patch.seq
        self.state = cast("State", apply(before, patch.ops))
        for line in lines_of(self.board, self.state, patch.events):
            self._add(line)
        self._tell_turn_and_end(before)

    def _tell_turn_and_end(self, before: State | None) -> None:
        if self.state is None:
            return
        heading = turn_line(before, self.state)
        if heading is not None:
            self._add(heading)
        for line in end_lines(before, self.state):
            self._add(line)

    def _add(self, line: Line) -> None:
        self.lines.append(line)
        self._heard(line)
