"""A connection to a real server that says whatever it is told to, and folds what it hears."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgpack
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.typing import Subprotocol

from protocol.digest import digest
from protocol.patch import apply
from tests import truth
from tests.processes import PATIENCE, ServerProcess

MOST = 2**53 - 1
Pairs = list[tuple[str, Any]]


class Wire:
    """One connection, attached to at most one room."""

    def __init__(self, socket: ClientConnection, codec: str) -> None:
        self.socket = socket
        self.codec = codec
        self.state: dict[str, Any] = {}
        self.seq = 0
        self.tag = ""
        self.presence: tuple[list[bool], int] = ([], 0)
        self.actions: list[dict[str, Any]] = []
        self.room = ""
        self._ids = itertools.count(1_000_000)

    def write(self, fields: Mapping[str, Any] | Pairs) -> bytes:
        """The frame with these members, as they stand and in this order: pairs may name one twice."""
        pairs = list(fields.items()) if isinstance(fields, Mapping) else fields
        if self.codec == "json":
            return f"{{{','.join(f'{json.dumps(name)}:{json.dumps(value)}' for name, value in pairs)}}}".encode()
        head = msgpack.Packer().pack_map_header(len(pairs))
        return head + b"".join(msgpack.packb(name) + msgpack.packb(value) for name, value in pairs)

    async def send(self, frame: bytes) -> None:
        """Send a frame of the codec's kind."""
        await self.socket.send(frame, text=self.codec == "json")

    async def hear(self) -> dict[str, Any]:
        """The next message."""
        async with asyncio.timeout(PATIENCE):
            payload = await self.socket.recv()
        message = json.loads(payload) if isinstance(payload, str) else msgpack.unpackb(payload)
        truth.frame(message)
        match message["t"]:
            case "snapshot":
                self.state, self.seq, self.tag = message["state"], message["seq"], message["tag"]
            case "patch":
                assert message["seq"] == self.seq + 1
                self.state = dict(apply(self.state, message["ops"]))  # type: ignore[arg-type]
                self.seq, self.tag = message["seq"], message["tag"]
                truth.state(self.state)
            case "presence":
                self.presence = (message["connected"], message["spectators"])
            case "turn":
                self.actions = message["actions"]
        return message

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        """A request that is well formed; its reply."""
        number = next(self._ids)
        await self.send(self.write({"t": kind, "id": number, **fields}))
        while True:
            message = await self.hear()
            if message["t"] in ("ok", "error") and message["id"] == number:
                return message

    async def of_room(self, kind: str, **fields: Any) -> dict[str, Any]:
        """A request about the room."""
        return await self.ask(kind, **{"room": self.room, **fields})

    async def replies(self, frame: bytes) -> list[dict[str, Any]]:
        """The first message after this frame, and what else there is until a request sent later has its reply.

        That request is about the room, where there is one: a room answers in the order in which it was asked.
        """
        await self.send(frame)
        heard = [await self.hear()]
        number = next(self._ids)
        marker = {"t": "check", "id": number, "room": self.room, "seq": MOST, "digest": "0" * 64}
        await self.send(self.write(marker if self.room else {"t": "ping", "id": number}))
        while (message := await self.hear()).get("id") != number:
            heard.append(message)
        return heard

    async def join(self, room: str, token: str | None = None, **fields: Any) -> dict[str, Any]:
        """Attach to a room, and hear all that follows the `ok`."""
        self.room = room
        reply = await self.ask("join", room=room, **({} if token is None else {"token": token}), **fields)
        await self.of_room("check", seq=MOST, digest="0" * 64)
        return reply

    async def until_present(self, connected: list[bool], spectators: int) -> None:
        """Until it was told of these viewers."""
        while self.presence != (connected, spectators):
            await self.hear()

    async def check(self) -> dict[str, Any]:
        """Compare the folded state with the server's."""
        return await self.of_room("check", seq=self.seq, digest=digest(self.state))


@asynccontextmanager
async def wired(server: ServerProcess, codec: str) -> AsyncIterator[Wire]:
    """A connection that has got its welcome."""
    protocols = [Subprotocol(f"pharos.v1+{codec}")]
    opening = websockets.connect(server.ws, subprotocols=protocols, compression=None, max_size=None, max_queue=None)
    async with opening as socket:
        wire = Wire(socket, codec)
        assert (await wire.hear())["t"] == "welcome"
        yield wire
