"""Stores on Redis under load, and what they were told meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from protocol.messages import RoomId
from server.store.redis import RedisStore, read_url
from server.store.store import EMPTY, Conflict, NotInTime, Store, StoreUnavailable, UnknownOutcome, wall_clock
from tests.processes import PATIENCE
from tests.store.contract import of

BOUND = 10
"""Seconds within which every call has to end: the contract's 3, and some for a busy machine. Without a limit of ours
a call would end after a minute, or never."""


@asynccontextmanager
async def opened(url: str, replicas: int = 0) -> AsyncIterator[RedisStore]:
    store = RedisStore(read_url(url), replicas)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def recovered(store: Store) -> None:
    """Wait until the store serves again, by itself."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await store.now()
            except StoreUnavailable:
                await asyncio.sleep(0.05)
            else:
                return


class Load:
    """Rooms that grow as fast as they can, and what was acknowledged of them."""

    def __init__(self, store: Store, rooms: int) -> None:
        self._store = store
        self.acknowledged: dict[RoomId, list[str]] = {RoomId(f"LOAD{n:02}"): [] for n in range(rooms)}
        self.failures: list[Exception] = []
        self.longest = 0.0
        self.lied = False
        """Something was told as a conflict, and yet it happened."""
        self._progress = asyncio.Event()
        self._tasks = [asyncio.create_task(self._grow(room)) for room in self.acknowledged]

    async def _grow(self, room: RoomId) -> None:
        head = EMPTY
        while True:
            append = msgspec.structs.replace(of(room, head), not_after=wall_clock() + 3000)
            begun = time.monotonic()
            try:
                head = await self._store.append(append)
            except Conflict as conflict:
                head = conflict.head
                self.lied |= head.tag == append.tags[0]
            except (StoreUnavailable, UnknownOutcome, NotInTime) as error:
                self.failures.append(error)
                await asyncio.sleep(0.02)
            else:
                self.acknowledged[room].append(head.tag)
                self._progress.set()
            self.longest = max(self.longest, time.monotonic() - begun)

    @property
    def done(self) -> int:
        return sum(map(len, self.acknowledged.values()))

    async def more(self, entries: int) -> None:
        """Until so many more were acknowledged."""
        wanted = self.done + entries
        async with asyncio.timeout(PATIENCE):
            while self.done < wanted:
                self._progress.clear()
                await self._progress.wait()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        for ended in await asyncio.gather(*self._tasks, return_exceptions=True):
            assert isinstance(ended, asyncio.CancelledError), ended

    async def check(self) -> None:
        """What was acknowledged is there, once, in order; what was not may be there, once."""
        assert not self.lied
        for room, tags in self.acknowledged.items():
            journal = [entry.tag for entry in await self._store.read(room)]
            assert len(set(journal)) == len(journal)
            assert [tag for tag in journal if tag in set(tags)] == tags
