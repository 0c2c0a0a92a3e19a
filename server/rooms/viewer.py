"""What a room knows of a connection: how to write to it, and nothing of sockets.

Order that an outbox keeps for one room: `ok` of the join, snapshot or patches, the rest. A reply never overtakes an
update that was handed over before it, also when that update was dropped for a snapshot that is still to come.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Protocol

from protocol.codec import Codec
from protocol.messages import Join, RoomId


class Outbox(Protocol):
    """What waits to be written to one connection. No call blocks or raises; frames are shared, not copied."""

    def reply(self, frame: bytes, room: RoomId | None) -> None:
        """An `ok` or `error`: never dropped. Keeps its place behind the room's updates."""

    def update(self, room: RoomId, frame: bytes) -> None:
        """A `patch` or `turn`: dropped while the viewer is behind, a snapshot takes its place."""

    def notice(self, room: RoomId, frame: bytes, line: int = 0) -> None:
        """A `presence`, or a `chat` with its number: dropped when the outbox is full or the viewer is behind."""

    def fresh(self, room: RoomId, frames: Sequence[bytes]) -> None:
        """A `snapshot`, and a `turn` behind it: in place of the room's updates that wait; it is up to date then."""

    def outdated(self, room: RoomId) -> bool:
        """Whether updates of the room were dropped, so that the viewer is behind until there is a fresh snapshot."""

    def missed(self, room: RoomId) -> int | None:
        """Whether notices were dropped, which are to be made good now: None, or the first line of chat, 0 if none was.

        Always None while the viewer is behind: the snapshot comes first.
        """

    def forget(self, room: RoomId) -> None:
        """The connection is no longer attached: drop the room's updates and notices that still wait."""


class Connection:
    """One connection, as the hub sees it."""

    def __init__(self, codec: Codec, outbox: Outbox, *, failed_lookup: Callable[[Join], int], max_rooms: int) -> None:
        """`failed_lookup` is called with a `join` whose room or token does not exist.

        Its answer: for how many ms the address has to wait, if this was one too many, of which it may learn nothing.
        """
        self.id = secrets.token_hex(8)
        self.codec = codec
        self.outbox = outbox
        self.failed_lookup = failed_lookup
        self.max_rooms = max_rooms
        self.rooms: set[RoomId] = set()
        self.closed = False
        self.heard = 0.0
        """When the connection last sent anything, on the event loop's clock; kept by the session."""
