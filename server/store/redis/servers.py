"""Which server has which bucket, and what its answers mean.

A single server has all of them; so has the primary that Sentinels name, asked anew for every connection; on a cluster
they lie where its map of slots says. A command that a server refuses has done nothing there: one that is sent elsewhere
(MOVED, ASK), or again with its script in full (NOSCRIPT), is sent for the first time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import NamedTuple

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import (
    AskError,
    AuthenticationError,
    ClusterDownError,
    MovedError,
    NoPermissionError,
    NoScriptError,
    RedisError,
    ResponseError,
)

from server.store.redis.addresses import CONNECT_LIMIT, Address, Place, Shape, ask, connect
from server.store.redis.keys import BUCKETS, Bucket, slot_of
from server.store.redis.link import Link, Lost, Reply, heard
from server.store.redis.scripts import SCRIPTS, Command, in_full
from server.store.store import StoreUnavailable

DURABLE_LIMIT = 2.3
LIMIT = 2.7
"""Seconds for a command and its reply. One that is to be durable is asked after when its reply is lost: less for it."""
SENTINEL_LIMIT = 0.5
"""Seconds for one Sentinel to name the primary, before the next one is asked."""
REDIRECTS = 5
REFRESH_EVERY = 0.5


class Server:
    """One primary: a link for what is to be durable (it may have to wait for replicas), and one for all else."""

    def __init__(self, locate: Callable[[], Awaitable[Address]], place: Place, replicas: int) -> None:
        self._locate = locate
        self._place = place
        self._durable = Link(self.dial, DURABLE_LIMIT, replicas)
        self._other = Link(self.dial, LIMIT)

    def link(self, *, durable: bool) -> Link:
        """The link for a command."""
        return self._durable if durable else self._other

    async def dial(self) -> AbstractConnection:
        """A connection to the primary, which knows the scripts and is ready to serve.

        Raises:
            RedisError, OSError, Lost: there is none.
        """
        address = await self._locate()
        connection = await connect(self._place, address)
        try:
            async with asyncio.timeout(CONNECT_LIMIT):
                await _see_that_it_serves(connection, address)
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        return connection

    def cut(self, reason: str) -> None:
        """End both connections."""
        self._durable.cut(reason)
        self._other.cut(reason)

    async def close(self) -> None:
        """Wait for what is under way, and end both connections."""
        await asyncio.gather(self._durable.close(), self._other.close())


async def _see_that_it_serves(connection: AbstractConnection, address: Address) -> None:
    try:
        role = await ask(connection, "ROLE")
    except NoPermissionError:
        pass
    else:
        if role[0] != b"master":
            raise Lost(f"{address[0]}:{address[1]} is a replica", sent=False)
    for script in SCRIPTS.values():
        await connection.send_command("SCRIPT LOAD", script.source, check_health=False)
    for _ in SCRIPTS:
        await connection.read_response(disable_decoding=True)


class _Sent(NamedTuple):
    """A command on its way, and when, on the loop's clock, its outcome has to be told."""

    server: Server
    command: Command
    future: asyncio.Future[Reply]
    until: float


class Servers:
    """All primaries. `moved` is called when buckets may have gone elsewhere."""

    def __init__(self, place: Place, replicas: int, moved: Callable[[], None]) -> None:
        self.place = place
        self._replicas = replicas
        self._moved = moved
        self._homes: dict[Bucket, Server] = {}
        self._known: dict[Address, Server] = {}
        self._refreshing: asyncio.Task[None] | None = None
        self._refreshed = float("-inf")

    async def open(self) -> None:
        """Find the servers.

        Raises:
            RedisError, OSError, Lost: one can't be reached.
        """
        if self.place.shape is Shape.CLUSTER:
            await self._refresh()
        elif not self._homes:
            locate = self._ask_sentinels if self.place.shape is Shape.SENTINEL else self._seed
            self._homes = dict.fromkeys(BUCKETS, Server(locate, self.place, self._replicas))
        for server in self.all():
            await (await server.dial()).disconnect(nowait=True)

    async def close(self) -> None:
        """Wait for what is under way, and end."""
        if self._refreshing is not None:
            self._refreshing.cancel()
        await asyncio.gather(*(server.close() for server in {*self.all(), *self._known.values()}))

    def all(self) -> tuple[Server, ...]:
        """Every server that has a bucket."""
        return tuple(dict.fromkeys(self._homes.values()))

    def home(self, bucket: Bucket) -> Server:
        """The server that has the bucket, as far as is known.

        Raises:
            StoreUnavailable: none is known to have it.
        """
        server = self._homes.get(bucket)
        if server is None:
            self.look_again()
            raise StoreUnavailable("redis: no server has the room's slot")
        return server

    async def call(self, bucket: Bucket, command: Command, *, durable: bool = False) -> Reply:
        """Have the bucket's server carry out a command.

        Raises:
            StoreUnavailable: nothing happened. Lost: if `sent`, that is not known. TooFewReplicas.
        """
        server = self.home(bucket)
        until = asyncio.get_running_loop().time() + LIMIT
        future = server.link(durable=durable).call(command, durable=durable)
        return await self._outcome(_Sent(server, command, future, until), durable=durable)

    async def call_all(self, commands: Iterable[tuple[Bucket, Command]]) -> list[Reply]:
        """Have several commands carried out, which travel together.

        Raises:
            StoreUnavailable: nothing happened of one of them. Lost: if `sent`, that is not known.
        """
        until = asyncio.get_running_loop().time() + LIMIT
        homes = [(self.home(bucket), command) for bucket, command in commands]
        all_sent = [
            _Sent(server, command, server.link(durable=False).call(command), until) for server, command in homes
        ]
        try:
            return [await self._outcome(sent, durable=False) for sent in all_sent]
        finally:
            for sent in all_sent:
                sent.future.cancel()
                heard(sent.future)

    async def _outcome(self, sent: _Sent, *, durable: bool) -> Reply:
        try:
            return await sent.future
        except ResponseError as error:
            try:
                async with asyncio.timeout_at(sent.until):
                    return await self._elsewhere(sent.server, sent.command, error, durable=durable)
            except TimeoutError:
                raise Lost("no reply in time", sent=True) from None
        except Lost as lost:
            self.look_again()
            if lost.sent:
                raise
            raise StoreUnavailable(f"redis: {lost}") from None

    async def _elsewhere(self, server: Server, command: Command, error: ResponseError, *, durable: bool) -> Reply:
        """Send a refused command where, or in the form in which, it is taken."""
        for _ in range(REDIRECTS):
            asking: Command | None = None
            match error:
                case NoScriptError():
                    command = in_full(command)
                case AskError():
                    server, asking = self._server((error.host, error.port)), ("ASKING",)
                case MovedError():
                    server = self._server((error.host, error.port))
                    self.look_again()
                case _:
                    break
            link = server.link(durable=durable)
            try:
                if asking:
                    return await link.call_after(asking, command)
                return await link.call(command, durable=durable)
            except ResponseError as another:
                error = another
        raise self._refusal(server, error) from None

    def _refusal(self, server: Server, error: ResponseError) -> StoreUnavailable:
        """A refusal for good: full, read-only, failing over, not persisting; nothing happened."""
        text = str(error)
        if "READONLY" in text or "read only replica" in text:
            server.cut("it has become a replica")
            self.look_again()
        elif isinstance(error, ClusterDownError):
            self.look_again()
        return StoreUnavailable(f"redis: {text}")

    # Where buckets lie.

    async def _seed(self) -> Address:
        return self.place.seeds[0]

    async def _ask_sentinels(self) -> Address:
        """The primary by the first Sentinel that names one; whether it is one, `dial` sees."""
        reasons = []
        for address in self.place.seeds:
            try:
                async with asyncio.timeout(SENTINEL_LIMIT):
                    return await self._primary_by(address)
            except (RedisError, OSError, Lost) as error:  # TimeoutError is an OSError
                reasons.append(f"{address[0]}:{address[1]}: {str(error) or 'does not answer'}")
        raise Lost("; ".join(reasons), sent=False)

    async def _primary_by(self, sentinel: Address) -> Address:
        connection = await connect(self.place, sentinel, sentinel=True)
        try:
            found = await ask(connection, "SENTINEL", "get-master-addr-by-name", self.place.service)
        finally:
            await connection.disconnect(nowait=True)
        if found is None:
            raise Lost(f"does not know {self.place.service}", sent=False)
        return found[0].decode(), int(found[1])

    def look_again(self) -> None:
        """Ask a cluster for its map, soon, in the background, and not too often."""
        if self.place.shape is not Shape.CLUSTER or (self._refreshing and not self._refreshing.done()):
            return
        self._refreshing = asyncio.ensure_future(self._refresh_soon())

    async def _refresh_soon(self) -> None:
        await asyncio.sleep(max(0.0, self._refreshed + REFRESH_EVERY - asyncio.get_running_loop().time()))
        try:
            await self._refresh()
        except (RedisError, OSError, Lost):
            return

    async def _refresh(self) -> None:
        """Take the map from the first that has one."""
        reasons = []
        self._refreshed = asyncio.get_running_loop().time()
        for address in dict.fromkeys((*self._known, *self.place.seeds)):
            try:
                self._take(await self._map_of(address))
            except AuthenticationError:
                raise
            except (RedisError, OSError, Lost) as error:
                reasons.append(str(error))
            else:
                return
        raise Lost("; ".join(reasons), sent=False)

    async def _map_of(self, address: Address) -> Mapping[Bucket, Address]:
        """The cluster's map, as this node has it."""
        connection = await connect(self.place, address)
        try:
            ranges = await ask(connection, "CLUSTER SLOTS")
        finally:
            await connection.disconnect(nowait=True)
        homes = {}
        for first, last, primary, *_ in ranges:
            host = primary[0].decode() if primary[0] else address[0]
            for bucket in BUCKETS:
                if first <= slot_of(bucket) <= last:
                    homes[bucket] = (host, int(primary[1]))
        if len(homes) < len(BUCKETS):
            raise Lost(f"{address[0]}:{address[1]}: not all slots are served", sent=False)
        return homes

    def _take(self, homes: Mapping[Bucket, Address]) -> None:
        before = dict(self._homes)
        self._homes = {bucket: self._server(address) for bucket, address in homes.items()}
        for address in set(self._known) - set(homes.values()):
            self._known.pop(address).cut("it serves no slots any more")
        if before and before != self._homes:
            self._moved()

    def _server(self, address: Address) -> Server:
        server = self._known.get(address)
        if server is None:

            async def locate() -> Address:
                return address

            server = self._known[address] = Server(locate, self.place, self._replicas)
        return server
