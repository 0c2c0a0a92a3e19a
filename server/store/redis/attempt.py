"""An append as a command, and what the script's answers to it mean.

The short form names three keys and leaves the room's index alone. Where the index is not the one that the room has, the
script says so and nothing has happened; then the long form goes, with every key. So what most appends send and Redis
writes, to its file and its replicas, is the entry and little else.
"""

from __future__ import annotations

import hashlib

import msgspec

from server.store.offering import encode
from server.store.redis import keys
from server.store.redis.keys import RoomKeys
from server.store.redis.link import Reply
from server.store.redis.replies import head_of, text_of
from server.store.redis.scripts import APPEND, Command
from server.store.store import Append, Conflict, Head, Index, NotInTime, Quarantined

_encoder = msgspec.msgpack.Encoder()


class Attempt:
    """One append, at what scripts are told of the time."""

    __slots__ = ("_append", "_digest", "_room", "_time")

    def __init__(self, append: Append, time: str) -> None:
        self._append = append
        self._time = time
        self._room = RoomKeys(append.room)
        self._digest = _digest(append.index)

    @property
    def bucket(self) -> keys.Bucket:
        """The room's bucket."""
        return self._room.bucket

    def first(self) -> Command:
        """What to send first: a new room has no index yet."""
        return self._short() if self._append.after.seq else self._long(None)

    def again(self, reply: Reply) -> Command:
        """What to send after a reply that asks for the index, and names the game that the room is indexed under."""
        return self._long(text_of(reply[1]))

    def wants_index(self, reply: Reply) -> bool:
        """The room's index is another, or lies under the keys of another game."""
        return isinstance(reply, list) and reply[0] == b"index"

    def head(self, reply: Reply) -> Head:
        """The journal's head after the append.

        Raises:
            Conflict, Quarantined, NotInTime: it was refused.
        """
        if isinstance(reply, int):
            return Head(self._append.after.seq + len(self._append.entries), self._append.tags[-1], reply)
        match reply:
            case [b"conflict", *head]:
                raise Conflict(head_of(head))
            case [b"aside", reason]:
                raise Quarantined(reason.decode())
            case _:
                raise NotInTime(int(reply[1]))

    def _short(self) -> Command:
        room = self._room
        where = (room.room, room.journal, keys.due(room.bucket))
        return APPEND(where, *self._terms(), *self._entries())

    def _long(self, game: str | None) -> Command:
        room, index, bucket = self._room, self._append.index, self._room.bucket
        own = (keys.due(bucket), keys.clocks(bucket), keys.offers(bucket), keys.living(bucket), keys.used(bucket))
        before = keys.lists(bucket, game) if game and game != index.game else ()
        where = (room.room, room.journal, *own, *keys.lists(bucket, None), *keys.lists(bucket, index.game), *before)
        flags = (int(index.public), index.created, int(index.clock), encode(index.offers) if index.offers else "")
        fields = (index.game, index.status, *flags, index.listing)
        return APPEND(where, *self._terms(), *fields, *self._entries())

    def _terms(self) -> Command:
        append = self._append
        due = "" if append.index.due is None else append.index.due
        window = (append.not_before, append.not_after)
        return (self._time, append.room, append.after.seq, append.after.tag, *window, due, self._digest)

    def _entries(self) -> Command:
        return tuple(part for pair in zip(self._append.tags, self._append.entries, strict=True) for part in pair)


def _digest(index: Index) -> bytes:
    """Equal for indices that leave a room where it is in every list."""
    fields = (index.game, index.status, index.public, index.clock, index.offers, index.listing)
    return hashlib.blake2b(_encoder.encode(fields), digest_size=8).digest()
