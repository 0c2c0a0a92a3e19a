"""Lists of legal actions: complete, in order, without doubles, and never longer than 2,000."""

from __future__ import annotations

from typing import Any

import pytest

from server.engines.islet import ENGINE
from server.engines.islet.components import KINDS
from tests.engines.islet.games import eager
from tests.engines.islet.tables import Play, ending, pay, scene, seat
from tests.engines.play import as_map, evenly, walk

MOST = 2_000
TYPES = ("lay_tile", "walk", "lay_egg", "stop", "guard", "unguard", "return", "pass")


def longest(seeds: range) -> int:
    """The longest list in these games, a quarter of them with each number of seats, every third eager."""
    most = 0
    for seed in seeds:
        pick = eager if seed % 3 == 0 else evenly
        for step in walk(ENGINE, 1 + seed % 4, ENGINE.options(), seed, pick=pick):
            most = max(most, len(ENGINE.legal_actions(step.before, step.seat)))
    return most


def test_no_list_is_too_long_in_a_hundred_games() -> None:
    assert 50 < longest(range(100)) <= MOST


@pytest.mark.soak
def test_no_list_is_too_long_in_a_thousand_games() -> None:
    assert 50 < longest(range(1000, 2000)) <= MOST


def test_no_list_is_too_long_on_the_longest_coast() -> None:
    """Nearly all tiles in one row, a bird in the ocean with two and more of each terrain, a full hand.

    Ashore three tiles at most are within reach, and an egg has at most 4 x 3 x 3 x 3 ways to pay.
    """
    tiles = [terrain + nest for terrain in "wsc" for nest in "ltf"]
    row = {(x, 0): tiles[x % 9] for x in range(79)}
    mine = seat(None, {"water": 3, "sand": 3, "clay": 2}, {"water": 2, "sand": 2, "clay": 1})
    play = Play(scene(row, mine, seat()))
    assert len({(action["x"], action["y"]) for action in play.listed("walk")}) == 79
    assert 700 < len(play.listed()) <= MOST


def key(action: dict[str, Any]) -> tuple[Any, ...]:
    """The order of the rules, from the words of the action."""
    kind, *values = action.values()
    flat: list[Any] = []
    for value in values:
        if isinstance(value, dict):
            flat += [value[part].get(name, 0) for part in ("cards", "guarded") for name in KINDS]
        else:
            flat.append(KINDS.index(value) if isinstance(value, str) else value)
    return TYPES.index(kind), *flat


def test_lists_are_in_the_order_of_the_table_and_of_payments() -> None:
    seen: set[str] = set()
    for seats in (1, 2, 4):
        for step in walk(ENGINE, seats, ENGINE.options(), seats, pick=eager):
            keys = [key(as_map(action)) for action in ENGINE.legal_actions(step.before, step.seat)]
            assert keys == sorted(set(keys))
            seen.add(as_map(step.action)["type"])
    assert {"lay_tile", "walk", "lay_egg", "stop", "guard", "return"} <= seen


def test_a_turn_lists_tiles_then_walks_then_eggs() -> None:
    board = {(0, 0): "wl", (1, 0): "wt"}
    play = Play(scene(board, seat((0, 0), {"leaf": 3}, hand="wl sl"), seat(hand="ct"), bag=0, ending=ending(1, "bag")))
    kinds = [action["type"] for action in play.listed()]
    assert kinds == sorted(kinds, key=TYPES.index)
    assert play.listed()[-2:] == [
        {"type": "walk", "x": 1, "y": 0, "pay": pay()},
        {"type": "lay_egg", "pay": pay({"leaf": 3})},
    ]


def test_the_default_is_stop_or_the_first() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "wt"}, seat((0, 0)), seat()))
    assert as_map(ENGINE.default_action(play.state, 0)) == play.listed()[0]
    play.do("walk", x=1, y=0, pay=pay())
    assert as_map(ENGINE.default_action(play.state, 0)) == {"type": "stop"}
