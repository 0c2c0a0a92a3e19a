"""The components file: as published it loads; whatever breaks a constraint is refused with file, key and reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.engines.burano import BuranoEngine
from server.engines.burano.components import PATH, BrokenComponents, load
from server.engines.burano.state import Options
from tests.engines.play import dice

TEXT = PATH.read_text(encoding="utf-8")


def changed(folder: Path, old: str, new: str) -> Path:
    """The file with one thing replaced, once."""
    assert TEXT.count(old) >= 1, f"{old!r} is not in the file"
    path = folder / "components.toml"
    path.write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    return path


def test_the_published_box() -> None:
    box = load()
    assert len(box.colours) * box.cubes_per_colour == 120
    assert len(box.sea.islands) * box.sea.dock_houses == 18
    assert len(box.roof_tiles) == 48
    assert {len(tiles) for tiles in box.roofs.values()} == {12}
    assert len(box.fish.kinds) * box.fish.copies == 48
    assert (len(box.buildings), len(box.ships), sum(box.rounds)) == (16, 4, 14)
    assert len(box.places) == 14
    assert box.workers_in_play == 10


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ('"white", "orange", "blue", "pink"', '"white", "white", "blue", "pink"', "colours", "twice"),
        ('["white", "orange", "blue"', '["White", "orange", "blue"', "colours", "lower-case"),
        ('"green", "yellow"]   #', '"green", "yellow", "grey"]   #', "colours", "as many"),
        ("cubes_per_colour = 20", "cubes_per_colour = 12", "cubes_per_colour", "first cubes"),
        ("cubes_per_colour = 20", "cubes_per_colour = -1", "cubes_per_colour", "Expected `int` >= 1"),
        ("coins_to_start = 3", "coins_to_start = 1.5", "coins_to_start", "Expected `int`"),
        ("rounds = [4, 4, 3, 3]", "rounds = []", "rounds", "length"),
        ("rounds = [4, 4, 3, 3]", "rounds = [4, 0]", "rounds[1]", "Expected `int` >= 1"),
        ("action_coins = [1,", "action_coins = [-1,", "action_coins", "costs nothing"),
        ("pyramid = [3, 2, 1]", "pyramid = [3, 1]", "pyramid", "one smaller"),
        ("privilege_to_start = 1", "privilege_to_start = 13", "privilege_to_start", "limit"),
        ("ready_limit = 3", "ready_limit = 5", "ready_limit", "2,000"),
        ("roofs_in_hand = 3", "roofs_in_hand = 5", "roofs_in_hand", "kinds"),
        ("crew = [0, 1, 1, 2]", "crew = [0, 1]", "crew", "from 0 to 3"),
        ("stay_on_wheel = 1", "stay_on_wheel = 10", "stay_on_wheel", "at the start"),
        ("stay_on_wheel = 1", "stay_on_wheel = 0", "stay_on_wheel", ">= 1"),
        ("wheel = 12, score", "wheel = 11, score", "workers.wheel", "12 sectors"),
        ('A = [["white", "coin"], ', "A = [", "wheel.A", "three sectors"),
        ('A = [["white", "coin"]', 'A = [["red", "coin"]', "wheel.A", "'red'"),
        ('"...F..."', '"......."', "island.grid", "one 'F'"),
        ('"##...##", "#', '"##...#", "#', "island.grid", "equally long"),
        ("first_cube = [3, 4]", "first_cube = [3, 3]", "island.first_cube", "no house square"),
        ("first_cube = [3, 4]", "first_cube = [0, 0]", "island.first_cube", "no house square"),
        ('harbours = ["Venezia", "Treporti"]', 'harbours = ["Venezia"]', "sea.harbours", "length"),
        ('islands = ["Mazzorbo", "Torcello"', 'islands = ["Mazzorbo", "Venezia"', "sea.islands", "twice"),
        ('letters = { A = "Mazzorbo", B', 'letters = { E = "Mazzorbo", B', "sea.letters", "ring pieces"),
        ('letters = { A = "Mazzorbo"', 'letters = { A = "Lido"', "sea.letters", "'Lido'"),
        ("dock_houses = 3", "dock_houses = 0", "sea.dock_houses", ">= 1"),
        ('["Murano", "Vignole"]', '["Murano", "Lido"]', "sea.routes", "'Lido'"),
        ('["Murano", "Vignole"]', '["Murano", "Murano"]', "sea.routes", "no route"),
        ('["Murano", "Vignole"]', '["mooring A", "mooring B"]', "sea.routes", "no route"),
        ('["Murano", "Vignole"]', '["Torcello", "Mazzorbo"]', "sea.routes", "twice"),
        (
            '["mooring A", "Mazzorbo"],\n  ["mooring A", "Torcello"],',
            "",
            "sea.routes",
            "no boat can leave 'mooring A'",
        ),
        ('kinds = ["sardine", "sea bass"', 'kinds = ["sardine", "sardine"', "fish.kinds", "twice"),
        ('sells = "pairs"', 'sells = "thirds"', "ships[2].sells", "thirds"),
        ("points = [2, 4, 6, 8, 10]", "points = []", "ships[3].points", "length"),
        ("points = [2, 4, 6, 8, 10]", "points = [-2, 4, 6, 8, 10]", "ships[3].points[0]", ">= 0"),
        ("points = [2, 4, 6, 8, 10]", "points = [2, 4, 6, 8, 10, 12]", "ships", "2,000"),
        ('W = "white", O = "orange"', 'W = "white", O = "white"', "workshops.letters", "one letter"),
        ('three = ["PP.....', 'three = ["PP....', "workshops.three", "4 rows of 7"),
        ('three = ["PP.....', 'three = ["P..P...', "workshops.three", "tile P"),
        ('"...WYYY"', '"..W.YYY"', "workshops.three", "tile W"),
        ('four = [".PGW.OO"', 'four = ["PPGW.OO"', "workshops.four", "tile P"),
        ('three = ["PP.....', 'three = ["XP.....', "workshops.three", "'X'"),
        ("three_coins = [[0, 1]", "three_coins = [[0, 2]", "workshops.three_coins", "one square on each tile"),
        ('fixed = [["white", "orange"]', 'fixed = [["white", "white"]', "roofs.fixed", "both ends"),
        ('fixed = [["white", "orange"]', 'fixed = [["white", "gold"]', "roofs.fixed", "'gold'"),
        ("\nfixed = ", "\nstraw = ", "roofs", "the kinds islands, workshops, wheel, fixed"),
        ('fish = ["squid"', 'fish = ["whale"', "buildings[7].fish", "'whale'"),
        ('colours = ["orange", "blue"]', 'colours = ["orange", "red"]', "buildings[3].colours", "'red'"),
        ('colours = ["orange", "blue"]', 'colours = ["orange", "orange"]', "buildings[3].colours", "twice"),
        ('effect = "points"', 'effect = "bells"', "buildings[15].effect", "bells"),
        ("points = [5, 10]", "points = [5]", "buildings[0].points", "length 2"),
        ("points = [5, 10]", "points = [5, -10]", "buildings[0].points[1]", ">= 0"),
        ("points = 9", "points = -9", "buildings[15].points", ">= 0"),
        ("guild = [0, 0, 1, 2, 4]", "guild = [0, -1, 1, 2, 4]", "score.guild[1]", ">= 0"),
        ("2 = 2, 3 = 3, 4 = 4", "2 = 2, 3 = 3", "score.islands_at_season_end", "2, 3 and 4"),
        ("coins_per_point = 5", "coins_per_point = 0", "score.coins_per_point", ">= 1"),
        ("open_fish = 3", "", "(top level)", "open_fish"),
        ("open_fish = 3", "open_fish = 3\nopen_boats = 1", "(top level)", "open_boats"),
        ("open_fish = 3", "open_fish =", "(syntax)", ""),
    ],
)
def test_a_broken_constraint_is_refused(tmp_path: Path, old: str, new: str, key: str, reason: str) -> None:
    if old not in TEXT:
        pytest.fail(f"{old!r} is not in the file")
    with pytest.raises(BrokenComponents) as refusal:
        load(changed(tmp_path, old, new))
    assert refusal.value.file == "components.toml"
    assert refusal.value.key == key
    assert reason in refusal.value.reason


def test_a_mark_that_is_neither_coin_nor_fountain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenComponents, match=r"wheel.*'well'"):
        load(changed(tmp_path, 'A = [["white", "coin"]', 'A = [["white", "well"]'))


def test_layouts_that_fall_apart_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "components.toml"
    old = 'three = ["PP.....", "P.BBB.O", "GGGWWOO", "...WYYY"]'
    assert old in TEXT
    path.write_text(TEXT.replace(old, 'three = ["PP..BBB", "P......", "GGGWWOO", "YYYW..O"]'), encoding="utf-8")
    with pytest.raises(BrokenComponents, match="not one region"):
        load(path)


def test_rules_go_by_the_file(tmp_path: Path) -> None:
    """An owner's figures replace ours, without a change of code."""
    path = tmp_path / "components.toml"
    text = TEXT
    for old, new in (
        ("coins_to_start = 3", "coins_to_start = 8"),
        ("ready_limit = 3", "ready_limit = 2"),
        ("rounds = [4, 4, 3, 3]", "rounds = [1]"),
        ("open_fish = 3", "open_fish = 5"),
        ("roof_fixed = 4", "roof_fixed = 6"),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    engine = BuranoEngine(load(path))
    state, stream = engine.new(3, Options(), dice(1, 3)), dice(1, 3)
    assert [family.coins for family in state.families] == [8, 8, 8]
    assert len(state.fish.open) == 5
    steps = 0
    while engine.deciding(state):
        seat = engine.deciding(state)[0]
        state, _ = engine.apply(state, seat, engine.default_action(state, seat), stream)
        assert all(family.ready.total <= 2 for family in state.families)
        steps += 1
    assert (state.season, state.round, state.turn) == (0, 0, 3)
