"""Who won, and how the solo game went (RULES.md, "End and score", "Solo game")."""

from __future__ import annotations

from server.engines.engine import Result
from server.engines.islet.components import Components
from server.engines.islet.state import Phase, SoloDeck, State


def egg_levels(state: State, seat: int) -> list[int]:
    """The levels of a seat's eggs on the island, highest first."""
    return sorted((stack.level for stack in state.board.stacks if stack.egg == seat), reverse=True)


def result(components: Components, state: State) -> Result | None:
    """Most eggs; then the highest egg, the next highest, and so on; then shared. None while the game goes on."""
    if state.phase is not Phase.OVER:
        return None
    if state.solo:
        return Result((solo_score(components, state),), (1,), solo_rank(components, state))
    assert state.ending is not None
    merits = [(len(levels), levels) for levels in (egg_levels(state, seat) for seat in range(len(state.players)))]
    ranks = tuple(1 + sum(other > own for other in merits) for own in merits)
    return Result(tuple(count for count, _ in merits), ranks, state.ending.reason.value)


def cards_turned(components: Components, solo: SoloDeck) -> int:
    """The day-and-night cards turned so far, in all passes."""
    return solo.passing * components.solo.cards - len(solo.deck)


def solo_score(components: Components, state: State) -> int:
    """Points per egg and level; and, when all eggs are laid, per card not yet turned."""
    assert state.solo is not None
    points, levels = components.solo.points, egg_levels(state, 0)
    unused = components.solo.passes * components.solo.cards - cards_turned(components, state.solo)
    early = points.unused_card * unused if len(levels) == components.eggs_of(1) else 0
    return points.egg * len(levels) + points.level * sum(levels) + early


def solo_rank(components: Components, state: State) -> str:
    """What the score is called."""
    return components.solo.rank(solo_score(components, state))
