"""The worked examples of RULES.md, by their numbers."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import Build, Catch, Earn, EndTurn, Sail, ScoreLace, Sell, Send, Skip, Take
from server.engines.burano.box import RoofKind
from server.engines.burano.events import CrewSent, LaceScored
from server.engines.burano.state import Earning, Fishing, Phase
from server.engines.burano.steps import wheel
from server.engines.burano.steps.roofs import worth
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ORANGE,
    WHITE,
    act,
    ashore,
    at_work,
    card,
    deserted,
    docks,
    give,
    house,
    in_turn,
    legal_of,
    play,
    replace,
    roof_id,
    square,
    turned,
    without_pyramids,
)


def test_1_four_actions_cost_nine_coins_and_three_coins_pay_for_two() -> None:
    assert sum(BOX.action_coins) == -9
    state = in_turn()
    assert state.families[0].coins - 4 == 3
    state = act(act(give(state, coins=3), Take(2, 0, 0)), Take(1, 0, 0))
    assert (state.actions, state.families[0].coins) == (2, 1)
    assert not legal_of(state, Take)


def test_2_the_three_sectors_of_ring_piece_a() -> None:
    state = turned(deserted(in_turn()))
    assert wheel.reds(state.families[0].wheel, BOX) == (WHITE, ORANGE, BLUE)
    assert worth(state, BOX, 0, RoofKind.WHEEL)[1] == 2
    earning = replace(state, phase=Phase.PERFORM, task=Earning(), actions=1)
    assert act(earning, Earn()).families[0].coins == state.families[0].coins + 2
    state = docks(give(state, boat="Venezia"), "Mazzorbo", WHITE, WHITE, BLUE)
    state = act(replace(state, phase=Phase.PERFORM, task=Fishing(swapped=False), actions=1), Sail(("Mazzorbo",)))
    fish = 0
    while state.phase is Phase.CATCH:
        state = act(state, Catch("deck"))
        fish += 1
    assert fish == state.families[0].fish.total == 2
    assert play(state, Send())[1] == [CrewSent(0, "Mazzorbo", 1, (), 2)]


@pytest.mark.parametrize(
    ("seats", "cells"), [(2, ((1, 4), (2, 4), (2, 5))), (3, ((1, 4), (2, 4), (2, 5))), (4, ((2, 4), (1, 4), (1, 5)))]
)
def test_3_three_workers_that_touch_score_eight(seats: int, cells: tuple[tuple[int, int], ...]) -> None:
    blue, white, orange = (square(*cell) for cell in cells)
    state = at_work(without_pyramids(in_turn(seats)), blue, white, orange)
    board = state.workshops.squares
    assert [board[place].colour for place in (blue, white, orange)] == [BLUE, WHITE, ORANGE]
    state = replace(give(state, ready=[ORANGE, BLUE, WHITE]), phase=Phase.LACE_SCORING)
    scored = play(state, ScoreLace(tuple(sorted((blue, white, orange))), None))[1][0]
    assert isinstance(scored, LaceScored)
    assert scored.points == 3 * 2 + 2 == 8


@pytest.mark.parametrize(("seats", "each"), [(4, 2), (3, 1)])
def test_4_a_tie_on_an_island_is_shared_or_goes_to_the_harbour_master(seats: int, each: int) -> None:
    others = (0,) * (seats - 2)
    state = ashore(deserted(without_pyramids(in_turn(seats))), "Torcello", 1, 1, *others)
    state = replace(state, round=3, seat=seats - 1, actions=1)
    after = act(state, EndTurn())
    assert [family.points for family in after.families] == [each, each, *others]
    after = act(give(state, 1, buildings=(card("harbour master"),)), EndTurn())
    assert [family.points for family in after.families] == [0, seats, *others]


def test_5_a_white_cube_on_a_white_roof_end_brings_a_privilege_and_the_white_action() -> None:
    state = house(give(in_turn(), ready=[WHITE]), 3, 4, BLUE, roofs=[(roof_id("fixed", "white", "blue"), 0)])
    state = act(state, Build("white", 3, 4))
    assert state.families[0].privileges == 2
    assert state.phase is Phase.PERFORM
    assert act(state, Skip()).families[0].privileges == 2


@pytest.mark.parametrize(
    ("ship", "fish", "points"),
    [
        ("single catch", ("eel",) * 4, 15),
        ("assortment", ("sardine", "sea bass", "sole", "eel", "squid"), 14),
        ("pairs", ("sole", "sole", "crab", "crab"), 9),
    ],
)
def test_6_three_sales(ship: str, fish: tuple[str, ...], points: int) -> None:
    number = [each.name for each in BOX.ships].index(ship)
    state = give(in_turn(), boat="Venezia", fish=list(fish))
    state = replace(state, phase=Phase.SELL, actions=1, sea=replace(state.sea, ships=(0, 0, 0, 0)))
    assert act(state, Sell(number, fish)).families[0].points == points
