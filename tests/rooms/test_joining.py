"""What a connection is told when it joins, and in which order, whatever else happens at that moment."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from msgspec import UNSET

from protocol.digest import digest
from protocol.messages import (
    Chat,
    ChatLine,
    Check,
    CreateRoom,
    Error,
    Join,
    Leave,
    Legal,
    Ok,
    Patch,
    Presence,
    Resign,
    RoomId,
    Since,
    Snapshot,
    TakeSeat,
    Turn,
)
from server.engines import ENGINES
from server.rooms import talk
from server.rooms.hub import Hub
from server.rooms.jobs import Job
from server.store.memory import Memory, MemoryStore
from server.store.store import wall_clock
from tests.engines.toy import ToyEngine
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, new_token
from tests.store.faulty import FaultyStore

RELOAD = {"type": "reload"}
LINE = orjson.dumps({"seat": 0, "name": "Ana", "text": "by another node", "at": 1})


@pytest.fixture
async def hub(faulty: FaultyStore) -> AsyncIterator[Hub]:
    hub = Hub(faulty, QUICK, "alone")
    await hub.start()
    yield hub
    await hub.stop()


async def test_what_is_due_for_spectators_just_then_does_not_precede_the_ok(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    party = await Nodes([hub]).party(2, spectators={"allowed": True, "delay": 600_000})
    assert isinstance(await party.peers[0].act(RELOAD), Ok)
    table = hub.known(RoomId(party.room))
    assert table is not None
    await table.finished()
    monkeypatch.setattr(hub.clock, "now", lambda: wall_clock() + 600_000)
    watcher = Peer(hub)
    joined = await watcher.join(party.room)
    assert isinstance(joined, Ok)
    assert joined.seq == 4
    first, second = watcher.box.messages[:2]
    assert first == joined
    assert isinstance(second, Snapshot)
    assert second.seq == 4
    assert not any(isinstance(message, Patch) for message in watcher.box.messages)


async def test_a_join_that_raises_has_one_reply_and_attaches_nobody(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = ToyEngine()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    party = await Nodes([hub]).room(2, game="toy")

    def legal_actions(*_: object) -> Any:
        raise RuntimeError("a bug")

    late = Peer(hub)
    late.room = party.room
    with monkeypatch.context() as broken:
        broken.setattr(engine, "legal_actions", legal_actions)
        number = late.send(Join, token=party.tokens[0], legal=True)
        await late.reply_to(number)
        table = hub.known(RoomId(party.room))
        if table is not None:
            await table.finished()
    (reply,) = (message for message in late.box.messages if isinstance(message, Ok | Error))
    assert isinstance(reply, Error)
    assert reply.code == "internal"
    assert not late.connection.rooms
    assert isinstance(await late.join(party.room, party.tokens[0], legal=True), Ok)


async def test_a_line_that_was_not_heard_yet_comes_once(hub: Hub, faulty: FaultyStore, world: Memory) -> None:
    elsewhere = Hub(MemoryStore(world), QUICK, "elsewhere")
    await elsewhere.start()
    party = await Nodes([hub]).party(2)
    speaker = Peer(elsewhere)
    await speaker.join(party.room, party.tokens[0])
    assert isinstance(await party.peers[0].ask(Chat, text="one"), Ok)
    faulty.deaf = True
    assert isinstance(await speaker.ask(Chat, text="two"), Ok)
    late = Peer(hub)
    assert isinstance(await late.join(party.room, party.tokens[1]), Ok)
    await elsewhere.stop()
    assert [message.text for message in late.box.messages if isinstance(message, ChatLine)] == ["one", "two"]
    assert [m.text for m in party.peers[1].box.messages if isinstance(m, ChatLine)] == ["one", "two"]


async def test_lines_that_the_store_has_lost_keep_nobody_from_hearing_the_next_ones(hub: Hub, world: Memory) -> None:
    elsewhere = Hub(MemoryStore(world), QUICK, "elsewhere")
    await elsewhere.start()
    party = await Nodes([hub, elsewhere]).party(2)
    speaker, listener = party.peers
    for text in ("1", "2", "lost 3", "lost 4", "lost 5"):
        assert isinstance(await speaker.ask(Chat, text=text, key=text), Ok)
    await listener.first(lambda message: isinstance(message, ChatLine) and message.n == 5)
    room = world.rooms[RoomId(party.room)]
    for _ in range(3):
        room.lines.pop()
    room.said -= 3
    for n, text in enumerate(("3", "4", "5", "6"), 3):
        said = await speaker.ask(Chat, text=text, key=f"new {text}")
        assert isinstance(said, Ok), said
        assert said.n == n
        for peer in party.peers:
            await peer.first(lambda message, text=text: isinstance(message, ChatLine) and message.text == text)
    late = Peer(hub)
    await late.join(party.room, chat_since=100)
    lines = [message.text for message in late.box.messages if isinstance(message, ChatLine)]
    await late.ask(Leave)
    assert lines == ["1", "2", "3", "4", "5", "6"][: len(lines)]
    assert [message.n for message in late.box.messages if isinstance(message, ChatLine)] == [1, 2, 3, 4, 5, 6]
    await elsewhere.stop()


async def test_a_line_whose_news_could_not_be_read_comes_with_the_next_renewal(hub: Hub, faulty: FaultyStore) -> None:
    party = await Nodes([hub]).party(2)
    table = hub.known(RoomId(party.room))
    assert table is not None
    await table.finished()
    faulty.away = True
    table.submit(Job(lambda table: table.talk.listen(), lambda _: None))
    await table.finished()
    faulty.away = False
    await faulty.store.say(table.id, LINE, None)
    line = await party.peers[1].first(lambda message: isinstance(message, ChatLine))
    assert line.text == "by another node"


async def test_whoever_is_out_of_step_gets_its_actions_again(hub: Hub) -> None:
    party = await Nodes([hub]).party(2)
    peer = party.peers[0]
    checked = await peer.ask(Check, seq=(peer.fold() and peer.seq), digest=digest({"not": "this"}))
    assert isinstance(checked, Ok)
    assert checked.match is False
    after = peer.box.messages[peer.box.messages.index(checked) + 1 :]
    assert [type(message) for message in after if not isinstance(message, Presence)] == [Snapshot, Turn]


async def test_who_is_there_is_told_once(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(talk, "TOGETHER", 0)
    party = await Nodes([hub]).party(2)
    for token, spectators in ((None, 1), (party.tokens[1], 0)):
        late = Peer(hub)
        await late.join(party.room, token)
        await late.ask(Leave)
        (told,) = (message for message in late.box.messages if isinstance(message, Presence))
        assert (list(told.connected), told.spectators) == ([True, True], spectators)


async def test_what_a_spectator_saw_is_nothing_to_resume_a_seat_from(hub: Hub) -> None:
    """Nor the other way round: its state has not what the seat sees, or has what it should not."""
    party = await Nodes([hub]).party(2)
    peer = Peer(hub)
    for token in (None, party.tokens[1], None):
        since = Since(peer.seq, peer.tag) if peer.seq else UNSET
        joined = await peer.join(party.room, token, since=since)
        assert isinstance(joined, Ok)
        assert joined.resumed is False
        peer.fold()
        assert (peer.state["you"] is None) is (token is None)
    resumed = await peer.join(party.room, since=Since(peer.seq, peer.tag))
    assert isinstance(resumed, Ok)
    assert resumed.resumed is True


async def test_who_sat_down_after_watching_gets_a_snapshot_on_another_connection_too(hub: Hub) -> None:
    party = await Nodes([hub]).room(2, game="dragonwood")
    watcher, token = Peer(hub), new_token()
    open_room = (await hub.create(CreateRoom("dragonwood", 2), party.tokens[0])).room
    await watcher.join(open_room)
    await hub.take_seat(RoomId(open_room), TakeSeat(), token, bot_host=False)
    await watcher.until(3)
    seated = Peer(hub)
    joined = await seated.join(open_room, token, since=Since(watcher.seq, watcher.tag))
    assert isinstance(joined, Ok)
    assert (joined.seat, joined.seq, joined.resumed) == (1, 3, False)


async def test_a_resigned_seat_is_offered_no_actions(hub: Hub) -> None:
    party = await Nodes([hub]).party(2)
    (deciding,) = party.deciding()
    resigned = await deciding.ask(Resign)
    assert isinstance(resigned, Ok)
    legal = await deciding.ask(Legal)
    assert isinstance(legal, Ok)
    assert legal.actions == []
    again = Peer(hub)
    await again.join(party.room, party.tokens[party.peers.index(deciding)], legal=True)
    await again.ask(Legal)
    assert not any(isinstance(message, Turn) for message in again.box.messages)
