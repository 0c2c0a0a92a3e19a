"""Wake-ups that wait for their one reader, merged by room and kind: never more than three for a followed room."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from protocol.messages import RoomId
from server.store.store import News, Wakeup


class Mailbox:
    """What one store object has to tell. To be used from the event loop only."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[RoomId, News], Wakeup] = {}
        self._changed = asyncio.Event()
        self._closed = False

    def post(self, wakeup: Wakeup) -> None:
        """Tell the reader; of one kind about one room the newest stays."""
        waiting = self._waiting.get((wakeup.room, wakeup.news))
        if waiting is None or waiting.seq < wakeup.seq:
            self._waiting[wakeup.room, wakeup.news] = wakeup
        self._changed.set()

    def drop(self, room: RoomId) -> None:
        """Take back what waits about a room."""
        for news in News:
            self._waiting.pop((room, news), None)

    def close(self) -> None:
        """Let the reader end once it has read everything."""
        self._closed = True
        self._changed.set()

    async def read(self) -> AsyncIterator[Wakeup]:
        """Every wake-up, in the order in which it was first posted."""
        while True:
            while self._waiting:
                yield self._waiting.pop(next(iter(self._waiting)))
            if self._closed:
                return
            self._changed.clear()
            await self._changed.wait()
