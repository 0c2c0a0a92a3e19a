"""What somebody wants of a room: the requests that may become entries of its journal.

An intent says who asks by the hash of a token (`holder`); whether that token may do it is decided against the state
that the entry is appended after, so that a revoked token is refused on every node at once.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec


class Intent(msgspec.Struct, frozen=True):
    """Base of the intents."""


class TakeSeat(Intent, frozen=True):
    """Sit down: on `seat`, or on any free one. `bot`: asked by a bot host, for a seat that waits for one."""

    holder: bytes
    name: str | None
    kind: str
    seat: int | None = None
    entropy: bytes | None = None
    invite: bytes | None = None
    bot: bool = False


class Vacate(Intent, frozen=True):
    """Give a seat up, by its token; before the start also by the creator's."""

    holder: bytes
    seat: int


class OfferSeat(Intent, frozen=True):
    """Let one free seat (the lowest) wait for a bot host."""

    holder: bytes
    policy: str


class MakeInvite(Intent, frozen=True):
    """Let whoever has the invite of this hash take a vacated seat, once."""

    holder: bytes
    invite: bytes


class Play(Intent, frozen=True):
    """Play an action decided on at `seq`."""

    holder: bytes
    action: dict[str, Any]
    seq: int
    key: str | None


class TakeBack(Intent, frozen=True):
    """Undo the seat's own last action, the entry `seq`, at about the moment `at` (ms of store time)."""

    holder: bytes
    seq: int
    key: str | None
    at: int


class GiveUp(Intent, frozen=True):
    """Resign."""

    holder: bytes
    key: str | None


class ComeBack(Intent, frozen=True):
    """Play a served seat again."""

    holder: bytes
    key: str | None


class PlayFor(Intent, frozen=True):
    """The server plays the default action for a seat whose decision began at entry `since`.

    `not_before`: the store refuses it earlier (ms of store time).
    """

    seat: int
    since: int
    not_before: int


class SeatServer(Intent, frozen=True):
    """No bot host came for the offered seat: the server plays it."""

    seat: int


class GiveBack(Intent, frozen=True):
    """Nobody could serve the room between `start` and `end` (ms of store time): running clocks stand still for it."""

    start: int
    end: int


class Abandon(Intent, frozen=True):
    """End the room without a result. `seq`: only if this is still the last entry."""

    reason: str
    seq: int


AnyIntent: TypeAlias = (
    TakeSeat
    | Vacate
    | OfferSeat
    | MakeInvite
    | Play
    | TakeBack
    | GiveUp
    | ComeBack
    | PlayFor
    | SeatServer
    | GiveBack
    | Abandon
)
