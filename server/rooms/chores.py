"""What a room needs done by itself, and when: time-outs, served seats, offers that nobody took, the end of idle rooms.

Whichever node looks first does it; the journal's compare-and-set keeps it from being done twice.
"""

from __future__ import annotations

from collections.abc import Iterator
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


def next_chore(rulebook: Rulebook, state: RoomState, pace: Pace) -> Chore:
    """The first thing that the room needs done if nothing else happens."""
    return min(_chores(rulebook, state, pace), key=lambda chore: chore.at)


def _chores(rulebook: Rulebook, state: RoomState, pace: Pace) -> Iterator[Chore]:
    head = state.head
    if state.status is Status.OPEN:
        yield Chore(head.at + pace.open_ttl, Task.ATTENDED)
        for number, offer in enumerate(state.offers):
            if offer is not None:
                yield Chore(offer.at + pace.bot_wait, Task.INTENT, SeatServer(number))
    elif state.status is Status.PLAYING:
        yield Chore(head.at + pace.idle_ttl, Task.INTENT, Abandon("idle", head.seq))
        if head.seq >= pace.max_entries:
            yield Chore(head.at, Task.INTENT, Abandon("too_long", head.seq))
        if _all_served(state):
            yield Chore(head.at, Task.INTENT, Abandon("all_served", head.seq))
        yield from _time_outs(rulebook, state, pace)
    else:
        yield Chore(head.at + pace.compact_after, Task.COMPACT)
        yield Chore(head.at + pace.finished_ttl, Task.FORGET)


def _all_served(state: RoomState) -> bool:
    people = [seat for seat in state.seats if seat is not None and seat.kind is not Kind.BOT]
    return bool(people) and all(seat.served for seat in people)


def _time_outs(rulebook: Rulebook, state: RoomState, pace: Pace) -> Iterator[Chore]:
    clock = rulebook.shared.clock
    for decision in state.clocks.decisions:
        seat = state.seats[decision.seat]
        if seat is not None and seat.served:
            at = decision.started + pace.served_pace
        elif clock is not None:
            at = deadline(clock, state.clocks, decision) + pace.grace
        else:
            continue
        yield Chore(at, Task.INTENT, PlayFor(decision.seat, decision.since, at))
