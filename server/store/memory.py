"""A store in the memory of one process, for tests and for trying things out: gone when the process ends.

A `Memory` is what a database is elsewhere; each `MemoryStore` is one client of it. All of them live in one event loop.
Every call lets the loop turn once before it does anything, as a call to a real store would.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from protocol.messages import RoomId
from server.store import archive
from server.store.acceptance import accept, check_shape
from server.store.cursor import cursor_behind, position_of
from server.store.mailbox import Mailbox
from server.store.offering import drawn, waiting
from server.store.store import (
    EMPTY,
    ENDED,
    LINES_KEPT,
    PRESENCE_GOOD_FOR,
    Append,
    Attached,
    Conflict,
    Head,
    Index,
    Line,
    Listed,
    News,
    Page,
    Saved,
    Stored,
    StoreUnavailable,
    Sweep,
    Waiting,
    Wakeup,
    wall_clock,
)


@dataclass
class _Presence:
    seats: tuple[int, ...]
    spectators: int
    at: int


@dataclass
class _Room:
    index: Index
    created: int
    entries: list[Stored] = field(default_factory=list)
    archive: bytes | None = None
    head: Head = EMPTY
    due: int | None = None
    saved: Saved | None = None
    lines: deque[tuple[Line, str | None]] = field(default_factory=lambda: deque(maxlen=LINES_KEPT))
    said: int = 0
    presence: dict[str, _Presence] = field(default_factory=dict)
    seen: int = 0
    quarantined: str | None = None

    def journal(self) -> tuple[Stored, ...]:
        return (archive.unpack(self.archive) if self.archive else ()) + tuple(self.entries)

    def connected(self, now: int) -> tuple[int, ...]:
        return tuple(sorted({seat for record in self.good(now) for seat in record.seats}))

    def good(self, now: int) -> Iterator[_Presence]:
        return (record for record in self.presence.values() if abs(now - record.at) < PRESENCE_GOOD_FOR)


class Memory:
    """The rooms that several `MemoryStore`s share."""

    def __init__(self, clock: Callable[[], int] = wall_clock) -> None:
        self.clock = clock
        self.rooms: dict[RoomId, _Room] = {}
        self.used: set[RoomId] = set()
        self.swept = 0
        self.followers: dict[RoomId, set[Mailbox]] = {}

    def tell(self, wakeup: Wakeup) -> None:
        """Wake everybody who follows the room."""
        for mailbox in self.followers.get(wakeup.room, ()):
            mailbox.post(wakeup)

    def living(self) -> Iterator[tuple[RoomId, _Room]]:
        """The rooms that are not set aside."""
        return ((name, room) for name, room in self.rooms.items() if room.quarantined is None)


class MemoryStore:
    """One client of a `Memory`; without one, the only client of its own."""

    def __init__(self, memory: Memory | None = None) -> None:
        self._memory = memory or Memory()
        self._mailbox = Mailbox()
        self._followed: set[RoomId] = set()
        self._closed = False

    async def open(self) -> None:
        await self._travel()

    async def close(self) -> None:
        for room in tuple(self._followed):
            await self.unfollow(room)
        self._closed = True
        self._mailbox.close()

    async def now(self) -> int:
        await self._travel()
        return self._memory.clock()

    async def append(self, append: Append) -> Head:
        check_shape(append)
        await self._travel()
        room = self._memory.rooms.get(append.room)
        head, quarantined = (room.head, room.quarantined) if room else (None, None)
        entries = accept(append, head, quarantined, self._memory.clock())
        last = entries[-1]
        if room is None:
            if append.room in self._memory.used:
                raise Conflict(EMPTY)
            room = _Room(append.index, append.index.created or last.at)
            self._memory.rooms[append.room] = room
        room.entries.extend(entries)
        room.index = append.index
        room.head = Head(last.seq, last.tag, last.at)
        room.due = None if append.index.due is None else last.at + append.index.due
        self._memory.tell(Wakeup(append.room, News.ENTRY, last.seq))
        return room.head

    async def head(self, room: RoomId) -> Head | None:
        return (await self.heads((room,))).get(room)

    async def heads(self, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
        await self._travel()
        return {room: self._memory.rooms[room].head for room in rooms if room in self._memory.rooms}

    async def read(self, room: RoomId, after: int = 0) -> Sequence[Stored]:
        found = await self._find(room)
        return tuple(entry for entry in found.journal() if entry.seq > after) if found else ()

    async def save(self, room: RoomId, saved: Saved) -> None:
        found = await self._find(room)
        if found and (found.saved is None or found.saved.seq <= saved.seq):
            found.saved = saved

    async def saved(self, room: RoomId) -> Saved | None:
        found = await self._find(room)
        return found.saved if found else None

    async def follow(self, room: RoomId) -> None:
        await self._travel()
        self._followed.add(room)
        self._memory.followers.setdefault(room, set()).add(self._mailbox)

    async def unfollow(self, room: RoomId) -> None:
        await self._travel()
        self._followed.discard(room)
        self._mailbox.drop(room)
        followers = self._memory.followers.get(room, set())
        followers.discard(self._mailbox)
        if not followers:
            self._memory.followers.pop(room, None)

    def wakeups(self) -> AsyncIterator[Wakeup]:
        return self._mailbox.read()

    async def rooms(self, game: str | None, status: str | None, cursor: str | None, limit: int) -> Page:
        below = None if cursor is None else position_of(cursor)
        await self._travel()
        wanted = sorted(
            (
                (room.created, name)
                for name, room in self._memory.living()
                if room.index.public and game in (None, room.index.game) and status in (None, room.index.status)
            ),
            reverse=True,
        )
        found = [place for place in wanted if below is None or place < below][: limit + 1]
        more = cursor_behind(*found[limit - 1]) if len(found) > limit else None
        return Page(tuple(self._listed(name) for _, name in found[:limit]), more)

    def _listed(self, name: RoomId) -> Listed:
        room = self._memory.rooms[name]
        return Listed(name, room.index.listing, room.connected(self._memory.clock()), room.created)

    async def count(self) -> int:
        await self._travel()
        return sum(room.index.status not in ENDED for _, room in self._memory.living())

    async def ids(self) -> Sequence[RoomId]:
        await self._travel()
        return tuple(name for name, _ in self._memory.living())

    async def offers(self, limit: int) -> Sequence[Waiting]:
        await self._travel()
        now = self._memory.clock()
        offering = ((name, room) for name, room in self._memory.living() if room.index.offers)
        found = [
            Waiting(name, room.index.listing, offers)
            for name, room in offering
            if (offers := waiting(room.index.offers, room.connected(now)))
        ]
        return tuple(drawn(found, limit))

    async def clocks(self) -> Sequence[RoomId]:
        await self._travel()
        return tuple(name for name, room in self._memory.living() if room.index.clock)

    async def sweep(self, limit: int) -> Sweep:
        await self._travel()
        now = self._memory.clock()
        due = sorted((room.due, name) for name, room in self._memory.living() if room.due is not None)
        return Sweep(self._memory.swept, now, tuple(name for moment, name in islice(due, limit) if moment <= now))

    async def swept(self, now: int) -> None:
        await self._travel()
        self._memory.swept = min(max(self._memory.swept, now), self._memory.clock())

    async def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        found = await self._find(room)
        if found and (found.head.seq, found.head.tag) == (head.seq, head.tag):
            found.due = due

    async def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        found = await self._find(room)
        if found is None:
            raise LookupError(room)
        for line, known in found.lines:
            if key is not None and known == key:
                return line.n
        found.said += 1
        found.lines.append((Line(found.said, data), key))
        self._memory.tell(Wakeup(room, News.CHAT))
        return found.said

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        found = await self._find(room)
        return tuple(line for line, _ in found.lines if line.n > after) if found else ()

    async def attached(self, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
        found = await self._find(room)
        if found is None:
            return
        now = self._memory.clock()
        before = found.presence.get(node)
        good = before is not None and now - before.at < PRESENCE_GOOD_FOR
        record = _Presence(tuple(sorted(seats)), spectators, now)
        if record.seats or spectators:
            found.presence[node] = record
            changed = before is None or not good or (before.seats, before.spectators) != (record.seats, spectators)
        else:
            found.presence.pop(node, None)
            changed = good
        if changed or good:
            found.seen = max(found.seen, now)
        if changed:
            self._memory.tell(Wakeup(room, News.PRESENCE))

    async def presence(self, room: RoomId) -> Attached:
        found = await self._find(room)
        if found is None:
            return Attached((), 0, 0)
        now = self._memory.clock()
        return Attached(found.connected(now), sum(record.spectators for record in found.good(now)), found.seen)

    async def quarantine(self, room: RoomId, reason: str) -> None:
        found = await self._find(room)
        if found and found.quarantined is None:
            found.quarantined = reason

    async def compact(self, room: RoomId) -> None:
        found = await self._find(room)
        if found and found.entries:
            found.archive = archive.pack(found.journal())
            found.entries.clear()

    async def forget(self, room: RoomId) -> None:
        await self._travel()
        if self._memory.rooms.pop(room, None):
            self._memory.used.add(room)

    async def _find(self, room: RoomId) -> _Room | None:
        await self._travel()
        return self._memory.rooms.get(room)

    async def _travel(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        await asyncio.sleep(0)
