"""One room: decide(intent) → an entry or a refusal; commit(entry) → the change for every audience. No I/O.

Rules that hold here:

1. `decide` changes nothing. What it proposes counts only when the journal has taken it.
2. `commit` takes the journal's entries in order, whoever appended them, and checks that the rules lead where the entry
   says. If they don't, the journal is broken for this version of the code.
3. A key is remembered with what it did, by holder, for as long as the room exists.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from protocol.codes import ProtocolError
from protocol.messages import RoomId
from server.engines import ENGINES
from server.engines.engine import Action
from server.rooms import deciding
from server.rooms.audience import Change
from server.rooms.deciding import Proposal
from server.rooms.document import Documents, Part, documents
from server.rooms.entries import (
    FORMAT,
    BrokenJournal,
    Created,
    Recorded,
)
from server.rooms.intents import (
    Abandon,
    AnyIntent,
    ComeBack,
    GiveBack,
    GiveUp,
    MakeInvite,
    OfferSeat,
    Play,
    PlayFor,
    SeatServer,
    TakeBack,
    TakeSeat,
    Vacate,
)
from server.rooms.keys import Keys
from server.rooms.options import read_options
from server.rooms.state import Outcome, RoomState
from server.rooms.transitions import Rulebook, after, at_its_time, outcome
from server.store.store import Head


class UnknownRules(Exception):  # noqa: N818
    """This node does not have the game, or not the version of its rules, that the room is played by."""


class Keep(msgspec.Struct, frozen=True):
    """The limits of a room that its deployment sets."""

    timeouts_to_serve: int
    undo_limit: int


class Room:
    """A room at the last entry that was committed."""

    def __init__(self, rulebook: Rulebook, state: RoomState, keep: Keep, keys: Keys) -> None:
        self.rulebook = rulebook
        self.state = state
        self.keys = keys
        self._keep = keep
        self._seen: tuple[RoomState, Documents] | None = None
        self._listed: tuple[Part, bytes] | None = None

    @classmethod
    def begin(cls, room: RoomId, recorded: Recorded, keep: Keep) -> Room:
        """The room at its first entry.

        Raises:
            UnknownRules: no engine here for the room's game and version. BrokenJournal: not the start of a journal.
        """
        created = recorded.entry
        if not isinstance(created, Created) or recorded.seq != 1:
            raise BrokenJournal("the journal does not begin with `created`")
        head = Head(recorded.seq, recorded.tag, recorded.at)
        free = (None,) * created.seats
        state = RoomState(room, head, created, recorded.at, free, free)
        return cls(rulebook_of(created, keep), state, keep, Keys())

    @property
    def head(self) -> Head:
        """The last entry's place."""
        return self.state.head

    def documents(self) -> Documents:
        """What every audience sees now."""
        if self._seen is None or self._seen[0] is not self.state:
            self._seen = (self.state, documents(self.rulebook, self.state, self._seen))
        return self._seen[1]

    def listing(self, part: Part) -> bytes:
        """The room part of the state as the list of rooms keeps it; the same bytes for the same part."""
        if self._listed is None or self._listed[0] is not part:
            self._listed = (part, msgspec.json.encode(part))
        return self._listed[1]

    def legal_actions(self, seat: int) -> Sequence[Action]:
        """Every legal action of a seat; () for one that does not have to decide, or has resigned."""
        if self.state.position is None or not self.decides(seat):
            return ()
        return self.rulebook.engine.legal_actions(self.state.position.game, seat)

    def decides(self, seat: int) -> bool:
        """Whether the seat's holder has something to decide."""
        taken = self.state.seats[seat]
        return self.state.clocks.of(seat) is not None and (taken is None or not taken.resigned)

    def decide(self, intent: AnyIntent) -> Proposal:
        """The entry that the intent leads to.

        Raises:
            ProtocolError: it may not or can't be done. Already: there is nothing to do.
        """
        self.keys.check(self.rulebook, intent)
        rulebook, state, creator = self.rulebook, self.state, self.creator()
        match intent:
            case Play():
                return deciding.play_action(rulebook, state, intent)
            case TakeBack():
                return deciding.take_back(rulebook, state, intent, self._keep.undo_limit)
            case GiveUp():
                return deciding.give_up(state, intent)
            case ComeBack():
                return deciding.come_back(state, intent)
            case PlayFor():
                return deciding.play_for(rulebook, state, intent)
            case TakeSeat():
                return deciding.take_seat(rulebook, state, intent)
            case Vacate():
                return deciding.vacate(state, intent, creator)
            case OfferSeat():
                return deciding.offer_seat(state, intent, creator)
            case MakeInvite():
                return deciding.make_invite(state, intent, creator)
            case SeatServer():
                return deciding.seat_server(rulebook, state, intent)
            case GiveBack():
                return deciding.give_back(rulebook, state, intent)
            case Abandon():
                return deciding.abandon(state, intent)

    def creator(self) -> bytes:
        """Hash of the creator's token; empty when that was given up."""
        admin = self.state.created.admin
        return b"" if admin in self.state.revoked else admin

    def next_state(self, recorded: Recorded, found: Outcome | None) -> RoomState:
        """The state after an entry that is not committed yet; `found` is its outcome."""
        return after(self.rulebook, self.state, recorded, found)

    def advance(self, recorded: Recorded) -> Outcome | None:
        """Take an entry of the journal without telling anybody; the outcome of it.

        Raises:
            BrokenJournal: the entry does not follow, or the rules lead elsewhere.
        """
        if recorded.seq != self.state.head.seq + 1:
            raise BrokenJournal(f"entry {recorded.seq} after {self.state.head.seq}")
        found = outcome(self.rulebook, self.state, recorded.entry)
        self.keys.note(recorded)
        self.state = after(self.rulebook, self.state, recorded, found)
        return found

    def commit(self, recorded: Recorded) -> Change:
        """Take an entry of the journal: what changed, and for whom.

        Raises:
            BrokenJournal: see `advance`.
        """
        before = self.documents()
        return self.change(recorded, before, self.advance(recorded))

    def commit_planned(self, recorded: Recorded, found: Outcome | None, planned: RoomState) -> Change:
        """Take the entry that this room itself proposed, and for which it planned the state after it."""
        before = self.documents()
        self.keys.note(recorded)
        self.state = at_its_time(self.rulebook, self.state, planned, recorded)
        return self.change(recorded, before, found)

    def change(self, recorded: Recorded, before: Documents, found: Outcome | None) -> Change:
        """What the last entry changed; `before`: what everybody saw before it, `found`: its outcome."""
        fresh = [d.seat for d in self.state.clocks.decisions if d.since == recorded.seq]
        return Change(
            self.state.id, recorded, before, self.documents(), events=found.events if found else (), fresh=fresh
        )


def rulebook_of(created: Created, keep: Keep) -> Rulebook:
    """What the room plays.

    Raises:
        UnknownRules, BrokenJournal: see `Room.begin`.
    """
    if created.format != FORMAT:
        raise BrokenJournal(f"a journal of format {created.format}")
    engine = ENGINES.get((created.game, created.rules))
    if engine is None:
        raise UnknownRules(f"{created.game} {created.rules} is not played here")
    if created.seats not in engine.seats:
        raise BrokenJournal(f"{created.seats} seats")
    try:
        shared, game = read_options(engine, created.options)
    except ProtocolError as error:
        raise BrokenJournal(error.message) from error
    return Rulebook(engine, shared, game, keep.timeouts_to_serve)
