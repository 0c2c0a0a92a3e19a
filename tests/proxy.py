"""A way to Redis that fails on purpose: it loses the reply to one command, or the command itself, or says nothing."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from enum import StrEnum


class Loss(StrEnum):
    """What becomes of the connection on which the marked command comes by."""

    REPLY = "the command arrives, its reply does not, and the connection is cut"
    SILENCE = "the command arrives, and nothing comes back any more"
    COMMAND = "the command does not arrive, and the connection is cut"


class Proxy:
    """Passes bytes on to a port, until `lose` was told of a mark: the next command with it is the last to pass.

    With `tls` it speaks TLS to its clients, as a server of its own would.
    """

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self._upstream = port
        self._tls = tls
        self._server: asyncio.Server | None = None
        self._mark = b""
        self._loss: Loss | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self.lost = asyncio.Event()
        self.port = 0

    def lose(self, mark: bytes, loss: Loss) -> None:
        """Once."""
        self._mark, self._loss = mark, loss
        self.lost.clear()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        there, back = await asyncio.open_connection("127.0.0.1", self._upstream)
        answers = asyncio.ensure_future(_pass_on(there, writer))
        try:
            while data := await reader.read(65536):
                loss = self._loss if self._loss and self._mark in data else None
                if loss is not None:
                    self._loss = None
                    answers.cancel()
                    await asyncio.gather(answers, return_exceptions=True)
                if loss is not Loss.COMMAND:
                    back.write(data)
                    await back.drain()
                if loss is not None:
                    if loss is Loss.REPLY:
                        await there.read(1)  # it was carried out
                    self.lost.set()
                if loss in (Loss.REPLY, Loss.COMMAND):
                    break
        except OSError:
            pass
        finally:
            answers.cancel()
            await asyncio.gather(answers, return_exceptions=True)
            writer.close()
            back.close()
            self._connections.discard(task)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()


@contextlib.asynccontextmanager
async def proxied(port: int, tls: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
    """A proxy in front of the port."""
    proxy = Proxy(port, tls)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()
