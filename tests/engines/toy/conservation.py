"""What never gets lost in the toy game: its twenty cards; and the points of a seat never shrink."""

from __future__ import annotations

from tests.engines.toy import CARDS, State


def check(state: State) -> None:
    """Every card is in one place."""
    everywhere = [*state.deck, *state.table]
    for hand in state.hands:
        everywhere.extend(hand)
    assert sorted(everywhere) == list(range(CARDS)), "a card is missing or there twice"


def check_step(before: State, after: State) -> None:
    """Cards on the table stay there, and points stay."""
    assert after.table[: len(before.table)] == before.table, "a card left the table"
    assert all(new >= old for old, new in zip(before.scores, after.scores, strict=True)), "points were lost"
