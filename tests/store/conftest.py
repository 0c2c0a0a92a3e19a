"""Every test that asks for `a`, `b` or `world` runs on every store."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from server.store.store import Store
from tests.store.contract import STORES, World


@pytest.fixture(params=STORES)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    world = STORES[request.param](tmp_path)
    yield world
    world.close()


@pytest.fixture
async def a(world: World) -> AsyncIterator[Store]:
    """One store object."""
    store = world.store()
    await store.open()
    yield store
    await store.close()


@pytest.fixture
async def b(world: World) -> AsyncIterator[Store]:
    """Another one, over the same world."""
    store = world.store()
    await store.open()
    yield store
    await store.close()
