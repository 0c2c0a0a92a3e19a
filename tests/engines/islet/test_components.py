"""The components file: what it holds, each constraint, and that the rules take their numbers from it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from server.engines.components import BrokenComponents
from server.engines.islet.components import PATH, Components, Resource, check, load
from tests.engines.islet.tables import COMPONENTS, Play, pay, scene, seat

TEXT = PATH.read_text(encoding="utf-8")


def test_the_file_as_given() -> None:
    c = COMPONENTS
    assert len(c.tile_kinds) == 90
    assert {kind: c.tile_kinds.count(kind) for kind in c.tile_kinds} == {
        (t, n): 10 for t in range(3) for n in (3, 4, 5)
    }
    assert all(a <= b for a, b in pairwise(c.tile_kinds)), "terrain by terrain, nest by nest"
    assert c.pile_sizes == (12,) * 6
    assert [c.eggs_of(seats) for seats in (1, 2, 3, 4)] == [10, 10, 8, 6]
    assert c.egg_colours == ("white", "yellow", "red", "blue")
    assert c.pairs == {4: (0, 1), 3: (0, 2), 5: (1, 2)}
    assert c.solo.cards == 13


def test_what_a_tile_brings_by_the_terrain_below() -> None:
    assert COMPONENTS.gains == ((0, 4, 3), (4, 1, 5), (3, 5, 2))


def test_ranks_begin_at_their_points() -> None:
    ranks = {score: COMPONENTS.solo.rank(score) for score in (0, 39, 40, 59, 60, 74, 75, 200)}
    assert list(ranks.values()) == [
        *("hatchling", "hatchling", "fledgling", "fledgling"),
        *("seabird", "seabird", "albatross", "albatross"),
    ]


BROKEN = [
    ("start", "[[0, 0], [1, 0], [2, 0], [0, -1], [1, -1], [2, -1]]", "[]", "a tile at least"),
    ("start", "[1, 0], [2, 0]", "[1, 0], [1, 0]", "named twice"),
    ("start", "[2, -1]]", "[2, -2]]", "in one piece"),
    ("start[0]", "[[0, 0]", "[[0, 0, 0]", "length"),
    ("hand", "hand = 4", "hand = 0", ">= 1"),
    ("lay_at_most", "lay_at_most = 4", "lay_at_most = 0", ">= 1"),
    ("unguarded_limit", "unguarded_limit = 8", "unguarded_limit = -1", ">= 0"),
    ("guarded_per_kind", "guarded_per_kind = 2", "guarded_per_kind = 2.5", "int"),
    ("nest_price", "nest_price = 3", "nest_price = 0", ">= 1"),
    ("walk_price", "walk_price = 1", "walk_price = 0", ">= 1"),
    ("idle_rounds", "idle_rounds = 3", "idle_rounds = 0", ">= 1"),
    ("eggs", "4 = 6 }", "5 = 6 }", "1, 2, 3 and 4"),
    ("eggs[...]", "4 = 6 }", "4 = 0 }", ">= 1"),
    ("egg_colours", '"red", "blue"]', '"red"]', "4 colours"),
    ("egg_colours", '"red", "blue"]', '"red", "red"]', "named twice"),
    ("egg_colours", '"red", "blue"]', '"red", ""]', "no name"),
    ("tiles.water.leaf", "water = { leaf = 10", "water = { leaf = -1", ">= 0"),
    ("tiles", "hand = 4", "hand = 21", "more than the 90 dealt"),
    ("tiles.clay", "clay = { leaf", "clay = { loaf", "unknown field"),
    ("cards.nest", "nest = 12", "nest = -12", ">= 0"),
    ("nest_of", '"sand+clay" = "flower"', '"clay+sand" = "flower"', "water+sand, water+clay, sand+clay"),
    ("nest_of", '"sand+clay" = "flower"', '"sand+clay" = "leaf"', "each nest"),
    ("nest_of", '"sand+clay" = "flower"', '"sand+clay" = "clay"', "each nest"),
    ("nest_of[...]", '"sand+clay" = "flower"', '"sand+clay" = "straw"', "straw"),
    ("solo.day", "day = 7\nnight = 6", "day = 0\nnight = 0", "no card"),
    ("solo.passes", "passes = 2", "passes = 0", ">= 1"),
    ("solo.points.egg", "egg = 3", "egg = -3", ">= 0"),
    ("solo.ranks", "hatchling = 0", "hatchling = 1", "begins at 0"),
    ("solo.ranks", "seabird = 60", "seabird = 40", "more than the one before"),
    ("solo.ranks", "ranks = { hatchling = 0, ", 'ranks = { "" = 0, ', "no name"),
    ("(top level)", "hand = 4", "hand = 4\nfeet = 2", "feet"),
    ("(top level)", "hand = 4", "", "hand"),
]


@pytest.mark.parametrize(("key", "old", "new", "reason"), BROKEN, ids=[f"{case[0]}: {case[2]}" for case in BROKEN])
def test_a_broken_file_is_refused_with_file_key_and_reason(
    tmp_path: Path, key: str, old: str, new: str, reason: str
) -> None:
    assert old in TEXT
    path = tmp_path / "mine.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(BrokenComponents) as refused:
        load(path)
    assert refused.value.file == "mine.toml"
    assert refused.value.key == key
    assert reason in refused.value.reason


def changed(change: Callable[[Components], dict[str, object]]) -> Components:
    components = msgspec.structs.replace(COMPONENTS, **change(COMPONENTS))
    check(components)
    return components


def test_prices_come_from_the_file() -> None:
    dearer = changed(lambda c: {"walk_price": 2, "nest_price": 1})
    board = {(0, 0): "wl", (1, 0): "sl"}
    play = Play(scene(board, seat((0, 0), {"sand": 2, "leaf": 1}), seat(), components=dearer), dearer)
    assert [action["pay"] for action in play.listed("walk")] == [pay({"sand": 2})]
    assert [action["pay"] for action in play.listed("lay_egg")] == [pay({"leaf": 1})]


def test_limits_come_from_the_file() -> None:
    tighter = changed(lambda c: {"unguarded_limit": 1, "lay_at_most": 1, "hand": 2, "guarded_per_kind": 1})
    state = scene({(0, 0): "wl"}, seat(cards={"leaf": 1}, hand="wl ct"), seat(), components=tighter)
    play = Play(state, tighter)
    tile = play.me.hand[0]
    play.do("lay_tile", tile=tile, x=1, y=0)
    assert play.listed() == [{"type": "stop"}]
    play.do("stop")
    assert [action["resource"] for action in play.listed("return")] == ["water", "leaf"]
    assert len(play.me.hand) == 2


def test_the_nests_of_pairs_come_from_the_file() -> None:
    nests = {"water+sand": Resource.FLOWER, "water+clay": Resource.TWIG, "sand+clay": Resource.LEAF}
    other = changed(lambda c: {"nest_of": nests})
    state = scene({(0, 0): "wl"}, seat((0, 0), {"sand": 3, "clay": 3}), seat(), components=other)
    assert [action["pay"] for action in Play(state, other).listed("lay_egg")] == [pay({"sand": 3, "clay": 3})]
