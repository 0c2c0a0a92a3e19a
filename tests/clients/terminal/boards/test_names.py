"""What a player is called is shown as it stands, on every board: also what looks like Rich's own markup."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from clients.bots.offline import document, moves, table
from clients.bots.policies import policy
from clients.terminal.games import board_of
from server.engines import latest
from tests.clients.terminal.boards.printed import printed

NAMES = ("[/b]", "a[red]b")


def named(state: dict[str, Any]) -> dict[str, Any]:
    for seat, name in zip(state["room"]["seats"], NAMES, strict=True):
        seat["name"] = name
    return state


@pytest.mark.parametrize("game", ["dragonwood", "islet", "burano", "bretagne"])
def test_names_stand_on_the_board_as_they_are(game: str) -> None:
    engine = latest(game)
    assert engine is not None
    played, phases = table(engine, 2, seed=5), set()
    for move in moves(played, [policy("greedy", game)] * 2, Random(5)):
        state = named(document(played, move.state, 0))
        if state["turn"]["phase"] not in phases:
            phases.add(state["turn"]["phase"])
            drawn = printed(board_of(game).draw, state, 120)
            assert all(name in drawn for name in NAMES), state["turn"]["phase"]
    assert len(phases) > 3
