"""Several server processes over one store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.processes import ServerProcess
from tests.redis_server import RedisServer, redis_server


class Nodes:
    """The servers, each of which keeps its port when it is started again. `redis`: what they share, if it is one."""

    redis: RedisServer

    def __init__(self, environment: Mapping[str, str], modules: Sequence[str]) -> None:
        self._environment = environment
        self._modules = modules
        self.servers: list[ServerProcess] = []
        self.dead: list[ServerProcess] = []
        """Those that were killed."""

    def start(self) -> None:
        """Start all, and wait until they are ready."""
        self.servers = [self._new(number) for number in range(len(self._modules))]
        for server in self.servers:
            server.wait_ready()

    def _new(self, number: int, port: int = 0) -> ServerProcess:
        named = {"PHAROS_NODE": f"node-{number}", "PHAROS_PORT": str(port)}
        return ServerProcess({**self._environment, **named}, self._modules[number])

    @property
    def urls(self) -> list[str]:
        return [server.url for server in self.servers]

    async def kill(self, number: int) -> None:
        """End a node as a crash would."""
        await asyncio.to_thread(self.servers[number].kill)

    async def start_again(self, number: int) -> None:
        """Start a node in the place of one that was killed."""
        old = self.servers[number]
        self.dead.append(old)
        self.servers[number] = self._new(number, old.port)
        await asyncio.to_thread(self.servers[number].wait_ready)

    def errors(self) -> list[object]:
        """What any node has logged as an error, or written past its log."""
        every = (*self.servers, *self.dead)
        return [e for server in every for e in (*(e for e in server.log if e["level"] == "error"), *server.noise)]

    def stop(self) -> list[int]:
        """Ask all to end; their exit codes."""
        for server in self.servers:
            server.signal()
        return [server.wait() for server in self.servers]

    def close(self) -> None:
        for server in self.servers:
            if server.process.poll() is None:
                server.kill()


@contextmanager
def nodes(
    folder: Path, environment: Mapping[str, str] | None = None, *, modules: Sequence[str] = ("server",) * 3
) -> Iterator[Nodes]:
    """Nodes that are ready, over a Redis that keeps what it acknowledges; `modules`: what each one runs."""
    with redis_server(folder / "redis") as redis, nodes_on(redis.url, environment, modules=modules) as these:
        these.redis = redis
        yield these


@contextmanager
def nodes_on(
    store: str, environment: Mapping[str, str] | None = None, *, modules: Sequence[str] = ("server",) * 3
) -> Iterator[Nodes]:
    """Nodes that are ready, over a store that is there."""
    these = Nodes({"PHAROS_STORE": store, **(environment or {})}, modules)
    try:
        these.start()
        yield these
    finally:
        these.close()
