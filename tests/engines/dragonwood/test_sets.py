"""Which sets of cards fit: against a definition that tries every card in the place of the Potion (A turn; D7, D9)."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.engines.dragonwood.state import Attack
from server.engines.dragonwood.steps.sets import dice_rolled, fits, fitting_sets
from tests.engines.dragonwood.scene import ENGINE, adventurers, dragonwood

COMPONENTS = ENGINE.components
BUNNY, POTION, BOLT = (dragonwood(name) for name in ("Friendly Bunny", "Charmed Potion", "Lightning Bolt"))
USES = [(), (BOLT,), (BUNNY,), (POTION,), (BUNNY, POTION), (BOLT, BUNNY, POTION)]
HANDS = st.lists(st.integers(0, 59), unique=True, max_size=9).map(lambda cards: tuple(sorted(cards)))
SAME_NUMBER_HANDS = st.lists(
    st.sampled_from([c * 12 + n for c in range(5) for n in (0, 1)]), unique=True, max_size=9
).map(lambda cards: tuple(sorted(cards)))


def is_set(attack: Attack, cards: list[tuple[int, int]]) -> bool:
    """The rule for real and imagined cards alike, each a colour and a number."""
    if attack is Attack.STOMP:
        return len({number for _, number in cards}) == 1
    if attack is Attack.SCREAM:
        return len({colour for colour, _ in cards}) == 1
    numbers = sorted(number for _, number in cards)
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def fits_by_trying(attack: Attack, cards: tuple[int, ...], use: tuple[int, ...]) -> bool:
    """Whether some cards in the place of the wild ones make a set, and dice are enough."""
    if attack is Attack.SPELL:
        real = [(card // 12, card % 12 + 1) for card in cards]
        return len(cards) == 3 and is_set(Attack.STRIKE, real) and is_set(Attack.SCREAM, real)
    wild, bunny = POTION in use, BUNNY in use
    if not 1 <= len(cards) <= 6 - wild - bunny:
        return False
    real = [(card // 12, card % 12 + 1) for card in cards]
    anything = [(colour, number) for colour in range(5) for number in range(1, 13)]
    return any(is_set(attack, [*real, *extra]) for extra in combinations_with_replacement(anything, int(wild)))


@pytest.mark.parametrize("attack", Attack)
@pytest.mark.parametrize("use", USES, ids=str)
@given(hand=HANDS | SAME_NUMBER_HANDS)
@settings(max_examples=12, deadline=None)
def test_the_list_holds_every_set_that_fits_in_order(
    attack: Attack, use: tuple[int, ...], hand: tuple[int, ...]
) -> None:
    subsets = (cards for size in range(1, len(hand) + 1) for cards in combinations(hand, size))
    expected = sorted(cards for cards in subsets if fits_by_trying(attack, cards, use))
    assert fitting_sets(COMPONENTS, attack, hand, use) == expected
    assert all(fits(COMPONENTS, attack, cards, use) for cards in expected)


@pytest.mark.parametrize("attack", Attack)
@pytest.mark.parametrize("use", USES, ids=str)
@given(cards=HANDS.filter(bool) | SAME_NUMBER_HANDS.filter(bool))
@settings(max_examples=12, deadline=None)
def test_single_sets_are_judged_likewise(attack: Attack, use: tuple[int, ...], cards: tuple[int, ...]) -> None:
    assert fits(COMPONENTS, attack, cards, use) == fits_by_trying(attack, cards, use)


def strike(cards: str, *use: int) -> bool:
    return fits(COMPONENTS, Attack.STRIKE, adventurers(cards), use)


def test_numbers_do_not_wrap() -> None:
    assert strike("R11 O12")
    assert not strike("R12 O1")
    assert not strike("R11 O12 G1")


def test_the_potion_fills_one_gap_or_extends_an_end_but_never_past_1_or_12() -> None:
    assert strike("R4 O6", POTION)
    assert not strike("R4 O7", POTION)
    assert strike("R11 O12", POTION), "it stands for 10"
    assert strike("R1 O2", POTION), "it stands for 3"
    assert not strike("R4 O6 P8", POTION), "one gap only"
    assert not strike("R4 O4", POTION), "it can't part two of the same number"


def test_at_most_six_cards_and_dice() -> None:
    six = "R1 R2 R3 R4 R5 R6"
    assert strike(six)
    assert not strike(f"{six} R7"), "D9"
    assert not strike(six, BUNNY), "the Bunny has to add a die (D7)"
    assert not strike(six, POTION), "cards and Potion are at most six (D7)"
    assert strike("R1 R2 R3 R4 R5", BUNNY)
    assert not strike("R1 R2 R3 R4 R5", BUNNY, POTION)
    assert strike("R1 R2 R3 R4", BUNNY, POTION)


def test_the_potion_needs_a_real_card() -> None:
    assert not fits(COMPONENTS, Attack.STOMP, (), (POTION,))


def test_dice_for_cards_potion_and_bunny_and_two_for_a_spell() -> None:
    assert dice_rolled(COMPONENTS, Attack.STOMP, 2, ()) == 2
    assert dice_rolled(COMPONENTS, Attack.STOMP, 2, (POTION,)) == 3
    assert dice_rolled(COMPONENTS, Attack.STOMP, 2, (BUNNY, POTION)) == 4
    assert dice_rolled(COMPONENTS, Attack.SPELL, 3, ()) == 2


def test_a_spell_is_three_consecutive_cards_of_one_colour() -> None:
    def spell(cards: str) -> bool:
        return fits(COMPONENTS, Attack.SPELL, adventurers(cards), ())

    assert spell("G4 G5 G6")
    assert not spell("G4 G5")
    assert not spell("G4 G5 G6 G7")
    assert not spell("G4 G5 B6")
    assert not spell("G4 G5 G7")
    assert not spell("R11 R12 O1"), "ids in a row, but two colours"
    assert fitting_sets(COMPONENTS, Attack.SPELL, adventurers("R11 R12 O1 O2 O3 O4"), ()) == [
        adventurers("O1 O2 O3"),
        adventurers("O2 O3 O4"),
    ]


def test_the_longest_list_of_a_hand_stays_under_two_thousand() -> None:
    hand = adventurers("R1 R2 R3 R4 R5 R6 R7 R8 R9")
    assert len(fitting_sets(COMPONENTS, Attack.SCREAM, hand, ())) == 465
