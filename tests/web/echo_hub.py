"""The smallest thing that the web layer can talk to: rooms that are lists of viewers. For its tests only.

An `act` is told to every viewer of its room as a patch with the action as its event, and then answered with `ok`. A
room whose name begins with `NO` does not exist. The action `{"type": "raise"}` raises; `{"type": "big", "bytes": n}`
makes a patch of about n bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from protocol.codes import Code, ProtocolError
from protocol.messages import (
    Act,
    Chat,
    ChatLine,
    CreateRoom,
    Error,
    FindMatch,
    Invite,
    Join,
    Leave,
    MatchFound,
    OfferSeats,
    Ok,
    Patch,
    RoomCreated,
    RoomId,
    RoomMessage,
    SeatTaken,
    ServerMessage,
    Snapshot,
    TakeSeat,
)
from server.rooms.clock import Clock
from server.rooms.matching import NewRoom
from server.rooms.stats import HubStats
from server.rooms.viewer import Connection

TAG = "0123456789abcdef"


class EchoHub:
    """An in-memory hub without rules."""

    def __init__(self) -> None:
        self.viewers: dict[RoomId, list[Connection]] = {}
        self.seqs: Counter[RoomId] = Counter()
        self.ready = True
        self.stopped = False
        self.offered: list[dict[str, Any]] = []
        self.stats = HubStats()
        self.clock = Clock()

    async def start(self) -> None:
        """Nothing to do."""

    async def stop(self) -> None:
        self.stopped = True

    def loaded(self) -> tuple[Any, ...]:
        return ()

    def request(self, connection: Connection, message: RoomMessage) -> None:
        room = RoomId(message.room)
        if isinstance(message, Join):
            self._join(connection, room, message)
        elif room not in connection.rooms:
            self._say(connection, Error(message.id, Code.NOT_JOINED, "not joined", room))
        elif isinstance(message, Act):
            self._act(connection, room, message)
        elif isinstance(message, Chat):
            self._tell(room, ChatLine(room, 1, None, None, message.text, 0), notice=True)
            self._say(connection, Ok(id=message.id, n=1), room)
        elif isinstance(message, Leave):
            self._detach(connection, room)
            self._say(connection, Ok(id=message.id), room)
        else:
            self._say(connection, Ok(id=message.id, seq=self.seqs[room]), room)

    def resync(self, connection: Connection, rooms: Collection[RoomId]) -> None:
        for room in rooms:
            if connection.outbox.outdated(room):
                connection.outbox.fresh(room, [self._snapshot(connection, room)])
            connection.outbox.missed(room)

    def gone(self, connection: Connection) -> None:
        for room in tuple(connection.rooms):
            self._detach(connection, room)

    def _join(self, connection: Connection, room: RoomId, message: Join) -> None:
        if room.startswith("NO"):
            connection.failed_lookup(message)
            self._say(connection, Error(message.id, Code.UNKNOWN_ROOM, "no such room", room))
            return
        if room not in connection.rooms:
            self.viewers.setdefault(room, []).append(connection)
            connection.rooms.add(room)
        connection.outbox.forget(room)
        ok = Ok(id=message.id, room=room, seat=None, seq=self.seqs[room], tag=TAG, resumed=False)
        self._say(connection, ok, room)
        connection.outbox.fresh(room, [self._snapshot(connection, room)])

    def _act(self, connection: Connection, room: RoomId, message: Act) -> None:
        if message.action["type"] == "raise":
            raise RuntimeError("as asked")
        self.seqs[room] += 1
        event: Mapping[str, Any] = {"kind": "action", "action": message.action}
        if message.action["type"] == "big":
            event = {"kind": "big", "filler": "x" * message.action["bytes"]}
        self._tell(room, Patch(room, self.seqs[room], TAG, 0, [], [event]))
        self._say(connection, Ok(id=message.id, seq=self.seqs[room]), room)

    def _tell(self, room: RoomId, message: ServerMessage, *, notice: bool = False) -> None:
        frames: dict[str, bytes] = {}
        for viewer in self.viewers.get(room, ()):
            frame = frames.get(viewer.codec.name)
            if frame is None:
                frame = frames[viewer.codec.name] = viewer.codec.encode(message)
            if notice:
                viewer.outbox.notice(room, frame, getattr(message, "n", 0))
            else:
                viewer.outbox.update(room, frame)

    def _snapshot(self, connection: Connection, room: RoomId) -> bytes:
        return connection.codec.encode(Snapshot(room, self.seqs[room], TAG, {"room": {"id": room}}))

    def _detach(self, connection: Connection, room: RoomId) -> None:
        self.viewers[room].remove(connection)
        connection.rooms.discard(room)
        connection.outbox.forget(room)

    def _say(self, connection: Connection, message: ServerMessage, room: RoomId | None = None) -> None:
        connection.outbox.reply(connection.codec.encode(message), room)

    async def create(self, body: CreateRoom, token: str) -> RoomCreated:
        if body.game == "none":
            raise ProtocolError(Code.UNKNOWN_GAME, "no such game")
        if body.game == "bug":
            raise RuntimeError(f"the token is {token}")
        return RoomCreated("ROOM22", None if body.seat is False else 0, token, "0" * 64)

    async def take_seat(self, room: RoomId, body: TakeSeat, token: str, *, bot_host: bool) -> tuple[SeatTaken, bool]:
        self._find(room)
        return SeatTaken(7 if bot_host else 1, token), body.name != "again"

    async def vacate(self, room: RoomId, seat: int, token: str) -> None:
        self._find(room)
        if token != "right":
            raise ProtocolError(Code.UNAUTHORIZED, "no such token")

    async def invite(self, room: RoomId, token: str) -> Invite:
        self._find(room)
        return Invite(f"invite-by-{token}")

    async def offer(self, room: RoomId, body: OfferSeats, token: str) -> None:
        self._find(room)

    async def waiting_seats(self) -> list[dict[str, Any]]:
        return self.offered

    async def match(self, body: FindMatch, token: str, new_room: NewRoom) -> MatchFound:
        if body.game != "found":
            with new_room():
                pass
        return MatchFound("ROOM22", 1, token)

    async def rooms(self, game: str | None, status: str | None, cursor: str | None) -> dict[str, Any]:
        return {"rooms": [{"game": game, "status": status}], "cursor": cursor}

    async def look(self, room: RoomId) -> dict[str, Any]:
        self._find(room)
        return {"room": {"id": room}, "turn": None, "result": None}

    async def replay(self, room: RoomId) -> dict[str, Any]:
        self._find(room)
        raise ProtocolError(Code.UNAVAILABLE, "the store is away", retry_after=1500)

    def _find(self, room: RoomId) -> None:
        if room.startswith("NO"):
            raise ProtocolError(Code.UNKNOWN_ROOM, "no such room")
