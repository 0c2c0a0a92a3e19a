"""Redis as a cluster whose slots move, and as a primary with replicas that Sentinels watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from protocol.messages import RoomId
from server.store.redis import RedisStore
from server.store.redis.keys import bucket_of, slot_of
from server.store.store import News, StoreUnavailable, UnknownOutcome, Wakeup
from tests.processes import PATIENCE
from tests.redis_cluster import name_of, owner, shared_cluster
from tests.redis_server import SAFE, RedisServer, Sentinel, redis_server
from tests.store.contract import OTHER, ROOM, grown, of
from tests.store.redis_load import BOUND, Load, opened, recovered


async def move(nodes: Sequence[RedisServer], slot: int, load: Load) -> None:
    """Give the slot to another node, key by key, while appends go on."""
    source = owner(nodes, slot)
    target = next(node for node in nodes if node is not source)
    target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", name_of(source))
    source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", name_of(target))
    await load.more(20)
    while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 5):
        source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        await asyncio.sleep(0)
    for node in (target, source, *nodes):
        node.ask("CLUSTER", "SETSLOT", slot, "NODE", name_of(target))


async def test_slots_of_a_cluster_move_under_load(tmp_path: Path) -> None:
    nodes = shared_cluster()
    for node in nodes:
        node.ask("FLUSHALL")
    async with opened(f"redis+cluster://127.0.0.1:{nodes[0].port}") as store:
        load = Load(store, 30)
        await load.more(100)
        await store.follow(ROOM)
        for room in (ROOM, RoomId("LOAD00"), RoomId("LOAD01")):
            await move(nodes, slot_of(bucket_of(room)), load)
        await load.more(200)
        await load.stop()
        await load.check()
        assert load.longest < BOUND
        await hears_of(store, ROOM)
        assert sorted(room for room in await store.heads([*load.acknowledged])) == sorted(load.acknowledged)


async def hears_of(store: RedisStore, room: RoomId) -> None:
    """Wake-ups about the room come, after those that say that some may have been missed."""
    async with asyncio.timeout(PATIENCE):
        wakeups = store.wakeups()
        waiting = asyncio.ensure_future(_entry(wakeups))
        while not waiting.done():
            await grown(store, room, 1)
            await asyncio.wait([waiting], timeout=0.2)
        assert waiting.result().room == room


async def _entry(wakeups: AsyncIterator[Wakeup]) -> Wakeup:
    async for wakeup in wakeups:
        if wakeup.news is News.ENTRY:
            return wakeup
    raise AssertionError("no more wake-ups")


async def test_sentinels_name_another_primary(tmp_path: Path) -> None:
    with ExitStack() as stack:
        primary = stack.enter_context(redis_server(tmp_path / "primary", *SAFE))
        options = (*SAFE, "--replicaof", "127.0.0.1", str(primary.port))
        replica = stack.enter_context(redis_server(tmp_path / "replica", *options))
        replica.wait_until(lambda client: client.info("replication")["master_link_status"] == "up")
        sentinel = Sentinel(tmp_path / "sentinel", primary, quorum=1)
        stack.callback(sentinel.kill)
        sentinel.wait_until(lambda client: client.sentinel_master("pharos")["num-slaves"] == 1)
        async with opened(f"redis+sentinel://127.0.0.1:{sentinel.port}/pharos", replicas=1) as store:
            load = Load(store, 20)
            await load.more(200)
            await asyncio.to_thread(primary.kill)
            with pytest.raises((StoreUnavailable, UnknownOutcome)):
                await store.append(of(OTHER))
            await asyncio.to_thread(replica.wait_until, lambda client: client.info("replication")["role"] == "master")
            await recovered(store)
            await load.stop()
            await load.check()
            assert load.longest < BOUND
