"""Deadlines, banks and pauses follow from the times of the entries: protocol section 6."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import Clock
from server.rooms.clocks import Clocks, Decision, banks_at, deadline, decide_anew, give_back, overdraft
from server.rooms.intents import GiveBack, PlayFor, TakeBack
from tests.rooms.journal import START, Journal, holder

CLOCK = Clock(bank=10_000, per_turn=3000)
NONE: frozenset[int] = frozenset()


def running(*decisions: Decision, banks: tuple[int, ...] = (10_000, 10_000)) -> Clocks:
    return Clocks(banks, decisions, 0)


def test_per_turn_is_used_first_and_then_the_bank() -> None:
    decision = Decision(0, 5, 1000)
    assert [overdraft(CLOCK, decision, at) for at in (0, 1000, 4000, 4001, 9000)] == [0, 0, 0, 1, 5000]
    clocks = running(decision)
    assert deadline(CLOCK, clocks, decision) == 1000 + 3000 + 10_000
    assert banks_at(CLOCK, clocks, 4000) == (10_000, 10_000)
    assert banks_at(CLOCK, clocks, 6500) == (7500, 10_000)
    assert banks_at(CLOCK, clocks, 99_000) == (0, 10_000)


def test_a_bank_is_charged_when_the_decision_ends() -> None:
    clocks = running(Decision(0, 5, 1000))
    after = decide_anew(CLOCK, clocks, (1,), frozenset({1}), (6, 8000))
    assert after == Clocks((6000, 10_000), (Decision(1, 6, 8000),), 8000)


def test_a_decision_that_goes_on_keeps_its_start_and_the_clocks_are_the_same_object() -> None:
    clocks = running(Decision(0, 5, 1000), Decision(1, 5, 1000))
    assert decide_anew(CLOCK, clocks, (0, 1), NONE, (6, 8000)) is clocks
    after = decide_anew(CLOCK, clocks, (1,), NONE, (6, 8000))
    assert after.decisions == (Decision(1, 5, 1000),)
    assert after.banks == (6000, 10_000)
    assert after.at == 8000


def test_a_seat_that_decides_again_begins_anew_and_pays_for_the_last() -> None:
    clocks = running(Decision(0, 5, 1000))
    after = decide_anew(CLOCK, clocks, (0,), frozenset({0}), (6, 5000))
    assert after == Clocks((9000, 10_000), (Decision(0, 6, 5000),), 5000)


def test_without_a_clock_nothing_is_charged() -> None:
    after = decide_anew(None, running(Decision(0, 5, 1000), banks=(0, 0)), (1,), frozenset({1}), (6, 10**9))
    assert after.banks == (0, 0)


def test_a_pause_moves_every_running_decision() -> None:
    clocks = running(Decision(0, 5, 1000), Decision(1, 4, 500))
    paused = give_back(clocks, 700, 2000)
    assert paused == Clocks(clocks.banks, (Decision(0, 5, 1700), Decision(1, 4, 1200)), 2000)
    assert deadline(CLOCK, paused, paused.decisions[0]) == deadline(CLOCK, clocks, clocks.decisions[0]) + 700


@given(st.lists(st.tuples(st.integers(0, 20_000), st.booleans()), max_size=12))
def test_time_is_neither_made_nor_lost(moves: list[tuple[int, bool]]) -> None:
    """Over any number of decisions of two seats in turn, each bank has what its overdrafts left of it."""
    clocks, at, used, seat = Clocks((50_000, 50_000), (Decision(0, 1, 0),), 0), 0, [0, 0], 0
    for number, (ms, paused) in enumerate(moves):
        at += ms
        if paused:
            clocks = give_back(clocks, ms, at)
        else:
            used[seat] += max(0, ms - CLOCK.per_turn)
        pending = overdraft(CLOCK, clocks.decisions[0], at)
        assert pending <= max(0, at)
        clocks = decide_anew(CLOCK, clocks, (1 - seat,), frozenset({1 - seat}), (number + 2, at))
        seat = 1 - seat
    assert list(clocks.banks) == [max(0, 50_000 - each) for each in used]


def shown(journal: Journal) -> Any:
    return journal.room.documents().public["turn"]


def test_the_document_shows_deadlines_banks_and_since_when(toy: object) -> None:
    journal = Journal(clock={"bank": 10_000, "per_turn": 3000})
    begun = START + 2000
    assert shown(journal)["clock"] == {"at": begun, "deadlines": [begun + 13_000], "banks": [10_000, 10_000]}
    assert shown(journal)["since"] == [3]
    journal.play(0, "pass", later=5000)
    assert shown(journal)["clock"] == {
        "at": begun + 5000,
        "deadlines": [begun + 5000 + 13_000],
        "banks": [8000, 10_000],
    }
    assert (shown(journal)["seats"], shown(journal)["since"]) == ([1], [4])


def test_whoever_decides_at_once_has_a_deadline_each(toy: object) -> None:
    journal = Journal(clock={"bank": 10_000, "per_turn": 3000})
    journal.play(0, "pass")
    journal.play(1, "pass", later=4000)
    begun = journal.now
    assert (shown(journal)["seats"], shown(journal)["since"]) == ([0, 1], [5, 5])
    assert shown(journal)["clock"]["deadlines"] == [begun + 13_000, begun + 12_000]
    journal.play(1, "bid", card=journal.hand(1)[0], later=6000)
    assert (shown(journal)["seats"], shown(journal)["since"]) == ([0], [5])
    assert shown(journal)["clock"] == {"at": begun + 6000, "deadlines": [begun + 13_000], "banks": [7000, 6000]}


def put_down(journal: Journal, later: int) -> None:
    """Seat 0 plays a card, so long after the last entry, and decides on."""
    journal.play(0, "play", cards=journal.hand(0)[:1], loud=False, later=later)


def test_after_an_undo_the_decision_goes_on_with_what_its_seat_has_used(toy: object) -> None:
    journal = Journal(clock={"bank": 10_000, "per_turn": 3000})
    begun = journal.now
    put_down(journal, 5000)
    assert shown(journal)["clock"]["banks"] == [8000, 10_000]
    journal.undo(0)
    assert shown(journal)["since"] == [5]
    assert shown(journal)["clock"] == {"at": begun + 6000, "deadlines": [begun + 13_000], "banks": [7000, 10_000]}
    put_down(journal, 1000)
    put_down(journal, 4000)
    assert shown(journal)["clock"]["banks"] == [5000, 10_000], "4000 of the first decision's, 1000 of the second's"
    journal.undo(0, of=7)
    journal.undo(0, of=6)
    assert shown(journal)["clock"]["deadlines"] == [begun + 13_000]


def test_undos_stop_no_clock(toy: object) -> None:
    journal = Journal(clock={"bank": 0, "per_turn": 6000})
    begun = journal.now
    for _ in range(2):
        put_down(journal, 1500)
        journal.undo(0)
        assert shown(journal)["clock"]["deadlines"] == [begun + 6000]
    put_down(journal, 500)
    journal.now += 499
    assert journal.room.decide(TakeBack(holder(0), journal.seq, None, journal.now))
    code, message = journal.refusal(TakeBack(holder(0), journal.seq, None, journal.now + 1))
    assert (code, "no time" in message) == ("cannot_undo", True)


def test_what_others_think_meanwhile_is_not_the_undoing_seats_time(toy: object) -> None:
    journal = Journal(seats=3, clock={"bank": 0, "per_turn": 6000})
    journal.play(0, "pass")
    journal.play(1, "pass")
    journal.play(2, "pass")
    begun = journal.now
    journal.play(1, "bid", card=journal.hand(1)[0], later=4000)
    assert [decision.seat for decision in journal.state.clocks.decisions] == [0, 2]
    journal.now += 1500
    journal.undo(1)
    clock, at = shown(journal)["clock"], begun + 4000 + 1500 + 1000
    assert clock["deadlines"] == [begun + 6000, at + 2000, begun + 6000]


@pytest.mark.parametrize(("start", "end", "ms"), [(0, 8000, 8000), (-5000, 8000, 8000), (3000, 8000, 5000)])
def test_only_what_lies_after_the_last_entry_is_given_back(toy: object, start: int, end: int, ms: int) -> None:
    journal = Journal(clock={"bank": 10_000, "per_turn": 3000})
    before = shown(journal)["clock"]["deadlines"]
    change = journal.do(GiveBack(journal.now + start, journal.now + end), later=end)
    assert change.recorded.entry.ms == ms  # type: ignore[union-attr]
    assert shown(journal)["clock"]["deadlines"] == [before[0] + ms]
    assert shown(journal)["since"] == [3]


def test_nothing_is_given_back_where_no_clock_runs_or_hardly_anything_was_lost(toy: object) -> None:
    for journal in (Journal(), Journal(take=1, clock={"bank": 1, "per_turn": 1})):
        journal.already(GiveBack(journal.now, journal.now + 60_000))
    journal = Journal(clock={"bank": 10_000, "per_turn": 3000})
    journal.already(GiveBack(journal.now, journal.now + 999))
    journal.already(GiveBack(journal.now - 9000, journal.now))


def test_the_server_plays_only_for_the_decision_that_ran_out(toy: object) -> None:
    journal = Journal(clock={"bank": 0, "per_turn": 3000})
    journal.already(PlayFor(1, 3, 0))
    journal.already(PlayFor(0, 2, 0))
    change = journal.do(PlayFor(0, 3, 0))
    assert change.events(None)[0] == {"kind": "timeout", "seat": 0}
    journal.already(PlayFor(0, 3, 0))
