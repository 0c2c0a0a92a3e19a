"""A client of a hub within the process: an outbox that keeps what it is given, and a state folded from it."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from protocol.codec import JSON, Codec
from protocol.messages import (
    Act,
    AnyServerMessage,
    Error,
    Join,
    Ok,
    Patch,
    RoomId,
    RoomMessage,
    Snapshot,
    Turn,
)
from protocol.patch import apply
from server.rooms.hub import Hub
from server.rooms.viewer import Connection
from tests.processes import PATIENCE

T = TypeVar("T")


class Box:
    """An outbox that writes to a list, in order; nothing is ever dropped."""

    def __init__(self, codec: Codec) -> None:
        self.codec = codec
        self.frames: list[bytes] = []
        self.messages: list[AnyServerMessage] = []
        self.news = asyncio.Event()

    def _take(self, frame: bytes) -> None:
        self.frames.append(frame)
        message = self.codec.decode_server(frame)
        assert message is not None
        self.messages.append(message)  # type: ignore[arg-type]
        self.news.set()

    def reply(self, frame: bytes, room: RoomId | None) -> None:
        self._take(frame)

    def update(self, room: RoomId, frame: bytes) -> None:
        self._take(frame)

    def notice(self, room: RoomId, frame: bytes, line: int = 0) -> None:
        self._take(frame)

    def fresh(self, room: RoomId, frames: Sequence[bytes]) -> None:
        for frame in frames:
            self._take(frame)

    def outdated(self, room: RoomId) -> bool:
        return True

    def missed(self, room: RoomId) -> int | None:
        return None

    def forget(self, room: RoomId) -> None:
        pass


class Peer:
    """One connection to one hub, attached to at most one room."""

    def __init__(self, hub: Hub, codec: Codec = JSON) -> None:
        self.hub = hub
        self.box = Box(codec)
        self.failed_lookups = 0
        self.connection = Connection(codec, self.box, failed_lookup=self._failed, max_rooms=64)
        self.connection.heard = time.monotonic()
        self.room = ""
        self._ids = itertools.count(1)
        self._folded = 0
        self.seq = 0
        self.tag = ""
        self.state: dict[str, Any] = {}
        self.actions: Sequence[dict[str, Any]] = ()
        self.patches: list[Patch] = []

    def _failed(self, _: Join) -> int:
        self.failed_lookups += 1
        return 0

    def send(self, kind: type[RoomMessage], **fields: Any) -> int:
        """Send a request without waiting; its id."""
        number = next(self._ids)
        self.connection.heard = time.monotonic()
        self.hub.request(self.connection, kind(id=number, room=fields.pop("room", self.room), **fields))
        return number

    async def found(self, look: Callable[[], T | None]) -> T:
        """What the look finds, which is taken again after whatever comes, until it is not None."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self.box.news.clear()
                if (found := look()) is not None:
                    return found
                await self.box.news.wait()

    async def true(self, holds: Callable[[], bool]) -> None:
        """Until it holds, by what comes."""
        await self.found(lambda: holds() or None)

    async def first(self, holds: Callable[[Any], bool]) -> Any:
        """The first message for which it holds."""
        return await self.found(lambda: next((message for message in self.box.messages if holds(message)), None))

    async def reply_to(self, number: int) -> Ok | Error:
        """The reply to a request."""
        reply: Ok | Error = await self.first(lambda message: isinstance(message, Ok | Error) and message.id == number)
        return reply

    async def told_error(self) -> Error:
        """The error that nobody here asked for."""
        error: Error = await self.first(lambda message: isinstance(message, Error) and message.id is None)
        return error

    async def ask(self, kind: type[RoomMessage], **fields: Any) -> Ok | Error:
        """Send a request and wait for its reply."""
        return await self.reply_to(self.send(kind, **fields))

    async def join(self, room: str, token: str | None = None, **fields: Any) -> Ok | Error:
        """Attach to a room."""
        self.room = room
        if token is not None:
            fields["token"] = token
        return await self.ask(Join, **fields)

    async def act(self, action: dict[str, Any], **fields: Any) -> Ok | Error:
        """Play an action, decided on at the last seq."""
        self.fold()
        return await self.ask(Act, action=action, **{"seq": self.seq, **fields})

    def fold(self) -> dict[str, Any]:
        """The state, by all frames that came."""
        for message in self.box.messages[self._folded :]:
            match message:
                case Snapshot():
                    self.seq, self.tag, self.state = message.seq, message.tag, dict(message.state)
                case Patch():
                    assert message.seq == self.seq + 1
                    self.patches.append(message)
                    self.seq, self.tag = message.seq, message.tag
                    self.state = dict(apply(self.state, message.ops))  # type: ignore[arg-type]
                case Turn():
                    self.actions = message.actions  # type: ignore[assignment]
                case _:
                    pass
        self._folded = len(self.box.messages)
        return self.state

    async def until(self, seq: int) -> dict[str, Any]:
        """The state once it is at least at `seq`."""
        await self.true(lambda: bool(self.fold()) and self.seq >= seq)
        return self.state

    def last(self, kind: type[Any]) -> Any:
        """The last message of a kind."""
        return next((message for message in reversed(self.box.messages) if isinstance(message, kind)), None)
