"""What one entry changed, and the frames that tell it: one encoding per audience and codec, however many watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from protocol.codec import CODECS, JSON, Codec
from protocol.messages import Patch, RoomId
from protocol.patch import diff
from server.engines.engine import Event, EventBody
from server.rooms.document import Documents
from server.rooms.entries import (
    Abandoned,
    AnyEntry,
    Offered,
    Paused,
    Recorded,
    Seated,
    Undone,
    kind_of,
)
from server.store.store import Head

Operation: TypeAlias = Mapping[str, Any]
Body: TypeAlias = Mapping[str, Any] | EventBody


class Change:
    """One entry as the viewers get it: public operations, those of each seat, events in all their forms.

    `fresh`: the seats whose decision began with this entry. `documents`: what everybody sees after it.
    """

    __slots__ = ("_events", "_frames", "_more", "_private_ops", "_public_ops", "documents", "fresh", "recorded", "room")

    def __init__(
        self,
        room: RoomId,
        recorded: Recorded,
        before: Documents,
        documents: Documents,
        *,
        events: Sequence[Event],
        fresh: Sequence[int],
    ) -> None:
        self.room = room
        self.recorded = recorded
        self.documents = documents
        self.fresh = tuple(fresh)
        self._events = events
        self._public_ops = diff(before.public, documents.public)
        self._private_ops = {
            seat: diff({"you": old}, {"you": new})
            for seat, (old, new) in enumerate(zip(before.private, documents.private, strict=True))
            if old is not new
        }
        self._more = frozenset([*self._private_ops, *[seat for event in events for seat, _ in event.private]])
        """The seats that see more than everybody."""
        self._frames: dict[str, dict[int | None, bytes]] = {}

    def frame(self, seat: int | None, codec: Codec) -> bytes:
        """The `patch` frame's payload for a viewer; the same object for all who see the same."""
        audience = seat if seat in self._more else None
        frames = self._frames.setdefault(codec.name, {})
        known = frames.get(audience)
        if known is None:
            known = frames[audience] = codec.encode(self._patch(audience))
        return known

    def kept(self) -> Kept:
        """The change as the history keeps it: its frames in one codec, one that they were built in already."""
        codec = CODECS[next(iter(self._frames), JSON.name)]
        for audience in (None, *self._more):
            self.frame(audience, codec)
        return Kept(Head(self.recorded.seq, self.recorded.tag, self.recorded.at), codec, self._frames[codec.name])

    def events(self, seat: int | None) -> Sequence[Body]:
        """What happened, as a viewer is told: the entry itself, then the game's own events."""
        forms = [event.form_for(seat) for event in self._events]
        return [_room_event(self.recorded.entry), *[body for body in forms if body is not None]]

    def _patch(self, seat: int | None) -> Patch:
        recorded = self.recorded
        own = () if seat is None else self._private_ops.get(seat, ())
        # A typed event is written as the map that it stands for.
        events = cast("Sequence[Mapping[str, Any]]", self.events(seat))
        return Patch(self.room, recorded.seq, recorded.tag, recorded.at, [*self._public_ops, *own], events)


class Kept:
    """A change that was told, for those who come back: the frame for everybody, and those of seats that see more."""

    __slots__ = ("codec", "frames", "head", "weight")

    def __init__(self, head: Head, codec: Codec, frames: Mapping[int | None, bytes]) -> None:
        self.head = head
        self.codec = codec
        self.frames = frames
        self.weight = sum(map(len, frames.values()))
        """Bytes of its frames."""

    def frame(self, seat: int | None, codec: Codec) -> bytes:
        """The `patch` frame's payload for a viewer."""
        frame = self.frames.get(seat) or self.frames[None]
        if codec is self.codec:
            return frame
        message = self.codec.decode_server(frame)
        if message is None:
            raise RuntimeError("a frame of ours is none")
        return codec.encode(message)


def _room_event(entry: AnyEntry) -> Body:
    """The entry as the room's own event; an action's content is the game's to tell."""
    body: dict[str, Any] = {"kind": kind_of(entry)}
    seat = getattr(entry, "seat", None)
    if seat is not None:
        body["seat"] = seat
    match entry:
        case Seated():
            body["name"] = entry.name
        case Offered():
            body["policy"] = entry.policy
        case Undone():
            body["of"] = entry.of
        case Paused():
            body["ms"] = entry.ms
        case Abandoned():
            body["reason"] = entry.reason
        case _:
            pass
    return body
