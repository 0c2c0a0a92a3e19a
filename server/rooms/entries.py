"""The entries of a room's journal (protocol section 8), and their form in the store.

An entry is kept as a MessagePack array: its kind, then its fields in the order below. Later versions may add fields
with defaults at the end of a kind; anything else is a new `FORMAT`. A journal whose `created` has another format, or
an entry that can't be read, spoils its own room only.
"""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

import msgspec

FORMAT = 1
MAX_ENTRY = 512
"""Bytes of an entry in the store."""


class BrokenJournal(Exception):  # noqa: N818 - reads as the statement it makes
    """The room's journal can't be read, or does not lead to the states that it says it led to."""


class Entry(msgspec.Struct, frozen=True, array_like=True, tag=str.lower):
    """Base of the entries. `digest`: first 8 bytes of SHA-256 of the engine's state that the entry led to."""


class Created(Entry, frozen=True):
    """The room exists. `admin` is the hash of the creator's token."""

    format: int
    game: str
    rules: str
    options: dict[str, Any]
    seats: int
    private: bool
    seed: bytes
    admin: bytes


class Seated(Entry, frozen=True):
    """A seat is taken; the one that takes the last free seat starts the game.

    `token` is the hash of the holder's token (None: nobody's, the server plays). `invite`: hash of the invite that
    was used up. `words`, `digest`: place in the dice stream and state after the start.
    """

    seat: int
    name: str
    kind: str
    entropy: bytes | None
    token: bytes | None
    invite: bytes | None = None
    words: int = 0
    digest: bytes = b""


class Vacated(Entry, frozen=True):
    """A seat was given up: free again before the start, played by the server afterwards."""

    seat: int


class Offered(Entry, frozen=True):
    """A free seat waits for a bot host that plays this policy."""

    seat: int
    policy: str


class Invited(Entry, frozen=True):
    """Whoever has the invite of this hash may take a vacated seat, once."""

    invite: bytes


class Acted(Entry, frozen=True, tag="action"):
    """A seat's own action."""

    seat: int
    action: dict[str, Any]
    key: str | None
    words: int
    digest: bytes


class TimedOut(Entry, frozen=True, tag="timeout"):
    """The action that the server played for a seat."""

    seat: int
    action: dict[str, Any]
    words: int
    digest: bytes


class Undone(Entry, frozen=True, tag="undo"):
    """The seat took back the entry `of`."""

    seat: int
    of: int
    key: str | None
    words: int
    digest: bytes


class Resigned(Entry, frozen=True, tag="resign"):
    """The seat gave the game up."""

    seat: int
    key: str | None


class CameBack(Entry, frozen=True, tag="back"):
    """The holder plays a served seat again."""

    seat: int
    key: str | None


class Paused(Entry, frozen=True):
    """Time in which no node could serve the room is given back to the running clocks."""

    ms: int


class Abandoned(Entry, frozen=True):
    """The room ended without a result."""

    reason: str


AnyEntry: TypeAlias = (
    Created
    | Seated
    | Vacated
    | Offered
    | Invited
    | Acted
    | TimedOut
    | Undone
    | Resigned
    | CameBack
    | Paused
    | Abandoned
)


class Recorded(msgspec.Struct, frozen=True):
    """An entry with its place in the journal: number, tag, and the store's time in ms."""

    seq: int
    tag: str
    at: int
    entry: AnyEntry


_KINDS: dict[type[Entry], str] = {kind: str(kind.__struct_config__.tag) for kind in get_args(AnyEntry)}
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(AnyEntry)


def kind_of(entry: AnyEntry) -> str:
    """The entry's kind as the protocol names it."""
    return _KINDS[type(entry)]


def pack(entry: AnyEntry) -> bytes:
    """The entry as it lies in the store."""
    return _encoder.encode(entry)


def unpack(data: bytes) -> AnyEntry:
    """The entry that `pack` wrote.

    Raises:
        BrokenJournal: it can't be read by this version.
    """
    try:
        return _decoder.decode(data)
    except msgspec.DecodeError as error:
        raise BrokenJournal(f"an entry can't be read: {error}") from error
