"""The rooms in memory on this node, and the only caller of the store.

Any node serves any viewer of any room: a hub loads a room when somebody asks for it (once, however many ask), follows
it while it is in memory, and lets go of it when nobody looks. What only another node knows, the store tells.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine
from typing import TypeVar

import structlog

from protocol.codes import Code, ProtocolError
from protocol.messages import Join, RoomId, RoomMessage
from server.rooms import requests, telling
from server.rooms.clock import Clock
from server.rooms.desk import Desk
from server.rooms.ids import possible
from server.rooms.jobs import Job
from server.rooms.keeping import Keeping
from server.rooms.matching import Matching
from server.rooms.room import Keep
from server.rooms.stats import HubStats, Tracer
from server.rooms.table import Table
from server.rooms.viewer import Connection
from server.settings import Pace
from server.store.store import Store, StoreUnavailable, StoreUnusable

T = TypeVar("T")

log = structlog.get_logger("pharos.rooms")

RETRY = 1.0
"""Seconds between two attempts to reach a store that was away at the start."""


class Hub(Desk):
    """All rooms of one node. `node`: this node's name among those on the store."""

    def __init__(self, store: Store, pace: Pace, node: str, tracer: Tracer | None = None) -> None:
        self.store = store
        self.pace = pace
        self.node = node
        self.keep = Keep(pace.timeouts_to_serve, pace.undo_limit)
        self.clock = Clock()
        self.stats = HubStats(tracer)
        self.keeping = Keeping(self)
        self.matching = Matching(self)
        self._tables: dict[RoomId, Table] = {}
        self._background: set[asyncio.Task[None]] = set()
        self._leaving: dict[RoomId, asyncio.Task[None]] = {}
        self._stopping = False

    @property
    def ready(self) -> bool:
        """Whether the store was there lately, and the hub is not being stopped."""
        return self.keeping.steady and not self._stopping

    async def start(self) -> None:
        """Begin to serve, at once or as soon as the store is there.

        Raises:
            StoreUnusable: waiting for this store will not help.
        """
        try:
            await self.store.open()
        except StoreUnusable:
            raise
        except StoreUnavailable as error:
            self._without_store(error, "store unavailable at the start")
            self._in_background(self._open_later())
        else:
            await self._opened()

    async def _open_later(self) -> None:
        while True:
            await asyncio.sleep(RETRY)
            try:
                await self.store.open()
            except StoreUnavailable as error:
                self._without_store(error)
            else:
                return await self._opened()

    def _without_store(self, error: StoreUnavailable, event: str = "store unavailable") -> None:
        self.stats.store_errors += 1
        log.warning(event, reason=str(error))

    async def _opened(self) -> None:
        try:
            await self.keeping.sweep()
        except StoreUnavailable as error:
            self._without_store(error)
        self.keeping.start()

    async def stop(self) -> None:
        """Finish what is in flight, and end. Connections were told before."""
        self._stopping = True
        await self.keeping.stop()
        await self._finish()
        for task in self._background:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        await self.store.close()

    async def _finish(self) -> None:
        """Until no room has anything to do any more, nor begins anything by itself."""
        while True:
            for table in self._tables.values():
                table.close()
            busy = [table for table in self._tables.values() if table.busy]
            if not busy:
                return
            await asyncio.gather(*(table.finished() for table in busy))

    # Rooms in memory.

    def table(self, room: RoomId) -> Table:
        """The room in memory; its first job loads it."""
        table = self._tables.get(room)
        if table is None:
            table = self._tables[room] = Table(self, room)
        return table

    def known(self, room: RoomId) -> Table | None:
        """The room if it is in memory."""
        return self._tables.get(room)

    def loaded(self) -> tuple[Table, ...]:
        """All rooms in memory that were loaded, and not let go of since."""
        return tuple(table for table in self._tables.values() if table.loaded)

    def attended(self) -> tuple[Table, ...]:
        """All rooms to which somebody is attached here."""
        return tuple(table for table in self._tables.values() if table.attended)

    def drop(self, table: Table) -> None:
        """Let go of a room."""
        if self._tables.get(table.id) is table:
            del self._tables[table.id]
        table.close()
        if not self._stopping:
            self._leaving[table.id] = self._in_background(self._unfollow(table.id))

    async def follow(self, room: RoomId) -> None:
        """Hear of a room from now on.

        Raises:
            StoreUnavailable.
        """
        leaving = self._leaving.get(room)
        if leaving is not None:  # it may reach the store in any order, and would undo this
            await asyncio.wait([leaving])
        await self.store.follow(room)

    async def _unfollow(self, room: RoomId) -> None:
        try:
            if room not in self._tables:
                await self.store.unfollow(room)
        except StoreUnavailable as error:
            log.warning("store unavailable", room=room, reason=str(error))
        finally:
            self._leaving.pop(room, None)

    def _in_background(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def on(self, room: RoomId, work: Callable[[Table], Awaitable[T]]) -> T:
        """Do something in the room's turn; done to its end even if the caller is cancelled.

        Raises:
            ProtocolError: why it can't be done.
        """
        if not possible(room):
            raise ProtocolError(Code.UNKNOWN_ROOM, "there is no such room")
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()

        async def run(table: Table) -> None:
            result = await work(table)
            if not done.done():
                done.set_result(result)

        def fail(error: ProtocolError) -> None:
            if not done.done():
                done.set_exception(error)

        self.table(room).submit(Job(run, fail))
        return await done

    # Connections.

    def request(self, connection: Connection, message: RoomMessage) -> None:
        """A request about one room; the reply and all that follows come through the connection's outbox."""
        room = RoomId(message.room)
        table = self._tables.get(room)
        if isinstance(message, Join):
            if not possible(room):
                error = ProtocolError(Code.UNKNOWN_ROOM, "there is no such room")
                return requests.fail(connection, message, error)
            table = self.table(room)
        if table is None:
            error = ProtocolError(Code.NOT_JOINED, "this connection is not attached to the room")
            return requests.fail(connection, message, error)
        return table.submit(requests.job(connection, message, self.stats))

    def resync(self, connection: Connection, rooms: Collection[RoomId]) -> None:
        """A connection that did not read does so again: make good what it lost of these rooms."""
        for room in rooms:
            table = self._tables.get(room)
            if table is not None and room in connection.rooms:
                table.submit(_refreshing(table, connection))

    def gone(self, connection: Connection) -> None:
        """The connection is closed: detach it everywhere."""
        for room in tuple(connection.rooms):
            table = self._tables.get(room)
            if table is not None and table.attended:
                table.viewers.remove(connection)
                table.talk.changed()
        # A join that still waits in a room's queue would attach a dead connection: its job looks at `closed`.
        connection.closed = True


def _refreshing(table: Table, connection: Connection) -> Job:
    async def run(table: Table) -> None:
        viewer = table.viewers.find(connection)
        if viewer is not None:
            table.release()
            if connection.outbox.outdated(table.id):
                telling.refresh(table, viewer)
            else:
                table.talk.again(viewer)

    return Job(run, lambda error: _lost(table, connection, error))


def _lost(table: Table, connection: Connection, error: ProtocolError) -> None:
    """The snapshot can't be had now: the viewer is detached and told, and may join again."""
    viewer = table.viewers.find(connection)
    if viewer is not None:
        telling.detach(table, viewer, error.code, error.message)
