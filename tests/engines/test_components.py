"""Reading components: the typed form, and errors that name file, key and reason."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from server.engines.components import BrokenComponents, read_components


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    points: int


class Box(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hand: int
    cards: tuple[Card, ...]
    by_seats: dict[int, int]
    colours: tuple[str, ...] = ("red",)


GOOD = """
hand = 5
by_seats = {2 = 12, 3 = 10}

[[cards]]
name = "Troll"
points = 3

[[cards]]
name = "Émile"
points = 4
"""


def box(folder: Path, text: str) -> Box:
    path = folder / "box.toml"
    path.write_text(text, encoding="utf-8")
    return read_components(path, Box)


def test_a_sound_file_becomes_its_typed_form(tmp_path: Path) -> None:
    assert box(tmp_path, GOOD) == Box(
        hand=5, cards=(Card(name="Troll", points=3), Card(name="Émile", points=4)), by_seats={2: 12, 3: 10}
    )


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"),
    [
        ("hand = 5", "hand = = 5", "(syntax)", "Invalid value"),
        ("hand = 5", "hand = 5\nhand = 6", "(syntax)", "Cannot overwrite"),
        ("hand = 5", "", "(top level)", "missing required field `hand`"),
        ("hand = 5", "hand = 5\nhands = 5", "(top level)", "unknown field `hands`"),
        ("hand = 5", 'hand = "5"', "hand", "Expected `int`, got `str`"),
        ("hand = 5", "hand = 5.0", "hand", "Expected `int`, got `float`"),
        ("hand = 5", "hand = true", "hand", "Expected `int`, got `bool`"),
        ("points = 4", "", "cards[1]", "missing required field `points`"),
        ("points = 3", "points = []", "cards[0].points", "Expected `int`, got `array`"),
        ("2 = 12", "two = 12", "key in by_seats", "Expected `int`, got `str`"),
        ("hand = 5", 'hand = 5\ncolours = ["red", 3]', "colours[1]", "Expected `str`, got `int`"),
    ],
)
def test_a_broken_file_is_refused_with_file_key_and_reason(
    tmp_path: Path, old: str, new: str, key: str, reason: str
) -> None:
    with pytest.raises(BrokenComponents) as refusal:
        box(tmp_path, GOOD.replace(old, new, 1))
    assert refusal.value.file == "box.toml"
    assert refusal.value.key == key
    assert reason in refusal.value.reason
    assert str(refusal.value) == f"box.toml: {key}: {refusal.value.reason}"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "box.toml"
    path.write_bytes(b'name = "\xff"')
    with pytest.raises(BrokenComponents, match=r"box\.toml: \(syntax\): 'utf-8' codec"):
        read_components(path, Box)


def test_a_refusal_is_a_value_error_and_keeps_its_cause(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"box\.toml: hand") as refusal:
        box(tmp_path, GOOD.replace("hand = 5", "hand = []"))
    assert isinstance(refusal.value.__cause__, msgspec.ValidationError)


def test_a_file_that_is_not_there_is_not_taken_for_a_broken_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_components(tmp_path / "none.toml", Box)
