"""Who has to decide since when, and how long they may think: protocol section 6.

Times are store time in ms. A decision first uses `per_turn`, then the seat's bank; a bank is charged when the decision
ends. Nothing here looks at a clock: everything follows from the times of the entries.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from protocol.messages import Clock


class Decision(msgspec.Struct, frozen=True):
    """One seat's present decision: the entry at which it began, and the moment from which its time runs."""

    seat: int
    since: int
    started: int


class Clocks(msgspec.Struct, frozen=True):
    """All present decisions (seats ascending), banks as of their starts, and when the turn last changed."""

    banks: tuple[int, ...] = ()
    decisions: tuple[Decision, ...] = ()
    at: int = 0

    def of(self, seat: int) -> Decision | None:
        """The seat's present decision."""
        for decision in self.decisions:
            if decision.seat == seat:
                return decision
        return None


def overdraft(clock: Clock, decision: Decision, at: int) -> int:
    """How much of the bank the decision has used by the moment `at`."""
    return max(0, at - decision.started - clock.per_turn)


def deadline(clock: Clock, clocks: Clocks, decision: Decision) -> int:
    """The moment at which the decision's time has run out."""
    return decision.started + clock.per_turn + clocks.banks[decision.seat]


def banks_at(clock: Clock, clocks: Clocks, at: int) -> tuple[int, ...]:
    """What is left in every bank at the moment `at`."""
    banks = list(clocks.banks)
    for decision in clocks.decisions:
        banks[decision.seat] = max(0, banks[decision.seat] - overdraft(clock, decision, at))
    return tuple(banks)


def decide_anew(
    clock: Clock | None, clocks: Clocks, seats: Iterable[int], fresh: frozenset[int], entry: tuple[int, int]
) -> Clocks:
    """The clocks after the entry (`seq`, `at`): `seats` decide now, those in `fresh` begin a new decision.

    The very same object if nothing changed.
    """
    seq, at = entry
    before = {d.seat: d for d in clocks.decisions}
    decisions = tuple(
        before[seat] if seat in before and seat not in fresh else Decision(seat, seq, at) for seat in seats
    )
    if decisions == clocks.decisions:
        return clocks
    banks = list(clocks.banks)
    if clock is not None:
        for seat, decision in before.items():
            if decision not in decisions:
                banks[seat] = max(0, banks[seat] - overdraft(clock, decision, at))
    return Clocks(tuple(banks), decisions, at)


def retimed(clock: Clock | None, before: Clocks, planned: Clocks, entry: tuple[int, int]) -> Clocks:
    """The clocks that were planned after the entry (`seq`, `at`), now that it came at another time than planned."""
    if planned is before:
        return before
    begun = before if before.banks else Clocks(planned.banks)
    fresh = frozenset(decision.seat for decision in planned.decisions if decision.since == entry[0])
    return decide_anew(clock, begun, [decision.seat for decision in planned.decisions], fresh, entry)


def used_by(clocks: Clocks, seat: int, at: int) -> int:
    """How long the seat's present decision has taken by the moment `at`; 0 if it has none."""
    decision = clocks.of(seat)
    return 0 if decision is None else at - decision.started


def go_on(clocks: Clocks, seat: int, used: int, bank: int) -> Clocks:
    """The clocks with a seat's decision, which begins at their time, as if it had taken `used` ms from this bank."""
    banks = (*clocks.banks[:seat], bank, *clocks.banks[seat + 1 :])
    begun = [Decision(d.seat, d.since, clocks.at - used) if d.seat == seat else d for d in clocks.decisions]
    return Clocks(banks, tuple(begun), clocks.at)


def give_back(clocks: Clocks, ms: int, at: int) -> Clocks:
    """The clocks after a pause of `ms`: every running decision began that much later."""
    decisions = tuple(Decision(d.seat, d.since, d.started + ms) for d in clocks.decisions)
    return Clocks(clocks.banks, decisions, at)
