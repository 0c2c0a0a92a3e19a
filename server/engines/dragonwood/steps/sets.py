"""Which sets of cards fit an attack (A turn; Enhancements; D7, D9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from typing import TypeAlias

from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import Attack

Cards: TypeAlias = tuple[int, ...]


def wild_cards(components: Components, use: Cards) -> int:
    """How many wild cards the used enhancements add to the set."""
    return sum(card.wild_cards for i in use if (card := components.enhancement(i)))


def extra_dice(components: Components, use: Cards) -> int:
    """How many dice the used enhancements add to the roll."""
    return sum(card.extra_dice for i in use if (card := components.enhancement(i)))


def most_cards(components: Components, use: Cards) -> int:
    """The most real cards that earn a die each: cards, wild cards and extra dice together are at most all dice (D9)."""
    return components.printed.dice - wild_cards(components, use) - extra_dice(components, use)


def dice_rolled(components: Components, attack: Attack, cards: int, use: Cards) -> int:
    """How many dice are rolled for so many real cards."""
    if attack is Attack.SPELL:
        return components.printed.spell.dice
    return cards + wild_cards(components, use) + extra_dice(components, use)


def fits(components: Components, attack: Attack, cards: Cards, use: Cards) -> bool:
    """Whether these cards (distinct ids, no Ladybugs) may be played for the attack."""
    if attack is Attack.SPELL:
        return len(cards) == components.printed.spell.cards and _is_spell(components, cards)
    if not 1 <= len(cards) <= most_cards(components, use):
        return False
    if attack is Attack.STOMP:
        return len({components.number(card) for card in cards}) == 1
    if attack is Attack.SCREAM:
        return len({components.colour(card) for card in cards}) == 1
    numbers = [components.number(card) for card in cards]
    long = len(cards) + wild_cards(components, use)
    distinct = len(set(numbers)) == len(numbers)
    return distinct and max(numbers) - min(numbers) < long <= components.printed.adventurers.numbers


def fitting_sets(components: Components, attack: Attack, hand: Cards, use: Cards) -> list[Cards]:
    """Every set of cards of the hand that fits, in the order of the rules: item by item, a shorter beginning first."""
    if attack is Attack.SPELL:
        return spells(components, hand)
    most = most_cards(components, use)
    if attack is Attack.STRIKE:
        return sorted(_strikes(components, hand, most, wild_cards(components, use)))
    alike = components.number if attack is Attack.STOMP else components.colour
    groups: dict[int, list[int]] = {}
    for card in hand:
        groups.setdefault(alike(card), []).append(card)
    return sorted(_subsets(groups.values(), most))


def spells(components: Components, hand: Cards) -> list[Cards]:
    """Every dragon spell in the hand: so many consecutive numbers of one colour."""
    long = components.printed.spell.cards
    runs = (tuple(range(first, first + long)) for first in hand)
    held = frozenset(hand)
    return [run for run in runs if held.issuperset(run) and components.colour(run[0]) == components.colour(run[-1])]


def _is_spell(components: Components, cards: Cards) -> bool:
    return cards == tuple(range(cards[0], cards[0] + len(cards))) and (
        components.colour(cards[0]) == components.colour(cards[-1])
    )


def _subsets(groups: Iterable[list[int]], most: int) -> Iterator[Cards]:
    for group in groups:
        for size in range(1, min(most, len(group)) + 1):
            yield from combinations(group, size)


def _strikes(components: Components, hand: Cards, most: int, wild: int) -> Iterator[Cards]:
    by_number: dict[int, list[int]] = {}
    for card in hand:
        by_number.setdefault(components.number(card), []).append(card)
    for numbers in _runs(sorted(by_number), min(most, components.printed.adventurers.numbers - wild), wild):
        for cards in product(*(by_number[number] for number in numbers)):
            yield tuple(sorted(cards))


def _runs(numbers: list[int], most: int, wild: int) -> Iterator[Cards]:
    """The ascending choices of at most `most` numbers whose gaps the wild cards can fill."""
    growing: list[Cards] = [(number,) for number in numbers] if most else []
    while growing:
        yield from growing
        growing = [
            (*run, number)
            for run in growing
            if len(run) < most
            for number in numbers
            if run[-1] < number <= run[0] + len(run) + wild
        ]
