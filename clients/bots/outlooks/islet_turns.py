"""Islet: whole turns of the seat whose turn it is, found fast and weighed by what it then has."""

from __future__ import annotations

from collections.abc import Sequence

from clients.bots.outlooks.islet import kept_of
from clients.bots.outlooks.islet_explores import Explorer
from clients.bots.outlooks.islet_moves import Outset, Plan, moves
from server.engines.islet.actions import Return
from server.engines.islet.components import KINDS
from server.engines.islet.state import Phase, State


def plans(state: State, look: int, most: int) -> Sequence[Plan]:
    """The ways for the turn to go on, the most liked first: moves by `look` positions, at most so many of each sort."""
    match state.phase:
        case Phase.EXPLORE:
            return Explorer(state).explores(most)
        case Phase.RETURN:
            return [_return(state)]
        case Phase.TURN:
            found = [*moves(Outset(state), look, most), *Explorer(state).explores(most)]
            return sorted(found, key=lambda plan: -plan.liking)
        case _:
            return moves(Outset(state), look, most)


def _return(state: State) -> Plan:
    """One of the cards that are not kept."""
    cards = state.player.cards
    more = zip(KINDS, cards, kept_of(cards), strict=True)
    return Plan(0.0, (Return(next(kind for kind, held, kept in more if held > kept)),))
