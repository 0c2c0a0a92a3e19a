"""The policies that look ahead: `easy`, `normal`, `hard`, for every game that has an engine.

Rules that hold here:

1. A search sees what its seat sees: its state document, nothing else. It imagines the rest (`Engine.imagine`).
2. The levels are numbers of iterations. A budget in seconds caps them, so that a slow machine still plays in time;
   where it does not cap, the choice follows from document, list and random numbers alone.
3. A search is a value that can be sent to another process, where it does its work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any, TypeAlias

import msgspec

from clients.bots.tree import Guide, Tree, View
from server.engines import ENGINES, AnyEngine
from server.engines.engine import Action, with_turn

Choose: TypeAlias = Callable[[Mapping[str, Any], Sequence[Mapping[str, Any]], Random], Mapping[str, Any]]
Rank: TypeAlias = Callable[[Any, int, Sequence[Action], Random], Sequence[Action]]
Luck: TypeAlias = Callable[[Any, int, Action, Any], float]


class Level(msgspec.Struct, frozen=True):
    """How long a search goes on: so many iterations, but no more than so many seconds (None: as many as it takes)."""

    iterations: int
    seconds: float | None = None


LEVELS: Mapping[str, Level] = {
    "easy": Level(16, 0.5),
    "normal": Level(64, 2.0),
    "hard": Level(256, 6.0),
}
MOST_RANKED = 40
"""Actions of a long list that a greedy policy's order is asked for."""


class Search(msgspec.Struct, frozen=True):
    """A policy that looks ahead."""

    level: Level

    def hurried(self, factor: float) -> Search:
        """The same search with so many times less time."""
        seconds = self.level.seconds
        return self if seconds is None else Search(Level(self.level.iterations, seconds / factor))

    def __call__(
        self, state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random
    ) -> Mapping[str, Any]:
        """The action that did best in the search.

        Raises:
            LookupError: this version of the rules is not here.
        """
        if len(actions) == 1:
            return actions[0]
        room = state["room"]
        engine = ENGINES[room["game"], room["rules"]]
        tree = Tree(engine, guide_of(engine.name, engine.rules), _view(engine, state), random)
        if (settled := tree.settle()) is not None:
            return _listed([settled], actions, random)
        end = None if self.level.seconds is None else time.monotonic() + self.level.seconds
        for _ in range(self.level.iterations):
            tree.iterate()
            if end is not None and time.monotonic() >= end:
                break
        return _listed(tree.ranked(), actions, random)


def _view(engine: AnyEngine, state: Mapping[str, Any]) -> View:
    options = {name: state["room"]["options"][name] for name in engine.options.__struct_fields__}
    turn = state["turn"]
    return View(
        public=with_turn(state["game"], (turn["number"], turn["phase"])),
        you=state["you"],
        seats=len(state["room"]["seats"]),
        options=msgspec.convert(options, engine.options),
    )


def _listed(ranked: Sequence[Action], actions: Sequence[Mapping[str, Any]], random: Random) -> Mapping[str, Any]:
    """The first of the actions, best first, as it stands on the list."""
    listed = list(actions)
    for action in ranked:
        wanted = msgspec.json.decode(msgspec.json.encode(action))
        if wanted in listed:
            return listed[listed.index(wanted)]
    return random.choice(listed)


class GuideTo(msgspec.Struct, frozen=True):
    """The guide to a game of which it is known what a position is worth."""

    spread: float
    caution: float
    horizon: int
    settled: frozenset[str]
    opens: int
    line: Rank
    ranked: Rank
    value: Callable[[Any, int], float]
    luck: Luck


class ByChance:
    """The guide to a game of which nothing but the rules is known: it plays at random, to the end."""

    spread = 10.0
    caution = 0.5
    horizon = 1000
    settled: frozenset[str] = frozenset()
    opens = 0

    def line(self, _state: Any, _seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        """Anything."""
        return [random.choice(actions)]

    def ranked(self, _state: Any, _seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        """Any order."""
        return random.sample(actions, len(actions))

    def luck(self, _before: Any, _seat: int, _action: Action, _after: Any) -> float:
        """Nobody knows."""
        return 0.0

    def value(self, _state: Any, _seat: int) -> float:
        """Nothing is known of a game that is not over."""
        return 0.0


@lru_cache
def guide_of(game: str, rules: str) -> Guide:
    """What helps a search in this game: the names in its module of `values`, of which some may be missing."""
    place = f"clients.bots.values.{game}"
    if not find_spec(place):
        return ByChance()
    values = import_module(place)
    line, ranked = getattr(values, "line", None), getattr(values, "ranked", None)
    if line is None or ranked is None:
        line, ranked = _as_greedy(ENGINES[game, rules])
    return GuideTo(
        spread=values.SPREAD,
        caution=values.CAUTION,
        horizon=values.HORIZON,
        settled=getattr(values, "SETTLED", ByChance.settled),
        opens=getattr(values, "OPENS", ByChance.opens),
        line=line,
        ranked=ranked,
        value=values.value,
        luck=getattr(values, "luck", ByChance().luck),
    )


def _as_greedy(engine: AnyEngine) -> tuple[Rank, Rank]:
    """What the greedy policy would do with the views of the seat, and how it ranks all that the seat could do."""
    greedy = import_module(f"clients.bots.greedy.{engine.name}")
    choose: Choose = greedy.choose

    def line(state: Any, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        maps: list[Mapping[str, Any]] = msgspec.to_builtins(actions)
        return [actions[maps.index(choose(_document(engine, state, seat), maps, random))]]

    def ranked(state: Any, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        maps: list[Mapping[str, Any]] = msgspec.to_builtins(actions)
        order: Sequence[Mapping[str, Any]] = greedy.ranked(_document(engine, state, seat), maps, random)
        return [actions[maps.index(action)] for action in order[:MOST_RANKED]]

    return line, ranked


def _document(engine: AnyEngine, state: Any, seat: int) -> Mapping[str, Any]:
    number, phase = engine.turn(state)
    return {
        "turn": {"number": number, "phase": phase},
        "game": engine.public_view(state),
        "you": {"seat": seat, **engine.private_view(state, seat)},
    }
