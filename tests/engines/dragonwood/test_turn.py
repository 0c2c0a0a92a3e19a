"""A turn begins: reload and its Ladybugs (worked example 5), and which attacks are offered (A turn; D6, D7, D10)."""

from __future__ import annotations

import pytest

from server.engines.dragonwood.actions import (
    AttackWith,
    Discard,
    DragonwoodAction,
    Drew,
    Give,
    Keep,
    Play,
    Reload,
    Reroll,
)
from server.engines.dragonwood.state import Attack, Options, Phase, State
from server.engines.engine import IllegalAction
from tests.engines.dragonwood.scene import (
    ENGINE,
    LADYBUGS,
    Loaded,
    act,
    adventurer,
    adventurers,
    bodies,
    dragonwood,
    kinds,
    scene,
)

NINE = "R1 R2 R3 R4 R5 R6 R7 R8 R9"
WITH_DRAGON = ("Blue Dragon", "Fire Ants", "Silver Sword", "Crazy Bats", "Spooky Spiders")
ONCE = ("Lightning Bolt", "Friendly Bunny", "Charmed Potion")


def test_reload_draws_the_top_adventurer_and_hands_the_turn_on() -> None:
    state, events = act(scene(draws=[adventurer("G9")]), Reload())
    assert state.players[0].hand == adventurers("R4 B5 G6 G9")
    assert (state.number, state.in_turn, state.phase) == (2, 1, Phase.TURN)
    assert kinds(events) == ["drew"]
    assert events[0].reveals
    assert bodies(events, 0)[0].cards == (adventurer("G9"),)
    assert bodies(events, 1) == bodies(events) == [Drew(0, 1)], "others are told the number only"


def test_a_ladybug_is_discarded_for_two_more_draws_again_and_again() -> None:
    draws = [60, adventurer("G9"), 61, adventurer("G10"), adventurer("G11"), adventurer("G12")]
    state, events = act(scene(draws=draws), Reload())
    assert state.discard == (60, 61)
    assert state.players[0].hand == adventurers("R4 B5 G6 G9 G10 G11")
    assert kinds(events) == ["ladybug", "ladybug", "drew"]
    assert bodies(events)[-1].count == 3


def test_example_5_a_ladybug_on_nine_cards_leads_to_two_discards() -> None:
    state, _ = act(scene((NINE, "P1"), draws=[LADYBUGS[0], adventurer("B1"), adventurer("B2")]), Reload())
    assert len(state.players[0].hand) == 11
    assert state.phase is Phase.HAND_LIMIT
    assert ENGINE.deciding(state) == (0,)
    assert ENGINE.legal_actions(state, 0) == [Discard(card) for card in adventurers(f"{NINE} B1 B2")]
    assert ENGINE.default_action(state, 0) == Discard(adventurer("R1"))
    first = ENGINE.decision(state, 0)
    state, events = act(state, Discard(adventurer("R5")))
    assert kinds(events) == ["discarded"]
    assert not events[0].reveals
    assert ENGINE.decision(state, 0) != first, "each discard is a decision of its own"
    state, events = act(state, Discard(adventurer("B1")))
    assert not any(event.reveals for event in events), "after a reload the last discard may be taken back"
    assert state.discard == (LADYBUGS[0], adventurer("R5"), adventurer("B1"))
    assert (state.in_turn, state.phase) == (1, Phase.TURN)


def test_with_no_card_only_the_reload_is_left() -> None:
    assert ENGINE.legal_actions(scene(("", "P1")), 0) == [Reload()]
    with pytest.raises(IllegalAction, match="at least one card"):
        ENGINE.apply(scene(("", "P1")), 0, AttackWith(0, Attack.STRIKE, ()), Loaded())


def test_attacks_are_listed_by_target_attack_and_use() -> None:
    """One enhancement to name, a dragon and an enhancement among the targets, no spell in hand."""
    state = scene(("R4", "P1"), WITH_DRAGON, before=[["Lightning Bolt", "Cloak of Darkness"]])
    bolt = dragonwood("Lightning Bolt")
    creatures = sorted(map(dragonwood, ("Blue Dragon", "Fire Ants", "Crazy Bats", "Spooky Spiders")))
    expected = [
        AttackWith(target, attack, use)
        for target in [*creatures, dragonwood("Silver Sword")]
        for attack in (Attack.STRIKE, Attack.STOMP, Attack.SCREAM)
        for use in ([(), (bolt,)] if target in creatures else [()])
    ]
    assert ENGINE.legal_actions(state, 0) == [Reload(), *expected]


def test_uses_are_every_choice_of_bolt_bunny_and_potion() -> None:
    state = scene(("R4", "P1"), before=[ONCE])
    bolt, bunny, potion = sorted(map(dragonwood, ONCE))
    uses = [action.use for action in ENGINE.legal_actions(state, 0)[1:9]]
    assert uses == [
        (),
        (bolt,),
        (bolt, bunny),
        (bolt, bunny, potion),
        (bolt, potion),
        (bunny,),
        (bunny, potion),
        (potion,),
    ]


def test_the_spell_is_offered_against_dragons_with_three_of_a_colour_in_a_row() -> None:
    """D6, D7: neither Bunny nor Potion can be named in it."""
    state = scene(("R4 R5 R6", "P1"), WITH_DRAGON, before=[ONCE])
    spells = [action for action in ENGINE.legal_actions(state, 0)[1:] if action.attack is Attack.SPELL]
    dragon, bolt = dragonwood("Blue Dragon"), dragonwood("Lightning Bolt")
    assert spells == [AttackWith(dragon, Attack.SPELL, ()), AttackWith(dragon, Attack.SPELL, (bolt,))]


@pytest.mark.parametrize(
    ("state", "action", "rule"),
    [
        (scene(landscape=WITH_DRAGON), AttackWith(27, Attack.SPELL, ()), "consecutive cards of one colour"),
        (scene(("R4 R5 R6", "P1")), AttackWith(0, Attack.SPELL, ()), "against dragons only"),
        (
            scene(("R4 R5 R6", "P1"), WITH_DRAGON, options=Options(dragon_spell=False)),
            AttackWith(27, Attack.SPELL, ()),
            "without the dragon spell",
        ),
        (
            scene(("R4 R5 R6", "P1"), WITH_DRAGON, before=[ONCE]),
            AttackWith(27, Attack.SPELL, (dragonwood("Friendly Bunny"),)),
            "neither an extra die nor a wild card",
        ),
        (
            scene(("R4 R5 R6", "P1"), WITH_DRAGON, before=[ONCE]),
            AttackWith(27, Attack.SPELL, (dragonwood("Charmed Potion"),)),
            "neither an extra die nor a wild card",
        ),
        (scene(), AttackWith(27, Attack.STRIKE, ()), "only a card of the landscape"),
        (scene(), AttackWith(-5, Attack.STRIKE, ()), "only a card of the landscape"),
        (scene(), AttackWith(0, Attack.STRIKE, (35,)), "before you"),
        (scene(before=[["Silver Sword"]]), AttackWith(0, Attack.STRIKE, (29,)), "used once"),
        (scene(before=[(), ONCE]), AttackWith(0, Attack.STRIKE, (35,)), "before you"),
        (scene(before=[ONCE]), AttackWith(0, Attack.STRIKE, (36, 35)), "ascending"),
        (scene(before=[ONCE]), AttackWith(0, Attack.STRIKE, (35, 35)), "once each"),
        (scene(landscape=WITH_DRAGON, before=[ONCE]), AttackWith(29, Attack.STOMP, (35,)), "no enhancement helps"),
        (scene(), Play((3,)), "begins with a reload or an attack"),
        (scene(), Discard(3), "begins with a reload or an attack"),
        (scene(), Give(3), "begins with a reload or an attack"),
        (scene(), Reroll(0), "begins with a reload or an attack"),
        (scene(), Keep(), "begins with a reload or an attack"),
    ],
)
def test_other_openings_are_refused_by_the_rule_that_forbids_them(
    state: State, action: DragonwoodAction, rule: str
) -> None:
    assert action not in ENGINE.legal_actions(state, 0)
    with pytest.raises(IllegalAction, match=rule):
        ENGINE.apply(state, 0, action, Loaded())


def test_a_seat_out_of_turn_is_refused() -> None:
    assert ENGINE.legal_actions(scene(), 1) == ()
    with pytest.raises(IllegalAction, match="not yours to decide"):
        ENGINE.apply(scene(), 1, Reload(), Loaded())


def test_the_default_of_a_turn_is_the_reload() -> None:
    assert ENGINE.default_action(scene(), 0) == Reload()
