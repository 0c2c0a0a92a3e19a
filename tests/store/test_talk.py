"""Chat and presence."""

from __future__ import annotations

import asyncio

import pytest

from server.store.store import Attached, Line, Store
from tests.store.contract import OTHER, ROOM, World, grown


@pytest.fixture(autouse=True)
async def room(a: Store) -> None:
    await grown(a, ROOM, 1)


async def test_lines_are_numbered_from_one(a: Store, b: Store) -> None:
    assert await a.lines(ROOM, 0) == ()
    assert [await a.say(ROOM, b"one", None), await b.say(ROOM, b"two", None)] == [1, 2]
    assert await a.lines(ROOM, 0) == (Line(1, b"one"), Line(2, b"two"))
    assert await b.lines(ROOM, 1) == (Line(2, b"two"),)
    assert await b.lines(ROOM, 2) == ()


async def test_each_room_numbers_its_own(a: Store) -> None:
    await grown(a, OTHER, 1)
    assert [await a.say(ROOM, b"here", "key"), await a.say(OTHER, b"there", "key")] == [1, 1]
    assert await a.lines(OTHER, 0) == (Line(1, b"there"),)


async def test_the_same_key_is_the_same_line(a: Store, b: Store) -> None:
    assert await a.say(ROOM, b"one", "first") == 1
    assert await a.say(ROOM, b"two", "second") == 2
    assert await b.say(ROOM, b"one", "first") == 1
    assert await b.say(ROOM, b"something else", "second") == 2
    assert await a.lines(ROOM, 0) == (Line(1, b"one"), Line(2, b"two"))


async def test_lines_without_a_key_are_never_the_same(a: Store) -> None:
    assert [await a.say(ROOM, b"hm", None) for _ in range(3)] == [1, 2, 3]


async def test_the_last_two_hundred_lines_and_their_keys_are_kept(a: Store, b: Store) -> None:
    for n in range(1, 251):
        assert await a.say(ROOM, b"line %d" % n, f"key {n}") == n
    lines = await b.lines(ROOM, 0)
    assert [line.n for line in lines] == list(range(51, 251))
    assert lines[0].data == b"line 51"
    assert await b.say(ROOM, b"line 51", "key 51") == 51
    assert await b.say(ROOM, b"line 251", "key 251") == 251


async def test_lines_said_at_once_all_get_a_number(a: Store, b: Store) -> None:
    stores = (a, b)
    said = await asyncio.gather(*(stores[n % 2].say(ROOM, b"%d" % n, None) for n in range(40)))
    assert sorted(said) == list(range(1, 41))
    assert {line.n: line.data for line in await a.lines(ROOM, 0)} == {n: b"%d" % k for k, n in enumerate(said)}


async def test_one_key_said_at_once_is_one_line(a: Store, b: Store) -> None:
    stores = (a, b)
    assert set(await asyncio.gather(*(stores[n % 2].say(ROOM, b"x", "key") for n in range(10)))) == {1}
    assert await a.lines(ROOM, 0) == (Line(1, b"x"),)


async def test_talk_is_no_entry(a: Store) -> None:
    head = await a.head(ROOM)
    await a.say(ROOM, b"one", None)
    await a.attached(ROOM, "node", (0,), 0)
    assert await a.head(ROOM) == head


async def test_presence_is_that_of_all_nodes(a: Store, b: Store) -> None:
    assert await a.presence(ROOM) == Attached((), 0, 0)
    await a.attached(ROOM, "one", (3, 1), 2)
    await b.attached(ROOM, "two", (1, 0), 3)
    found = await a.presence(ROOM)
    assert (found.seats, found.spectators) == ((0, 1, 3), 5)
    assert await b.presence(ROOM) == found
    assert 0 < found.seen <= await a.now()


async def test_a_node_changes_its_own_record_only(a: Store, b: Store) -> None:
    await a.attached(ROOM, "one", (0, 1), 2)
    await b.attached(ROOM, "two", (2,), 1)
    await a.attached(ROOM, "one", (0,), 0)
    found = await b.presence(ROOM)
    assert (found.seats, found.spectators) == ((0, 2), 1)
    await a.attached(ROOM, "one", (), 0)
    found = await b.presence(ROOM)
    assert (found.seats, found.spectators) == ((2,), 1)


async def test_spectators_alone_are_a_presence(a: Store) -> None:
    await a.attached(ROOM, "one", (), 1)
    found = await a.presence(ROOM)
    assert (found.seats, found.spectators, found.seen > 0) == ((), 1, True)


async def test_a_record_that_is_not_renewed_becomes_void(a: Store, b: Store, world: World) -> None:
    await a.attached(ROOM, "one", (0,), 1)
    await b.attached(ROOM, "two", (1,), 1)
    seen = (await a.presence(ROOM)).seen
    world.step(10_000)
    await b.attached(ROOM, "two", (1,), 1)
    renewed = (await a.presence(ROOM)).seen
    assert renewed >= seen + 10_000
    world.step(6_000)
    assert await a.presence(ROOM) == Attached((1,), 1, renewed)
    world.step(10_000)
    assert await a.presence(ROOM) == Attached((), 0, renewed)


async def test_a_record_is_void_after_fifteen_seconds(a: Store, world: World) -> None:
    await a.attached(ROOM, "one", (0,), 1)
    world.step(13_000)
    found = await a.presence(ROOM)
    assert (found.seats, found.spectators) == ((0,), 1)
    world.step(2_000)
    found = await a.presence(ROOM)
    assert (found.seats, found.spectators) == ((), 0)


async def test_a_record_from_far_ahead_is_void(a: Store, world: World) -> None:
    """A node that died before the store's clock was set back is not there until that moment comes again."""
    await a.attached(ROOM, "dead", (0,), 2)
    world.step(-3_600_000)
    found = await a.presence(ROOM)
    assert (found.seats, found.spectators) == ((), 0)
    await a.attached(ROOM, "alive", (1,), 0)
    assert (await a.presence(ROOM)).seats == (1,)


async def test_what_was_seen_later_stays_when_the_clock_goes_back(a: Store, world: World) -> None:
    await a.attached(ROOM, "one", (0,), 0)
    seen = (await a.presence(ROOM)).seen
    world.step(-60_000)
    await a.attached(ROOM, "one", (0, 1), 0)
    found = await a.presence(ROOM)
    assert (found.seats, found.seen) == ((0, 1), seen)


async def test_when_the_last_one_leaves_is_remembered(a: Store, world: World) -> None:
    await a.attached(ROOM, "one", (0,), 0)
    seen = (await a.presence(ROOM)).seen
    world.step(5_000)
    await a.attached(ROOM, "one", (), 0)
    left = await a.presence(ROOM)
    assert (left.seats, left.spectators) == ((), 0)
    assert left.seen >= seen + 5_000
    world.step(60_000)
    await a.attached(ROOM, "one", (), 0)
    assert await a.presence(ROOM) == left


async def test_leaving_after_the_record_was_void_does_not_count_as_seen(a: Store, world: World) -> None:
    await a.attached(ROOM, "one", (0,), 0)
    seen = (await a.presence(ROOM)).seen
    world.step(60_000)
    await a.attached(ROOM, "one", (), 0)
    assert await a.presence(ROOM) == Attached((), 0, seen)
