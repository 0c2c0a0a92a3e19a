"""What happened to followed rooms, by one's own doing or another process's. Used in the writer's thread only.

One's own transactions say what they changed. That another process committed is seen by SQLite's `data_version`, asked
for every 50 ms and only while something is followed; then the followed rooms' marks are compared with the known ones.
So nothing is written for the sake of wake-ups, and none is lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable

from protocol.messages import RoomId
from server.store.sqlite import reads
from server.store.sqlite.writes import Changes, Transaction
from server.store.store import News, Wakeup

INTERVAL = 0.05
_SHARE = 20


class Watch:
    """The followed rooms of one store object and what it knows of them."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: Changes = {}
        self._followed: set[RoomId] = set()
        self._version: int | None = None
        self._next = 0.0

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
        """How long to wait before the next look, in seconds; None: nothing is followed."""
        return max(0.0, self._next - self._monotonic()) if self._followed else None

    def committed(self, changes: Changes) -> list[Wakeup]:
        """Wake-ups about what a transaction of one's own changed."""
        return [self._note(room, news, mark) for (room, news), mark in changes.items() if room in self._followed]

    def look(self, transaction: Transaction) -> list[Wakeup]:
        """Wake-ups about what other processes changed, if it is time to look and there is anything."""
        begun = self._monotonic()
        if not self._followed or begun < self._next:
            return []
        version = transaction.connection.execute("PRAGMA data_version").fetchone()[0]
        wakeups: list[Wakeup] = []
        if version != self._version:
            marks = reads.marks(transaction, tuple(self._followed))
            changed = {key: mark for key, mark in marks.items() if self._known.get(key, 0) != mark}
            wakeups = [self._note(room, news, mark) for (room, news), mark in changed.items()]
            self._version = version
        ended = self._monotonic()
        self._next = ended + max(INTERVAL, _SHARE * (ended - begun))
        return wakeups

    def forget_version(self) -> None:
        """Another connection took the place of the one asked so far."""
        self._version = None

    def _note(self, room: RoomId, news: News, mark: Hashable) -> Wakeup:
        self._known[room, news] = mark
        return Wakeup(room, news, mark[0] if isinstance(mark, tuple) else 0)
