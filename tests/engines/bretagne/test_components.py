"""The components file: what is in the box, and every constraint, refused with file, key and reason."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from server.engines.bretagne.box import Box, Weather
from server.engines.bretagne.components import FILE, Components, load_components
from server.engines.bretagne.rules import BretagneEngine
from server.engines.components import BrokenComponents
from tests.engines.bretagne.tables import BOX, COMPONENTS, new
from tests.engines.play import final

Spoil = Callable[[dict[str, Any]], object]


def spoilt(spoil: Spoil) -> Components:
    """The components of the file after a change to its data."""
    data = tomllib.loads(FILE.read_text(encoding="utf-8"))
    spoil(data)
    return Components(msgspec.convert(data, Box, str_keys=True))


BROKEN: list[tuple[str, str, Spoil]] = [
    ("materials", "in this order", lambda d: d["materials"].reverse()),
    ("sites", "5 of each class", lambda d: d["sites"][0].update({"class": "hell"})),
    ("lighthouses", "5 of each class", lambda d: d["lighthouses"].pop()),
    ("tiles", "12 of each class", lambda d: d["tiles"].append(d["tiles"][0])),
    ("weather", "6 entries", lambda d: d["weather"].append("sun")),
    ("barges", "4 entries", lambda d: d["barges"].pop()),
    ("production", "6 entries", lambda d: d["production"].pop()),
    ("harbours", "12 entries", lambda d: d["harbours"].pop()),
    ("weather", "for every round", lambda d: d.update(rounds=7)),
    ("workers.start", "more than a seat has", lambda d: d["workers"].update(start=15)),
    ("sites", "clockwise", lambda d: d["sites"].reverse()),
    ("harbours_in_play", "harbour tiles", lambda d: d.update(harbours_in_play=13)),
    ("sites[6].harbour", "another region", lambda d: d["sites"][6].update(harbour=0)),
    ("sites", "every harbour in play", lambda d: [site.update(harbour=3) for site in d["sites"][5:10]]),
    ("finished.2", "each once", lambda d: d["finished"].update({"2": [1, 1]})),
    ("finished.3", "some sites", lambda d: d["finished"].update({"3": [16]})),
    ("finished.5", "number of seats", lambda d: d["finished"].update({"5": [1]})),
    ("flips_region", "each number of seats", lambda d: d["flips_region"].pop("2")),
    ("classes.hell", "is missing", lambda d: d["classes"].pop("hell")),
    ("classes.hell.engineers", "each weather", lambda d: d["classes"]["hell"]["engineers"].pop("storm")),
    ("lighthouses[5].extra", "1 materials", lambda d: d["lighthouses"][5]["extra"].append("sand")),
    ("tiles[0].cost", "a material at least", lambda d: d["tiles"][0].update(cost={"brick": 0})),
    ("end.harbour_workers", "number of workers", lambda d: d["end"]["harbour_workers"].pop("4")),
    ("barges[1].place", "must be 2", lambda d: d["barges"][1].update(place=1)),
    ("barges[0].loads", "3 barges", lambda d: d["barges"][0].update(loads=[3, 2])),
    ("production[2]", "count per material", lambda d: d["production"][2].update({"3": [1, 2, 3]})),
    ("production[0]", "each number of seats", lambda d: d["production"][0].pop("4")),
    ("equipment", "in this order", lambda d: d["equipment"].reverse()),
    ("equipment", "30 cards", lambda d: d["equipment"][0].update(copies=9)),
    ("equipment[0].points", "each class", lambda d: d["equipment"][0]["points"].pop("hell")),
    ("brest.trades", "hire_pair", lambda d: d["brest"]["trades"].pop("hire_pair")),
    ("lorient.trades", "draw_cards", lambda d: d["lorient"]["trades"].update(hire={"pay": 1, "engineers": 1})),
    ("brest.trades.buy", "and nothing else", lambda d: d["brest"]["trades"]["buy"].update(coins=1)),
    ("lorient.trades.recruit", "pay, workers", lambda d: d["lorient"]["trades"]["recruit"].update(pay=0)),
    ("lorient.trades.swap", "one card", lambda d: d["lorient"]["trades"]["swap"].update(materials=2)),
]


@pytest.mark.parametrize(("key", "reason", "spoil"), BROKEN, ids=lambda value: value if isinstance(value, str) else "")
def test_a_broken_constraint_is_refused_with_file_key_and_reason(key: str, reason: str, spoil: Spoil) -> None:
    with pytest.raises(BrokenComponents) as refused:
        spoilt(spoil)
    assert (refused.value.file, refused.value.key) == ("components.toml", key)
    assert reason in refused.value.reason


@pytest.mark.parametrize(
    ("old", "new_text", "key"),
    [
        ("scaffold_wood = 1", "scaffold_wood = -1", "scaffold_wood"),
        ("scaffold_wood = 1", 'scaffold_wood = "one"', "scaffold_wood"),
        ("scaffold_wood = 1", "scaffold_planks = 1", "(top level)"),
        ('region = "west"', 'region = "east"', "sites[5].region"),
        ('class = "heaven"', 'class = "limbo"', "sites[0].class"),
        ("cost = { brick = 2 }", "cost = { marble = 2 }", "tiles[0].cost"),
        ("reward = { coins = 2 }", "reward = { gold = 2 }", "tiles[0].reward"),
        ("rounds = 5", "rounds = ", "(syntax)"),
    ],
)
def test_a_file_of_another_form_is_refused_too(tmp_path: Path, old: str, new_text: str, key: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new_text, 1), encoding="utf-8")
    with pytest.raises(BrokenComponents) as refused:
        load_components(path)
    assert refused.value.file == "mine.toml"
    assert key in refused.value.key


def test_the_box_is_as_the_rules_say() -> None:
    assert Counter(row.light_class.value for row in BOX.sites) == {"heaven": 5, "purgatory": 5, "hell": 5}
    assert Counter(row.light_class.value for row in BOX.tiles) == {"heaven": 12, "purgatory": 12, "hell": 12}
    assert len(COMPONENTS.card_kinds) == 30
    assert [row.site for row in BOX.sites if row.region == "west"] == [6, 7, 8, 9, 10]
    assert all({len(numbers)} == {3} for numbers in COMPONENTS.harbours_of.values())
    assert (BOX.workers.all, BOX.engineers, BOX.tokens_per_material) == (14, 16, 15)


def test_the_rules_play_by_the_file() -> None:
    """Other numbers in the box, another game: nothing of the file stands in the code."""

    def richer(data: dict[str, Any]) -> None:
        data.update(rounds=2, levels=2, open_tiles=3, coins_to_start=5, weather=["storm"] * 6, engineers=40)
        data["workers"].update(all=10, start=10)
        data["brest"].update(market=1, single_engineers=1, engineer_pairs=1)

    engine = BretagneEngine(spoilt(richer))
    state = new(3, engine=engine)
    assert [player.coins for player in state.players] == [6, 7, 7]
    assert [player.warehouse + player.reserve for player in state.players] == [10, 10, 10]
    assert state.weather == (Weather.STORM,) * 6
    assert [len(tiles) for tiles in state.open] == [3, 3, 3]
    assert (state.brest.market, state.brest.single_engineers, state.brest.engineer_pairs) == ((1, 1, 1, 1), 1, 1)
    end = final(engine, 3, engine.options(), seed=2)
    assert end.round == 2
