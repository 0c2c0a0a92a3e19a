"""Loading: barges, Quimper, the order of loading."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.bretagne.actions import Load, Loaded, Pass
from server.engines.bretagne.state import Act, Loading, State, plus
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import BRICK, MATERIALS, SAND, WOOD, checked, legal, new, only, play, step


def quimper(state: State, *left: int) -> State:
    """Only so much is left at Quimper; the rest is in the supply."""
    back = tuple(a - b for a, b in zip(state.quimper, left, strict=True))
    supply = replace(state.supply, materials=plus(state.supply.materials, back))
    return checked(replace(state, quimper=left, supply=supply))


def test_all_first_barges_then_all_second_then_all_third() -> None:
    state = new(3)
    order = []
    while isinstance(state.task, Loading):
        order.append((state.task.seat, state.task.barge))
        state = play(state, legal(state)[0])
    assert order == [(seat, barge) for barge in range(3) for seat in range(3)]


def test_a_barge_takes_as_many_as_fit_of_one_kind() -> None:
    state = quimper(new(2), 4, 4, 4, 4)
    state, events = step(state, Load(BRICK))
    assert only(events, Loaded) == Loaded(0, 0, BRICK, 3)
    assert state.quimper == (1, 4, 4, 4)


def test_and_as_many_as_are_there() -> None:
    state = quimper(new(2), 2, 0, 1, 0)
    assert legal(state) == [Load(BRICK), Load(SAND)]
    state, events = step(state, Load(BRICK))
    assert only(events, Loaded).amount == 2
    with pytest.raises(IllegalAction, match="left at Quimper"):
        step(state, Load(BRICK))


def test_pass_only_when_nothing_is_left() -> None:
    state = quimper(new(2), 0, 0, 0, 1)
    with pytest.raises(IllegalAction, match="left at Quimper"):
        step(state, Pass())
    state = play(state, Load(WOOD))
    assert legal(state) == [Pass()]
    state, events = step(state, Pass())
    assert only(events, Loaded) == Loaded(1, 0, None, 0)
    assert legal(state) == [Pass()]


def test_the_same_kind_may_be_taken_again_and_the_load_is_in_the_warehouse_from_the_actions_on() -> None:
    state = quimper(new(2), 10, 0, 0, 3)
    state = play(state, Load(BRICK), Load(WOOD), Load(BRICK), Load(BRICK))
    assert [player.materials for player in state.players] == [(0, 0, 0, 0)] * 2
    state = play(state, Load(BRICK), Load(BRICK))
    assert state.task == Act(0)
    assert state.players[0].materials == (7, 0, 0, 0)
    assert state.players[1].materials == (3, 0, 0, 3)
    assert all(player.loads == () for player in state.players)


def test_only_what_is_listed_can_be_loaded() -> None:
    state = new(2)
    assert legal(state) == [Load(material) for material in MATERIALS]
