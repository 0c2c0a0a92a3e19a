"""Time in which nobody could serve: it is given back once, before anything else happens, and nothing waits for it.

And time-outs that are overtaken: they are no time-outs any more.
"""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import AsyncIterator

import msgspec
import pytest

from protocol.codes import ProtocolError
from protocol.messages import Act, Back, CreateRoom, Error, Ok, RoomId
from server.rooms import writing
from server.rooms.entries import CameBack, Paused, TimedOut, unpack
from server.rooms.hub import Hub
from server.rooms.intents import PlayFor
from server.rooms.jobs import Job
from server.rooms.table import Table
from server.settings import Pace
from server.store.memory import Memory, MemoryStore
from server.store.store import StoreUnavailable, wall_clock
from tests.processes import PATIENCE
from tests.rooms.peer import Peer
from tests.rooms.tables import Nodes, Party, new_token
from tests.store.faulty import Fault, FaultyStore

RELOAD = {"type": "reload"}
SELDOM = Pace(sweep_every=600_000, served_pace=20)
"""Nobody sweeps by itself: whatever happens is the doing of whoever acts first."""
NIGHT = 60.0


class Time:
    """Time as the store and the node know it; passes as it does, and in leaps."""

    def __init__(self) -> None:
        self.leapt = 0.0

    def store(self) -> int:
        return wall_clock() + int(self.leapt * 1000)

    def node(self) -> float:
        return time.monotonic() + self.leapt


@pytest.fixture
def clock() -> Time:
    return Time()


@pytest.fixture
def world(clock: Time) -> Memory:
    return Memory(clock.store)


@pytest.fixture
def faulty(world: Memory) -> FaultyStore:
    return FaultyStore(MemoryStore(world))


@pytest.fixture
async def hub(faulty: FaultyStore, clock: Time, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    hub = Hub(faulty, SELDOM, "alone")
    monkeypatch.setattr(hub.clock, "monotonic", clock.node)
    await hub.start()
    yield hub
    faulty.away, faulty.delay = False, 0
    async with asyncio.timeout(PATIENCE):
        await hub.stop()


async def party_on(hub: Hub, per_turn: int = 600_000) -> Party:
    return await Nodes([hub]).party(2, clock={"bank": 0, "per_turn": per_turn})


async def entries(hub: Hub, party: Party) -> list[object]:
    return [unpack(entry.data) for entry in await hub.store.read(RoomId(party.room))]


def table_of(hub: Hub, party: Party) -> Table:
    table = hub.known(RoomId(party.room))
    assert table is not None
    return table


async def test_whoever_acts_first_after_an_outage_waits_for_nobody(hub: Hub, clock: Time) -> None:
    party, other = await party_on(hub), await party_on(hub)
    clock.leapt += NIGHT
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    assert isinstance(await other.peers[0].act(RELOAD), Ok)
    for room in (party, other):
        (pause,) = (entry for entry in await entries(hub, room) if isinstance(entry, Paused))
        assert NIGHT * 1000 - 500 < pause.ms < NIGHT * 1000 + 5000


async def test_a_sweep_gives_back_what_was_not_given_back_before(hub: Hub, clock: Time) -> None:
    party, other = await party_on(hub), await party_on(hub)
    clock.leapt += NIGHT
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    async with asyncio.timeout(PATIENCE):
        await hub.keeping.sweep()
        await hub.keeping.sweep()
    for room in (party, other):
        assert sum(isinstance(entry, Paused) for entry in await entries(hub, room)) == 1


async def test_an_outage_that_goes_on_is_given_back_as_a_whole(hub: Hub, clock: Time, faulty: FaultyStore) -> None:
    party = await party_on(hub)
    clock.leapt += NIGHT
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    clock.leapt += NIGHT
    async with asyncio.timeout(PATIENCE):
        await hub.keeping.sweep()
    pauses = [entry.ms for entry in await entries(hub, party) if isinstance(entry, Paused)]
    assert len(pauses) == 2
    assert 2 * NIGHT * 1000 - 1000 < sum(pauses) < 2 * NIGHT * 1000 + 5000


async def test_a_store_that_can_only_be_read_serves_nobody(hub: Hub, clock: Time, faulty: FaultyStore) -> None:
    """Looks at the deadlines go well all the while; yet nobody could act, and all of that time is given back."""
    party = await party_on(hub)
    faulty.full = True
    for _ in range(20):
        clock.leapt += 3
        with pytest.raises(StoreUnavailable):
            await hub.keeping.sweep()
    faulty.full = False
    async with asyncio.timeout(PATIENCE):
        await hub.keeping.sweep()
    (pause,) = (entry for entry in await entries(hub, party) if isinstance(entry, Paused))
    assert 60_000 - 500 < pause.ms < 65_000


async def test_an_outage_is_over_only_when_every_room_has_its_time_back(
    hub: Hub, clock: Time, faulty: FaultyStore, world: Memory
) -> None:
    parties = [await party_on(hub), await party_on(hub)]
    clock.leapt += NIGHT
    before = world.swept
    faulty.fail(Fault.REFUSED)
    with pytest.raises(StoreUnavailable):
        await hub.keeping.sweep()
    assert world.swept == before, "another node has to see it, should this one die now"
    await hub.keeping.sweep()
    assert world.swept > before
    for party in parties:
        pauses = [entry.ms for entry in await entries(hub, party) if isinstance(entry, Paused)]
        assert NIGHT * 1000 - 500 < sum(pauses) < NIGHT * 1000 + 5000


async def test_time_that_the_store_gave_back_and_lost_is_given_back_again(hub: Hub, clock: Time, world: Memory) -> None:
    party = await party_on(hub)
    clock.leapt += NIGHT
    room, before, swept = RoomId(party.room), copy.deepcopy(world.rooms[RoomId(party.room)]), world.swept
    await hub.keeping.sweep()
    assert isinstance((await entries(hub, party))[-1], Paused)
    world.rooms[room], world.swept = before, swept
    assert not isinstance((await entries(hub, party))[-1], Paused)
    await hub.keeping.sweep()
    await hub.on(room, writing.catch_up)
    await hub.on(room, writing.give_back)
    (pause,) = (entry for entry in await entries(hub, party) if isinstance(entry, Paused))
    assert NIGHT * 1000 - 500 < pause.ms < NIGHT * 1000 + 5000


@pytest.mark.parametrize("attached", [True, False])
async def test_nobody_leaves_an_open_room_by_an_outage(hub: Hub, clock: Time, *, attached: bool) -> None:
    token = new_token()
    room = RoomId((await hub.create(CreateRoom("dragonwood", 2), token)).room)
    if attached:
        assert isinstance(await Peer(hub).join(room, token), Ok)
    clock.leapt += hub.pace.open_ttl / 1000 + NIGHT
    await hub.on(room, writing.do_chore)
    assert (await hub.look(room))["room"]["status"] == "open"  # type: ignore[index, call-overload]
    assert attached or (await hub.store.presence(room)).seats == ()


async def test_a_time_that_ran_out_meanwhile_is_given_back_first(hub: Hub, clock: Time) -> None:
    party = await party_on(hub, per_turn=30_000)
    table = table_of(hub, party)
    clock.leapt += NIGHT
    failures: list[ProtocolError] = []
    table.submit(Job(writing.do_chore, failures.append))
    await table.finished()
    assert not failures
    found = await entries(hub, party)
    assert isinstance(found[-1], Paused)
    assert not any(isinstance(entry, TimedOut) for entry in found)


async def test_a_store_that_is_away_is_asked_once_for_all_who_wait(hub: Hub, clock: Time, faulty: FaultyStore) -> None:
    parties = [await party_on(hub) for _ in range(5)]
    for party in parties:
        await table_of(hub, party).finished()
    clock.leapt += NIGHT
    faulty.away, faulty.delay = True, 0.2
    before = faulty.calls.count("sweep")
    peers = [party.peers[0] for party in parties]
    asked = [peer.send(Act, action=RELOAD, seq=peer.fold() and 3) for peer in peers]
    for peer, number in zip(peers, asked, strict=True):
        reply = await peer.reply_to(number)
        assert isinstance(reply, Error)
        assert reply.code == "unavailable"
    assert faulty.calls.count("sweep") == before + 1


async def test_a_seat_that_comes_back_is_not_played_for_by_a_node_that_was_slower() -> None:
    world = Memory()
    slow = FaultyStore(MemoryStore(world))
    never = Pace(served_pace=600_000, timeouts_to_serve=1, outage=600_000)
    hubs = [Hub(slow, msgspec.structs.replace(never, served_pace=20), "slow"), Hub(MemoryStore(world), never, "fast")]
    for hub in hubs:
        await hub.start()
    party = await Nodes(hubs[1:]).party(2, clock={"bank": 0, "per_turn": 600_000})
    peers, watcher = party.peers, Peer(hubs[0])
    await hubs[1].on(RoomId(party.room), lambda table: writing.carry_out(table, PlayFor(0, 3, 0)))
    await watcher.join(party.room)
    slow.hold()
    await peers[1].until(4)
    assert isinstance(await peers[1].act(RELOAD), Ok)
    await slow.arrived(1)
    assert isinstance(await peers[0].ask(Back), Ok)
    slow.release()
    await watcher.until(6)
    await table_of(hubs[0], party).finished()
    assert isinstance((await entries(hubs[1], party))[-1], CameBack)
    for hub in hubs:
        await hub.stop()
