"""Dragonwood: points taken, the bonus for the most creatures as it stands, and what hand and enhancements may bring."""

from __future__ import annotations

from clients.bots.greedy.dragonwood import CARD, COMPONENTS, worth_of
from server.engines.dragonwood.state import State

SPREAD = 10.0
CAUTION = 1.5
HORIZON = 4


def value(state: State, seat: int) -> float:
    """The score that the seat may expect."""
    player = state.players[seat]
    points = float(sum(COMPONENTS.points(card) for card in player.creatures))
    counts = [len(each.creatures) for each in state.players]
    lead = counts[seat] - max(count for other, count in enumerate(counts) if other != seat)
    points += COMPONENTS.printed.most_creatures.alone * (0.5 + max(-0.5, min(0.5, 0.2 * lead)))
    turns = _turns_left(state)
    points += CARD * min(len(player.hand), COMPONENTS.printed.hand_limit) * min(1.0, turns / 3)
    held = (COMPONENTS.enhancement(card) for card in player.enhancements)
    return points + sum(worth_of(card, turns) for card in held if card)


def _turns_left(state: State) -> float:
    seats = len(state.players)
    if state.final_turn is not None:
        return (state.final_turn - state.number) / seats
    decks = COMPONENTS.printed.decks_until_end - state.ran_out
    return 1.6 * (len(state.adventurers) + (decks - 1) * len(state.discard)) / seats
