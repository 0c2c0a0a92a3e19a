"""Rooms with people at them, for tests: on one hub or on several."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from random import Random
from typing import Any

from protocol.codec import JSON, MSGPACK
from protocol.messages import Act, CreateRoom, Error, Legal, Ok, TakeSeat
from server.rooms.hub import Hub
from server.settings import Pace
from tests.rooms.peer import Peer

QUICK = Pace(served_pace=20, grace=20, sweep_every=50, presence_renew=300, chat_interval=0)


def new_token() -> str:
    """A token as a client chooses it."""
    return secrets.token_urlsafe(16)


@dataclass
class Party:
    """A room, the tokens of its seats, and a peer on each, all attached."""

    room: str
    tokens: list[str]
    peers: list[Peer] = field(default_factory=list)

    def deciding(self) -> list[Peer]:
        """The peers whose seats have to decide, by the newest state that any of them has."""
        newest = max(self.peers, key=lambda peer: (peer.fold() and 0, peer.seq)[1])
        return [self.peers[seat] for seat in newest.state["turn"]["seats"]]

    async def settled(self) -> int:
        """All peers at the newest entry that any of them has seen; its seq."""
        for peer in self.peers:
            peer.fold()
        newest = max(peer.seq for peer in self.peers)
        for peer in self.peers:
            await peer.until(newest)
        return newest

    async def step(self, random: Random) -> Ok | Error:
        """Some seat that has to decide plays a random legal action."""
        await self.settled()
        peer = random.choice(self.deciding())
        legal = await peer.ask(Legal)
        assert isinstance(legal, Ok)
        assert legal.actions
        return await peer.ask(Act, action=random.choice(legal.actions), seq=peer.seq)

    async def playing(self) -> bool:
        """Whether the game goes on."""
        await self.settled()
        return bool(self.peers[0].state["room"]["status"] == "playing")


@dataclass
class Nodes:
    """Several hubs on one store."""

    hubs: list[Hub]

    async def room(self, seats: int = 2, *, game: str = "dragonwood", **options: Any) -> Party:
        """A room whose seats are taken through different hubs."""
        tokens = [new_token() for _ in range(seats)]
        made = await self.hubs[0].create(CreateRoom(game, seats, options=options), tokens[0])
        for number in range(1, seats):
            await self.hubs[number % len(self.hubs)].take_seat(made.room, TakeSeat(), tokens[number], bot_host=False)  # type: ignore[arg-type]
        return Party(made.room, tokens)

    async def party(self, seats: int = 2, **options: Any) -> Party:
        """A room with a peer on every seat: on different hubs, in both codecs."""
        party = await self.room(seats, **options)
        for number, token in enumerate(party.tokens):
            peer = Peer(self.hubs[number % len(self.hubs)], JSON if number < 2 else MSGPACK)
            joined = await peer.join(party.room, token, legal=True)
            assert isinstance(joined, Ok)
            party.peers.append(peer)
        return party
