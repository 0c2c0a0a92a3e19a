"""The environments, held against the tests that PettingZoo and OpenSpiel have for such: `make research`."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Iterator

import numpy as np
import pyspiel
import pytest
from pettingzoo.test import api_test, seed_test

import clients.environments.openspiel  # noqa: F401 - registers the games
from clients.environments.aec import GameEnv
from clients.environments.episode import MOST_ACTIONS
from server.engines import ENGINES

pytestmark = pytest.mark.research
NAMES = sorted(engine.name for engine in ENGINES.values())


@pytest.fixture(autouse=True)
def _told_of_dict_observations() -> Iterator[None]:
    """PettingZoo's tests warn of every observation that is no plain array, as one with a mask has to be."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, module="pettingzoo.*")
        warnings.filterwarnings("ignore", category=UserWarning, module="gymnasium.*")
        yield


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seats", [2, 4])
def test_pettingzoo_finds_the_interface_kept(game: str, seats: int) -> None:
    api_test(GameEnv(game, seats), num_cycles=200, verbose_progress=False)


@pytest.mark.parametrize("game", NAMES)
def test_pettingzoo_finds_the_same_match_for_the_same_seed(game: str) -> None:
    seed_test(lambda: GameEnv(game), num_cycles=100)


def numbers(env: GameEnv, seed: int | None) -> tuple[list[int], dict[str, float]]:
    """A match of the last legal actions: how many there were each time, and the rewards."""
    env.reset(seed=seed)
    counts: list[int] = []
    for _ in env.agent_iter(100_000):
        observation, _, ended, _, info = env.last()
        legal = int(observation["action_mask"].sum())
        assert len(info["actions"]) == legal
        counts.append(legal)
        env.step(None if ended else len(counts) * 7919 % legal)
    return counts, env.rewards


def test_a_match_ends_with_utilities_that_add_up_to_nothing() -> None:
    env = GameEnv("bretagne", 3)
    env.reset(seed=4)
    rewards: dict[str, float] = {}
    for agent in env.agent_iter(100_000):
        observation, reward, ended, _, _ = env.last()
        if ended:
            rewards[agent] = reward
        env.step(None if ended else int(np.flatnonzero(observation["action_mask"])[0]))
    assert len(rewards) == 3
    assert sum(rewards.values()) == pytest.approx(0)
    assert env.agents == []


def test_without_a_seed_the_next_match_is_another() -> None:
    env = GameEnv("dragonwood")
    first, second, again = numbers(env, 1), numbers(env, None), numbers(env, 1)
    assert first == again
    assert first != second


def test_what_is_not_legal_is_refused_and_changes_nothing() -> None:
    env = GameEnv("islet", render_mode="ansi")
    env.reset(seed=1)
    before = env.render()
    for action in (-1, len(env.infos["seat_0"]["actions"]), MOST_ACTIONS, None):
        with pytest.raises(ValueError, match="legal actions"):
            env.step(action)
    assert env.render() == before


@pytest.mark.parametrize("action", [0.9, "0", np.float32(1)])
def test_what_is_no_whole_number_is_no_action(action: object) -> None:
    env = GameEnv("islet", render_mode="ansi")
    env.reset(seed=1)
    before = env.render()
    with pytest.raises(TypeError, match="integer"):
        env.step(action)  # type: ignore[arg-type]
    assert env.render() == before


def test_only_ways_to_render_that_there_are() -> None:
    with pytest.raises(ValueError, match="render_mode"):
        GameEnv("islet", render_mode="human")
    assert GameEnv("islet").render_mode is None


@pytest.mark.parametrize("game", NAMES)
def test_what_was_pickled_plays_on_alike(game: str) -> None:
    env = GameEnv(game, render_mode="ansi")
    env.reset(seed=1)
    for _ in range(5):
        env.step(0)
    again = pickle.loads(pickle.dumps(env))
    for _ in range(20):
        for each in (env, again):
            each.step(len(each.infos[each.agent_selection]["actions"]) - 1)
        assert again.render() == env.render()
    assert pickle.loads(pickle.dumps(GameEnv(game))).possible_agents == env.possible_agents


def test_an_agent_sees_what_its_seat_sees() -> None:
    env = GameEnv("dragonwood", 2, {"dragons": "whole_deck"})
    env.reset(seed=1)
    one, other = (env.episode.views(seat) for seat in (0, 1))
    assert one["game"] == other["game"]
    assert one["you"]["hand"] != other["you"]["hand"]
    assert not (env.observe("seat_0")["observation"] == env.observe("seat_1")["observation"]).all()


@pytest.mark.parametrize(("game", "seats", "options"), [("chess", 2, {}), ("islet", 1, {}), ("islet", 9, {})])
def test_a_table_that_does_not_exist_is_refused(game: str, seats: int, options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"no game|is for"):
        GameEnv(game, seats, options)


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("seats", [2, 3])
def test_openspiel_finds_nothing_wrong_in_random_matches(game: str, seats: int) -> None:
    loaded = pyspiel.load_game(f"pharos_{game}", {"players": seats, "deals": 100})
    pyspiel.random_sim_test(loaded, num_sims=1, serialize=False, verbose=False)


def test_a_history_is_a_whole_match() -> None:
    game = pyspiel.load_game("pharos_dragonwood", {"deals": 50})
    state = game.new_initial_state()
    rng = np.random.default_rng(3)
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
    again = game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert str(again) == str(state)
    assert again.returns() == state.returns()
    assert sum(state.returns()) == 0


@pytest.mark.parametrize("parameters", [{"players": 9}, {"players": 1}, {"players": 0}, {"deals": 0}, {"deals": -1}])
def test_openspiel_is_given_no_table_that_does_not_exist(parameters: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"no table of|deals: at least 1"):
        pyspiel.load_game("pharos_dragonwood", parameters)


def test_openspiel_deals_no_more_than_there_are() -> None:
    state = pyspiel.load_game("pharos_dragonwood", {"deals": 5}).new_initial_state()
    with pytest.raises(ValueError, match="5 deals, and no number 77"):
        state.apply_action(77)
    with pytest.raises(ValueError, match="no number 5"):
        state.apply_action(5)
    state.apply_action(4)
    assert state.current_player() >= 0
