"""What the tests of all stores share: the stores, a world that several store objects share, and small words.

A store gets the whole suite by one more line in `STORES`: a function from a free folder to a `World`. A world's time
may stand still or run; the tests hold for both.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from protocol.messages import RoomId
from server.store.memory import Memory, MemoryStore
from server.store.redis import RedisStore, read_url
from server.store.sqlite import SqliteStore
from server.store.store import EMPTY, Append, Head, Index, Store, Wakeup
from tests.redis_cluster import shared_cluster
from tests.redis_server import RedisServer, shared_server

EVER = 2**53 - 1
SOON = 30_000
ROOM = RoomId("K7QF2M")
OTHER = RoomId("ZZ34AB")


class World(Protocol):
    """What several store objects share, and its time."""

    def store(self) -> Store:
        """Another store object, not yet opened."""

    def step(self, ms: int) -> None:
        """Let the store's time jump, forwards or back."""

    def close(self) -> None:
        """Let go of everything, after the stores."""


class HandClock:
    """A time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_764_480_000_000

    def __call__(self) -> int:
        return self.now


class LocalWorld:
    """A world whose stores take their time from a clock of ours."""

    def __init__(self, make: Callable[[Callable[[], int]], Store]) -> None:
        self._clock = HandClock()
        self._make = make

    def store(self) -> Store:
        return self._make(self._clock)

    def step(self, ms: int) -> None:
        self._clock.now += ms

    def close(self) -> None:
        pass


def memory(folder: Path) -> World:
    """Stores that share a `Memory`."""
    worlds: list[Memory] = []

    def make(clock: Callable[[], int]) -> Store:
        if not worlds:
            worlds.append(Memory(clock))
        return MemoryStore(worlds[0])

    return LocalWorld(make)


def sqlite(folder: Path) -> World:
    """Stores that share a file."""
    return LocalWorld(lambda clock: SqliteStore(folder / "pharos.db", clock))


class RedisWorld:
    """Stores that share servers which are empty at first. `still`: time stands still until it is moved."""

    def __init__(self, url: str, servers: Iterable[RedisServer], *, still: bool = False) -> None:
        for server in servers:
            server.ask("FLUSHALL")
        self._place = read_url(url)
        self._ms = HandClock().now if still else 0
        self._sign = "=" if still else ""

    def store(self) -> Store:
        return RedisStore(self._place, time=lambda: f"{self._sign}{self._ms}")

    def step(self, ms: int) -> None:
        self._ms += ms

    def close(self) -> None:
        pass


def redis(folder: Path) -> World:
    """Stores that share one Redis server."""
    return RedisWorld(shared_server().url, [shared_server()])


def redis_still(folder: Path) -> World:
    """The same, at a time that is told."""
    return RedisWorld(shared_server().url, [shared_server()], still=True)


def redis_cluster(folder: Path) -> World:
    """Stores that share a cluster of three primaries."""
    nodes = shared_cluster()
    return RedisWorld(f"redis+cluster://127.0.0.1:{nodes[0].port}", nodes)


STORES: dict[str, Callable[[Path], World]] = {
    "memory": memory,
    "sqlite": sqlite,
    "redis": redis,
    "redis-cluster": redis_cluster,
}
STILL: dict[str, Callable[[Path], World]] = {"memory": memory, "sqlite": sqlite, "redis": redis_still}
"""Those whose time stands still between two steps; they are compared with the model as well."""

OPEN = Index("dragonwood", "open", True, 0, b'{"status":"open"}', due=SOON)
PLAYING = msgspec.structs.replace(OPEN, status="playing", clock=True, listing=b'{"status":"playing"}')
FINISHED = msgspec.structs.replace(OPEN, status="finished", listing=b'{"status":"finished"}')


def of(room: RoomId, after: Head = EMPTY, *data: bytes, index: Index = OPEN) -> Append:
    """An append of these entries (one, if none is named), each with a tag of its own, at any time."""
    entries = data or (b"entry",)
    return Append(room, after, entries, tuple(secrets.token_hex(8) for _ in entries), index, EVER)


async def grown(store: Store, room: RoomId, entries: int, index: Index = OPEN) -> Head:
    """Append so many entries, one at a time; the head after them."""
    head = await store.head(room) or EMPTY
    for _ in range(entries):
        head = await store.append(of(room, head, b"entry %d" % (head.seq + 1), index=index))
    return head


async def heard(wakeups: AsyncIterator[Wakeup], count: int) -> list[Wakeup]:
    """The next so many wake-ups."""
    return [await anext(wakeups) for _ in range(count)]
