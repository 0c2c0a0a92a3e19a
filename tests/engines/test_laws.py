"""Every law over every registered game: at every number of seats, with every set of options at least once."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import pytest

from clients.bots.policies import policies, policy
from server.engines import ENGINES, AnyEngine
from tests.engines.laws import Game, Law, order, played, rules, secrets, states, views
from tests.engines.play import by_type, evenly, option_sets

WAYS = 3

LAWS: tuple[Law, ...] = (*rules.LAWS, *order.LAWS, *states.LAWS, *views.LAWS, *secrets.LAWS)


def cases(engine: AnyEngine) -> list[Game]:
    """Every number of seats with the defaults in three ways to play, every other set of options with one number."""
    defaults, *others = option_sets(engine)
    seats = list(engine.seats)
    games = [_game(engine, each, defaults, seed=10 * each + way) for each in seats for way in range(WAYS)]
    return games + [
        _game(engine, seats[number % len(seats)], options, seed=1001 + number) for number, options in enumerate(others)
    ]


def soaked(engine: AnyEngine) -> list[Game]:
    """Three games for each number of seats and set of options, looked at more closely."""
    return [
        _game(engine, seats, options, seed=10_000 + 10 * number + way, share=4)
        for seats in engine.seats
        for number, options in enumerate(option_sets(engine))
        for way in range(WAYS)
    ]


def _game(engine: AnyEngine, seats: int, options: msgspec.Struct, seed: int, share: float = 1) -> Game:
    """Played by the greedy policy where there is one (mostly), by type of action, or evenly: by the seed."""
    way = seed % 10 % WAYS
    name = "greedy" if way == 0 and "greedy" in policies(engine.name) else "random"
    chooses = policy(name, engine.name) if name == "greedy" else None
    return Game(engine, seats, options, seed, pick=evenly if way == 1 else by_type, policy=chooses, share=share)


def name(value: object) -> str:
    """The name of a law, or of a game's engine, seats and seed."""
    if isinstance(value, Game):
        return f"{value.engine.name}-{value.seats}-{value.seed}"
    return str(getattr(value, "__name__", value))


@lru_cache(maxsize=2)
def _played(number: int, *, soak: bool = False) -> Game:
    return played((SOAK if soak else CASES)[number])


CASES = [game for engine in ENGINES.values() for game in cases(engine)]
SOAK = [game for engine in ENGINES.values() for game in soaked(engine)]


@pytest.mark.parametrize("law", LAWS, ids=name)
@pytest.mark.parametrize("number", range(len(CASES)), ids=lambda number: name(CASES[number]))
def test_the_law_holds(law: Law, number: int) -> None:
    law(_played(number))


@pytest.mark.soak
@pytest.mark.parametrize("number", range(len(SOAK)), ids=lambda number: name(SOAK[number]))
def test_all_laws_hold_in_many_games(number: int) -> None:
    game = _played(number, soak=True)
    for law in LAWS:
        law(game)
