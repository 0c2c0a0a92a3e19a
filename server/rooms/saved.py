"""A room's snapshot in the store: a shortcut for loading, never the truth.

It is taken only where no undo can cross. One that this version can't read, or that belongs to another branch of the
journal, is passed over, and the journal is read from its start.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from server.rooms.keys import Keys
from server.rooms.room import Keep, Room, rulebook_of
from server.rooms.state import Position, RoomState
from server.store.store import Saved

FORMAT = 1


class SavedRoom(msgspec.Struct, frozen=True):
    """All that follows from the journal up to an entry; the engine's state as its own `dump`."""

    format: int
    state: RoomState
    game: dict[str, Any] | None
    words: int


_decoder = msgspec.msgpack.Decoder(SavedRoom)


def save(room: Room) -> Saved:
    """The snapshot of a room in which nothing can be undone."""
    state, position = room.state, room.state.position
    game = None if position is None else room.rulebook.engine.dump(position.game)
    words = 0 if position is None else position.words
    saved = SavedRoom(FORMAT, replace(state, position=None), game, words)
    return Saved(state.head.seq, state.head.tag, msgspec.msgpack.encode(saved))


def restore(saved: Saved, keep: Keep, keys: Keys) -> Room | None:
    """The room of a snapshot, given the keys of the journal up to it; None if this version can't read it."""
    try:
        found = _decoder.decode(saved.data)
    except msgspec.DecodeError:
        return None
    if found.format != FORMAT or (found.state.head.seq, found.state.head.tag) != (saved.seq, saved.tag):
        return None
    rulebook = rulebook_of(found.state.created, keep)
    position = None
    if found.game is not None:
        try:
            position = Position(rulebook.engine.load(found.game), found.words)
        except ValueError:
            return None
    return Room(rulebook, replace(found.state, position=position), keep, keys)
