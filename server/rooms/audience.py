"""What one entry changed, and the frames that tell it: one encoding per audience and codec, however many watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from protocol.codec import CODECS, JSON, Codec
from protocol.messages import RoomId
from protocol.patch import diff
from server.engines.engine import Event
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
Body: TypeAlias = Mapping[str, Any]


class Change:
    """One entry as the viewers get it: public operations, those of each seat, events in all their forms.

    `fresh`: the seats whose decision began with this entry. `documents`: what everybody sees after it.
    """

    __slots__ = ("_frames", "_more", "_private_ops", "_public_ops", "documents", "events", "fresh", "recorded", "room")

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
        self.events = (_room_event(recorded.entry), *(_forms(event) for event in events))
        self._public_ops = diff(before.public, documents.public)
        self._private_ops = tuple(
            diff({"you": old}, {"you": new}) if old is not new else []
            for old, new in zip(before.private, documents.private, strict=True)
        )
        seats = range(len(self._private_ops))
        self._more = frozenset(seat for seat in seats if self._private_ops[seat] or self._told_more(seat))
        """The seats that see more than everybody."""
        self._frames: dict[tuple[str, int | None], bytes] = {}

    def frame(self, seat: int | None, codec: Codec) -> bytes:
        """The `patch` frame's payload for a viewer; the same object for all who see the same."""
        audience = seat if seat in self._more else None
        known = self._frames.get((codec.name, audience))
        if known is None:
            known = self._frames[codec.name, audience] = self._encode(audience, codec)
        return known

    def kept(self) -> Kept:
        """The change as the history keeps it: its frames in one codec, one that they were built in already."""
        built = next((name for name, audience in self._frames if audience is None), JSON.name)
        codec = CODECS[built]
        frames = {audience: self.frame(audience, codec) for audience in (None, *self._more)}
        return Kept(Head(self.recorded.seq, self.recorded.tag, self.recorded.at), codec, frames)

    def _told_more(self, seat: int) -> bool:
        return any(seat in private for _, private in self.events)

    def _encode(self, seat: int | None, codec: Codec) -> bytes:
        ops = self._public_ops if seat is None else [*self._public_ops, *self._private_ops[seat]]
        recorded = self.recorded
        return codec.map(
            [
                ("t", codec.value("patch")),
                ("room", codec.value(self.room)),
                ("seq", codec.value(recorded.seq)),
                ("tag", codec.value(recorded.tag)),
                ("at", codec.value(recorded.at)),
                ("ops", codec.value(ops)),
                ("events", codec.value(self._bodies(seat))),
            ]
        )

    def _bodies(self, seat: int | None) -> list[Body]:
        forms = (private.get(seat, public) if seat is not None else public for public, private in self.events)
        return [body for body in forms if body is not None]


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


def _forms(event: Event) -> tuple[Body | None, dict[int, Body]]:
    public = None if event.public is None else msgspec.to_builtins(event.public)
    return public, {seat: msgspec.to_builtins(body) for seat, body in event.private}


def _room_event(entry: AnyEntry) -> tuple[Body, dict[int, Body]]:
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
    return body, {}
