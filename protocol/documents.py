"""What the server shows besides messages: the state document (protocol section 4) and the answers of the lists.

These are for the schemas, and for clients that want types; the server builds the documents as plain maps, so that
parts that did not change stay the same objects. Later versions may add fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from protocol.messages import Count, Digest, Entropy, Milliseconds, SeatNumber

Status = Literal["open", "playing", "finished", "abandoned"]
EntryKind = Literal[
    "created",
    "seated",
    "vacated",
    "offered",
    "invited",
    "action",
    "timeout",
    "undo",
    "resign",
    "back",
    "paused",
    "abandoned",
]
Seed = Entropy


class SeatPart(msgspec.Struct, frozen=True):
    """Who sits in a seat. `server`: vacated in play; `served`: the server decides for it."""

    name: str
    kind: Literal["human", "bot", "server"]
    served: bool


class RoomPart(msgspec.Struct, frozen=True):
    """`room`: what the room is, and who sits in it; null for a free seat, `seed` null until it has ended."""

    id: str
    game: str
    rules: str
    status: Status
    private: bool
    options: Mapping[str, Any]
    seats: Sequence[SeatPart | None]
    commitment: Digest
    entropy: Sequence[Entropy | None]
    seed: Seed | None
    created: Milliseconds


class TurnClock(msgspec.Struct, frozen=True):
    """The clocks as of `at`: a deadline for each of the turn's seats, a bank for each seat of the room."""

    at: Milliseconds
    deadlines: Sequence[Milliseconds]
    banks: Sequence[Milliseconds]


class TurnPart(msgspec.Struct, frozen=True):
    """`turn`: which seats have to decide, and since which entry each of them."""

    number: Count
    phase: str
    seats: Sequence[SeatNumber]
    since: Sequence[Count]
    clock: TurnClock | None


class ResultPart(msgspec.Struct, frozen=True):
    """`result`: a score and a rank per seat; equal ranks share."""

    scores: Sequence[int]
    ranks: Sequence[Annotated[int, Meta(ge=1)]]
    reason: str


class You(msgspec.Struct, frozen=True):
    """`you`: what only this seat sees. Beside `seat`, it is the game's (`/schema/<game>.json`)."""

    seat: SeatNumber


class State(msgspec.Struct, frozen=True):
    """The whole of what a viewer sees of a room. `game` is the game's (`/schema/<game>.json`)."""

    room: RoomPart
    turn: TurnPart | None
    game: Mapping[str, Any] | None
    you: You | None
    result: ResultPart | None


class RoomEvent(msgspec.Struct, frozen=True):
    """The event that tells of an entry itself; which fields are there depends on `kind` (protocol section 8)."""

    kind: EntryKind
    seat: SeatNumber | UnsetType = UNSET
    name: str | UnsetType = UNSET
    policy: str | UnsetType = UNSET
    of: Count | UnsetType = UNSET
    ms: Milliseconds | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class SeatCounts(msgspec.Struct, frozen=True):
    """With how many seats a game is played."""

    min: Annotated[int, Meta(ge=1)]
    max: Annotated[int, Meta(ge=1)]


class GameListed(msgspec.Struct, frozen=True):
    """A game that this server plays; `options` is a JSON Schema of the flat map of options."""

    game: str
    title: str
    rules: str
    seats: SeatCounts
    options: Mapping[str, Any]


class GameList(msgspec.Struct, frozen=True):
    """Answer of `GET /api/games`."""

    games: Sequence[GameListed]


class RoomListed(RoomPart, frozen=True):
    """A room in the list: the state's `room`, and for each seat whether anybody who holds it is connected."""

    connected: Sequence[bool]


class RoomPage(msgspec.Struct, frozen=True):
    """Answer of `GET /api/rooms`; `cursor` is for the next page, null on the last."""

    rooms: Sequence[RoomListed]
    cursor: str | None


class RoomLook(msgspec.Struct, frozen=True):
    """Answer of `GET /api/rooms/{room}`: what anybody may see of a room besides the game itself."""

    room: RoomPart
    turn: TurnPart | None
    result: ResultPart | None


class WaitingSeat(msgspec.Struct, frozen=True):
    """A seat that waits for a bot host which plays this policy."""

    room: str
    seat: SeatNumber
    game: str
    policy: str


class WaitingSeats(msgspec.Struct, frozen=True):
    """Answer of `GET /api/bots`."""

    seats: Sequence[WaitingSeat]


class ReplayEntry(msgspec.Struct, frozen=True):
    """An entry of the journal; which of the later fields are there depends on `kind` (protocol section 8).

    `words`: how many words of the dice stream were taken up to and including this entry. `player` and `entropy` are
    those of a `seated` entry, `seats` and `commitment` those of `created`.
    """

    seq: Count
    at: Milliseconds
    kind: EntryKind
    seat: SeatNumber | None
    words: Count
    seats: Count | UnsetType = UNSET
    commitment: Digest | UnsetType = UNSET
    name: str | UnsetType = UNSET
    player: Literal["human", "bot"] | UnsetType = UNSET
    entropy: Entropy | UnsetType | None = UNSET
    policy: str | UnsetType = UNSET
    action: Mapping[str, Any] | UnsetType = UNSET
    of: Count | UnsetType = UNSET
    ms: Milliseconds | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class Replay(msgspec.Struct, frozen=True):
    """Answer of `GET /api/rooms/{room}/replay`: all that is needed to play an ended game again."""

    version: Literal[1]
    room: str
    game: str
    rules: str
    options: Mapping[str, Any]
    seed: Seed
    entropy: Sequence[Entropy | None]
    entries: Sequence[ReplayEntry]
    result: ResultPart | None
