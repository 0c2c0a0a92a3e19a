"""The greedy policy of Dragonwood: it beats random play, and its single decisions are those that it should make."""

from __future__ import annotations

from random import Random
from typing import Any

from clients.bots.greedy.dragonwood import choose
from clients.bots.offline import as_map, document, play, table
from clients.bots.policies import play_random, policy
from server.engines.dragonwood import ENGINE
from server.engines.dragonwood.actions import AttackWith
from server.engines.dragonwood.state import Attack, State
from tests.engines.dragonwood.scene import act, adventurer, adventurers, attempt, dragonwood, faces, scene

HARD = ("Grumpy Troll", "Gigantic Python", "Secret Shadow", "Angry Ogre", "Gooey Glob")


def chosen(state: State) -> dict[str, Any]:
    """What the policy does in this state for the deciding seat."""
    seat = ENGINE.deciding(state)[0]
    actions = [as_map(action) for action in ENGINE.legal_actions(state, seat)]
    return dict(choose(document(table(ENGINE, len(state.players)), state, seat), actions, Random(0)))


def test_it_wins_at_least_34_of_40_games_against_random_play() -> None:
    wins = 0
    for seed in range(40):
        own = seed % 2
        chooses = [play_random, play_random]
        chooses[own] = policy("greedy", "dragonwood")
        result = play(table(ENGINE, 2, seed), chooses, Random(seed))
        wins += result.ranks[own] < result.ranks[1 - own]
    assert wins >= 34


def test_without_a_chance_it_reloads() -> None:
    assert chosen(scene(("R4", "P1"), HARD)) == {"type": "reload"}


def test_a_sure_dragon_is_taken_by_the_spell_with_the_bolt() -> None:
    start = scene(("G4 G5 G6", "P1"), ("Orange Dragon", *HARD[:4]), before=[["Lightning Bolt"]])
    action = chosen(start)
    assert (action["target"], action["attack"]) == (dragonwood("Orange Dragon"), "spell")


def test_it_counts_the_bonus_of_its_enhancements() -> None:
    """The Ants by one card: a four without, a sure thing with Cloak and Unicorn."""
    landscape = ("Fire Ants", *HARD[:4])
    assert chosen(scene(("R4", "P1"), landscape)) == {"type": "reload"}
    attack = chosen(scene(("R4", "P1"), landscape, before=[["Cloak of Darkness", "Magical Unicorn"]]))
    assert attack == {"type": "attack", "target": dragonwood("Fire Ants"), "attack": "stomp", "use": []}


def test_it_plays_no_more_cards_than_it_needs() -> None:
    start = scene(
        ("R4 R5 R6 R7 R8", "P1"), ("Crazy Bats", *HARD[:4]), before=[["Cloak of Darkness", "Magical Unicorn"]]
    )
    state, _ = act(start, AttackWith(dragonwood("Crazy Bats"), Attack.SCREAM, ()))
    assert len(chosen(state)["cards"]) == 1


def test_it_does_not_end_a_game_that_it_would_lose() -> None:
    other = ["Blue Dragon", "Hungry Bear", "Hungry Bear", "Wild Boar", "Wild Boar"]
    start = scene(("G4 G5 G6", "P1"), ("Orange Dragon", *HARD[:4]), before=[["Lightning Bolt"], other])
    assert chosen(start).get("target") != dragonwood("Orange Dragon")


def test_it_rolls_the_lowest_die_again() -> None:
    start = scene(("R7 B7", "P1"), ("Pack of Wolves", *HARD[:4]), before=[["Lucky Mushroom"]])
    state, _ = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7", faces(4, 2))
    assert chosen(state) == {"type": "reroll", "die": 1}


def test_the_wound_is_the_card_that_goes_least_with_the_others() -> None:
    state, _ = attempt(scene(("G4 G5 G6 R12", "P1"), HARD), Attack.STRIKE, "Grumpy Troll", "G4 G5", faces(1, 1))
    assert chosen(state) == {"type": "discard", "card": adventurer("R12")}
    assert adventurers("G4 G5 G6 R12") == state.players[0].hand
