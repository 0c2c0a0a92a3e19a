"""What waits to be written to one connection: bounded, in order, sharing the frames' bytes. No I/O.

1. A frame waits from the call that brings it until the socket takes it, usually the end of the same turn of the loop.
2. When the bounds are reached, the socket is asked to take at once. If its peer does not read, what waits of updates
   and notices is dropped, and the rooms that lost any are *behind*: nothing of such a room waits any more until a
   snapshot of it comes. Once the peer reads again, the hub is asked for one, a room at a time as the bounds allow.
3. A reply is never dropped. One that comes after a dropped update of its room waits behind the snapshot to come, for
   its effect must be told first. Replies are bounded because nothing is read from a peer that does not read.
4. A snapshot takes the place of the room's first waiting update, so that replies that wait after it stay after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

from protocol.messages import RoomId
from server.web.traffic import Traffic


class Kind(IntEnum):
    """What a waiting frame is; see `server.rooms.viewer.Outbox`."""

    REPLY = 0
    UPDATE = 1
    NOTICE = 2


class Waiting(NamedTuple):
    """A frame that waits, of which room, and whether it may be dropped."""

    frame: bytes
    room: RoomId | None
    kind: Kind


class BoundedOutbox:
    """The outbox of one connection; an `Outbox` to the hub."""

    __slots__ = (
        "_asked",
        "_behind",
        "_bytes",
        "_items",
        "_max_bytes",
        "_max_frames",
        "_traffic",
        "on_full",
        "on_waiting",
    )

    def __init__(self, *, max_frames: int, max_bytes: int, traffic: Traffic) -> None:
        """At most one frame more than either bound waits, replies aside."""
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._traffic = traffic
        self._items: list[Waiting] = []
        self._bytes = 0
        self._behind: dict[RoomId, list[bytes]] = {}
        self._asked: set[RoomId] = set()
        self.on_waiting: Callable[[], None] = _nothing
        """Called when the first frame waits: the socket takes it at the end of this turn, or when it can."""
        self.on_full: Callable[[], None] = _nothing
        """The bounds are reached: the socket takes what waits now, or leaves it if its peer does not read."""

    @property
    def behind(self) -> bool:
        """Whether any room waits for a snapshot."""
        return bool(self._behind)

    @property
    def full(self) -> bool:
        """Whether the bounds are reached."""
        return len(self._items) >= self._max_frames or self._bytes >= self._max_bytes

    def take(self) -> list[bytes]:
        """Everything that waits, in order; nothing waits then."""
        items, self._items, self._bytes = self._items, [], 0
        return [item[0] for item in items]

    def catch_up(self, resync: Callable[[RoomId], None]) -> None:
        """The peer reads again: ask for snapshots of the rooms that are behind, while they have room here."""
        for room in tuple(self._behind):
            if self.full:
                return
            if room in self._behind and room not in self._asked:
                self._asked.add(room)
                resync(room)

    def reply(self, frame: bytes, room: RoomId | None) -> None:
        """See `Outbox`."""
        if room is not None and room in self._behind:
            self._behind[room].append(frame)
        else:
            self._put(Waiting(frame, room, Kind.REPLY))

    def update(self, room: RoomId, frame: bytes) -> None:
        """See `Outbox`."""
        if room in self._behind:
            self._traffic.displaced_frames += 1
        elif self._crowded():
            self._conflate()
            self._fall_behind(room)
        else:
            self._put(Waiting(frame, room, Kind.UPDATE))

    def notice(self, room: RoomId, frame: bytes) -> None:
        """See `Outbox`. The room of a dropped notice is behind, too: the snapshot brings what it said."""
        if self._crowded():
            self._fall_behind(room)
        else:
            self._put(Waiting(frame, room, Kind.NOTICE))

    def fresh(self, room: RoomId, frames: Sequence[bytes]) -> None:
        """See `Outbox`. If there is no room for it, the room stays behind and another is asked for later."""
        self._asked.discard(room)
        if self._crowded():
            self._fall_behind(room)
            return
        replies = self._behind.pop(room, None)
        if replies is not None:
            self._traffic.resyncs += 1
        items = [Waiting(frame, room, Kind.UPDATE) for frame in frames]
        place = next((at for at, item in enumerate(self._items) if _is_update(item, room)), None)
        if place is not None:
            after = [item for item in self._items[place:] if not _is_update(item, room)]
            self._keep([*self._items[:place], *items, *after])
            items = []
        items.extend(Waiting(reply, room, Kind.REPLY) for reply in replies or ())
        for item in items:
            self._put(item)

    def forget(self, room: RoomId) -> None:
        """See `Outbox`."""
        self._asked.discard(room)
        if any(item.room == room for item in self._items):
            self._keep([item for item in self._items if item.room != room or item.kind is Kind.REPLY])
        for reply in self._behind.pop(room, ()):
            self._put(Waiting(reply, room, Kind.REPLY))

    def _put(self, item: Waiting) -> None:
        items = self._items
        items.append(item)
        self._bytes += len(item[0])
        if len(items) == 1:
            self.on_waiting()

    def _keep(self, items: list[Waiting]) -> None:
        self._items = items
        self._bytes = sum(len(item.frame) for item in items)

    def _crowded(self) -> bool:
        """Whether there is no room for another frame, also after the socket was asked to take what waits."""
        if len(self._items) < self._max_frames and self._bytes < self._max_bytes:
            return False
        self.on_full()
        return self.full

    def _fall_behind(self, room: RoomId) -> None:
        """A frame of this room is dropped."""
        self._traffic.displaced_frames += 1
        self._behind.setdefault(room, [])

    def _conflate(self) -> None:
        """Drop every update and notice that waits; replies behind a dropped one wait for the room's snapshot."""
        kept: list[Waiting] = []
        for item in self._items:
            if item.kind is not Kind.REPLY and item.room is not None:
                self._fall_behind(item.room)
            elif item.room is not None and item.room in self._behind:
                self._behind[item.room].append(item.frame)
            else:
                kept.append(item)
        self._keep(kept)


def _is_update(item: Waiting, room: RoomId) -> bool:
    return item.kind is Kind.UPDATE and item.room == room


def _nothing() -> None:
    """What an outbox calls that no socket listens to."""
