"""What the golden games of Burano show between them; that each repeats line by line is tested for every game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec

from server.engines.burano.actions import BuranoAction
from server.engines.burano.events import BuranoEvent
from server.engines.burano.state import State
from tests.engines.burano.tables import ENGINE
from tests.engines.golden import golden_files, read

FILES = golden_files("burano")


def end_of(name: str) -> State:
    """The last state of a golden game."""
    (path,) = (path for path in FILES if path.stem == name)
    table, script = read(path.read_text(encoding="utf-8"))
    dice = table.dice()
    state: State = ENGINE.new(table.seats, table.options, dice)
    for seat, action in script:
        state, _ = ENGINE.apply(state, seat, msgspec.convert(action, BuranoAction), dice)
    return state


def tags(pattern: str) -> set[str]:
    return {tag for path in FILES for tag in re.findall(pattern, path.read_text(encoding="utf-8"), re.MULTILINE)}


def test_they_have_every_action_and_every_event() -> None:
    assert tags(r'"type": "(\w+)"') == {form.__struct_config__.tag for form in get_args(BuranoAction)}
    assert tags(r"^    (\w+) \{") == {form.__struct_config__.tag for form in get_args(BuranoEvent)}


def test_they_are_played_by_two_three_and_four_seats_with_both_kinds_of_workshops() -> None:
    heads = [Path(path).read_text(encoding="utf-8").splitlines()[:5] for path in FILES]
    assert {head[1] for head in heads} == {"seats: 2", "seats: 3", "seats: 4"}
    assert len({head[4] for head in heads}) == 2


def test_a_tie_is_broken_by_ready_cubes() -> None:
    state = end_of("tie-broken-by-ready-cubes-2-seats")
    first, second = state.families
    assert first.points == second.points
    assert first.coins == second.coins
    assert first.ready.total > second.ready.total
    result = ENGINE.result(state)
    assert result is not None
    assert result.ranks == (1, 2)


def test_a_tie_is_broken_by_coins() -> None:
    state = end_of("tie-broken-by-coins-2-seats")
    first, second = state.families
    assert first.points == second.points
    assert first.ready.total == second.ready.total
    assert first.coins < second.coins
    result = ENGINE.result(state)
    assert result is not None
    assert result.ranks == (2, 1)
