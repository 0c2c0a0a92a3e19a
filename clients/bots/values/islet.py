"""Islet: how far each seat is on its way to the last egg, and whole turns by a fast planner.

A position is valued after the own turn, the reply and one more own turn: what a turn prepares is seen only then. Only
the beginning of a turn is searched; on goes the best turn from there, as the search played it. Nor are replies
searched: a few tries of each are worth less than the planner's turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from random import Random

from clients.bots.outlooks.islet import Island, Means, height_worth, worth
from clients.bots.outlooks.islet_turns import plans
from server.engines.engine import Action
from server.engines.islet.state import Phase, State

SPREAD = 3.0
CAUTION = 1.0
HORIZON = 3
OPENS = 10_000
SETTLED = frozenset(phase.value for phase in Phase if phase is not Phase.TURN)

LOOK, QUICK = 24, 16  # positions of a move that are looked at for an own decision, and for a turn that is played on
TURNS = 5  # moves and explores each that are worth a try
TEMPO = 0.2  # to be in turn


def value(state: State, seat: int) -> float:
    """The eggs that the seat has laid, and parts of those to come."""
    player, island = state.players[seat], Island.of(state.board)
    others = frozenset(
        other.bird for number, other in enumerate(state.players) if number != seat and other.bird is not None
    )
    kept = tuple(map(add, player.guarded, player.used))
    reach = island.reach(None if player.bird is None else island.region[player.bird], others)
    height = sum(stack.level for stack in state.board.stacks if stack.egg == seat)
    means = Means(player.eggs + sum(kept), player.cards, kept, reach, player.bird is not None)
    return worth(means) + height_worth(state) * height + TEMPO * (state.seat == seat)


def line(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:  # noqa: ARG001
    """A good turn to its end, by a quick look."""
    found = plans(state, QUICK if state.phase is Phase.TURN else LOOK, 1)
    return found[0].line if found else [random.choice(actions)]


def ranked(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:  # noqa: ARG001
    """The first actions of turns, the best turn first."""
    return list(dict.fromkeys(plan.line[0] for plan in plans(state, LOOK, TURNS))) or actions
