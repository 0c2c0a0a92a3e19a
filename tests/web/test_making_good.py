"""A real room and an outbox that fills up: whoever reads again misses nothing, and hears it in the right order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from protocol.codec import JSON
from protocol.messages import (
    AnyServerMessage,
    Chat,
    ChatLine,
    Join,
    Ok,
    Presence,
    RoomId,
    ServerMessage,
    Snapshot,
    Turn,
)
from server.rooms.hub import Hub
from server.rooms.viewer import Connection
from server.store.memory import MemoryStore
from server.web.frames import Framing
from server.web.outbox import BoundedOutbox
from server.web.traffic import Traffic
from tests.processes import PATIENCE
from tests.rooms.tables import QUICK, Nodes, Party

RELOAD = {"type": "reload"}
FRAMES = 8


class Slow:
    """A client that reads when it is told to."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.outbox = BoundedOutbox(Framing(binary=False), Traffic(), max_frames=FRAMES, max_bytes=2**20)
        self.connection = Connection(JSON, self.outbox, failed_lookup=lambda _: 0, max_rooms=64)

    def fill(self) -> None:
        """Let as much wait as may."""
        while not self.outbox.full:
            self.outbox.reply(b"{}", None)

    def read(self) -> list[AnyServerMessage]:
        """What waits, and then ask for what was lost."""
        payloads = [frame[2 if frame[1] < 126 else 4 :] for frame in self.outbox.take()]
        self.outbox.catch_up(lambda room: self.hub.resync(self.connection, (room,)))
        messages = [JSON.decode_server(payload) for payload in payloads if payload != b"{}"]
        return [message for message in messages if message is not None]

    async def until_good(self, party: Party) -> list[AnyServerMessage]:
        """All that comes until nothing is lost any more."""
        found: list[AnyServerMessage] = []
        async with asyncio.timeout(PATIENCE):
            while True:
                found += self.read()
                await settled(self.hub, party)
                if not self.outbox.behind:
                    return found + self.read()


async def settled(hub: Hub, party: Party) -> None:
    table = hub.known(RoomId(party.room))
    assert table is not None
    await table.finished()


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    hub = Hub(MemoryStore(), QUICK, "alone")
    await hub.start()
    yield hub
    await hub.stop()


async def say(party: Party, *texts: str) -> None:
    for text in texts:
        assert isinstance(await party.peers[0].ask(Chat, text=text), Ok)


async def watched(hub: Hub) -> tuple[Party, Slow]:
    """A room, and a spectator who has read everything so far."""
    party = await Nodes([hub]).party(2)
    slow = Slow(hub)
    hub.request(slow.connection, Join(1, RoomId(party.room)))
    await settled(hub, party)
    slow.read()
    return party, slow


def kinds(messages: list[AnyServerMessage]) -> list[type[ServerMessage]]:
    return [type(message) for message in messages]


@pytest.mark.parametrize("seated", [True, False])
async def test_a_join_to_which_nothing_could_be_written(hub: Hub, seated: bool) -> None:
    party = await Nodes([hub]).party(2)
    lines = [f"line {number}" for number in range(20)]
    await say(party, *lines)
    slow = Slow(hub)
    slow.fill()
    token = {"token": party.tokens[party.peers.index(party.deciding()[0])]} if seated else {}
    hub.request(slow.connection, Join(1, RoomId(party.room), legal=True, **token))  # type: ignore[arg-type]
    await settled(hub, party)
    got = await slow.until_good(party)
    assert kinds(got)[:3] == ([Ok, Snapshot, Turn] if seated else [Ok, Snapshot, Presence])
    assert kinds(got).count(Snapshot) == 1, "what was said needs no snapshot"
    assert any(isinstance(message, Presence) for message in got)
    assert [message.text for message in got if isinstance(message, ChatLine)] == lines


async def test_lines_that_a_full_outbox_could_not_take_come_once_and_in_order(hub: Hub) -> None:
    party, slow = await watched(hub)
    lines = [f"line {number}" for number in range(30)]
    await say(party, *lines[:12])
    assert slow.outbox.behind
    first = slow.read()
    await say(party, *lines[12:])
    got = first + await slow.until_good(party)
    assert [message.text for message in got if isinstance(message, ChatLine)] == lines
    assert Snapshot not in kinds(got), "what was said needs no snapshot"


async def test_nothing_of_a_room_comes_before_the_snapshot_that_it_waits_for(hub: Hub) -> None:
    party, slow = await watched(hub)
    slow.fill()
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    assert slow.outbox.outdated(RoomId(party.room))
    slow.outbox.take()
    await say(party, "one", "two")
    got = await slow.until_good(party)
    assert kinds(got) == [Snapshot, Presence, ChatLine, ChatLine]
