"""A room's journal, played entry by entry as far as it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from protocol.messages import RoomId
from server.rooms.audience import Change
from server.rooms.entries import BrokenJournal, Recorded
from server.rooms.loading import recorded
from server.rooms.room import Keep, Room, UnknownRules
from server.store.store import Stored


class Problem(msgspec.Struct, frozen=True):
    """Why a journal can't be played further than to before the entry `seq`.

    `foreign`: this version does not have the room's rules; nothing is wrong with the journal.
    """

    seq: int
    reason: str
    foreign: bool = False


class Walk:
    """One pass over a journal. `room`: where it stands, None before the first entry; `problem`: why it went no on."""

    def __init__(self, room: RoomId, journal: Sequence[Stored], keep: Keep) -> None:
        self.room: Room | None = None
        self.problem: Problem | None = None
        self._id = room
        self._journal = journal
        self._keep = keep

    def told(self) -> Iterator[tuple[Recorded, Change | None]]:
        """Every entry with what it changed for those who watch (None: the first one)."""
        return self._steps(Room.commit)

    def played(self) -> Iterator[Recorded]:
        """Every entry, without what viewers would be told: several times as fast."""
        for entry, _ in self._steps(_advance):
            yield entry

    def _steps(self, step: Callable[[Room, Recorded], Change | None]) -> Iterator[tuple[Recorded, Change | None]]:
        at = 0
        for expected, stored in enumerate(self._journal, start=1):
            try:
                if stored.seq != expected or stored.at < at:
                    raise BrokenJournal(f"entry {stored.seq} of {stored.at} follows entry {expected - 1} of {at}")
                entry, change, at = recorded(stored), None, stored.at
                if self.room is None:
                    self.room = Room.begin(self._id, entry, self._keep)
                else:
                    change = step(self.room, entry)
            except UnknownRules as error:
                self.problem = Problem(expected, str(error), foreign=True)
                return
            except (BrokenJournal, ValueError, LookupError) as error:
                self.problem = Problem(expected, str(error))
                return
            yield entry, change


def _advance(room: Room, entry: Recorded) -> None:
    room.advance(entry)
