"""A cable between a client and a server that can be cut and mended."""

from __future__ import annotations

import asyncio
from types import TracebackType


class Cable:
    """Passes bytes on to a port of this machine, in both directions, while it is whole."""

    def __init__(self, port: int) -> None:
        self._far = port
        self._whole = True
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> Cable:
        self._server = await asyncio.start_server(self._plugged, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """The near end, as a server's URL."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """Drop every connection, and take no new one."""
        self._whole = False
        for end in self._ends:
            end.transport.abort()

    def mend(self) -> None:
        """Take connections again."""
        self._whole = True

    async def _plugged(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._whole:
            writer.transport.abort()
            return
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._far)
        self._ends |= {writer, far_writer}
        await asyncio.gather(self._pass(reader, far_writer), self._pass(far_reader, writer))
        self._ends -= {writer, far_writer}

    async def _pass(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        except (ConnectionError, OSError):
            pass
        finally:
            sink.close()
