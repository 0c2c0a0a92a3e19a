"""`python -m server verify`: play journals again by this version's rules, and compare every digest on the way.

For use before a deploy: a journal that this version plays otherwise than the one that wrote it would be set aside by
the first node that loads its room. Snapshots are compared with the journal as well: a room is loaded from them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from enum import StrEnum

import msgspec

from protocol.messages import RoomId
from server.rooms.keys import Keys
from server.rooms.room import Keep, UnknownRules
from server.rooms.saved import restore, save
from server.store.store import Saved, Store
from server.support.walking import Problem, Walk


class Verdict(StrEnum):
    """GOOD: as written. BROKEN: played otherwise, or unreadable. FOREIGN: no such rules here. MISSING: no such room."""

    GOOD = "good"
    BROKEN = "broken"
    FOREIGN = "foreign"
    MISSING = "missing"


class Verified(msgspec.Struct, frozen=True):
    """What came of one room: how many entries were played, and what was wrong at which one."""

    room: RoomId
    verdict: Verdict
    entries: int
    problem: Problem | None = None


async def verified(store: Store, rooms: Iterable[RoomId], keep: Keep) -> AsyncIterator[Verified]:
    """Every room's journal against the rules of this version, one after the other.

    Raises:
        StoreUnavailable: the store went away.
    """
    for room in rooms:
        yield await verify(store, room, keep)


async def verify(store: Store, room: RoomId, keep: Keep) -> Verified:
    """One room's journal against the rules of this version.

    Raises:
        StoreUnavailable: the store went away.
    """
    try:
        journal, saved = await store.read(room), await store.saved(room)
    except ValueError as error:
        return Verified(room, Verdict.BROKEN, 0, Problem(1, str(error)))
    if not journal:
        return Verified(room, Verdict.MISSING, 0)
    walk, entries, differs = Walk(room, journal, keep), 0, False
    for entry in walk.played():
        entries += 1
        if saved is not None and (saved.seq, saved.tag) == (entry.seq, entry.tag):
            differs = not _agrees(saved, walk, keep)
    if walk.problem is not None:
        return Verified(room, Verdict.FOREIGN if walk.problem.foreign else Verdict.BROKEN, entries, walk.problem)
    if differs and saved is not None:
        problem = Problem(saved.seq, "the snapshot is not what the journal leads to")
        return Verified(room, Verdict.BROKEN, entries, problem)
    return Verified(room, Verdict.GOOD, entries)


def _agrees(saved: Saved, walk: Walk, keep: Keep) -> bool:
    """Whether the snapshot says what the journal leads to. One that can't be read is passed over when rooms load."""
    try:
        kept = restore(saved, keep, Keys())
    except UnknownRules:
        return False
    if kept is None or walk.room is None:
        return True
    return save(kept).data == save(walk.room).data
