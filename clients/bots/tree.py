"""The tree of a search: information-set Monte Carlo tree search with one observer, by the contract of an engine alone.

After Cowling, Powley, Whitehouse: "Information Set Monte Carlo Tree Search" (2012), algorithm SO-ISMCTS.

Rules that hold here:

1. An iteration plays one scenario: a state imagined behind the observer's own views, and dice for every turn. All
   walk one tree of actions. Chance and what is hidden have no nodes: a node stands for all states that the same
   actions may lead to. The n-th try of each action of the root plays scenario n, so that luck favours none of them.
2. A node's children are weighed by UCT among those that are legal in this iteration's state; the exploration term goes
   by how often a child could have been chosen.
3. Lists widen by and by: after n visits a node has about `WIDTH` · n^`WIDENING` children to choose from, those first
   that the guide ranks first. At the root the guide's own choice is tried as often as any other.
4. Every seat maximises its own reward: 0 to 1 by where it stands against the best of the others, less the luck that
   the guide can name.
5. The root's actions are judged against the guide's own choice, scenario by scenario: another is better only by what
   it gains beyond the error of the mean.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from math import log, sqrt, tanh
from random import Random
from typing import Any, NamedTuple, Protocol

import msgspec

from server.engines import AnyEngine
from server.engines.dice import Dice
from server.engines.engine import Action, Result

EXPLORATION = 0.2
WIDTH = 1.0
WIDENING = 0.4
IMAGINED = 48
"""States that are imagined for one decision; more scenarios share them, each with dice of its own."""
WIN = 0.5
"""Share of a finished game's reward that goes by winning; the rest goes by the difference of the scores."""
UNKNOWN = 0.02
"""The squared difference of rewards that is assumed between two actions before any is seen."""


class Guide(Protocol):
    """What a search knows of a game besides its rules."""

    @property
    def spread(self) -> float:
        """A difference of points that is nearly decisive."""

    @property
    def caution(self) -> float:
        """How many standard errors an action's gain over the guide's choice has to exceed."""

    @property
    def horizon(self) -> int:
        """How many turns after the present one began a position is valued."""

    @property
    def settled(self) -> frozenset[str]:
        """Phases in which the guide's choice stands: what is decided there is too little for a search."""

    @property
    def opens(self) -> int:
        """After how many visits what follows an action is searched as well. Before, the guide plays on from there."""

    def line(self, state: Any, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        """What a fast player would do: an action, and those that it would follow with, as far as it has a plan."""

    def ranked(self, state: Any, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
        """The actions that are worth a try, the most promising first. Others are tried only after them."""

    def luck(self, before: Any, seat: int, action: Action, after: Any) -> float:
        """How many points more than expected chance gave the seat in this action."""

    def value(self, state: Any, seat: int) -> float:
        """The score that the seat may expect, in points."""


class View(msgspec.Struct, frozen=True):
    """All that an observer has: its views as `imagine` takes them, and what everybody knows of the table."""

    public: Mapping[str, Any]
    you: Mapping[str, Any]
    seats: int
    options: msgspec.Struct


class Node:
    """What was found behind one row of actions. `total` is the sum of rewards of the seat that chose the last."""

    __slots__ = ("available", "children", "order", "total", "visits")

    def __init__(self) -> None:
        self.children: dict[Action, Node] = {}
        self.order: Sequence[Action] = ()
        self.visits = 0
        self.available = 0
        self.total = 0.0

    def weight(self) -> float:
        """UCT: the mean reward, and what is still unknown of it."""
        return self.total / self.visits + EXPLORATION * sqrt(log(self.available + 1) / self.visits)


class Scenario(NamedTuple):
    """One way that everything hidden and all chance may be."""

    state: Any
    key: bytes


class Course:
    """How a scenario goes on: each turn has dice of its own, the same whatever led to it."""

    def __init__(self, engine: AnyEngine, guide: Guide, scenario: Scenario, seats: int) -> None:
        self._engine = engine
        self._guide = guide
        self._key = scenario.key
        self._turn = -1
        self._dice = Dice(scenario.key)
        self.state = scenario.state
        self.luck = [0.0] * seats
        """What chance gave each seat so far, in points."""

    def go(self, seat: int, action: Action) -> None:
        """Play the action."""
        turn = turn_number(self._engine, self.state)
        if turn != self._turn:
            self._turn = turn
            self._dice = Dice(hmac.digest(self._key, turn.to_bytes(8, "big"), "sha256"))
        before = self.state
        self.state, _ = self._engine.apply(before, seat, action, self._dice)
        self.luck[seat] += self._guide.luck(before, seat, action, self.state)


class Tree:
    """A search for one decision of the seat `view.you["seat"]`."""

    def __init__(self, engine: AnyEngine, guide: Guide, view: View, random: Random) -> None:
        self._engine = engine
        self._guide = guide
        self._view = view
        self._random = random
        self._seat: int = view.you["seat"]
        self._scenarios: list[Scenario] = []
        self._found: dict[Action, list[float]] = {}
        self.root = Node()
        self._last = turn_number(engine, self._scenario(0).state) + guide.horizon
        self._legal = engine.legal_actions(self._scenario(0).state, self._seat)

    def settle(self) -> Action | None:
        """The guide's choice where it stands without a search."""
        state = self._scenario(0).state
        if self._engine.turn(state)[1] not in self._guide.settled:
            return None
        return self._guide.line(state, self._seat, self._legal, self._random)[0]

    def iterate(self) -> None:
        """Walk down the tree to a new node, play on from there, remember how it went."""
        action, grown = self._select_at_root()
        node = self.root.children[action]
        course = Course(self._engine, self._guide, self._scenario(node.visits), self._view.seats)
        found = self._found.setdefault(action, [])
        path = [(node, self._seat)]
        course.go(self._seat, action)
        while not grown and node.visits >= self._guide.opens and (deciding := self._engine.deciding(course.state)):
            if turn_number(self._engine, course.state) >= self._last:
                break
            seat = self._seat if self._seat in deciding else deciding[0]
            action, grown = self._select(node, course.state, seat, self._engine.legal_actions(course.state, seat))
            course.go(seat, action)
            node = node.children[action]
            path.append((node, seat))
        self._play_on(course)
        rewards = self._rewards(course)
        self.root.visits += 1
        found.append(rewards[self._seat])
        for reached, seat in path:
            reached.visits += 1
            reached.total += rewards[seat]

    def _scenario(self, number: int) -> Scenario:
        """The scenario of this number; they are made in order, as they are needed."""
        view = self._view
        while len(self._scenarios) <= number:
            key = self._random.randbytes(32)
            if len(self._scenarios) < IMAGINED:
                state = self._engine.imagine(view.public, view.you, view.seats, view.options, Dice(key))
            else:
                state = self._scenarios[len(self._scenarios) % IMAGINED].state
            self._scenarios.append(Scenario(state, key))
        return self._scenarios[number]

    def _select_at_root(self) -> tuple[Action, bool]:
        """As below, but the guide's choice keeps up: the others are judged against it."""
        action, grown = self._select(self.root, self._scenario(0).state, self._seat, self._legal)
        first = next(iter(self.root.children))
        behind = self.root.children[first].visits < self.root.children[action].visits
        return (first, False) if behind else (action, grown)

    def _select(self, node: Node, state: Any, seat: int, actions: Sequence[Action]) -> tuple[Action, bool]:
        """The action to follow, and whether it is new in the tree. A forced one ends no walk."""
        known = [(action, child) for action in actions if (child := node.children.get(action)) is not None]
        for _, child in known:
            child.available += 1
        wide = len(known) == len(actions) or len(known) >= WIDTH * node.visits**WIDENING
        if not (known and wide):
            action = self._new(node, state, seat, actions)
            child = node.children[action] = Node()
            child.available = 1
            return action, len(actions) > 1
        return max(known, key=lambda each: each[1].weight())[0], False

    def _new(self, node: Node, state: Any, seat: int, actions: Sequence[Action]) -> Action:
        if len(actions) == 1:
            return actions[0]
        if not node.children:
            node.order = self._guide.ranked(state, seat, actions, self._random)
        legal = frozenset(actions)
        promising = (action for action in node.order if action in legal and action not in node.children)
        return next(promising, None) or self._random.choice([each for each in actions if each not in node.children])

    def _play_on(self, course: Course) -> None:
        """On to the turn at which all actions of the root are valued, so that none is by the reply to it alone."""
        engine, planner = self._engine, -1
        line: list[Action] = []
        while (deciding := engine.deciding(course.state)) and turn_number(engine, course.state) < self._last:
            seat = deciding[0]
            if not line or seat != planner:
                actions = engine.legal_actions(course.state, seat)
                planned = actions if len(actions) == 1 else self._guide.line(course.state, seat, actions, self._random)
                line, planner = list(reversed(planned)), seat
            course.go(seat, line.pop())

    def _rewards(self, course: Course) -> Sequence[float]:
        result = self._engine.result(course.state)
        if result is not None:
            return _ended(result, course.luck, self._guide.spread)
        seats = range(self._view.seats)
        values = [self._guide.value(course.state, seat) - course.luck[seat] for seat in seats]
        return [_by_lead(values, seat, self._guide.spread) for seat in seats]

    def ranked(self) -> Sequence[Action]:
        """The root's actions, best first: by what they surely gain over the guide's choice."""
        first = next(iter(self._found.values()), [])
        gains = {action: _sure_gain(found, first, self._guide.caution) for action, found in self._found.items()}
        return sorted(gains, key=lambda action: -gains[action])


def _sure_gain(found: Sequence[float], first: Sequence[float], caution: float) -> float:
    """The mean difference in the scenarios that both met, less so many standard errors of it."""
    if found is first:
        return 0.0
    gains = [one - other for one, other in zip(found, first)]  # noqa: B905 - as many as both met
    if not gains:
        return -caution
    mean = sum(gains) / len(gains)
    spread = UNKNOWN + sum((gain - mean) ** 2 for gain in gains)
    return mean - caution * sqrt(spread) / len(gains)


def turn_number(engine: AnyEngine, state: Any) -> int:
    """The number of the turn."""
    return engine.turn(state)[0]


def _by_lead(values: Sequence[float], seat: int, spread: float) -> float:
    others = [value for other, value in enumerate(values) if other != seat]
    return 0.5 + 0.5 * tanh((values[seat] - max(others, default=0.0)) / spread)


def _ended(result: Result, luck: Sequence[float], spread: float) -> Sequence[float]:
    """Of the winners each has an equal part of the win."""
    won = result.ranks.count(1)
    values = [score - given for score, given in zip(result.scores, luck, strict=True)]
    return [
        WIN * (rank == 1) / won + (1 - WIN) * _by_lead(values, seat, spread) for seat, rank in enumerate(result.ranks)
    ]
