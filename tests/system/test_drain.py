"""A deploy under load: one node after the other goes and comes back, and no game notices more than a reconnect."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from pathlib import Path

import msgspec
import pytest

from clients.lobby import Lobby
from server.store.redis import RedisStore, read_url
from server.store.sqlite import SqliteStore
from server.store.store import Store
from tests.processes import ServerProcess
from tests.redis_server import redis_server
from tests.system.crowd import Crowd, stick
from tests.system.evening import Evening, check_table
from tests.system.journals import stored


class Load(msgspec.Struct, frozen=True):
    """What goes on during the deploy. `grace`: ms that a node may take to go."""

    games: Sequence[tuple[str, int]]
    watchers: int
    stuck: int
    grace: int
    pause: float
    between: int
    """Actions a game between two steps of the deploy."""


def environment(store: str, load: Load, port: int = 0) -> dict[str, str]:
    """Settings of every node."""
    return {
        "PHAROS_STORE": store,
        "PHAROS_PORT": str(port),
        "PHAROS_SHUTDOWN_WITHIN": str(load.grace),
        "PHAROS_SHUTDOWN_DELAY": str(load.grace // 10),
        "PHAROS_RECONNECT_SPREAD": "1000",
        "PHAROS_CLOSE_WITHIN": str(load.grace // 4),
        "PHAROS_PING_EVERY": "5000",
        "PHAROS_SEND_BUFFER": "8192",
    }


async def deployed(server: ServerProcess, settings: Mapping[str, str], grace: int) -> ServerProcess:
    """The node goes, within the grace time; another one comes in its place."""
    server.signal()
    await asyncio.to_thread(server.wait_for, "stopping")
    with contextlib.suppress(OSError):  # so late that it does not even listen any more
        assert (await asyncio.to_thread(server.get, "/readyz"))[0] == 503
    assert await asyncio.to_thread(server.process.wait, grace / 1000) == 0
    assert server.wait() == 0
    assert [entry for entry in server.log if entry["level"] == "error"] == []
    assert server.noise == []
    again = ServerProcess(settings)
    await asyncio.to_thread(again.wait_ready)
    return again


async def deploy(url: str, store: Store, load: Load) -> None:
    """Play, watch and be stuck on two nodes, deploy them one after the other, and hold every journal to account.

    `store` opens what the URL names.
    """
    nodes = [ServerProcess(environment(url, load)) for _ in range(2)]
    try:
        for node in nodes:
            await asyncio.to_thread(node.wait_ready)
        evening = Evening([node.url for node in nodes], load.pause)
        async with AsyncExitStack() as stack, asyncio.timeout(600):
            playing = asyncio.gather(*(evening.play(*game, n) for n, game in enumerate(load.games)))
            await evening.until(len(load.games))
            crowd = Crowd([node.port for node in nodes], [table.room for table in evening.tables])
            for number in range(load.stuck):
                await stick(stack, nodes[number % 2].port, crowd.rooms[number % len(crowd.rooms)])
            watching = [asyncio.create_task(crowd.watch(number)) for number in range(load.watchers)]
            await crowd.until_attached(load.watchers)
            for place in range(2):
                await evening.until(evening.oks + load.between * len(load.games))
                assert not any(table.results for table in evening.tables), "a deploy must come in the middle of games"
                settings = environment(url, load, nodes[place].port)
                nodes[place] = await deployed(nodes[place], settings, load.grace)
                await crowd.until_attached(load.watchers)
            evening.pause = 0.0
            await playing
            replays = [await Lobby(nodes[0].url).replay(table.room) for table in evening.tables]
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        for node in nodes:
            assert await asyncio.to_thread(node.stop) == 0
    finally:
        for node in nodes:
            if node.process.poll() is None:
                node.kill()
    check_crowd(crowd, load)
    journals = await stored(store, [table.room for table in evening.tables])
    for table, replay in zip(evening.tables, replays, strict=True):
        check_table(table, replay, journals[table.room])
        assert "paused" not in {entry["kind"] for entry in replay["entries"]}, "somebody's clock noticed"


def check_crowd(crowd: Crowd, load: Load) -> None:
    """Whoever watched was told before it was closed, to come back at a moment of its own."""
    assert crowd.wrong == []
    assert crowd.sent_away >= load.watchers
    assert len(set(crowd.pauses)) > math.sqrt(len(crowd.pauses))


GAMES = (("dragonwood", 2), ("burano", 2), ("islet", 2))


@contextlib.contextmanager
def sqlite(folder: Path) -> Iterator[tuple[str, Store]]:
    """A file, and a store on it."""
    yield f"sqlite:///{folder}/rooms.db", SqliteStore(folder / "rooms.db")


@contextlib.contextmanager
def redis(folder: Path) -> Iterator[tuple[str, Store]]:
    """A Redis, and a store on it."""
    with redis_server(folder / "redis") as server:
        yield server.url, RedisStore(read_url(server.url))


async def test_two_nodes_are_deployed_one_after_the_other(tmp_path: Path) -> None:
    with redis(tmp_path) as (url, store):
        await deploy(url, store, Load(GAMES, watchers=100, stuck=6, grace=6000, pause=0.2, between=2))


@pytest.mark.soak
@pytest.mark.parametrize("store", [sqlite, redis])
async def test_two_nodes_are_deployed_under_thousands_of_sockets(
    tmp_path: Path, store: Callable[[Path], AbstractContextManager[tuple[str, Store]]]
) -> None:
    with store(tmp_path) as (url, opened):
        load = Load(GAMES * 7, watchers=2000, stuck=100, grace=20_000, pause=0.5, between=3)
        await deploy(url, opened, load)
