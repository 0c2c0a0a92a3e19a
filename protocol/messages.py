"""Every message of the wire and every body of the HTTP interface, as typed structs.

Two closed unions, named by receiver's counterpart: a `ClientMessage` is what a client sends, a `ServerMessage` what
the server sends. This is the one place that names a field. An absent optional field is `UNSET`; null is a value and
is refused where the protocol does not name it. What clients send forbids unknown fields; what the server sends may
gain fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, TypeAlias, Union

import msgspec
from msgspec import UNSET, Meta, UnsetType

Json: TypeAlias = Union[bool, int, str, Sequence["Json"], Mapping[str, "Json"], None]  # noqa: UP007 - quoted names
RoomId = NewType("RoomId", str)

PROTOCOL_VERSION = 1
MAX_INT = 2**53 - 1

END = r"$(?!\n)"
"""The end of a pattern, in Python as in ECMAScript: `$` alone would let a line feed follow in Python."""

Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
AtLeastOne = Annotated[int, Meta(ge=1, le=MAX_INT)]
Integer = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
SeatNumber = Annotated[int, Meta(ge=0, le=MAX_INT)]
Tag = Annotated[str, Meta(pattern="^[0-9a-f]{16}" + END, description="64 random bits of an entry, in hex")]
Key = Annotated[str, Meta(pattern="^[ -~]{1,64}" + END, description="1 to 64 printable ASCII characters")]
Line = Annotated[str, Meta(min_length=1, description="1 to 500 characters, none a control character")]
RoomName = Annotated[str, Meta(max_length=64)]
Token = Annotated[str, Meta(max_length=256)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}" + END, description="SHA-256 in hex")]
Milliseconds = Annotated[int, Meta(ge=0, le=MAX_INT)]
_TYPED = Meta(extra_json_schema={"properties": {"type": {"type": "string"}}, "required": ["type"]})
_KIND = Meta(extra_json_schema={"properties": {"kind": {"type": "string"}}, "required": ["kind"]})
ActionMap = Annotated[dict[str, Any], _TYPED]
LegalAction = Annotated[Mapping[str, Any], _TYPED]
EventMap = Annotated[Mapping[str, Any], _KIND]
OperationMap = Annotated[
    Mapping[str, Any],
    Meta(
        extra_json_schema={
            "properties": {"op": {"enum": ["add", "remove", "replace"]}, "path": {"type": "string", "pattern": "^/"}},
            "required": ["op", "path"],
        }
    ),
]


class ClientMessage(msgspec.Struct, frozen=True, tag_field="t", tag=str.lower, forbid_unknown_fields=True):
    """Base of what a client sends: a request with an `id` that its one reply echoes."""

    id: Count


class RoomMessage(ClientMessage, frozen=True):
    """Base of the requests about one room."""

    room: RoomName


class Since(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last entry that a client has seen."""

    seq: Count
    tag: Tag


class Join(RoomMessage, frozen=True):
    """Attach to a room: as the holder of a seat with its token, else as a spectator."""

    token: Token | UnsetType = UNSET
    since: Since | UnsetType = UNSET
    legal: bool | UnsetType = UNSET
    chat_since: Count | UnsetType = UNSET


class Act(RoomMessage, frozen=True):
    """Play an action of the game, decided on at `seq`."""

    action: ActionMap
    seq: Count
    key: Key | UnsetType = UNSET


class Undo(RoomMessage, frozen=True):
    """Take back the seat's own last action, the entry `seq`."""

    seq: Count
    key: Key | UnsetType = UNSET


class Resign(RoomMessage, frozen=True):
    """Give the game up; the server plays on for the seat."""

    key: Key | UnsetType = UNSET


class Back(RoomMessage, frozen=True):
    """Take a served seat into one's own hands again."""

    key: Key | UnsetType = UNSET


class Legal(RoomMessage, frozen=True):
    """Ask for every legal action of the seat."""


class Check(RoomMessage, frozen=True):
    """Compare the client's state at `seq` with the server's, by digest."""

    seq: Count
    digest: Digest


class Chat(RoomMessage, frozen=True):
    """Say a line to the room."""

    text: Line
    key: Key | UnsetType = UNSET


class Leave(RoomMessage, frozen=True):
    """Detach this connection from the room; the seat stays taken."""


class Ping(ClientMessage, frozen=True):
    """Ask for the server's time."""

    time: Integer | UnsetType = UNSET


AnyClientMessage: TypeAlias = Join | Act | Undo | Resign | Back | Legal | Check | Chat | Leave | Ping


class ServerMessage(msgspec.Struct, frozen=True, tag_field="t", tag=str.lower):
    """Base of what the server sends."""


class Limits(msgspec.Struct, frozen=True):
    """What the server allows one connection, announced in `welcome`."""

    frame_bytes: Count
    depth: Count
    rooms: Count
    credits_per_second: Count
    credits_burst: Count


class Welcome(ServerMessage, frozen=True):
    """The first frame of every connection."""

    protocol: int
    server: str
    codec: str
    limits: Limits
    now: Milliseconds


class Ok(ServerMessage, frozen=True):
    """A request took effect; which fields are there depends on the request (protocol section 2)."""

    id: Count
    room: str | UnsetType = UNSET
    seat: SeatNumber | UnsetType | None = UNSET
    seq: Count | UnsetType = UNSET
    tag: Tag | UnsetType = UNSET
    resumed: bool | UnsetType = UNSET
    actions: Sequence[LegalAction] | UnsetType = UNSET
    match: bool | UnsetType = UNSET
    n: Count | UnsetType = UNSET
    time: Integer | UnsetType = UNSET
    now: Milliseconds | UnsetType = UNSET


class Error(ServerMessage, frozen=True):
    """A request, or a frame that could not be read as one, did nothing (but see `unknown_outcome`)."""

    id: Count | None
    code: str
    message: str
    room: str | UnsetType = UNSET
    retry_after: Milliseconds | UnsetType = UNSET


class Snapshot(ServerMessage, frozen=True):
    """The viewer's whole state at `seq`."""

    room: str
    seq: Count
    tag: Tag
    state: Mapping[str, Any]


class Patch(ServerMessage, frozen=True):
    """What one entry changed for the viewer: RFC 6902 operations, and what happened, for people."""

    room: str
    seq: Count
    tag: Tag
    at: Milliseconds
    ops: Sequence[OperationMap]
    events: Sequence[EventMap]


class Turn(ServerMessage, frozen=True):
    """Every legal action of the viewer's seat, which has to decide."""

    room: str
    seq: Count
    actions: Sequence[LegalAction]


class Presence(ServerMessage, frozen=True):
    """Who is connected to the room, on any node."""

    room: str
    connected: Sequence[bool]
    spectators: Count


class ChatLine(ServerMessage, frozen=True, tag="chat"):
    """A line that somebody said in the room."""

    room: str
    n: Count
    seat: SeatNumber | None
    name: str | None
    text: str
    at: Milliseconds


class Closing(ServerMessage, frozen=True):
    """The server goes; reconnect after this many milliseconds, to any node."""

    reason: str
    reconnect_after: Milliseconds


AnyServerMessage: TypeAlias = Welcome | Ok | Error | Snapshot | Patch | Turn | Presence | ChatLine | Closing

# The bodies of the HTTP interface (protocol section 7).

Entropy = Annotated[str, Meta(pattern="^[0-9a-f]{64}" + END, description="32 bytes in hex")]
OwnToken = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{22}" + END, description="128 random bits in base64url")]
SeatKind = Literal["human", "bot"]
MAX_CLOCK = 7 * 24 * 3600 * 1000
MAX_DELAY = 10 * 60 * 1000


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a client posts."""


class Clock(Body, frozen=True):
    """How long a seat may think: milliseconds a decision, and a bank for the whole game."""

    bank: Annotated[int, Meta(ge=0, le=MAX_CLOCK)]
    per_turn: Annotated[int, Meta(ge=0, le=MAX_CLOCK)]


class Spectators(Body, frozen=True):
    """Whether others than the seats may watch, and by how many milliseconds they are behind."""

    allowed: bool = True
    delay: Annotated[int, Meta(ge=0, le=MAX_DELAY)] = 0


class CreateRoom(Body, frozen=True):
    """`POST /api/rooms`."""

    game: str
    seats: AtLeastOne
    options: dict[str, Any] | UnsetType = UNSET
    name: str | UnsetType = UNSET
    kind: SeatKind | UnsetType = UNSET
    private: bool | UnsetType = UNSET
    seat: bool | UnsetType = UNSET
    token: OwnToken | UnsetType = UNSET


class TakeSeat(Body, frozen=True):
    """`POST /api/rooms/{room}/seats`."""

    name: str | UnsetType = UNSET
    kind: SeatKind | UnsetType = UNSET
    seat: SeatNumber | UnsetType = UNSET
    entropy: Entropy | UnsetType = UNSET
    token: OwnToken | UnsetType = UNSET
    invite: Token | UnsetType = UNSET


class OfferSeats(Body, frozen=True):
    """`POST /api/rooms/{room}/bots`."""

    policy: Annotated[str, Meta(min_length=1, max_length=64)]
    seats: AtLeastOne | UnsetType = UNSET


class FindMatch(Body, frozen=True):
    """`POST /api/match`."""

    game: str
    seats: AtLeastOne
    name: str | UnsetType = UNSET
    token: OwnToken | UnsetType = UNSET


class RoomCreated(msgspec.Struct, frozen=True):
    """Answer of `POST /api/rooms`; `seat` is null where none was taken."""

    room: str
    seat: SeatNumber | None
    token: str
    commitment: Digest


class SeatTaken(msgspec.Struct, frozen=True):
    """Answer of `POST /api/rooms/{room}/seats`."""

    seat: SeatNumber
    token: str


class MatchFound(msgspec.Struct, frozen=True):
    """Answer of `POST /api/match`."""

    room: str
    seat: SeatNumber
    token: str


class Invite(msgspec.Struct, frozen=True):
    """Answer of `POST /api/rooms/{room}/invites`."""

    invite: str


class Failure(msgspec.Struct, frozen=True):
    """What went wrong with an HTTP call."""

    code: str
    message: str
    retry_after: Milliseconds | UnsetType = UNSET


class FailureBody(msgspec.Struct, frozen=True):
    """Every HTTP error."""

    error: Failure
