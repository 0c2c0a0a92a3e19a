"""Islet: eggs, and what the greedy player's measure sees on the way to the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from clients.bots.greedy.islet import EGG, Turn, best_turn, measure, turns
from server.engines.dice import Dice
from server.engines.engine import Action
from server.engines.islet.state import State

SPREAD = 2.5
CAUTION = 1.0
HORIZON = 3
QUICK = 16  # positions of a move that a quick look takes in


def value(state: State, seat: int) -> float:
    """The eggs that the seat has laid, and parts of those to come."""
    return measure(state, seat) / EGG


def line(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:  # noqa: ARG001
    """A good turn to its end, by a quick look."""
    best = best_turn(state, Dice(random.randbytes(32)), QUICK).line
    return best if best[0] in actions else [random.choice(actions)]


def ranked(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:  # noqa: ARG001
    """The first actions of turns, the best turn first."""
    found = sorted(turns(state, Dice(random.randbytes(32))), key=Turn.order, reverse=True)
    legal = set(actions)
    return [turn.line[0] for turn in found if turn.line[0] in legal]
