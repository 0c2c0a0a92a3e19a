"""A store that fails on command, around a real one.

- `away`: every call raises `StoreUnavailable`; `full`: every one that writes.
- `fail(...)`: what becomes of the next appends (or lines of chat), one fault each.
- `hold()` and `release()`: appends wait before they happen; `arrived(n)` returns once n of them do.
- `delay`: seconds that every call takes beforehand.
- `deaf`: wake-ups are lost; `lose()` says that some were.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from enum import StrEnum

from protocol.messages import RoomId
from server.store.store import (
    Append,
    Attached,
    Head,
    Line,
    News,
    Page,
    Saved,
    Store,
    Stored,
    StoreUnavailable,
    Sweep,
    UnknownOutcome,
    Waiting,
    Wakeup,
)

WRITING = frozenset({"append", "save", "swept", "rearm", "say", "attached", "quarantine", "compact", "forget"})


class Fault(StrEnum):
    """What becomes of a write."""

    REFUSED = "refused"
    """Nothing happens; `StoreUnavailable`."""
    LOST = "lost"
    """Nothing happens, and nobody can tell: `UnknownOutcome`."""
    REPLY_LOST = "reply lost"
    """It happens, and nobody can tell: `UnknownOutcome`."""
    REPLY_LOST_REFUSED = "reply lost, refused"
    """It happens, and the store claims that it did not: what no store may do, to see who would notice."""


class FaultyStore:
    """A store around another. `calls` lists the names of all calls that came."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.away = self.full = False
        self.delay = 0.0
        self.deaf = False
        self.calls: list[str] = []
        self._faults: deque[Fault] = deque()
        self._gate = asyncio.Event()
        self._gate.set()
        self._waiting = 0
        self._changed = asyncio.Condition()
        self._lost = asyncio.Event()

    def fail(self, *faults: Fault) -> None:
        """Let the next writes go wrong, one fault each."""
        self._faults.extend(faults)

    def hold(self) -> None:
        """Let appends wait before they happen."""
        self._gate.clear()

    def release(self) -> None:
        """Let those that wait happen."""
        self._gate.set()

    async def arrived(self, count: int) -> None:
        """Return once so many appends wait."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._waiting >= count)

    def lose(self) -> None:
        """Say that wake-ups may have been lost."""
        self._lost.set()

    async def _reach(self, call: str) -> Store:
        self.calls.append(call)
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.away or (self.full and call in WRITING):
            raise StoreUnavailable("the store is away")
        return self.store

    async def _wait(self) -> None:
        async with self._changed:
            self._waiting += 1
            self._changed.notify_all()
        try:
            await self._gate.wait()
        finally:
            self._waiting -= 1

    async def open(self) -> None:
        await (await self._reach("open")).open()

    async def close(self) -> None:
        await self.store.close()

    async def now(self) -> int:
        return await (await self._reach("now")).now()

    async def append(self, append: Append) -> Head:
        await self._wait()
        store, fault = await self._reach("append"), self._fault()
        if fault in {Fault.REFUSED, Fault.LOST}:
            raise _error(fault)
        head = await store.append(append)
        if fault:
            raise _error(fault)
        return head

    def _fault(self) -> Fault | None:
        return self._faults.popleft() if self._faults else None

    async def head(self, room: RoomId) -> Head | None:
        return await (await self._reach("head")).head(room)

    async def heads(self, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
        return await (await self._reach("heads")).heads(rooms)

    async def read(self, room: RoomId, after: int = 0) -> Sequence[Stored]:
        return await (await self._reach("read")).read(room, after)

    async def save(self, room: RoomId, saved: Saved) -> None:
        await (await self._reach("save")).save(room, saved)

    async def saved(self, room: RoomId) -> Saved | None:
        return await (await self._reach("saved")).saved(room)

    async def follow(self, room: RoomId) -> None:
        await (await self._reach("follow")).follow(room)

    async def unfollow(self, room: RoomId) -> None:
        await (await self._reach("unfollow")).unfollow(room)

    async def wakeups(self) -> AsyncIterator[Wakeup]:
        news = aiter(self.store.wakeups())
        heard = asyncio.ensure_future(anext(news))
        lost = asyncio.ensure_future(self._lost.wait())
        try:
            while True:
                done, _ = await asyncio.wait((heard, lost), return_when=asyncio.FIRST_COMPLETED)
                if lost in done:
                    self._lost.clear()
                    lost = asyncio.ensure_future(self._lost.wait())
                    yield Wakeup(RoomId(""), News.LOST)
                if heard in done:
                    try:
                        wakeup = heard.result()
                    except StopAsyncIteration:
                        return
                    heard = asyncio.ensure_future(anext(news))
                    if not self.deaf:
                        yield wakeup
        finally:
            lost.cancel()
            heard.cancel()

    async def rooms(self, game: str | None, status: str | None, cursor: str | None, limit: int) -> Page:
        return await (await self._reach("rooms")).rooms(game, status, cursor, limit)

    async def count(self) -> int:
        return await (await self._reach("count")).count()

    async def ids(self) -> Sequence[RoomId]:
        return await (await self._reach("ids")).ids()

    async def offers(self, limit: int) -> Sequence[Waiting]:
        return await (await self._reach("offers")).offers(limit)

    async def clocks(self) -> Sequence[RoomId]:
        return await (await self._reach("clocks")).clocks()

    async def sweep(self, limit: int) -> Sweep:
        return await (await self._reach("sweep")).sweep(limit)

    async def swept(self, now: int) -> None:
        await (await self._reach("swept")).swept(now)

    async def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        await (await self._reach("rearm")).rearm(room, head, due)

    async def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        store, fault = await self._reach("say"), self._fault()
        if fault in {Fault.REFUSED, Fault.LOST}:
            raise _error(fault)
        n = await store.say(room, data, key)
        if fault:
            raise _error(fault)
        return n

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        return await (await self._reach("lines")).lines(room, after)

    async def attached(self, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
        await (await self._reach("attached")).attached(room, node, seats, spectators)

    async def presence(self, room: RoomId) -> Attached:
        return await (await self._reach("presence")).presence(room)

    async def quarantine(self, room: RoomId, reason: str) -> None:
        await (await self._reach("quarantine")).quarantine(room, reason)

    async def compact(self, room: RoomId) -> None:
        await (await self._reach("compact")).compact(room)

    async def forget(self, room: RoomId) -> None:
        await (await self._reach("forget")).forget(room)


def _error(fault: Fault) -> Exception:
    if fault in {Fault.REFUSED, Fault.REPLY_LOST_REFUSED}:
        return StoreUnavailable("the store refuses writes")
    return UnknownOutcome("no reply")
