"""What the web layer asks of the rooms; `server.rooms.hub.Hub` is it.

Everything of HTTP raises `ProtocolError`; nothing of WebSockets raises or blocks. Room ids are handed on as they were
given: the hub says `unknown_room` itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from protocol.messages import (
    CreateRoom,
    FindMatch,
    Invite,
    Json,
    MatchFound,
    OfferSeats,
    RoomCreated,
    RoomId,
    RoomMessage,
    SeatTaken,
    TakeSeat,
)
from server.rooms.viewer import Connection


class Attached(Protocol):
    """The WebSocket side."""

    def request(self, connection: Connection, message: RoomMessage) -> None:
        """A request about one room; its reply and all that follows come through the connection's outbox."""

    def resync(self, connection: Connection, rooms: Collection[RoomId]) -> None:
        """The outbox has room again: answer with a fresh snapshot of each of the rooms that is still attached."""

    def gone(self, connection: Connection) -> None:
        """The connection is closed."""


class Lobby(Protocol):
    """The HTTP side."""

    async def create(self, body: CreateRoom, token: str) -> RoomCreated:
        """A new room, whose creator has `token`."""

    async def take_seat(self, room: RoomId, body: TakeSeat, token: str, *, bot_host: bool) -> tuple[SeatTaken, bool]:
        """A seat for the holder of `token`; whether it was taken just now."""

    async def vacate(self, room: RoomId, seat: int, token: str) -> None:
        """Give the seat up."""

    async def invite(self, room: RoomId, token: str) -> Invite:
        """An invitation to a vacated seat."""

    async def offer(self, room: RoomId, body: OfferSeats, token: str) -> None:
        """Let seats wait for a bot host."""

    async def waiting_seats(self) -> Sequence[Mapping[str, Json]]:
        """The seats that wait for a bot host."""

    async def match(self, body: FindMatch, token: str) -> MatchFound:
        """A seat in a public room that waits for players, or in a new one."""

    async def rooms(self, game: str | None, status: str | None, cursor: str | None) -> Mapping[str, Json]:
        """A page of public rooms."""

    async def look(self, room: RoomId) -> Mapping[str, Json]:
        """The room, its turn and its result."""

    async def replay(self, room: RoomId) -> Mapping[str, Json]:
        """The journal of a room that has ended."""


class Hub(Attached, Lobby, Protocol):
    """Both sides, and whether they can serve."""

    @property
    def ready(self) -> bool:
        """Whether the store was reachable lately and the hub is not stopping."""

    async def start(self) -> None:
        """Begin to serve; returns at once, also when the store is away."""

    async def stop(self) -> None:
        """Finish appends in flight and end."""
