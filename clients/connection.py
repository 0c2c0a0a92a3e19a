"""What every Python client is built on: one connection, many rooms, and nothing lost when it is cut.

    async with Connection("http://127.0.0.1:8000") as connection:
        room = await connection.join("K7QF2M", token, legal=True)
        async for message in room:
            if isinstance(message, Turn):
                await room.act(random.choice(room.actions))

Rules that hold here:

1. A cut is mended in the background, with pauses that grow until a request is answered again. Every room is joined
   again from where its state stands, and every request that had no reply is sent again under its old key: the server
   carries a key out once.
2. A request ends with its `ok` or raises `Refused`. `unavailable`, `unknown_outcome`, `rate_limited` and `draining`
   are not given up on: the request is sent again, under its key, after the pause that the server asks for.
3. A connection that is closed, or that can't go on, leaves nobody waiting.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable
from types import TracebackType

import websockets
from msgspec import UNSET
from websockets.asyncio.client import ClientConnection, connect

from clients.errors import NoServer, Refused, Unreachable
from clients.lobby import http_url, on_this_machine, socket_url
from clients.room import Room
from protocol.codec import JSON, Codec
from protocol.codes import ProtocolError
from protocol.messages import (
    ChatLine,
    ClientMessage,
    Closing,
    Error,
    Join,
    Ok,
    Patch,
    Presence,
    ServerMessage,
    Snapshot,
    Turn,
    Welcome,
)

__all__ = ["Connection", "Room"]

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
CLOSE_WITHIN = 3.0
"""Seconds that a server has to say goodbye: whoever was told to stop does not wait longer for one that is silent."""
PATIENT = frozenset({"unavailable", "unknown_outcome", "rate_limited", "draining"})


class _Pending:
    """A request that has no reply yet."""

    def __init__(self, message: ClientMessage) -> None:
        self.message = message
        self.reply: asyncio.Future[Ok] = asyncio.get_running_loop().create_future()

    def fail(self, error: Exception) -> None:
        """End the request without an `ok`."""
        if not self.reply.done():
            self.reply.set_exception(error)


class Connection:
    """A connection to a server (or to any of several nodes), kept up in the background."""

    def __init__(self, *urls: str, codec: Codec = JSON) -> None:
        self._urls = itertools.cycle([http_url(url) for url in urls])
        self._codec = codec
        self._rooms: dict[str, Room] = {}
        self._pending: dict[int, _Pending] = {}
        self._joins: dict[int, Room] = {}
        self._ids = itertools.count(1)
        self._socket: ClientConnection | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._wait = 0.0
        self._served = False
        self._first: asyncio.Future[None] | None = None
        self.welcome: Welcome | None = None
        self.reconnects = 0

    @property
    def transport(self) -> asyncio.Transport | None:
        """The TCP connection as it is now, for whoever looks at what becomes of it; None while there is none."""
        return None if self._socket is None else self._socket.transport

    async def __aenter__(self) -> Connection:
        """Connect, as `open` does."""
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def open(self) -> Connection:
        """Connect.

        Raises:
            Unreachable: the first attempt failed; later cuts are mended in silence.
        """
        self._first = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep_up())
        self._keeper.add_done_callback(self._end)
        try:
            await self._first
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """End the connection for good."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)

    def _end(self, keeper: asyncio.Task[None]) -> None:
        """Nothing comes any more: by the user's wish, or for a fault that nobody foresaw."""
        error = None if keeper.cancelled() else keeper.exception()
        if error is not None and self._first is not None and not self._first.done():
            self._first.set_exception(Unreachable(f"no connection can be made ({error})"))
        for pending in self._pending.values():
            pending.fail(error if isinstance(error, Exception) else Unreachable("the connection was closed"))
        for room in tuple(self._rooms.values()):
            self.forget(room)

    async def join(self, room: str, token: str | None = None, *, legal: bool = False) -> Room:
        """Attach to a room: to its seat with the seat's token, else as a spectator.

        Raises:
            Refused: there is no such room, or the token fits nothing. Unreachable: the connection was closed.
        """
        if room in self._rooms:
            self.forget(self._rooms[room])
        attached = Room(self, Join(id=0, room=room, legal=legal, token=UNSET if token is None else token))
        self._rooms[room] = attached
        try:
            await self.ask(attached.request)
            await attached.current.wait()
            attached.check_attached()
            if not self.knows(attached):
                raise Unreachable("the connection was closed")
        except BaseException:
            self.forget(attached)
            raise
        return attached

    @property
    def closed(self) -> bool:
        """Whether it has ended for good: nothing mends it any more."""
        return self._keeper is None or self._keeper.done()

    @property
    def connected(self) -> bool:
        """Whether the connection is up just now."""
        return self._socket is not None

    @property
    def rooms(self) -> frozenset[str]:
        """The ids of the rooms that this connection is, or is to be, attached to."""
        return frozenset(self._rooms)

    def knows(self, room: Room) -> bool:
        """Whether the room is still one of this connection's."""
        return self._rooms.get(room.id) is room

    def forget(self, room: Room) -> None:
        """Do not attach this room again."""
        if self.knows(room):
            del self._rooms[room.id]
            room.end(room.ended)

    def attach_anew(self, room: Room, pause: float = 0.0) -> None:
        """Join the room again, after so many seconds."""
        room.cut()
        asyncio.get_running_loop().call_later(pause, self._join_again, room)

    def _join_again(self, room: Room) -> None:
        if self.knows(room) and self._socket is not None:
            task = asyncio.ensure_future(self._send(room.request(next(self._ids))))
            task.add_done_callback(lambda done: done.exception())

    async def ask(self, make: Callable[[int], ClientMessage]) -> Ok:
        """Send a request and wait for its `ok`, through cuts and pauses.

        Raises:
            Refused: the server said no. Unreachable: the connection was closed.
        """
        while True:
            if self.closed:
                raise Unreachable("the connection was closed")
            number = next(self._ids)
            pending = self._pending[number] = _Pending(make(number))
            try:
                await self._send(pending.message)
                return await pending.reply
            except Refused as refusal:
                if refusal.code not in PATIENT:
                    raise
                await asyncio.sleep((refusal.retry_after or 500) / 1000)
            finally:
                del self._pending[number]

    async def _send(self, message: ClientMessage) -> None:
        """Write a request; one that can't be written now is sent when the connection is up again."""
        if isinstance(message, Join) and message.room in self._rooms:
            self._joins[message.id] = self._rooms[message.room]
        if self._socket is None:
            return
        try:
            await self._socket.send(self._codec.encode_request(message), text=not self._codec.binary)
        except websockets.ConnectionClosed:
            return

    async def _keep_up(self) -> None:
        pause = FIRST_PAUSE
        while True:
            self._served, url = False, next(self._urls)
            try:
                await self._once(socket_url(url))
            except (OSError, TimeoutError, websockets.WebSocketException, ProtocolError) as error:
                if self._first is not None and not self._first.done():
                    self._first.set_exception(NoServer(url, error))
                    return
            if self._served:
                pause = FIRST_PAUSE
            await asyncio.sleep(self._wait or pause * random.uniform(0.5, 1.0))  # noqa: S311 - jitter
            self._wait = 0.0
            pause = min(LONGEST_PAUSE, pause * 2)
            self.reconnects += 1

    async def _once(self, address: str) -> None:
        """One TCP connection, from its opening to its end."""
        async with connect(
            address,
            subprotocols=[websockets.Subprotocol(self._codec.subprotocol)],
            compression=None,
            max_size=None,
            close_timeout=CLOSE_WITHIN,
            proxy=None if on_this_machine(address) else True,
        ) as socket:
            self._socket = socket
            try:
                await self._again()
                if self._first is not None and not self._first.done():
                    self._first.set_result(None)
                async for payload in socket:
                    frame = payload.encode() if isinstance(payload, str) else payload
                    self._take(self._codec.decode_server(frame))
            except websockets.ConnectionClosed:
                return
            finally:
                self._socket = None
                self._joins.clear()
                for room in self._rooms.values():
                    room.cut()

    async def _again(self) -> None:
        """Join every room again, then send what had no reply."""
        waiting = list(self._pending.values())
        joining = {p.message.room for p in waiting if isinstance(p.message, Join)}
        for room in tuple(self._rooms.values()):
            if room.id not in joining:
                await self._send(room.request(next(self._ids)))
        for pending in waiting:
            if isinstance(pending.message, Join) and pending.message.room in self._rooms:
                pending.message = self._rooms[pending.message.room].request(pending.message.id)
            await self._send(pending.message)

    def _take(self, message: ServerMessage | None) -> None:
        match message:
            case Welcome():
                self.welcome = message
            case Closing():
                self._wait = message.reconnect_after / 1000
            case Ok():
                self._ok(message)
            case Error(id=int()):
                self._error(message)
            case Snapshot() | Patch() | Turn() | Presence() | ChatLine() | Error():
                room = self._rooms.get(message.room) if isinstance(message.room, str) else None
                if room is not None:
                    room.take(message)
            case _:
                pass

    def _ok(self, ok: Ok) -> None:
        self._served = True
        room = self._joins.pop(ok.id, None)
        if room is not None:
            room.joined(ok)
        pending = self._pending.get(ok.id)
        if pending is not None and not pending.reply.done():
            pending.reply.set_result(ok)

    def _error(self, error: Error) -> None:
        number = error.id if error.id is not None else 0
        room = self._joins.pop(number, None)
        retry = error.retry_after if isinstance(error.retry_after, int) else None
        refusal = Refused(error.code, error.message, retry)
        if number in self._pending:
            self._pending[number].fail(refusal)
        elif room is not None and error.code in PATIENT:
            self.attach_anew(room, (retry or 500) / 1000)
        elif room is not None and self.knows(room):
            room.ended = refusal
            self.forget(room)
