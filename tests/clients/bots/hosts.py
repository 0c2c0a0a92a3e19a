"""What tests of the bot host share: the host as a process or a task, and evenings at rooms where it plays."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import psutil

from clients.bots.host import Host
from clients.bots.policies import play_random
from clients.bots.runner import play
from clients.bots.thinking import THINKERS
from clients.connection import Connection, Room
from clients.lobby import Lobby
from protocol.messages import Turn
from tests.processes import PATIENCE, ROOT

KEY = "a key that the server and its hosts share"


def settings(folder: Path) -> dict[str, str]:
    return {"PHAROS_STORE": f"sqlite:///{folder / 'rooms.db'}", "PHAROS_BOT_KEY": KEY}


def workers_of(process: int | None = None) -> list[psutil.Process]:
    """The workers that this process, or that one, has started, without what looks after their semaphores."""
    children = psutil.Process(process).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


class HostProcess:
    """One bot host."""

    def __init__(self, url: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clients.bots.host", "--url", url],
            env={**clean, "PYTHONPATH": str(ROOT), **environment},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.said = ""

    def hear(self, *words: str) -> str:
        """The next line that it writes with all these words.

        Raises:
            AssertionError: it did not come, or the process ended.
        """
        assert self.process.stdout is not None
        late = threading.Timer(PATIENCE, self.process.kill)
        late.start()
        try:
            for line in self.process.stdout:
                self.said += line.decode()
                if all(word.encode() in line for word in words):
                    return line.decode()
        finally:
            late.cancel()
        raise AssertionError(f"it never said {words}: {self.said}")

    def workers(self) -> list[psutil.Process]:
        """Its worker processes."""
        return workers_of(self.process.pid)

    def end(self, number: int = signal.SIGTERM, within: float = PATIENCE) -> tuple[int, str]:
        """Send the signal; the exit code, and everything it wrote."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=within)
        return self.process.returncode, self.said + out.decode()


@contextlib.contextmanager
def hosting(url: str) -> Iterator[HostProcess]:
    host = HostProcess(url, PHAROS_BOT_KEY=KEY)
    try:
        yield host
        if host.process.poll() is None:
            code, out = host.end()
            assert code == 0, out
            assert "Traceback" not in out
    finally:
        if host.process.poll() is None:
            host.end(signal.SIGKILL)


class Evening:
    """A room with one seat of our own; bots were asked to take the rest."""

    def __init__(self, url: str, connection: Connection) -> None:
        self.lobby = Lobby(url)
        self.connection = connection
        self.token = ""
        self.room: Room

    async def begin(
        self, seats: int = 2, policy: str = "random", *, game: str = "dragonwood", name: str = "Ana"
    ) -> Evening:
        made = await self.lobby.create(game, seats, name=name)
        self.token = made["token"]
        await self.lobby.offer(made["room"], policy, self.token)
        self.room = await self.connection.join(made["room"], self.token, legal=True)
        return self

    async def go_on(self, entries: int) -> None:
        """Play our seat until the journal has so many entries more: without the bots' own it would not get there."""
        until = self.room.seq + entries
        async with asyncio.timeout(PATIENCE):
            async for message in self.room:
                if isinstance(message, Turn) and self.room.deciding:
                    await self.room.act(Random(message.seq).choice(self.room.actions), seq=message.seq)
                if self.room.seq >= until or self.room.over:
                    return

    async def hear_the_bot(self) -> None:
        """Play our seat until the one of the bot has to decide, and on until it has."""
        while not self.room.state["turn"] or self.room.state["turn"]["seats"] != [1]:
            await self.go_on(1)
        await self.go_on(1)

    async def finish(self) -> dict[str, Any]:
        """Play to the end; the last state."""
        async with asyncio.timeout(3 * PATIENCE):
            await play(self.room, play_random, Random(1))
        return dict(self.room.state)

    async def kinds(self) -> list[str]:
        """What each action of the bots' seats was: their own (`action`), or the server's (`timeout`)."""
        entries = (await self.lobby.replay(self.room.id))["entries"]
        return [entry["kind"] for entry in entries if entry.get("seat") and entry["kind"] in ("action", "timeout")]


@contextlib.asynccontextmanager
async def evening(url: str) -> AsyncIterator[Evening]:
    async with Connection(url) as connection:
        yield Evening(url, connection)


@contextlib.asynccontextmanager
async def hosted_here(url: str, key: str = KEY) -> AsyncIterator[Host]:
    """A host in this process."""
    host = Host(url, key, "msgpack")
    serving = asyncio.create_task(host.run())
    try:
        yield host
        assert not serving.done()
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        THINKERS.stop()
