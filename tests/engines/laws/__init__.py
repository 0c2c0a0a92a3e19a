"""The laws that every engine keeps, as functions of one recorded game; each raises `Broken` with what it found.

A `Game` is a random game that an engine played. A law looks at all of its steps, or at `few` of them where looking
is dear; `few` takes them at random, the same for the same game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any

import msgspec

from clients.bots.policies import Choose
from server.engines import AnyEngine
from server.engines.dice import Dice, stream_key
from server.engines.engine import Action, IllegalAction
from tests.engines.play import Pick, Step, dice, digest, evenly, walk


class Broken(AssertionError):  # noqa: N818 - reads as the statement it makes
    """A law that does not hold."""


@dataclass(frozen=True)
class Game:
    """A whole random game of `engine`: `pick` and `policy` chose the actions (see `walk`).

    `share` scales how many steps the dear laws look at.
    """

    engine: AnyEngine
    seats: int
    options: msgspec.Struct
    seed: int
    pick: Pick = evenly
    policy: Choose | None = None
    share: float = 1.0
    steps: list[Step] = field(default_factory=list)

    def few(self, most: int) -> list[Step]:
        """At most `most` steps (times `share`), in their order: of each phase the first and the last, others at random.

        A game with more phases than that has more.
        """
        most = max(4, int(most * self.share))
        if len(self.steps) <= most:
            return self.steps
        phases: dict[str, list[Step]] = {}
        for step in self.steps:
            phases.setdefault(self.engine.turn(step.before)[1], []).append(step)
        chosen = {step.number for steps in phases.values() for step in (steps[0], steps[-1])}
        rest = [step.number for step in self.steps if step.number not in chosen]
        chosen.update(Random(self.seed).sample(rest, max(0, most - len(chosen))))
        return [step for step in self.steps if step.number in chosen]

    def dice(self, step: Step) -> Dice:
        """The game's stream as it stood before this step."""
        return dice(self.seed, self.seats, step.words[0])

    @property
    def first(self) -> Any:
        """The state after set-up."""
        return self.steps[0].before

    @property
    def last(self) -> Any:
        """The state when the game is over."""
        return self.steps[-1].after

    @property
    def conservation(self) -> ModuleType | None:
        """The game's own hook, `tests/engines/<game>/conservation.py`: `check(state)`, `check_step(before, after)`."""
        package = f"tests.engines.{self.engine.name}"
        there = find_spec(package) and find_spec(f"{package}.conservation")
        return import_module(f"{package}.conservation") if there else None

    def __str__(self) -> str:
        return f"{self.engine.name}, {self.seats} seats, seed {self.seed}, {self.options}"


Law = Callable[[Game], None]


def played(game: Game) -> Game:
    """The game with its steps, played to its end."""
    return replace(game, steps=list(steps(game)))


def steps(game: Game) -> Iterator[Step]:
    """The steps of the game, played anew."""
    return walk(game.engine, game.seats, game.options, game.seed, pick=game.pick, policy=game.policy)


def other_dice(seed: int) -> Dice:
    """A stream that has nothing to do with any game's."""
    return Dice(stream_key(seed.to_bytes(32, "big"), [b"elsewhere".ljust(32)]))


def demand(condition: object, what: str, *about: object) -> None:
    """Raises `Broken` unless the condition holds."""
    if not condition:
        raise Broken(what + "".join(f"\n  {each}" for each in about))


def refusal(engine: AnyEngine, state: Any, seat: int, action: Action, stream: Dice) -> str | None:
    """The text with which the engine refuses the action, None when it takes it; a refusal must change nothing."""
    before, words = digest(state), stream.words
    try:
        engine.apply(state, seat, action, stream)
    except IllegalAction as error:
        demand(digest(state) == before, "a refusal changed the state", action)
        demand(stream.words == words, "a refusal moved the dice", action)
        demand(isinstance(error.rule, str) and error.rule.strip(), "a refusal names no rule", action)
        return error.rule
    return None


def pool(game: Game) -> list[Action]:
    """Actions from the lists of many moments of the game, all different."""
    actions: dict[str, Action] = {}
    for step in game.few(40):
        for action in _some(game.engine.legal_actions(step.before, step.seat), 6, step.number):
            actions.setdefault(repr(action), action)
    return list(actions.values())


def one_of_each(actions: Sequence[Action], random: Random) -> list[Action]:
    """An action of every type, at random."""
    types: dict[type, list[Action]] = {}
    for action in actions:
        types.setdefault(type(action), []).append(action)
    return [random.choice(each) for each in types.values()]


def _some(actions: Sequence[Action], most: int, seed: int) -> Sequence[Action]:
    return actions if len(actions) <= most else Random(seed).sample(actions, most)
