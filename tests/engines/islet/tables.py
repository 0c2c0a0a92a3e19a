"""Islet positions for tests, built from a few words, checked to be possible, and played by hand.

Tiles are two letters, terrain and nest: `wl` is water with a leaf, `sf` sand with a flower, `ct` clay with a twig.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from server.engines.engine import Event, IllegalAction
from server.engines.islet.checks import faults
from server.engines.islet.components import KIND_OF, KINDS, NONE, Components, Counts, load
from server.engines.islet.grid import Cell
from server.engines.islet.rules import IsletEngine
from server.engines.islet.state import Board, Ending, Phase, Player, SoloDeck, Stack, State
from tests.engines.play import as_map, dice

COMPONENTS = load()
LETTERS = {kind.value[0]: number for number, kind in enumerate(KINDS)}

Amounts = Mapping[str, int]


def counts(amounts: Amounts | None) -> Counts:
    """Six counts from a map of kinds."""
    given = {KIND_OF[kind]: n for kind, n in (amounts or {}).items()}
    return tuple(given.get(kind, 0) for kind in range(len(KINDS)))


def pay(cards: Amounts | None = None, guarded: Amounts | None = None) -> dict[str, Any]:
    """P, as it travels."""
    return {"cards": dict(cards or {}), "guarded": dict(guarded or {})}


class Tiles:
    """The tiles of the game, handed out by what they show."""

    def __init__(self, components: Components) -> None:
        self._kinds = components.tile_kinds
        self.left = list(range(len(self._kinds)))

    def take(self, tile: str) -> int:
        """The lowest id left of such a tile."""
        wanted = (LETTERS[tile[0]], LETTERS[tile[1]])
        found = next(number for number in self.left if self._kinds[number] == wanted)
        self.left.remove(found)
        return found

    def first(self, count: int) -> tuple[int, ...]:
        """The lowest ids left."""
        taken, self.left = self.left[:count], self.left[count:]
        return tuple(taken)

    def all(self, words: str) -> tuple[int, ...]:
        """One tile for each word."""
        return tuple(self.take(word) for word in words.split())


def seat(
    bird: Cell | None = None,
    cards: Amounts | None = None,
    guarded: Amounts | None = None,
    hand: str | None = None,
    laid: int = 0,
) -> dict[str, Any]:
    """A seat: `hand` None is filled up from the bag; `laid` eggs go on stacks that `scene` adds far away."""
    return {"bird": bird, "cards": counts(cards), "guarded": counts(guarded), "hand": hand, "laid": laid}


def scene(
    board: Mapping[Cell, str],
    *seats: dict[str, Any],
    eggs: Mapping[Cell, int] | None = None,
    turn: int = 1,
    bag: int | None = None,
    components: Components = COMPONENTS,
    **changes: Any,
) -> State:
    """A position at the start of the turn with this number; `eggs`: whose egg lies on a cell. Must be possible.

    `bag`: how many tiles it has; the rest of those not named lies in one high stack far away.

    Raises:
        AssertionError: the rules could never come to it.
    """
    tiles = Tiles(components)
    stacks = [Stack(*cell, tiles.all(words), (eggs or {}).get(cell)) for cell, words in board.items()]
    named = [None if each["hand"] is None else tiles.all(each["hand"]) for each in seats]
    hands = [tiles.first(components.hand) if hand is None else hand for hand in named]
    laid = [number for number, each in enumerate(seats) for _ in range(each["laid"])]
    stacks += _far_away(tiles, max(board), laid, bag)
    lying = Counter(stack.egg for stack in stacks)
    all_eggs = components.eggs_of(len(seats))
    players = tuple(
        _player(each, hand, all_eggs - lying[number])
        for number, (each, hand) in enumerate(zip(seats, hands, strict=True))
    )
    held = [player.cards for player in players] + [player.guarded for player in players]
    fields: dict[str, Any] = {
        "phase": Phase.TURN,
        "number": turn,
        "players": players,
        "board": Board(tuple(sorted(stacks, key=lambda stack: stack.cell))),
        "piles": tuple(size - sum(own) for size, *own in zip(components.pile_sizes, *held, strict=True)),
        "bag": tuple(tiles.left),
        "trail": (),
        "paid": None,
        "ending": None,
        "idle": 0,
        "busy": False,
        "solo": solo_deck(components, turn) if len(seats) == 1 else None,
    }
    state = State(**{**fields, **changes})
    assert not list(faults(components, state)), list(faults(components, state))
    return state


def _far_away(tiles: Tiles, beside: Cell, owners: list[int], bag: int | None) -> list[Stack]:
    """Off the last cell of the board: a row of tiles with these owners' eggs, then what is too much for the bag."""
    row = [Stack(*_right_of(beside, n), tiles.first(1), owner) for n, owner in enumerate(owners, 1)]
    if bag is None:
        return row
    return [*row, Stack(*_right_of(beside, len(row) + 1), tiles.first(len(tiles.left) - bag), None)]


def _player(words: Mapping[str, Any], hand: tuple[int, ...], eggs: int) -> Player:
    """`eggs`: those that are not on the island."""
    return Player(
        bird=words["bird"],
        cards=words["cards"],
        guarded=words["guarded"],
        used=NONE,
        eggs=eggs - sum(words["guarded"]),
        hand=tuple(sorted(hand)),
    )


def _right_of(cell: Cell, steps: int) -> Cell:
    return cell[0] + steps, cell[1]


def solo_deck(components: Components, turn: int) -> SoloDeck:
    """The deck before this turn of a solo game, the night cards on top."""
    passing, turned = divmod(turn - 1, components.solo.cards)
    return SoloDeck(passing + 1, tuple(range(components.solo.cards - turned)), ())


class Play:
    """A game played by hand from a position; every action is first looked up in the list."""

    def __init__(self, state: State, components: Components = COMPONENTS, seed: int = 1) -> None:
        self.engine = IsletEngine(components)
        self.state = state
        self.dice = dice(seed, len(state.players))
        self.events: list[Event] = []

    @property
    def me(self) -> Player:
        """The player whose turn it is."""
        return self.state.player

    def listed(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The legal actions as maps, all or those of a type."""
        actions = [as_map(action) for action in self.engine.legal_actions(self.state, self.state.seat)]
        return [action for action in actions if kind in (None, action["type"])]

    def do(self, kind: str, **parameters: Any) -> list[dict[str, Any]]:
        """Takes a legal action; the public forms of what happened."""
        action = {"type": kind, **parameters}
        assert action in self.listed(), (action, self.listed(kind))
        self.state, self.events = self.apply(action)
        assert not list(faults(self.engine.components, self.state)), list(faults(self.engine.components, self.state))
        return [as_map(event.public) for event in self.events if event.public is not None]

    def apply(self, action: Mapping[str, Any]) -> tuple[State, list[Event]]:
        """What the engine makes of an action's map."""
        typed: Any = msgspec.convert(action, self.engine.actions)
        return self.engine.apply(self.state, self.state.seat, typed, self.dice)

    def refusal(self, kind: str, **parameters: Any) -> str:
        """The rule that an action breaks.

        Raises:
            AssertionError: it is legal.
        """
        action = {"type": kind, **parameters}
        assert action not in self.listed(), action
        try:
            self.apply(action)
        except IllegalAction as error:
            return error.rule
        raise AssertionError(f"{action} was not on the list, and was taken")

    @property
    def reveals(self) -> bool:
        """Whether the last action can't be undone."""
        return any(event.reveals for event in self.events)


def ending(round_: int, reason: str) -> Ending:
    """A last round that is known."""
    return msgspec.convert({"round": round_, "reason": reason}, Ending)
