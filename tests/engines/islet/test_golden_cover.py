"""The golden games are the ones that are wanted: one for every way a game can end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engines.golden import golden_files

FILES = {path.stem: path for path in golden_files("islet")}


def result(path: Path) -> dict[str, Any]:
    line = path.read_text(encoding="utf-8").splitlines()[-1]
    found: dict[str, Any] = json.loads(line.removeprefix("result "))
    return found


@pytest.mark.parametrize(
    ("name", "reasons"),
    [
        ("last_egg", {"eggs"}),
        ("empty_bag", {"bag"}),
        ("last_egg_and_empty_bag", {"eggs"}),
        ("idle", {"idle"}),
        ("tie_on_the_second_highest_egg", {"eggs", "bag"}),
        ("solo_won", {"fledgling", "seabird", "albatross"}),
        ("solo_lost", {"hatchling", "fledgling"}),
    ],
)
def test_there_is_a_game_for_this_end(name: str, reasons: set[str]) -> None:
    assert result(FILES[name])["reason"] in reasons


def test_in_the_game_of_both_the_bag_emptied_first_and_the_last_egg_gave_the_reason() -> None:
    text = FILES["last_egg_and_empty_bag"].read_text(encoding="utf-8")
    assert text.count("last_round") == 1
    assert '"reason": "bag"' in text


def test_the_tie_is_broken_by_the_second_highest_egg() -> None:
    text = FILES["tie_on_the_second_highest_egg"].read_text(encoding="utf-8")
    end = result(FILES["tie_on_the_second_highest_egg"])
    first, second = end["ranks"].index(1), end["ranks"].index(2)
    assert end["scores"][first] == end["scores"][second]
    levels: dict[int, list[int]] = {first: [], second: []}
    for line in text.splitlines():
        if line.strip().startswith("egg_laid "):
            egg = json.loads(line.strip().removeprefix("egg_laid "))
            levels.setdefault(egg["seat"], []).append(egg["level"])
    best, next_best = (sorted(levels[seat], reverse=True) for seat in (first, second))
    assert best[0] == next_best[0]
    assert best[1] > next_best[1]


def test_one_solo_game_lays_ten_eggs_and_one_does_not() -> None:
    laid = {name: FILES[name].read_text(encoding="utf-8").count("egg_laid ") for name in ("solo_won", "solo_lost")}
    assert laid["solo_won"] == 10
    assert laid["solo_lost"] < 10
