"""Islet: eggs, and what the greedy player's measure sees on the way to the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from clients.bots.greedy.islet import EGG, best_turn, measure
from server.engines.dice import Dice
from server.engines.engine import Action
from server.engines.islet.state import State

SPREAD = 2.5
CAUTION = 0.4
HORIZON = 1
QUICK = 30  # positions of a move that a quick look takes in


def value(state: State, seat: int) -> float:
    """The eggs that the seat has laid, and parts of those to come."""
    return measure(state, seat) / EGG


def pick(state: State, seat: int, actions: Sequence[Action], random: Random) -> Action:  # noqa: ARG001
    """The first action of a good turn, by a quick look."""
    best = best_turn(state, Dice(random.randbytes(32)), QUICK)
    return best if best in actions else random.choice(actions)
