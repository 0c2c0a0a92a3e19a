"""Two hubs over one store: whatever the tests here show holds for many nodes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from server.engines import ENGINES
from server.rooms.hub import Hub
from server.settings import Pace
from server.store.memory import Memory, MemoryStore
from server.store.redis import RedisStore, read_url
from server.store.sqlite import SqliteStore
from server.store.store import Store
from tests.engines.toy import ToyEngine
from tests.redis_server import shared_server
from tests.rooms.tables import QUICK, Nodes
from tests.store.faulty import FaultyStore


def _memory(_: Path) -> Callable[[], Store]:
    world = Memory()
    return lambda: MemoryStore(world)


def _sqlite(folder: Path) -> Callable[[], Store]:
    return lambda: SqliteStore(folder / "rooms.db")


def _redis(_: Path) -> Callable[[], Store]:
    server = shared_server()
    server.ask("FLUSHALL")
    return lambda: RedisStore(read_url(server.url))


STORES: dict[str, Callable[[Path], Callable[[], Store]]] = {"memory": _memory, "sqlite": _sqlite, "redis": _redis}


@pytest.fixture(params=STORES)
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Store]:
    """Makes one more client of the test's own store."""
    return STORES[request.param](tmp_path)


@pytest.fixture
def pace() -> Pace:
    """How the hubs run; tests that need another one override it."""
    return QUICK


@pytest.fixture
async def nodes(new_store: Callable[[], Store], pace: Pace) -> AsyncIterator[Nodes]:
    """Two hubs."""
    hubs = [Hub(new_store(), pace, f"node-{number}") for number in range(2)]
    for hub in hubs:
        await hub.start()
    yield Nodes(hubs)
    for hub in hubs:
        await hub.stop()


@pytest.fixture
async def hub(pace: Pace) -> AsyncIterator[Hub]:
    """One hub on a store in memory."""
    alone = Hub(MemoryStore(), pace, "alone")
    await alone.start()
    yield alone
    await alone.stop()


@pytest.fixture
def world() -> Memory:
    """What stores in memory hold, for tests that open several on it."""
    return Memory()


@pytest.fixture
def faulty(world: Memory) -> FaultyStore:
    """A store on that world, which fails when it is told to."""
    return FaultyStore(MemoryStore(world))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ToyEngine:
    """The toy game, played like a registered one: turns of several actions, dice, and choices made at once."""
    engine = ToyEngine()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    return engine


@pytest.fixture(autouse=True)
def logs() -> Iterator[list[MutableMapping[str, Any]]]:
    """What was logged."""
    with capture_logs() as entries:
        yield entries
