"""Finding rooms again: the list, counts, offers, running clocks, deadlines."""

from __future__ import annotations

import msgspec
import pytest

from protocol.messages import RoomId
from server.store.cursor import cursor_behind
from server.store.store import EMPTY, Index, Offer, Store, Waiting
from tests.store.contract import FINISHED, OPEN, OTHER, PLAYING, ROOM, World, grown, of

replace = msgspec.structs.replace


async def listed(store: Store, game: str | None = None, status: str | None = None, *, limit: int = 50) -> list[RoomId]:
    """All rooms of a list, page by page."""
    found: list[RoomId] = []
    cursor = None
    while True:
        page = await store.rooms(game, status, cursor, limit)
        found += [room.room for room in page.rooms]
        cursor = page.cursor
        if cursor is None:
            return found


async def many(store: Store, world: World, count: int, index: Index = OPEN) -> list[RoomId]:
    """So many rooms, newest first."""
    rooms = [RoomId(f"ROOM{n:02}") for n in range(count)]
    for room in rooms:
        await store.append(of(room, index=index))
        world.step(5)
    return rooms[::-1]


async def test_every_room_has_its_id_told_unless_it_is_set_aside(a: Store, b: Store) -> None:
    private = replace(FINISHED, public=False)
    await grown(a, ROOM, 2, private)
    await grown(a, OTHER, 1, PLAYING)
    await grown(a, RoomId("AAAAAA"), 1)
    await grown(a, RoomId("BBBBBB"), 1)
    await a.quarantine(RoomId("AAAAAA"), "reason")
    await a.compact(ROOM)
    await a.forget(RoomId("BBBBBB"))
    assert sorted(await b.ids()) == [ROOM, OTHER]


async def test_the_newest_room_comes_first(a: Store, b: Store, world: World) -> None:
    rooms = await many(a, world, 7)
    assert await listed(b) == rooms


async def test_a_room_is_listed_with_what_was_said_last_of_it(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 1)
    await a.append(of(ROOM, head, index=PLAYING))
    page = await b.rooms(None, None, None, 50)
    assert [(room.room, room.listing, room.connected) for room in page.rooms] == [(ROOM, PLAYING.listing, ())]
    assert page.cursor is None


async def test_the_list_shows_who_is_connected(a: Store, b: Store, world: World) -> None:
    await grown(a, ROOM, 1)
    await grown(a, OTHER, 1)
    await a.attached(ROOM, "one", (2, 0), 3)
    await b.attached(ROOM, "two", (1, 2), 0)
    await b.attached(OTHER, "two", (), 5)

    async def connected() -> dict[RoomId, tuple[int, ...]]:
        return {room.room: room.connected for room in (await a.rooms(None, None, None, 50)).rooms}

    assert await connected() == {ROOM: (0, 1, 2), OTHER: ()}
    world.step(16_000)
    assert await connected() == {ROOM: (), OTHER: ()}


async def test_a_list_may_be_of_one_game_or_status(a: Store, world: World) -> None:
    burano = replace(PLAYING, game="burano")
    for room, index in (("AAAAAA", OPEN), ("BBBBBB", PLAYING), ("CCCCCC", burano), ("DDDDDD", FINISHED)):
        await a.append(of(RoomId(room), index=index))
        world.step(5)
    assert await listed(a) == ["DDDDDD", "CCCCCC", "BBBBBB", "AAAAAA"]
    assert await listed(a, "dragonwood") == ["DDDDDD", "BBBBBB", "AAAAAA"]
    assert await listed(a, "burano") == ["CCCCCC"]
    assert await listed(a, None, "playing") == ["CCCCCC", "BBBBBB"]
    assert await listed(a, "dragonwood", "playing") == ["BBBBBB"]
    assert await listed(a, "burano", "open") == []
    assert await listed(a, "islet") == []


async def test_a_private_room_is_never_listed(a: Store) -> None:
    await a.append(of(ROOM, index=replace(OPEN, public=False)))
    assert await listed(a) == []
    assert await listed(a, "dragonwood", "open") == []


async def test_a_room_moves_when_its_status_changes(a: Store, b: Store) -> None:
    head = await grown(a, ROOM, 1)
    head = await a.append(of(ROOM, head, index=PLAYING))
    assert await listed(b, None, "open") == []
    assert await listed(b, "dragonwood", "playing") == [ROOM]
    await b.append(of(ROOM, head, index=FINISHED))
    assert await listed(a, None, "playing") == []
    assert await listed(a, None, "finished") == [ROOM]


@pytest.mark.parametrize("limit", [1, 3, 4, 12])
async def test_pages_show_every_room_once(a: Store, world: World, limit: int) -> None:
    rooms = await many(a, world, 12)
    assert await listed(a, limit=limit) == rooms
    assert await listed(a, "dragonwood", "open", limit=limit) == rooms
    assert (await a.rooms(None, None, None, 12)).cursor is None


async def test_rooms_made_at_the_same_time_are_all_shown(a: Store) -> None:
    for n in range(6):
        await a.append(of(RoomId(f"SAME{n:02}"), index=replace(OPEN, created=1_000)))
    assert await listed(a, limit=2) == [f"SAME{n:02}" for n in reversed(range(6))]


async def test_a_new_room_does_not_shift_the_pages(a: Store, b: Store, world: World) -> None:
    rooms = await many(a, world, 6)
    first = await a.rooms(None, None, None, 3)
    await b.append(of(ROOM))
    await b.forget(rooms[2])
    second = await b.rooms(None, None, first.cursor, 3)
    assert [room.room for room in first.rooms] == rooms[:3]
    assert [room.room for room in second.rooms] == rooms[3:]


async def test_the_first_append_says_when_a_room_was_created(a: Store) -> None:
    old, new = RoomId("ZZZZZZ"), RoomId("AAAAAA")
    head = await a.append(of(old, EMPTY, index=replace(OPEN, created=1_000)))
    await a.append(of(new, EMPTY, index=replace(OPEN, created=2_000)))
    assert await listed(a) == [new, old]
    head = await a.append(of(old, head, index=replace(OPEN, created=0)))
    assert await listed(a) == [new, old]
    await a.append(of(old, head, index=replace(PLAYING, created=3_000)))
    assert await listed(a) == [new, old]


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "0", "a.b", "é", "\ud800", "\x00", "AAAA", "=" * 8, "A" * 10_000, cursor_behind(5, ROOM)[:-1] + "!"],
)
async def test_a_cursor_that_was_not_given_out_is_an_error(a: Store, cursor: str) -> None:
    with pytest.raises(ValueError, match="cursor"):
        await a.rooms(None, None, cursor, 5)


async def test_a_changed_cursor_is_an_error(a: Store, world: World) -> None:
    await many(a, world, 3)
    cursor = (await a.rooms(None, None, None, 1)).cursor
    assert cursor
    for place in range(len(cursor)):
        changed = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(ValueError, match="cursor"):
            await a.rooms(None, None, changed, 1)


async def test_rooms_that_have_not_ended_are_counted(a: Store, b: Store) -> None:
    assert await a.count() == 0
    head = await a.append(of(ROOM, index=replace(OPEN, public=False)))
    await b.append(of(OTHER, index=PLAYING))
    assert await a.count() == await b.count() == 2
    head = await a.append(of(ROOM, head, index=FINISHED))
    assert await b.count() == 1
    await a.append(of(ROOM, head, index=replace(FINISHED, status="abandoned")))
    assert await b.count() == 1
    await a.forget(OTHER)
    assert await a.count() == 0


async def test_offers_and_running_clocks_are_found(a: Store, b: Store) -> None:
    offers = (Offer(0, "greedy"), Offer(2, "hard"))
    head = await a.append(of(ROOM, index=replace(OPEN, offers=offers)))
    other = await a.append(of(OTHER, index=replace(PLAYING, offers=offers[:1], public=False)))
    found = {Waiting(ROOM, OPEN.listing, offers), Waiting(OTHER, PLAYING.listing, offers[:1])}
    assert set(await b.offers(10)) == found
    assert set(await b.clocks()) == {OTHER}
    await b.append(of(ROOM, head, index=PLAYING))
    assert set(await a.offers(10)) == {Waiting(OTHER, PLAYING.listing, offers[:1])}
    assert set(await a.clocks()) == {ROOM, OTHER}
    await a.append(of(OTHER, other, index=FINISHED))
    assert set(await a.offers(10)) == set()
    assert set(await a.clocks()) == {ROOM}
    await a.forget(ROOM)
    assert set(await b.clocks()) == set()


async def test_of_many_that_wait_for_bot_hosts_some_are_drawn(a: Store, b: Store, world: World) -> None:
    rooms = await many(a, world, 12, replace(OPEN, offers=(Offer(0, "greedy"),)))
    found = [waiting.room for _ in range(40) for waiting in await b.offers(5)]
    assert len(found) == 200
    assert set(found) == set(rooms)


async def test_a_seat_that_a_bot_host_took_waits_while_it_is_attached_nowhere(a: Store, b: Store, world: World) -> None:
    offers = (Offer(0, "greedy", taken=True), Offer(1, "greedy", taken=True))
    head = await a.append(of(ROOM, index=replace(PLAYING, offers=offers)))

    async def waits() -> list[int]:
        return [offer.seat for waiting in await b.offers(10) for offer in waiting.offers]

    assert await waits() == [0, 1]
    await a.attached(ROOM, "one", (0,), 3)
    assert await waits() == [1]
    await b.attached(ROOM, "two", (1,), 0)
    assert await waits() == []
    world.step(8_000)
    await b.attached(ROOM, "two", (1,), 0)
    head = await a.append(of(ROOM, head, index=replace(PLAYING, offers=offers, status="open")))
    assert await waits() == []
    world.step(8_000)
    assert await waits() == [0]
    await a.attached(ROOM, "three", (0, 1), 0)
    assert await waits() == []
    await a.attached(ROOM, "three", (), 0)
    assert await waits() == [0]
    world.step(8_000)
    assert await waits() == [0, 1]
    await b.attached(ROOM, "one", (0, 1), 0)
    assert await waits() == []
    await a.append(of(ROOM, head, index=replace(PLAYING, offers=(*offers, Offer(2, "hard")))))
    assert await waits() == [2]
    await b.attached(ROOM, "one", (0, 1), 0)
    assert await waits() == [2]
    await a.quarantine(ROOM, "broken")
    await b.attached(ROOM, "one", (), 0)
    assert await waits() == []


async def test_a_room_is_due_after_the_time_its_index_names(a: Store, b: Store, world: World) -> None:
    await a.append(of(ROOM, index=replace(OPEN, due=10_000)))
    await a.append(of(OTHER, index=replace(OPEN, due=None)))
    assert (await b.sweep(10)).due == ()
    world.step(8_000)
    assert (await b.sweep(10)).due == ()
    world.step(3_000)
    sweep = await b.sweep(10)
    assert sweep.due == (ROOM,)
    assert (await a.sweep(10)).due == (ROOM,)


async def test_due_counts_from_the_entry_also_when_the_clock_went_back(a: Store, world: World) -> None:
    first = await a.append(of(ROOM))
    world.step(-60_000)
    await a.append(of(ROOM, first, index=replace(OPEN, due=10_000)))
    world.step(60_000)
    assert (await a.sweep(10)).due == ()
    world.step(11_000)
    assert (await a.sweep(10)).due == (ROOM,)


async def test_an_append_sets_the_due_time_anew(a: Store, world: World) -> None:
    head = await a.append(of(ROOM, index=replace(OPEN, due=10_000)))
    world.step(11_000)
    head = await a.append(of(ROOM, head, index=replace(OPEN, due=20_000)))
    assert (await a.sweep(10)).due == ()
    world.step(21_000)
    assert (await a.sweep(10)).due == (ROOM,)
    await a.append(of(ROOM, head, index=replace(OPEN, due=None)))
    assert (await a.sweep(10)).due == ()


async def test_the_longest_due_come_first_and_not_too_many(a: Store, world: World) -> None:
    for n in (3, 1, 4, 2, 0):
        await a.append(of(RoomId(f"ROOM{n}"), index=replace(OPEN, due=10_000 - 1_000 * n)))
    world.step(60_000)
    assert (await a.sweep(3)).due == ("ROOM4", "ROOM3", "ROOM2")


async def test_rearm_moves_a_room_whose_head_is_still_that(a: Store, b: Store, world: World) -> None:
    old = await grown(a, ROOM, 1)
    head = await grown(a, ROOM, 1)
    await b.rearm(ROOM, old, 1)
    await b.rearm(ROOM, replace(head, tag=old.tag), 1)
    assert (await a.sweep(10)).due == ()
    await b.rearm(ROOM, head, await a.now() - 1)
    assert (await a.sweep(10)).due == (ROOM,)
    await b.rearm(ROOM, head, await a.now() + 10_000)
    assert (await a.sweep(10)).due == ()
    world.step(11_000)
    assert (await a.sweep(10)).due == (ROOM,)
    await b.rearm(ROOM, head, None)
    assert (await a.sweep(10)).due == ()


async def test_sweeps_know_when_the_last_one_was(a: Store, b: Store, world: World) -> None:
    first = await a.sweep(10)
    assert first.last == 0
    assert first.now <= await a.now()
    await a.swept(first.now)
    assert (await b.sweep(10)).last == first.now
    await b.swept(first.now - 5_000)
    assert (await a.sweep(10)).last == first.now
    world.step(9_000)
    second = await b.sweep(10)
    assert (second.last, second.now >= first.now + 9_000) == (first.now, True)


async def test_a_sweep_is_never_noted_in_the_future(a: Store, world: World) -> None:
    now = await a.now()
    await a.swept(now + 60_000)
    assert now <= (await a.sweep(10)).last <= await a.now()
    world.step(-100_000)
    await a.swept(now - 100_000)
    sweep = await a.sweep(10)
    assert sweep.last <= sweep.now
