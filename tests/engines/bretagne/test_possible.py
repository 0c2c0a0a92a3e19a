"""`load` refuses what is not a possible state, and says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Build, ChooseBarge, EnterCity, Hire, Pass
from server.engines.bretagne.box import City
from server.engines.bretagne.state import Barges, State
from tests.engines.bretagne.tables import (
    BOX,
    acting,
    built,
    change_player,
    give,
    harbour_tile,
    in_harbour,
    in_round,
    legal,
    levels,
    new,
    passing,
    play,
)

Data = dict[str, Any]
Spoil = Callable[[Data], object]


def loading() -> State:
    """Half through the loading."""
    state = new(3)
    for _ in range(4):
        state = play(state, legal(state)[0])
    return state


def manning() -> State:
    """A level has just been laid."""
    state = give(acting(2), 0, "4 brick 4 stone 4 sand", engineers=2)
    return play(state, next(action for action in legal(state) if isinstance(action, Build)))


def trading() -> State:
    """A seat in Brest, one trade made."""
    return play(give(acting(2), 0, coins=4), EnterCity(City.BREST), Hire())


def evaluating() -> State:
    """Cards are to be played on a lighthouse."""
    return passing(levels(acting(2), 5, (0, 1), (1, 1), (0, 0)), 0, 1)


def choosing() -> State:
    """A barge card has been chosen."""
    return play(new(3, barges=Barges.CHOSEN), ChooseBarge(2))


def harboured() -> State:
    """Two workers in a harbour, a region turned."""
    return in_harbour(built(acting(2), 2, 3), 0, 0, 1)


def earning() -> State:
    """A harbour pays two materials of choice."""
    any_material = next(i for i, row in enumerate(BOX.harbours) if row.normal.any_material)
    return passing(in_harbour(built(harbour_tile(acting(2), 0, any_material), 2, 3), 0, 0), 0, 1)


def ended() -> State:
    """The last round is over."""
    return passing(in_round(acting(2), BOX.rounds), 0, 1)


TABLES: dict[str, Callable[[], State]] = {
    each.__name__: each for each in (loading, manning, trading, evaluating, choosing, harboured, earning, ended)
}


@pytest.mark.parametrize("name", TABLES)
def test_what_was_dumped_is_loaded(name: str) -> None:
    state = TABLES[name]()
    assert ENGINE.load(json.loads(json.dumps(ENGINE.dump(state)))) == state


def add(path: str, amount: int) -> Spoil:
    """Adds to the number at the path."""

    def spoil(data: Data) -> None:
        *way, last = [int(key) if key.lstrip("-").isdigit() else key for key in path.split(".")]
        part: Any = data
        for key in way:
            part = part[key]
        part[last] += amount

    return spoil


def put(path: str, value: object) -> Spoil:
    """Puts the value at the path."""

    def spoil(data: Data) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        part: Any = data
        for key in way:
            part = part[key]
        part[last] = value

    return spoil


def both(*spoils: Spoil) -> Spoil:
    """One after the other."""

    def spoil(data: Data) -> None:
        for each in spoils:
            each(data)

    return spoil


IMPOSSIBLE: list[tuple[str, Spoil, str]] = [
    ("harboured", lambda d: d["players"].pop(), "1 seats"),
    ("harboured", lambda d: d["lighthouses"].pop(), "site or a harbour"),
    ("harboured", lambda d: d["harbours"].pop(), "site or a harbour"),
    ("harboured", lambda d: d["open"].pop(), "class of tiles"),
    ("harboured", put("players.0.cities", [0]), "a city"),
    ("harboured", put("quimper", [0, 0, 0]), "a material is missing"),
    ("harboured", add("players.0.coins", -9), "below 0"),
    ("harboured", put("round", 6), "round or turn"),
    ("harboured", put("number", 0), "round or turn"),
    ("harboured", put("players.0.barge", 3), "no such barge card"),
    ("loading", put("players.0.loads.0.material", 4), "no such load"),
    ("harboured", put("lighthouses.0.tile", 15), "no such lighthouse"),
    ("evaluating", put("lighthouses.4.levels.0.seat", 2), "no builder"),
    ("harboured", put("harbours.0.tile", 12), "no such harbour"),
    ("harboured", put("harbours.0.workers", [0, 0]), "two workers in a harbour"),
    ("harboured", lambda d: d["harbours"][0].update(tile=d["harbours"][1]["tile"]), "harbour tile lies twice"),
    ("harboured", put("order", [0, 0]), "turn order"),
    ("harboured", put("passed", [1, 1]), "next round's order"),
    ("harboured", put("weather", ["sun"] * 6), "weather cards"),
    ("harboured", put("production", [0] * 6), "production cards"),
    ("harboured", lambda d: d["stacks"][0].pop(), "construction tiles are not those"),
    ("harboured", lambda d: d["stacks"].reverse(), "wrong class"),
    ("harboured", lambda d: d["open"][0].reverse(), "not in order"),
    ("harboured", lambda d: d["deck"].pop(), "equipment cards are not those"),
    (
        "harboured",
        lambda d: d.update(discards=sorted((d["deck"].pop(), d["deck"].pop()), reverse=True)),
        "not in order",
    ),
    ("harboured", add("supply.materials.2", 1), "material tokens"),
    ("harboured", add("supply.engineers", 1), "17 engineers"),
    ("harboured", add("brest.engineer_pairs", -1), "14 engineers"),
    ("harboured", add("players.1.reserve", 1), "seat 1 has 15 workers"),
    ("harboured", lambda d: d["lighthouses"][0].update(tile=d["lighthouses"][2]["tile"]), "lighthouse tile lies twice"),
    ("harboured", lambda d: swap_lighthouses(d, 0, 1), "another class"),
    ("harboured", put("lighthouses.0.status", "open"), "stands from the start"),
    ("harboured", put("lighthouses.0.coins", 1), "something lies on it"),
    ("harboured", put("harbours.0.improved", False), "wrong side"),
    ("evaluating", put("harbours.8.improved", True), "wrong side"),
    ("trading", put("task.seat", 2), "unknown seat"),
    ("trading", put("task.seat", 1), "no worker stands"),
    ("trading", put("task.visited", ["brest"]), "visited twice"),
    ("trading", put("task.visited", ["lorient"]), "no worker stands"),
    ("trading", put("task.made", ["recruit"]), "trades of one visit"),
    ("trading", put("task.made", ["hire", "hire"]), "trades of one visit"),
    ("trading", put("passed", [0]), "has passed"),
    ("trading", put("task", {"phase": "over", "reason": "rounds"}), "not all have passed"),
    ("loading", put("passed", [2]), "before the actions"),
    ("loading", put("task", {"phase": "income", "seat": 0, "harbour": 0, "left": 1}), "no income in the first round"),
    ("loading", put("task", {"phase": "action", "seat": 0}), "barges are full"),
    ("loading", put("task.barge", 2), "too much or too little"),
    ("loading", put("task.barge", 3), "no such barge"),
    ("loading", put("players.0.barge", 2), "same barge card"),
    ("choosing", put("players.0.barge", None), "wrong time"),
    ("choosing", put("task.seat", 2), "wrong time"),
    ("choosing", put("barges", "by_order"), "does not choose"),
    ("trading", lambda d: swap_barges(d, 0, 1), "barge card of another place"),
    ("evaluating", put("players.0.barge", 1), "wrong time"),
    ("evaluating", both(add("players.0.engineers", 1), add("supply.engineers", -1)), "kept what it may not"),
    ("evaluating", put("task.site", 16), "no such site"),
    ("evaluating", put("task.site", 2), "not evaluated"),
    ("evaluating", put("task.order", []), "not evaluated"),
    ("evaluating", put("task.order", [0, 0]), "unknown seat"),
    ("evaluating", lambda d: d["lighthouses"][4]["levels"].pop() and None, "construction tiles"),
    (
        "evaluating",
        both(put("task", {"phase": "harbour", "site": 5, "order": [0]}), lambda d: move_in(d, 2, 0)),
        "enter the harbour",
    ),
    ("evaluating", lambda d: d["lighthouses"][6]["cards"].append(d["deck"].pop()), "cards lie on site 7"),
    (
        "evaluating",
        both(put("round", 5), put("task", {"phase": "over", "reason": "rounds"})),
        "site 5 has not been evaluated",
    ),
    ("ended", put("round", 4), "over before its end"),
    ("ended", put("task.reason", "lighthouses"), "did not end for the reason lighthouses"),
    ("earning", put("task.left", 3), "no such income"),
    ("earning", put("task.seat", 1), "not due"),
    ("earning", put("task.harbour", 9), "not due"),
    ("manning", put("task.site", 14), "no level"),
    ("manning", add("task.spent", 1), "not what the level has cost"),
    ("manning", lambda d: d["task"].update(phase="reward", left=1), "no such reward"),
    ("manning", put("task.phase", "sleep"), "sleep"),
]


def swap_barges(data: Data, a: int, b: int) -> None:
    """Two seats change their barge cards."""
    first, second = data["players"][a], data["players"][b]
    first["barge"], second["barge"] = second["barge"], first["barge"]


def swap_lighthouses(data: Data, a: int, b: int) -> None:
    """Two lighthouses change places."""
    first, second = data["lighthouses"][a], data["lighthouses"][b]
    first["tile"], second["tile"] = second["tile"], first["tile"]


def move_in(data: Data, harbour: int, seat: int) -> None:
    """A worker of the seat goes from its warehouse to the harbour."""
    data["harbours"][harbour]["workers"].append(seat)
    data["players"][seat]["warehouse"] -= 1


@pytest.mark.parametrize(("table", "spoil", "reason"), IMPOSSIBLE, ids=[f"{each[0]}-{each[2]}" for each in IMPOSSIBLE])
def test_an_impossible_state_is_refused(table: str, spoil: Spoil, reason: str) -> None:
    data = json.loads(json.dumps(ENGINE.dump(TABLES[table]())))
    spoil(data)
    with pytest.raises(ValueError, match=reason):
        ENGINE.load(data)


def test_a_seat_that_has_passed_keeps_three_of_a_material() -> None:
    state = play(acting(2), Pass())
    data = json.loads(json.dumps(ENGINE.dump(change_player(state, 0, materials=(4, 0, 0, 0)))))
    data["supply"]["materials"][0] -= 4
    with pytest.raises(ValueError, match="kept what it may not"):
        ENGINE.load(data)
