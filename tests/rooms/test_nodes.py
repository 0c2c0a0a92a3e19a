"""Two hubs over one store serve the same rooms: no owner, one order, the same truth for all."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from random import Random

import pytest
from msgspec.structs import replace

from protocol.codec import JSON
from protocol.codes import ProtocolError
from protocol.messages import (
    Act,
    Chat,
    ChatLine,
    Error,
    Leave,
    Legal,
    Ok,
    Patch,
    Presence,
    RoomId,
    Since,
    Snapshot,
    TakeSeat,
)
from server.settings import Pace
from tests.processes import PATIENCE
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party, new_token

RELOAD = {"type": "reload"}


async def two_of_one_seat(nodes: Nodes) -> tuple[Party, Peer, Peer]:
    """A room whose deciding seat is attached through both hubs."""
    party = await nodes.party(2)
    seat = party.peers[0].fold()["turn"]["seats"][0]
    here, there = Peer(nodes.hubs[0], JSON), Peer(nodes.hubs[1], JSON)
    for peer in (here, there):
        assert isinstance(await peer.join(party.room, party.tokens[seat], legal=True), Ok)
        peer.fold()
    return party, here, there


async def test_conflicting_actions_have_one_order(nodes: Nodes) -> None:
    party, here, there = await two_of_one_seat(nodes)
    replies = await asyncio.gather(here.act(RELOAD), there.act(RELOAD))
    won = [reply for reply in replies if isinstance(reply, Ok)]
    lost = [reply for reply in replies if isinstance(reply, Error)]
    assert len(won) == len(lost) == 1
    assert lost[0].code in ("not_your_turn", "stale")
    await party.settled()
    assert [patch.seq for patch in party.peers[0].patches] == [won[0].seq]


async def test_a_hundred_races(nodes: Nodes) -> None:
    party, here, there = await two_of_one_seat(nodes)
    random, rounds = Random(3), 0
    while rounds < 100 and await party.playing():
        peers = [peer for peer in (here, there) if peer.seq < party.peers[0].seq]
        for peer in peers:
            await peer.until(party.peers[0].seq)
        seat = here.state["turn"]["seats"][0]
        if seat != here.state["you"]["seat"]:
            assert isinstance(await party.step(random), Ok)
            continue
        legal = await here.ask(Legal)
        assert isinstance(legal, Ok)
        assert legal.actions
        choices = [random.choice(legal.actions) for _ in range(2)]
        replies = await asyncio.gather(here.act(dict(choices[0])), there.act(dict(choices[1])))
        assert sum(isinstance(reply, Ok) for reply in replies) >= 1
        for reply in replies:
            if isinstance(reply, Error):
                assert reply.code in ("stale", "not_your_turn", "illegal_action", "game_over")
        rounds += 1
    for peer in (here, there):
        await peer.until(party.peers[0].seq)
    assert here.state == there.state


async def test_the_same_key_through_both_hubs_acts_once(nodes: Nodes) -> None:
    _, here, there = await two_of_one_seat(nodes)
    first, second = await asyncio.gather(here.act(RELOAD, key="once"), there.act(RELOAD, key="once"))
    assert isinstance(first, Ok)
    assert isinstance(second, Ok)
    assert first.seq == second.seq
    other = await there.ask(Act, action={"type": "keep"}, seq=there.seq, key="once")
    assert isinstance(other, Error)
    assert other.code == "key_reused"


async def test_patch_before_ok(nodes: Nodes) -> None:
    _, here, _ = await two_of_one_seat(nodes)
    reply = await here.act(RELOAD)
    kinds = [type(message) for message in here.box.messages]
    assert isinstance(reply, Ok)
    assert kinds.index(Patch) < len(kinds) - 1
    assert here.box.messages.index(reply) > kinds.index(Patch)


async def test_a_token_is_dead_on_every_node(nodes: Nodes) -> None:
    party, here, there = await two_of_one_seat(nodes)
    seat = here.state["you"]["seat"]
    await nodes.hubs[0].vacate(RoomId(party.room), seat, party.tokens[seat])
    for peer in (here, there):
        reply = await peer.act(RELOAD)
        assert isinstance(reply, Error)
        assert reply.code in ("not_joined", "revoked")
        told = [message for message in peer.box.messages if isinstance(message, Error) and message.id is None]
        assert [message.code for message in told] == ["revoked"]
    late = Peer(nodes.hubs[1], JSON)
    refused = await late.join(party.room, party.tokens[seat])
    assert isinstance(refused, Error)
    assert refused.code == "revoked"
    assert late.failed_lookups == 1


async def test_an_action_that_meets_a_revocation_is_refused(nodes: Nodes) -> None:
    party, here, there = await two_of_one_seat(nodes)
    seat = here.state["you"]["seat"]
    vacated = nodes.hubs[0].vacate(RoomId(party.room), seat, party.tokens[seat])
    _, reply = await asyncio.gather(vacated, there.act(RELOAD))
    journal = await nodes.hubs[0].store.read(RoomId(party.room))
    kinds = [b"action" in entry.data for entry in journal]
    if isinstance(reply, Ok):
        assert kinds.count(True) == 1
    else:
        assert reply.code in ("revoked", "not_joined")
        assert True not in kinds


async def test_chat_and_presence_reach_the_other_node(nodes: Nodes) -> None:
    party = await nodes.party(2)
    first, second = party.peers
    said = await first.ask(Chat, text="Good luck", key="hello")
    again = await first.ask(Chat, text="Good luck", key="hello")
    assert isinstance(said, Ok)
    assert isinstance(again, Ok)
    assert said.n == again.n == 1
    heard = await second.first(lambda message: isinstance(message, ChatLine))
    assert (heard.text, heard.seat) == ("Good luck", 0)
    for watcher in (Peer(nodes.hubs[1], JSON),):
        await watcher.join(party.room)
        await presence(first, [True, True], 1)
        await watcher.ask(Leave)
        await presence(first, [True, True], 0)
    nodes.hubs[1].gone(second.connection)
    await presence(first, [True, False], 0)


async def presence(peer: Peer, connected: list[bool], spectators: int) -> None:
    """Wait until the peer was told this presence."""
    wanted = Presence(peer.room, connected, spectators)
    await peer.true(lambda: peer.last(Presence) == wanted)


async def test_resume_at_the_other_hub(nodes: Nodes) -> None:
    party, random = await nodes.party(2), Random(1)
    first = party.peers[0]
    for _ in range(5):
        await party.step(random)
    await party.settled()
    since = Since(first.seq, first.tag)
    nodes.hubs[0].gone(first.connection)
    other = Peer(nodes.hubs[0], JSON)
    await other.join(party.room, party.tokens[0])
    party.peers[0] = other
    for _ in range(7):
        await party.step(random)
    seq = await party.settled()
    back = Peer(nodes.hubs[1], JSON)
    back.state, back.seq, back.tag = first.state, first.seq, first.tag
    reply = await back.join(party.room, party.tokens[0], since=since, legal=True)
    assert isinstance(reply, Ok)
    assert reply.resumed is True
    assert back.last(Snapshot) is None
    await back.until(seq)
    assert back.state == other.state
    foreign = Peer(nodes.hubs[1], JSON)
    reply = await foreign.join(party.room, party.tokens[0], since=Since(seq, "0123456789abcdef"))
    assert isinstance(reply, Ok)
    assert reply.resumed is False
    assert foreign.fold() == other.state


async def test_time_outs_fire_once_whichever_node(nodes: Nodes) -> None:
    party = await nodes.party(2, clock={"bank": 0, "per_turn": 100})
    for _ in range(6):
        await party.peers[0].until(party.peers[0].seq + 1)
    await party.settled()
    patches = party.peers[0].patches[:6]  # after three of its time-outs a seat is served, at another pace
    assert {patch.events[0]["kind"] for patch in patches} == {"timeout"}
    times = [patch.at for patch in patches]
    assert all(later - earlier >= 100 + 20 for earlier, later in pairwise(times))


async def test_a_seat_that_times_out_three_times_is_served_until_it_is_back(nodes: Nodes) -> None:
    party = await nodes.party(2, clock={"bank": 0, "per_turn": 50})
    peer = party.peers[0]
    async with asyncio.timeout(PATIENCE):
        while not (peer.fold() and any(seat["served"] for seat in peer.state["room"]["seats"])):
            await peer.until(peer.seq + 1)
    timeouts = [patch for patch in peer.patches if patch.events[0]["kind"] == "timeout"]
    assert len(timeouts) >= 3
    async with asyncio.timeout(PATIENCE):
        while (await party.playing()) or peer.state["room"]["status"] == "playing":
            await peer.until(peer.seq + 1)
    assert peer.state["room"]["status"] == "abandoned"
    assert peer.last(Patch).events[0] == {"kind": "abandoned", "reason": "all_served"}


async def test_a_deadline_in_a_room_that_no_node_has_loaded(nodes: Nodes) -> None:
    party = await nodes.room(2, clock={"bank": 0, "per_turn": 300})
    for hub in nodes.hubs:
        for table in hub.loaded():
            hub.drop(table)
    watcher = Peer(nodes.hubs[1], JSON)
    store = nodes.hubs[0].store
    async with asyncio.timeout(PATIENCE):
        while True:
            head = await store.head(RoomId(party.room))
            if head is not None and head.seq > 3:
                break
            await asyncio.sleep(0.02)
    await watcher.join(party.room)
    assert watcher.fold()["turn"]["number"] > 1


async def test_a_lost_wake_up_is_found(nodes: Nodes) -> None:
    party, random = await nodes.party(2), Random(2)
    await nodes.hubs[1].store.unfollow(RoomId(party.room))
    await party.step(random)
    await party.settled()
    assert party.peers[1].seq == party.peers[0].seq


@pytest.mark.parametrize("wrong", ["", "A" * 22, "x"])
async def test_wrong_tokens(nodes: Nodes, wrong: str) -> None:
    party = await nodes.room(2)
    peer = Peer(nodes.hubs[0], JSON)
    reply = await peer.join(party.room, wrong)
    assert isinstance(reply, Error)
    assert reply.code == "unauthorized"
    assert peer.failed_lookups == 1


async def test_seats_are_taken_once(nodes: Nodes) -> None:
    party = await nodes.room(1 + 1)
    made = party.room
    with pytest.raises(ProtocolError) as refusal:
        await nodes.hubs[1].take_seat(RoomId(made), TakeSeat(), new_token(), bot_host=False)
    assert refusal.value.code == "room_full"
    again, fresh = await nodes.hubs[1].take_seat(RoomId(made), TakeSeat(), party.tokens[1], bot_host=False)
    assert (again.seat, fresh) == (1, False)


class TestRoomsAtWhichNobodyLooksHere:
    """What a node has only touched costs it nothing when it is played elsewhere."""

    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, evict_after=800)

    async def test_it_takes_no_entry_and_lets_go(self, nodes: Nodes) -> None:
        touched, playing = nodes.hubs
        party = await Nodes([playing]).party(2)
        await touched.look(RoomId(party.room))
        table = touched.known(RoomId(party.room))
        assert table is not None
        random = Random(4)
        async with asyncio.timeout(PATIENCE):
            while touched.known(RoomId(party.room)) is not None:
                if await party.playing():
                    assert isinstance(await party.step(random), Ok)
                else:
                    await asyncio.sleep(0.01)
        # That the players came is news here, too, with which it takes what was played until then.
        assert table.room.head.seq < await party.settled()
        assert (await touched.look(RoomId(party.room)))["turn"] == (await playing.look(RoomId(party.room)))["turn"]

    async def test_whoever_comes_gets_what_is_so_now(self, nodes: Nodes) -> None:
        touched, playing = nodes.hubs
        party = await Nodes([playing]).party(2)
        await touched.look(RoomId(party.room))
        random = Random(4)
        for _ in range(5):
            assert isinstance(await party.step(random), Ok)
        seq, table = await party.settled(), touched.known(RoomId(party.room))
        async with asyncio.timeout(PATIENCE):
            while table is None or not table.behind:  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
        newcomer = Peer(touched, JSON)
        assert isinstance(await newcomer.join(party.room), Ok)
        assert newcomer.fold() == {**party.peers[0].fold(), "you": None}
        assert newcomer.seq == seq
        assert isinstance(await party.step(random), Ok)
        await newcomer.until(seq + 1)
