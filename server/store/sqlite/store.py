"""The store on SQLite, on the side of the event loop: one lane writes, one reads."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from protocol.messages import RoomId
from server.store.acceptance import check_shape
from server.store.archive import pack
from server.store.cursor import position_of
from server.store.mailbox import Mailbox
from server.store.sqlite import reads, schema, writes
from server.store.sqlite.lane import Lane, Manner
from server.store.sqlite.writes import Transaction
from server.store.store import (
    Append,
    Attached,
    Conflict,
    Head,
    Line,
    Page,
    Saved,
    Stored,
    StoreUnavailable,
    Sweep,
    UnknownOutcome,
    Waiting,
    Wakeup,
    wall_clock,
)

P = ParamSpec("P")
T = TypeVar("T")

# An append that is in doubt is asked after: both together stay below the 3 s of the contract.
WRITES = Manner("BEGIN IMMEDIATE", overdue=UnknownOutcome, limit=2.4)
READS = Manner("BEGIN", overdue=StoreUnavailable, limit=2.8)
RESOLVE_LIMIT = 0.5


class SqliteStore:
    """Rooms in one file. Any number of these, also in several processes of one host, may share it."""

    def __init__(self, path: str | Path, clock: Callable[[], int] = wall_clock) -> None:
        self._path = Path(path)
        self._clock = clock
        self._mailbox = Mailbox()
        self._followed: set[RoomId] = set()
        self._writer: Lane | None = None
        self._reader: Lane | None = None

    async def open(self) -> None:
        if self._writer:
            return
        try:
            await asyncio.wait_for(asyncio.to_thread(schema.prepare, self._path), READS.limit)
        except TimeoutError:
            raise StoreUnavailable(f"{self._path}: locked or too slow") from None
        self._writer = Lane(self._path, self._clock, WRITES, self._hear)
        self._reader = Lane(self._path, self._clock, READS, self._hear)

    async def close(self) -> None:
        for lane in (self._writer, self._reader):
            if lane:
                await lane.close(READS.limit)
        self._mailbox.close()

    async def now(self) -> int:
        return await self._read(reads.now)

    async def append(self, append: Append) -> Head:
        check_shape(append)
        try:
            return await self._send(writes.append, append)
        except UnknownOutcome as doubt:
            return await self._resolve(append, doubt)

    async def _resolve(self, append: Append, doubt: UnknownOutcome) -> Head:
        """Find out whether an append that gave no answer happened: its last tag is nobody else's."""
        seq = append.after.seq + len(append.entries)
        try:
            entries = await asyncio.wait_for(self._read(reads.journal, append.room, seq - 1), RESOLVE_LIMIT)
        except (TimeoutError, StoreUnavailable):
            raise doubt from None
        if not entries:
            raise doubt
        if entries[0].tag != append.tags[-1]:
            raise Conflict(Head(entries[-1].seq, entries[-1].tag, entries[-1].at))
        return Head(seq, entries[0].tag, entries[0].at)

    async def head(self, room: RoomId) -> Head | None:
        return (await self.heads((room,))).get(room)

    async def heads(self, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
        return await self._read(reads.heads, rooms)

    async def read(self, room: RoomId, after: int = 0) -> Sequence[Stored]:
        return await self._read(reads.journal, room, after)

    async def save(self, room: RoomId, saved: Saved) -> None:
        await self._write(writes.save, room, saved)

    async def saved(self, room: RoomId) -> Saved | None:
        return await self._read(reads.saved, room)

    async def follow(self, room: RoomId) -> None:
        writer, before = self._open(self._writer), room in self._followed
        self._followed.add(room)  # ahead of the reply: a wake-up may come close behind it
        try:
            await self._write(writer.watch.follow, room)
        except StoreUnavailable:
            if not before:
                self._followed.discard(room)
            raise

    async def unfollow(self, room: RoomId) -> None:
        writer = self._open(self._writer)
        self._followed.discard(room)
        self._mailbox.drop(room)
        with contextlib.suppress(StoreUnavailable):  # what the writer still hears of it ends in `_hear`
            await self._write(writer.watch.unfollow, room)

    def wakeups(self) -> AsyncIterator[Wakeup]:
        return self._mailbox.read()

    def _hear(self, wakeups: Sequence[Wakeup]) -> None:
        for wakeup in wakeups:
            if wakeup.room in self._followed:
                self._mailbox.post(wakeup)

    async def rooms(self, game: str | None, status: str | None, cursor: str | None, limit: int) -> Page:
        below = None if cursor is None else position_of(cursor)
        return await self._read(reads.rooms, reads.Wanted(game, status, below, limit))

    async def count(self) -> int:
        return await self._read(reads.count)

    async def ids(self) -> Sequence[RoomId]:
        return await self._read(reads.ids)

    async def offers(self, limit: int) -> Sequence[Waiting]:
        return await self._read(reads.offers, limit)

    async def clocks(self) -> Sequence[RoomId]:
        return await self._read(reads.clocks)

    async def sweep(self, limit: int) -> Sweep:
        return await self._read(reads.sweep, limit)

    async def swept(self, now: int) -> None:
        await self._write(writes.swept, now)

    async def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        await self._write(writes.rearm, room, head, due)

    async def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        return await self._send(writes.say, room, data, key)

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        return await self._read(reads.lines, room, after)

    async def attached(self, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
        await self._write(writes.attached, room, node, seats, spectators)

    async def presence(self, room: RoomId) -> Attached:
        return await self._read(reads.presence, room)

    async def quarantine(self, room: RoomId, reason: str) -> None:
        await self._write(writes.quarantine, room, reason)

    async def compact(self, room: RoomId) -> None:
        packed = await self._read(_packed, room)
        if packed:
            await self._write(writes.archive, room, *packed)

    async def forget(self, room: RoomId) -> None:
        await self._write(writes.forget, room)

    async def _read(self, function: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._open(self._reader).call(lambda transaction: function(transaction, *args, **kwargs))

    async def _send(self, function: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._open(self._writer).call(lambda transaction: function(transaction, *args, **kwargs))

    async def _write(self, function: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What may be sent again without harm: whether it happened does not matter then."""
        try:
            return await self._send(function, *args, **kwargs)
        except UnknownOutcome as doubt:
            raise StoreUnavailable(str(doubt)) from None

    def _open(self, lane: Lane | None) -> Lane:
        if lane is None:
            raise StoreUnavailable(f"{self._path}: not open")
        return lane


def _packed(transaction: Transaction, room: RoomId) -> tuple[int, bytes] | None:
    """The whole journal as one record, and its last seq, unless it is one already.

    It is made in the reader's thread, for it may be large.
    """
    if not reads.grew(transaction, room):
        return None
    entries = reads.journal(transaction, room, 0)
    return (entries[-1].seq, pack(entries)) if entries else None
