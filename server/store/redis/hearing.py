"""Wake-ups: one connection to each server, on which the channels of followed rooms are subscribed to.

A server of Redis 7 or later has sharded channels, which a cluster does not spread to all its nodes; scripts publish on
them where they are (`lua/prelude.lua`), and so they are what is listened to there. A connection that was gone may have
missed something: the mailbox is told so.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from collections.abc import Callable

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import RedisError

from protocol.messages import RoomId
from server.store.mailbox import Mailbox
from server.store.redis.addresses import ask
from server.store.redis.keys import RoomKeys
from server.store.redis.link import Lost
from server.store.redis.servers import LIMIT, Server, Servers
from server.store.store import News, StoreUnavailable, Wakeup

PING_EVERY = 1.0
SILENT = 3.0
"""Seconds without any word, pongs included, after which a connection is given up."""
PAUSE = 0.1
AT_ONCE = 256

SHARDED_SINCE = 7
KINDS = frozenset(News)

Hear = Callable[[bytes | None, bytes], None]


class Hearing:
    """The followed rooms, and a connection to each server that has some."""

    def __init__(self, servers: Servers, mailbox: Mailbox) -> None:
        self._servers = servers
        self._mailbox = mailbox
        self._followed: dict[bytes, RoomKeys] = {}
        self._ears: dict[Server, _Ear] = {}
        self._closed = False

    async def follow(self, room: RoomId) -> None:
        """Hear of the room from now on.

        Raises:
            StoreUnavailable: its server can't be reached.
        """
        keys = RoomKeys(room)
        channel, known = keys.room.encode(), keys.room.encode() in self._followed
        self._followed[channel] = keys
        try:
            async with asyncio.timeout(LIMIT):
                await self._ear(self._servers.home(keys.bucket)).subscribe(channel)
        except TimeoutError:
            if not known:
                self._followed.pop(channel, None)
            raise StoreUnavailable("redis: wake-ups can't be heard") from None
        except BaseException:
            if not known:
                self._followed.pop(channel, None)
            raise

    def unfollow(self, room: RoomId) -> None:
        """Hear no more of it."""
        channel = RoomKeys(room).room.encode()
        self._mailbox.drop(room)
        if self._followed.pop(channel, None) is not None:
            for ear in self._ears.values():
                ear.unsubscribe(channel)

    def moved(self) -> None:
        """Buckets went to other servers: listen there."""
        for server, ear in tuple(self._ears.items()):
            ear.close()
            del self._ears[server]
        with contextlib.suppress(StoreUnavailable):
            for server in {self._servers.home(keys.bucket) for keys in self._followed.values()}:
                self._ear(server).missed()

    async def close(self) -> None:
        """Hear no more of anything."""
        self._closed = True
        await asyncio.gather(*(ear.closed() for ear in self._ears.values()))

    def _ear(self, server: Server) -> _Ear:
        if self._closed:
            raise StoreUnavailable("the store is closed")
        ear = self._ears.get(server)
        if ear is None:
            ear = self._ears[server] = _Ear(
                server, lambda: self._channels_of(server), self._hear, self._servers.look_again
            )
        return ear

    def _channels_of(self, server: Server) -> list[bytes]:
        return [channel for channel, keys in self._followed.items() if self._servers.home(keys.bucket) is server]

    def _hear(self, channel: bytes | None, text: bytes) -> None:
        if channel is None:
            return self._mailbox.post(Wakeup(RoomId(""), News.LOST))
        keys, (kind, _, seq) = self._followed.get(channel), text.decode().partition(" ")
        if keys is not None and kind in KINDS:  # a later version may have others
            self._mailbox.post(Wakeup(keys.id, News(kind), int(seq or 0)))
        return None


class _Ear:
    """The connection to one server. `wanted` says which channels; `hear` is told of messages, and of gaps (None)."""

    def __init__(self, server: Server, wanted: Callable[[], list[bytes]], hear: Hear, lost: Callable[[], None]) -> None:
        self._server = server
        self._wanted = wanted
        self._hear = hear
        self._lost = lost
        self._connection: AbstractConnection | None = None
        self._prefix = ""
        self._confirmed: dict[bytes, asyncio.Future[None]] = {}
        self._leaving: Counter[bytes] = Counter()
        self._missing: set[bytes] | None = None
        """After a gap: the channels that are not subscribed to yet."""
        self._to_send: list[tuple[str | bytes, ...]] = []
        self._wake = asyncio.Event()
        self._task = asyncio.ensure_future(self._listen())

    async def subscribe(self, channel: bytes) -> None:
        """Until the server has confirmed it."""
        future = self._confirmed.get(channel)
        if future is None:
            future = self._confirmed[channel] = asyncio.get_running_loop().create_future()
            self._say("SUBSCRIBE", channel)
        await asyncio.shield(future)

    def unsubscribe(self, channel: bytes) -> None:
        """Without waiting."""
        if self._confirmed.pop(channel, None) is not None and self._connection is not None:
            self._leaving[channel] += 1
            self._say("UNSUBSCRIBE", channel)

    def missed(self) -> None:
        """Something may have happened before the first connection."""
        self._missing = set()

    def close(self) -> None:
        """End the connection."""
        self._task.cancel()

    async def closed(self) -> None:
        """End the connection, and until it is ended."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    def _say(self, command: str, channel: bytes) -> None:
        """Send it with all else of this turn; what is not sent when the connection ends is sent by the next."""
        if self._connection is not None:
            self._to_send.append((self._prefix + command, channel))
            self._wake.set()

    async def _listen(self) -> None:
        """Connect, listen until it ends, and again."""
        while True:
            try:
                await self._once()
            except (RedisError, OSError, Lost, StoreUnavailable):
                self._lost()
            self._missing = set()
            await asyncio.sleep(random.uniform(PAUSE, 3 * PAUSE))  # noqa: S311 - jitter

    async def _once(self) -> None:
        connection = await self._server.dial()
        try:
            version = (await ask(connection, "INFO", "server")).partition(b"redis_version:")[2]
            self._prefix = "S" if int(version.partition(b".")[0]) >= SHARDED_SINCE else ""
            self._connection = connection
            self._subscribe_again()
            speaking = asyncio.ensure_future(self._speak(connection))
            try:
                await self._read(connection)
            finally:
                speaking.cancel()
                await asyncio.gather(speaking, return_exceptions=True)
        finally:
            self._connection = None
            await connection.disconnect(nowait=True)

    def _subscribe_again(self) -> None:
        """On a new connection: to what is wanted, and to what somebody waits for."""
        self._to_send.clear()
        self._leaving.clear()
        # Whoever waits for a confirmation goes on waiting, for this connection's.
        waiting = {channel: future for channel, future in self._confirmed.items() if not future.done()}
        self._confirmed = {c: asyncio.get_running_loop().create_future() for c in self._wanted()} | waiting
        for channel in self._confirmed:
            self._say("SUBSCRIBE", channel)
        if self._missing is not None:
            self._missing = set(self._confirmed)
            self._arrived(b"")

    async def _speak(self, connection: AbstractConnection) -> None:
        """Send what is to be said, and a ping where that is nothing."""
        while True:
            if not self._to_send:
                self._wake.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(PING_EVERY):
                        await self._wake.wait()
            commands, self._to_send = self._to_send[:AT_ONCE], self._to_send[AT_ONCE:]
            packed = connection.pack_commands(commands or [("PING",)])
            await connection.send_packed_command(packed, check_health=False)

    async def _read(self, connection: AbstractConnection) -> None:
        while True:
            try:
                async with asyncio.timeout(SILENT):
                    message = await connection.read_response(disable_decoding=True)
            except TimeoutError:
                raise Lost("silent", sent=False) from None
            match message:
                case [b"message" | b"smessage", channel, text]:
                    self._hear(channel, text)
                case [b"subscribe" | b"ssubscribe", channel, _]:
                    self._arrived(channel)
                case [b"unsubscribe" | b"sunsubscribe", channel, _]:
                    if not self._leaving[channel]:
                        raise Lost("the channel's slot went elsewhere", sent=False)
                    self._leaving[channel] -= 1
                case _:
                    pass

    def _arrived(self, channel: bytes) -> None:
        """The channel is subscribed to. When the last one is, after a gap, what was missed can be looked for."""
        future = self._confirmed.get(channel)
        if future is not None and not future.done():
            future.set_result(None)
        if self._missing is not None:
            self._missing.discard(channel)
            if not self._missing & self._confirmed.keys():
                self._missing = None
                self._hear(None, b"")
