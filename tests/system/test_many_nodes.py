"""Three nodes over one Redis serve the same rooms while nodes die, stop, or the Redis itself does."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from clients.lobby import Lobby
from server.store.redis import RedisStore, read_url
from tests.processes import PATIENCE
from tests.system.evening import Evening, check_table
from tests.system.journals import stored
from tests.system.nodes import Nodes, nodes

SHORT = [("dragonwood", 2), ("islet", 2), ("dragonwood", 3)]
LONG = [*SHORT, ("burano", 2), ("dragonwood", 4), ("bretagne", 2)]
Trouble = Callable[[Nodes], Awaitable[None]]


async def check_all(evening: Evening, these: Nodes) -> None:
    """Every table against its journal; every node says the same of every room."""
    journals = await stored(RedisStore(read_url(these.redis.url)), [table.room for table in evening.tables])
    for table in evening.tables:
        seen = [await Lobby(url).look(table.room) for url in these.urls]
        replays = [await Lobby(url).replay(table.room) for url in these.urls]
        assert seen == seen[:1] * len(seen)
        assert replays == replays[:1] * len(replays)
        check_table(table, replays[0], journals[table.room])


async def evening_of(folder: Path, rooms: int, trouble: Trouble, games: Sequence[tuple[str, int]] = SHORT) -> Evening:
    """Play at all nodes while there is trouble; then every `ok` must hold, and all must agree."""
    with nodes(folder) as these:
        evening, late = Evening(these.urls), asyncio.Event()
        playing = asyncio.gather(*(evening.play_on(games, number, late) for number in range(rooms)))
        troubled = asyncio.ensure_future(trouble(these))
        await asyncio.wait([playing, troubled], return_when=asyncio.FIRST_COMPLETED)
        assert troubled.done(), playing.exception()
        await troubled
        late.set()
        async with asyncio.timeout(240):
            await playing
        await check_all(evening, these)
        assert these.errors() == []
        assert await asyncio.to_thread(these.stop) == [0] * len(these.servers)
        return evening


async def kill_nodes(these: Nodes, times: int, every: float) -> None:
    """Every so many seconds a random node dies, and a second or so later another one takes its place."""
    random = Random(5)
    for _ in range(times):
        await asyncio.sleep(every * 0.8)
        number = random.randrange(len(these.servers))
        await these.kill(number)
        await asyncio.sleep(every * 0.2)
        await these.start_again(number)


async def test_nodes_are_killed_and_no_action_is_lost_or_doubled(tmp_path: Path) -> None:
    evening = await evening_of(tmp_path, 12, lambda these: kill_nodes(these, 3, every=2))
    assert evening.reconnects >= 12
    assert evening.oks > 500


@pytest.mark.soak
async def test_nodes_are_killed_for_ten_minutes(tmp_path: Path) -> None:
    evening = await evening_of(tmp_path, 60, lambda these: kill_nodes(these, 100, every=5), LONG)
    assert evening.oks > 10_000


async def stop_and_kill(these: Nodes) -> None:
    """A node stands still with whatever it had in hand, longer than its appends are good for; Redis dies meanwhile."""
    await asyncio.sleep(1)
    these.servers[0].signal(signal.SIGSTOP)
    await asyncio.sleep(3)
    await asyncio.to_thread(these.redis.kill)
    await asyncio.sleep(0.5)
    await asyncio.to_thread(these.redis.start)
    await asyncio.sleep(1)
    these.servers[0].signal(signal.SIGCONT)


async def test_a_node_that_stood_still_writes_nothing_old_and_redis_may_be_killed(tmp_path: Path) -> None:
    evening = await evening_of(tmp_path, 6, stop_and_kill)
    assert evening.oks > 100


async def stop_redis(these: Nodes) -> None:
    """Nothing is answered for ten seconds."""
    await asyncio.sleep(2)
    these.redis.signal(signal.SIGSTOP)
    await asyncio.sleep(10)
    these.redis.signal(signal.SIGCONT)
    await asyncio.sleep(5)


@pytest.mark.soak
async def test_redis_stands_still_for_ten_seconds(tmp_path: Path) -> None:
    evening = await evening_of(tmp_path, 12, stop_redis, LONG)
    assert evening.oks > 100


async def status(these: Nodes, path: str) -> list[int]:
    return [(await asyncio.to_thread(server.get, path))[0] for server in these.servers]


async def until_status(these: Nodes, wanted: int) -> None:
    for _ in range(int(PATIENCE / 0.1)):
        if set(await status(these, "/readyz")) == {wanted}:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"not every node came to say {wanted}")


async def test_readiness_follows_the_store_and_liveness_does_not(tmp_path: Path) -> None:
    with nodes(tmp_path, modules=("server", "server")) as these:
        await asyncio.to_thread(these.redis.kill)
        await until_status(these, 503)
        assert await status(these, "/healthz") == [200, 200]
        await these.kill(0)
        again = asyncio.ensure_future(these.start_again(0))
        await asyncio.sleep(1)
        assert not again.done()
        await asyncio.to_thread(these.redis.start)
        await again
        await until_status(these, 200)
        made = await Lobby(these.urls[0]).create("dragonwood", 2)
        assert (await Lobby(these.urls[1]).look(made["room"]))["room"]["id"] == made["room"]
