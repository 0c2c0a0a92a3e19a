"""A TCP proxy before a server, whose connections a test can cut, mute or refuse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Proxy:
    """Hands bytes on, both ways, until it is told otherwise."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._ends: set[asyncio.StreamWriter] = set()
        self.mute = False
        """Whether what the server says is thrown away."""
        self.refuse = False
        """Whether new connections are closed at once."""
        self.accepted: list[float] = []
        """When each connection came, by the event loop's clock."""
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Abort every connection, as a network does: without a word."""
        for end in tuple(self._ends):
            end.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection."""
        self.accepted.append(asyncio.get_running_loop().time())
        if self.refuse:
            writer.transport.abort()
            return
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        self._ends |= {writer, back}
        try:
            await asyncio.gather(self._hand_on(reader, back, down=False), self._hand_on(there, writer, down=True))
        finally:
            self._ends -= {writer, back}

    async def _hand_on(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, *, down: bool) -> None:
        try:
            while data := await source.read(65536):
                if not (down and self.mute):
                    sink.write(data)
                    await sink.drain()
        except OSError:
            pass
        finally:
            sink.close()


@asynccontextmanager
async def proxied(target: int) -> AsyncIterator[Proxy]:
    """A proxy before the server on this port."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.refuse = True
        proxy.cut()
        await server.wait_closed()
