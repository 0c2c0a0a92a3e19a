"""A WebSocket client that may break every rule."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.processes import PATIENCE

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10

HANDSHAKE: Mapping[str, str] = {
    "Host": "pharos.test",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, masked: bool = True, rsv: int = 0) -> bytes:
    """One frame, as right or as wrong as asked."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    mask_bit = 0x80 if masked else 0
    if len(payload) < 126:
        head = bytes((first, mask_bit | len(payload)))
    elif len(payload) < 65536:
        head = struct.pack("!BBH", first, mask_bit | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, mask_bit | 127, len(payload))
    if not masked:
        return head + payload
    mask = b"\x5a\xa5\x0f\xf0"
    return head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))


@dataclass
class Reply:
    """What the server said to a handshake."""

    status: int
    headers: dict[str, str]
    body: bytes


class RawSocket:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    async def handshake(self, path: str = "/ws", headers: Mapping[str, str] | None = None) -> Reply:
        """Ask for a WebSocket; headers of the value "" are left out."""
        sent = {**HANDSHAKE, **(headers or {})}
        lines = [f"{name}: {part}" for name, value in sent.items() if value for part in value.split("\n")]
        self.writer.write("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        return await self.reply()

    async def reply(self) -> Reply:
        """Read an HTTP response."""
        async with asyncio.timeout(PATIENCE):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.rstrip().split("\r\n")
            found = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await self.reader.readexactly(int(found.get("content-length", 0)))
        return Reply(int(first.split()[1]), found, body)

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    def say(self, **message: Any) -> None:
        """Send a message as a good client would."""
        self.send(frame(TEXT, json.dumps(message).encode()))

    async def frame(self) -> tuple[int, bytes]:
        """The next frame: opcode and payload."""
        async with asyncio.timeout(PATIENCE):
            first, second = await self.reader.readexactly(2)
            assert first & 0x70 == 0, "a reserved bit"
            assert second & 0x80 == 0, "a server does not mask"
            length = second & 0x7F
            if length == 126:
                (length,) = struct.unpack("!H", await self.reader.readexactly(2))
            elif length == 127:
                (length,) = struct.unpack("!Q", await self.reader.readexactly(8))
            return first & 0x0F, await self.reader.readexactly(length)

    async def hear(self) -> dict[str, Any]:
        """The next message; pings are answered."""
        while True:
            opcode, payload = await self.frame()
            if opcode == PING:
                self.send(frame(PONG, payload))
            else:
                assert opcode == TEXT, (opcode, payload)
                return json.loads(payload)

    async def until(self, kind: str) -> dict[str, Any]:
        """The next message of this type; the others are passed over."""
        while (message := await self.hear())["t"] != kind:
            pass
        return message

    async def closed(self, *, answer: bool = True) -> int:
        """The code of the close frame that comes next, or after what else still comes."""
        while True:
            opcode, payload = await self.frame()
            if opcode == CLOSE:
                if answer:
                    self.send(frame(CLOSE, payload[:2]))
                return struct.unpack("!H", payload[:2])[0]

    async def ended(self) -> bool:
        """Whether the server closes the TCP connection, too."""
        async with asyncio.timeout(PATIENCE):
            return await self.reader.read() == b""

    async def join(self, room: str) -> None:
        """Attach to a room."""
        self.say(t="join", id=0, room=room, token="x")
        await self.until("snapshot")


@asynccontextmanager
async def raw(port: int, *, buffer: int = 2**20, kernel: int | None = None) -> AsyncIterator[RawSocket]:
    """A connection on which nothing was said yet. `buffer`, `kernel`: bytes that wait here until somebody reads."""
    own = socket.socket()
    own.setblocking(False)
    if kernel is not None:
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, kernel)
    try:
        await asyncio.get_running_loop().sock_connect(own, ("127.0.0.1", port))
        reader, writer = await asyncio.open_connection(sock=own, limit=buffer)
    except BaseException:
        own.close()
        raise
    try:
        yield RawSocket(reader, writer)
    finally:
        writer.transport.abort()


@asynccontextmanager
async def connected(port: int, headers: Mapping[str, str] | None = None) -> AsyncIterator[RawSocket]:
    """A WebSocket that has got its welcome."""
    async with raw(port) as socket:
        reply = await socket.handshake(headers=headers)
        assert reply.status == 101, reply
        assert (await socket.hear())["t"] == "welcome"
        yield socket


async def admitted(port: int, headers: Mapping[str, str]) -> None:
    """Until a connection is let in again: the server sees a little later that another is gone."""
    async with asyncio.timeout(PATIENCE):
        while True:
            async with raw(port) as socket:
                if (await socket.handshake(headers=headers)).status == 101:
                    return
