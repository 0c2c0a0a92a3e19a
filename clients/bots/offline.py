"""Whole matches in this process, without a server: for bots that look ahead, for the arena and for tests.

Rules that hold here:

1. A policy gets exactly what a client of the server would: the state document of its seat (protocol section 4) as
   plain JSON data, and the complete list of its legal actions as maps.
2. A match is a function of its table (seed, entropy, seats, options), its policies and their random numbers.
3. Seats that decide at once are asked in ascending order; what a seat may not know of the others' choices is in no
   document, so the order gives nothing away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, cast

import msgspec
import orjson

from clients.bots.policies import Choose as Choose
from server.engines import AnyEngine
from server.engines.dice import Dice, commitment, stream_key
from server.engines.engine import Action, Event, Result

MOST_ENTRIES = 20_000  # a room holds no more (protocol section 6)


class Table(msgspec.Struct, frozen=True):
    """One match before its first action. `seed`: 32 bytes; `entropy`: 32 bytes or None a seat, or () for none."""

    engine: AnyEngine
    seats: int
    options: msgspec.Struct
    seed: bytes
    entropy: tuple[bytes | None, ...] = ()

    def dice(self) -> Dice:
        """The stream of the match at its first word."""
        return Dice(stream_key(self.seed, self.entropy or (None,) * self.seats))


class Move(msgspec.Struct, frozen=True):
    """One action of a match, and what it led to. `state` is the engine's."""

    seat: int
    action: Action
    events: Sequence[Event]
    state: Any


def table(
    engine: AnyEngine, seats: int, seed: int = 0, options: Mapping[str, object] | msgspec.Struct | None = None
) -> Table:
    """A table with the seed's number as its 32 bytes, big-endian, and these options, the rest being the defaults.

    Raises:
        ValueError: the game is not for that many, or does not know such an option.
    """
    if seats not in engine.seats:
        raise ValueError(f"{engine.name} is for {engine.seats.start} to {engine.seats.stop - 1} players, not {seats}")
    chosen = msgspec.convert(options or {}, engine.options, from_attributes=True)
    return Table(engine=engine, seats=seats, options=chosen, seed=seed.to_bytes(32, "big"))


def plain(value: object) -> Any:
    """The value as a client has it after a trip over the wire: maps, lists, strings, integers, booleans, null."""
    return orjson.loads(orjson.dumps(value))


def as_map(action: Action) -> dict[str, Any]:
    """The action as it travels: a map with `type` and the parameters."""
    return cast("dict[str, Any]", plain(msgspec.to_builtins(action)))


def document(table: Table, state: Any, seat: int | None, since: Mapping[int, int] | None = None) -> dict[str, Any]:
    """The state document of protocol section 4 as `seat` (None: a spectator) gets it, as plain JSON data.

    `since` has the entry at which the decision of each deciding seat began (1, the room's first, where it is missing).
    """
    engine = table.engine
    number, phase = engine.turn(state)
    deciding = engine.deciding(state)
    result = engine.result(state)
    return cast(
        "dict[str, Any]",
        plain(
            {
                "room": _room(table, over=result is not None),
                "turn": {
                    "number": number,
                    "phase": phase,
                    "seats": deciding,
                    "since": [(since or {}).get(each, 1) for each in deciding],
                    "clock": None,
                },
                "game": engine.public_view(state),
                "you": None if seat is None else {"seat": seat, **engine.private_view(state, seat)},
                "result": None if result is None else msgspec.to_builtins(result),
            }
        ),
    )


def _room(table: Table, *, over: bool) -> dict[str, object]:
    entropy = table.entropy or (None,) * table.seats
    room_options = {"clock": None, "spectators": {"allowed": True, "delay": 0}, "chat": "all"}
    return {
        "id": "222222",
        "game": table.engine.name,
        "rules": table.engine.rules,
        "status": "finished" if over else "playing",
        "private": False,
        "options": {**room_options, **msgspec.to_builtins(table.options)},
        "seats": [{"name": f"Seat {seat + 1}", "kind": "bot", "served": False} for seat in range(table.seats)],
        "commitment": commitment(table.seed).hex(),
        "entropy": [None if each is None else each.hex() for each in entropy],
        "seed": table.seed.hex() if over else None,
        "created": 0,
    }


def moves(table: Table, chooses: Sequence[Choose], random: Random) -> Iterator[Move]:
    """Plays the match, one policy a seat, and yields every action; the last one ends the game.

    Raises:
        ValueError: a policy chose what was not on its list, or the match passed the entries of a room.
    """
    engine, dice = table.engine, table.dice()
    state = engine.new(table.seats, table.options, dice)
    for _ in range(MOST_ENTRIES):
        deciding = engine.deciding(state)
        if not deciding:
            return
        seat = deciding[0]
        action = ask(chooses[seat], table, state, seat, random)
        state, events = engine.apply(state, seat, action, dice)
        yield Move(seat=seat, action=action, events=events, state=state)
    raise ValueError(f"{engine.name}: no end after {MOST_ENTRIES} actions")


def ask(choose: Choose, table: Table, state: Any, seat: int, random: Random) -> Action:
    """What the policy chooses for a deciding seat.

    Raises:
        ValueError: it chose what was not on its list.
    """
    actions = table.engine.legal_actions(state, seat)
    maps = [as_map(action) for action in actions]
    chosen = choose(document(table, state, seat), maps, random)
    try:
        return actions[maps.index(cast("dict[str, Any]", chosen))]
    except ValueError:
        raise ValueError(f"seat {seat} chose {chosen!r}, which is not on its list") from None


def play(table: Table, chooses: Sequence[Choose], random: Random) -> Result:
    """Plays the match to its end, one policy a seat.

    Raises:
        ValueError: as `moves`.
    """
    state = None
    for move in moves(table, chooses, random):
        state = move.state
    result = table.engine.result(state)
    if result is None:
        raise ValueError(f"{table.engine.name}: nobody decides, but there is no result")
    return result
