"""Hubs over a Redis of their own: conflicting actions of one instant, and a journal that loses its last entries."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.codec import JSON
from protocol.messages import Act, Error, Legal, Ok, Patch, Resign, RoomId
from server.rooms.entries import Acted, Paused, TimedOut, unpack
from server.rooms.hub import Hub
from server.store.redis import RedisStore, read_url
from tests.processes import PATIENCE
from tests.redis_server import RedisServer, redis_server
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party

TRUE = frozenset({"stale", "not_your_turn", "illegal_action", "game_over"})
"""What the loser of a race may be told."""


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path / "redis") as server:
        yield server


@pytest.fixture
async def nodes(redis: RedisServer) -> AsyncIterator[Nodes]:
    """Three hubs."""
    hubs = [Hub(RedisStore(read_url(redis.url)), QUICK, f"node-{number}") for number in range(3)]
    for hub in hubs:
        await hub.start()
    yield Nodes(hubs)
    for hub in hubs:
        await hub.stop()


async def journal(nodes: Nodes, room: str) -> dict[int, Any]:
    """The entries of a room, by their seq."""
    return {stored.seq: unpack(stored.data) for stored in await nodes.hubs[0].store.read(RoomId(room))}


class Race:
    """A game in which two nodes are given conflicting actions of the deciding seat in the same instant."""

    def __init__(self, nodes: Nodes, number: int) -> None:
        self._nodes = nodes
        self._random = Random(number)
        self.told: dict[int, tuple[int, dict[str, Any]]] = {}
        self.pairs = self.lost = 0

    async def run(self, pairs: int) -> None:
        """Race so often, in as many games as it takes."""
        while self.pairs < pairs:
            party = await self._nodes.party(2)
            twins = [Peer(self._nodes.hubs[(seat + 1) % 3], JSON) for seat in range(2)]
            for twin, token in zip(twins, party.tokens, strict=True):
                assert isinstance(await twin.join(party.room, token), Ok)
            self.told.clear()
            while self.pairs < pairs and await party.playing():
                await self._pair(party, twins)
            await self._check(party, twins)

    async def _pair(self, party: Party, twins: list[Peer]) -> None:
        peer = party.deciding()[0]
        seat = party.peers.index(peer)
        await twins[seat].until(peer.seq)
        legal = await peer.ask(Legal)
        assert isinstance(legal, Ok)
        assert legal.actions
        chosen = [dict(self._random.choice(legal.actions)) for _ in range(2)]
        numbers = [
            racer.send(Act, action=action, seq=racer.seq)
            for racer, action in zip((peer, twins[seat]), chosen, strict=True)
        ]
        replies = await asyncio.gather(peer.reply_to(numbers[0]), twins[seat].reply_to(numbers[1]))
        for reply, action in zip(replies, chosen, strict=True):
            if isinstance(reply, Ok):
                assert isinstance(reply.seq, int)
                assert reply.seq not in self.told, "two were told that the entry is theirs"
                self.told[reply.seq] = (seat, action)
            else:
                assert isinstance(reply, Error)
                assert reply.code in TRUE
                self.lost += 1
        assert any(isinstance(reply, Ok) for reply in replies)
        self.pairs += 1

    async def _check(self, party: Party, twins: list[Peer]) -> None:
        """The journal has exactly what was told, and all see it alike."""
        seq = await party.settled()
        found = {n: entry for n, entry in (await journal(self._nodes, party.room)).items() if isinstance(entry, Acted)}
        assert {n: (entry.seat, entry.action) for n, entry in found.items()} == self.told
        for twin, peer in zip(twins, party.peers, strict=True):
            assert await twin.until(seq) == await peer.until(seq)
            seen = [patch.seq for patch in peer.patches]
            assert seen == sorted(set(seen))


async def race(nodes: Nodes, pairs: int, at_once: int) -> None:
    races = [Race(nodes, number) for number in range(at_once)]
    await asyncio.gather(*(race.run(pairs // at_once) for race in races))
    assert sum(race.pairs for race in races) == pairs
    assert sum(race.lost for race in races) > pairs / 2


async def test_a_thousand_conflicts_have_one_order_each(nodes: Nodes) -> None:
    await race(nodes, 1_000, 20)


@pytest.mark.soak
async def test_ten_thousand_conflicts_have_one_order_each(nodes: Nodes) -> None:
    await race(nodes, 10_000, 20)


async def eventually(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until it does, by itself."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.05)


async def test_a_full_redis_is_cleared_up_and_takes_no_time_from_the_clocks(redis: RedisServer) -> None:
    """What is over is compressed and removed though nothing else can be written; nobody's clock runs meanwhile."""
    pace = replace(QUICK, compact_after=500, finished_ttl=1500, outage=500)
    hub = Hub(RedisStore(read_url(redis.url)), pace, "alone")
    await hub.start()
    over = await Nodes([hub]).party(2)
    going_on = await Nodes([hub]).party(2, clock={"bank": 0, "per_turn": 2000})
    for peer in over.peers:
        assert isinstance(await peer.ask(Resign), Ok)
    await over.peers[0].until(await over.settled() + 1)
    assert not await over.playing()
    redis.ask("CONFIG", "SET", "maxmemory", 1)
    peer = going_on.peers[0]
    assert isinstance(refusal := await peer.act({"type": "reload"}), Error)
    assert refusal.code == "unavailable"

    async def compressed() -> bool:
        return bool(redis.ask("KEYS", "*:archive"))

    async def removed() -> bool:
        return await hub.store.head(RoomId(over.room)) is None

    async def played() -> bool:
        return isinstance(await peer.act({"type": "reload"}), Ok)

    await eventually(compressed)
    await eventually(removed)
    redis.ask("CONFIG", "SET", "maxmemory", 0)
    await eventually(played)
    kinds = [type(unpack(entry.data)) for entry in await hub.store.read(RoomId(going_on.room))]
    assert Paused in kinds
    assert TimedOut not in kinds
    await hub.stop()


class Snapshot:
    """What Redis has on its disc, to be put back."""

    def __init__(self, redis: RedisServer, folder: Path) -> None:
        self._redis = redis
        self._copy = folder / "copy"
        shutil.copytree(redis.folder, self._copy)

    async def restore(self) -> None:
        """As if everything since had never been."""
        await asyncio.to_thread(self._redis.kill)
        shutil.rmtree(self._redis.folder)
        shutil.copytree(self._copy, self._redis.folder)
        await asyncio.to_thread(self._redis.start)


@pytest.mark.parametrize("ahead", [0, 2])
async def test_a_rolled_back_journal_takes_everybody_to_its_own_branch(
    nodes: Nodes, redis: RedisServer, tmp_path: Path, ahead: int
) -> None:
    """Redis loses four entries; a node that never had the room in memory writes others, then the rest hears of it."""
    party, random = await nodes.party(2), Random(7)
    for _ in range(3):
        assert isinstance(await party.step(random), Ok)
    kept = await party.settled()
    snapshot = Snapshot(redis, tmp_path)
    for _ in range(4):
        assert isinstance(await party.step(random), Ok)
    lost = await party.settled()
    await snapshot.restore()

    newcomers = [Peer(nodes.hubs[2], JSON) for _ in party.tokens]
    for newcomer, token in zip(newcomers, party.tokens, strict=True):
        await joined(newcomer, party.room, token)
    assert newcomers[0].fold()["room"]["status"] == "playing"
    branch, told = Party(party.room, party.tokens, newcomers), []
    while newcomers[0].seq < (kept + 1 if ahead == 0 else lost + ahead):
        reply = await branch.step(Random(newcomers[0].seq + 100))
        assert isinstance(reply, Ok)
        told.append(reply.seq)
    head = await nodes.hubs[2].store.head(RoomId(party.room))
    assert head is not None
    for peer in (*party.peers, *newcomers):
        await at(peer, head.seq, head.tag)
    for one, other in zip(party.peers, newcomers, strict=True):
        assert one.state == other.state
    assert set(told) <= set(await journal(nodes, party.room)), "what was acknowledged after the loss is kept"
    assert isinstance(await party.step(random), Ok)
    await Party(party.room, party.tokens, [*party.peers, *newcomers]).settled()
    assert [peer.fold() for peer in party.peers] == [peer.fold() for peer in newcomers]


async def joined(peer: Peer, room: str, token: str) -> None:
    """Join as soon as the store is back."""
    for _ in range(100):
        reply = await peer.join(room, token, legal=True)
        if isinstance(reply, Ok):
            return
        assert reply.code == "unavailable"
        await asyncio.sleep(0.1)
    raise AssertionError("the store never came back")


async def at(peer: Peer, seq: int, tag: str) -> None:
    """Wait until the peer was told this place of the journal."""
    await peer.true(lambda: bool(peer.fold()) and (peer.seq, peer.tag) == (seq, tag))


async def test_when_all_data_is_gone_everybody_is_told_and_play_begins_anew(nodes: Nodes, redis: RedisServer) -> None:
    party, random = await nodes.party(2), Random(9)
    for _ in range(3):
        assert isinstance(await party.step(random), Ok)
    await party.settled()
    redis.ask("FLUSHALL")
    for peer in party.peers:
        assert await told_off(peer) == "unknown_room"
        assert isinstance(refusal := await peer.join(party.room, party.tokens[0]), Error)
        assert refusal.code == "unknown_room"
    assert all(hub.ready for hub in nodes.hubs)
    again = await nodes.party(2)
    assert isinstance(await again.step(random), Ok)
    await again.settled()


async def told_off(peer: Peer) -> str:
    """Why the peer is no longer attached, once it was told."""
    async with asyncio.timeout(10):
        while True:
            peer.box.news.clear()
            for message in peer.box.messages:
                if isinstance(message, Error) and message.id is None:
                    return message.code
            await peer.box.news.wait()


async def test_a_hub_whose_redis_was_away_serves_again_by_itself(nodes: Nodes, redis: RedisServer) -> None:
    party, random = await nodes.party(2), Random(8)
    assert isinstance(await party.step(random), Ok)
    await party.settled()
    await asyncio.to_thread(redis.kill)
    peer = party.deciding()[0]
    action = await peer.ask(Legal)
    assert isinstance(action, Ok)
    assert action.actions
    reply = await peer.ask(Act, action=dict(action.actions[0]), seq=peer.seq, key="once")
    assert isinstance(reply, Error)
    assert reply.code in ("unavailable", "unknown_outcome")
    await asyncio.to_thread(redis.start)
    for _ in range(100):
        reply = await peer.ask(Act, action=dict(action.actions[0]), seq=peer.seq, key="once")
        if isinstance(reply, Ok):
            break
        assert reply.code in ("unavailable", "unknown_outcome")
        await asyncio.sleep(0.1)
    assert isinstance(reply, Ok)
    await party.settled()
    assert [patch.seq for patch in peer.patches].count(reply.seq) == 1
    assert isinstance(peer.last(Patch), Patch)
