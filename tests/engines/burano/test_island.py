"""The coloured island: where houses stand, and what building one starts."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import Build, Skip
from server.engines.burano.boards import Colour
from server.engines.burano.events import Built
from server.engines.burano.state import Earning, Fishing, Lacing, Phase, State, Task
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ENGINE,
    GREEN,
    ORANGE,
    WHITE,
    act,
    bare,
    give,
    house,
    in_turn,
    legal_of,
    play,
    refused,
    roof_id,
    turned,
    works,
)

WHITE_BLUE = roof_id("islands", "white", "blue")


def ready(*colours: Colour) -> State:
    """Seat 0's turn with these cubes ready, and a lone white house at 3, 4."""
    return give(house(bare(in_turn()), 3, 4, WHITE), ready=list(colours), roofs=())


def test_a_house_stands_next_to_or_cornering_another() -> None:
    """D3: touching by a side or a corner, never the fountain, the water or a square with a house."""
    places = {(build.x, build.y) for build in legal_of(ready(GREEN), Build)}
    assert places == {(2, 3), (4, 3), (2, 4), (4, 4), (2, 5), (3, 5), (4, 5)}
    for x, y in ((3, 3), (0, 0), (3, 4), (0, 3), (7, 3), (-1, 3), (3, 1)):
        assert "touches" in refused(ready(GREEN), Build("green", x, y))


def test_builds_are_listed_by_colour_then_x_then_y() -> None:
    builds = [(BOX.colour_of[build.colour], build.x, build.y) for build in legal_of(ready(GREEN, WHITE), Build)]
    assert builds == sorted(builds)
    assert len(builds) == 14


def test_only_a_ready_colour_is_built() -> None:
    assert "ready" in refused(ready(GREEN), Build("white", 2, 3))
    assert "colour" in refused(ready(GREEN), Build("mauve", 2, 3))
    assert not legal_of(ready(), Build)


def test_a_house_on_a_roof_end_is_one_level_higher() -> None:
    state = house(house(ready(GREEN), 3, 4, WHITE, roofs=[(WHITE_BLUE, 0)]), 3, 5, BLUE, roofs=[(WHITE_BLUE, 1)])
    assert (3, 4) in {(build.x, build.y) for build in legal_of(state, Build)}
    state, events = play(state, Build("green", 3, 4))
    (event,) = events
    assert isinstance(event, Built)
    assert (event.level, event.privileges, event.coins) == (2, 0, 1)
    plot = state.island.plots[4 * 7 + 3]
    assert plot is not None
    assert [floor.house for floor in plot.floors] == [WHITE, GREEN]
    assert "touches" in refused(give(act(state, Skip()), ready=[GREEN], coins=9), Build("green", 3, 4))


def test_houses_go_up_to_the_third_level_and_carry_no_roof_there() -> None:
    """D4: a roof lies on levels 1 and 2, so level 3 is the highest house."""
    other = roof_id("workshops", "white", "orange")
    roofs = [(WHITE_BLUE, 0), (other, 0)]
    state = house(ready(GREEN), 3, 4, WHITE, WHITE, roofs=roofs)
    assert Build("green", 3, 4) in legal_of(state, Build)
    state = house(ready(GREEN), 3, 4, WHITE, WHITE, GREEN, roofs=roofs)
    assert Build("green", 3, 4) not in legal_of(state, Build)
    topped = house(ready(GREEN), 3, 4, WHITE, WHITE, GREEN, roofs=[*roofs, (2, 0)])
    assert Build("green", 3, 4) not in legal_of(topped, Build)


@pytest.mark.parametrize(("held", "gained"), [(1, 1), (12, 0)])
def test_a_house_on_a_roof_end_of_its_own_colour_brings_a_privilege_up_to_the_limit(held: int, gained: int) -> None:
    """The end's colour counts, not that of the house beneath."""
    state = house(ready(WHITE), 3, 4, ORANGE, roofs=[(WHITE_BLUE, 0)])
    state, (event,) = play(give(state, privileges=held), Build("white", 3, 4))
    assert event.privileges == gained
    assert state.families[0].privileges == held + gained
    state = house(ready(ORANGE), 3, 4, ORANGE, roofs=[(WHITE_BLUE, 0)])
    assert act(state, Build("orange", 3, 4)).families[0].privileges == 1


@pytest.mark.parametrize(
    ("work", "task"),
    [("fish", Fishing(swapped=False)), ("lace", Lacing((WHITE, ORANGE, BLUE), 3, 0)), ("earn", Earning())],
)
def test_building_starts_the_action_of_the_colour_which_may_be_skipped(work: str, task: Task) -> None:
    state = act(works(turned(ready(GREEN)), green=work), Build("green", 2, 3))
    assert state.phase is Phase.PERFORM
    assert state.task == task
    assert Skip() in ENGINE.legal_actions(state, 0)
    assert ENGINE.default_action(state, 0) == Skip()
    state, (event, *_) = play(give(state, privileges=5), Skip())
    assert event.what == work
    assert state.phase is Phase.TURN
