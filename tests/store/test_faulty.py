"""That the faulty store fails in the ways it says, for the tests that build on it."""

from __future__ import annotations

import asyncio

import pytest

from server.store.memory import MemoryStore
from server.store.store import Conflict, News, Store, StoreUnavailable, UnknownOutcome, Wakeup
from tests.store.contract import OTHER, ROOM, grown, of
from tests.store.faulty import Fault, FaultyStore


@pytest.fixture
def faulty() -> FaultyStore:
    return FaultyStore(MemoryStore())


async def test_it_is_a_store(faulty: FaultyStore) -> None:
    store: Store = faulty
    head = await grown(store, ROOM, 2)
    assert await store.head(ROOM) == head


@pytest.mark.parametrize(
    ("fault", "error", "happened"),
    [
        (Fault.REFUSED, StoreUnavailable, False),
        (Fault.LOST, UnknownOutcome, False),
        (Fault.REPLY_LOST, UnknownOutcome, True),
        (Fault.REPLY_LOST_REFUSED, StoreUnavailable, True),
    ],
)
async def test_one_append_fails(faulty: FaultyStore, fault: Fault, error: type[Exception], happened: bool) -> None:
    faulty.fail(fault)
    with pytest.raises(error):
        await faulty.append(of(ROOM))
    assert (await faulty.head(ROOM) is not None) == happened
    await faulty.append(of(OTHER))


async def test_a_conflict_is_still_one(faulty: FaultyStore) -> None:
    await grown(faulty, ROOM, 1)
    faulty.fail(Fault.REPLY_LOST)
    with pytest.raises(Conflict):
        await faulty.append(of(ROOM))


async def test_a_store_that_is_away_refuses_everything(faulty: FaultyStore) -> None:
    faulty.away = True
    for call in (faulty.append(of(ROOM)), faulty.head(ROOM), faulty.say(ROOM, b"x", None), faulty.sweep(1)):
        with pytest.raises(StoreUnavailable):
            await call
    faulty.away = False
    assert (await faulty.append(of(ROOM))).seq == 1


async def test_appends_can_be_held(faulty: FaultyStore) -> None:
    faulty.hold()
    held = [asyncio.ensure_future(faulty.append(of(room))) for room in (ROOM, OTHER)]
    await faulty.arrived(2)
    assert await faulty.heads((ROOM, OTHER)) == {}
    faulty.release()
    assert [head.seq for head in await asyncio.gather(*held)] == [1, 1]


async def test_wakeups_can_be_lost(faulty: FaultyStore) -> None:
    await faulty.follow(ROOM)
    wakeups = faulty.wakeups()
    await grown(faulty, ROOM, 1)
    assert await anext(wakeups) == Wakeup(ROOM, News.ENTRY, 1)
    faulty.deaf = True
    await grown(faulty, ROOM, 1)
    faulty.lose()
    assert (await anext(wakeups)).news is News.LOST
    await wakeups.aclose()
