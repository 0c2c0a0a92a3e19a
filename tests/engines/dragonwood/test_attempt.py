"""Attempts: roll, bonuses, what is used up, the re-roll, captures, wounds (A turn; Enhancements; D5, D6, D8, D16)."""

from __future__ import annotations

import pytest

from server.engines.dragonwood.actions import (
    AttackWith,
    Attempted,
    Captured,
    Discard,
    DragonwoodAction,
    Keep,
    Play,
    Reload,
    Reroll,
    Rerolled,
    Wounded,
)
from server.engines.dragonwood.state import Attack, Phase, State
from server.engines.dragonwood.steps.turn import announce
from server.engines.engine import IllegalAction
from tests.engines.dragonwood.scene import (
    ENGINE,
    Loaded,
    act,
    adventurer,
    adventurers,
    attempt,
    bodies,
    dragonwood,
    faces,
    kinds,
    scene,
)

TROLL = ("Grumpy Troll", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")
WOLVES = ("Pack of Wolves", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")
DRAGON = ("Blue Dragon", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")
SWORD = ("Silver Sword", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")


def test_example_2_the_troll_falls_to_nine_with_three_cards() -> None:
    state, events = attempt(
        scene(landscape=TROLL, top=["Hungry Bear"]), Attack.STRIKE, "Grumpy Troll", "R4 B5 G6", faces(3, 3, 3)
    )
    assert kinds(events) == ["attempted", "captured", "turned_up"]
    assert bodies(events)[0] == Attempted(
        seat=0,
        target=dragonwood("Grumpy Troll"),
        attack=Attack.STRIKE,
        use=(),
        cards=adventurers("R4 B5 G6"),
        dice=(3, 3, 3),
        bonus=0,
        total=9,
        needed=9,
        success=True,
    )
    assert events[0].reveals
    assert state.players[0].hand == ()
    assert state.players[0].creatures == (dragonwood("Grumpy Troll"),)
    assert state.discard == adventurers("R4 G6 B5"), "the played cards ascending"
    assert state.landscape == (*(dragonwood(name) for name in TROLL[1:]), dragonwood("Hungry Bear"))
    assert (state.in_turn, state.phase, state.attempt) == (1, Phase.TURN, None)


def test_example_2_with_the_sword_seven_on_the_dice_are_enough_and_six_are_not() -> None:
    state = scene(landscape=TROLL, before=[["Silver Sword"]])
    hit, events = attempt(state, Attack.STRIKE, "Grumpy Troll", "R4 B5 G6", faces(2, 2, 3))
    assert bodies(events)[0].total == 9
    assert hit.players[0].creatures
    miss, events = attempt(state, Attack.STRIKE, "Grumpy Troll", "R4 B5 G6", faces(2, 2, 2))
    assert kinds(events) == ["attempted"]
    assert not bodies(events)[0].success
    assert miss.phase is Phase.WOUND


def test_example_3_a_miss_with_the_bolt_costs_the_bolt_and_one_card() -> None:
    start = scene(("R7 B7 P2", "P1"), WOLVES, before=[["Lightning Bolt"]])
    state, events = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7 with Lightning Bolt", faces(1, 1))
    assert bodies(events)[0].total == 6
    assert state.players[0].enhancements == ()
    assert state.gone == (dragonwood("Lightning Bolt"),)
    assert state.players[0].hand == adventurers("R7 P2 B7"), "the two sevens are back before the wound is chosen"
    assert state.discard == ()
    assert state.phase is Phase.WOUND
    assert ENGINE.legal_actions(state, 0) == [Discard(card) for card in adventurers("R7 P2 B7")], "D5: among all cards"
    assert ENGINE.default_action(state, 0) == Discard(adventurer("R7"))
    state, events = act(state, Discard(adventurer("P2")))
    assert bodies(events) == [Wounded(0, adventurer("P2"))]
    assert not events[0].reveals
    assert state.discard == (adventurer("P2"),)
    assert (state.in_turn, state.phase) == (1, Phase.TURN)


def test_example_3_the_bolt_is_spent_on_a_hit_too() -> None:
    start = scene(("R7 B7", "P1"), WOLVES, before=[["Lightning Bolt"]])
    state, events = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7 with Lightning Bolt", faces(1, 2))
    assert (bodies(events)[0].total, bodies(events)[0].success) == (7, True)
    assert state.gone == (dragonwood("Lightning Bolt"),)


def test_named_enhancements_lie_before_their_owner_until_the_roll() -> None:
    """D16."""
    bolt = dragonwood("Lightning Bolt")
    state, events = act(
        scene(("R7 B7", "P1"), WOLVES, before=[["Lightning Bolt"]]),
        AttackWith(dragonwood("Pack of Wolves"), Attack.STOMP, (bolt,)),
    )
    assert not events
    assert state.players[0].enhancements == (bolt,)
    assert state.attempt is not None
    assert (state.attempt.cards, state.attempt.dice, state.attempt.bonus) == ((), (), 4)


def test_bunny_and_potion_earn_a_die_each_and_are_spent() -> None:
    start = scene(("R7 B7", "P1"), WOLVES, before=[["Charmed Potion", "Friendly Bunny"]])
    dice = faces(2, 2, 2, 1)
    state, events = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7 with Friendly Bunny, Charmed Potion", dice)
    assert bodies(events)[0].dice == (2, 2, 2, 1)
    assert not dice.shows
    assert state.gone == (dragonwood("Friendly Bunny"), dragonwood("Charmed Potion"))
    assert state.players[0].enhancements == ()


BONUSES = [
    ("Silver Sword", (2, 0, 0, 0)),
    ("Bucket of Spinach", (0, 2, 0, 0)),
    ("Ghost Disguise", (0, 0, 2, 0)),
    ("Cloak of Darkness", (2, 2, 2, 2)),
    ("Magical Unicorn", (1, 1, 1, 1)),
    ("Lucky Mushroom", (0, 0, 0, 0)),
]


@pytest.mark.parametrize(("name", "bonuses"), BONUSES)
def test_permanent_enhancements_apply_by_themselves(name: str, bonuses: tuple[int, ...]) -> None:
    """D6: on a spell only Cloak and Unicorn (and the Bolt) count."""
    player = scene(landscape=DRAGON, before=[[name]]).players[0]
    for attack, bonus in zip(Attack, bonuses, strict=True):
        attempted = announce(ENGINE.components, player, AttackWith(dragonwood("Blue Dragon"), attack, ()))
        assert attempted.bonus == bonus
        assert attempted.rerolls == (name == "Lucky Mushroom")


def test_all_bonuses_add_up() -> None:
    own = ["Silver Sword", "Cloak of Darkness", "Magical Unicorn", "Lightning Bolt"]
    player = scene(landscape=TROLL, before=[own]).players[0]
    bolt = (dragonwood("Lightning Bolt"),)
    strike = announce(ENGINE.components, player, AttackWith(dragonwood("Grumpy Troll"), Attack.STRIKE, bolt))
    assert strike.bonus == 2 + 2 + 1 + 4
    unnamed = announce(ENGINE.components, player, AttackWith(dragonwood("Grumpy Troll"), Attack.STRIKE, ()))
    assert unnamed.bonus == 2 + 2 + 1, "the Bolt has to be named"


def test_no_enhancement_helps_to_capture_an_enhancement() -> None:
    own = ["Cloak of Darkness", "Magical Unicorn", "Bucket of Spinach", "Lucky Mushroom"]
    start = scene(("R7 B7", "P1"), SWORD, before=[own])
    state, events = attempt(start, Attack.STOMP, "Silver Sword", "R7 B7", faces(3, 2))
    assert (bodies(events)[0].bonus, bodies(events)[0].needed) == (0, 6)
    assert state.phase is Phase.WOUND, "nor is there a re-roll"


def test_a_captured_enhancement_lies_open_for_use_from_the_next_turn_on() -> None:
    state, events = attempt(scene(("R7 B7", "P1"), SWORD), Attack.STOMP, "Silver Sword", "R7 B7", faces(3, 3))
    assert bodies(events)[1] == Captured(0, dragonwood("Silver Sword"))
    assert state.players[0].enhancements == (dragonwood("Silver Sword"),)
    assert state.players[0].creatures == ()
    assert state.in_turn == 1


def missed_with_mushroom() -> State:
    start = scene(("R7 B7", "P1"), WOLVES, before=[["Lucky Mushroom"]])
    state, events = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7", faces(4, 1))
    assert kinds(events) == ["attempted"]
    return state


def test_after_a_miss_the_mushroom_offers_each_die_or_to_keep() -> None:
    state = missed_with_mushroom()
    assert state.phase is Phase.REROLL
    assert state.attempt.cards == adventurers("R7 B7")
    assert state.players[0].hand == (), "the played cards lie on the table"
    assert ENGINE.legal_actions(state, 0) == [Reroll(0), Reroll(1), Keep()]
    assert ENGINE.default_action(state, 0) == Keep()


@pytest.mark.parametrize(("die", "face", "hit"), [(1, 3, True), (1, 2, False), (0, 4, False)])
def test_one_die_is_rolled_again_and_the_total_counts(die: int, face: int, hit: bool) -> None:
    dice = (4, face) if die else (face, 1)
    state, events = act(missed_with_mushroom(), Reroll(die), faces(face))
    assert bodies(events)[0] == Rerolled(0, die, dice, sum(dice), hit)
    assert events[0].reveals
    assert state.phase is (Phase.TURN if hit else Phase.WOUND), "once an attempt"
    assert bool(state.players[0].creatures) is hit
    assert state.players[0].enhancements == (dragonwood("Lucky Mushroom"),), "it is permanent"


def test_keeping_the_miss_moves_no_dice_and_leads_to_the_wound() -> None:
    state, events = act(missed_with_mushroom(), Keep(), Loaded())
    assert not events
    assert state.phase is Phase.WOUND
    assert state.players[0].hand == adventurers("R7 B7")


def test_a_hit_offers_no_reroll() -> None:
    start = scene(("R7 B7", "P1"), WOLVES, before=[["Lucky Mushroom"]])
    state, _ = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7", faces(4, 3))
    assert state.phase is Phase.TURN


@pytest.mark.parametrize("action", [Reroll(2), Reroll(-1), Reload(), Play(()), Discard(6)])
def test_other_actions_after_the_miss_are_refused(action: DragonwoodAction) -> None:
    with pytest.raises(IllegalAction, match="die"):
        ENGINE.apply(missed_with_mushroom(), 0, action, Loaded())


def test_a_spell_needs_six_on_two_dice_whatever_the_dragons_values() -> None:
    start = scene(("G4 G5 G6", "P1"), DRAGON)
    state, events = attempt(start, Attack.SPELL, "Blue Dragon", "G4 G5 G6", faces(2, 4))
    assert (bodies(events)[0].needed, bodies(events)[0].dice) == (6, (2, 4))
    assert state.players[0].creatures == (dragonwood("Blue Dragon"),)
    state, events = attempt(start, Attack.SPELL, "Blue Dragon", "G4 G5 G6", faces(2, 3))
    assert state.phase is Phase.WOUND
    assert state.players[0].hand == adventurers("G4 G5 G6"), "failure costs one card like any other"


def test_cloak_unicorn_and_mushroom_help_a_spell_and_sword_spinach_ghost_do_not() -> None:
    """D6."""
    own = [
        "Silver Sword",
        "Bucket of Spinach",
        "Ghost Disguise",
        "Cloak of Darkness",
        "Magical Unicorn",
        "Lucky Mushroom",
    ]
    start = scene(("G4 G5 G6", "P1"), DRAGON, before=[own])
    state, events = attempt(start, Attack.SPELL, "Blue Dragon", "G4 G5 G6", faces(1, 1))
    assert (bodies(events)[0].bonus, bodies(events)[0].total) == (3, 5)
    assert state.phase is Phase.REROLL
    assert ENGINE.legal_actions(state, 0) == [Reroll(0), Reroll(1), Keep()]


def test_a_spell_with_the_bolt_can_not_fail() -> None:
    """D13: intended."""
    start = scene(("G4 G5 G6", "P1"), DRAGON, before=[["Lightning Bolt"]])
    state, _ = attempt(start, Attack.SPELL, "Blue Dragon", "G4 G5 G6 with Lightning Bolt", faces(1, 1))
    assert state.players[0].creatures == (dragonwood("Blue Dragon"),)


def announced(cards: str, attack: Attack = Attack.STRIKE, landscape: tuple[str, ...] = DRAGON) -> State:
    return act(scene((cards, "P1"), landscape), AttackWith(dragonwood(landscape[0]), attack, ()))[0]


def test_the_default_play_is_the_lowest_single_card_and_for_a_spell_the_first_set() -> None:
    assert ENGINE.default_action(announced("O2 G4 G5 G6 G7"), 0) == Play(adventurers("O2"))
    spell = announced("O2 G4 G5 G6 G7", Attack.SPELL)
    assert ENGINE.default_action(spell, 0) == Play(adventurers("G4 G5 G6"))
    assert ENGINE.legal_actions(spell, 0) == [Play(adventurers("G4 G5 G6")), Play(adventurers("G5 G6 G7"))]


@pytest.mark.parametrize(
    ("attack", "action", "rule"),
    [
        (Attack.STRIKE, Play(adventurers("G4 G6")), "consecutive numbers"),
        (Attack.STOMP, Play(adventurers("G4 G5")), "same number"),
        (Attack.SCREAM, Play(adventurers("O2 G4")), "same colour"),
        (Attack.SPELL, Play(adventurers("G4 G5")), "dragon spell"),
        (Attack.STRIKE, Play(()), "consecutive numbers"),
        (Attack.STRIKE, Play(adventurers("G4 G5")[::-1]), "ascending"),
        (Attack.STRIKE, Play((adventurer("G4"),) * 2), "once each"),
        (Attack.STRIKE, Play(adventurers("P1")), "in your hand"),
        (Attack.STRIKE, Play((-1,)), "in your hand"),
        (Attack.STRIKE, Reload(), "now play cards"),
        (Attack.STRIKE, Keep(), "now play cards"),
    ],
)
def test_plays_that_do_not_fit_are_refused(attack: Attack, action: DragonwoodAction, rule: str) -> None:
    state = announced("O2 G4 G5 G6 G7", attack)
    assert action not in ENGINE.legal_actions(state, 0)
    with pytest.raises(IllegalAction, match=rule):
        ENGINE.apply(state, 0, action, Loaded())


@pytest.mark.parametrize(("action", "rule"), [(Reload(), "as a wound"), (Discard(adventurer("P1")), "in your hand")])
def test_a_wound_is_a_card_of_the_own_hand(action: DragonwoodAction, rule: str) -> None:
    state, _ = attempt(scene(landscape=TROLL), Attack.STRIKE, "Grumpy Troll", "R4", faces(1))
    with pytest.raises(IllegalAction, match=rule):
        ENGINE.apply(state, 0, action, Loaded())


def test_a_landscape_card_that_nobody_can_hope_for_stays() -> None:
    """D8: a miss leaves the landscape as it was."""
    start = scene(landscape=TROLL)
    state, _ = attempt(start, Attack.STRIKE, "Grumpy Troll", "R4", faces(1))
    assert state.landscape == start.landscape
