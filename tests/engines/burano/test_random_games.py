"""Whole random games: coins flow as the events tell, lists stay short, no action can go on for ever."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from server.engines.burano.events import (
    Built,
    CoinGained,
    CrewSent,
    Earned,
    Ended,
    LacePlaced,
    Painted,
    Recalled,
    Stacked,
    Taken,
)
from server.engines.burano.state import Options, Phase
from tests.engines.burano.tables import BOX, ENGINE
from tests.engines.play import Step, by_type, evenly, walk

LONGEST = 2_000
GAMES = [(2 + seed % 3, Options("random" if seed % 2 else "first_game"), seed) for seed in range(300)]
MOST_IN_A_TURN = 200  # actions of one turn and of the decisions that follow from it


def games(number: int) -> Iterator[tuple[int, list[Step]]]:
    for seats, options, seed in GAMES[:number]:
        yield seats, list(walk(ENGINE, seats, options, seed, pick=by_type if seed % 4 < 2 else evenly))


def coins_told(step: Step) -> list[int]:
    """What each seat gets or pays by the events of a step."""
    told = [0] * len(step.after.families)
    for body in (event.public for event in step.events):
        if isinstance(body, Built | CoinGained | Earned | LacePlaced | Painted | Recalled | Stacked | Taken):
            told[body.seat] += body.coins
        if isinstance(body, CrewSent | LacePlaced):
            for seat in body.displaced:
                told[seat] += body.compensation
        if isinstance(body, Ended):
            for seat, final in enumerate(body.final):
                told[seat] += final.privileges
    return told


def test_coins_flow_as_the_events_tell() -> None:
    for _, steps in games(6):
        for step in steps:
            moved = [new.coins - old.coins for old, new in zip(step.before.families, step.after.families, strict=True)]
            assert moved == coins_told(step), step.action


def test_every_turn_ends_and_a_game_has_fourteen_rounds() -> None:
    """Each action uses up a cube, a roof, a privilege or a worker's place: no turn goes on for ever."""
    for seats, steps in games(6):
        per_turn: dict[int, int] = {}
        for step in steps:
            if step.before.phase not in (Phase.ROOFS, Phase.PYRAMID):
                per_turn[step.before.turn] = per_turn.get(step.before.turn, 0) + 1
        assert max(per_turn.values()) <= MOST_IN_A_TURN
        assert steps[-1].after.turn == seats * sum(BOX.rounds)
        assert steps[-1].after.phase is Phase.OVER


def longest_list(number: int) -> int:
    """The longest list of a decision in so many random games."""
    longest = 0
    for _, steps in games(number):
        for step in steps:
            for seat in ENGINE.deciding(step.before):
                longest = max(longest, len(ENGINE.legal_actions(step.before, seat)))
    return longest


def test_no_decision_lists_more_than_two_thousand_actions() -> None:
    assert 50 < longest_list(9) <= LONGEST


@pytest.mark.soak
def test_no_decision_lists_more_than_two_thousand_actions_in_many_games() -> None:
    assert longest_list(len(GAMES)) <= LONGEST
