"""The random players of the tests: repeatable, complete in their options, and mutations that differ."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from random import Random
from typing import Any, Literal

import msgspec
import pytest

from clients.bots.policies import play_random
from tests.engines.play import by_type, digest, final, mutated, option_sets, walk
from tests.engines.toy import ENGINE, Options, Pass, Play


def test_a_walk_is_a_whole_game_and_repeats() -> None:
    steps = list(walk(ENGINE, 3, Options(), 5))
    assert steps == list(walk(ENGINE, 3, Options(), 5))
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert all(old.after is new.before for old, new in pairwise(steps))
    assert ENGINE.result(steps[-1].after) is not None
    assert final(ENGINE, 3, Options(), 5) == steps[-1].after


def test_other_seeds_pick_other_actions() -> None:
    games = {tuple(step.action for step in walk(ENGINE, 2, Options(), seed)) for seed in range(20)}
    assert len(games) == 20


def test_seats_that_decide_at_once_act_in_any_order() -> None:
    firsts = {
        next(step.seat for step in walk(ENGINE, 3, Options(), seed) if step.before.phase == "bid") for seed in range(30)
    }
    assert firsts == {0, 1, 2}


def test_by_type_gives_a_rare_type_its_share() -> None:
    actions = [Pass(), *(Play(cards=(card,), loud=False) for card in range(50))]
    random = Random(1)
    passes = sum(isinstance(by_type(actions, random), Pass) for _ in range(200))
    assert 70 < passes < 130


def test_a_policy_plays_most_of_a_walk() -> None:
    calls = 0

    def counting(state: Any, actions: Any, random: Random) -> Any:
        nonlocal calls
        calls += 1
        return play_random(state, actions, random)

    steps = [step for seed in range(10) for step in walk(ENGINE, 2, Options(), seed, policy=counting)]
    assert 0.6 * len(steps) < calls < 0.9 * len(steps)


def test_a_walk_without_end_is_said() -> None:
    with pytest.raises(AssertionError, match="toy with 2 seats, seed 1: no end after 3 steps"):
        list(walk(ENGINE, 2, Options(), 1, most=3))


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Many(msgspec.Struct, frozen=True):
    flag: bool = True
    colour: Colour = Colour.RED
    size: Literal[1, 2, 3] = 2
    limit: int = 5


def test_option_sets_begin_with_the_defaults_and_have_every_value() -> None:
    class Wide:
        options = Many

    sets = option_sets(Wide())
    assert sets[0] == Many()
    assert len(sets) == len(set(sets)) == 5
    assert {each.flag for each in sets} == {True, False}
    assert {each.colour for each in sets} == set(Colour)
    assert {each.size for each in sets} == {1, 2, 3}
    assert len(option_sets(ENGINE)) == 4


def test_mutated_actions_differ_in_every_way() -> None:
    action = {"type": "play", "cards": [3, 5], "loud": False}
    random = Random(2)
    changed = [mutated(action, random, [7, "red"]) for _ in range(300)]
    assert action == {"type": "play", "cards": [3, 5], "loud": False}
    assert any("loud" not in each for each in changed)
    assert any(set(each) - set(action) for each in changed)
    for wanted in ([5, 3], [3], [3, 5, 3]):
        assert any(each.get("cards") == wanted for each in changed), wanted
    assert sum(each != action for each in changed) > 250


def test_a_digest_is_that_of_the_whole_state() -> None:
    steps = list(walk(ENGINE, 2, Options(), 5))
    digests = [digest(step.before) for step in steps]
    assert len(set(digests)) == len(digests)
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in digests)
