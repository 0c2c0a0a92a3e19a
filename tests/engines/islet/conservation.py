"""What never gets lost in Islet: tiles, cards of each kind, eggs; and what only ever grows or shrinks."""

from __future__ import annotations

from collections import Counter

from server.engines.islet import ENGINE
from server.engines.islet.state import State

TILES = 90
CARDS = 12  # of each of the six kinds
EGGS = {1: 10, 2: 10, 3: 8, 4: 6}


def check(state: State) -> None:
    """Every tile, card and egg is in one place; nobody has more than may be had."""
    tiles = [tile for stack in state.board.stacks for tile in stack.tiles]
    tiles += [tile for player in state.players for tile in player.hand]
    tiles += [*state.bag, *(state.solo.lost if state.solo else ())]
    assert sorted(tiles) == list(range(TILES)), "a tile is missing or there twice"
    for kind, pile in enumerate(state.piles):
        held = [counts[kind] for player in state.players for counts in (player.cards, player.guarded, player.used)]
        assert min(held) >= 0 <= pile, "a count below zero"
        assert pile + sum(held) == CARDS, "a card is missing or too many"
    laid = Counter(stack.egg for stack in state.board.stacks)
    for seat, player in enumerate(state.players):
        kept = [one + other for one, other in zip(player.guarded, player.used, strict=True)]
        assert max(kept) <= 2, "more than two of a kind are guarded"
        assert player.eggs + sum(kept) + laid[seat] == EGGS[len(state.players)], "an egg is missing or too many"
        assert len(player.hand) <= 4, "a hand of more than four"
    assert ENGINE.load(ENGINE.dump(state)) == state, "load refuses a state of the game"


def check_step(before: State, after: State) -> None:
    """Eggs stay on the island, stacks only grow but for the tide, and the bag only shrinks."""
    now = after.board.at
    for stack in before.board.stacks:
        grown = now.get(stack.cell)
        if grown is None:
            assert after.solo is not None, "a stack left the game"
            assert after.solo.lost[-stack.level :] == stack.tiles, "the tide took other tiles"
            assert stack.egg is None, "the tide took an egg"
        else:
            assert grown.tiles[: stack.level] == stack.tiles, "a tile was taken out of a stack"
            assert stack.egg is None or grown == stack, "a stack with an egg changed"
    assert before.bag[: len(after.bag)] == after.bag, "the bag changed but by drawing"
