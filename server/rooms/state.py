"""The state of a room as a value: all that follows from its journal up to `head`."""

from __future__ import annotations

from enum import StrEnum
from hmac import compare_digest

import msgspec

from protocol.messages import RoomId
from server.engines.engine import Event
from server.rooms.clocks import Clocks
from server.rooms.entries import Created
from server.store.store import Head


class Status(StrEnum):
    """Where a room stands: open → playing → finished or abandoned."""

    OPEN = "open"
    PLAYING = "playing"
    FINISHED = "finished"
    ABANDONED = "abandoned"


class Kind(StrEnum):
    """Who plays a seat: as declared when it is taken; `server` when it was vacated in play."""

    HUMAN = "human"
    BOT = "bot"
    SERVER = "server"


class Seat(msgspec.Struct, frozen=True):
    """A taken seat. `token`: hash of its holder's token, None where nobody holds it; `taken`: by which entry.

    `policy`: what it was offered to a bot host for, None for every other seat.
    """

    name: str
    kind: Kind
    token: bytes | None
    entropy: bytes | None
    taken: int
    served: bool = False
    resigned: bool = False
    timeouts: int = 0
    policy: str | None = None


class Offer(msgspec.Struct, frozen=True):
    """A free seat that waits for a bot host, since `at` (ms of store time)."""

    policy: str
    at: int


class Position(msgspec.Struct, frozen=True):
    """Where the game stands: the engine's state, and how many words of the dice stream were taken."""

    game: object
    words: int


class Outcome(msgspec.Struct, frozen=True):
    """What an entry makes of the game: the new position, and what happened."""

    position: Position
    events: tuple[Event, ...]


class Takeback(msgspec.Struct, frozen=True):
    """An action that its seat may still undo, and what was before it.

    `used`: ms that its decision had taken; `bank`: what its seat had in its bank when that decision began.
    """

    seq: int
    seat: int
    before: Position
    used: int
    bank: int


class RoomState(msgspec.Struct, frozen=True):
    """A room at one entry.

    `revoked`: hashes of tokens that were given up. `takebacks`: what may be undone, the last one last; `undos`: how
    many were made since the last entry that can't be. `reason`: why the room was abandoned.
    """

    id: RoomId
    head: Head
    created: Created
    created_at: int
    seats: tuple[Seat | None, ...]
    offers: tuple[Offer | None, ...]
    status: Status = Status.OPEN
    invites: tuple[bytes, ...] = ()
    revoked: tuple[bytes, ...] = ()
    position: Position | None = None
    clocks: Clocks = Clocks()
    takebacks: tuple[Takeback, ...] = ()
    undos: int = 0
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Whether no entry can come any more."""
        return self.status in (Status.FINISHED, Status.ABANDONED)

    def holder(self, token: bytes) -> int | None:
        """The seat that the token of this hash holds."""
        for number, seat in enumerate(self.seats):
            if seat is not None and seat.token is not None and compare_digest(seat.token, token):
                return number
        return None
