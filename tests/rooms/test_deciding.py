"""Who may do what, and when; and which refusal comes first when several would fit."""

from __future__ import annotations

from typing import Any

import pytest

from server.rooms.deciding import MAX_INVITES
from server.rooms.entries import Acted, Invited, Offered, Seated
from server.rooms.intents import (
    Abandon,
    AnyIntent,
    ComeBack,
    GiveUp,
    MakeInvite,
    OfferSeat,
    Play,
    SeatServer,
    TakeBack,
    TakeSeat,
    Vacate,
)
from server.rooms.state import Kind
from tests.rooms.journal import ADMIN, Journal, holder

STRANGER = b"stranger".ljust(32)
INVITE = b"invite".ljust(32)
PASS: dict[str, Any] = {"type": "pass"}

pytestmark = pytest.mark.usefixtures("toy")


def sit(number: int, **more: Any) -> TakeSeat:
    return TakeSeat(holder(number), more.pop("name", None), more.pop("kind", "human"), **more)


def wants(by: bytes, seq: int = 3) -> list[AnyIntent]:
    """Everything that a seat may want of a running game."""
    return [Play(by, PASS, seq, None), TakeBack(by, seq, None, 0), GiveUp(by, None), ComeBack(by, None)]


def over() -> Journal:
    journal = Journal()
    journal.do(Abandon("idle", journal.seq))
    return journal


def test_the_state_of_the_game_is_told_before_anything_else() -> None:
    for intent in (*wants(holder(0)), *wants(STRANGER)):
        assert Journal(take=1).refusal(intent)[0] == "not_started"
        assert over().refusal(intent)[0] == "game_over"


def test_a_token_that_holds_nothing_and_one_that_was_given_up() -> None:
    journal = Journal()
    journal.vacate(1)
    for intent in wants(STRANGER):
        assert journal.refusal(intent)[0] == "unauthorized"
    for intent in wants(holder(1)):
        assert journal.refusal(intent)[0] == "revoked"


def test_a_seat_that_resigned_does_nothing_more() -> None:
    journal = Journal()
    journal.resign(0)
    for intent in wants(holder(0)):
        assert journal.refusal(intent) == ("forbidden", "this seat has resigned")


@pytest.mark.parametrize(
    ("seat", "seq", "action", "code"),
    [
        (1, 99, {"type": "nothing"}, "bad_message"),
        (1, 99, PASS, "not_your_turn"),
        (0, 99, {"type": "bid", "card": 1}, "stale"),
        (0, 2, {"type": "bid", "card": 1}, "stale"),
        (0, 3, {"type": "bid", "card": 1}, "illegal_action"),
        (0, 3, {"type": "bid"}, "bad_message"),
        (0, 3, {"type": "bid", "card": "x"}, "bad_message"),
        (0, 3, {"type": "bid", "card": 1, "y": 2}, "bad_message"),
        (0, 3, {}, "bad_message"),
    ],
)
def test_shape_turn_seq_and_rules_in_this_order(seat: int, seq: int, action: Any, code: str) -> None:
    assert Journal().refusal(Play(holder(seat), action, seq, None))[0] == code


def test_an_action_counts_for_as_long_as_the_decision_is_the_same() -> None:
    journal = Journal()
    for seat in (0, 1):
        journal.play(seat, "pass")
    begun = journal.seq
    journal.play(1, "bid", card=journal.hand(1)[0])
    change = journal.do(Play(holder(0), {"type": "bid", "card": journal.hand(0)[0]}, begun, None))
    assert isinstance(change.recorded.entry, Acted)
    assert journal.refusal(Play(holder(0), PASS, begun, None))[0] == "stale"


def test_free_seats_are_taken_in_order_by_anybody() -> None:
    journal = Journal(seats=3, take=0)
    assert journal.do(sit(7, seat=1)).recorded.entry.seat == 1  # type: ignore[union-attr]
    assert journal.do(sit(8)).recorded.entry.seat == 0  # type: ignore[union-attr]
    assert journal.already(sit(8, seat=2, name="Else")) == 3
    assert journal.refusal(sit(9, seat=1))[0] == "seat_taken"
    assert journal.refusal(sit(9, seat=3))[0] == "bad_message"
    assert journal.refusal(sit(9, seat=2, invite=INVITE))[0] == "bad_message"
    started = journal.do(sit(9))
    assert started.fresh == (0,)
    assert journal.refusal(sit(10))[0] == "room_full"


def test_names_are_unique_whatever_their_case() -> None:
    journal = Journal(seats=3, take=0)
    journal.do(sit(0, name="Straße"))
    assert journal.refusal(sit(1, name="STRASSE"))[0] == "name_taken"
    journal.do(sit(1, name="Seat 3"))
    change = journal.do(sit(2))
    assert isinstance(change.recorded.entry, Seated)
    assert change.recorded.entry.name == "Seat 3 (2)"


def test_a_seat_that_was_left_before_the_start_is_free_again_and_its_entropy_gone() -> None:
    journal = Journal(take=0)
    journal.do(sit(0, entropy=b"e" * 32))
    assert journal.room.documents().public["room"]["entropy"] == [(b"e" * 32).hex(), None]  # type: ignore[index, call-overload]
    journal.vacate(0)
    assert journal.room.documents().public["room"]["entropy"] == [None, None]  # type: ignore[index, call-overload]
    assert journal.refusal(sit(0))[0] == "revoked"
    journal.do(sit(1))
    assert journal.state.seats[0] is not None


def test_who_may_vacate_which_seat() -> None:
    journal = Journal(seats=3, take=2)
    assert journal.refusal(Vacate(STRANGER, 0))[0] == "unauthorized"
    assert journal.refusal(Vacate(holder(0), 1))[0] == "forbidden"
    assert journal.refusal(Vacate(holder(0), 9))[0] == "not_found"
    assert journal.refusal(Vacate(ADMIN, 2))[0] == "not_found"
    journal.do(Vacate(ADMIN, 0))
    assert journal.refusal(Vacate(holder(0), 0))[0] == "revoked"
    for number in (5, 6):
        journal.do(sit(number))
    assert journal.refusal(Vacate(ADMIN, 0))[0] == "forbidden"
    journal.do(Vacate(holder(5), 0))
    assert journal.state.seats[0] is not None
    assert journal.state.seats[0].kind is Kind.SERVER
    assert over().refusal(Vacate(holder(0), 0))[0] == "game_over"


def test_a_vacated_seat_is_taken_by_invite_and_only_once() -> None:
    journal = Journal()
    assert journal.refusal(MakeInvite(STRANGER, INVITE))[0] == "unauthorized"
    assert Journal(take=1).refusal(MakeInvite(holder(0), INVITE))[0] == "not_started"
    assert isinstance(journal.do(MakeInvite(holder(0), INVITE)).recorded.entry, Invited)
    assert journal.refusal(sit(5, invite=INVITE))[0] == "room_full"
    assert journal.refusal(sit(5, invite=INVITE, seat=1))[0] == "seat_taken"
    journal.vacate(1)
    assert journal.refusal(sit(5))[0] == "room_full"
    assert journal.refusal(sit(5, invite=STRANGER))[0] == "unauthorized"
    assert journal.refusal(sit(5, invite=INVITE, entropy=b"e" * 32))[0] == "bad_message"
    assert journal.refusal(sit(1, invite=INVITE))[0] == "revoked"
    journal.do(sit(5, invite=INVITE))
    seat = journal.state.seats[1]
    assert seat is not None
    assert (seat.kind, seat.served, seat.token) == (Kind.HUMAN, False, holder(5))
    journal.do(Vacate(holder(5), 1))
    assert journal.refusal(sit(6, invite=INVITE))[0] == "unauthorized"


def test_only_so_many_invites_are_open_at_a_time() -> None:
    journal = Journal()
    invites = [bytes([number]).ljust(32) for number in range(MAX_INVITES)]
    for invite in invites:
        journal.do(MakeInvite(holder(0), invite))
    assert journal.refusal(MakeInvite(ADMIN, INVITE))[0] == "rate_limited"
    journal.vacate(1)
    journal.do(sit(5, invite=invites[7]))
    journal.do(MakeInvite(ADMIN, INVITE))
    assert journal.refusal(MakeInvite(ADMIN, STRANGER))[0] == "rate_limited"


def test_a_seat_that_resigned_and_was_vacated_is_nobodys() -> None:
    journal = Journal()
    journal.resign(1)
    journal.vacate(1)
    journal.do(MakeInvite(ADMIN, INVITE))
    assert journal.refusal(sit(5, invite=INVITE, seat=1))[0] == "forbidden"
    assert journal.refusal(sit(5, invite=INVITE))[0] == "room_full"


def test_offered_seats_are_for_bot_hosts() -> None:
    journal = Journal(seats=3, take=1)
    assert journal.refusal(OfferSeat(STRANGER, "greedy"))[0] == "unauthorized"
    for seat in (1, 2):
        assert journal.do(OfferSeat(holder(0), "greedy")).recorded.entry == Offered(seat, "greedy")
    assert journal.refusal(OfferSeat(ADMIN, "greedy"))[0] == "room_full"
    assert journal.refusal(sit(5))[0] == "room_full"
    assert journal.refusal(sit(5, seat=1))[0] == "seat_taken"
    journal.do(sit(5, bot=True, kind="bot", seat=2))
    assert journal.refusal(sit(6, bot=True, kind="bot", seat=0))[0] == "seat_taken"
    change = journal.do(SeatServer(1))
    assert change.recorded.entry.token is None  # type: ignore[union-attr]
    seat = journal.state.seats[1]
    assert seat is not None
    assert (seat.kind, seat.served) == (Kind.BOT, True)
    assert journal.already(SeatServer(1)) == journal.seq
    assert journal.refusal(OfferSeat(holder(0), "greedy"))[0] == "room_full"


def test_back_of_a_seat_that_is_not_served_makes_no_entry() -> None:
    journal = Journal()
    assert journal.already(ComeBack(holder(1), "k")) == 3
    journal.vacate(0)
    assert journal.already(ComeBack(holder(1), "k")) == 4


def test_a_room_is_abandoned_only_where_nothing_happened_since() -> None:
    journal = Journal()
    journal.already(Abandon("idle", 2))
    journal.do(Abandon("idle", 3))
    journal.already(Abandon("idle", 4))
    document = journal.room.documents().public
    assert (document["room"]["status"], document["result"]) == ("abandoned", None)  # type: ignore[index, call-overload]
    assert document["turn"]["seats"] == []  # type: ignore[index, call-overload]
    assert document["turn"]["phase"] == "over"  # type: ignore[index, call-overload]
    assert document["room"]["seed"] == b"seed".ljust(32).hex()  # type: ignore[index, call-overload]
