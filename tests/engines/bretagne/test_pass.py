"""Passing: the next round's order, what is kept, who comes home. D7."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Done, EnterCity, Hire, Pass, Passed
from server.engines.bretagne.box import City
from server.engines.bretagne.state import Act
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import (
    BOX,
    acting,
    change_player,
    checked,
    defaults_until,
    give,
    harbour_tile,
    in_harbour,
    legal,
    only,
    passing,
    play,
    step,
    turn_of,
)


def test_the_foremost_free_place_and_everything_back() -> None:
    state = give(acting(3), 1, "4 brick 3 stone 9 sand", engineers=2)
    state = turn_of(state, 1)
    supply = state.supply
    state, events = step(state, Pass())
    told = only(events, Passed)
    assert (told.seat, told.place, told.engineers) == (1, 1, 2)
    assert told.returned == {"brick": 1, "sand": 6}
    player = state.players[1]
    assert (player.materials, player.engineers, player.barge) == ((3, 3, 3, 0), 0, None)
    assert state.supply.engineers == supply.engineers + 2
    assert state.passed == (1,)
    state, events = step(turn_of(state, 0), Pass())
    assert only(events, Passed).place == 2


def test_an_engineer_of_a_harbour_goes_back_like_the_others() -> None:
    """D7."""
    tile = next(i for i, row in enumerate(BOX.harbours) if row.normal.engineers)
    state = in_harbour(harbour_tile(acting(2), 0, tile), 0, 0)
    state = defaults_until(passing(state, 0, 1), "action")
    assert state.players[0].engineers == BOX.barges[0].engineers + 1
    supply = state.supply.engineers
    state = play(state, Pass())
    assert (state.players[0].engineers, state.supply.engineers) == (0, supply + BOX.barges[0].engineers + 1)


def test_workers_in_the_cities_come_home() -> None:
    state = give(acting(2), 0, coins=4)
    state = play(state, EnterCity(City.BREST), Hire(), Done(), Pass())
    assert state.players[0].cities == (1, 0)
    state, events = step(state, Pass())
    assert only(events, Passed).workers_home == 1
    assert (state.players[0].cities, state.players[0].warehouse) == ((0, 0), 8)


def test_who_has_passed_does_nothing_more() -> None:
    state = play(acting(3), Pass())
    assert state.task == Act(1)
    state = play(state, Pass())
    assert state.task == Act(2)
    assert ENGINE.legal_actions(state, 0) == ()
    with pytest.raises(IllegalAction):
        ENGINE.apply(state, 0, Pass(), None)  # type: ignore[arg-type]
    assert play(give(state, 2, coins=2), EnterCity(City.BREST), Hire(), Done()).task == Act(2)


def test_turns_go_round_in_the_rounds_order() -> None:
    state = replace(acting(3), order=(2, 0, 1), task=Act(2))
    for place, seat in enumerate(state.order, 1):
        state = change_player(state, seat, barge=place, coins=4)
    state = checked(state)
    seen = []
    for _ in range(6):
        seen.append(state.task.seat)
        state = play(state, EnterCity(City.BREST), next(a for a in legal(play(state, EnterCity(City.BREST)))), Done())
    assert seen == [2, 0, 1, 2, 0, 1]


def test_the_turn_number_counts_completed_actions() -> None:
    state = give(acting(2), 0, coins=9)
    assert ENGINE.turn(state) == (1, "action")
    state = play(state, EnterCity(City.BREST), Hire())
    assert ENGINE.turn(state) == (1, "trade")
    state = play(state, Done())
    assert ENGINE.turn(state) == (2, "action")
    state = play(state, Pass())
    assert ENGINE.turn(state) == (3, "action")
    assert ENGINE.turn(play(state, Pass())) == (4, "load")


def test_only_the_last_pass_reveals() -> None:
    state, events = step(acting(2), Pass())
    assert not any(event.reveals for event in events)
    _, events = step(state, Pass())
    assert events[0].reveals
