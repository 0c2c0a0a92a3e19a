"""What a room needs done by itself, and when: time-outs, served seats, offers that nobody took, the end of idle rooms.

Whichever node looks first does it; the journal's compare-and-set keeps it from being done twice.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from server.rooms.clocks import deadline
from server.rooms.intents import Abandon, AnyIntent, PlayFor, SeatServer
from server.rooms.state import Kind, RoomState, Status
from server.rooms.transitions import Rulebook
from server.settings import Pace


class Task(StrEnum):
    """What is to be done. INTENT: carry an intent out. ATTENDED: see whether anybody is attached to an open room."""

    INTENT = "intent"
    ATTENDED = "attended"
    COMPACT = "compact"
    FORGET = "forget"


class Chore(msgspec.Struct, frozen=True):
    """One thing to do at the moment `at` (ms of store time)."""

    at: int
    task: Task
    intent: AnyIntent | None = None


def next_chore(rulebook: Rulebook, state: RoomState, pace: Pace, *, compacted: bool = False) -> Chore:
    """The first thing that the room needs done if nothing else happens; `compacted`: that was done already."""
    if state.head.seq >= pace.max_entries and not state.ended:
        return Chore(state.head.at, Task.INTENT, Abandon("too_long", state.head.seq))
    if state.status is Status.PLAYING:
        return _of_a_game(rulebook, state, pace)
    if state.status is Status.OPEN:
        return _of_an_open_room(state, pace)
    compact, forget = state.head.at + pace.compact_after, state.head.at + pace.finished_ttl
    return Chore(compact, Task.COMPACT) if compact < forget and not compacted else Chore(forget, Task.FORGET)


def _of_an_open_room(state: RoomState, pace: Pace) -> Chore:
    found = Chore(state.head.at + pace.open_ttl, Task.ATTENDED)
    for number, offer in enumerate(state.offers):
        if offer is not None and offer.at + pace.bot_wait < found.at:
            found = Chore(offer.at + pace.bot_wait, Task.INTENT, SeatServer(number))
    return found


def _of_a_game(rulebook: Rulebook, state: RoomState, pace: Pace) -> Chore:
    head, clock = state.head, rulebook.shared.clock
    if _all_served(state):
        return Chore(head.at, Task.INTENT, Abandon("all_served", head.seq))
    at, late = head.at + pace.idle_ttl, None
    for decision in state.clocks.decisions:
        seat = state.seats[decision.seat]
        if seat is not None and seat.served:
            ends = decision.started + pace.served_pace
        elif clock is not None:
            ends = deadline(clock, state.clocks, decision) + pace.grace
        else:
            continue
        if ends < at:
            at, late = ends, decision
    if late is None:
        return Chore(at, Task.INTENT, Abandon("idle", head.seq))
    return Chore(at, Task.INTENT, PlayFor(late.seat, late.since, at))


def _all_served(state: RoomState) -> bool:
    """Whether nobody of those who are no bots plays any more."""
    people = False
    for seat in state.seats:
        if seat is not None and seat.kind is not Kind.BOT:
            if not seat.served:
                return False
            people = True
    return people
