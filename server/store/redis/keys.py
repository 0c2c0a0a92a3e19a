"""Where things lie. Every key of a room, and its channel, carries the hash tag of the room's bucket.

A room's bucket is CRC16(room) mod 64, so on a cluster everything that one script touches is on one server, and what
spans all rooms (a list, the deadlines) is asked of 64 buckets and never found by a scan.
"""

from __future__ import annotations

import binascii
from functools import cache
from typing import NewType

from protocol.messages import RoomId

Bucket = NewType("Bucket", int)

BUCKETS = tuple(Bucket(n) for n in range(64))
SLOTS = 16_384
STATUSES = ("open", "playing", "finished", "abandoned")


def bucket_of(room: RoomId) -> Bucket:
    """The bucket of a room."""
    return Bucket(binascii.crc_hqx(room.encode(), 0) % len(BUCKETS))


@cache
def slot_of(bucket: Bucket) -> int:
    """The slot of a cluster in which all keys of the bucket lie."""
    return binascii.crc_hqx(f"b{bucket:02}".encode(), 0) % SLOTS


def _key(bucket: Bucket, name: str) -> str:
    return f"pharos:{{b{bucket:02}}}:{name}"


@cache
def in_bucket(bucket: Bucket, name: str) -> str:
    """A key of the bucket that belongs to no room."""
    return _key(bucket, name)


def due(bucket: Bucket) -> str:
    """Every room that is not set aside, by the moment of its next house-keeping (infinity: never)."""
    return in_bucket(bucket, "due")


def clocks(bucket: Bucket) -> str:
    """Rooms with a running clock."""
    return in_bucket(bucket, "clocks")


def offers(bucket: Bucket) -> str:
    """Rooms with seats for bot hosts, by the moment from which one of them may wait."""
    return in_bucket(bucket, "offers")


def living(bucket: Bucket) -> str:
    """Rooms that have not ended."""
    return in_bucket(bucket, "living")


def used(bucket: Bucket) -> str:
    """The ids of rooms that were removed."""
    return in_bucket(bucket, "used")


def listed(bucket: Bucket, game: str | None, status: str | None) -> str:
    """Public rooms by the time they were created: of all games or one, of any status or one."""
    return _key(bucket, f"list:{game or ''}:{status or ''}")  # not remembered: anybody can ask for any game


@cache
def lists(bucket: Bucket, game: str | None) -> tuple[str, ...]:
    """The lists of all games or of one, in the order in which scripts want them."""
    return (listed(bucket, game, None), *(listed(bucket, game, status) for status in STATUSES))


@cache
def indices(bucket: Bucket, game: str) -> tuple[str, ...]:
    """Every index in which a room of the game may be."""
    own = (due(bucket), clocks(bucket), offers(bucket), living(bucket))
    return (*own, *lists(bucket, None), *lists(bucket, game))


class RoomKeys:
    """The keys of one room."""

    __slots__ = ("bucket", "id", "room")

    def __init__(self, room: RoomId) -> None:
        self.id = room
        self.bucket = bucket_of(room)
        self.room = _key(self.bucket, f"room:{room}")
        """A hash: head, index, and what else is small. The room's channel has the same name."""

    @property
    def journal(self) -> str:
        """A stream; an entry's id is its seq."""
        return f"{self.room}:journal"

    @property
    def archive(self) -> str:
        """The compressed part of the journal."""
        return f"{self.room}:archive"

    @property
    def snapshot(self) -> str:
        """A hash: seq, tag, data."""
        return f"{self.room}:snapshot"

    @property
    def lines(self) -> str:
        """The chat, a stream; a line's id is its number."""
        return f"{self.room}:lines"

    @property
    def said(self) -> str:
        """A hash: the numbers of the lines by their keys."""
        return f"{self.room}:said"

    @property
    def here(self) -> str:
        """A hash: the presence records by node."""
        return f"{self.room}:here"
