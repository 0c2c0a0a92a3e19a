"""The solo game's day-and-night cards, the rising tide, and its two ends (RULES.md, "Solo game")."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Event
from server.engines.islet.actions import Ended, Night, Place
from server.engines.islet.components import Components
from server.engines.islet.state import Phase, SoloDeck, State
from server.engines.islet.steps import Outcome
from server.engines.islet.steps.scoring import solo_rank


def turn_up(components: Components, state: State, solo: SoloDeck, dice: Dice) -> Outcome:
    """Turn up one card and carry it out; after the last one the deck is shuffled again, or the game is over."""
    night = solo.deck[-1] >= components.solo.day  # ids: the day cards first
    solo = replace(solo, deck=solo.deck[:-1])
    state, events = _rising_tide(state, solo, dice) if night else _day(state, solo)
    if solo.deck:
        return replace(state, number=state.number + 1), events
    if solo.passing < components.solo.passes:
        assert state.solo is not None
        again = replace(state.solo, passing=solo.passing + 1, deck=tuple(dice.shuffle(range(components.solo.cards))))
        return replace(state, number=state.number + 1, solo=again), events
    state, over = finish(components, state)
    return state, events + over


def finish(components: Components, state: State) -> Outcome:
    """The solo game is over: the last card has been carried out, or the last egg lies on its tile."""
    return replace(state, phase=Phase.OVER, trail=()), [Event(Ended(solo_rank(components, state)))]


def _day(state: State, solo: SoloDeck) -> Outcome:
    """Nothing happens, and no event tells of it; yet a card came to light."""
    return replace(state, solo=solo), [Event(None, reveals=True)]


def _rising_tide(state: State, solo: SoloDeck, dice: Dice) -> Outcome:
    board, bird = state.board, state.player.bird
    loose = [board.at[cell] for cell in board.coast if board.at[cell].egg is None and cell != bird]
    if not loose:
        return replace(state, solo=solo), [Event(Night(None), reveals=True)]
    lowest = min(stack.level for stack in loose)
    candidates = [stack for stack in loose if stack.level == lowest]
    lost = candidates[dice.below(len(candidates))]
    solo = replace(solo, lost=solo.lost + lost.tiles)
    return replace(state, board=board.without(lost.cell), solo=solo), [Event(Night(Place.of(lost.cell)), reveals=True)]
