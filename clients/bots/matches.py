"""Matches between policies: who meets whom, played in this process or in many, and what came of it.

Rules that hold here:

1. Every pair of policies meets equally often, and on every table both ways round: each has the luck of the other once.
2. A match is a function of its pairing. A search has its full number of iterations, whatever the machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any

import msgspec

from clients.bots.offline import play, table
from clients.bots.policies import Choose, policy
from clients.bots.search import Level, Search
from server.engines import latest

SEARCH = "search-"
"""`search-50` is a search of 50 iterations."""


class Pairing(msgspec.Struct, frozen=True):
    """A match to be played: the policies by seat, and the number that the table's chance follows from."""

    game: str
    policies: tuple[str, ...]
    seed: int


class Outcome(msgspec.Struct, frozen=True):
    """A match that was played; by seat: scores, ranks, decisions that left a choice, seconds spent on them."""

    pairing: Pairing
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    moves: tuple[int, ...]
    seconds: tuple[float, ...]


class Timed:
    """A policy, and how long it takes where there is something to choose."""

    def __init__(self, choose: Choose) -> None:
        self._choose = choose
        self.moves = 0
        self.seconds = 0.0

    def __call__(
        self, state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random
    ) -> Mapping[str, Any]:
        """Its choice."""
        begun = time.perf_counter()
        chosen = self._choose(state, actions, random)
        if len(actions) > 1:
            self.moves += 1
            self.seconds += time.perf_counter() - begun
        return chosen


def contender(name: str, game: str) -> Choose:
    """The policy of this name, a search without a limit of time.

    Raises:
        UnknownPolicy: there is none.
    """
    count = name.removeprefix(SEARCH)
    if name.startswith(SEARCH) and count.isdecimal() and int(count) > 0:
        return Search(Level(int(count)))
    choose = policy(name, game)
    return Search(Level(choose.level.iterations)) if isinstance(choose, Search) else choose


def iterations(name: str, game: str) -> int | None:
    """How many iterations the policy searches, None for one that does not."""
    choose = contender(name, game)
    return choose.level.iterations if isinstance(choose, Search) else None


def round_robin(game: str, seats: int, names: Sequence[str], games: int, seed: int = 0) -> Iterator[Pairing]:
    """So many games of each pair, from the table `seed` on; at tables for more than two they sit by turns."""
    for pair in combinations(names, 2):
        for number in range(games):
            sitting = tuple(pair[(seat + number) % 2] for seat in range(seats))
            yield Pairing(game, sitting, seed + number // 2)


def play_match(pairing: Pairing) -> Outcome:
    """Play the match to its end."""
    engine = latest(pairing.game)
    if engine is None:
        raise LookupError(f"there is no game {pairing.game!r}")
    timed = [Timed(contender(name, pairing.game)) for name in pairing.policies]
    numbers = Random(":".join((*pairing.policies, str(pairing.seed))))  # noqa: S311 - play, not secrets
    result = play(table(engine, len(timed), pairing.seed), timed, numbers)
    return Outcome(
        pairing=pairing,
        scores=result.scores,
        ranks=result.ranks,
        moves=tuple(each.moves for each in timed),
        seconds=tuple(each.seconds for each in timed),
    )
