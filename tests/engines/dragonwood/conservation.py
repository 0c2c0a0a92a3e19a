"""What never gets lost in Dragonwood: its 64 adventurers, its 42 cards; and what is captured or gone stays so."""

from __future__ import annotations

from itertools import chain

from server.engines.dragonwood.state import State


def check(state: State) -> None:
    """Every card is in one place, no Ladybug in a hand, no hand out of order."""
    hands = [player.hand for player in state.players]
    table = state.attempt.cards if state.attempt else ()
    assert sorted(chain(state.adventurers, state.discard, table, *hands)) == list(range(64)), "an adventurer is lost"
    captured = [(*player.enhancements, *player.creatures) for player in state.players]
    everywhere = chain(state.dragonwood, state.landscape, state.removed, state.gone, *captured)
    assert sorted(everywhere) == list(range(42)), "a Dragonwood card is lost"
    assert all(card < 60 for card in chain(table, *hands)), "a Ladybug is held"
    assert all(list(hand) == sorted(hand) for hand in hands), "a hand is out of order"
    assert len(state.landscape) <= 5, "the landscape is too large"


def check_step(before: State, after: State) -> None:
    """Creatures stay captured, in order; what left the game or was removed stays away; counts only grow."""
    for old, new in zip(before.players, after.players, strict=True):
        assert new.creatures[: len(old.creatures)] == old.creatures, "a creature was lost"
        spent = set(old.enhancements) - set(new.enhancements)
        assert spent <= set(after.gone), "an enhancement went elsewhere"
    assert after.gone[: len(before.gone)] == before.gone, "a card came back into the game"
    assert after.removed == before.removed, "the removed cards changed"
    assert before.ran_out <= after.ran_out <= 2, "the deck ran out too often or was put back"
    assert before.final_turn in (None, after.final_turn), "the last turn moved"
