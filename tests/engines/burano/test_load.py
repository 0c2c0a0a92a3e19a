"""What `load` takes and what it refuses, and states imagined behind views."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from server.engines.burano.state import Options, Phase, State
from tests.engines.burano import conservation
from tests.engines.burano.tables import ENGINE, fresh, in_turn, with_roofs
from tests.engines.play import dice, walk


@cache
def reached() -> dict[str, State]:
    """A state of each phase, from random games."""
    found: dict[str, State] = {}
    for seed in range(6):
        for step in walk(ENGINE, 2 + seed % 3, Options("random" if seed % 2 else "first_game"), seed):
            name = step.before.phase.value
            if name == "perform":
                name = step.before.task.name
            found.setdefault(f"{name} at season's end" if name == "roofs" and step.before.season else name, step.before)
            found["over"] = step.after
    return found


PHASES = [phase.value for phase in Phase if phase is not Phase.PERFORM]
NAMES = [
    *PHASES,
    "fish",
    "lace",
    "earn",
    "roofs at season's end",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_state_of_every_phase_is_read_back(name: str) -> None:
    state = reached()[name]
    conservation.check(state)
    assert ENGINE.load(json.loads(json.dumps(ENGINE.dump(state)))) == state


def put(state: State, path: str, value: Any) -> dict[str, Any]:
    """The dump with something else at a place."""
    data = json.loads(json.dumps(ENGINE.dump(state)))
    *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
    at = data
    for key in way:
        at = at[key]
    at[last] = value
    return data


@pytest.mark.parametrize(
    ("name", "path", "value", "reason"),
    [
        ("turn", "families", [], "2 to 4 families"),
        ("turn", "supply.counts", [20, 20, 20, 20, 20, 20], "cubes"),
        ("turn", "supply.counts", [1, 2], "cubes of each colour"),
        ("turn", "families.0.ready.counts", [-1, 0, 0, 0, 0, 1], "cubes of each colour"),
        ("turn", "families.0.coins", -1, "no debts"),
        ("turn", "families.0.privileges", 13, "past the track"),
        ("turn", "families.0.wheel.first", 12, "no such sector"),
        ("turn", "families.0.wheel.workers", 12, "workers in place of 10"),
        ("turn", "families.0.wheel.pieces", [0, 0, 1, 2], "every ring piece once"),
        ("turn", "families.0.boat", 12, "a boat nowhere"),
        ("turn", "families.0.boat", 9, "another's mooring"),
        ("turn", "families.0.roofs", [], "roofs: each once"),
        ("turn", "families.0.buildings", [99], "building cards: each once"),
        ("turn", "families.0.fish.counts", [7, 0, 0, 0, 0, 0, 0, 0], "fish of each kind"),
        ("turn", "markers.works", ["fish"] * 6, "equally many markers"),
        ("turn", "sea.islands.0.docks", [0, 0, 0], "dock houses a colour"),
        ("turn", "sea.ships", [0, 0, 2, 1], "in no harbour"),
        ("turn", "season", 4, "no such season"),
        ("turn", "round", 4, "no such round"),
        ("turn", "turn", 0, "counted up"),
        ("turn", "turn", 57, "number of turns"),
        ("turn", "start", 1, "moves once a season"),
        ("over", "season", 2, "marker|season's end|before winter"),
        ("over", "families.0.privileges", 1, "become coins"),
        ("lace_scoring", "round", 1, "last round"),
        ("pyramid", "round", 1, "before its first round"),
        ("turn", "seat", 4, "no such seat"),
        ("turn", "actions", 5, "number of actions"),
        ("turn", "phase", "over", "season's end|number of actions"),
        ("turn", "task", {"type": "earn"}, "is about nothing else"),
        ("turn", "island.plots.0", {"floors": []}, "no such plot"),
        ("turn", "options.workshops", "rowing", "Invalid enum value"),
        ("pyramid", "phase", "turn", "stock is empty"),
        ("pyramid", "seat", 1, "start player begins"),
        ("catch", "task.left", 4, "fish that may be caught"),
        ("catch", "task.matches", 0, "matches"),
        ("crew", "task.matches", 4, "crew goes ashore"),
        ("lace", "task.left", 4, "workers that may be sent"),
        ("lace", "task.sent", 1, "workers in place of 10"),
        ("reward", "task.roof", 47, "just painted"),
        ("roofs", "task", {"type": "new_roofs", "drawn": False}, "after a season"),
        ("roofs at season's end", "task", {"type": "first_roofs"}, "turn order"),
        ("sell", "phase", "recall", ""),
    ],
)
def test_an_impossible_state_is_refused_with_the_reason(name: str, path: str, value: Any, reason: str) -> None:
    data = put(reached()[name], path, value)
    if not reason:
        ENGINE.load(data)
        return
    with pytest.raises(ValueError, match=reason):
        ENGINE.load(data)


def test_workshops_of_another_layout_are_refused() -> None:
    data = json.loads(json.dumps(ENGINE.dump(fresh(2, 3, Options("random")))))
    assert ENGINE.load(data).options.workshops == "random"
    data["options"]["workshops"] = "first_game"
    with pytest.raises(ValueError, match="first game's workshops"):
        ENGINE.load(data)
    data["options"]["workshops"] = "random"
    squares = data["workshops"]["squares"]
    coin = next(number for number, square in enumerate(squares) if square and square["coin"])
    squares[coin]["coin"] = False
    with pytest.raises(ValueError, match="another shape"):
        ENGINE.load(data)


def test_a_house_in_the_air_or_apart_is_refused() -> None:
    state = with_roofs()
    data = put(state, "island.plots.31.floors", [])
    with pytest.raises(ValueError, match="cubes in place of 20"):
        ENGINE.load(data)
    colour = state.island.plots[31].floors[0].house
    data = put(state, "island.plots.31.floors", [])
    data["island"]["plots"][2]["floors"] = [{"house": colour, "roof": None}]
    with pytest.raises(ValueError, match="first square"):
        ENGINE.load(data)
    data = put(state, "island.plots.2.floors", [{"house": colour, "roof": None}])
    data["supply"]["counts"][colour] -= 1
    with pytest.raises(ValueError, match="touches no other"):
        ENGINE.load(data)


def test_a_cube_that_nothing_bears_is_refused() -> None:
    state = in_turn()
    data = put(state, "families.0.pyramid.cubes.0", None)
    data["supply"]["counts"][state.families[0].pyramid.cubes[0]] += 1
    with pytest.raises(ValueError, match="nothing bears"):
        ENGINE.load(data)


@pytest.mark.parametrize("name", NAMES)
def test_a_state_is_imagined_behind_every_view_in_every_phase(name: str) -> None:
    state = reached()[name]
    for seat in (*range(len(state.families)), None):
        imagined = ENGINE.resample(state, seat, dice(9, 2))
        conservation.check(imagined)
        assert ENGINE.load(ENGINE.dump(imagined)) == imagined
        assert ENGINE.public_view(imagined) == ENGINE.public_view(state)
        if seat is not None:
            assert ENGINE.private_view(imagined, seat) == ENGINE.private_view(state, seat)


def test_views_of_another_game_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected `object`"):
        ENGINE.imagine({"families": [0, 0]}, None, 2, Options(), dice(1, 2))
