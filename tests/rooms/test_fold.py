"""What a viewer folds from patches is what a fresh snapshot shows, whatever happens."""

from __future__ import annotations

from random import Random

import pytest

from protocol.codec import CODECS, JSON, MSGPACK
from protocol.messages import Back, Chat, Leave, Ok, Resign, TakeSeat, Undo
from tests.rooms.peer import Peer
from tests.rooms.tables import Nodes, Party, new_token


async def check_fresh(nodes: Nodes, party: Party, watchers: list[Peer]) -> None:
    """Everybody's folded state is the one that a newcomer with the same rights is given, on either hub."""
    seq = await party.settled()
    for number, viewer in enumerate([*party.peers, *watchers]):
        await viewer.until(seq)
        fresh = Peer(nodes.hubs[number % 2], viewer.box.codec)
        token = party.tokens[number] if number < len(party.peers) else None
        joined = await fresh.join(party.room, token)
        assert isinstance(joined, Ok), joined
        assert joined.seq == viewer.seq
        assert fresh.fold() == viewer.state
        assert fresh.tag == viewer.tag
        await fresh.ask(Leave)


@pytest.mark.parametrize("seed", [1])
async def test_every_seq_of_a_random_game(nodes: Nodes, seed: int) -> None:
    party, random = await nodes.party(2), Random(seed)
    watchers = [Peer(nodes.hubs[0], JSON), Peer(nodes.hubs[1], MSGPACK)]
    for watcher in watchers:
        await watcher.join(party.room)
    steps = 0
    while await party.playing():
        reply = await party.step(random)
        assert isinstance(reply, Ok), reply
        if steps % 15 == 0 or not await party.playing():
            await check_fresh(nodes, party, watchers)
        steps += 1
    assert steps > 20
    assert party.peers[0].state["result"]["reason"] in ("deck", "dragons")
    assert party.peers[0].state["room"]["seed"] is not None


async def test_undo_resign_vacate_invite_and_chat_in_between(nodes: Nodes) -> None:
    party, random = await nodes.party(3), Random(5)
    watchers = [Peer(nodes.hubs[1], JSON)]
    await watchers[0].join(party.room)
    undone = 0
    for number in range(40):
        if not await party.playing():
            break
        reply = await party.step(random)
        assert isinstance(reply, Ok)
        seq = await party.settled()
        for peer in party.peers:
            taken = await peer.ask(Undo, seq=seq)
            if isinstance(taken, Ok):
                undone += 1
                break
        await party.peers[number % 3].ask(Chat, text=f"line {number}")
        await check_fresh(nodes, party, watchers)
    assert undone
    vacated = party.peers[2]
    await nodes.hubs[1].vacate(party.room, 2, party.tokens[2])  # type: ignore[arg-type]
    await party.peers[0].until(party.peers[0].seq + 1)
    invite = await nodes.hubs[0].invite(party.room, party.tokens[0])  # type: ignore[arg-type]
    party.tokens[2] = new_token()
    seat = TakeSeat(invite=invite.invite, name="Newcomer")
    taken_seat, fresh = await nodes.hubs[1].take_seat(party.room, seat, party.tokens[2], bot_host=False)  # type: ignore[arg-type]
    assert (taken_seat.seat, fresh) == (2, True)
    party.peers[2] = Peer(nodes.hubs[0], vacated.box.codec)
    await party.peers[2].join(party.room, party.tokens[2], legal=True)
    await check_fresh(nodes, party, watchers)
    assert isinstance(await party.peers[1].ask(Resign), Ok)
    assert isinstance(await party.peers[0].ask(Back), Ok)
    for _ in range(5):
        await party.peers[0].until(party.peers[0].seq + 1) if party.deciding()[0] is party.peers[
            1
        ] else await party.step(random)
    assert party.peers[0].state["room"]["seats"][1]["served"] is True
    assert set(CODECS) >= {"json", "msgpack"}
