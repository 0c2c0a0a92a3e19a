"""The greedy policy of Burano: it beats random play, and its single decisions are those that it should make."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from clients.bots.greedy.burano import choose
from clients.bots.offline import as_map, document, play, table
from clients.bots.policies import play_random, policy
from server.engines.burano import ENGINE
from server.engines.burano.state import Phase
from tests.engines.burano.scenes import in_harbour, scoring, street
from tests.engines.burano.tables import BLUE, GREEN, WHITE, card, give, house, in_turn, replace, roof_id
from tests.engines.burano.test_lace_scoring import BLUE_14, ORANGE_25, WHITE_24
from tests.engines.burano.test_roofs import FIXED_WB


def chosen(state: Any) -> dict[str, Any]:
    """What the policy does in this state for the deciding seat."""
    seat = ENGINE.deciding(state)[0]
    actions = [as_map(action) for action in ENGINE.legal_actions(state, seat)]
    return dict(choose(document(table(ENGINE, len(state.families)), state, seat), actions, Random(0)))


def wins(games: int, seats: int = 2) -> int:
    """How many of so many games greedy wins alone against random play."""
    won = 0
    for seed in range(games):
        own = seed % seats
        chooses = [play_random] * seats
        chooses[own] = policy("greedy", "burano")
        ranks = play(table(ENGINE, seats, seed), chooses, Random(seed)).ranks
        won += ranks[own] == 1 and ranks.count(1) == 1
    return won


def test_it_wins_nine_of_ten_games_against_random_play() -> None:
    assert wins(10) >= 9


@pytest.mark.soak
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_wins_ninety_of_a_hundred_games_against_random_play(seats: int) -> None:
    assert wins(100, seats) >= 90


def test_it_paints_a_roof_when_it_can() -> None:
    assert chosen(street(FIXED_WB))["type"] == "paint"


def test_it_builds_where_a_roof_will_fit() -> None:
    state = give(house(in_turn(), 3, 4, WHITE), ready=[BLUE], roofs=(roof_id("fixed", "white", "blue"),))
    state = replace(give(state, pyramid=type(state.families[0].pyramid)((None,) * 14)), actions=1)
    action = chosen(state)
    assert action["type"] == "build"
    assert abs(action["x"] - 3) + abs(action["y"] - 4) == 1


def test_it_sells_what_pays_most() -> None:
    state = in_harbour("sole", "sole", "sole", "sole", ships=(0, 0, 0, 0))
    assert chosen(state) == {"type": "sell", "ship": 1, "fish": ["sole"] * 4}


def test_it_scores_the_largest_guild() -> None:
    state = scoring(BLUE_14, WHITE_24, ORANGE_25, ready=[1, BLUE, WHITE])
    assert chosen(state)["squares"] == [BLUE_14, WHITE_24, ORANGE_25]


def test_it_takes_the_campanile_for_a_roof_in_winter() -> None:
    state = replace(street(FIXED_WB), season=3)
    paint = next(action for action in ENGINE.legal_actions(state, 0) if type(action).__name__ == "Paint")
    state, _ = ENGINE.apply(state, 0, paint, None)
    assert state.phase is Phase.REWARD
    row = replace(state.buildings, open=(card("campanile"), card("fast boat"), None, None))
    assert chosen(replace(state, buildings=row)) == {"type": "building", "card": card("campanile")}


def test_it_stacks_what_its_roofs_want_on_top() -> None:
    state = in_turn()
    base = type(state.families[0].pyramid)((GREEN,) * 9 + (GREEN,) * 4 + (None,))
    state = give(state, pyramid=base, stock=[GREEN, BLUE], roofs=(roof_id("fixed", "white", "blue"),))
    assert chosen(replace(state, phase=Phase.PYRAMID))["colour"] == "blue"
