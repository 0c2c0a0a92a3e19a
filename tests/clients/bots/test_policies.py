"""Policies by name: what is there, and what is said of what is not."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from random import Random
from types import ModuleType
from typing import Any

import pytest

from clients.bots import policies
from clients.bots.policies import UnknownPolicy, policy

ACTIONS = [{"type": "play", "card": card} for card in range(5)]


def choose_last(state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random) -> Mapping[str, Any]:
    return actions[-1]


@pytest.fixture
def greedy_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module `clients.bots.greedy.toy`."""
    module = ModuleType("clients.bots.greedy.toy")
    module.choose = choose_last  # type: ignore[attr-defined]
    module.__spec__ = ModuleSpec(module.__name__, None)
    monkeypatch.setitem(sys.modules, module.__name__, module)


def test_random_plays_every_game_and_every_action() -> None:
    choose, random = policy("random", "any game at all"), Random(1)
    chosen = {choose({}, ACTIONS, random)["card"] for _ in range(100)}
    assert chosen == {0, 1, 2, 3, 4}


def test_random_is_a_function_of_its_numbers() -> None:
    choose = policy("random", "toy")
    assert [choose({}, ACTIONS, Random(3)) for _ in range(3)] == [choose({}, ACTIONS, Random(3))] * 3


def test_greedy_is_looked_up_by_the_game(greedy_toy: None) -> None:
    assert policy("greedy", "toy")({}, ACTIONS, Random(0)) == ACTIONS[-1]
    assert policies.policies("toy") == ("random", "greedy")


@pytest.mark.parametrize("game", ["toy", "../toy", "no.such.game", ""])
def test_a_game_without_greedy_is_told_what_there_is(game: str) -> None:
    with pytest.raises(UnknownPolicy, match=r"no game '.*' is known here; there are: .*dragonwood"):
        policy("greedy", game)
    assert policies.policies(game) == ("random",)


def test_an_unknown_policy_is_told_what_there_is(greedy_toy: None) -> None:
    with pytest.raises(UnknownPolicy, match="no policy 'clever' for 'toy'; there are: random, greedy"):
        policy("clever", "toy")
