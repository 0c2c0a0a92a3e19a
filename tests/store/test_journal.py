"""What is read of a journal, its snapshots, and its end: quarantine, compression, removal."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from protocol.messages import RoomId
from server.store.store import EMPTY, Attached, Conflict, Head, Offer, Quarantined, Saved, Store
from tests.store.contract import EVER, FINISHED, OTHER, PLAYING, ROOM, World, grown, of


async def test_reading_goes_on_after_a_seq(a: Store, b: Store) -> None:
    await grown(a, ROOM, 5)
    assert [entry.seq for entry in await b.read(ROOM, 2)] == [3, 4, 5]
    assert await b.read(ROOM, 5) == ()
    assert await b.read(ROOM, 99) == ()
    assert [entry.data for entry in await b.read(ROOM, 4)] == [b"entry 5"]


async def test_an_entry_is_any_bytes(a: Store) -> None:
    data = bytes(range(256)) * 2
    await a.append(of(ROOM, EMPTY, data, b""))
    assert [entry.data for entry in await a.read(ROOM)] == [data, b""]


async def test_heads_are_those_of_rooms_that_exist(a: Store, b: Store) -> None:
    head, other = await grown(a, ROOM, 3), await grown(a, OTHER, 1)
    unknown = RoomId("NOSUCH")
    assert await b.heads((ROOM, unknown, OTHER)) == {ROOM: head, OTHER: other}
    assert await b.heads(()) == {}
    assert await b.head(unknown) is None


async def test_a_room_has_one_snapshot(a: Store, b: Store) -> None:
    await grown(a, ROOM, 1)
    assert await a.saved(ROOM) is None
    first, second = Saved(64, "a" * 16, b"\x00one"), Saved(128, "b" * 16, b"two")
    await a.save(ROOM, first)
    assert await b.saved(ROOM) == first
    await b.save(ROOM, second)
    assert await a.saved(ROOM) == second
    await a.save(ROOM, first)
    assert await a.saved(ROOM) == second
    branched = Saved(128, "c" * 16, b"another branch")
    await a.save(ROOM, branched)
    assert await b.saved(ROOM) == branched


async def test_a_quarantined_room_takes_no_entry(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 2)
    await a.quarantine(ROOM, "digests differ at 2")
    await a.quarantine(ROOM, "another reason")
    with pytest.raises(Quarantined, match="digests differ at 2"):
        await b.append(of(ROOM, head))
    with pytest.raises(Conflict):
        await b.append(of(ROOM))
    assert await b.head(ROOM) == head
    assert len(await b.read(ROOM)) == 2


async def test_a_quarantined_room_is_in_no_list(a: Store, world: World) -> None:
    await a.append(of(ROOM, index=msgspec.structs.replace(PLAYING, offers=(Offer(0, "greedy"),))))
    await grown(a, OTHER, 1)
    head = await a.head(ROOM)
    assert head
    await a.quarantine(ROOM, "broken")
    world.step(60_000)
    assert [room.room for room in (await a.rooms(None, None, None, 10)).rooms] == [OTHER]
    assert await a.count() == 1
    assert await a.offers(10) == ()
    assert await a.clocks() == ()
    await a.rearm(ROOM, head, 1)
    assert (await a.sweep(10)).due == (OTHER,)


async def test_a_compressed_journal_reads_as_before(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 70, index=FINISHED)
    saved = Saved(64, "a" * 16, b"snapshot")
    await a.save(ROOM, saved)
    await a.say(ROOM, b"good game", None)
    entries, listed = await a.read(ROOM), await a.rooms(None, None, None, 10)
    await b.compact(ROOM)
    await a.compact(ROOM)
    for store in (a, b):
        assert await store.read(ROOM) == entries
        assert await store.read(ROOM, 68) == entries[68:]
        assert await store.read(ROOM, 70) == ()
        assert await store.head(ROOM) == head
        assert await store.saved(ROOM) == saved
        assert len(await store.lines(ROOM, 0)) == 1
        assert await store.rooms(None, None, None, 10) == listed


async def test_a_compressed_journal_still_grows(a: Store) -> None:
    await grown(a, ROOM, 3, index=FINISHED)
    before = await a.read(ROOM)
    await a.compact(ROOM)
    await grown(a, ROOM, 2, index=FINISHED)
    entries = await a.read(ROOM)
    assert entries[:3] == before
    assert [entry.data for entry in entries[3:]] == [b"entry 4", b"entry 5"]
    await a.compact(ROOM)
    assert await a.read(ROOM) == entries
    assert await a.read(ROOM, 3) == entries[3:]


async def test_compressing_while_the_journal_grows_loses_nothing(a: Store, b: Store) -> None:
    async def compress(store: Store) -> None:
        for _ in range(10):
            await store.compact(ROOM)

    await asyncio.gather(grown(a, ROOM, 40, index=FINISHED), compress(a), compress(b))
    assert [entry.data for entry in await b.read(ROOM)] == [b"entry %d" % n for n in range(1, 41)]


async def test_of_a_forgotten_room_nothing_is_left(a: Store, b: Store, world: World) -> None:
    head = await grown(a, ROOM, 70, index=FINISHED)
    other = await grown(a, OTHER, 1)
    await a.save(ROOM, Saved(64, "a" * 16, b"snapshot"))
    await a.say(ROOM, b"good game", "key")
    await a.attached(ROOM, "node", (0,), 1)
    await a.compact(ROOM)
    await a.forget(ROOM)
    world.step(60_000)
    for store in (a, b):
        assert await store.head(ROOM) is None
        assert await store.heads((ROOM, OTHER)) == {OTHER: other}
        assert await store.read(ROOM) == ()
        assert await store.saved(ROOM) is None
        assert await store.lines(ROOM, 0) == ()
        assert await store.presence(ROOM) == Attached((), 0, 0)
        assert [room.room for room in (await store.rooms(None, None, None, 10)).rooms] == [OTHER]
        assert (await store.sweep(10)).due == (OTHER,)
        for after in (head, EMPTY):
            with pytest.raises(Conflict) as raised:
                await store.append(of(ROOM, after))
            assert raised.value.head == EMPTY


async def test_a_room_that_never_was_can_be_forgotten(a: Store) -> None:
    await a.forget(ROOM)
    await a.forget(ROOM)
    assert (await grown(a, ROOM, 1)).seq == 1


async def test_calls_about_an_unknown_room_leave_nothing_behind(a: Store) -> None:
    await a.save(ROOM, Saved(1, "a" * 16, b"x"))
    await a.attached(ROOM, "node", (0,), 0)
    await a.quarantine(ROOM, "reason")
    await a.compact(ROOM)
    await a.rearm(ROOM, Head(1, "a" * 16, 1), EVER)
    with pytest.raises(LookupError):
        await a.say(ROOM, b"hello", None)
    assert await a.saved(ROOM) is None
    assert await a.presence(ROOM) == Attached((), 0, 0)
    await grown(a, ROOM, 1)
    assert await a.saved(ROOM) is None
    assert await a.lines(ROOM, 0) == ()
    assert await a.presence(ROOM) == Attached((), 0, 0)
