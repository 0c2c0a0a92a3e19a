"""The law of the order of lists: by type, then by the parameters in their order, ascending.

What can be said of any game: the actions of a type stand together, the types follow one another in one order, and
of two neighbours of a type the first parameter that differs is smaller in the first. Numbers, flags (false first),
null (first) and lists (item by item, a beginning first) compare by themselves. The order of strings is that of the
game's components; here it only has to be one order, so that "brick before stone" now and "stone before brick" then
is found. Parameters that are maps, and those that only some actions of a type have, are left to the game's tests.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

from tests.engines.laws import Broken, Game, demand
from tests.engines.play import as_map

Before = dict[str, set[str]]


def lists_are_in_order(game: Game) -> None:
    """Every list is in the order that the module's docstring gives."""
    types: dict[str, Before] = defaultdict(lambda: defaultdict(set))
    words: dict[str, Before] = defaultdict(lambda: defaultdict(set))
    for step in game.few(120):
        phase = game.engine.turn(step.before)[1]
        for seat in game.engine.deciding(step.before):
            actions = [as_map(action) for action in game.engine.legal_actions(step.before, seat)]
            kinds = [action["type"] for action in actions]
            blocks = [kind for place, kind in enumerate(kinds) if place == 0 or kinds[place - 1] != kind]
            demand(len(blocks) == len(set(blocks)), f"{phase}: the actions of a type do not stand together", blocks)
            for first, second in pairwise(blocks):
                types[phase][first].add(second)
            for first, second in pairwise(actions):
                if first["type"] == second["type"]:
                    _compare(first, second, words)
    for phase, before in types.items():
        _one_order(before, f"types of actions in phase {phase}")
    for place, before in words.items():
        _one_order(before, place)


def _compare(first: dict[str, Any], second: dict[str, Any], words: dict[str, Before]) -> None:
    if first.keys() != second.keys():
        return
    for name in first:
        a, b = first[name], second[name]
        if a == b:
            continue
        sign = _sign(a, b, f"{first['type']}.{name}", words)
        demand(sign <= 0, "out of order", first, second)
        return


def _sign(a: Any, b: Any, place: str, words: dict[str, Before]) -> int:
    """-1 or 1 where the order is known, 0 where it is the game's own."""
    if isinstance(a, list) and isinstance(b, list):
        for left, right in zip(a, b, strict=False):
            if left != right:
                return _sign(left, right, f"{place}[]", words)
        return -1 if len(a) < len(b) else 1
    if isinstance(a, str) and isinstance(b, str):
        words[place][a].add(b)
        return 0
    if a is None or b is None:
        return -1 if a is None else 1
    if isinstance(a, int) and isinstance(b, int):
        return -1 if a < b else 1
    return 0


def _one_order(before: Before, place: str) -> None:
    """Refuses a cycle: that what stands before something also stands after it."""
    done: set[str] = set()

    def visit(word: str, path: tuple[str, ...]) -> None:
        if word in path:
            raise Broken(f"{place}: no one order: {' before '.join((*path[path.index(word) :], word))}")
        if word not in done:
            for later in sorted(before.get(word, ())):
                visit(later, (*path, word))
            done.add(word)

    for word in sorted(before):
        visit(word, ())


LAWS = (lists_are_in_order,)
