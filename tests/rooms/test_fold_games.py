"""Every game, every entry: what a viewer folds is the room's document for it, and its last `turn` is the room's list.

Beside actions there are undos, time-outs, pauses, resignations, given-up and taken-over seats, chat; over two hubs, in
both codecs. A real newcomer and a `check` now and then say the same by the wire's own means.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest

from protocol.codec import JSON, MSGPACK
from protocol.digest import digest
from protocol.messages import Back, Chat, Check, Leave, Ok, Patch, Resign, RoomId, TakeSeat, Undo
from server.engines import ENGINES
from server.rooms import telling
from server.rooms.hub import Hub
from server.rooms.intents import AnyIntent, GiveBack, PlayFor
from server.rooms.table import Table
from server.rooms.writing import carry_out
from server.store.memory import Memory, MemoryStore
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party, new_token

GAMES = [engine.name for engine in ENGINES.values()]
STEPS = 40
"""How far the games are followed that would go on for hundreds of steps; the soak plays all to their end."""
CLOCK = {"bank": 600_000, "per_turn": 600_000}


@pytest.fixture
async def nodes() -> AsyncIterator[Nodes]:
    world = Memory()
    hubs = [Hub(MemoryStore(world), QUICK, f"node-{number}") for number in range(2)]
    for hub in hubs:
        await hub.start()
    yield Nodes(hubs)
    for hub in hubs:
        await hub.stop()


class Evening:
    """A game that is followed entry by entry."""

    def __init__(self, nodes: Nodes, party: Party, watchers: list[Peer], random: Random) -> None:
        self.nodes = nodes
        self.party = party
        self.watchers = watchers
        self.random = random
        self.checks = 0

    def table(self, hub: Hub) -> Table:
        table = hub.known(RoomId(self.party.room))
        assert table is not None
        return table

    async def server_does(self, intent: AnyIntent) -> None:
        """As a chore or after an outage, by either hub."""
        await self.random.choice(self.nodes.hubs).on(RoomId(self.party.room), lambda table: carry_out(table, intent))

    async def check(self) -> None:
        """Everybody is where its node's room is, and sees what that shows it."""
        seq = await self.party.settled()
        for viewer in (*self.party.peers, *self.watchers):
            await viewer.until(seq)
            await viewer.ask(Check, seq=0, digest="0" * 64)
            viewer.fold()
            table = self.table(viewer.hub)
            assert (viewer.seq, viewer.tag) == (table.room.head.seq, table.room.head.tag)
            seat = None if viewer.state["you"] is None else viewer.state["you"]["seat"]
            assert viewer.state == plain(table.room.documents().of(seat))
            if seat is not None and seat in viewer.state["turn"]["seats"]:
                assert viewer.actions == plain(telling.actions(table, seat))
        self.checks += 1
        if self.checks % 10 == 0:
            await self.check_by_wire()

    async def check_by_wire(self) -> None:
        """A newcomer with the same rights, and the viewer's own digest, agree."""
        number = self.random.randrange(len(self.party.peers) + len(self.watchers))
        viewer = [*self.party.peers, *self.watchers][number]
        token = self.party.tokens[number] if number < len(self.party.tokens) else None
        newcomer = Peer(viewer.hub, self.random.choice((JSON, MSGPACK)))
        assert isinstance(await newcomer.join(self.party.room, token), Ok)
        assert newcomer.fold() == viewer.fold()
        await newcomer.ask(Leave)
        checked = await viewer.ask(Check, seq=viewer.seq, digest=digest(viewer.state))
        assert isinstance(checked, Ok)
        assert checked.match is True

    async def something(self) -> None:
        """A thing that happens between two actions."""
        random, party = self.random, self.party
        turn = party.peers[0].state["turn"]
        what = random.random()
        if what < 0.25:
            for peer in party.peers:
                if isinstance(await peer.ask(Undo, seq=party.peers[0].seq), Ok):
                    break
        elif what < 0.35:
            seat = random.randrange(len(turn["seats"]))
            await self.server_does(PlayFor(turn["seats"][seat], turn["since"][seat], 0))
        elif what < 0.40:
            at = self.table(self.nodes.hubs[0]).room.head.at
            await self.server_does(GiveBack(at, at + 1500))
        elif what < 0.50:
            await random.choice(party.peers).ask(Chat, text="Well played")

    async def all_back(self) -> None:
        """Whoever is served after three time-outs plays again."""
        await self.party.settled()
        room = self.party.peers[0].state["room"]
        for peer, seat in zip(self.party.peers, room["seats"], strict=True):
            if seat["served"] and room["status"] == "playing":
                await peer.ask(Back)
        await self.party.settled()

    async def take_over(self, seat: int) -> None:
        """The seat is given up, and somebody else takes it by invite."""
        room, hubs, party = RoomId(self.party.room), self.nodes.hubs, self.party
        await hubs[seat % 2].vacate(room, seat, party.tokens[seat])
        party.peers = [peer for number, peer in enumerate(party.peers) if number != seat]
        await party.settled()
        invite = await hubs[0].invite(room, party.tokens[seat - 1])
        party.tokens[seat] = new_token()
        newcomer = TakeSeat(invite=invite.invite, name="Newcomer")
        await hubs[1].take_seat(room, newcomer, party.tokens[seat], bot_host=False)
        peer = Peer(hubs[0], MSGPACK)
        assert isinstance(await peer.join(room, party.tokens[seat], legal=True), Ok)
        party.peers.insert(seat, peer)


def plain(value: Any) -> Any:
    """As it comes out of a frame."""
    return json.loads(JSON.value(value))


async def follow(nodes: Nodes, game: str, seats: int, seed: int, steps: int) -> Counter[str]:
    """Play and compare; the kinds of the entries that there were."""
    party = await nodes.party(seats, game=game, clock=CLOCK)
    watchers = [Peer(nodes.hubs[0], JSON), Peer(nodes.hubs[1], MSGPACK)]
    for watcher in watchers:
        await watcher.join(party.room)
    evening = Evening(nodes, party, watchers, Random(seed))
    await evening.check()
    for number in range(steps):
        await evening.all_back()
        if not await party.playing():
            break
        assert isinstance(await party.step(evening.random), Ok)
        await evening.check()
        if await party.playing():
            await evening.something()
            await evening.check()
        if number == steps // 2 and await party.playing():
            await evening.take_over(seats - 1)
            await evening.check()
    if await party.playing():
        await end(evening)
    return Counter(patch.events[0]["kind"] for patch in watchers[0].patches)


async def end(evening: Evening) -> None:
    """Everybody resigns, the last one too: the room is abandoned, its seed told."""
    for peer in evening.party.peers:
        assert isinstance(await peer.ask(Resign), Ok)
    watcher = evening.watchers[0]
    while watcher.state["room"]["status"] == "playing":
        await watcher.until(watcher.seq + 1)
    await evening.check()
    assert watcher.state["room"]["seed"] is not None
    assert isinstance(watcher.last(Patch), Patch)


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("game", GAMES)
async def test_every_entry_of_every_game(nodes: Nodes, game: str, seats: int) -> None:
    kinds = await follow(nodes, game, seats, seed=seats, steps=STEPS)
    assert {"action", "timeout"} <= kinds.keys()
    assert len(kinds.keys() & {"undo", "paused", "vacated", "seated", "resign"}) >= 3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("game", GAMES)
async def test_every_entry_of_whole_games(nodes: Nodes, game: str, seed: int) -> None:
    kinds = await follow(nodes, game, 2 + seed, seed=100 + seed, steps=5000)
    assert {"action", "timeout", "undo", "paused"} <= kinds.keys()
