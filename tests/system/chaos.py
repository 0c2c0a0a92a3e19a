"""A network that does its worst: a TCP proxy before a server, which spoils connections in every way that networks know.

What comes from the server is taken apart into WebSocket frames, so that exactly one can be lost, or cut in half.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

FAULTS = ("delay", "cut", "black hole", "drop one reply", "byte by byte", "half a frame")

DELAY = 0.15
DRIPS = 400
"""How many bytes go one by one."""


def frames(data: bytearray) -> list[bytes]:
    """Take every whole frame of a server off the data."""
    found = []
    while len(data) >= 2:
        length, start = data[1] & 0x7F, 2
        if length > 125:
            width = 2 if length == 126 else 8
            start += width
            if len(data) < start:
                break
            length = int.from_bytes(data[2:start], "big")
        if len(data) < start + length:
            break
        found.append(bytes(data[: start + length]))
        del data[: start + length]
    return found


class Link:
    """One client's connection through the proxy."""

    def __init__(self, client: asyncio.StreamWriter, server: asyncio.StreamWriter, done: Counter[str]) -> None:
        self._ends = (client, server)
        self._done = done
        self.fault: str | None = None
        self._hole = False
        self._drips = 0
        self._open = asyncio.Event()
        self._open.set()

    def begin(self, fault: str) -> None:
        """Let this happen: at once, or to what is handed on next."""
        self._count(fault)
        match fault:
            case "cut":
                self.cut()
            case "black hole":
                self._hole = True
            case "byte by byte":
                self._drips = DRIPS
            case "delay":
                self._open.clear()
                asyncio.get_running_loop().call_later(DELAY, self._open.set)
            case _:
                self.fault = fault

    def _count(self, fault: str) -> None:
        self._done[fault] += 1

    def cut(self) -> None:
        """Abort both sides, as a network does: without a word."""
        for end in self._ends:
            end.transport.abort()

    async def down(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the server to the client, frame by frame once the handshake is over."""
        data = bytearray()
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(head)
        while chunk := await reader.read(65536):
            data += chunk
            for frame in frames(data):
                if self.fault == "drop one reply":
                    self.fault = None
                else:
                    await self._hand_on(frame, writer)

    async def up(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """From the client to the server."""
        while chunk := await reader.read(65536):
            await self._hand_on(chunk, writer)

    async def _hand_on(self, piece: bytes, writer: asyncio.StreamWriter) -> None:
        await self._open.wait()
        if self._hole:
            return
        if self.fault == "half a frame":
            writer.write(piece[: len(piece) // 2])
            await writer.drain()
            writer.close()
            self.cut()
            return
        while self._drips and piece:
            writer.write(piece[:1])
            await writer.drain()
            piece = piece[1:]
            self._drips -= 1
            await asyncio.sleep(0)
        writer.write(piece)
        await writer.drain()


class Chaos:
    """The proxy: spoils its connections when it is told to."""

    def __init__(self, target: int, random: Random) -> None:
        self._target = target
        self._random = random
        self.links: set[Link] = set()
        self.done: Counter[str] = Counter()
        """How many faults of each kind there were."""
        self.port = 0

    def strike(self) -> None:
        """A random fault on a random connection that has none yet."""
        sound = [link for link in self.links if link.fault is None]
        if sound:
            self._random.choice(sound).begin(self._random.choice(FAULTS))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection, to its end."""
        there, back = await asyncio.open_connection("127.0.0.1", self._target)
        link = Link(writer, back, self.done)
        self.links.add(link)
        ways = [asyncio.ensure_future(link.down(there, writer)), asyncio.ensure_future(link.up(reader, back))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            self.links.discard(link)
            link.cut()


@asynccontextmanager
async def chaos(target: int, random: Random) -> AsyncIterator[Chaos]:
    """A proxy before the server on this port."""
    proxy = Chaos(target, random)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        for link in tuple(proxy.links):
            link.cut()
        await server.wait_closed()
