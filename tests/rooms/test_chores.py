"""What rooms need done by themselves: what is due first, and that hubs do it, whether anybody looks or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.codes import ProtocolError
from protocol.messages import CreateRoom, Leave, Legal, OfferSeats, Ok, Patch, RoomId, TakeSeat
from server.rooms.chores import Chore, Task
from server.rooms.entries import Abandoned, AnyEntry, unpack
from server.rooms.hub import Hub
from server.rooms.intents import Abandon, OfferSeat, PlayFor, SeatServer
from server.settings import Pace
from tests.processes import PATIENCE
from tests.rooms.journal import Journal, holder
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, new_token

PACE = Pace()
CLOCK = {"bank": 60_000, "per_turn": 30_000}


# What is due.


@pytest.mark.usefixtures("toy")
class TestDue:
    def test_an_open_room_is_looked_at_when_nobody_may_be_there(self) -> None:
        journal = Journal(take=1)
        assert journal.chore() == Chore(journal.now + PACE.open_ttl, Task.ATTENDED)

    def test_an_offered_seat_waits_so_long_whatever_else_happens(self) -> None:
        journal = Journal(seats=3, take=1)
        journal.do(OfferSeat(holder(0), "greedy"))
        offered = journal.now
        journal.do(OfferSeat(holder(0), "greedy"), later=4000)
        assert journal.chore() == Chore(offered + PACE.bot_wait, Task.INTENT, SeatServer(1))
        journal.do(SeatServer(1))
        assert journal.chore() == Chore(offered + 4000 + PACE.bot_wait, Task.INTENT, SeatServer(2))

    def test_a_game_without_a_clock_ends_when_nothing_happens_for_long(self) -> None:
        journal = Journal()
        assert journal.chore() == Chore(journal.now + PACE.idle_ttl, Task.INTENT, Abandon("idle", 3))

    def test_a_deadline_has_its_grace(self) -> None:
        journal = Journal(clock=CLOCK)
        at = journal.now + 90_000 + PACE.grace
        assert journal.chore() == Chore(at, Task.INTENT, PlayFor(0, 3, at))

    def test_of_several_deadlines_the_first(self) -> None:
        journal = Journal(clock=CLOCK)
        journal.play(0, "pass")
        journal.play(1, "pass", later=40_000)
        at = journal.now + 80_000 + PACE.grace
        assert journal.chore() == Chore(at, Task.INTENT, PlayFor(1, 5, at))

    def test_a_served_seat_is_played_for_at_its_pace_with_or_without_a_clock(self) -> None:
        for options in ({}, {"clock": CLOCK}):
            journal = Journal(seats=3, **options)
            started = journal.now
            journal.resign(0)
            assert journal.chore() == Chore(
                started + PACE.served_pace, Task.INTENT, PlayFor(0, 4, started + PACE.served_pace)
            )

    def test_a_room_of_people_who_are_all_served_is_over_at_once(self) -> None:
        journal = Journal()
        journal.resign(0)
        journal.vacate(1)
        assert journal.chore() == Chore(journal.now, Task.INTENT, Abandon("all_served", 5))

    def test_bots_do_not_keep_a_room_alive_but_are_not_people_either(self) -> None:
        journal = Journal(seats=2, take=1)
        journal.do(OfferSeat(holder(0), "greedy"))
        journal.do(SeatServer(1))
        assert journal.chore().task is Task.INTENT
        assert isinstance(journal.chore().intent, Abandon)
        assert journal.chore().intent.reason == "idle"  # type: ignore[union-attr]
        journal.resign(0)
        assert journal.chore().intent == Abandon("all_served", journal.seq)

    def test_a_room_of_bots_alone_plays_on(self) -> None:
        journal = Journal(take=0)
        for _ in range(2):
            journal.do(OfferSeat(b"admin".ljust(32), "greedy"))
        for seat in range(2):
            journal.do(SeatServer(seat))
        assert isinstance(journal.chore().intent, PlayFor)

    def test_a_journal_that_is_full_ends_the_room(self) -> None:
        journal = Journal()
        assert journal.chore(replace(PACE, max_entries=3)) == Chore(journal.now, Task.INTENT, Abandon("too_long", 3))

    def test_what_has_ended_is_compacted_and_later_removed(self) -> None:
        journal = Journal()
        journal.do(Abandon("idle", 3))
        assert journal.chore() == Chore(journal.now + PACE.compact_after, Task.COMPACT)
        late = replace(PACE, compact_after=PACE.finished_ttl + 1)
        assert journal.chore(late) == Chore(journal.now + PACE.finished_ttl, Task.FORGET)


# That it is done.


async def entries(hub: Hub, room: str) -> list[AnyEntry]:
    return [unpack(entry.data) for entry in await hub.store.read(RoomId(room))]


async def until(holds: Callable[[], Any]) -> None:
    """Until the awaitable's answer is true."""
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - the store tells nobody
            await asyncio.sleep(0.01)


async def kinds(hub: Hub, room: str) -> list[str]:
    return [type(entry).__name__ for entry in await entries(hub, room)]


async def opened(hub: Hub, seats: int = 2, **options: Any) -> tuple[str, str]:
    token = new_token()
    made = await hub.create(CreateRoom("dragonwood", seats, options=options), token)
    return made.room, token


class TestOpenRooms:
    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, open_ttl=1000, presence_renew=50)

    async def test_a_room_that_nobody_looks_at_is_abandoned(self, nodes: Nodes) -> None:
        room, _ = await opened(nodes.hubs[0])
        await until(lambda: ended(nodes.hubs[1], room))
        (last,) = (await entries(nodes.hubs[0], room))[2:]
        assert last.reason == "unattended"  # type: ignore[union-attr]

    async def test_whoever_is_attached_anywhere_keeps_it_open(self, nodes: Nodes) -> None:
        room, token = await opened(nodes.hubs[0])
        peer = Peer(nodes.hubs[1])
        await peer.join(room, token)
        begun = nodes.hubs[0].clock.now()
        await until(lambda: passed(nodes.hubs[0], begun + 2000))
        assert await kinds(nodes.hubs[0], room) == ["Created", "Seated"]
        await peer.ask(Leave)
        left = nodes.hubs[0].clock.now()
        await until(lambda: ended(nodes.hubs[0], room))
        at = (await nodes.hubs[0].store.read(RoomId(room)))[-1].at
        assert at >= left + 900


async def ended(hub: Hub, room: str) -> bool:
    return (await kinds(hub, room))[-1] == "Abandoned"


async def passed(hub: Hub, at: int) -> bool:
    return hub.clock.now() > at


class TestBots:
    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, bot_wait=1000)

    async def test_the_server_takes_a_seat_for_which_no_host_came(self, nodes: Nodes) -> None:
        room, token = await opened(nodes.hubs[0], 3)
        await nodes.hubs[1].offer(RoomId(room), OfferSeats("greedy"), token)
        assert {(w["room"], w["seat"], w["policy"]) for w in await nodes.hubs[0].waiting_seats()} == {
            (room, 1, "greedy"),
            (room, 2, "greedy"),
        }
        taken = new_token()
        await nodes.hubs[1].take_seat(RoomId(room), TakeSeat(kind="bot"), taken, bot_host=True)
        offered = (await nodes.hubs[0].store.read(RoomId(room)))[3].at
        peer = Peer(nodes.hubs[0])
        await peer.join(room, token, legal=True)
        await peer.until(6)
        seats = peer.state["room"]["seats"]
        assert [(seat["kind"], seat["served"]) for seat in seats] == [("human", False), ("bot", False), ("bot", True)]
        assert (await nodes.hubs[0].store.read(RoomId(room)))[5].at >= offered + 1000
        assert [seat["seat"] for seat in await nodes.hubs[0].waiting_seats()] == [1]
        bot = Peer(nodes.hubs[1])
        assert isinstance(await bot.join(room, taken), Ok)
        await until(lambda: nobody_waits(nodes.hubs[0]))


async def nobody_waits(hub: Hub) -> bool:
    return await hub.waiting_seats() == []


class TestLongGames:
    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, max_entries=12)

    async def test_a_room_ends_at_its_last_entry(self, nodes: Nodes) -> None:
        party = await nodes.party(2)
        while deciding := party.deciding():
            await party.settled()
            legal = await deciding[0].ask(Legal)
            assert isinstance(legal, Ok)
            for action in list(legal.actions or ())[:1]:  # none, if it has ended just now
                reply = await deciding[0].act(dict(action))
                assert isinstance(reply, Ok) or reply.code == "game_over"
        await party.settled()
        assert party.peers[0].last(Patch).events[0] == {"kind": "abandoned", "reason": "too_long"}
        assert 13 <= len(await entries(nodes.hubs[0], party.room)) < 20


class TestEnds:
    @pytest.fixture
    def pace(self) -> Pace:
        return replace(QUICK, idle_ttl=500, compact_after=100, finished_ttl=2500)

    async def test_an_idle_game_ends_though_people_look_on(self, nodes: Nodes) -> None:
        party = await nodes.party(2)
        await party.peers[0].until(4)
        assert party.peers[0].state["room"]["status"] == "abandoned"
        assert (await entries(nodes.hubs[0], party.room))[3:] == [Abandoned("idle")]

    async def test_it_is_compacted_read_as_before_and_then_gone_for_good(self, nodes: Nodes) -> None:
        party = await nodes.party(2)
        await party.peers[0].until(4)
        room = RoomId(party.room)
        before = await nodes.hubs[0].replay(room)
        begun = nodes.hubs[0].clock.now()
        await until(lambda: passed(nodes.hubs[0], begun + 300))
        assert await nodes.hubs[1].replay(room) == before
        assert (await party.peers[0].told_error()).code == "unknown_room"
        for hub in nodes.hubs:
            with pytest.raises(ProtocolError) as refusal:
                await hub.look(room)
            assert refusal.value.code == "unknown_room"
        assert (await nodes.hubs[0].rooms(None, None, None))["rooms"] == []
