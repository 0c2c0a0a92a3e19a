"""What an entry makes of a room: pure functions from state and entry to state.

The engine's part (`outcome`) does not depend on the entry's time and is worked out before the append; the rest
(`after`) is, once the store has given the entry its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from protocol.checks import typed
from protocol.codes import ProtocolError
from server.engines import AnyEngine
from server.engines.dice import Dice, stream_key
from server.engines.engine import Action, IllegalAction
from server.rooms.clocks import Clocks, decide_anew, give_back, go_on, retimed, used_by
from server.rooms.entries import (
    Abandoned,
    Acted,
    AnyEntry,
    BrokenJournal,
    CameBack,
    Created,
    Invited,
    Offered,
    Paused,
    Recorded,
    Resigned,
    Seated,
    TimedOut,
    Undone,
    Vacated,
)
from server.rooms.options import RoomOptions
from server.rooms.state import Kind, Offer, Outcome, Position, RoomState, Seat, Status, Takeback
from server.store.store import Head

T = TypeVar("T")


class Rulebook(msgspec.Struct, frozen=True):
    """What a room plays: the engine, the room's options and the game's, and how often a seat may time out."""

    engine: AnyEngine
    shared: RoomOptions
    game: msgspec.Struct
    timeouts_to_serve: int


@cache
def _form(actions: object) -> type[msgspec.Struct]:
    """A struct around an engine's actions: msgspec looks into a bare union anew each time, which costs more."""
    return msgspec.defstruct("Form", [("action", actions)])


def read_action(rulebook: Rulebook, data: Mapping[str, object]) -> Action:
    """The action in its typed form.

    Raises:
        ProtocolError: `bad_message`, naming the field.
    """
    action: Action = typed({"action": data}, _form(rulebook.engine.actions)).action  # type: ignore[attr-defined]
    return action


def digest_of(position: Position) -> bytes:
    """First 8 bytes of SHA-256 over MessagePack of the engine's state."""
    return hashlib.sha256(msgspec.msgpack.encode(position.game)).digest()[:8]


def dice_key(state: RoomState) -> bytes:
    """The key of the room's dice stream: fixed once all seats are taken."""
    return _stream_key(state.created.seed, tuple([seat.entropy if seat else None for seat in state.seats]))


_stream_key = lru_cache(maxsize=4096)(stream_key)


def start(rulebook: Rulebook, key: bytes, seats: int) -> Outcome:
    """The position after the set-up of the game."""
    dice = Dice(key)
    game = rulebook.engine.new(seats, rulebook.game, dice)
    return Outcome(Position(game, dice.words), ())


def play(rulebook: Rulebook, key: bytes, position: Position, move: tuple[int, Action]) -> Outcome:
    """The position after an action of a seat.

    Raises:
        IllegalAction: the rules forbid it.
    """
    dice = Dice(key, position.words)
    seat, action = move
    game, events = rulebook.engine.apply(position.game, seat, action, dice)
    return Outcome(Position(game, dice.words), tuple(events))


def outcome(rulebook: Rulebook, state: RoomState, entry: AnyEntry) -> Outcome | None:
    """What the entry makes of the game, None where it leaves the game alone.

    Raises:
        BrokenJournal: it does not fit the state, or leads elsewhere than it says.
    """
    if isinstance(entry, Seated):
        seats = put(state.seats, entry.seat, seated(state, entry, state.head.seq + 1))
        if state.status is not Status.OPEN or None in seats:
            return None
        found = start(rulebook, dice_key(replace(state, seats=seats)), len(seats))
    elif isinstance(entry, Acted | TimedOut):
        if state.position is None:
            raise BrokenJournal("an action before the start")
        try:
            action = read_action(rulebook, entry.action)
            found = play(rulebook, dice_key(state), state.position, (entry.seat, action))
        except (IllegalAction, ProtocolError) as error:
            raise BrokenJournal(f"an action that can't be: {error}") from error
    elif isinstance(entry, Undone):
        if not state.takebacks or state.takebacks[-1].seq != entry.of:
            raise BrokenJournal("an undo of what can't be undone")
        found = Outcome(state.takebacks[-1].before, ())
    else:
        return None
    if entry.digest != digest_of(found.position) or entry.words != found.position.words:
        raise BrokenJournal("the rules lead to another state than the journal says")
    return found


def put(items: Sequence[T], place: int, item: T) -> tuple[T, ...]:
    """The tuple with another item at one place; the same tuple if it is equal."""
    if items[place] == item and isinstance(items, tuple):
        return items
    return (*items[:place], item, *items[place + 1 :])


def seated(state: RoomState, entry: Seated, seq: int) -> Seat:
    """The seat as the entry makes it; in a running game the seat's entropy stays what it was."""
    before = state.seats[entry.seat]
    entropy = entry.entropy if before is None else before.entropy
    offer = state.offers[entry.seat]
    return Seat(
        entry.name,
        Kind(entry.kind),
        entry.token,
        entropy,
        seq,
        served=entry.token is None,
        policy=offer.policy if offer else None,
    )


def after(rulebook: Rulebook, state: RoomState, recorded: Recorded, found: Outcome | None) -> RoomState:
    """The room after the entry; `found` is the entry's `outcome`."""
    entry = recorded.entry
    here = replace(state, head=Head(recorded.seq, recorded.tag, recorded.at))
    match entry:
        case Acted() | TimedOut():
            if found is None or state.position is None:
                raise BrokenJournal("an action before the start")
            here = _after_move(rulebook, here, entry, found)
        case Undone():
            if found is None:
                raise BrokenJournal("an undo of what can't be undone")
            here = replace(here, position=found.position, takebacks=state.takebacks[:-1], undos=state.undos + 1)
        case Seated():
            here = _after_seated(here, entry, found)
        case Vacated():
            here = _after_vacated(here, entry)
        case Offered():
            here = replace(here, offers=put(here.offers, entry.seat, Offer(entry.policy, recorded.at)))
        case Invited():
            here = replace(here, invites=(*here.invites, entry.invite))
        case Resigned() | CameBack():
            here = _after_own_word(here, entry)
        case Paused():
            here = replace(here, clocks=give_back(here.clocks, entry.ms, recorded.at))
        case Abandoned():
            here = replace(here, status=Status.ABANDONED, reason=entry.reason)
        case Created():
            raise BrokenJournal("a room created twice")
    if _bars_undo(state, entry):
        here = replace(here, takebacks=(), undos=0)
    return replace(here, clocks=_clocks(rulebook, state, here, entry))


def at_its_time(rulebook: Rulebook, before: RoomState, planned: RoomState, recorded: Recorded) -> RoomState:
    """The state that `after` planned for an entry, now that the store has given the entry its time."""
    if planned.head.at == recorded.at:
        return planned
    if isinstance(recorded.entry, Offered | Paused | Undone):
        return after(rulebook, before, recorded, Outcome(planned.position, ()) if planned.position else None)
    place = (recorded.seq, recorded.at)
    clocks = retimed(rulebook.shared.clock, before.clocks, planned.clocks, place)
    takebacks = planned.takebacks
    if takebacks and takebacks[-1].seq == recorded.seq:
        last = takebacks[-1]
        takebacks = (*takebacks[:-1], replace(last, used=used_by(before.clocks, last.seat, recorded.at)))
    head = Head(recorded.seq, recorded.tag, recorded.at)
    return replace(planned, head=head, clocks=clocks, takebacks=takebacks)


def _bars_undo(state: RoomState, entry: AnyEntry) -> bool:
    """An entry by the server, or by another seat than the one that could undo: nobody undoes past it."""
    if isinstance(entry, CameBack):
        return any(takeback.seat != entry.seat for takeback in state.takebacks)
    return not isinstance(entry, Acted | Undone)


def _after_move(rulebook: Rulebook, state: RoomState, entry: Acted | TimedOut, found: Outcome) -> RoomState:
    seat = state.seats[entry.seat]
    if seat is None or state.position is None:
        raise BrokenJournal("an action of an empty seat")
    if isinstance(entry, Acted):
        seat = replace(seat, timeouts=0) if seat.timeouts else seat
    elif not seat.served:
        timeouts = seat.timeouts + 1
        seat = replace(seat, timeouts=timeouts, served=timeouts >= rulebook.timeouts_to_serve)
    over = not rulebook.engine.deciding(found.position.game)
    others = any(t.seat != entry.seat for t in state.takebacks)
    barred = over or found.position.words != state.position.words or any(e.reveals for e in found.events)
    takebacks = () if barred else (*(() if others else state.takebacks),)
    if isinstance(entry, Acted) and not barred:
        takebacks = (*takebacks, _takeback(state, entry.seat, state.position))
    return replace(
        state,
        seats=put(state.seats, entry.seat, seat),
        position=found.position,
        takebacks=takebacks,
        undos=0 if barred or others else state.undos,
        status=Status.FINISHED if over else state.status,
    )


def _takeback(state: RoomState, seat: int, before: Position) -> Takeback:
    """What it takes to undo the entry at the head, by which the clocks don't go yet."""
    used, banks = used_by(state.clocks, seat, state.head.at), state.clocks.banks
    return Takeback(state.head.seq, seat, before, used, banks[seat] if banks else 0)


def _after_seated(state: RoomState, entry: Seated, found: Outcome | None) -> RoomState:
    return replace(
        state,
        seats=put(state.seats, entry.seat, seated(state, entry, state.head.seq)),
        offers=put(state.offers, entry.seat, None),
        invites=tuple(i for i in state.invites if i != entry.invite),
        position=found.position if found else state.position,
        status=Status.PLAYING if found else state.status,
    )


def _after_vacated(state: RoomState, entry: Vacated) -> RoomState:
    seat = state.seats[entry.seat]
    if seat is None:
        raise BrokenJournal("an empty seat vacated")
    left = None if state.status is Status.OPEN else replace(seat, kind=Kind.SERVER, token=None, served=True, timeouts=0)
    revoked = (*state.revoked, seat.token) if seat.token else state.revoked
    return replace(state, seats=put(state.seats, entry.seat, left), revoked=revoked)


def _after_own_word(state: RoomState, entry: Resigned | CameBack) -> RoomState:
    seat = state.seats[entry.seat]
    if seat is None:
        raise BrokenJournal("an empty seat spoke")
    if isinstance(entry, Resigned):
        seat = replace(seat, served=True, resigned=True)
    else:
        seat = replace(seat, served=False, timeouts=0)
    return replace(state, seats=put(state.seats, entry.seat, seat))


def _clocks(rulebook: Rulebook, before: RoomState, state: RoomState, entry: AnyEntry) -> Clocks:
    """Who decides since when, going by the decisions before and after the entry."""
    clock, place = rulebook.shared.clock, (state.head.seq, state.head.at)
    if state.status is not Status.PLAYING:
        return decide_anew(clock, state.clocks, (), frozenset(), place)
    if state.position is None or state.position is before.position:
        return state.clocks
    deciding = rulebook.engine.deciding(state.position.game)
    if before.position is None:
        banks = (clock.bank if clock else 0,) * len(state.seats)
        return decide_anew(clock, Clocks(banks), deciding, frozenset(), place)
    known = [decision.seat for decision in state.clocks.decisions]
    decision, old, new = rulebook.engine.decision, before.position.game, state.position.game
    fresh = frozenset([seat for seat in deciding if seat not in known or decision(old, seat) != decision(new, seat)])
    if not isinstance(entry, Undone):
        return decide_anew(clock, state.clocks, deciding, fresh, place)
    undone = before.takebacks[-1]
    used = undone.used + used_by(state.clocks, entry.seat, state.head.at)
    return go_on(decide_anew(clock, state.clocks, deciding, fresh | {entry.seat}, place), entry.seat, used, undone.bank)
