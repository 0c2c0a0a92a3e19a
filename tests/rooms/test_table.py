"""A table through faults: it neither stops, nor runs wild, nor leaves anybody attached to what it does not follow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from protocol.codes import Code, ProtocolError
from protocol.messages import (
    Chat,
    CreateRoom,
    Error,
    Join,
    Legal,
    OfferSeats,
    Ok,
    Patch,
    Resign,
    RoomId,
    Snapshot,
    TakeSeat,
)
from server.engines import ENGINES
from server.rooms import writing
from server.rooms.entries import Created, Seated, unpack
from server.rooms.hub import Hub
from server.rooms.jobs import Job
from server.rooms.saved import SavedRoom, save
from server.rooms.table import Table
from server.store.memory import Memory, MemoryStore
from server.store.store import Head, Saved, StoreUnavailable
from tests.engines.toy import ToyEngine
from tests.processes import PATIENCE
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party, new_token
from tests.store.faulty import Fault, FaultyStore

RELOAD = {"type": "reload"}


class Store(FaultyStore):
    """Fails also at the beginning of a load, and lets `unfollow` wait: it sets `leaving`."""

    def __init__(self, store: MemoryStore) -> None:
        super().__init__(store)
        self.leaving = asyncio.Event()

    no_loading = False
    unfollowing: asyncio.Event | None = None

    async def saved(self, room: RoomId) -> Saved | None:
        if self.no_loading:
            raise StoreUnavailable("no snapshot can be read")
        return await super().saved(room)

    async def unfollow(self, room: RoomId) -> None:
        if self.unfollowing is not None:
            self.leaving.set()
            await self.unfollowing.wait()
        await super().unfollow(room)


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
    failures: list[ProtocolError] = []

    async def note(table: Table) -> None:
        done.append(table.room.head.seq)

    table.submit(Job(refuse, fail))
    table.submit(Job(note, failures.append))
    async with asyncio.timeout(PATIENCE):
        await table.finished()
    assert (done, failures) == ([3], [])


# Faults of ours.


async def test_a_default_action_that_raises_is_not_tried_all_the_time(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, tried, first = ToyEngine(), [], asyncio.Event()

    def default_action(*_: object) -> Any:
        tried.append(1)
        first.set()
        raise RuntimeError("a bug")

    monkeypatch.setattr(engine, "default_action", default_action)
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    party = await Nodes([hub]).party(2, game="toy", clock={"bank": 0, "per_turn": 10})
    async with asyncio.timeout(PATIENCE):
        await first.wait()
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
    await party.peers[1].first(lambda m: isinstance(m, Snapshot) and m in party.peers[1].box.messages[told:])


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
        await peer.first(lambda message: isinstance(message, Snapshot) and message.tag == "0123456789abcdef")


async def test_whoever_is_attached_to_a_room_that_is_gone_is_told(hub: Hub, world: Memory) -> None:
    party = await Nodes([hub]).party(2)
    table = table_of(hub, party)
    del world.rooms[RoomId(party.room)]
    table.submit(Job(writing.catch_up, lambda _: None))
    await table.finished()
    for peer in party.peers:
        error = await peer.first(lambda message: isinstance(message, Error))
        assert (error.id, error.code, error.room) == (None, "unknown_room", party.room)
        assert not peer.connection.rooms
    assert hub.known(RoomId(party.room)) is None


# Following.


async def test_a_room_that_is_loaded_while_it_is_being_left_is_followed(hub: Hub, faulty: Store, world: Memory) -> None:
    party = await Nodes([hub]).room(2)
    room = RoomId(party.room)
    table = table_of(hub, party)
    await table.finished()
    faulty.unfollowing = asyncio.Event()
    hub.drop(table)
    await faulty.leaving.wait()
    late = Peer(hub)
    late.room = party.room
    joining = late.send(Join, token=party.tokens[0])
    await busy_elsewhere(hub)
    faulty.unfollowing.set()
    assert isinstance(await late.reply_to(joining), Ok)
    await busy_elsewhere(hub)
    assert world.followers.get(room)


async def test_a_line_in_a_room_that_is_gone(hub: Hub, world: Memory) -> None:
    party = await Nodes([hub]).party(2)
    await table_of(hub, party).finished()
    del world.rooms[RoomId(party.room)]
    said = await party.peers[0].ask(Chat, text="anybody here?")
    assert isinstance(said, Error)
    assert said.code == "unknown_room"


# Snapshots.


async def test_a_snapshot_that_raises_takes_no_ok_back(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ToyEngine()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    monkeypatch.setattr(hub, "pace", replace(hub.pace, snapshot_every=1))
    tried = []

    def dump(_: object) -> Any:
        tried.append(1)
        raise RuntimeError("a bug")

    party = await Nodes([hub]).party(2, game="toy")
    with monkeypatch.context() as broken:
        broken.setattr(engine, "dump", dump)
        assert isinstance(await party.peers[0].act({"type": "roll", "dice": 1, "aim": "low"}), Ok)
        await table_of(hub, party).finished()
    assert tried


async def test_a_room_without_a_snapshot_gets_one_with_the_next_entry_after_it_was_loaded(
    hub: Hub, world: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = await Nodes([hub]).room(2)
    hub.drop(table_of(hub, party))
    monkeypatch.setattr(hub, "pace", replace(hub.pace, snapshot_every=4))
    peer = Peer(hub)
    await peer.join(party.room, party.tokens[0], legal=True)
    assert isinstance(await peer.ask(Resign), Ok)
    await table_of(hub, party).finished()
    saved = world.rooms[RoomId(party.room)].saved
    assert saved is not None
    assert saved.seq == 4


# The desk.


async def test_a_room_that_can_not_be_read_waits_for_a_bot_host_only_until_one_comes(hub: Hub, world: Memory) -> None:
    rooms = []
    for _ in range(3):
        token = new_token()
        made = await hub.create(CreateRoom("dragonwood", 2), token)
        await hub.offer(RoomId(made.room), OfferSeats("greedy"), token)
        rooms.append(RoomId(made.room))
    broken = world.rooms[rooms[1]]
    table = hub.known(rooms[1])
    assert table is not None
    hub.drop(table)
    broken.entries[1] = replace(broken.entries[1], data=b"rubbish")
    assert {seat["room"] for seat in await hub.waiting_seats()} == set(rooms)
    with pytest.raises(ProtocolError) as raised:
        await hub.take_seat(rooms[1], TakeSeat(kind="bot"), new_token(), bot_host=True)
    assert raised.value.code is Code.BROKEN_ROOM
    assert {seat["room"] for seat in await hub.waiting_seats()} == {rooms[0], rooms[2]}


async def test_a_room_and_its_first_seat_are_one_append(world: Memory) -> None:
    store = FaultyStore(MemoryStore(world))
    hub = Hub(store, QUICK, "alone")
    await hub.start()
    store.fail(Fault.REFUSED)
    with pytest.raises(ProtocolError) as raised:
        await hub.create(CreateRoom("islet", 1), new_token())
    assert raised.value.code is Code.UNAVAILABLE
    assert world.rooms == {}
    store.calls.clear()
    alone = await hub.create(CreateRoom("islet", 1), new_token())
    empty = await hub.create(CreateRoom("islet", 1, seat=False), new_token())
    assert store.calls.count("append") == 2
    journals = [[unpack(entry.data) for entry in world.rooms[RoomId(made.room)].entries] for made in (alone, empty)]
    assert [list(map(type, journal)) for journal in journals] == [[Created, Seated], [Created]]
    indices = [world.rooms[RoomId(made.room)].index for made in (alone, empty)]
    assert [index.status for index in indices] == ["playing", "open"]
    assert (hub.stats.entries["islet", "created"], hub.stats.entries["islet", "seated"]) == (2, 1)
    await hub.stop()


async def test_no_room_is_read_to_find_the_seats_that_wait_for_bot_hosts(world: Memory) -> None:
    store = FaultyStore(MemoryStore(world))
    hub = Hub(store, QUICK, "alone")
    await hub.start()
    token, bot = new_token(), new_token()
    made = await hub.create(CreateRoom("dragonwood", 2), token)
    await hub.offer(RoomId(made.room), OfferSeats("greedy"), token)
    await hub.take_seat(RoomId(made.room), TakeSeat(kind="bot"), bot, bot_host=True)
    store.calls.clear()
    assert [seat["seat"] for seat in await hub.waiting_seats()] == [1]
    assert set(store.calls) - {"sweep", "swept"} == {"offers"}
    await hub.stop()


async def test_who_takes_a_seat_by_the_bot_key_is_a_bot_unless_it_says_otherwise(hub: Hub) -> None:
    token = new_token()
    made = await hub.create(CreateRoom("dragonwood", 3), token)
    await hub.offer(RoomId(made.room), OfferSeats("greedy"), token)
    for body in (TakeSeat(), TakeSeat(kind="human")):
        await hub.take_seat(RoomId(made.room), body, new_token(), bot_host=True)
    seats = (await hub.look(RoomId(made.room)))["room"]["seats"]  # type: ignore[index, call-overload]
    assert [seat["kind"] for seat in seats] == ["human", "bot", "human"]


async def test_who_may_not_offer_seats_does_not_learn_how_many_are_free(hub: Hub) -> None:
    made = await hub.create(CreateRoom("dragonwood", 2), new_token())
    for seats in (1, 4):
        with pytest.raises(ProtocolError) as refused:
            await hub.offer(RoomId(made.room), OfferSeats("greedy", seats), new_token())
        assert refused.value.code is Code.UNAUTHORIZED


async def test_the_list_says_the_same_moment_as_the_state(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    now = hub.clock.now
    monkeypatch.setattr(hub.clock, "now", lambda: now() - 50)
    made = await hub.create(CreateRoom("dragonwood", 2), new_token())
    listed: Any = (await hub.rooms(None, None, None))["rooms"]
    looked: Any = (await hub.look(RoomId(made.room)))["room"]
    assert listed[0]["created"] == looked["created"]


# Loading.


async def test_a_view_that_raises_where_a_room_is_loaded_does_not_set_it_aside(
    hub: Hub, world: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ToyEngine()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    party = await Nodes([hub]).room(2, game="toy")
    hub.drop(table_of(hub, party))

    def public_view(_: object) -> Any:
        raise LookupError("a bug")

    peer = Peer(hub)
    with monkeypatch.context() as broken:
        broken.setattr(engine, "public_view", public_view)
        joined = await peer.join(party.room, party.tokens[0])
        assert isinstance(joined, Error)
        assert joined.code == "internal"
    assert isinstance(await peer.join(party.room, party.tokens[0]), Ok)


@pytest.mark.parametrize("whose", ["another room's game", "another entry's place"])
async def test_a_snapshot_that_misleads_is_passed_over(hub: Hub, world: Memory, whose: str) -> None:
    party, other = await Nodes([hub]).room(2), await Nodes([hub]).room(2)
    for room in (party, other):
        table = table_of(hub, room)
        await table.finished()
        world.rooms[table.id].saved = save(table.room)
    peer = Peer(hub)
    await peer.join(party.room, party.tokens[0])
    assert isinstance(await peer.act(RELOAD), Ok)
    state = peer.fold()
    stored, strange = world.rooms[RoomId(party.room)], world.rooms[RoomId(other.room)].saved
    assert stored.saved is not None
    assert strange is not None
    saved, game = (msgspec.msgpack.decode(data, type=SavedRoom) for data in (stored.saved.data, strange.data))
    if whose == "another room's game":
        saved = replace(saved, game=game.game, words=game.words)
    else:
        saved = replace(saved, state=replace(saved.state, head=stored.head))
    stored.saved = replace(stored.saved, data=msgspec.msgpack.encode(saved))
    again = Hub(MemoryStore(world), QUICK, "again")
    await again.start()
    fresh = Peer(again)
    assert isinstance(await fresh.join(party.room, party.tokens[0]), Ok)
    assert fresh.fold() == state
    await again.stop()


# Bounds.


async def test_a_room_in_which_people_only_come_and_go_ends_at_its_last_entry(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "pace", replace(hub.pace, max_entries=6))
    token = new_token()
    made = await hub.create(CreateRoom("dragonwood", 2, seat=False), token)
    room = RoomId(made.room)
    watcher = Peer(hub)
    assert isinstance(await watcher.join(room), Ok)
    for guest in (new_token(), new_token(), new_token()):
        await hub.take_seat(room, TakeSeat(), guest, bot_host=False)
        await hub.vacate(room, 0, guest)
    await watcher.first(lambda m: isinstance(m, Patch) and m.events[0]["kind"] == "abandoned")


async def test_a_room_that_is_left_to_other_nodes_is_not_kept_in_memory(
    hub: Hub, world: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = ToyEngine()
    with monkeypatch.context() as here:
        here.setitem(ENGINES, (engine.name, engine.rules), engine)
        party = await Nodes([hub]).room(2, game="toy")
        table = table_of(hub, party)
        await table.finished()
        hub.drop(table)
    world.rooms[RoomId(party.room)].due = 0
    for _ in range(2):
        await hub.keeping.sweep()
        looking = hub.known(RoomId(party.room))
        if looking is not None and looking.busy:
            await looking.finished()
    assert hub.known(RoomId(party.room)) is None
