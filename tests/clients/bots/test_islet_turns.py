"""Whole turns of Islet as its search plans them: by the rules, complete where they can be, and to the point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from clients.bots.outlooks.islet import FAR, Island, Means, kept_of, needs, worth
from clients.bots.outlooks.islet_moves import Plan
from clients.bots.outlooks.islet_turns import plans
from server.engines.dice import Dice
from server.engines.engine import Action
from server.engines.islet import ENGINE
from server.engines.islet.actions import LayEgg, LayTile, Stop, Walk
from server.engines.islet.components import NONE, Counts
from server.engines.islet.state import Ending, Phase, Reason, State
from tests.engines.islet.games import steps
from tests.engines.islet.tables import counts, scene, seat

NO_DICE = Dice(bytes(32))
MANY = 10_000


def after(state: State, line: Sequence[Action]) -> State:
    """By `apply`, which refuses what the rules forbid; the last egg of a solo game ends it within a turn."""
    for action in line:
        if state.phase is not Phase.OVER:
            state, _ = ENGINE.apply(state, state.seat, action, NO_DICE.fork())
    return state


def positions(seats: int, seed: int) -> Iterator[State]:
    """States of a game in which every third action is a good one and the others are anything."""
    random, dice = Random(seed), Dice(bytes([seed]) * 32)
    state = ENGINE.new(seats, ENGINE.options(), dice)
    while state.phase is not Phase.OVER:
        yield state
        actions = ENGINE.legal_actions(state, state.seat)
        found = plans(state, 8, 1)
        action = found[0].line[0] if found and random.random() < 0.7 else random.choice(actions)
        state, _ = ENGINE.apply(state, state.seat, action, dice)


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_every_plan_can_be_played_to_the_end_of_the_turn(seats: int) -> None:
    phases = set()
    for state in positions(seats, seats):
        phases.add(state.phase)
        for plan in plans(state, 12, 4):
            end = after(state, plan.line)
            over = end.number == state.number + 1 or end.phase in (Phase.OVER, Phase.RETURN)
            assert over, (state, plan)
    assert phases >= {Phase.TURN, Phase.EXPLORE, Phase.MOVE, Phase.GUARD}


def explored(state: State) -> set[Counts]:
    """The cards that any explore can end with, by the rules alone; what is too much not yet returned."""
    ends: set[Counts] = set()
    ahead, seen = [state], set()
    while ahead:
        here = ahead.pop()
        for action in ENGINE.legal_actions(here, here.seat):
            if isinstance(action, LayTile | Stop):
                then, _ = ENGINE.apply(here, here.seat, action, NO_DICE.fork())
                if isinstance(action, Stop):
                    ends.add(then.players[here.seat].cards)
                elif (key := (then.board, then.trail)) not in seen:
                    seen.add(key)
                    ahead.append(then)
    return ends


def test_explores_gain_all_that_explores_can_gain() -> None:
    compared = 0
    for step in list(steps(2, 11))[::8]:
        state = step.before
        if state.phase in (Phase.TURN, Phase.EXPLORE) and len(state.board.stacks) < 18:
            found = [plan.line for plan in plans(state, 1, MANY) if isinstance(plan.line[0], LayTile | Stop)]
            assert {after(state, line).players[state.seat].cards for line in found} == explored(state)
            compared += len(found) > 5
    assert compared >= 3


def best(state: State) -> Plan:
    return plans(state, 24, 1)[0]


def test_two_eggs_are_laid_in_one_move_where_both_are_paid_for() -> None:
    state = scene({(0, 0): "wl", (1, 0): "wt", (2, 0): "wf"}, seat((0, 0), {"leaf": 3, "flower": 3}), seat())
    line = best(state).line
    assert sum(isinstance(action, LayEgg) for action in line) == 2
    assert sum(isinstance(action, Walk) for action in line) >= 2
    assert line[-1] == Stop()


def test_an_egg_is_rather_laid_where_the_stack_is_high() -> None:
    state = scene({(0, 0): "wl", (1, 0): "wl wl wl", (2, 0): "wt"}, seat((0, 0), {"leaf": 3}), seat())
    laid = after(state, best(state).line).board.at
    assert laid[1, 0].egg == 0


def test_only_in_the_last_turn_a_card_is_paid_for_height() -> None:
    board, mine = {(0, 0): "wl", (1, 0): "sl sl sl"}, seat((0, 0), {"sand": 1, "leaf": 3}, hand="")
    for ending, cell in ((Ending(3, Reason.BAG), (0, 0)), (Ending(2, Reason.BAG), (1, 0))):
        state = scene(board, mine, seat(hand=""), turn=3, bag=0, ending=ending)
        assert after(state, best(state).line).board.at[cell].egg == 0


def test_a_region_is_what_free_walks_lead_to() -> None:
    state = scene({(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "wl", (0, -1): "ct"}, seat((0, 0)), seat())
    island = Island.of(state.board)
    region = island.region
    assert region[0, 0] == region[1, 0] != region[3, 0]
    assert island.reach(region[0, 0], frozenset()) == (0, 0, 1)
    assert island.reach(region[0, 0], frozenset({(0, 0)})) == (2, 0, 1)
    assert island.reach(None, frozenset())[2] == 1
    assert island.reach(region[0, 0], frozenset({(2, 0)}))[2] == FAR


def test_two_eggs_share_the_terrain_of_their_pairs() -> None:
    """A twig of water and sand, a flower of sand and clay: with one sand it is the one or the other."""
    means = counts({"water": 1, "sand": 1, "clay": 1, "twig": 2, "flower": 2})
    assert needs(means, (FAR, 0, 0)) == (0, 1)
    assert needs(counts({"water": 1, "sand": 2, "clay": 1, "twig": 2, "flower": 2}), (FAR, 0, 0)) == (0, 0)


def test_of_too_many_cards_nests_are_kept() -> None:
    assert kept_of(counts({"water": 4, "leaf": 3, "twig": 3})) == counts({"water": 2, "leaf": 3, "twig": 3})
    assert sum(kept_of((5, 5, 5, 5, 5, 5))) == ENGINE.components.unguarded_limit


def test_an_egg_is_worth_more_than_all_that_it_takes() -> None:
    cards = counts({"leaf": 3, "water": 1})
    for to_lay in range(1, 11):
        laid = worth(Means(to_lay - 1, NONE, NONE, (0, 0, 0), True))
        assert laid > worth(Means(to_lay, cards, NONE, (0, 0, 0), True)) - 0.5
