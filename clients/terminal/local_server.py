"""A server of one's own: on a free port, its rooms in memory, ended with the program that started it.

It stays in the program's process group, so that a terminal that is closed takes both along, and it stops when its
standard input ends: that is so as soon as this program is gone, even one that was killed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from clients.errors import Unreachable

SETTINGS = {
    "PHAROS_PORT": "0",
    "PHAROS_STORE": "memory://",
    "PHAROS_LOG": "json",
    "PHAROS_LOG_LEVEL": "info",
    "PHAROS_STOP_WITH_STDIN": "1",
}
PATIENCE = 60.0
"""Seconds that the server may take to start, and to end."""


@asynccontextmanager
async def own_server() -> AsyncIterator[str]:
    """A server, by its URL; it is stopped in the end, whatever happens.

    Raises:
        Unreachable: it did not start; says what it said last.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "server",
        env={**{name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}, **SETTINGS},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    log = process.stderr
    assert log is not None
    drain: asyncio.Task[None] | None = None
    try:
        url = await asyncio.wait_for(_announced(log), PATIENCE)
        drain = asyncio.create_task(_drain(log))
        yield url
    finally:
        await _end(process)
        if drain is not None:
            await drain


async def _announced(log: asyncio.StreamReader) -> str:
    """The URL that the server says it serves at."""
    said: deque[str] = deque(maxlen=5)
    async for line in log:
        with suppress(ValueError):
            entry = json.loads(line)
            if isinstance(entry, dict) and entry.get("event") == "serving":
                return str(entry["url"])
        said.append(line.decode(errors="replace").strip())
    raise Unreachable(f"the server did not start: {' / '.join(said)}")


async def _drain(log: asyncio.StreamReader) -> None:
    """Read on, so that the server never waits for a reader of its log."""
    while await log.read(65536):
        pass


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), PATIENCE)
    finally:
        if process.returncode is None:
            process.kill()
