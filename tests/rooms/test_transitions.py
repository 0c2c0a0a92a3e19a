"""What entries make of a room: what can be undone and what bars it, who is served, keys; and that a replay agrees."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from server.engines import ENGINES
from server.rooms.entries import Acted, BrokenJournal, Recorded, TimedOut, Undone
from server.rooms.intents import (
    Abandon,
    ComeBack,
    GiveBack,
    GiveUp,
    MakeInvite,
    Play,
    PlayFor,
    TakeBack,
)
from server.rooms.keys import Keys
from server.rooms.room import Room
from server.rooms.saved import restore, save
from tests.rooms.journal import KEEP, Journal, holder

UNDOS = KEEP.undo_limit

pytestmark = pytest.mark.usefixtures("toy")


def card(journal: Journal, seat: int = 0) -> dict[str, Any]:
    return {"cards": journal.hand(seat)[:1], "loud": False}


def cannot_undo(journal: Journal, seat: int, of: int) -> str:
    code, message = journal.refusal(TakeBack(holder(seat), of, None, 0))
    assert code == "cannot_undo"
    return message


def test_undo_restores_the_position_and_begins_the_decision_anew() -> None:
    journal = Journal()
    before = journal.state.position
    journal.play(0, "play", **card(journal))
    change = journal.undo(0)
    assert isinstance(change.recorded.entry, Undone)
    assert journal.state.position is before
    assert change.fresh == (0,)
    assert change.events(None) == [{"kind": "undo", "seat": 0, "of": 4}]
    assert journal.seq == 5


def test_several_actions_are_undone_one_by_one_the_last_first() -> None:
    journal = Journal()
    positions = []
    for _ in range(2):
        positions.append(journal.state.position)
        journal.play(0, "play", **card(journal))
    assert "last" in cannot_undo(journal, 0, 4)
    journal.undo(0, of=5)
    assert journal.state.position is positions[1]
    journal.undo(0, of=4)
    assert journal.state.position is positions[0]
    cannot_undo(journal, 0, 4)


@pytest.mark.parametrize("seq", [0, 1, 3, 5, 2**53 - 1])
def test_only_the_last_own_action_is_named(seq: int) -> None:
    journal = Journal()
    journal.play(0, "play", **card(journal))
    cannot_undo(journal, 0, seq)
    cannot_undo(journal, 1, 4)


def roll(journal: Journal) -> None:
    journal.play(0, "roll", dice=1, aim="low")


def draw(journal: Journal) -> None:
    journal.play(0, "draw")


def time_out(journal: Journal) -> None:
    journal.do(PlayFor(0, journal.seq, 0))


def other_acts(journal: Journal) -> None:
    journal.play(0, "pass")
    journal.play(1, "play", **card(journal, 1))


def pause(journal: Journal) -> None:
    journal.do(GiveBack(journal.now, journal.now + 5000))


def other_resigns(journal: Journal) -> None:
    journal.resign(1)


def other_leaves(journal: Journal) -> None:
    journal.vacate(1)


def invite(journal: Journal) -> None:
    journal.do(MakeInvite(holder(0), b"i" * 32))


BARRIERS = (roll, draw, time_out, other_acts, pause, other_resigns, other_leaves, invite)


@pytest.mark.parametrize("bar", BARRIERS, ids=lambda bar: bar.__name__)
def test_nobody_undoes_past_it(bar: Any) -> None:
    journal = Journal(clock={"bank": 60_000, "per_turn": 1000})
    journal.play(0, "play", **card(journal))
    played = journal.seq
    bar(journal)
    cannot_undo(journal, 0, played)
    cannot_undo(journal, 0, journal.seq)
    assert len(journal.state.takebacks) <= 1


def test_a_resigned_seat_does_not_undo() -> None:
    journal = Journal()
    journal.play(0, "play", **card(journal))
    journal.resign(0)
    assert journal.refusal(TakeBack(holder(0), 4, None, 0))[0] == "forbidden"


def test_ones_own_return_is_no_barrier_for_oneself() -> None:
    journal = served(0)
    journal.play(0, "play", **card(journal))
    played = journal.seq
    journal.back(0)
    journal.undo(0, of=played)


def test_the_return_of_another_is_a_barrier() -> None:
    journal = served(1)
    journal.do(PlayFor(1, journal.state.clocks.decisions[0].since, 0))
    journal.play(0, "play", **card(journal))
    played = journal.seq
    journal.back(1)
    cannot_undo(journal, 0, played)


def served(seat: int) -> Journal:
    """A room in which the seat has just been served for time-outs, and decides."""
    journal = Journal(bids=False, rounds=5)
    while True:
        decision = journal.state.clocks.decisions[0]
        taken = journal.state.seats[seat]
        assert taken is not None
        if taken.served and decision.seat == seat:
            return journal
        if decision.seat == seat:
            journal.do(PlayFor(seat, decision.since, 0))
        else:
            journal.play(decision.seat, "pass")


def test_so_many_undos_and_no_more_until_something_can_not_be_undone() -> None:
    journal = Journal()
    for _ in range(UNDOS):
        journal.play(0, "play", **card(journal))
        journal.undo(0)
    journal.play(0, "play", **card(journal))
    assert str(UNDOS) in cannot_undo(journal, 0, journal.seq)
    journal.play(0, "play", **card(journal))
    assert str(UNDOS) in cannot_undo(journal, 0, journal.seq)
    journal.play(0, "roll", dice=1, aim="low")
    journal.play(1, "play", **card(journal, 1))
    journal.undo(1)
    assert journal.state.undos == 1


def test_a_choice_made_at_once_with_others_is_undone_until_another_chose_or_all_have() -> None:
    journal = Journal(seats=3)
    for seat in range(3):
        journal.play(seat, "pass")
    journal.play(1, "bid", card=journal.hand(1)[0])
    change = journal.undo(1)
    assert change.fresh == (1,)
    journal.play(1, "bid", card=journal.hand(1)[0])
    first = journal.seq
    journal.play(2, "bid", card=journal.hand(2)[0])
    cannot_undo(journal, 1, first)
    journal.undo(2)
    cannot_undo(journal, 1, first)
    journal.play(2, "bid", card=journal.hand(2)[0])
    journal.play(0, "bid", card=journal.hand(0)[0])
    assert journal.state.takebacks == ()


def test_nothing_is_undone_after_the_end() -> None:
    journal = Journal(bids=False)
    while journal.state.clocks.decisions:
        journal.play(journal.state.clocks.decisions[0].seat, "pass")
    assert journal.refusal(TakeBack(holder(1), journal.seq, None, 0))[0] == "game_over"
    assert journal.state.takebacks == ()
    result = journal.room.documents().public["result"]
    assert result["reason"] == "rounds"  # type: ignore[index, call-overload]


def test_three_time_outs_in_a_row_and_the_seat_is_served_until_it_is_back() -> None:
    journal = served(0)
    kinds = [type(entry.entry) for entry in journal.entries if getattr(entry.entry, "seat", None) == 0]
    assert kinds[-3:] == [TimedOut] * 3
    journal.back(0)
    seat = journal.state.seats[0]
    assert seat is not None
    assert (seat.served, seat.timeouts) == (False, 0)
    assert journal.already(ComeBack(holder(0), None)) == journal.seq


def test_an_action_ends_the_row_of_time_outs() -> None:
    journal = Journal(bids=False, rounds=5)
    for number in range(5):
        for seat in (0, 1):
            decision = journal.state.clocks.decisions[0]
            if seat == 0 and number != 2:
                journal.do(PlayFor(0, decision.since, 0))
            else:
                journal.play(seat, "pass")
        taken = journal.state.seats[0]
        assert taken is not None
        assert (taken.timeouts, taken.served) == ([1, 2, 0, 1, 2][number], False)


def test_resigned_seats_rank_behind_all_others_in_the_order_of_the_game() -> None:
    journal = Journal(seats=4, bids=False)
    for seat, plays in ((0, 2), (1, 1), (2, 0), (3, 1)):
        for _ in range(plays):
            journal.play(seat, "play", **card(journal, seat))
        journal.play(seat, "pass")
    journal.resign(0)
    journal.resign(1)
    while journal.state.clocks.decisions:
        decision = journal.state.clocks.decisions[0]
        journal.do(PlayFor(decision.seat, decision.since, 0))
    result: Any = journal.room.documents().public["result"]
    assert result["scores"] == [2, 1, 0, 1]
    assert result["ranks"] == [3, 4, 2, 1]


# Keys.


def test_a_key_gives_its_first_ok_again_and_only_to_its_holder() -> None:
    journal = Journal()
    fields = card(journal)
    action = {"type": "play", **fields}
    journal.play(0, "play", key="k", **fields)
    assert journal.already(Play(holder(0), action, 0, "k")) == 4
    assert journal.already(Play(holder(0), action, 2**53 - 1, "k")) == 4
    for other in (
        Play(holder(0), {"type": "pass"}, 4, "k"),
        Play(holder(0), {**action, "loud": True}, 4, "k"),
        Play(holder(0), {"type": "nothing"}, 4, "k"),
        TakeBack(holder(0), 4, "k", 0),
        GiveUp(holder(0), "k"),
        ComeBack(holder(0), "k"),
    ):
        assert journal.refusal(other)[0] == "key_reused"
    assert journal.refusal(Play(holder(1), action, 4, "k"))[0] == "not_your_turn"


def test_keys_of_all_kinds_outlive_the_game_and_the_memory() -> None:
    journal = Journal()
    fields = card(journal)
    journal.play(0, "play", key="play", **fields)
    journal.undo(0, key="undo")
    journal.do(GiveUp(holder(1), "resign"))
    journal.do(Abandon("idle", journal.seq))
    saved = save(journal.room)
    keys = Keys()
    for entry in journal.entries:
        keys.note(entry)
    for room in (journal.room, journal.again(), restore(saved, KEEP, keys)):
        assert room is not None
        journal.room = room
        assert journal.already(Play(holder(0), {"type": "play", **fields}, 3, "play")) == 4
        assert journal.already(TakeBack(holder(0), 4, "undo", 0)) == 5
        assert journal.already(GiveUp(holder(1), "resign")) == 6
        assert journal.refusal(TakeBack(holder(0), 5, "undo", 0))[0] == "key_reused"
        assert journal.refusal(GiveUp(holder(0), "undo"))[0] == "key_reused"
        assert journal.refusal(GiveUp(holder(0), "new"))[0] == "game_over"


def test_a_refusal_is_not_remembered() -> None:
    journal = Journal()
    assert journal.refusal(Play(holder(1), {"type": "pass"}, 3, "k"))[0] == "not_your_turn"
    journal.play(0, "pass")
    journal.play(1, "pass", key="k")
    assert isinstance(journal.entries[-1].entry, Acted)


def test_an_action_may_be_written_in_another_way_under_its_key() -> None:
    """As it came first it was a tuple in the engine; sent again, or read from the journal, it is a list."""
    journal = Journal()
    cards = journal.hand(0)[:2]
    journal.play(0, "play", key="k", cards=cards, loud=False)
    assert journal.already(Play(holder(0), {"loud": False, "cards": list(cards), "type": "play"}, 3, "k")) == 4


# A replay, and journals that can't be.


def test_a_journal_leads_to_the_same_state_again() -> None:
    random = Random(8)
    for seed in range(4):
        journal = Journal(seats=2 + seed % 2, clock={"bank": 500_000, "per_turn": 1000})
        while journal.state.clocks.decisions:
            decision = random.choice(journal.state.clocks.decisions)
            if random.random() < 0.2:
                journal.do(PlayFor(decision.seat, decision.since, 0), random.randrange(3000))
                continue
            action = random.choice(journal.room.legal_actions(decision.seat))
            fields = {name: getattr(action, name) for name in action.__struct_fields__}
            kind = str(type(action).__struct_config__.tag)
            journal.play(decision.seat, kind, later=random.randrange(3000), key=f"{journal.seq}", **fields)
            if random.random() < 0.3 and journal.state.takebacks:
                journal.undo(decision.seat)
        again = journal.again()
        assert again.state == journal.state
        assert again.documents() == journal.room.documents()
        assert again.keys == journal.room.keys
        for place, recorded in enumerate(journal.entries):
            entry = recorded.entry
            if isinstance(entry, Acted) and entry.key:
                asked = Play(holder(entry.seat), entry.action, 0, entry.key)
                journal.room = again
                assert journal.already(asked) == place + 1


def changed(recorded: Recorded, **fields: Any) -> Recorded:
    entry = recorded.entry
    values = {name: getattr(entry, name) for name in entry.__struct_fields__}
    return Recorded(recorded.seq, recorded.tag, recorded.at, type(entry)(**{**values, **fields}))


@pytest.mark.parametrize(
    ("number", "fields"),
    [
        (3, {"digest": b"another!"}),
        (3, {"words": 77}),
        (4, {"digest": b"another!"}),
        (4, {"words": 1}),
        (4, {"seat": 1}),
        (4, {"action": {"type": "roll", "dice": 2, "aim": "low"}}),
        (4, {"action": {"type": "bid", "card": 1}}),
        (4, {"action": {"type": "unheard-of"}}),
        (5, {"of": 3}),
    ],
)
def test_a_journal_that_leads_elsewhere_is_noticed(number: int, fields: dict[str, Any]) -> None:
    journal = Journal()
    journal.play(0, "play", **card(journal))
    journal.undo(0)
    journal.entries[number - 1] = changed(journal.entries[number - 1], **fields)
    with pytest.raises(BrokenJournal):
        journal.again()


def test_an_entry_out_of_place_is_noticed() -> None:
    journal = Journal()
    journal.play(0, "pass")
    for entries in (journal.entries[:2] + journal.entries[3:], [*journal.entries, journal.entries[0]]):
        other = Journal()
        other.entries = entries
        with pytest.raises(BrokenJournal):
            other.again()
    with pytest.raises(BrokenJournal):
        Room.begin(journal.room.state.id, journal.entries[1], KEEP)


def test_the_games_of_the_house_are_all_here() -> None:
    assert {name for name, _ in ENGINES} >= {"dragonwood", "islet", "burano", "bretagne", "toy"}
