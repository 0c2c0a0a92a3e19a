"""A room from its journal: the snapshot where it helps, the entries after it, and the recent changes for resuming."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import msgspec
import structlog

from protocol.messages import RoomId
from server.rooms.audience import Change
from server.rooms.entries import BrokenJournal, Recorded, unpack
from server.rooms.keys import Keys
from server.rooms.room import Keep, Room
from server.rooms.saved import restore
from server.rooms.state import Outcome
from server.rooms.viewers import Window
from server.store.store import Saved, Store, Stored

log = structlog.get_logger("pharos.rooms")

ENTRIES_PER_TURN = 32
"""Entries to go through before other rooms get their turn of the event loop."""


class Loaded(msgspec.Struct, frozen=True):
    """A room at the head of its journal, its last changes, and what spectators saw before the first of them.

    `saved_at`: the entry of the snapshot that helped, 0 if none did.
    """

    room: Room
    changes: Sequence[Change]
    before: Window
    saved_at: int = 0


class NoSuchRoom(Exception):  # noqa: N818
    """There is no journal of this id."""


def recorded(stored: Stored) -> Recorded:
    """The entry of the store in its typed form.

    Raises:
        BrokenJournal: it can't be read.
    """
    return Recorded(stored.seq, stored.tag, stored.at, unpack(stored.data))


async def load(store: Store, room: RoomId, keep: Keep, *, recent: int, now: int) -> Loaded:
    """The room, with its last `recent` changes, and all those that delayed spectators have not seen by `now`.

    Raises:
        NoSuchRoom. BrokenJournal, UnknownRules: this node can't play it. StoreUnavailable.
    """
    saved, entries = await store.saved(room), await store.read(room)
    if not entries:
        raise NoSuchRoom(room)
    begun = await _from_snapshot(saved, entries, keep) if saved else None
    if begun is not None:
        saved_at, delay = begun.head.seq, begun.rulebook.shared.spectators.delay
        if not delay or begun.head.at + delay <= now:
            try:
                loaded = await _go_through(begun, entries[saved_at:], recent, now)
                return msgspec.structs.replace(loaded, saved_at=saved_at)
            except BrokenJournal as error:  # by the snapshot's doing, if the journal can be read from its start
                log.warning("snapshot passed over", room=room, seq=saved_at, reason=str(error))
    return await _go_through(Room.begin(room, recorded(entries[0]), keep), entries[1:], recent, now)


async def _from_snapshot(saved: Saved, entries: Sequence[Stored], keep: Keep) -> Room | None:
    """The snapshot's room, if the journal has the snapshot's entry; what was done by which key, from the journal."""
    if not 0 < saved.seq <= len(entries) or entries[saved.seq - 1].tag != saved.tag:
        return None
    keys = Keys()
    async for entry in _by_turns(entries[: saved.seq]):
        keys.note(entry)
    return restore(saved, keep, keys)


async def _go_through(room: Room, entries: Sequence[Stored], recent: int, now: int) -> Loaded:
    delay = room.rulebook.shared.spectators.delay
    first_told = max(0, len(entries) - recent)
    if delay:
        pending = next((i for i, entry in enumerate(entries) if entry.at + delay > now), len(entries))
        first_told = min(first_told, pending)
    async for entry in _by_turns(entries[:first_told]):
        _advance(room, entry)
    before = Window(room.head, room.documents().public)
    changes = [commit(room, entry) async for entry in _by_turns(entries[first_told:])]
    return Loaded(room, changes, before)


async def _by_turns(entries: Sequence[Stored]) -> AsyncIterator[Recorded]:
    """The entries in their typed form; other rooms get their turn in between."""
    for number, entry in enumerate(entries):
        yield recorded(entry)
        if number % ENTRIES_PER_TURN == 0:
            await asyncio.sleep(0)


def _advance(room: Room, entry: Recorded) -> Outcome | None:
    try:
        return room.advance(entry)
    except (ValueError, LookupError) as error:
        raise BrokenJournal(f"entry {entry.seq} can't be played: {error}") from error


def commit(room: Room, entry: Recorded) -> Change:
    """Commit an entry that somebody else appended. What raises in showing it is no fault of the journal.

    Raises:
        BrokenJournal: it does not follow, or the rules of this node refuse it.
    """
    before = room.documents()
    return room.change(entry, before, _advance(room, entry))
