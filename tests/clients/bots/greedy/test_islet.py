"""The greedy player of Islet: legal everywhere, and far better than chance."""

from __future__ import annotations

from random import Random

import pytest

from clients.bots.greedy.islet import Turn, choose
from clients.bots.offline import as_map, document, moves, play, table
from clients.bots.policies import play_random
from server.engines.islet import ENGINE
from tests.engines.islet.games import steps
from tests.engines.islet.tables import pay, scene, seat


def wins(seeds: range) -> int:
    """Games for two that it wins alone, in either seat by turns."""
    won = 0
    for seed in seeds:
        mine = seed % 2
        chooses = [choose, play_random] if mine == 0 else [play_random, choose]
        result = play(table(ENGINE, 2, seed), chooses, Random(seed))
        won += result.ranks[mine] < result.ranks[1 - mine]
    return won


def test_it_beats_chance_in_nine_games_of_ten() -> None:
    assert wins(range(10)) >= 9


@pytest.mark.soak
def test_it_beats_chance_in_ninety_games_of_a_hundred() -> None:
    assert wins(range(100)) >= 90


def test_it_lays_most_of_its_eggs_alone() -> None:
    """Which a player by chance never does: the solo game takes a plan."""
    last = list(moves(table(ENGINE, 1, 1), [choose], Random(1)))[-1]
    assert sum(stack.egg == 0 for stack in last.state.board.stacks) >= 5


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_it_chooses_from_the_list_wherever_a_game_leads(seats: int) -> None:
    random = Random(0)
    for step in list(steps(seats, 40 + seats))[::6]:
        actions = [as_map(action) for action in ENGINE.legal_actions(step.before, step.seat)]
        state = document(table(ENGINE, seats), step.before, step.seat)
        assert choose(state, actions, random) in actions


def test_it_lays_an_egg_that_it_can_pay_for() -> None:
    state = scene({(0, 0): "wl", (1, 0): "wl"}, seat((0, 0), {"leaf": 3}), seat())
    actions = [as_map(action) for action in ENGINE.legal_actions(state, 0)]
    assert choose(document(table(ENGINE, 2), state, 0), actions, Random(1))["type"] == "lay_egg"


def test_it_walks_to_where_it_can_lay() -> None:
    state = scene({(0, 0): "wt", (1, 0): "wt", (2, 0): "wl wl"}, seat((0, 0), {"leaf": 3}), seat())
    actions = [as_map(action) for action in ENGINE.legal_actions(state, 0)]
    chosen = choose(document(table(ENGINE, 2), state, 0), actions, Random(1))
    assert chosen == {"type": "walk", "x": 1, "y": 0, "pay": pay()}


def test_the_shorter_of_equal_turns_is_better() -> None:
    turns = [Turn(1.0, (1, 2)), Turn(1.0, (3,)), Turn(0.5, ())]  # type: ignore[arg-type]
    assert max(turns, key=Turn.order).line == (3,)
