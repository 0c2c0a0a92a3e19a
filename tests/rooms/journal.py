"""A room without hub and store: intents are decided, get the next place and the time of the test's own clock."""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.codes import ProtocolError
from protocol.messages import RoomId
from server.engines import latest
from server.rooms.audience import Change
from server.rooms.chores import Chore, next_chore
from server.rooms.deciding import Already, Proposal
from server.rooms.entries import FORMAT, Created, Recorded
from server.rooms.intents import AnyIntent, ComeBack, GiveUp, Play, TakeBack, TakeSeat, Vacate
from server.rooms.options import flat, read_options
from server.rooms.room import Keep, Room
from server.rooms.state import RoomState
from server.rooms.transitions import at_its_time
from server.settings import Pace

START = 1_764_480_000_000
ADMIN = b"admin".ljust(32)
KEEP = Keep(timeouts_to_serve=3, undo_limit=20)


def holder(seat: int) -> bytes:
    """The hash of a seat's token."""
    return f"seat {seat}".encode().ljust(32)


class Journal:
    """A room, and its entries one by one."""

    def __init__(self, game: str = "toy", seats: int = 2, *, take: int | None = None, **options: Any) -> None:
        """`take`: how many seats are taken at the start; all, unless it says otherwise."""
        engine = latest(game)
        assert engine is not None
        asked = flat(*read_options(engine, options))
        created = Created(FORMAT, game, engine.rules, asked, seats, False, b"seed".ljust(32), ADMIN)
        self.now = START
        self.entries = [Recorded(1, f"{1:016x}", START, created)]
        self.room = Room.begin(RoomId("K7QF2M"), self.entries[0], KEEP)
        for seat in range(seats if take is None else take):
            self.do(TakeSeat(holder(seat), None, "human"))

    @property
    def state(self) -> RoomState:
        return self.room.state

    @property
    def seq(self) -> int:
        return self.room.head.seq

    def do(self, intent: AnyIntent, later: int = 1000) -> Change:
        """Carry the intent out, `later` ms after the last entry."""
        proposal = self.room.decide(intent)
        self.now += later
        recorded = Recorded(self.seq + 1, f"{self.seq + 1:016x}", self.now, proposal.entry)
        self.entries.append(recorded)
        self._plan(recorded, proposal)
        return self.room.commit(recorded)

    def _plan(self, recorded: Recorded, proposal: Proposal) -> None:
        """What was planned for an earlier time is, once the store has given the entry its own, what it had to be."""
        planned = self.room.next_state(msgspec.structs.replace(recorded, at=self.state.head.at), proposal.outcome)
        found = at_its_time(self.room.rulebook, self.state, planned, recorded)
        assert found == self.room.next_state(recorded, proposal.outcome)

    def refusal(self, intent: AnyIntent) -> tuple[str, str]:
        """Code and text with which the intent is refused; nothing may have changed."""
        before = self.state
        try:
            self.room.decide(intent)
        except ProtocolError as error:
            assert self.state is before
            return error.code.value, error.message
        raise AssertionError(f"not refused: {intent}")

    def already(self, intent: AnyIntent) -> int:
        """The seq of the entry that did it before."""
        try:
            self.room.decide(intent)
        except Already as already:
            return already.seq
        raise AssertionError(f"not done before: {intent}")

    def play(self, seat: int, kind: str, *, later: int = 1000, key: str | None = None, **fields: Any) -> Change:
        """The seat plays an action, decided on at the last entry."""
        return self.do(Play(holder(seat), {"type": kind, **fields}, self.seq, key), later)

    def undo(self, seat: int, of: int | None = None, key: str | None = None) -> Change:
        """The seat takes back the entry `of`, else the last."""
        return self.do(TakeBack(holder(seat), self.seq if of is None else of, key, self.now))

    def resign(self, seat: int) -> Change:
        return self.do(GiveUp(holder(seat), None))

    def back(self, seat: int, key: str | None = None) -> Change:
        return self.do(ComeBack(holder(seat), key))

    def vacate(self, seat: int) -> Change:
        return self.do(Vacate(holder(seat), seat))

    def chore(self, pace: Pace | None = None) -> Chore:
        """What the room needs done by itself next."""
        return next_chore(self.room.rulebook, self.state, pace or Pace())

    def hand(self, seat: int) -> list[int]:
        """The cards of a seat of the toy game."""
        return list(msgspec.to_builtins(self.room.documents().private[seat])["hand"])

    def again(self) -> Room:
        """The room as anybody finds it in the journal."""
        room = Room.begin(RoomId("K7QF2M"), self.entries[0], KEEP)
        for recorded in self.entries[1:]:
            room.advance(recorded)
        return room
