"""Hearing of what happens to followed rooms, by one's own doing and others'."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.store.store import News, Store, Wakeup
from tests.store.contract import OTHER, ROOM, World, grown, heard, of


async def until(wakeups: AsyncIterator[Wakeup], wanted: Wakeup) -> list[Wakeup]:
    """Everything heard up to this wake-up."""
    found = []
    async for wakeup in wakeups:
        found.append(wakeup)
        if wakeup == wanted:
            return found
    raise AssertionError(f"{wanted} was not heard, but {found}")


@pytest.fixture(params=["oneself", "another"])
def doer(request: pytest.FixtureRequest, a: Store, b: Store) -> Store:
    """Whose doing `a` hears of."""
    return a if request.param == "oneself" else b


async def test_a_new_entry_is_heard_of(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 2)
    await a.follow(ROOM)
    head = await grown(doer, ROOM, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_a_room_may_be_followed_before_it_is_made(a: Store, doer: Store) -> None:
    await a.follow(ROOM)
    await doer.append(of(ROOM))
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, 1)]


async def test_chat_is_heard_of(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    await a.follow(ROOM)
    await doer.say(ROOM, b"hello", None)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.CHAT)]


async def test_a_line_that_was_known_is_no_news(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    await doer.say(ROOM, b"hello", "key")
    await a.follow(ROOM)
    await doer.say(ROOM, b"hello", "key")
    head = await grown(doer, ROOM, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_presence_is_heard_of_when_it_changes(a: Store, doer: Store, world: World) -> None:
    await grown(doer, ROOM, 1)
    await a.follow(ROOM)
    wakeups = a.wakeups()
    for seats, spectators in (((0,), 0), ((0,), 1), ((1,), 1), ((), 0)):
        await doer.attached(ROOM, "node", seats, spectators)
        assert await heard(wakeups, 1) == [Wakeup(ROOM, News.PRESENCE)]
    await doer.attached(ROOM, "node", (0,), 0)
    await heard(wakeups, 1)
    world.step(60_000)
    await doer.attached(ROOM, "node", (0,), 0)
    assert await heard(wakeups, 1) == [Wakeup(ROOM, News.PRESENCE)]


async def test_a_renewed_presence_is_no_news(a: Store, doer: Store, world: World) -> None:
    await grown(doer, ROOM, 1)
    await doer.attached(ROOM, "node", (0,), 2)
    await a.follow(ROOM)
    world.step(5_000)
    await doer.attached(ROOM, "node", (0,), 2)
    head = await grown(doer, ROOM, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_rooms_that_are_not_followed_are_silent(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    await grown(doer, OTHER, 1)
    await a.follow(ROOM)
    await a.follow(OTHER)
    await a.unfollow(OTHER)
    await doer.say(OTHER, b"hello", None)
    await grown(doer, OTHER, 1)
    await doer.attached(OTHER, "node", (0,), 0)
    head = await grown(doer, ROOM, 1)
    wanted = Wakeup(ROOM, News.ENTRY, head.seq)
    assert await until(a.wakeups(), wanted) == [wanted]


async def test_what_was_not_read_before_unfollowing_is_not_read(a: Store) -> None:
    await a.follow(ROOM)
    await grown(a, ROOM, 1)
    await a.unfollow(ROOM)
    await a.follow(OTHER)
    await grown(a, OTHER, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(OTHER, News.ENTRY, 1)]


async def test_a_room_can_be_followed_again(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    for _ in range(2):
        await a.follow(ROOM)
        await a.unfollow(ROOM)
    await grown(doer, ROOM, 1)
    await a.follow(ROOM)
    await a.follow(ROOM)
    head = await grown(doer, ROOM, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_the_newest_entry_is_heard_of_whatever_is_merged(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    await a.follow(ROOM)
    head = await grown(doer, ROOM, 30)
    found = await until(a.wakeups(), Wakeup(ROOM, News.ENTRY, head.seq))
    seqs = [wakeup.seq for wakeup in found]
    assert seqs == sorted(set(seqs))


async def test_nothing_is_heard_of_twice(a: Store, b: Store, doer: Store) -> None:
    await a.follow(ROOM)
    await a.follow(OTHER)
    wakeups = a.wakeups()
    first = await grown(doer, ROOM, 1)
    await doer.say(ROOM, b"hello", None)
    await doer.attached(ROOM, "node", (0,), 0)
    assert {wakeup.news for wakeup in await heard(wakeups, 3)} == {News.ENTRY, News.CHAT, News.PRESENCE}
    for _ in range(3):
        other = await grown(b, OTHER, 1)
        assert await heard(wakeups, 1) == [Wakeup(OTHER, News.ENTRY, other.seq)]
    await grown(doer, ROOM, 1)
    assert await heard(wakeups, 1) == [Wakeup(ROOM, News.ENTRY, first.seq + 1)]


async def test_a_reader_that_waits_is_woken(a: Store, doer: Store) -> None:
    await grown(doer, ROOM, 1)
    await a.follow(ROOM)
    waiting = asyncio.ensure_future(heard(a.wakeups(), 1))
    await asyncio.sleep(0)
    assert not waiting.done()
    await doer.say(ROOM, b"hello", None)
    assert await waiting == [Wakeup(ROOM, News.CHAT)]


async def test_both_hear_of_what_both_do(a: Store, b: Store) -> None:
    await grown(a, ROOM, 1)
    await a.follow(ROOM)
    await b.follow(ROOM)
    first = await grown(a, ROOM, 1)
    second = await grown(b, ROOM, 1)
    wanted = Wakeup(ROOM, News.ENTRY, second.seq)
    for store in (a, b):
        found = await until(store.wakeups(), wanted)
        assert [wakeup.seq for wakeup in found] in ([second.seq], [first.seq, second.seq])


async def test_one_following_does_not_silence_the_other(a: Store, b: Store) -> None:
    await grown(a, ROOM, 1)
    await a.follow(ROOM)
    await b.follow(ROOM)
    await b.unfollow(ROOM)
    head = await grown(b, ROOM, 1)
    assert await heard(a.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_wakeups_end_when_the_store_is_closed(a: Store) -> None:
    waiting = asyncio.ensure_future(_all(a.wakeups()))
    await asyncio.sleep(0)
    await a.close()
    assert await waiting == []


async def _all(wakeups: AsyncIterator[Wakeup]) -> list[Wakeup]:
    return [wakeup async for wakeup in wakeups]
