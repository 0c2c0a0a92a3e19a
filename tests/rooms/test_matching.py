"""A match is one seat, however often it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from protocol.codes import ProtocolError
from protocol.messages import CreateRoom, FindMatch, MatchFound, Ok, RoomId
from server.engines import ENGINES
from server.rooms import desk, matching
from server.rooms.entries import FORMAT, MAX_ENTRY, Created, Seated, pack
from server.rooms.hub import Hub
from server.rooms.options import flat, read_options
from server.store.memory import Memory, MemoryStore
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, new_token

TWO = FindMatch("dragonwood", 2)
THREE = FindMatch("dragonwood", 3)


async def attend(hub: Hub, found: MatchFound) -> Peer:
    """A room counts only while somebody is there."""
    peer = Peer(hub)
    assert isinstance(await peer.join(found.room, found.token), Ok)
    return peer


async def waiting(hub: Hub, body: FindMatch = TWO) -> MatchFound:
    """A room that somebody opened and waits in, younger than all before."""
    begun, token = hub.clock.now(), new_token()
    while hub.clock.now() == begun:  # noqa: ASYNC110 - rooms of the same ms are in no order
        await asyncio.sleep(0.0005)
    found = MatchFound((await hub.create(CreateRoom(body.game, body.seats), token)).room, 0, token)
    await attend(hub, found)
    return found


async def match(hub: Hub, body: FindMatch, token: str) -> tuple[MatchFound, bool]:
    """A match, and whether a room was made for it."""
    made: list[str] = []

    @contextmanager
    def making() -> Iterator[None]:
        made.append(body.game)
        yield

    return await hub.match(body, token, making), bool(made)


async def places(hub: Hub) -> int:
    """How many seats are taken, in all rooms."""
    listed = (await hub.rooms(None, None, None))["rooms"]
    return sum(seat is not None for room in listed for seat in room["seats"])  # type: ignore[index, union-attr]


async def test_who_waits_longest_is_joined_first(hub: Hub) -> None:
    first = await waiting(hub)
    await waiting(hub)
    found, new = await match(hub, TWO, new_token())
    assert (found.room, found.seat, new) == (first.room, 1, False)


async def test_a_match_that_is_asked_for_again_is_the_same_seat_though_its_game_has_begun(hub: Hub) -> None:
    first, second = await waiting(hub), await waiting(hub)
    token = new_token()
    found, _ = await match(hub, TWO, token)
    assert found.room == first.room
    assert await match(hub, TWO, token) == (found, False)
    assert await places(hub) == 3
    assert (await hub.look(RoomId(second.room)))["room"]["seats"][1] is None  # type: ignore[index, call-overload]


async def test_a_room_that_was_made_for_it_is_no_new_one_the_second_time(hub: Hub) -> None:
    token = new_token()
    found, new = await match(hub, TWO, token)
    assert new
    assert await match(hub, TWO, token) == (found, False)
    assert await places(hub) == 1


async def test_an_older_room_that_somebody_comes_back_to_takes_nobody_from_his_seat(hub: Hub) -> None:
    older, _ = await match(hub, THREE, new_token())
    token = new_token()
    found, _ = await match(hub, THREE, token)
    assert found.room != older.room, "nobody was there"
    await attend(hub, older)
    assert (await match(hub, THREE, token))[0] == found


async def test_the_same_match_asked_for_twice_at_once(hub: Hub) -> None:
    await waiting(hub, TWO)
    await waiting(hub, TWO)
    token = new_token()
    answers = await asyncio.gather(*(match(hub, TWO, token) for _ in range(5)))
    assert len({(found.room, found.seat) for found, _ in answers}) == 1
    assert await places(hub) == 3


async def test_another_wish_and_a_seat_that_was_given_up_are_matched_anew(hub: Hub) -> None:
    token = new_token()
    two, _ = await match(hub, TWO, token)
    three, new = await match(hub, THREE, token)
    assert new
    assert three.room != two.room
    await hub.vacate(RoomId(two.room), 0, token)
    again, new = await match(hub, TWO, token)
    assert new
    assert again.room != two.room


async def test_an_open_room_is_found_again_through_another_node() -> None:
    world = Memory()
    hubs = [Hub(MemoryStore(world), QUICK, name) for name in ("here", "there")]
    for hub in hubs:
        await hub.start()
    await waiting(hubs[0], THREE)
    token = new_token()
    found, _ = await match(hubs[0], THREE, token)
    assert await match(hubs[1], THREE, token) == (found, False)
    for hub in hubs:
        await hub.stop()


async def test_only_so_many_matches_are_remembered(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "REMEMBERED", 3)
    for _ in range(5):
        await match(hub, TWO, new_token())
    assert len(hub.matching._found) == 3
    assert len(hub.matching._looking) == 0


# How large what a room begins with may be.


@pytest.mark.parametrize("key", ENGINES, ids=lambda key: key[0])
def test_whatever_is_asked_for_a_room_fits_into_its_first_entries(key: tuple[str, str]) -> None:
    engine = ENGINES[key]
    shared, own = read_options(
        engine,
        {
            "clock": {"bank": 604_800_000, "per_turn": 604_800_000},
            "spectators": {"allowed": False, "delay": 600_000},
            "chat": "seats",
        },
    )
    created = Created(FORMAT, engine.name, engine.rules, flat(shared, own), 8, True, b"s" * 32, b"a" * 32)
    assert len(pack(created)) <= MAX_ENTRY - 100
    widest = Seated(7, "\U0001f6a3" * 24, "human", b"e" * 32, b"t" * 32, b"i" * 32, 2**53, b"d" * 8)
    assert len(pack(widest)) <= MAX_ENTRY


async def test_a_first_entry_that_would_be_too_large_makes_no_room(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk, "MAX_ENTRY", 100)
    with pytest.raises(ProtocolError) as refusal:
        await Nodes([hub]).room(2)
    assert refusal.value.code == "too_large"
    assert await hub.store.count() == 0
