"""The components file: what is printed, the ids (D12), and every constraint refused with file, key and reason (D13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.engines.components import BrokenComponents
from server.engines.dragonwood.actions import Attempted, Reload
from server.engines.dragonwood.components import FILE, Creature, Enhancement, EventCard, load
from server.engines.dragonwood.rules import DragonwoodEngine
from server.engines.dragonwood.state import Options
from tests.engines.dragonwood.scene import ENGINE, bodies
from tests.engines.play import walk

TEXT = FILE.read_text(encoding="utf-8")
SPIDERS = '[[creatures]]\nname = "Spooky Spiders"\ncopies = 4\npoints = 1\n'
MUSHROOM = "scream = 7\nreroll = 1\n"


def changed(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    """The file with these replacements, each of which must find its text."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "components.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_is_printed() -> None:
    cards = ENGINE.components.cards
    assert len(cards) == 42
    assert sum(isinstance(card, Creature) for card in cards) == 29
    assert sum(isinstance(card, Enhancement) for card in cards) == 9
    assert sum(isinstance(card, EventCard) for card in cards) == 4
    assert sum(map(ENGINE.components.points, range(42))) == 79
    assert ENGINE.components.adventurers == 64
    assert ENGINE.components.first_ladybug == 60
    assert ENGINE.seats == range(2, 5)
    assert [cards[dragon].name for dragon in ENGINE.components.dragons] == ["Blue Dragon", "Orange Dragon"]
    assert cards[ENGINE.components.tie_breaker].name == "Orange Dragon"


def test_ids_are_those_of_d12() -> None:
    components = ENGINE.components
    assert [(components.colour(card), components.number(card)) for card in range(60)] == [
        (colour, number) for colour in range(5) for number in range(1, 13)
    ]
    names = [card.name for card in components.cards]
    assert names[:5] == ["Spooky Spiders"] * 4 + ["Crazy Bats"]
    assert names[29] == "Silver Sword"
    assert names[38:] == ["Sunny Day", "Thunder Storm", "Wind Storm", "Quicksand"]


REFUSED = [
    ("dice = 6", "dice = [", "(syntax)", ""),
    ("hand_start = 5\n", "", "(top level)", "missing required field `hand_start`"),
    ("hand_start = 5", "hand_start = 5\nhands = 1", "(top level)", "unknown field `hands`"),
    ("hand_limit = 9", 'hand_limit = "9"', "hand_limit", "Expected `int`"),
    ("landscape = 5", "landscape = 0", "landscape", ">= 1"),
    ("points = 1", "points = -1", "creatures[0].points", ">= 0"),
    ('name = "Spooky Spiders"', 'name = ""', "creatures[0].name", "length >= 1"),
    ("removed = { 2 = 12, 3 = 10, 4 = 8 }", "removed = {}", "removed", "consecutive"),
    ("removed = { 2 = 12, 3 = 10, 4 = 8 }", "removed = { 2 = 12, 4 = 8 }", "removed", "consecutive"),
    ("removed = { 2 = 12, 3 = 10, 4 = 8 }", "removed = { 1 = 12, 2 = 12 }", "removed", "consecutive"),
    ("die = [1, 2, 2, 3, 3, 4]", "die = []", "die", "at least one face"),
    ('colours = ["red", "orange", "purple", "green", "blue"]', "colours = []", "adventurers.colours", "at least one"),
    ('"red", "orange"', '"red", "red"', "adventurers.colours", "twice"),
    ("spell = { cards = 3", "spell = { cards = 13", "spell.cards", "more consecutive cards"),
    ("hand_start = 5", "hand_start = 6", "hand_start", "over hand_limit"),
    ("numbers = 12", "numbers = 4", "hand_start", "run out while it is dealt"),
    ('name = "Crazy Bats"', 'name = "Quicksand"', "name", "'Quicksand' stands there twice"),
    ("dragon = true\n", "", "creatures.dragon", "exactly two dragons"),
    (SPIDERS, SPIDERS + "dragon = true\n", "creatures.dragon", "exactly two dragons"),
    ("breaks_ties = true\n", "", "creatures.breaks_ties", "exactly one"),
    (SPIDERS, SPIDERS + "breaks_ties = true\n", "creatures.breaks_ties", "exactly one"),
    (MUSHROOM, "scream = 7\nreroll = 2\n", "enhancements.reroll", "only one re-roll"),
    (MUSHROOM, MUSHROOM + "once = true\n", "enhancements.once", "permanent"),
    ("strike_bonus = 2", "strike_bonus = 2\nreroll = 1", "enhancements.reroll", "only one card"),
    ("extra_dice = 1\nonce = true", "extra_dice = 1", "enhancements.once", "used once"),
    ("wild_cards = 1\nonce = true", "wild_cards = 1", "enhancements.once", "used once"),
    ("wild_cards = 1", "wild_cards = 5", "dice", "possible together"),
    ('[[events]]\nname = "Sunny Day"\ndraw = 2', '[[events]]\nname = "Sunny Day"', "events", "exactly one of"),
    ("draw = 2", "draw = 2\ndiscard = 1", "events", "exactly one of"),
    ("discard = 1", "discard = 2", "events.discard", "only one card"),
    ("pass_right = 1", "pass_right = 2", "events.pass_right", "only one card"),
    ('removes = "enhancements"', 'removes = "creatures"', "events[3].removes", "Invalid enum value"),
    ("2 = 12", "2 = 24", "removed.2", "too few cards"),
    ("4 = 8", "4 = 60", "removed.4", "too few cards"),
    ("hand_limit = 9", "hand_limit = 14", "hand_limit", "more than 2000 sets"),
]


@pytest.mark.parametrize(
    ("old", "new", "key", "reason"), REFUSED, ids=[f"{key}: {reason}" for _, _, key, reason in REFUSED]
)
def test_a_file_that_breaks_a_constraint_is_refused(tmp_path: Path, old: str, new: str, key: str, reason: str) -> None:
    path = changed(tmp_path, (old, new))
    with pytest.raises(BrokenComponents) as refusal:
        load(path)
    assert refusal.value.file == "components.toml"
    assert refusal.value.key == key
    assert reason in refusal.value.reason


def test_wild_cards_need_numbers_to_stand_for(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        ("numbers = 12", "numbers = 3"),
        ("hand_start = 5", "hand_start = 1"),
        ("wild_cards = 1", "wild_cards = 3"),
    )
    with pytest.raises(BrokenComponents, match=r"adventurers\.numbers: a single card and all wild cards"):
        load(path)


def test_too_many_attacks_to_choose_from_are_refused(tmp_path: Path) -> None:
    permanent = [("_bonus = 2", "_bonus = 3\nonce = true")] * 3
    path = changed(
        tmp_path, *permanent, ("landscape = 5", "landscape = 10"), ("any_bonus = 2", "any_bonus = 3\nonce = true")
    )
    with pytest.raises(BrokenComponents, match="landscape: there could be more than 2000 attacks"):
        load(path)


def test_other_numbers_are_played(tmp_path: Path) -> None:
    """An owner's edit is enough to play by other numbers: five faces, another limit, one more seat."""
    path = changed(
        tmp_path,
        ("die = [1, 2, 2, 3, 3, 4]", "die = [2, 2, 3, 5, 6]"),
        ("hand_limit = 9", "hand_limit = 10"),
        ("4 = 8 }", "4 = 8, 5 = 4 }"),
    )
    engine = DragonwoodEngine(load(path))
    assert engine.seats == range(2, 6)
    reloads = list(walk(engine, 5, Options(), 1, pick=lambda actions, _: actions[0]))
    assert max(len(player.hand) for step in reloads if step.action == Reload() for player in step.after.players) > 10
    assert max(len(player.hand) for player in reloads[-1].after.players) == 10
    attempts = [body for step in walk(engine, 5, Options(), 1) for body in bodies(step.events)]
    rolled = {face for body in attempts if isinstance(body, Attempted) for face in body.dice}
    assert rolled == {2, 3, 5, 6}
