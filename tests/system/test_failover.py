"""A replica takes the place of a primary of a Redis Cluster while rooms are played.

Replication is asynchronous: what was acknowledged last may be lost. Nobody stays with what was lost, and what is
acknowledged by the new primary is kept.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest

from clients.lobby import Lobby
from protocol.messages import RoomId
from server.store.redis import RedisStore, read_url
from server.store.redis.keys import bucket_of, slot_of
from tests.redis_cluster import Pair, owner, redis_cluster
from tests.redis_server import SAFE, RedisServer
from tests.system.evening import Evening, Table, check_loss
from tests.system.journals import keys_of, stored
from tests.system.nodes import Nodes, nodes_on

OPTIONS = (*SAFE, "--cluster-node-timeout", "1500", "--cluster-replica-validity-factor", "0")
GAMES = [("dragonwood", 2), ("islet", 2), ("dragonwood", 3)]
WENT = "the journal went another way"

Acks = Mapping[tuple[str, int, str], int]
"""The entry of every action that got its `ok`, by room, seat and key."""


def acknowledged(evening: Evening) -> Acks:
    """All of them, up to now."""
    return {(table.room, *key): seq for table in evening.tables for key, seq in table.acknowledged.items()}


def home(members: Sequence[RedisServer], table: Table) -> RedisServer:
    """The primary that has the room."""
    return owner(members, slot_of(bucket_of(RoomId(table.room))))


def url_of(members: Sequence[RedisServer]) -> str:
    """The cluster by several of its members: any of them may be gone when it is looked for."""
    return f"redis+cluster://{','.join(f'127.0.0.1:{member.port}' for member in members)}"


class Evidence:
    """What was acknowledged when it could be lost, and what when it could not."""

    def __init__(self, evening: Evening) -> None:
        self._evening = evening
        self._doubtful: set[tuple[str, int, str]] = set()
        self._safe: Acks = {}

    def parting(self) -> None:
        """From now on what is acknowledged may be lost."""
        self._safe = acknowledged(self._evening)

    def over(self) -> None:
        """It may not any more."""
        self._doubtful |= acknowledged(self._evening).keys() - self._safe.keys()

    async def lost(self, store: RedisStore, these: Nodes) -> int:
        """How many actions are gone, none of which may be missing; every node says the same of every room."""
        tables = self._evening.tables
        journals = await stored(store, [table.room for table in tables])
        lost = 0
        for table in tables:
            replays = [await Lobby(url).replay(table.room) for url in these.urls]
            assert replays == replays[:1] * len(replays)
            kept = {
                (seat, key): seq
                for (seat, key), seq in table.acknowledged.items()
                if (table.room, seat, key) not in self._doubtful
            }
            lost += check_loss(table, kept, replays[0])
            found = keys_of(journals[table.room])
            assert found.keys() <= table.sent.keys()
            assert set(found.values()) == {1}, "a key is in the journal twice"
        return lost


async def test_a_primary_is_killed_whose_replica_lacks_the_last_entries(tmp_path: Path) -> None:
    with redis_cluster(tmp_path, *OPTIONS, members=4) as members:
        url = url_of(members)
        with nodes_on(url, modules=("server",) * 2) as these:
            evening = Evening(these.urls, pause=0.1)
            evidence = Evidence(evening)
            playing = asyncio.gather(*(evening.play("islet", 2, number) for number in range(4)))
            await evening.until(4)
            table = evening.tables[0]
            pair = await asyncio.to_thread(Pair, home(members, table), members[3], 4)
            evidence.parting()
            await asyncio.to_thread(pair.part)
            known = len(table.acknowledged)
            while len(table.acknowledged) < known + 5:  # some of these may have been on their way
                await evening.until(evening.oks + 1)
            assert not table.results, "the fault must come in the middle of the game"
            await asyncio.to_thread(pair.primary.kill)
            await asyncio.to_thread(pair.change_places)
            evidence.over()
            evening.pause = 0.0
            async with asyncio.timeout(60):
                await playing
            assert await evidence.lost(RedisStore(read_url(url)), these) >= 3
            assert WENT in {entry["event"] for server in these.servers for entry in server.log}
            assert these.errors() == []
            assert await asyncio.to_thread(these.stop) == [0, 0]


async def replace(pair: Pair, random: Random) -> None:
    """A primary dies or stands still, and its replica has everything, or not."""
    if random.random() < 0.5:
        await asyncio.to_thread(pair.part)
        await asyncio.sleep(0.5)
    if random.random() < 0.5:
        pair.primary.signal(signal.SIGSTOP)
    else:
        await asyncio.to_thread(pair.primary.kill)
    await asyncio.to_thread(pair.change_places)
    await asyncio.sleep(random.random() * 3)
    await asyncio.to_thread(pair.mend)


async def a_round(these: Nodes, url: str, pairs: Sequence[Pair], random: Random) -> int:
    """Games during which one or two primaries are replaced; how many actions were lost by it."""
    evening = Evening(these.urls, pause=0.2)
    evidence = Evidence(evening)
    playing = asyncio.gather(*(evening.play(*GAMES[number % 3], number) for number in range(12)))
    while len(evening.tables) < 12 or not all(table.acknowledged for table in evening.tables):
        await evening.until(evening.oks + 1)
    for pair in pairs:
        await asyncio.to_thread(pair.catch_up)
    evidence.parting()
    for pair in random.sample(pairs, random.choice((1, 2))):
        await replace(pair, random)
    evidence.over()
    evening.pause = 0.0
    async with asyncio.timeout(120):
        await playing
    return await evidence.lost(RedisStore(read_url(url)), these)


@pytest.mark.soak
async def test_primaries_and_replicas_change_places_again_and_again(tmp_path: Path) -> None:
    with redis_cluster(tmp_path, *OPTIONS, members=6) as members:
        pairs = [Pair(members[number], members[number + 3], number + 4) for number in range(3)]
        url = url_of(members)
        with nodes_on(url) as these:
            random = Random(7)
            lost = [await a_round(these, url, pairs, random) for _ in range(10)]
            assert sum(lost) > 0
            assert these.errors() == []
            assert await asyncio.to_thread(these.stop) == [0] * 3
