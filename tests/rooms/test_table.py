"""A table through faults: it neither stops, nor runs wild, nor leaves anybody attached to what it does not follow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.codes import Code, ProtocolError
from protocol.messages import Error, Join, Legal, Ok, RoomId, Snapshot
from server.engines import ENGINES
from server.rooms import writing
from server.rooms.hub import Hub
from server.rooms.jobs import Job
from server.rooms.table import Table
from server.store.memory import Memory, MemoryStore
from server.store.store import Head, Saved, StoreUnavailable
from tests.engines.toy import ToyEngine
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party
from tests.store.faulty import Fault, FaultyStore

RELOAD = {"type": "reload"}


class Store(FaultyStore):
    """Fails also at the beginning of a load, and lets `unfollow` wait."""

    no_loading = False
    unfollowing: asyncio.Event | None = None

    async def saved(self, room: RoomId) -> Saved | None:
        if self.no_loading:
            raise StoreUnavailable("no snapshot can be read")
        return await super().saved(room)

    async def unfollow(self, room: RoomId) -> None:
        if self.unfollowing is not None:
            await self.unfollowing.wait()
        await super().unfollow(room)


@pytest.fixture
def world() -> Memory:
    return Memory()


@pytest.fixture
def faulty(world: Memory) -> Store:
    return Store(MemoryStore(world))


@pytest.fixture
async def hub(faulty: Store) -> AsyncIterator[Hub]:
    failing = Hub(faulty, QUICK, "failing")
    await failing.start()
    yield failing
    faulty.away = faulty.no_loading = False
    faulty.release()
    await failing.stop()


def table_of(hub: Hub, party: Party) -> Table:
    table = hub.known(RoomId(party.room))
    assert table is not None
    return table


async def until(peer: Peer, holds: Callable[[Any], bool]) -> Any:
    """The first message to the peer for which it holds."""
    async with asyncio.timeout(5):
        while True:
            peer.box.news.clear()
            for message in peer.box.messages:
                if holds(message):
                    return message
            await peer.box.news.wait()


async def busy_elsewhere(hub: Hub) -> None:
    """Enough turns of the event loop for whatever runs wild to show."""
    other = await Nodes([hub]).party(2)
    for _ in range(100):
        assert isinstance(await other.peers[0].ask(Legal), Ok)


# Jobs.


async def test_a_job_that_can_not_tell_its_failure_keeps_no_other_from_its_turn(hub: Hub) -> None:
    table = table_of(hub, await Nodes([hub]).party(2))

    async def refuse(_: Table) -> None:
        raise ProtocolError(Code.STALE, "no")

    def fail(_: ProtocolError) -> None:
        raise RuntimeError("nobody there")

    done: list[int] = []

    async def note(table: Table) -> None:
        done.append(table.room.head.seq)

    table.submit(Job(refuse, fail))
    table.submit(Job(note, pytest.fail))
    async with asyncio.timeout(5):
        await table.finished()
    assert done == [3]


# Faults of ours.


async def test_a_default_action_that_raises_is_not_tried_all_the_time(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, tried = ToyEngine(), []

    def default_action(*_: object) -> Any:
        tried.append(1)
        raise RuntimeError("a bug")

    monkeypatch.setattr(engine, "default_action", default_action)
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    party = await Nodes([hub]).party(2, game="toy", clock={"bank": 0, "per_turn": 10})
    async with asyncio.timeout(5):
        while not tried:
            await asyncio.sleep(0.01)
    await busy_elsewhere(hub)
    assert len(tried) == 1
    assert isinstance(await party.peers[0].ask(Legal), Ok)


async def test_a_room_that_raises_whenever_it_is_loaded_is_not_loaded_all_the_time(
    hub: Hub, faulty: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ToyEngine()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    party = await Nodes([hub]).party(2, game="toy")

    def legal_actions(*_: object) -> Any:
        raise RuntimeError("a bug")

    with monkeypatch.context() as broken:
        broken.setattr(engine, "legal_actions", legal_actions)
        before = faulty.calls.count("saved")
        assert isinstance(await party.peers[0].ask(Legal), Error)
        await busy_elsewhere(hub)
        assert faulty.calls.count("saved") - before < 10
    told = len(party.peers[1].box.messages)
    await until(party.peers[1], lambda m: isinstance(m, Snapshot) and m in party.peers[1].box.messages[told:])


# Faults of the store.


async def test_presence_is_renewed_again_after_it_could_not_be(hub: Hub, faulty: Store) -> None:
    party = await Nodes([hub]).party(2)
    table = table_of(hub, party)
    faulty.fail(Fault.LOST)
    assert isinstance(await party.peers[0].act(RELOAD), Error)
    faulty.away = True
    table.talk.changed()
    await table.finished()
    faulty.away = False
    before = faulty.calls.count("attached")
    table.talk.changed()
    await table.finished()
    assert faulty.calls.count("attached") > before


async def test_a_room_that_could_not_be_loaded_at_once_is_loaded_later(hub: Hub, faulty: Store, world: Memory) -> None:
    """The journal went another way while the store fails: whoever is attached hears of it without asking."""
    party = await Nodes([hub]).party(2)
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    await party.settled()
    stored = world.rooms[RoomId(party.room)]
    last = stored.entries.pop()
    stored.entries.append(replace(last, tag="0123456789abcdef"))
    stored.head = Head(last.seq, "0123456789abcdef", last.at)
    faulty.no_loading = True
    table = table_of(hub, party)
    table.submit(Job(writing.catch_up, lambda _: None))
    await table.finished()
    faulty.no_loading = False
    for peer in party.peers:
        await until(peer, lambda message: isinstance(message, Snapshot) and message.tag == "0123456789abcdef")


async def test_whoever_is_attached_to_a_room_that_is_gone_is_told(hub: Hub, world: Memory) -> None:
    party = await Nodes([hub]).party(2)
    table = table_of(hub, party)
    del world.rooms[RoomId(party.room)]
    table.submit(Job(writing.catch_up, lambda _: None))
    await table.finished()
    for peer in party.peers:
        error = await until(peer, lambda message: isinstance(message, Error))
        assert (error.id, error.code, error.room) == (None, "unknown_room", party.room)
        assert not peer.connection.rooms
    assert hub.known(RoomId(party.room)) is None
