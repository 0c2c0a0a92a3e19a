"""One room that can't be read, or raises, harms no other: it is set aside or loaded anew, and whoever looks is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from protocol.codes import ProtocolError
from protocol.messages import CreateRoom, Error, Legal, Ok, RoomId, Snapshot
from server.engines import ENGINES
from server.engines.engine import Action
from server.rooms.entries import FORMAT, Acted, Created, Recorded, Seated, Undone, pack
from server.rooms.hub import Hub
from server.rooms.listing import index_of
from server.rooms.room import Room
from server.store.store import EMPTY, Append, Head
from tests.engines.toy import Roll, State, ToyEngine
from tests.rooms.journal import KEEP
from tests.rooms.peer import Peer
from tests.rooms.tables import Nodes, Party, new_token

ROOM = RoomId("222222")
PASS = {"type": "pass"}

pytestmark = pytest.mark.usefixtures("toy")


def created(**fields: Any) -> Created:
    values = {"format": FORMAT, "game": "toy", "rules": "1.0.0", "options": {}, "seats": 2, "private": False}
    return Created(**{**values, "seed": b"s" * 32, "admin": b"a" * 32, **fields})


async def put(hub: Hub, entries: Sequence[bytes], after: Head = EMPTY, room: RoomId = ROOM) -> Head:
    """Entries as some other node or version would have written them."""
    begun = Room.begin(room, Recorded(1, "0" * 16, 1, created()), KEEP)
    index = index_of(begun, begun.state, hub.pace)
    tags = tuple(f"{number:016x}" for number in range(1, len(entries) + 1))
    return await hub.store.append(Append(room, after, tuple(entries), tags, index, not_after=2**53))


async def refused(hub: Hub, room: RoomId) -> str:
    with pytest.raises(ProtocolError) as refusal:
        await hub.look(room)
    return refusal.value.code.value


async def still_serves(hub: Hub) -> None:
    """Another room of the hub is played as if nothing had happened."""
    party = await Nodes([hub]).party(2)
    assert isinstance(await party.peers[0].act({"type": "reload"}), Ok)
    await party.settled()


SEATS = [pack(Seated(seat, f"Seat {seat + 1}", "human", None, bytes([seat]) * 32)) for seat in range(2)]


@pytest.mark.parametrize(
    "journal",
    [
        [pack(created(format=FORMAT + 1))],
        [b"\x92\xa7created\x01"],
        [b"\xc1"],
        [b""],
        [pack(created()), b"rubbish"],
        [pack(created()), msgspec.msgpack.encode(["kissed", 0, 1])],
        [pack(created()), msgspec.msgpack.encode(["seated", 0])],
        [pack(created()), pack(created())],
        [SEATS[0]],
        [pack(created()), *SEATS],
        [pack(created()), pack(Acted(0, PASS, None, 0, b""))],
        [pack(created()), pack(Undone(0, 1, None, 0, b""))],
        [pack(created()), pack(Seated(7, "Nobody", "human", None, b"t" * 32))],
        [pack(created()), pack(Seated(0, "Nobody", "alien", None, b"t" * 32))],
        [pack(created(options={"rounds": 4}))],
        [pack(created(seats=-1))],
    ],
)
async def test_a_journal_that_can_not_be_read_spoils_its_room_only(hub: Hub, journal: list[bytes]) -> None:
    await put(hub, journal)
    assert await refused(hub, ROOM) == "broken_room"
    peer = Peer(hub)
    told = await peer.join(ROOM)
    assert isinstance(told, Error)
    assert told.code == "broken_room"
    await still_serves(hub)
    listed = (await hub.rooms(None, None, None))["rooms"]
    assert ROOM not in {room["id"] for room in listed}  # type: ignore[index, union-attr]
    assert hub.ready


@pytest.mark.parametrize("fields", [{"rules": "9.9.9"}, {"game": "chess"}])
async def test_a_room_of_a_game_or_version_that_is_not_here_is_left_alone(hub: Hub, fields: dict[str, str]) -> None:
    await put(hub, [pack(created(**fields))])
    assert await refused(hub, ROOM) == "unavailable"
    head = await hub.store.head(ROOM)
    assert head is not None
    await put(hub, [SEATS[0]], head)
    assert await refused(hub, ROOM) == "unavailable"
    await still_serves(hub)


async def attached(hub: Hub) -> Party:
    """A running toy game with everybody attached, and a spectator as the third."""
    party = await Nodes([hub]).party(2, game="toy")
    watcher = Peer(hub)
    await watcher.join(party.room)
    party.peers.append(watcher)
    return party


@pytest.mark.parametrize(
    "bad", [b"rubbish", pack(Acted(0, PASS, None, 0, b"another!")), pack(Acted(1, PASS, None, 0, b""))]
)
async def test_an_entry_that_can_not_be_sets_the_room_aside_while_people_play(hub: Hub, bad: bytes) -> None:
    party = await attached(hub)
    other = await attached(hub)
    room = RoomId(party.room)
    head = await hub.store.head(room)
    assert head is not None
    await put(hub, [bad], head, room)
    for peer in party.peers:
        error = await peer.told_error()
        assert (error.code, error.room) == ("broken_room", party.room)
    reply = await party.peers[0].act(PASS)
    assert isinstance(reply, Error)
    assert reply.code in ("broken_room", "not_joined")
    assert isinstance(await other.peers[0].act(PASS), Ok)
    newcomer = await Peer(hub).join(party.room, party.tokens[0])
    assert isinstance(newcomer, Error)
    assert newcomer.code == "broken_room"
    head = await hub.store.head(room)
    assert head is not None
    assert head.seq == 4


class Fragile(ToyEngine):
    """Raises where it should not, for as long as it is told to."""

    fault: type[Exception] | None = None
    where = "apply"

    def carry_out(self, state: State, seat: int, action: Action, dice: Any) -> Any:
        if self.fault and self.where == "apply" and isinstance(action, Roll):
            raise self.fault("a bug")
        return super().carry_out(state, seat, action, dice)

    def public_view(self, state: State) -> Any:
        if self.fault and self.where == "view":
            raise self.fault("a bug")
        return super().public_view(state)

    def legal_actions(self, state: State, seat: int) -> Any:
        if self.fault and self.where == "legal":
            raise self.fault("a bug")
        return super().legal_actions(state, seat)


@pytest.fixture
def fragile(monkeypatch: pytest.MonkeyPatch) -> Fragile:
    engine = Fragile()
    monkeypatch.setitem(ENGINES, (engine.name, engine.rules), engine)
    return engine


ROLL = {"type": "roll", "dice": 1, "aim": "low"}


@pytest.mark.parametrize("fault", [RuntimeError, KeyError, ValueError, AssertionError, RecursionError])
async def test_an_engine_that_raises_on_an_action(
    fragile: Fragile, hub: Hub, fault: type[Exception], logs: list[dict[str, Any]]
) -> None:
    """Nothing happened; the room goes on with any other action, and others did not notice."""
    party = await attached(hub)
    fragile.fault = fault
    reply = await party.peers[0].act(ROLL)
    assert isinstance(reply, Error)
    assert reply.code == "internal"
    assert "bug" not in reply.message
    errors = [entry for entry in logs if entry["log_level"] == "error"]
    assert [(entry["room"], entry["seq"], entry["exc_info"]) for entry in errors] == [(party.room, 3, True)]
    await still_serves(hub)
    assert isinstance(await party.peers[0].act(PASS), Ok)
    await party.settled()
    fragile.fault = None
    assert isinstance(await party.peers[1].act(ROLL), Ok)
    await party.settled()
    states = [peer.state for peer in party.peers]
    assert states[0]["game"] == states[1]["game"] == states[2]["game"]


async def test_who_was_told_nothing_when_the_room_raised_is_told_afresh(fragile: Fragile, hub: Hub) -> None:
    """The entry is in the journal, but telling it raised: everybody gets a snapshot when the fault is over.

    So it is not true that nothing happened; the same key tells what did.
    """
    party = await attached(hub)
    fragile.fault, fragile.where = RuntimeError, "view"
    reply = await party.peers[0].act(PASS, key="pass")
    assert isinstance(reply, Error)
    assert reply.code == "unknown_outcome"
    await still_serves(hub)
    fragile.fault = None
    asked = await party.peers[1].ask(Legal)
    assert isinstance(asked, Ok)
    assert asked.seq == 4
    for peer in party.peers:
        await peer.until(4)
        assert peer.last(Snapshot).seq == 4
    again = await party.peers[0].act(PASS, seq=3, key="pass")
    assert isinstance(again, Ok)
    assert again.seq == 4
    await party.settled()


async def test_a_fault_that_passes_at_once_leaves_nobody_waiting(fragile: Fragile, hub: Hub) -> None:
    party = await attached(hub)
    view, failed = fragile.public_view, []

    def once(state: State) -> Any:
        if not failed:
            failed.append(1)
            raise RuntimeError("a bug, once")
        return view(state)

    fragile.public_view = once  # type: ignore[method-assign]
    await party.peers[0].act(PASS)
    for peer in party.peers:
        await peer.until(4)
    states = [peer.state["game"] for peer in party.peers]
    assert states[0] == states[1] == states[2]


async def test_a_fault_in_the_list_of_actions_is_that_rooms(fragile: Fragile, hub: Hub) -> None:
    party = await attached(hub)
    fragile.fault, fragile.where = LookupError, "legal"
    asked = await party.peers[0].ask(Legal)
    assert isinstance(asked, Error)
    assert asked.code == "internal"
    await still_serves(hub)
    fragile.fault = None
    assert isinstance(await party.peers[0].ask(Legal), Ok)


async def test_a_default_action_that_is_illegal(fragile: Fragile, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seat that can't be played for: the room is set aside rather than tried for ever."""
    monkeypatch.setattr(fragile, "default_action", lambda _state, _seat: Roll(dice=9, aim="low"))
    party = await Nodes([hub]).party(2, game="toy", clock={"bank": 0, "per_turn": 50})
    for peer in party.peers:
        assert (await peer.told_error()).code == "broken_room"
    await still_serves(hub)


async def test_rooms_that_never_were(hub: Hub) -> None:
    for room in ("", "x", "22222I", "2222222", "K7QF2M", "2222222222222222"):
        assert await refused(hub, RoomId(room)) == "unknown_room"
        joined = await Peer(hub).join(room)
        assert isinstance(joined, Error)
        assert joined.code == "unknown_room"
    assert hub.loaded() == ()
    made = await hub.create(CreateRoom("toy", 2), new_token())
    assert (await hub.look(RoomId(made.room)))["turn"] is None
