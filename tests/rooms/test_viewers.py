"""Who is told first, and what is left of a viewer that is gone."""

from __future__ import annotations

import asyncio

from protocol.codec import JSON
from protocol.codes import Code, ProtocolError
from protocol.messages import Error, Join, Ok, Patch, RoomId
from server.rooms import hub as hubs
from tests.rooms.peer import Box, Peer
from tests.rooms.tables import Nodes


class Ordered(Box):
    """An outbox that notes in a shared list when a patch comes."""

    def __init__(self, order: list[str], name: str) -> None:
        super().__init__(JSON)
        self.order = order
        self.name = name

    def update(self, room: RoomId, frame: bytes) -> None:
        super().update(room, frame)
        if isinstance(self.messages[-1], Patch):
            self.order.append(self.name)


async def test_players_are_told_before_spectators(nodes: Nodes) -> None:
    party, order = await nodes.room(2), []
    hub = nodes.hubs[0]
    peers = []
    for name, token in (
        ("spectator", None),
        ("player", party.tokens[0]),
        ("spectator", None),
        ("player", party.tokens[1]),
    ):
        peer = Peer(hub)
        peer.box = peer.connection.outbox = Ordered(order, name)
        assert isinstance(await peer.join(party.room, token), Ok)
        peers.append(peer)
    seat = peers[1].fold()["turn"]["seats"][0]
    assert isinstance(await peers[1 + 2 * seat].act({"type": "reload"}), Ok)
    assert order == ["player", "player", "spectator", "spectator"]


async def test_a_connection_that_is_gone_while_its_join_waits_is_not_attached(nodes: Nodes) -> None:
    party, hub = await nodes.room(2), nodes.hubs[0]
    peer = Peer(hub)
    peer.room = party.room
    peer.send(Join, token=party.tokens[0])
    await asyncio.sleep(0)  # the room is about to read its journal
    hub.gone(peer.connection)
    other = Peer(hub)
    assert isinstance(await other.join(party.room, party.tokens[1]), Ok)
    assert hub.table(RoomId(party.room)).viewers.seats() == (1,)
    assert not peer.connection.rooms


async def test_a_viewer_that_can_not_be_given_a_snapshot_is_detached_and_told(nodes: Nodes) -> None:
    party = await nodes.party(2)
    peer, table = party.peers[0], nodes.hubs[0].table(RoomId(party.room))
    hubs._lost(table, peer.connection, ProtocolError(Code.UNAVAILABLE, "the store is away"))
    told = peer.last(Error)
    assert (told.id, told.code, told.room) == (None, "unavailable", party.room)
    assert not peer.connection.rooms
    assert table.viewers.find(peer.connection) is None
