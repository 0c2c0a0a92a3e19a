"""The replay of a room that has ended: its journal without tokens and keys, for anybody to play again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from protocol.messages import Json
from server.engines.dice import commitment
from server.rooms.entries import (
    Abandoned,
    Acted,
    AnyEntry,
    Created,
    Offered,
    Paused,
    Seated,
    TimedOut,
    Undone,
    kind_of,
)
from server.rooms.loading import recorded
from server.rooms.room import Room
from server.store.store import Stored

VERSION = 1


def replay_of(room: Room, journal: Sequence[Stored]) -> Mapping[str, Json]:
    """The answer of `GET /api/rooms/{room}/replay` for a room that has ended."""
    public, part = room.documents().public, room.documents().room
    entries: list[Json] = []
    words = 0
    for stored in journal:
        entry = recorded(stored).entry
        if isinstance(entry, Acted | TimedOut | Undone) or (isinstance(entry, Seated) and entry.digest):
            words = entry.words
        place = {"seq": stored.seq, "at": stored.at, "kind": kind_of(entry), "seat": getattr(entry, "seat", None)}
        entries.append({**place, "words": words, **contents(entry)})
    return {
        "version": VERSION,
        "room": part["id"],
        **{key: part[key] for key in ("game", "rules", "options", "seed", "entropy")},
        "entries": entries,
        "result": public["result"],
    }


def contents(entry: AnyEntry) -> dict[str, Any]:
    """What an entry holds besides its place, without tokens, keys and seeds."""
    match entry:
        case Created():
            return {"commitment": commitment(entry.seed).hex(), "seats": entry.seats}
        case Seated():
            entropy = entry.entropy.hex() if entry.entropy else None
            return {"name": entry.name, "player": entry.kind, "entropy": entropy}
        case Offered():
            return {"policy": entry.policy}
        case Acted() | TimedOut():
            return {"action": entry.action}
        case Undone():
            return {"of": entry.of}
        case Paused():
            return {"ms": entry.ms}
        case Abandoned():
            return {"reason": entry.reason}
        case _:
            return {}
