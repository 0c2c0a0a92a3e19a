"""The state document of protocol section 4: what a viewer sees of a room.

Everybody shares the public part; a seat has `you` besides. Parts that did not change are the very same objects as
before, so that the diff stops at them.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from protocol.messages import Json
from server.engines.dice import commitment
from server.engines.engine import Result
from server.rooms.clocks import banks_at, deadline
from server.rooms.options import flat
from server.rooms.state import RoomState, Seat, Status
from server.rooms.transitions import Rulebook

Part = dict[str, Json]


class Documents(msgspec.Struct, frozen=True):
    """What every audience sees at one entry: the public document, and `you` for each seat.

    `views`: the engine's private views of which `you` was made.
    """

    public: Part
    private: tuple[Part, ...]
    views: tuple[Part, ...]

    @property
    def room(self) -> Part:
        """The room part of the public document."""
        part: Part = self.public["room"]  # type: ignore[assignment]
        return part

    def of(self, seat: int | None) -> Part:
        """The whole document of one viewer (None: a spectator)."""
        you = None if seat is None else self.private[seat]
        return {
            **{key: self.public[key] for key in ("room", "turn", "game")},
            "you": you,
            "result": self.public["result"],
        }


def documents(rulebook: Rulebook, state: RoomState, before: tuple[RoomState, Documents] | None) -> Documents:
    """The documents of a state, sharing what they can with an earlier state's."""
    views = _private_views(rulebook, state)
    if before is None:
        public: Part = {
            "room": room_part(rulebook, state),
            "turn": turn_part(rulebook, state),
            "game": _game_part(rulebook, state),
            "result": result_part(rulebook, state),
        }
        return Documents(public, tuple(_you(seat, view) for seat, view in enumerate(views)), views)
    earlier, known = before
    seated = earlier.seats is state.seats and earlier.status is state.status
    timed = earlier.position is state.position and earlier.clocks is state.clocks
    public = {
        "room": known.public["room"] if seated else _keep(known, "room", room_part(rulebook, state)),
        "turn": known.public["turn"] if timed and seated else _keep(known, "turn", turn_part(rulebook, state)),
        "game": _game_part(rulebook, state),
        "result": known.public["result"] if timed and seated else result_part(rulebook, state),
    }
    private = [
        you if view is old or view == old else _you(seat, view)
        for seat, (you, old, view) in enumerate(zip(known.private, known.views, views, strict=True))
    ]
    return Documents(public, tuple(private), views)


def _keep(before: Documents, key: str, value: Json) -> Json:
    """The part of before if it is equal."""
    old = before.public[key]
    return old if old == value else value


def room_part(rulebook: Rulebook, state: RoomState) -> Part:
    """`room`: what the room is, and who sits in it. The seed only when the room has ended."""
    created = state.created
    return {
        "id": state.id,
        "game": created.game,
        "rules": created.rules,
        "status": state.status.value,
        "private": created.private,
        "options": flat(rulebook.shared, rulebook.game),
        "seats": [_seat(seat) for seat in state.seats],
        "commitment": commitment(created.seed).hex(),
        "entropy": [seat.entropy.hex() if seat and seat.entropy else None for seat in state.seats],
        "seed": created.seed.hex() if state.ended else None,
        "created": state.created_at,
    }


def _seat(seat: Seat | None) -> Part | None:
    return None if seat is None else {"name": seat.name, "kind": seat.kind.value, "served": seat.served}


def turn_part(rulebook: Rulebook, state: RoomState) -> Part | None:
    """`turn`: who has to decide, since which entry, and what the clocks say. None before the start."""
    if state.position is None:
        return None
    number, phase = rulebook.engine.turn(state.position.game)
    decisions = state.clocks.decisions
    return {
        "number": number,
        "phase": "over" if state.status is Status.ABANDONED else phase,
        "seats": [d.seat for d in decisions],
        "since": [d.since for d in decisions],
        "clock": _clock_part(rulebook, state),
    }


def _clock_part(rulebook: Rulebook, state: RoomState) -> Part | None:
    clock, clocks = rulebook.shared.clock, state.clocks
    if clock is None:
        return None
    return {
        "at": clocks.at,
        "deadlines": [deadline(clock, clocks, d) for d in clocks.decisions],
        "banks": list(banks_at(clock, clocks, clocks.at)),
    }


def _game_part(rulebook: Rulebook, state: RoomState) -> Json:
    return None if state.position is None else _json(rulebook.engine.public_view(state.position.game))


def _private_views(rulebook: Rulebook, state: RoomState) -> tuple[Part, ...]:
    if state.position is None:
        return ({},) * len(state.seats)
    view, game = rulebook.engine.private_view, state.position.game
    return tuple([_json(view(game, seat)) for seat in range(len(state.seats))])


def _you(seat: int, view: Part) -> Part:
    """What only this seat sees."""
    return {"seat": seat, **view}


def result_part(rulebook: Rulebook, state: RoomState) -> Part | None:
    """`result`: scores and ranks once the game is over; seats that resigned rank behind all others."""
    if state.status is not Status.FINISHED or state.position is None:
        return None
    result = rulebook.engine.result(state.position.game)
    if result is None:
        return None
    return {"scores": list(result.scores), "ranks": ranks(result, state.seats), "reason": result.reason}


def ranks(result: Result, seats: tuple[Seat | None, ...]) -> list[Json]:
    """1 + the number of seats that are better, by resignation first and the game's order second."""
    order = [(seat is not None and seat.resigned, rank) for seat, rank in zip(seats, result.ranks, strict=True)]
    return [1 + sum(other < own for other in order) for own in order]


def _json(view: Mapping[str, object]) -> Part:
    """A view is JSON-able by the engine's contract."""
    return view  # type: ignore[return-value]
