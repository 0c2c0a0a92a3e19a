"""Spectators who are behind: by no way does anything reach them, or anybody without a seat, before its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from protocol.codes import ProtocolError
from protocol.digest import digest
from protocol.messages import (
    Act,
    Chat,
    ChatLine,
    Check,
    Error,
    Leave,
    Ok,
    Patch,
    Presence,
    Resign,
    RoomId,
    Since,
    Snapshot,
    TakeSeat,
)
from server.rooms.hub import Hub
from tests.rooms.peer import Peer
from tests.rooms.tables import Nodes, Party, new_token

DELAY = 1200
LATE = DELAY - 5
"""The store tells its time in whole milliseconds, and the node counts on from there."""
RELOAD = {"type": "reload"}


class Watcher(Peer):
    """A spectator that notes when each message came, in store time."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(hub)
        self.came: list[tuple[int, Any]] = []
        take = self.box._take

        def noted(frame: bytes) -> None:
            take(frame)
            self.came.append((hub.clock.now(), self.box.messages[-1]))

        self.box._take = noted  # type: ignore[method-assign]

    async def hear(self, holds: Callable[[Any], bool], *, after: int = 0) -> tuple[int, Any]:
        """The first message for which it holds behind the first `after` ones, and when it came."""
        return await self.found(lambda: next(((at, told) for at, told in self.came[after:] if holds(told)), None))


async def delayed(hub: Hub, **options: Any) -> Party:
    """A running room of two on this hub, whose spectators are behind."""
    return await Nodes([hub]).party(2, spectators={"allowed": True, "delay": DELAY}, **options)


async def watching(hub: Hub, party: Party) -> Watcher:
    watcher = Watcher(hub)
    assert isinstance(await watcher.join(party.room), Ok)
    return watcher


async def room_of(hub: Hub, party: Party) -> dict[str, Any]:
    return dict(await hub.look(RoomId(party.room)))


async def test_a_newcomer_sees_the_room_as_it_was(hub: Hub) -> None:
    party = await delayed(hub)
    watcher = await watching(hub, party)
    first = watcher.last(Snapshot)
    assert first.seq == 1
    assert first.state["room"]["status"] == "open"
    assert first.state["room"]["seats"] == [None, None]
    assert first.state["game"] is None
    at, patch = await watcher.hear(lambda message: isinstance(message, Patch) and message.seq == 3)
    assert at >= patch.at + LATE
    assert watcher.fold()["room"]["status"] == "playing"


async def test_patches_come_in_their_time_and_fold_to_what_the_seats_saw(hub: Hub) -> None:
    party = await delayed(hub)
    watcher, random = await watching(hub, party), Random(4)
    seen: dict[int, Any] = {}
    for _ in range(12):
        assert isinstance(await party.step(random), Ok)
        seq = await party.settled()
        seen[seq] = {**party.peers[0].state, "you": None}
    while watcher.seq < seq:
        await watcher.until(watcher.seq + 1)
        if watcher.seq in seen:
            assert watcher.state == seen[watcher.seq]
    patches = [(at, message) for at, message in watcher.came if isinstance(message, Patch)]
    assert [message.seq for _, message in patches] == list(range(2, seq + 1))
    assert all(at >= message.at + LATE for at, message in patches)


async def test_http_is_as_late(hub: Hub) -> None:
    party = await delayed(hub)
    assert (await room_of(hub, party))["room"]["status"] == "open"
    listed = (await hub.rooms(None, None, None))["rooms"]
    assert [(room["status"], room["seats"], room["connected"]) for room in listed] == [  # type: ignore[index, union-attr]
        ("open", [None, None], [False, False])
    ]
    watcher = await watching(hub, party)
    await watcher.hear(lambda message: isinstance(message, Patch) and message.seq == 3)
    assert (await room_of(hub, party))["room"]["status"] == "playing"
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    assert (await room_of(hub, party))["turn"]["seats"] == [0]
    for peer in party.peers:
        assert isinstance(await peer.ask(Resign), Ok)
    await party.peers[0].until(7)
    assert party.peers[0].state["room"]["status"] == "abandoned"
    assert (await room_of(hub, party))["room"]["seed"] is None
    for status in ("playing", "finished", "abandoned"):
        assert (await hub.rooms(None, status, None))["rooms"] == []
    with pytest.raises(ProtocolError) as refusal:
        await hub.replay(RoomId(party.room))
    assert refusal.value.code == "not_finished"
    at, last = await watcher.hear(lambda message: isinstance(message, Patch) and message.seq == 7)
    assert at >= last.at + LATE
    assert watcher.fold()["room"]["seed"] is not None
    assert (await hub.replay(RoomId(party.room)))["room"] == party.room
    assert (await room_of(hub, party))["room"]["status"] == "abandoned"


async def test_a_list_does_not_tell_by_whom_it_leaves_out(hub: Hub) -> None:
    """A room without delay comes and goes in the lists by status; one with delay is in that of open rooms only, until
    it is full.
    """
    slow, quick = await delayed(hub), await Nodes([hub]).party(2)
    lists = {status: await hub.rooms(None, status, None) for status in ("open", "playing", "abandoned")}
    found = {status: {room["id"] for room in listed["rooms"]} for status, listed in lists.items()}  # type: ignore[index, union-attr]
    assert found["playing"] == {quick.room}
    assert found["open"] == set(), "that no seat is free is told at once, as it is to whoever asks for one"
    assert slow.room not in found["playing"] | found["abandoned"]


async def test_a_refused_seat_does_not_tell_that_the_game_is_over(hub: Hub) -> None:
    codes = {}
    for name, party in (("playing", await delayed(hub)), ("over", await delayed(hub))):
        if name == "over":
            for peer in party.peers:
                await peer.ask(Resign)
        for seat in (TakeSeat(), TakeSeat(invite="A" * 22)):
            with pytest.raises(ProtocolError) as refusal:
                await hub.take_seat(RoomId(party.room), seat, new_token(), bot_host=False)
            codes.setdefault(name, []).append(str(refusal.value))
    assert codes["playing"] == codes["over"]


async def test_presence_and_chat_come_in_their_time(hub: Hub) -> None:
    party = await delayed(hub)
    watcher = await watching(hub, party)
    _, at_first = await watcher.hear(lambda message: isinstance(message, Presence))
    assert (list(at_first.connected), at_first.spectators) == ([False, False], 0)
    said = await party.peers[0].ask(Chat, text="a secret plan")
    assert isinstance(said, Ok)
    await watcher.hear(lambda message: isinstance(message, Presence) and list(message.connected) == [True, True])
    begun, heard = hub.clock.now(), len(watcher.came)
    hub.gone(party.peers[1].connection)
    at, _ = await watcher.hear(
        lambda message: isinstance(message, Presence) and list(message.connected) == [True, False], after=heard
    )
    assert at >= begun + LATE
    at, line = await watcher.hear(lambda message: isinstance(message, ChatLine))
    assert line.text == "a secret plan"
    assert at >= line.at + LATE


async def test_lines_wait_for_those_who_come_later_too(hub: Hub) -> None:
    """Also where the room was not in memory when the line was said, or was loaded anew since."""
    party = await delayed(hub)
    assert isinstance(await party.peers[0].ask(Chat, text="soon"), Ok)
    table = hub.known(RoomId(party.room))
    assert table is not None
    for peer in party.peers:
        hub.gone(peer.connection)
    await table.finished()
    hub.drop(table)
    watcher = await watching(hub, party)
    assert watcher.last(ChatLine) is None
    at, line = await watcher.hear(lambda message: isinstance(message, ChatLine))
    assert at >= line.at + LATE


async def test_what_comes_of_age_while_a_spectator_joins_is_told_once_and_in_order(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = await delayed(hub)
    said = await party.peers[0].ask(Chat, text="once")
    assert isinstance(said, Ok)
    line = await party.peers[0].first(lambda message: isinstance(message, ChatLine))
    attached = hub.store.attached

    async def slowly(*record: Any) -> None:
        while hub.clock.now() < line.at + DELAY + 300:  # noqa: ASYNC110 - the store's time is what it waits for
            await asyncio.sleep(0.01)
        await attached(*record)

    while hub.clock.now() < line.at + DELAY - 300:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.01)
    monkeypatch.setattr(hub.store, "attached", slowly)
    watcher = await watching(hub, party)
    await watcher.hear(lambda message: isinstance(message, ChatLine))
    await watcher.ask(Leave)
    kinds = [type(told) for _, told in watcher.came]
    assert kinds.count(ChatLine) == 1
    assert kinds.index(Presence) < kinds.index(ChatLine)


async def test_check_and_since_are_in_delayed_terms(hub: Hub) -> None:
    party = await delayed(hub)
    watcher = await watching(hub, party)
    await watcher.hear(lambda message: isinstance(message, Patch) and message.seq == 3)
    watcher.fold()
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    await party.settled()
    newest = party.peers[0]
    assert newest.seq == 4
    ahead = await watcher.ask(Check, seq=4, digest=digest({**newest.state, "you": None}))
    assert isinstance(ahead, Error)
    assert ahead.code == "stale"
    own = await watcher.ask(Check, seq=3, digest=digest(watcher.state))
    assert isinstance(own, Ok)
    assert own.match is True
    for since in (Since(4, newest.tag), Since(3, watcher.tag)):
        other = Watcher(hub)
        joined = await other.join(party.room, since=since)
        assert isinstance(joined, Ok)
        assert joined.seq == 3
        assert joined.resumed is (since.seq == 3)
        assert [message.seq for _, message in other.came if isinstance(message, Patch | Snapshot)] in ([], [3])
    refused = await watcher.ask(Act, action=RELOAD, seq=4)
    assert isinstance(refused, Error)
    assert refused.code == "not_seated"
