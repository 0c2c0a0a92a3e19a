"""The greedy policy of Bretagne: it beats random play, and its single decisions are those that it should make."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from clients.bots.greedy.bretagne import choose
from clients.bots.offline import as_map, document, moves, play, table
from clients.bots.policies import play_random, policy
from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Build, ChooseBarge, Done, EnterCity
from server.engines.bretagne.box import City, Equipment
from server.engines.bretagne.state import Barges, State, Status
from tests.engines.bretagne.tables import (
    acting,
    deal,
    give,
    in_harbour,
    in_round,
    levels,
    new,
    open_tile,
    passing,
    tile,
    workers,
)
from tests.engines.bretagne.tables import play as played

HELL = 5


def chosen(state: State) -> dict[str, Any]:
    """What the policy does in this state for the deciding seat."""
    seat = ENGINE.deciding(state)[0]
    actions = [as_map(action) for action in ENGINE.legal_actions(state, seat)]
    return dict(choose(document(table(ENGINE, len(state.players)), state, seat), actions, Random(0)))


def test_it_wins_at_least_36_of_40_games_against_random_play() -> None:
    wins = 0
    for seed in range(40):
        own = seed % 2
        chooses = [play_random, play_random]
        chooses[own] = policy("greedy", "bretagne")
        wins += play(table(ENGINE, 2, seed), chooses, Random(seed)).ranks[own] == 1
    assert wins >= 36


@pytest.mark.parametrize(("seats", "barges"), [(2, "chosen"), (3, "by_order"), (4, "chosen")])
def test_it_plays_whole_games_at_any_table_and_finishes_lighthouses(seats: int, barges: str) -> None:
    """`moves` refuses what is not on the list."""
    greedy = policy("greedy", "bretagne")
    *_, last = moves(table(ENGINE, seats, 5, {"barges": barges}), [greedy] * seats, Random(1))
    assert ENGINE.result(last.state) is not None
    assert sum(each.status is Status.BUILT for each in last.state.lighthouses) >= 3


def test_it_builds_when_it_can_and_passes_when_it_can_do_nothing() -> None:
    state = acting()
    assert chosen(state) == {"type": "pass"}
    rich = give(state, 0, "4 brick 4 stone 4 sand 2 wood", engineers=3)
    assert chosen(rich)["type"] == "build"


def test_it_fetches_engineers_when_they_are_all_that_is_missing() -> None:
    state = give(acting(), 0, "4 brick 4 stone 4 sand 2 wood", coins=4)
    assert chosen(state) == {"type": "trade", "city": "brest"}
    assert chosen(played(state, EnterCity(City.BREST))) == {"type": "hire_pair"}


def test_it_sends_the_crew_home_in_the_last_round() -> None:
    wanted = tile("1 brick 2 stone", "hell", points=5)
    state = give(open_tile(in_round(acting(), 5), wanted), 0, "4 brick 4 stone 4 sand", engineers=2)
    after = played(state, Build(wanted, HELL))
    assert chosen(after) == {"type": "crew", "home": ENGINE.legal_actions(after, 0)[-1].home}


def test_it_plays_its_best_card_first_and_keeps_a_worker_for_a_free_harbour() -> None:
    state = levels(in_round(acting(), 4), HELL, (0, 3), (1, 0), (1, 0))
    state = passing(deal(state, 0, Equipment.FURNISHINGS, Equipment.CABLEWAY), 0, 1)
    assert chosen(state) == {"type": "equip", "card": "cableway"}
    after = played(passing(levels(in_round(acting(), 4), HELL, (0, 2), (1, 0), (1, 0)), 0, 1), Done())
    assert chosen(after) == {"type": "enter"}


def test_it_takes_its_majority_rather_than_a_dear_harbour_in_the_last_round() -> None:
    state = in_harbour(levels(in_round(acting(4), 5), HELL, (0, 1), (1, 0), (1, 0)), 2, 1, 2, 3)
    state = played(passing(give(state, 0, coins=3), 0, 1, 2, 3), Done())
    assert chosen(state) == {"type": "skip"}


def test_it_takes_the_barge_card_that_brings_most() -> None:
    state = new(4, barges=Barges.CHOSEN)
    assert chosen(state) == {"type": "choose_barge", "place": 4}
    assert chosen(played(state, ChooseBarge(4))) == {"type": "choose_barge", "place": 3}


def test_without_workers_it_does_not_try_to_trade() -> None:
    assert chosen(workers(give(acting(), 0, coins=9), 0, 0)) == {"type": "pass"}
