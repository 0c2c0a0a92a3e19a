"""The seats that this person holds, kept in a file: a terminal that was closed can go back to its games.

The file is `pharos/seats.json` in the user's state directory, readable by the user alone: a token is all it takes to
play a seat. Seats of this process' bots are kept too, with their policy, and are played on when their room is entered
again. A file that can't be read or written costs the memory, not the game.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

MOST = 200
"""Seats that are remembered; the oldest go first."""


class KeptSeat(msgspec.Struct, frozen=True):
    """A seat at a server. `policy`: the bot that plays it, None for the person."""

    server: str
    room: str
    token: str
    policy: str | None = None


def default_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the seats are kept."""
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "pharos" / "seats.json"


class Kept:
    """The seats kept for one server. `path` None: for as long as the program runs."""

    def __init__(self, server: str, path: Path | None) -> None:
        self._server = server
        self._path = path
        self._seats: list[KeptSeat] = []
        self._seats = self._read()

    def own(self, room: str) -> str | None:
        """The token of the person's seat in the room."""
        return next((seat.token for seat in reversed(self._of(room)) if seat.policy is None), None)

    def bots(self, room: str) -> list[KeptSeat]:
        """The seats of bots in the room."""
        return [seat for seat in self._of(room) if seat.policy is not None]

    def keep(self, room: str, token: str, policy: str | None = None) -> None:
        """Remember a seat."""
        seat = KeptSeat(self._server, room, token, policy)
        if seat not in self._seats:
            self._seats = [*self._read(), seat][-MOST:]
            self._write()

    def drop(self, room: str, token: str | None = None) -> None:
        """Forget the seats of a room that has ended; with a token, that seat alone."""
        gone = [seat for seat in self._of(room) if token is None or seat.token == token]
        if gone:
            self._seats = [seat for seat in self._read() if seat not in gone]
            self._write()

    def _of(self, room: str) -> Sequence[KeptSeat]:
        return [seat for seat in self._seats if (seat.server, seat.room) == (self._server, room)]

    def _read(self) -> list[KeptSeat]:
        if self._path is None:
            return self._seats
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=list[KeptSeat])
        except (OSError, msgspec.DecodeError):
            return self._seats

    def _write(self) -> None:
        if self._path is None:
            return
        fresh = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(self._seats)))
            fresh.replace(self._path)
        except OSError:
            with suppress(OSError):
                fresh.unlink()
