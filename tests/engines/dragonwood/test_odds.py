"""Worked examples 1 to 3: what the dice say, counted over all rolls of the printed die."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from clients.bots.greedy.dragonwood import odds
from server.engines.dragonwood.actions import AttackWith
from server.engines.dragonwood.state import Attack
from server.engines.dragonwood.steps.turn import announce
from tests.engines.dragonwood.scene import ENGINE, PRINTED, dragonwood, scene


def sums(dice: int) -> Counter[int]:
    """In how many ways the dice show each sum."""
    return Counter(map(sum, product(PRINTED.die, repeat=dice)))


def chance(dice: int, needed: int) -> Fraction:
    """The share of the rolls that reach `needed`."""
    return Fraction(sum(ways for total, ways in sums(dice).items() if total >= needed), len(PRINTED.die) ** dice)


def test_three_dice_have_the_sums_of_example_1() -> None:
    expected = {3: 1, 4: 6, 5: 18, 6: 35, 7: 48, 8: 48, 9: 35, 10: 18, 11: 6, 12: 1}
    assert sums(3) == expected
    coefficients = Counter({0: 1})
    for _ in range(3):  # (x + 2x² + 2x³ + x⁴)³
        coefficients = Counter(
            {
                total: sum(coefficients[total - face] * ways for face, ways in ((1, 1), (2, 2), (3, 2), (4, 1)))
                for total in range(13)
            }
        )
    assert {total: ways for total, ways in coefficients.items() if ways} == expected


def test_a_spell_succeeds_in_13_of_36() -> None:
    assert chance(PRINTED.spell.dice, PRINTED.spell.needed) == Fraction(13, 36)


def test_the_troll_needs_nine_or_seven_with_the_sword() -> None:
    """Example 2: 60 of 216, with the Silver Sword 156 of 216."""
    troll = AttackWith(dragonwood("Grumpy Troll"), Attack.STRIKE, ())
    plain = scene(landscape=("Grumpy Troll", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders"))
    bare = announce(ENGINE.components, plain.players[0], troll)
    assert (bare.needed, bare.bonus) == (9, 0)
    assert chance(3, bare.needed - bare.bonus) == Fraction(60, 216)
    armed = scene(
        landscape=("Grumpy Troll", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders"), before=[["Silver Sword"]]
    )
    with_sword = announce(ENGINE.components, armed.players[0], troll)
    assert (with_sword.needed, with_sword.bonus) == (9, 2)
    assert chance(3, with_sword.needed - with_sword.bonus) == Fraction(156, 216)


def test_the_wolves_fall_to_two_sevens_and_the_bolt_in_35_of_36() -> None:
    """Example 3, the odds of it; what a miss costs is in test_attempt."""
    state = scene(
        ("R7 B7", "P1"),
        ("Pack of Wolves", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders"),
        before=[["Lightning Bolt"]],
    )
    bolt = (dragonwood("Lightning Bolt"),)
    attempt = announce(
        ENGINE.components, state.players[0], AttackWith(dragonwood("Pack of Wolves"), Attack.STOMP, bolt)
    )
    assert (attempt.needed, attempt.bonus) == (7, 4)
    assert chance(2, 3) == Fraction(35, 36)


@pytest.mark.parametrize("dice", range(1, 7))
def test_the_policy_knows_the_exact_odds(dice: int) -> None:
    for needed in range(4 * dice + 2):
        assert odds(dice, needed, 0) == pytest.approx(float(chance(dice, needed)))


@pytest.mark.parametrize("dice", range(1, 4))
def test_the_policy_knows_the_exact_odds_with_the_best_reroll(dice: int) -> None:
    for needed in range(1, 4 * dice + 2):
        total = Fraction(0)
        for roll in product(PRINTED.die, repeat=dice):
            best = max(chance(1, needed - sum(roll) + shown) for shown in roll)
            total += Fraction(1 if sum(roll) >= needed else best, len(PRINTED.die) ** dice)
        assert odds(dice, needed, 1) == pytest.approx(float(total))
