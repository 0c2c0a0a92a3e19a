"""Appending: what is compared, what is refused, and what time an entry has."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from protocol.messages import RoomId
from server.store.store import EMPTY, Append, Conflict, Head, NotInTime, Store, StoreUnavailable
from tests.store.contract import OPEN, OTHER, PLAYING, ROOM, World, grown, of

replace = msgspec.structs.replace


async def conflict(store: Store, append: Append) -> Head:
    with pytest.raises(Conflict) as raised:
        await store.append(append)
    return raised.value.head


async def test_a_first_append_makes_a_room(a: Store, b: Store) -> None:
    append = of(ROOM, EMPTY, b"created")
    before = await a.now()
    head = await a.append(append)
    assert (head.seq, head.tag) == (1, append.tags[0])
    assert before <= head.at <= await a.now()
    assert await b.head(ROOM) == head
    [stored] = await b.read(ROOM)
    assert (stored.seq, stored.tag, stored.at, stored.data) == (1, head.tag, head.at, b"created")


async def test_each_append_follows_the_one_before(a: Store, b: Store) -> None:
    first = await a.append(of(ROOM, EMPTY, b"one"))
    second = await b.append(of(ROOM, first, b"two"))
    assert second.seq == 2
    assert [entry.data for entry in await a.read(ROOM)] == [b"one", b"two"]


async def test_several_entries_go_in_one_step(a: Store) -> None:
    append = of(ROOM, EMPTY, b"one", b"two", b"three")
    head = await a.append(append)
    entries = await a.read(ROOM)
    assert [entry.seq for entry in entries] == [1, 2, 3]
    assert tuple(entry.tag for entry in entries) == append.tags
    assert {entry.at for entry in entries} == {head.at}
    assert head == Head(3, append.tags[-1], head.at)


async def test_a_room_that_exists_is_not_made_again(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 2)
    assert await conflict(b, of(ROOM)) == head
    assert len(await a.read(ROOM)) == 2


@pytest.mark.parametrize("wrong", [{"seq": 1}, {"seq": 3}, {"tag": "0" * 16}, {"seq": 0, "tag": ""}])
async def test_another_head_is_a_conflict(a: Store, wrong: dict[str, object]) -> None:
    head = await grown(a, ROOM, 2)
    assert await conflict(a, of(ROOM, replace(head, **wrong))) == head
    assert await a.head(ROOM) == head


async def test_the_time_of_the_head_named_does_not_matter(a: Store) -> None:
    head = await grown(a, ROOM, 1)
    assert (await a.append(of(ROOM, replace(head, at=0)))).seq == 2


async def test_an_unknown_room_has_no_head_to_follow(a: Store) -> None:
    assert await conflict(a, of(ROOM, Head(1, "0" * 16, 5))) == EMPTY
    assert await a.head(ROOM) is None
    assert await a.read(ROOM) == ()


async def test_sent_again_it_is_a_conflict_with_its_own_tag(a: Store, world: World) -> None:
    append = replace(of(ROOM), not_after=await a.now() + 5_000)
    head = await a.append(append)
    world.step(60_000)
    assert await conflict(a, append) == head
    assert head.tag == append.tags[-1]


async def test_an_append_without_entries_or_with_other_tags_is_no_append(a: Store) -> None:
    append = of(ROOM)
    for wrong in (replace(append, entries=(), tags=()), replace(append, tags=()), replace(append, tags=("a", "b"))):
        with pytest.raises(ValueError, match="one tag for each"):
            await a.append(wrong)


async def test_it_is_refused_past_its_time(a: Store, world: World) -> None:
    append = replace(of(ROOM), not_after=await a.now() + 3_000)
    world.step(10_000)
    with pytest.raises(NotInTime) as raised:
        await a.append(append)
    assert append.not_after < raised.value.now <= await a.now()
    assert await a.head(ROOM) is None


async def test_it_is_refused_before_its_time(a: Store, world: World) -> None:
    head = await grown(a, ROOM, 1)
    append = replace(of(ROOM, head), not_before=head.at + 30_000)
    with pytest.raises(NotInTime):
        await a.append(append)
    assert await a.head(ROOM) == head
    world.step(31_000)
    assert (await a.append(append)).seq == 2


async def test_a_late_append_to_another_head_is_a_conflict(a: Store, world: World) -> None:
    head = await grown(a, ROOM, 2)
    late = replace(of(ROOM), not_after=1)
    assert await conflict(a, late) == head


async def test_times_never_go_back(a: Store, b: Store, world: World) -> None:
    first = await a.append(of(ROOM))
    world.step(-60_000)
    second = await b.append(of(ROOM, first))
    third = await a.append(of(ROOM, second))
    assert second.at == third.at == first.at
    assert (await a.append(of(OTHER))).at < first.at
    world.step(120_000)
    fourth = await b.append(of(ROOM, third))
    assert fourth.at >= first.at + 60_000
    assert [entry.at for entry in await a.read(ROOM)] == [first.at, first.at, first.at, fourth.at]


async def test_one_that_fails_leaves_its_neighbours_alone(a: Store) -> None:
    rooms = [RoomId(f"ROOM{n:02}") for n in range(40)]
    heads = dict(zip(rooms, await asyncio.gather(*(a.append(of(room)) for room in rooms)), strict=True))
    appends = [of(room, EMPTY if n % 3 == 0 else heads[room], b"second", b"third") for n, room in enumerate(rooms)]
    appends[1] = replace(appends[1], not_after=1)
    results = await asyncio.gather(*(a.append(append) for append in appends), return_exceptions=True)
    for n, (append, result) in enumerate(zip(appends, results, strict=True)):
        entries = await a.read(append.room)
        if n == 1:
            assert isinstance(result, NotInTime)
            assert len(entries) == 1
        elif n % 3 == 0:
            assert isinstance(result, Conflict)
            assert result.head == heads[append.room]
            assert len(entries) == 1
        else:
            assert isinstance(result, Head)
            assert [entry.tag for entry in entries[1:]] == list(append.tags)
            assert result == await a.head(append.room)


async def test_an_append_that_can_not_be_stored_leaves_its_neighbours_alone(a: Store) -> None:
    good = [of(RoomId(f"ROOM{n}")) for n in range(3)]
    bad = replace(of(ROOM), index=replace(OPEN, listing=None))
    results = await asyncio.gather(
        a.append(good[0]), a.append(bad), a.append(good[1]), a.append(good[2]), return_exceptions=True
    )
    assert [isinstance(result, Head) for n, result in enumerate(results) if n != 1] == [True] * 3
    for append in good:
        assert [entry.tag for entry in await a.read(append.room)] == list(append.tags)


async def test_of_several_at_once_on_one_head_one_wins(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 1)
    appends = [of(ROOM, head) for _ in range(20)]
    stores = (a, b)
    results = await asyncio.gather(
        *(stores[n % 2].append(append) for n, append in enumerate(appends)), return_exceptions=True
    )
    won = [result for result in results if isinstance(result, Head)]
    assert len(won) == 1
    assert {result.head for result in results if isinstance(result, Conflict)} == set(won)


async def test_a_race_of_two_store_objects_has_one_order(a: Store, b: Store) -> None:
    won: dict[str, int] = {}

    async def race(store: Store, attempts: int) -> None:
        head = EMPTY
        for _ in range(attempts):
            append = of(ROOM, head, index=PLAYING)
            try:
                head = await store.append(append)
            except Conflict as conflict:
                head = conflict.head
            else:
                won[head.tag] = head.seq

    await asyncio.gather(*(race(store, 125) for store in (a, b) * 4))
    entries = await a.read(ROOM)
    assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
    assert {entry.tag: entry.seq for entry in entries} == won
    assert await b.read(ROOM) == entries
    assert len(entries) >= 125


async def test_a_call_without_an_open_store_is_refused(a: Store) -> None:
    await grown(a, ROOM, 1)
    await a.close()
    await a.close()
    with pytest.raises(StoreUnavailable):
        await a.append(of(OTHER))
    with pytest.raises(StoreUnavailable):
        await a.head(ROOM)


async def test_closing_finishes_what_is_in_flight(a: Store, b: Store) -> None:
    append = of(ROOM)
    flying = asyncio.ensure_future(a.append(append))
    await asyncio.sleep(0)
    await a.close()
    head = await flying
    assert await b.head(ROOM) == head


async def test_a_caller_that_gives_up_disturbs_nobody(a: Store) -> None:
    impatient = asyncio.ensure_future(a.append(of(OTHER)))
    patient = asyncio.ensure_future(a.append(of(ROOM)))
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient).seq == 1
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert (await a.append(of(RoomId("THIRD2")))).seq == 1
