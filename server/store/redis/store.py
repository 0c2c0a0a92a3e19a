"""The store on Redis.

What was acknowledged is as durable as the server is told to make it (`checks` warns). An append whose reply is lost is
never sent again: the journal is asked whether it has the entry.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

from redis.exceptions import AuthenticationError, RedisError

from protocol.messages import RoomId
from server.store.acceptance import check_shape
from server.store.archive import pack, unpack
from server.store.cursor import cursor_behind, position_of
from server.store.mailbox import Mailbox
from server.store.offering import drawn
from server.store.redis import keys, scripts
from server.store.redis.addresses import Place
from server.store.redis.attempt import Attempt
from server.store.redis.checks import check
from server.store.redis.hearing import Hearing
from server.store.redis.keys import BUCKETS, RoomKeys
from server.store.redis.link import Lost, Reply, TooFewReplicas
from server.store.redis.replies import entries_of, head_of, lines_of, present, text_of, waiting_of
from server.store.redis.scripts import Command
from server.store.redis.servers import Servers
from server.store.store import (
    EMPTY,
    LINES_KEPT,
    PRESENCE_GOOD_FOR,
    Append,
    Attached,
    Conflict,
    Head,
    Line,
    Listed,
    Page,
    Saved,
    Stored,
    StoreUnavailable,
    StoreUnusable,
    Sweep,
    UnknownOutcome,
    Waiting,
    Wakeup,
)

APPEND_LIMIT = 2.9
"""Seconds for an append and for finding out what became of it."""
RESOLVE_LIMIT = 0.5
"""The least of it for finding out."""
ASK_AGAIN = 0.1


def own_time() -> str:
    """Redis' own time, moved by nothing."""
    return "0"


class RedisStore:
    """Rooms in Redis. Any number of these may share it.

    `replicas`: how many have to have an entry before it is acknowledged. `time`: what scripts are told of the time
    (`lua/prelude.lua`); only tests say anything else than "0".
    """

    def __init__(self, place: Place, replicas: int = 0, time: Callable[[], str] = own_time) -> None:
        self._place = place
        self._replicas = replicas
        self._time = time
        self._mailbox = Mailbox()
        self._servers: Servers | None = None
        self._hearing: Hearing | None = None
        self._open = False

    async def open(self) -> None:
        if self._open:
            return
        if self._servers is None:
            self._servers = Servers(self._place, self._replicas, self._buckets_moved)
            self._hearing = Hearing(self._servers, self._mailbox)
        try:
            await self._servers.open()
            await check(self._servers)
        except AuthenticationError as error:
            raise StoreUnusable(f"redis: {error}") from None
        except (RedisError, OSError, Lost) as error:
            raise StoreUnavailable(f"redis: {error}") from None
        self._open = True

    async def close(self) -> None:
        self._open = False
        if self._servers and self._hearing:
            await self._hearing.close()
            await self._servers.close()
        self._mailbox.close()

    def _buckets_moved(self) -> None:
        if self._hearing and self._open:
            self._hearing.moved()

    async def now(self) -> int:
        return (await self._sweep_times())[1]

    # The journal.

    async def append(self, append: Append) -> Head:
        check_shape(append)
        attempt = Attempt(append, self._time())
        until = asyncio.get_running_loop().time() + APPEND_LIMIT
        try:
            reply = await self._ask(attempt.bucket, attempt.first(), durable=True)
            if attempt.wants_index(reply):
                async with asyncio.timeout_at(until - RESOLVE_LIMIT):
                    while attempt.wants_index(reply):
                        reply = await self._ask(attempt.bucket, attempt.again(reply), durable=True)
        except TimeoutError:
            return await self._resolve(append, until, "no reply in time")
        except Lost as doubt:
            return await self._resolve(append, until, str(doubt))
        except TooFewReplicas as error:
            raise UnknownOutcome(f"redis: {error}") from None
        return attempt.head(reply)

    async def _resolve(self, append: Append, until: float, reason: str) -> Head:
        """Find out whether an append that gave no answer happened: its last tag is nobody else's."""
        doubt = UnknownOutcome(f"redis: {reason}")
        seq = append.after.seq + len(append.entries)
        try:
            async with asyncio.timeout_at(until):
                while True:
                    found = await self._entry_at(append.room, seq)
                    if found is not None:
                        break
                    await asyncio.sleep(ASK_AGAIN)
        except TimeoutError:
            raise doubt from None
        if found.tag != append.tags[-1]:
            raise Conflict(await self.head(append.room) or EMPTY)
        return Head(seq, found.tag, found.at)

    async def _entry_at(self, room: RoomId, seq: int) -> Stored | None:
        """The entry, if the journal can be asked and has it."""
        try:
            entries = await self.read(room, seq - 1)
        except StoreUnavailable:
            return None
        return entries[0] if entries else None

    async def head(self, room: RoomId) -> Head | None:
        return (await self.heads((room,))).get(room)

    async def heads(self, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
        buckets: dict[keys.Bucket, list[RoomKeys]] = {}
        for room in map(RoomKeys, rooms):
            buckets.setdefault(room.bucket, []).append(room)
        asked = list(buckets.items())
        replies = await self._gather(
            (bucket, scripts.HEADS(tuple(room.room for room in those))) for bucket, those in asked
        )
        return {
            room.id: head_of(fields)
            for (_, those), reply in zip(asked, replies, strict=True)
            for room, fields in zip(those, reply, strict=True)
            if fields[0] is not None
        }

    async def read(self, room: RoomId, after: int = 0) -> Sequence[Stored]:
        # In this order, for entries go from the stream to the record. No script: it would take many times as long.
        where = RoomKeys(room)
        entries = entries_of(await self._call(where, ("XRANGE", where.journal, f"{after + 1}-0", "+")))
        if entries and entries[0].seq == after + 1:
            return entries
        archived = await self._call(where, ("HGET", where.room, "archived"))
        if archived is None or int(archived) <= after:
            return entries
        record = await self._call(where, ("GET", where.archive))
        if record is None:
            return ()
        packed = unpack(record)
        return (
            *(entry for entry in packed if entry.seq > after),
            *(entry for entry in entries if entry.seq > packed[-1].seq),
        )

    async def save(self, room: RoomId, saved: Saved) -> None:
        where = RoomKeys(room)
        data = zlib.compress(saved.data, 1)
        await self._call(where, scripts.SAVE((where.room, where.snapshot), saved.seq, saved.tag, data))

    async def saved(self, room: RoomId) -> Saved | None:
        where = RoomKeys(room)
        seq, tag, data = await self._call(where, ("HMGET", where.snapshot, "seq", "tag", "data"))
        return None if seq is None else Saved(int(seq), tag.decode(), zlib.decompress(data))

    # Wake-ups.

    async def follow(self, room: RoomId) -> None:
        await self._listening().follow(room)

    async def unfollow(self, room: RoomId) -> None:
        self._listening().unfollow(room)

    def wakeups(self) -> AsyncIterator[Wakeup]:
        return self._mailbox.read()

    # Finding rooms.

    async def rooms(self, game: str | None, status: str | None, cursor: str | None, limit: int) -> Page:
        below = None if cursor is None else position_of(cursor)
        lists = [(bucket, keys.listed(bucket, game, status)) for bucket in BUCKETS]
        most: int | str = "+inf" if below is None else f"({below[0]}"
        commands: list[tuple[keys.Bucket, Command]] = [
            (bucket, ("ZREVRANGEBYSCORE", key, most, "-inf", "WITHSCORES", "LIMIT", 0, limit + 1))
            for bucket, key in lists
        ]
        if below is not None:  # those made in the same millisecond, to go on in the midst of them
            commands += [(bucket, ("ZRANGEBYSCORE", key, below[0], below[0], "WITHSCORES")) for bucket, key in lists]
        found = sorted(
            {
                (int(float(score)), RoomId(room.decode()))
                for reply in await self._gather(commands)
                for room, score in zip(reply[::2], reply[1::2], strict=True)
            },
            reverse=True,
        )
        places = [place for place in found if below is None or place < below][: limit + 1]
        more = cursor_behind(*places[limit - 1]) if len(places) > limit else None
        return Page(await self._shown(places[:limit]), more)

    async def _shown(self, places: Sequence[tuple[int, RoomId]]) -> tuple[Listed, ...]:
        """What the list shows of them, save those that were removed meanwhile."""
        wheres = [RoomKeys(room) for _, room in places]
        replies = await self._gather((where.bucket, self._look(where, "listing")) for where in wheres)
        return tuple(
            Listed(room, reply[0][0], present(reply, 0).seats, created)
            for (created, room), reply in zip(places, replies, strict=True)
            if reply is not None
        )

    async def count(self) -> int:
        return sum(await self._gather((bucket, ("ZCARD", keys.living(bucket))) for bucket in BUCKETS))

    async def ids(self) -> Sequence[RoomId]:
        return await self._members(keys.due)

    async def offers(self, limit: int) -> Sequence[Waiting]:
        now = await self.now()
        replies = await self._gather(
            (bucket, ("ZRANGEBYSCORE", keys.offers(bucket), "-inf", now)) for bucket in BUCKETS
        )
        candidates = [room for reply in replies for room in reply]
        rooms = [RoomKeys(RoomId(room.decode())) for room in drawn(candidates, limit)]
        looks = await self._gather((room.bucket, self._look(room, "listing", "offers")) for room in rooms)
        found = (waiting_of(room.id, look) for room, look in zip(rooms, looks, strict=True))
        return tuple(waiting for waiting in found if waiting.offers)

    async def clocks(self) -> Sequence[RoomId]:
        return await self._members(keys.clocks)

    async def _members(self, index: Callable[[keys.Bucket], str]) -> tuple[RoomId, ...]:
        replies = await self._gather((bucket, ("ZRANGE", index(bucket), 0, -1)) for bucket in BUCKETS)
        return tuple(RoomId(room.decode()) for reply in replies for room in reply)

    # Deadlines.

    async def sweep(self, limit: int) -> Sweep:
        last, now = await self._sweep_times()
        replies = await self._gather(
            (bucket, ("ZRANGEBYSCORE", keys.due(bucket), "-inf", now, "WITHSCORES", "LIMIT", 0, limit))
            for bucket in BUCKETS
        )
        due = sorted(
            (int(float(moment)), RoomId(room.decode()))
            for reply in replies
            for room, moment in zip(reply[::2], reply[1::2], strict=True)
        )
        return Sweep(last, now, tuple(room for _, room in due[:limit]))

    async def swept(self, now: int) -> None:
        await self._sweep_times(now)

    async def _sweep_times(self, *noted: int) -> tuple[int, int]:
        """When deadlines were looked after last, and now."""
        bucket = BUCKETS[0]
        command = scripts.SWEEP((keys.in_bucket(bucket, "swept"),), self._time(), *noted)
        last, now = await self._call(bucket, command)
        return int(last), int(now)

    async def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        where = RoomKeys(room)
        moment = "" if due is None else due
        await self._call(where, scripts.REARM((where.room, keys.due(where.bucket)), room, head.seq, head.tag, moment))

    # Talk.

    async def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        where = RoomKeys(room)
        known = () if key is None else (key,)
        command = scripts.SAY((where.room, where.lines, where.said), data, LINES_KEPT, *known)
        try:
            n = await self._ask(where.bucket, command, durable=True)
        except (Lost, TooFewReplicas) as doubt:
            raise UnknownOutcome(f"redis: {doubt}") from None
        if n is None:
            raise LookupError(room)
        return int(n)

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        where = RoomKeys(room)
        return lines_of(await self._call(where, ("XRANGE", where.lines, f"{after + 1}-0", "+")))

    async def attached(self, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
        where = RoomKeys(room)
        says = f"{spectators} {','.join(map(str, sorted(seats)))}" if seats or spectators else ""
        own = (where.room, where.here, keys.offers(where.bucket))
        await self._call(where, scripts.ATTACHED(own, self._time(), node, says, PRESENCE_GOOD_FOR, room))

    async def presence(self, room: RoomId) -> Attached:
        where = RoomKeys(room)
        reply = await self._call(where, self._look(where, "seen"))
        if reply is None:
            return Attached((), 0, 0)
        return present(reply, int(reply[0][0] or 0))

    def _look(self, where: RoomKeys, *fields: str) -> Command:
        return scripts.LOOK((where.room, where.here), self._time(), *fields)

    # The end of a room.

    async def quarantine(self, room: RoomId, reason: str) -> None:
        where = RoomKeys(room)
        await self._by_game(
            where,
            lambda game: scripts.QUARANTINE((where.room, *keys.indices(where.bucket, game)), room, game, reason),
        )

    async def compact(self, room: RoomId) -> None:
        where = RoomKeys(room)
        seq, archived = await self._call(where, ("HMGET", where.room, "seq", "archived"))
        if seq == archived:  # there is no such room, or all of it is compressed
            return
        entries = await self.read(room)
        if entries:
            last, record = entries[-1], await asyncio.to_thread(pack, entries)
            await self._call(
                where, scripts.ARCHIVE((where.room, where.journal, where.archive), last.seq, last.tag, record)
            )

    async def forget(self, room: RoomId) -> None:
        where = RoomKeys(room)
        own = (where.journal, where.archive, where.snapshot, where.lines, where.said, where.here)
        first = (where.room, keys.used(where.bucket), *own)
        await self._by_game(where, lambda game: scripts.FORGET((*first, *keys.indices(where.bucket, game)), room, game))

    async def _by_game(self, where: RoomKeys, command: Callable[[str], Command]) -> None:
        """Do what needs the keys of the room's game, which has to be asked for, and may be another by then."""
        game = await self._call(where, ("HGET", where.room, "game"))
        while game is not None:
            game = await self._call(where, command(text_of(game)))

    # Asking.

    async def _call(self, where: RoomKeys | keys.Bucket, command: Command) -> Reply:
        """What may be sent again without harm: whether it happened does not matter then."""
        bucket = where.bucket if isinstance(where, RoomKeys) else where
        try:
            return await self._ask(bucket, command)
        except Lost as lost:
            raise StoreUnavailable(f"redis: {lost}") from None

    async def _gather(self, commands: Iterable[tuple[keys.Bucket, Command]]) -> list[Reply]:
        """The replies to several commands, which travel together."""
        try:
            return await self._open_servers().call_all(commands)
        except Lost as lost:
            raise StoreUnavailable(f"redis: {lost}") from None

    async def _ask(self, bucket: keys.Bucket, command: Command, *, durable: bool = False) -> Reply:
        return await self._open_servers().call(bucket, command, durable=durable)

    def _open_servers(self) -> Servers:
        if not self._open or self._servers is None:
            raise StoreUnavailable("redis: the store is not open")
        return self._servers

    def _listening(self) -> Hearing:
        if not self._open or self._hearing is None:
            raise StoreUnavailable("redis: the store is not open")
        return self._hearing
