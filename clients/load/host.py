"""A server of the load tool's own, which it may kill and start again: `python -m server` on a port that stays."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from clients.errors import Refused, Unreachable
from clients.lobby import Lobby

PATIENCE = 20.0
"""Seconds for a server to come up, or to go down."""

LOOK = 0.05
"""Seconds between two looks at whether it is up."""


class Host:
    """The server, on a store that survives it: `sqlite:///load.db` in a folder of its own, unless another is named."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        """`settings`: `PHAROS_…` variables for the server."""
        self._folder = tempfile.TemporaryDirectory(prefix="pharos-load-")
        with socket.create_server(("127.0.0.1", 0)) as listening:
            self.port: int = listening.getsockname()[1]
        own = {
            "PHAROS_PORT": str(self.port),
            "PHAROS_STORE": "sqlite:///load.db",
            "PHAROS_LOG_LEVEL": "warning",
            "PHAROS_STOP_WITH_STDIN": "1",  # and so with this process, however that ends
        }
        code = str(Path(__file__).parents[2])
        paths = os.pathsep.join(filter(None, (code, os.environ.get("PYTHONPATH"))))
        self._environment = {**os.environ, **own, "PYTHONPATH": paths, **settings}
        self._process: asyncio.subprocess.Process | None = None
        self._killing = asyncio.Lock()

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process as it is now."""
        assert self._process is not None
        return self._process.pid

    async def __aenter__(self) -> Host:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop(signal.SIGTERM)
        self._folder.cleanup()

    async def start(self) -> None:
        """Start, and wait until it serves.

        Raises:
            Unreachable: it did not come up.
        """
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "server",
            cwd=self._folder.name,
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
        )
        lobby = Lobby(self.url)
        for _ in range(int(PATIENCE / LOOK)):
            if self._process.returncode is not None:
                break
            try:
                await lobby.games()
            except (Unreachable, Refused):
                await asyncio.sleep(LOOK)
            else:
                return
        await self._stop(signal.SIGKILL)
        raise Unreachable(f"the server at {self.url} did not come up")

    async def kill(self) -> None:
        """End it as a crash would, and start it again."""
        async with self._killing:
            await self._stop(signal.SIGKILL)
            await self.start()

    async def steady(self) -> None:
        """Wait until it is not being killed."""
        async with self._killing:
            return

    async def _stop(self, number: signal.Signals) -> None:
        if self._process is None or self._process.returncode is not None:
            return
        self._process.send_signal(number)
        try:
            await asyncio.wait_for(self._process.wait(), PATIENCE)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
