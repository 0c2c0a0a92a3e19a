"""From an intent to an entry, or to a refusal: who may do what, and when.

Every function looks at one state and changes nothing. What can't be done is a `ProtocolError`; what was done before
(the same key, the same token) is an `Already`.
"""

from __future__ import annotations

from typing import NoReturn

import msgspec

from protocol.codes import Code, ProtocolError
from protocol.texts import name_key
from server.engines.engine import Action, IllegalAction
from server.rooms.clocks import used_by
from server.rooms.entries import (
    Abandoned,
    Acted,
    AnyEntry,
    CameBack,
    Invited,
    Offered,
    Paused,
    Resigned,
    Seated,
    TimedOut,
    Undone,
    Vacated,
)
from server.rooms.intents import (
    Abandon,
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
from server.rooms.state import Kind, Outcome, RoomState, Status
from server.rooms.transitions import Rulebook, dice_key, digest_of, play, put, read_action, seated, start

MIN_PAUSE = 1000
"""ms: shorter gaps are not worth an entry, and a second node's attempt at the same gap is one."""


MAX_INVITES = 32
"""How many invites of a room may be open: far more than it has seats, for some are lost."""


class Already(Exception):  # noqa: N818
    """Nothing to do: it was done before, by the entry `seq`, or needs no entry."""

    def __init__(self, seq: int) -> None:
        super().__init__(seq)
        self.seq = seq


class Proposal(msgspec.Struct, frozen=True):
    """An entry to append after the state it was decided on, and what it makes of the game."""

    entry: AnyEntry
    outcome: Outcome | None = None
    not_before: int = 0


def refuse(code: Code, message: str) -> NoReturn:
    """Raise the refusal."""
    raise ProtocolError(code, message)


def seat_of(state: RoomState, holder: bytes) -> int:
    """The seat that the token holds.

    Raises:
        ProtocolError: `revoked` if it was given up, `unauthorized` if it never held one.
    """
    seat = state.holder(holder)
    if seat is not None:
        return seat
    if holder in state.revoked:
        refuse(Code.REVOKED, "this seat was given up")
    refuse(Code.UNAUTHORIZED, "this token holds no seat here")


def _in_play(state: RoomState) -> None:
    if state.status is Status.OPEN:
        refuse(Code.NOT_STARTED, "the game has not started: seats are free")
    if state.status is not Status.PLAYING:
        refuse(Code.GAME_OVER, "the game is over")


def _not_resigned(state: RoomState, seat: int) -> None:
    taken = state.seats[seat]
    if taken is not None and taken.resigned:
        refuse(Code.FORBIDDEN, "this seat has resigned")


def take_seat(rulebook: Rulebook, state: RoomState, intent: TakeSeat) -> Proposal:
    """A free seat, one that waits for a bot host (by such a host), or a vacated one (by invite).

    Where others than the seats are behind, whoever has no invite does not learn from the refusal that the game is over.
    """
    held = state.holder(intent.holder)
    if held is not None:
        raise Already(state.head.seq)
    if intent.holder in state.revoked:
        refuse(Code.REVOKED, "this token gave its seat up")
    told = not rulebook.shared.spectators.delay or intent.invite in state.invites
    if state.ended and told:
        refuse(Code.GAME_OVER, "the game is over")
    seat = _open_seat(state, intent) if state.status is Status.OPEN else _vacated_seat(state, intent)
    if state.status is Status.PLAYING and intent.entropy is not None:
        refuse(Code.BAD_MESSAGE, "entropy: the dice are fixed since the start of the game")
    entry = Seated(seat, _name(state, seat, intent.name), intent.kind, intent.entropy, intent.holder, intent.invite)
    return _seating(rulebook, state, entry)


def _seating(rulebook: Rulebook, state: RoomState, entry: Seated) -> Proposal:
    """The entry as it is, or completed with the start of the game if it takes the last free seat."""
    seats = put(state.seats, entry.seat, seated(state, entry, state.head.seq + 1))
    if state.status is not Status.OPEN or None in seats:
        return Proposal(entry)
    found = start(rulebook, dice_key(msgspec.structs.replace(state, seats=seats)), len(seats))
    words, digest = found.position.words, digest_of(found.position)
    return Proposal(msgspec.structs.replace(entry, words=words, digest=digest), found)


def _open_seat(state: RoomState, intent: TakeSeat) -> int:
    if intent.invite is not None:
        refuse(Code.BAD_MESSAGE, "invite: the game has not started; take any free seat")
    free = [
        number
        for number, (seat, offer) in enumerate(zip(state.seats, state.offers, strict=True))
        if seat is None and (offer is None) is not intent.bot
    ]
    if intent.seat is None:
        return free[0] if free else refuse(Code.ROOM_FULL, "no seat is free")
    if intent.seat >= len(state.seats):
        refuse(Code.BAD_MESSAGE, "seat: the room has no such seat")
    return intent.seat if intent.seat in free else refuse(Code.SEAT_TAKEN, "this seat is taken")


def _vacated_seat(state: RoomState, intent: TakeSeat) -> int:
    if intent.invite is None:
        refuse(Code.ROOM_FULL, "the game has started: a vacated seat needs an invite")
    if intent.invite not in state.invites:
        refuse(Code.UNAUTHORIZED, "no such invite, or it was used")
    vacated = [n for n, seat in enumerate(state.seats) if seat is not None and seat.kind is Kind.SERVER]
    if intent.seat is not None:
        if intent.seat >= len(state.seats):
            refuse(Code.BAD_MESSAGE, "seat: the room has no such seat")
        _not_resigned(state, intent.seat)
        return intent.seat if intent.seat in vacated else refuse(Code.SEAT_TAKEN, "this seat was not vacated")
    playable = [n for n in vacated if not (seat := state.seats[n]) or not seat.resigned]
    return playable[0] if playable else refuse(Code.ROOM_FULL, "no seat was vacated")


def _name(state: RoomState, seat: int, wanted: str | None) -> str:
    """The name asked for if nobody else has it; without one, "Seat n+1"."""
    others = {name_key(other.name) for n, other in enumerate(state.seats) if other is not None and n != seat}
    if wanted is not None:
        return wanted if name_key(wanted) not in others else refuse(Code.NAME_TAKEN, "name: somebody here has it")
    name, number = f"Seat {seat + 1}", 2
    while name_key(name) in others:
        name, number = f"Seat {seat + 1} ({number})", number + 1
    return name


def vacate(state: RoomState, intent: Vacate, creator: bytes) -> Proposal:
    """By the seat's own token; before the start also by the creator's."""
    if intent.seat >= len(state.seats):
        refuse(Code.NOT_FOUND, "the room has no such seat")
    held = state.holder(intent.holder)
    if held is None and intent.holder in state.revoked:
        refuse(Code.REVOKED, "this token gave its seat up")
    if held is None and intent.holder != creator:
        refuse(Code.UNAUTHORIZED, "this token holds no seat here")
    if held != intent.seat and not (intent.holder == creator and state.status is Status.OPEN):
        refuse(Code.FORBIDDEN, "this token does not hold that seat")
    if state.seats[intent.seat] is None:
        refuse(Code.NOT_FOUND, "nobody sits there")
    if state.ended:
        refuse(Code.GAME_OVER, "the game is over")
    return Proposal(Vacated(intent.seat))


def _member(state: RoomState, holder: bytes, creator: bytes) -> None:
    if state.holder(holder) is None and holder != creator:
        seat_of(state, holder)


def offer_seat(state: RoomState, intent: OfferSeat, creator: bytes) -> Proposal:
    """The lowest free seat that is not offered yet waits for a bot host."""
    _member(state, intent.holder, creator)
    if state.status is not Status.OPEN:
        refuse(Code.ROOM_FULL if state.status is Status.PLAYING else Code.GAME_OVER, "no seat is free")
    for number, seat in enumerate(state.seats):
        if seat is None and state.offers[number] is None:
            return Proposal(Offered(number, intent.policy))
    refuse(Code.ROOM_FULL, "no seat is free")


def make_invite(state: RoomState, intent: MakeInvite, creator: bytes) -> Proposal:
    """An invite to a vacated seat of a running game, now or later."""
    _member(state, intent.holder, creator)
    _in_play(state)
    if len(state.invites) >= MAX_INVITES:
        refuse(Code.RATE_LIMITED, f"{MAX_INVITES} invites are open, as many as may be")
    return Proposal(Invited(intent.invite))


def play_action(rulebook: Rulebook, state: RoomState, intent: Play) -> Proposal:
    """A seat's own action. The order of the checks is the protocol's: seat, status, shape, turn, rules."""
    _in_play(state)
    seat = seat_of(state, intent.holder)
    _not_resigned(state, seat)
    action = read_action(rulebook, intent.action)
    decision = state.clocks.of(seat)
    if decision is None:
        refuse(Code.NOT_YOUR_TURN, "this seat does not have to decide now")
    if not decision.since <= intent.seq <= state.head.seq:
        refuse(Code.STALE, "this seat's present decision is another than that of this seq")
    return _move(rulebook, state, seat, action, key=intent.key)


def _move(rulebook: Rulebook, state: RoomState, seat: int, action: Action, *, key: str | None) -> Proposal:
    if state.position is None:
        refuse(Code.NOT_STARTED, "the game has not started")
    try:
        found = play(rulebook, dice_key(state), state.position, (seat, action))
    except IllegalAction as refusal:
        refuse(Code.ILLEGAL_ACTION, refusal.rule)
    words, digest = found.position.words, digest_of(found.position)
    return Proposal(Acted(seat, msgspec.to_builtins(action), key, words, digest), found)


def take_back(rulebook: Rulebook, state: RoomState, intent: TakeBack, limit: int) -> Proposal:
    """The seat's own last action, if nothing since then stands against it, and time is left to decide anew."""
    _in_play(state)
    seat = seat_of(state, intent.holder)
    _not_resigned(state, seat)
    if not state.takebacks or state.takebacks[-1].seat != seat:
        refuse(Code.CANNOT_UNDO, "there is no action of this seat that can still be taken back")
    last = state.takebacks[-1]
    if last.seq != intent.seq:
        refuse(Code.CANNOT_UNDO, "this is not the seat's last action")
    if state.undos >= limit:
        refuse(Code.CANNOT_UNDO, f"{limit} undos were made since the last entry that can't be undone")
    clock, used = rulebook.shared.clock, last.used + used_by(state.clocks, seat, intent.at)
    if clock is not None and used >= clock.per_turn + last.bank:
        refuse(Code.CANNOT_UNDO, "no time is left to decide anew")
    words, digest = last.before.words, digest_of(last.before)
    return Proposal(Undone(seat, last.seq, intent.key, words, digest), Outcome(last.before, ()))


def give_up(state: RoomState, intent: GiveUp) -> Proposal:
    """Resign, at any time of a running game."""
    _in_play(state)
    seat = seat_of(state, intent.holder)
    _not_resigned(state, seat)
    return Proposal(Resigned(seat, intent.key))


def come_back(state: RoomState, intent: ComeBack) -> Proposal:
    """End being served; nothing to do where the seat is not."""
    _in_play(state)
    number = seat_of(state, intent.holder)
    _not_resigned(state, number)
    seat = state.seats[number]
    if seat is None or not seat.served:
        raise Already(state.head.seq)
    return Proposal(CameBack(number, intent.key))


def play_for(rulebook: Rulebook, state: RoomState, intent: PlayFor) -> Proposal:
    """The default action, if the decision is still the one that ran out."""
    decision = state.clocks.of(intent.seat)
    if state.status is not Status.PLAYING or decision is None or decision.since != intent.since:
        raise Already(state.head.seq)
    if state.position is None:
        raise Already(state.head.seq)
    action = rulebook.engine.default_action(state.position.game, intent.seat)
    found = play(rulebook, dice_key(state), state.position, (intent.seat, action))
    words, digest = found.position.words, digest_of(found.position)
    return Proposal(TimedOut(intent.seat, msgspec.to_builtins(action), words, digest), found, intent.not_before)


def seat_server(rulebook: Rulebook, state: RoomState, intent: SeatServer) -> Proposal:
    """The server plays a seat for which no bot host came."""
    if state.status is not Status.OPEN or state.offers[intent.seat] is None or state.seats[intent.seat] is not None:
        raise Already(state.head.seq)
    entry = Seated(intent.seat, _name(state, intent.seat, None), Kind.BOT.value, None, None)
    return _seating(rulebook, state, entry)


def give_back(rulebook: Rulebook, state: RoomState, intent: GiveBack) -> Proposal:
    """Give back what of the gap lies after the last entry, if a clock runs."""
    ms = intent.end - max(intent.start, state.head.at)
    if state.status is not Status.PLAYING or rulebook.shared.clock is None or ms < MIN_PAUSE:
        raise Already(state.head.seq)
    return Proposal(Paused(ms))


def abandon(state: RoomState, intent: Abandon) -> Proposal:
    """End the room, if nothing has happened since that was decided."""
    if state.ended or state.head.seq != intent.seq:
        raise Already(state.head.seq)
    return Proposal(Abandoned(intent.reason))
