"""What waits to be written to one connection: bounded, in order, sharing the frames' bytes. No I/O.

1. A frame waits from the call that brings it until the socket takes it, usually the end of the same turn of the loop.
2. When the bounds are reached, the socket is asked to take at once. If its peer does not read, what waits of updates
   and notices is dropped. A room that lost updates is *behind*: nothing of it waits any more until a snapshot comes. Of
   one that lost notices no further ones are taken, lest they come before those. Once the peer reads again, the hub is
   asked to make good what was lost, a room at a time as the bounds allow.
3. A reply is never dropped. One that comes after a dropped update of its room waits behind the snapshot to come, for
   its effect must be told first. Replies are bounded because nothing is read from a peer that does not read.
4. A snapshot takes the place of the room's first waiting update, so that replies that wait after it stay after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from protocol.messages import RoomId
from server.web.frames import Framing
from server.web.traffic import Traffic

REPLY, UPDATE, NOTICE = range(3)
"""What a waiting frame is; see `server.rooms.viewer.Outbox`."""

Waiting: TypeAlias = tuple[bytes, RoomId | None, int, int]
"""A frame that waits, of which room, what it is, and the number of the line of chat if it is one, else 0."""


class BoundedOutbox:
    """The outbox of one connection; an `Outbox` to the hub."""

    __slots__ = (
        "_asked",
        "_behind",
        "_bytes",
        "_framing",
        "_items",
        "_lost",
        "_max_bytes",
        "_max_frames",
        "_traffic",
        "on_full",
        "on_waiting",
    )

    def __init__(self, framing: Framing, traffic: Traffic, *, max_frames: int, max_bytes: int) -> None:
        """Replies aside, no more waits than the bounds, and what the frame that reached them was too much."""
        self._framing = framing
        self._max_frames = max_frames
        self._max_bytes = max_bytes
        self._traffic = traffic
        self._items: list[Waiting] = []
        self._bytes = 0
        self._behind: dict[RoomId, list[bytes]] = {}
        self._asked: set[RoomId] = set()
        self._lost: dict[RoomId, int] = {}
        self.on_waiting: Callable[[], None] = _nothing
        """Called when the first frame waits: the socket takes it at the end of this turn, or when it can."""
        self.on_full: Callable[[], None] = _nothing
        """The bounds are reached: the socket takes what waits now, or leaves it if its peer does not read."""

    @property
    def behind(self) -> bool:
        """Whether any room has lost anything that was not made good yet."""
        return bool(self._behind or self._lost)

    @property
    def full(self) -> bool:
        """Whether the bounds are reached."""
        return len(self._items) >= self._max_frames or self._bytes >= self._max_bytes

    def take(self) -> list[bytes]:
        """Everything that waits, in order; nothing waits then."""
        items, self._items, self._bytes = self._items, [], 0
        return [item[0] for item in items]

    def catch_up(self, resync: Callable[[RoomId], None]) -> None:
        """The peer reads again: ask for what the rooms have lost, while it has room here."""
        for room in {**self._behind, **self._lost}:
            if self.full:
                return
            if room not in self._asked:
                self._asked.add(room)
                resync(room)

    def reply(self, frame: bytes, room: RoomId | None) -> None:
        """See `Outbox`."""
        framed = self._framing.frame(frame)
        if room is not None and room in self._behind:
            self._behind[room].append(framed)
        else:
            self._put(framed, room, REPLY)

    def update(self, room: RoomId, frame: bytes) -> None:
        """See `Outbox`."""
        if room in self._behind:
            self._traffic.displaced_frames += 1
        elif self._crowded():
            self._conflate()
            self._fall_behind(room)
        else:
            self._put(self._framing.shared(frame), room, UPDATE)

    def notice(self, room: RoomId, frame: bytes, line: int = 0) -> None:
        """See `Outbox`."""
        if room in self._behind or room in self._lost or self._crowded():
            self._lose(room, line)
        else:
            self._put(self._framing.shared(frame), room, NOTICE, line)

    def outdated(self, room: RoomId) -> bool:
        """See `Outbox`."""
        self._asked.discard(room)
        return room in self._behind

    def missed(self, room: RoomId) -> int | None:
        """See `Outbox`."""
        return None if room in self._behind else self._lost.pop(room, None)

    def fresh(self, room: RoomId, frames: Sequence[bytes]) -> None:
        """See `Outbox`. If there is no room for it, the room stays behind and another is asked for later."""
        self._asked.discard(room)
        if self._crowded():
            self._fall_behind(room)
            return
        replies = self._behind.pop(room, None)
        if replies is not None:
            self._traffic.resyncs += 1
        items: list[Waiting] = [(self._framing.frame(frame), room, UPDATE, 0) for frame in frames]
        place = next((at for at, item in enumerate(self._items) if _is_update(item, room)), None)
        if place is not None:
            after = [item for item in self._items[place:] if not _is_update(item, room)]
            self._keep([*self._items[:place], *items, *after])
        else:
            for item in items:
                self._put(*item)
        self._release(room, replies or ())

    def forget(self, room: RoomId) -> None:
        """See `Outbox`."""
        self._asked.discard(room)
        self._lost.pop(room, None)
        if any(item[1] == room for item in self._items):
            self._keep([item for item in self._items if item[1] != room or item[2] == REPLY])
        self._release(room, self._behind.pop(room, ()))

    def _release(self, room: RoomId, replies: Sequence[bytes]) -> None:
        """These replies need not wait for a snapshot any more."""
        for reply in replies:
            self._put(reply, room, REPLY)

    def _put(self, frame: bytes, room: RoomId | None, kind: int, line: int = 0) -> None:
        items = self._items
        if not items:
            self.on_waiting()
        items.append((frame, room, kind, line))
        self._bytes += len(frame)

    def _keep(self, items: list[Waiting]) -> None:
        self._items = items
        self._bytes = sum(len(item[0]) for item in items)

    def _crowded(self) -> bool:
        """Whether there is no room for another frame, also after the socket was asked to take what waits."""
        if len(self._items) < self._max_frames and self._bytes < self._max_bytes:
            return False
        self.on_full()
        return self.full

    def _fall_behind(self, room: RoomId) -> None:
        """An update of this room is dropped."""
        self._traffic.displaced_frames += 1
        self._behind.setdefault(room, [])

    def _lose(self, room: RoomId, line: int) -> None:
        """A notice of this room is dropped; the first line of chat among them is remembered."""
        self._traffic.displaced_frames += 1
        first = self._lost.get(room, 0)
        self._lost[room] = min(first, line) if first and line else first or line

    def _conflate(self) -> None:
        """Drop every update and notice that waits; replies behind a dropped one wait for the room's snapshot."""
        kept: list[Waiting] = []
        for item in self._items:
            frame, room, kind, line = item
            if room is None:
                kept.append(item)
            elif kind == UPDATE:
                self._fall_behind(room)
            elif kind == NOTICE:
                self._lose(room, line)
            elif room in self._behind:
                self._behind[room].append(frame)
            else:
                kept.append(item)
        self._keep(kept)


def _is_update(item: Waiting, room: RoomId) -> bool:
    return item[2] == UPDATE and item[1] == room


def _nothing() -> None:
    """What an outbox calls that no socket listens to."""
