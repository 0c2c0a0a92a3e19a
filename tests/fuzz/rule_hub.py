"""A hub without a store: one real room in play, whose requests are decided by its rules and at once forgotten.

So every input meets the same room, and `act` goes all the way into the engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec

from protocol.codec import JSON
from protocol.codes import Code, ProtocolError
from protocol.messages import Act, Back, Chat, Check, Error, Join, Leave, Legal, Ok, Resign, RoomId, RoomMessage, Undo
from protocol.messages import Snapshot as SnapshotFrame
from protocol.texts import clean_line
from server.engines import latest
from server.rooms.clock import Clock
from server.rooms.deciding import Already
from server.rooms.entries import FORMAT, Created, Recorded
from server.rooms.intents import ComeBack, GiveUp, Play, TakeBack, TakeSeat
from server.rooms.options import flat, read_options
from server.rooms.requests import FAILED_LOOK_UPS, given, hashed
from server.rooms.room import Keep, Room
from server.rooms.viewer import Connection

GAMES = ("dragonwood", "islet", "burano", "bretagne")
ROOM = RoomId("ABCDEF")
TOKEN = "T" * 22
TAG = "0123456789abcdef"


@cache
def room_of(game: str) -> Room:
    """A room that has just started, at two seats; the token holds the one that has to decide."""
    engine = latest(game)
    assert engine is not None
    shared, own = read_options(engine, {})
    created = Created(FORMAT, game, engine.rules, flat(shared, own), 2, False, b"\x07" * 32, hashed("admin"))
    for first, second in ((TOKEN, "other"), ("other", TOKEN)):
        room = Room.begin(ROOM, Recorded(1, TAG, 1, created), Keep(3, 20))
        for seq, token in ((2, first), (3, second)):
            proposal = room.decide(TakeSeat(hashed(token), None, "human", None))
            room.advance(Recorded(seq, TAG, seq, proposal.entry))
        seat = room.state.holder(hashed(TOKEN))
        if seat is not None and room.legal_actions(seat):
            return room
    raise AssertionError(f"nobody has to decide in {game}")


class RuleHub:
    """As much of a hub as a session asks for."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._room = room_of(GAMES[0])

    def reset(self, game: str) -> None:
        """Play this game from now on."""
        self._room = room_of(game)

    @staticmethod
    def conversations() -> Iterator[tuple[int, int, bytes]]:
        """What good clients say: game, whether in MessagePack, and payloads, each behind its length.

        A join, and an action of each kind that is legal.
        """
        for number, game in enumerate(GAMES):
            room = room_of(game)
            actions = map(msgspec.to_builtins, room.legal_actions(room.state.holder(hashed(TOKEN)) or 0))
            for action in {action["type"]: action for action in actions}.values():
                join = {"t": "join", "id": 1, "room": ROOM, "token": TOKEN, "legal": True}
                act = {"t": "act", "id": 2, "room": ROOM, "action": action, "seq": 3}
                for binary, write in enumerate((msgspec.json.encode, msgspec.msgpack.encode)):
                    payloads = [write(message) for message in (join, act)]
                    yield number, binary, b"".join(len(part).to_bytes(2, "big") + part for part in payloads)

    def request(self, connection: Connection, message: RoomMessage) -> None:
        try:
            ok = self._answer(connection, message)
        except ProtocolError as error:
            if isinstance(message, Join) and error.code in FAILED_LOOK_UPS:
                connection.failed_lookup(message)
            answer = connection.codec.encode(Error(message.id, error.code, error.message, message.room))
            connection.outbox.reply(answer, None)
            return
        connection.outbox.reply(connection.codec.encode(ok), ROOM)

    def resync(self, connection: Connection, rooms: Any) -> None:
        for room in rooms:
            connection.outbox.fresh(room, [self._snapshot(connection)])

    def gone(self, connection: Connection) -> None:
        connection.rooms.clear()

    def _snapshot(self, connection: Connection) -> bytes:
        state = self._room.documents().of(self._room.state.holder(hashed(TOKEN)))
        return connection.codec.encode(SnapshotFrame(ROOM, 3, TAG, state))

    def _answer(self, connection: Connection, message: RoomMessage) -> Ok:
        if isinstance(message, Join):
            return self._join(connection, message)
        if message.room not in connection.rooms:
            raise ProtocolError(Code.NOT_JOINED, "this connection is not attached to the room")
        match message:
            case Act() | Undo() | Resign() | Back():
                return Ok(message.id, seq=self._decide(message))
            case Legal():
                seat = self._room.state.holder(hashed(TOKEN)) or 0
                actions = [msgspec.to_builtins(action) for action in self._room.legal_actions(seat)]
                return Ok(message.id, seq=3, actions=actions)
            case Check():
                return Ok(message.id, seq=3, match=False)
            case Chat():
                assert clean_line(message.text)
                return Ok(message.id, n=1)
            case Leave():
                connection.rooms.clear()
                return Ok(message.id)
        raise AssertionError("a request that nobody thought of")

    def _join(self, connection: Connection, message: Join) -> Ok:
        if message.room != ROOM:
            raise ProtocolError(Code.UNKNOWN_ROOM, "there is no such room")
        seat = self._room.state.holder(hashed(given(message.token) or ""))
        if seat is None:
            raise ProtocolError(Code.UNAUTHORIZED, "this token holds no seat here")
        connection.rooms.add(ROOM)
        return Ok(message.id, room=ROOM, seat=seat, seq=3, tag=TAG, resumed=False)

    def _decide(self, message: Act | Undo | Resign | Back) -> int:
        """What the room makes of it; the entry is packed as it would be for the store, and thrown away."""
        holder, key = hashed(TOKEN), given(message.key)
        intent = {
            Act: lambda: Play(holder, message.action, message.seq, key),  # type: ignore[union-attr]
            Undo: lambda: TakeBack(holder, message.seq, key, 0),  # type: ignore[union-attr]
            Resign: lambda: GiveUp(holder, key),
            Back: lambda: ComeBack(holder, key),
        }[type(message)]()
        try:
            proposal = self._room.decide(intent)
        except Already as already:
            return already.seq
        planned = Recorded(4, TAG, 4, proposal.entry)
        assert self._room.next_state(planned, proposal.outcome).head.seq == 4
        assert JSON.value(msgspec.to_builtins(proposal.entry, enc_hook=lambda value: repr(value)))
        return 4
