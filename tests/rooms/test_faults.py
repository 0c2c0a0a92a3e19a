"""A store that fails: true answers, nothing lost, nothing doubled, and service by itself afterwards."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Sequence
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.codes import ProtocolError
from protocol.messages import (
    Act,
    Back,
    Chat,
    ChatLine,
    CreateRoom,
    Error,
    Join,
    Leave,
    Legal,
    Ok,
    Patch,
    Resign,
    RoomId,
    Since,
    Snapshot,
    TakeSeat,
    Undo,
)
from server.rooms.entries import unpack
from server.rooms.hub import Hub
from server.settings import Pace
from server.store.memory import Memory, MemoryStore
from server.store.store import Line, Saved, StoreUnavailable
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party, new_token
from tests.store.faulty import Fault, FaultyStore

RELOAD = {"type": "reload"}


class Store(FaultyStore):
    """Fails also at what comes after an append: snapshots, and lines that are read."""

    no_snapshots = False
    no_lines = False

    async def save(self, room: RoomId, saved: Saved) -> None:
        if self.no_snapshots:
            raise StoreUnavailable("no room for a snapshot")
        await super().save(room, saved)

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        if self.no_lines:
            raise StoreUnavailable("the lines can't be read")
        return await super().lines(room, after)


@pytest.fixture
def faulty(world: Memory) -> Store:
    return Store(MemoryStore(world))


@pytest.fixture
def pace() -> Pace:
    return QUICK


@pytest.fixture
async def hub(faulty: Store, pace: Pace) -> AsyncIterator[Hub]:
    """A hub on the store that fails."""
    failing = Hub(faulty, pace, "failing")
    await failing.start()
    yield failing
    faulty.away = False
    faulty.release()
    await failing.stop()


async def party_on(hub: Hub, **options: Any) -> Party:
    return await Nodes([hub]).party(2, **options)


async def journal(hub: Hub, party: Party) -> list[str]:
    return [type(unpack(entry.data)).__name__ for entry in await hub.store.read(RoomId(party.room))]


def code_of(reply: Ok | Error) -> str:
    assert isinstance(reply, Error), reply
    return reply.code


async def test_a_write_that_is_refused_did_nothing(hub: Hub, faulty: Store) -> None:
    party = await party_on(hub)
    faulty.fail(Fault.REFUSED)
    reply = await party.peers[0].act(RELOAD, key="k")
    assert code_of(reply) == "unavailable"
    assert isinstance(reply, Error)
    assert reply.retry_after == 1000
    assert await journal(hub, party) == ["Created", "Seated", "Seated"]
    assert isinstance(await party.peers[0].act(RELOAD, key="k"), Ok)
    await party.settled()
    assert party.peers[1].seq == 4


@pytest.mark.parametrize(("fault", "happened"), [(Fault.LOST, False), (Fault.REPLY_LOST, True)])
async def test_an_outcome_that_nobody_knows_is_found_out_with_the_same_key(
    hub: Hub, faulty: Store, fault: Fault, happened: bool
) -> None:
    party = await party_on(hub)
    faulty.fail(fault)
    assert code_of(await party.peers[0].act(RELOAD, key="k")) == "unknown_outcome"
    assert len(await journal(hub, party)) == (4 if happened else 3)
    again = await party.peers[0].ask(Act, action=RELOAD, seq=3, key="k")
    assert isinstance(again, Ok)
    assert again.seq == 4
    assert await journal(hub, party) == ["Created", "Seated", "Seated", "Acted"]
    for peer in party.peers:
        await peer.until(4)
        assert [patch.seq for patch in peer.patches] == [4]


async def test_without_a_key_the_second_attempt_is_stale_and_not_a_second_action(hub: Hub, faulty: Store) -> None:
    party = await party_on(hub)
    faulty.fail(Fault.REPLY_LOST)
    assert code_of(await party.peers[0].act(RELOAD)) == "unknown_outcome"
    assert code_of(await party.peers[0].ask(Act, action=RELOAD, seq=3)) == "not_your_turn"
    assert (await journal(hub, party)).count("Acted") == 1


@pytest.mark.parametrize("kind", ["undo", "resign", "back"])
async def test_every_request_with_a_key_is_carried_out_once(hub: Hub, faulty: Store, kind: str) -> None:
    party = await Nodes([hub]).party(3)
    peer = party.peers[0]
    if kind == "undo":
        legal = await peer.ask(Legal)
        assert isinstance(legal, Ok)
        attack = next(action for action in legal.actions if action["type"] == "attack")  # type: ignore[union-attr]
        acted = await peer.act(dict(attack))
        assert isinstance(acted, Ok)
        assert acted.seq == 5
    message, fields = {"undo": (Undo, {"seq": 5}), "resign": (Resign, {}), "back": (Back, {})}[kind]
    before = len(await journal(hub, party))
    faulty.fail(*(() if kind == "back" else (Fault.REPLY_LOST,)))
    first = await peer.ask(message, key="once", **fields)
    assert ("ok" if isinstance(first, Ok) else first.code) == ("ok" if kind == "back" else "unknown_outcome"), first
    again = await peer.ask(message, key="once", **fields)
    assert isinstance(again, Ok)
    assert len(await journal(hub, party)) == before + (kind != "back")
    assert again.seq == before + (kind != "back")


async def test_a_store_that_is_away_and_comes_back(hub: Hub, faulty: Store) -> None:
    party = await party_on(hub)
    faulty.away = True
    assert code_of(await party.peers[0].act(RELOAD, key="k")) == "unavailable"
    newcomer = Peer(hub)
    other = await newcomer.join("K7QF2M")
    assert code_of(other) == "unavailable"
    with pytest.raises(ProtocolError) as refusal:
        await hub.create(CreateRoom("dragonwood", 2), new_token())
    assert refusal.value.code == "unavailable"
    assert isinstance(await party.peers[0].ask(Legal), Ok)
    faulty.away = False
    assert isinstance(await party.peers[0].act(RELOAD, key="k"), Ok)
    assert isinstance(await newcomer.join(party.room), Ok)
    await party.settled()
    assert (await journal(hub, party)).count("Acted") == 1


async def test_whoever_waits_at_a_room_that_could_not_be_loaded_is_told_by_itself(
    hub: Hub, faulty: Store, world: Memory
) -> None:
    party = await party_on(hub)
    table = hub.known(RoomId(party.room))
    assert table is not None
    faulty.away = True
    table.let_go()
    assert code_of(await party.peers[0].ask(Legal)) == "unavailable"
    other = Hub(MemoryStore(world), QUICK, "other")
    await other.start()
    peer = Peer(other)
    assert isinstance(await peer.join(party.room, party.tokens[0]), Ok)
    assert isinstance(await peer.act(RELOAD), Ok)
    faulty.away = False
    for viewer in party.peers:
        await viewer.until(4)
    await other.stop()


async def test_a_seat_whose_answer_was_lost_costs_no_second_one(hub: Hub, faulty: Store) -> None:
    token, guest = new_token(), new_token()
    made = await hub.create(CreateRoom("dragonwood", 3), token)
    faulty.fail(Fault.REPLY_LOST)
    with pytest.raises(ProtocolError) as refusal:
        await hub.take_seat(RoomId(made.room), TakeSeat(), guest, bot_host=False)
    assert refusal.value.code == "unknown_outcome"
    taken, _ = await hub.take_seat(RoomId(made.room), TakeSeat(), guest, bot_host=False)
    assert taken.seat == 1
    free, _ = await hub.take_seat(RoomId(made.room), TakeSeat(), new_token(), bot_host=False)
    assert free.seat == 2


class TestSnapshots:
    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, snapshot_every=1)

    async def test_a_snapshot_that_can_not_be_kept_takes_no_ok_back(self, hub: Hub, faulty: Store) -> None:
        party, random = await party_on(hub), Random(1)
        faulty.no_snapshots = True
        for _ in range(5):
            assert isinstance(await party.step(random), Ok)

    async def test_keys_outlive_the_process_with_and_without_a_snapshot(
        self, hub: Hub, faulty: Store, world: Memory, pace: Pace
    ) -> None:
        for snapshots in (True, False):
            faulty.no_snapshots = not snapshots
            party = await party_on(hub)
            assert isinstance(await party.peers[0].act(RELOAD, key="k"), Ok)
            saved = await hub.store.saved(RoomId(party.room))
            assert saved is None if not snapshots else saved is not None
            other = Hub(MemoryStore(world), pace, "another")
            await other.start()
            peer = Peer(other)
            await peer.join(party.room, party.tokens[0])
            again = await peer.ask(Act, action=RELOAD, seq=3, key="k")
            assert isinstance(again, Ok)
            assert again.seq == 4
            assert code_of(await peer.ask(Act, action={"type": "keep"}, seq=4, key="k")) == "key_reused"
            assert code_of(await peer.ask(Resign, key="k")) == "key_reused"
            for seat in (0, 1):
                ender = Peer(other)
                await ender.join(party.room, party.tokens[seat])
                assert isinstance(await ender.ask(Resign, key="end"), Ok)
            await peer.until(7)
            assert peer.state["room"]["status"] == "abandoned"
            again = await peer.ask(Act, action=RELOAD, seq=3, key="k")
            assert isinstance(again, Ok)
            assert again.seq == 4
            assert code_of(await peer.act(RELOAD, key="new")) == "game_over"
            await other.stop()


# Chat.


@pytest.mark.parametrize(("fault", "n"), [(Fault.LOST, 1), (Fault.REPLY_LOST, 1)])
async def test_a_line_is_said_once_under_its_key(hub: Hub, faulty: Store, fault: Fault, n: int) -> None:
    party = await party_on(hub)
    faulty.fail(fault)
    assert code_of(await party.peers[0].ask(Chat, text="hello", key="c")) == "unknown_outcome"
    for _ in range(2):
        said = await party.peers[0].ask(Chat, text="hello", key="c")
        assert isinstance(said, Ok)
        assert said.n == n
    assert code_of(await party.peers[0].ask(Chat, text="goodbye", key="c")) == "key_reused"
    lines = [message for message in party.peers[1].box.messages if isinstance(message, ChatLine)]
    assert [line.text for line in lines] == ["hello"]


async def test_lines_that_can_not_be_read_take_no_ok_back(hub: Hub, faulty: Store) -> None:
    party = await party_on(hub)
    faulty.no_lines = True
    said = await party.peers[0].ask(Chat, text="hello")
    assert isinstance(said, Ok)
    watcher = Peer(hub)
    assert isinstance(await watcher.join(party.room), Ok)
    await watcher.ask(Leave)
    replies = [message for message in watcher.box.messages if isinstance(message, Ok | Error)]
    assert [type(reply) for reply in replies] == [Ok, Ok]
    faulty.no_lines = False
    assert isinstance(await party.peers[1].ask(Chat, text="again"), Ok)
    lines = [message.text for message in party.peers[1].box.messages if isinstance(message, ChatLine)]
    assert lines == ["hello", "again"]


# Journals that went another way.


async def a_branch(hub: Hub, world: Memory, party: Party, before: Any, steps: int) -> Hub:
    """The store loses what came after `before`, and another node grows the journal another way."""
    world.rooms[RoomId(party.room)] = copy.deepcopy(before)
    other = Hub(MemoryStore(world), QUICK, "other")
    await other.start()
    peers = []
    for token in party.tokens:
        peer = Peer(other)
        assert isinstance(await peer.join(party.room, token, legal=True), Ok)
        peers.append(peer)
    branch = Party(party.room, party.tokens, peers)
    random = Random(99)
    for _ in range(steps):
        assert isinstance(await branch.step(random), Ok)
    return other


@pytest.mark.parametrize("steps", [0, 1, 6, 9])
async def test_a_journal_that_lost_its_end_and_grew_again(hub: Hub, world: Memory, steps: int) -> None:
    """Shorter, or longer than what this node has: every viewer is told the journal's branch, and no other."""
    party, random = await party_on(hub), Random(3)
    watcher = Peer(hub)
    await watcher.join(party.room)
    before = copy.deepcopy(world.rooms[RoomId(party.room)])
    for _ in range(6):
        assert isinstance(await party.step(random), Ok)
    await party.settled()
    lost = party.peers[0].tag
    other = await a_branch(hub, world, party, before, steps)
    truth = other.known(RoomId(party.room))
    assert truth is not None
    for viewer in (*party.peers, watcher):
        await viewer.true(lambda viewer=viewer: bool(viewer.fold()) and viewer.tag == truth.room.head.tag)
    for seat, viewer in enumerate((*party.peers, watcher)):
        newcomer = Peer(other)
        await newcomer.join(party.room, party.tokens[seat] if seat < 2 else None)
        assert viewer.state == newcomer.fold()
        snapshots = [message.seq for message in viewer.box.messages if isinstance(message, Snapshot)]
        assert len(snapshots) == 2
        assert 3 <= snapshots[1] <= 3 + steps
    back = Peer(hub)
    joined = await back.join(party.room, party.tokens[0], since=Since(9, lost))
    assert isinstance(joined, Ok)
    assert joined.resumed is False
    acted = await party.step(Random(5))
    assert isinstance(acted, Ok)
    assert acted.seq == 4 + steps
    await other.stop()


async def test_an_action_on_a_lost_branch_is_decided_on_the_journal_as_it_is(hub: Hub, world: Memory) -> None:
    """Before any wake-up or look at the heads: the append is what finds out."""
    party = await party_on(hub)
    before = copy.deepcopy(world.rooms[RoomId(party.room)])
    assert isinstance(await party.peers[0].act(RELOAD, key="lost"), Ok)
    await party.settled()
    world.rooms[RoomId(party.room)] = before
    refused = await party.peers[1].ask(Act, action=RELOAD, seq=4)
    assert code_of(refused) in ("not_your_turn", "stale")
    again = await party.peers[0].ask(Act, action=RELOAD, seq=3, key="lost")
    assert isinstance(again, Ok)
    assert (await journal(hub, party)).count("Acted") == 1
    for peer in party.peers:
        await peer.until(4)
    assert party.peers[0].tag == party.peers[1].tag


async def test_a_room_that_the_store_has_lost(hub: Hub, world: Memory) -> None:
    party = await party_on(hub)
    del world.rooms[RoomId(party.room)]
    assert code_of(await party.peers[0].act(RELOAD)) == "unknown_room"
    assert code_of(await Peer(hub).join(party.room)) == "unknown_room"


# Races.


async def test_a_storm_of_conflicts_has_one_winner_and_true_answers(world: Memory, pace: Pace) -> None:
    hubs = [Hub(MemoryStore(world), pace, f"node-{number}") for number in range(6)]
    for node in hubs:
        await node.start()
    party = await Nodes(hubs[:2]).party(2)
    random = Random(2)
    holders = []
    for node in hubs:
        peer = Peer(node)
        await peer.join(party.room, party.tokens[0], legal=True)
        holders.append(peer)
    for number in range(10):
        await party.settled()
        seq = party.peers[0].seq
        for peer in holders:
            await peer.until(seq)
        if party.peers[0].state["turn"]["seats"] != [0]:
            assert isinstance(await party.step(random), Ok)
            continue
        actions = party.peers[0].actions
        replies = await asyncio.gather(
            *(peer.act(dict(random.choice(actions)), key=f"{number}-{at}") for at, peer in enumerate(holders))
        )
        won = [reply.seq for reply in replies if isinstance(reply, Ok)]
        assert len(won) == len(set(won))
        assert won
        assert {code_of(reply) for reply in replies if isinstance(reply, Error)} <= {"stale", "not_your_turn"}
    kinds = [type(unpack(entry.data)).__name__ for entry in await hubs[0].store.read(RoomId(party.room))]
    assert kinds[3:] == ["Acted"] * (len(kinds) - 3)
    for node in hubs:
        await node.stop()


async def test_a_cancelled_call_is_carried_out_to_its_end(hub: Hub, faulty: Store) -> None:
    token = new_token()
    made = await hub.create(CreateRoom("dragonwood", 2), token)
    faulty.hold()
    taking = asyncio.create_task(hub.take_seat(RoomId(made.room), TakeSeat(), new_token(), bot_host=False))
    await faulty.arrived(1)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    faulty.release()
    peer = Peer(hub)
    assert isinstance(await peer.join(made.room, token), Ok)
    assert peer.fold()["room"]["status"] == "playing"


async def test_a_connection_that_goes_while_its_join_waits_is_not_attached(hub: Hub, faulty: Store) -> None:
    party = await party_on(hub)
    faulty.hold()
    acting = party.peers[0].send(Act, action=RELOAD, seq=party.peers[0].fold() and 3)
    await faulty.arrived(1)
    late = Peer(hub)
    late.room = party.room
    late.send(Join, token=party.tokens[1])
    hub.gone(late.connection)
    faulty.release()
    assert isinstance(await party.peers[0].reply_to(acting), Ok)
    assert isinstance(await party.peers[1].ask(Legal), Ok)
    table = hub.known(RoomId(party.room))
    assert table is not None
    assert table.viewers.find(late.connection) is None
    assert not any(isinstance(message, Patch | Snapshot) for message in late.box.messages)
