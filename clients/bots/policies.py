"""The policies by name: what plays a seat, given the state document and the list of legal actions.

A policy is a function; it keeps nothing between decisions and sees what its seat sees. `random` plays every game,
`greedy` those that have a module of their name in `clients.bots.greedy`; `easy`, `normal` and `hard` look ahead in
every game that has an engine (`clients.bots.search`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, TypeAlias

from clients.bots.search import LEVELS, Search
from server.engines import ENGINES, latest

Choose: TypeAlias = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]], Random], Mapping[str, Any]]

BY_RULE = ("random", "greedy")


class UnknownPolicy(LookupError):  # noqa: N818 - reads as the statement it makes
    """A policy that is not there, or not for this game; or no such game."""


def play_random(state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random) -> Mapping[str, Any]:  # noqa: ARG001
    """Any legal action, each as likely as the others."""
    return random.choice(actions)


def policies(game: str) -> tuple[str, ...]:
    """The names of the policies that play this game."""
    by_rule = BY_RULE if _greedy(game) else BY_RULE[:1]
    return (*by_rule, *LEVELS) if latest(game) else by_rule


def policy(name: str, game: str) -> Choose:
    """The policy of this name for this game.

    Raises:
        UnknownPolicy: there is none; says which there are.
    """
    if name == "random":
        return play_random
    if name == "greedy" and (place := _greedy(game)):
        choose: Choose = import_module(place).choose
        return choose
    if name in LEVELS and latest(game):
        return Search(LEVELS[name])
    if latest(game) is None and not _greedy(game):
        raise UnknownPolicy(
            f"no game {game!r} is known here; there are: {', '.join(dict.fromkeys(name for name, _ in ENGINES))}"
        )
    raise UnknownPolicy(f"no policy {name!r} for {game!r}; there are: {', '.join(policies(game))}")


def _greedy(game: str) -> str | None:
    place = f"clients.bots.greedy.{game}"
    return place if game.isidentifier() and find_spec(place) else None
