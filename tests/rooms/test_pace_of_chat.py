"""One line a second: a line that was said counts, one that was refused does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from protocol.messages import Chat, Error, Ok
from server.rooms.hub import Hub
from server.store.memory import Memory, MemoryStore
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party
from tests.store.faulty import Fault, FaultyStore

SLOW = msgspec.structs.replace(QUICK, chat_interval=600_000)


@pytest.fixture
async def hub(faulty: FaultyStore) -> AsyncIterator[Hub]:
    hub = Hub(faulty, SLOW, "here")
    await hub.start()
    yield hub
    await hub.stop()


@pytest.fixture
async def party(hub: Hub) -> Party:
    return await Nodes([hub]).party(2)


async def refusal(peer: Peer, text: str, **key: str) -> str:
    reply = await peer.ask(Chat, text=text, **key)
    assert isinstance(reply, Error), reply
    return reply.code


async def test_the_next_line_comes_a_second_later(party: Party) -> None:
    first, second = party.peers
    assert isinstance(await first.ask(Chat, text="one"), Ok)
    refused = await first.ask(Chat, text="two")
    assert isinstance(refused, Error)
    assert refused.code == "rate_limited"
    assert isinstance(refused.retry_after, int)
    assert 0 < refused.retry_after <= SLOW.chat_interval
    assert isinstance(await second.ask(Chat, text="somebody else's"), Ok)


@pytest.mark.parametrize("fault", [Fault.REFUSED, Fault.LOST])
async def test_a_line_that_the_store_did_not_take_does_not_count(
    party: Party, faulty: FaultyStore, fault: Fault
) -> None:
    peer = party.peers[0]
    faulty.fail(fault)
    assert await refusal(peer, "one") in ("unavailable", "unknown_outcome")
    assert isinstance(await peer.ask(Chat, text="one"), Ok)
    assert await refusal(peer, "two") == "rate_limited"


async def test_a_line_that_is_none_does_not_count(party: Party) -> None:
    peer = party.peers[0]
    assert await refusal(peer, "\x00") == "bad_message"
    assert isinstance(await peer.ask(Chat, text="one"), Ok)


async def test_a_key_that_was_used_elsewhere_does_not_count(hub: Hub, party: Party, world: Memory) -> None:
    """Neither what it said there, said again, nor what it may not say any more."""
    elsewhere = Hub(MemoryStore(world), SLOW, "elsewhere")
    await elsewhere.start()
    there, here = Peer(elsewhere), party.peers[0]
    await there.join(party.room, party.tokens[0])
    said = await there.ask(Chat, text="one", key="k")
    assert isinstance(said, Ok)
    await elsewhere.stop()
    said_at = hub.clock.now()
    while hub.clock.now() == said_at:  # noqa: ASYNC110 - a line of the same ms could be this node's own
        await asyncio.sleep(0.0005)
    assert await refusal(here, "other", key="k") == "key_reused"
    again = await here.ask(Chat, text="one", key="k")
    assert isinstance(again, Ok)
    assert again.n == said.n
    assert isinstance(await here.ask(Chat, text="two"), Ok)
    assert await refusal(here, "three") == "rate_limited"
