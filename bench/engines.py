"""The rules alone, in this process: random games a second of each game, and its slowest call.

A game is set up, and seats that have to decide play any of their legal actions until it is over. Speed is counted in
CPU time of this thread; the slowest call is looked for in games of their own, where every call is timed and no garbage
is collected, for a collection belongs to no call.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from random import Random
from typing import ParamSpec, TypeVar

import msgspec

from server.engines import ENGINES, AnyEngine
from server.engines.dice import Dice, stream_key

P = ParamSpec("P")
T = TypeVar("T")

MOST_SEATS = 4


class Speed(msgspec.Struct, frozen=True):
    """What one game costs. Times are seconds of CPU; `slowest` names the call that took longest once."""

    game: str
    seats: int
    games_a_second: float
    actions_a_game: float
    action: float
    slowest: str
    slowest_took: float


class Stopwatch:
    """Times calls, and remembers the longest."""

    def __init__(self) -> None:
        self.name = ""
        self.longest = 0.0

    def __call__(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Call, and look how long it took."""
        begun = time.thread_time()
        found = call(*args, **named)
        took = time.thread_time() - begun
        if took > self.longest:
            self.name, self.longest = call.__name__, took
        return found


def play(engine: AnyEngine, seats: int, seed: int) -> int:
    """One random game; the number of its actions."""
    dice = Dice(stream_key(seed.to_bytes(32, "big"), (None,) * seats))
    random = Random(seed)
    state = engine.new(seats, engine.options(), dice)
    actions = 0
    while deciding := engine.deciding(state):
        seat = deciding[0]
        state, _ = engine.apply(state, seat, random.choice(engine.legal_actions(state, seat)), dice)
        actions += 1
    return actions


def watch(engine: AnyEngine, seats: int, seed: int, timed: Stopwatch) -> None:
    """The same with everything that a room asks of its engine, every call timed."""
    dice = Dice(stream_key(seed.to_bytes(32, "big"), (None,) * seats))
    random = Random(seed)
    state = timed(engine.new, seats, engine.options(), dice)
    while deciding := timed(engine.deciding, state):
        seat = deciding[0]
        actions = timed(engine.legal_actions, state, seat)
        state, _ = timed(engine.apply, state, seat, random.choice(actions), dice)
        timed(engine.public_view, state)
        timed(engine.private_view, state, seat)


def measure(engine: AnyEngine, seconds: float) -> Speed:
    """Play for so long, then look for the slowest call in some of the same games."""
    seats = min(MOST_SEATS, engine.seats.stop - 1)
    play(engine, seats, 0)
    games = actions = 0
    begun = time.thread_time()
    while (took := time.thread_time() - begun) < seconds:
        games += 1
        actions += play(engine, seats, games)
    timed = Stopwatch()
    gc.disable()
    for seed in range(1, max(2, games // 4)):
        watch(engine, seats, seed, timed)
    gc.enable()
    return Speed(engine.name, seats, games / took, actions / games, took / actions, timed.name, timed.longest)


def measure_all(seconds: float) -> list[Speed]:
    """Every game, in the order of the registry."""
    return [measure(engine, seconds) for engine in ENGINES.values()]
