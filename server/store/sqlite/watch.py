"""What happened to followed rooms, by one's own doing or another process's. Used in the writer's thread only.

One's own transactions say what they changed. That another process committed is seen by SQLite's `data_version`, asked
for only while something is followed: every 50 ms, and more often right after something was seen. Then the followed
rooms' marks are compared with the known ones. So nothing is written for the sake of wake-ups, and none is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from protocol.messages import RoomId
from server.store.sqlite import reads
from server.store.sqlite.writes import Changes, Transaction
from server.store.store import News, Wakeup

RESTING = 0.05
BUSY = 0.002
_SHARE = 20


class Watch:
    """The followed rooms of one store object and what it knows of them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: Changes = {}
        self._followed: set[RoomId] = set()
        self._version: int | None = None
        self._next = 0.0
        self._seen = 0.0

    def follow(self, transaction: Transaction, room: RoomId) -> None:
        """Hear of what happens to the room after this transaction."""
        self._followed.add(room)
        for key, mark in reads.marks(transaction, (room,)).items():
            self._known.setdefault(key, mark)

    def unfollow(self, _transaction: Transaction, room: RoomId) -> None:
        """Hear no more of it."""
        self._followed.discard(room)
        for news in News:
            self._known.pop((room, news), None)

    def pause(self) -> float | None:
        """How long to wait before the next look, in seconds; 0: it is time. None: nothing is followed."""
        return max(0.0, self._next - self._monotonic()) if self._followed else None

    def committed(self, changes: Changes) -> list[Wakeup]:
        """Wake-ups about what a transaction of one's own changed."""
        return [self._note(room, news, mark) for (room, news), mark in changes.items() if room in self._followed]

    def look(self, transaction: Transaction) -> list[Wakeup]:
        """Wake-ups about what other processes changed since the last look."""
        begun = self._monotonic()
        version = transaction.connection.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            self.put_off(0.0)
            return []
        marks = reads.marks(transaction, tuple(self._followed))
        changed = [
            (room, news, mark) for (room, news), mark in marks.items() if self._known.get((room, news), 0) != mark
        ]
        self._version = version
        self._seen = self._monotonic()
        self.put_off(self._seen - begun)
        return [self._note(*change) for change in changed]

    def put_off(self, took: float) -> None:
        """Set the time of the next look, after one that took so many seconds: looking takes a twentieth of all time."""
        now = self._monotonic()
        self._next = now + max(_SHARE * took, min(RESTING, max(BUSY, (now - self._seen) / 4)))

    def forget_version(self) -> None:
        """Another connection took the place of the one asked so far."""
        self._version = None

    def _note(self, room: RoomId, news: News, mark: Hashable) -> Wakeup:
        self._known[room, news] = mark
        return Wakeup(room, news, mark[0] if isinstance(mark, tuple) else 0)
