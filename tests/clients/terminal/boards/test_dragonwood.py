"""The terminal board of Dragonwood on whole random games: it fits, it says everything, no two actions read the same."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

from clients.bots.offline import Table, document, moves, plain, table
from clients.bots.policies import play_random, policy
from clients.terminal.boards.dragonwood import board, describe, narrate
from server.engines.dragonwood import ENGINE
from server.engines.dragonwood.actions import AttackWith
from server.engines.dragonwood.state import Attack
from tests.clients.terminal.boards.printed import printed
from tests.engines.dragonwood import scene as scenes
from tests.engines.play import as_map

GAMES = [(2, "random"), (3, "greedy"), (4, "random")]


def text(state: dict[str, Any], width: int = 80) -> str:
    """The board without colours."""
    return printed(board, state, width)


def shown(state: Any, viewer: int | None = 0) -> dict[str, Any]:
    """The state document of a scene."""
    return document(table(ENGINE, len(state.players)), state, viewer)


@pytest.mark.parametrize(("seats", "name"), GAMES)
def test_a_whole_game_is_shown_described_and_told(seats: int, name: str) -> None:
    place: Table = table(ENGINE, seats, seed=11)
    chooses = [play_random if name == "random" else policy(name, "dragonwood")] * seats
    for number, move in enumerate(moves(place, chooses, Random(11))):
        for viewer in (None, *ENGINE.deciding(move.state)[:1]):
            state = document(place, move.state, viewer)
            for event in move.events:
                line = narrate(state, plain(msgspec.to_builtins(event.form_for(viewer))))
                assert line
                assert "None" not in line
                assert "card #" not in line, "every card that is told of lies open under its name"
            if number % 19 == 0:
                width = 80 + 20 * (number % 3)
                assert max(map(cell_len, text(state, width).splitlines())) <= width
        for seat in ENGINE.deciding(move.state):
            state = document(place, move.state, seat)
            words = [describe(state, as_map(action)) for action in ENGINE.legal_actions(move.state, seat)]
            assert len(set(words)) == len(words)


def test_the_board_names_what_lies_open() -> None:
    state = scenes.scene(
        ("R7 B7", "P1"),
        ("Pack of Wolves", "Blue Dragon", "Lightning Bolt", "Wild Boar", "Fire Ants"),
        before=[["Crazy Bats", "Crazy Bats", "Lucky Mushroom"]],
    )
    seen = text(shown(state))
    for words in ("Pack of Wolves #16", "DRAGON", "+4 any attempt (once)", "2 Crazy Bats", "re-roll 1 die", "R7", "B7"):
        assert words in seen
    assert "> Seat 1 (you)" in " ".join(seen.split())
    assert "P1" not in seen
    assert "R7" not in text(shown(state, None)), "a spectator sees no hand"


def test_the_board_shows_the_attempt_and_the_reroll() -> None:
    start = scenes.scene(
        ("R7 B7", "P1"), ("Pack of Wolves", *scenes.FILLER[:4]), before=[["Lucky Mushroom", "Magical Unicorn"]]
    )
    state, events = scenes.attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7", scenes.faces(2, 1))
    seen = text(shown(state))
    for words in ("Stomp on Pack of Wolves #16", "dice + 1 must reach 7", "[2] [1] = 4", "re-rolls of one die: 1"):
        assert words in seen
    assert describe(shown(state), {"type": "reroll", "die": 1}) == "Roll die 2 again, which shows 1"
    assert describe(shown(state), {"type": "keep"}) == "Let the miss stand"
    told = narrate(shown(state), as_map(events[0].public))
    assert told == "Seat 1: stomp against Pack of Wolves #16 with R7 B7: [2] [1] + 1 = 4 of 7, a miss"


def test_the_board_shows_who_has_chosen_in_a_storm_and_the_own_choice() -> None:
    start = scenes.scene(("R7 G7 O1", "P1"), scenes.FILLER, top=["Wind Storm"])
    state, _ = scenes.attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", scenes.faces(2, 2))
    give = ENGINE.legal_actions(state, 0)[0]
    assert describe(shown(state), as_map(give)) == "Give O1 to Seat 2"
    state, _ = scenes.act(state, give, seat=0)
    assert "Chosen: Seat 1. You chose O1" in text(shown(state, 0))
    assert "Chosen: Seat 1" in text(shown(state, 1))
    assert "O1" not in text(shown(state, 1))


def test_actions_are_described_as_the_board_names_things() -> None:
    own = [["Lightning Bolt"]]
    state = shown(scenes.scene(("R7 B7", "P1"), ("Blue Dragon", *scenes.FILLER[:4]), before=own))
    assert describe(state, {"type": "reload"}) == "Reload: draw a card"
    strike = {"type": "attack", "target": 27, "attack": "strike", "use": [35]}
    assert describe(state, strike) == "Strike at Blue Dragon #27 (13), using Lightning Bolt #35: 1 die, 0%"
    spell = {"type": "attack", "target": 27, "attack": "spell", "use": []}
    assert describe(state, spell) == "Cast the dragon spell on Blue Dragon #27: 2 dice, 36%"
    stomp = {"type": "attack", "target": scenes.dragonwood("Spooky Spiders"), "attack": "stomp", "use": []}
    assert describe(state, stomp).endswith(" (3): up to 2 dice, 97%")
    assert describe(state, {"type": "discard", "card": 6}) == "Discard R7"


def test_a_play_is_described_with_the_odds_of_its_dice() -> None:
    start = scenes.scene(("R7 B7", "P1"), ("Blue Dragon", *scenes.FILLER[:4]))
    state, _ = scenes.act(start, AttackWith(scenes.dragonwood("Fire Ants"), Attack.STOMP, ()), seat=0)
    needed = state.attempt.needed
    (both,) = [action for action in ENGINE.legal_actions(state, 0) if len(action.cards) == 2]
    faces = [1, 2, 2, 3, 3, 4]
    hits = sum(a + b >= needed for a in faces for b in faces)
    assert describe(shown(state), as_map(both)) == f"Play R7 B7: 2 dice, {hits / 36:.0%}"


def test_the_end_is_told_with_the_scores() -> None:
    place = table(ENGINE, 2, seed=4)
    last = list(moves(place, [policy("greedy", "dragonwood")] * 2, Random(4)))[-1]
    state = document(place, last.state, None)
    assert "Final scores: Seat 1 " in text(state)
    assert narrate(state, {"kind": "ended", "reason": "dragons"}) == "The game is over (both dragons are captured)"
    assert narrate(state, {"kind": "seated", "seat": 0}) is None


def test_a_room_that_has_not_started_has_no_board_yet() -> None:
    assert "not started" in text({**shown(scenes.scene()), "game": None})
