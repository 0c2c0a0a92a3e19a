"""Every card and number of the game: `components.toml` in its typed form, and the tables that the rules look up.

Rules that hold here:

1. Whatever the rules rely on is checked while loading; a file that breaks it is refused with file, key and reason.
2. Ids follow D12: adventurers colour by colour in file order, 1 to the highest number, then the Ladybugs;
   Dragonwood cards are creatures, enhancements, events, copies in succession.
3. No rule holds a number that stands in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import comb
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from server.engines.components import BrokenComponents, read_components

FILE = Path(__file__).with_name("components.toml")
LONGEST_LIST = 2000  # protocol section 5: a longer list of legal actions has to be split

Count = Annotated[int, Meta(ge=1)]
Amount = Annotated[int, Meta(ge=0)]
Name = Annotated[str, Meta(min_length=1)]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what stands in the file."""


class MostCreatures(_Part, frozen=True):
    """Points for the most creature cards: for one seat alone, and for each of several tied."""

    alone: Amount
    tied: Amount


class Spell(_Part, frozen=True):
    """The dragon spell: cards to play, dice to roll, and the total that captures."""

    cards: Count
    dice: Count
    needed: Count


class Adventurers(_Part, frozen=True):
    """The adventurer deck."""

    colours: tuple[Name, ...]
    numbers: Count
    ladybugs: Amount
    ladybug_draws: Count


class Creature(_Part, frozen=True):
    """A kind of creature: `copies` cards with its points and its value for each attack."""

    name: Name
    copies: Count
    points: Amount
    strike: Count
    stomp: Count
    scream: Count
    dragon: bool = False
    breaks_ties: bool = False


class Enhancement(_Part, frozen=True):
    """An enhancement: its value for each attack, and what it does for its owner."""

    name: Name
    strike: Count
    stomp: Count
    scream: Count
    strike_bonus: Amount = 0
    stomp_bonus: Amount = 0
    scream_bonus: Amount = 0
    any_bonus: Amount = 0
    reroll: Amount = 0
    extra_dice: Amount = 0
    wild_cards: Amount = 0
    once: bool = False


class EventCard(_Part, frozen=True):
    """An event: exactly one of its effects is set."""

    name: Name
    draw: Amount = 0
    discard: Amount = 0
    pass_right: Amount = 0
    removes: Literal["enhancements"] | None = None


class Printed(_Part, frozen=True):
    """The file, key by key."""

    hand_start: Count
    hand_limit: Count
    landscape: Count
    removed: dict[int, Amount]
    die: tuple[Count, ...]
    dice: Count
    most_creatures: MostCreatures
    decks_until_end: Count
    spell: Spell
    adventurers: Adventurers
    creatures: tuple[Creature, ...]
    enhancements: tuple[Enhancement, ...]
    events: tuple[EventCard, ...]


DragonwoodCard: TypeAlias = Creature | Enhancement | EventCard


class Components(msgspec.Struct, frozen=True):
    """What is printed, and by id: the Dragonwood cards, and colour and number of the adventurers."""

    printed: Printed
    cards: tuple[DragonwoodCard, ...]
    dragons: tuple[int, ...]
    tie_breaker: int
    adventurers: int
    first_ladybug: int

    @property
    def seats(self) -> range:
        """The numbers of seats that the game can be played with."""
        return range(min(self.printed.removed), max(self.printed.removed) + 1)

    def colour(self, adventurer: int) -> int:
        """The place of a (numbered) adventurer's colour in the file's list."""
        return adventurer // self.printed.adventurers.numbers

    def number(self, adventurer: int) -> int:
        """The number on an adventurer that is no Ladybug."""
        return adventurer % self.printed.adventurers.numbers + 1

    def creature(self, card: int) -> Creature | None:
        """The creature on a Dragonwood card, if it is one."""
        found = self.cards[card]
        return found if isinstance(found, Creature) else None

    def enhancement(self, card: int) -> Enhancement | None:
        """The enhancement on a Dragonwood card, if it is one."""
        found = self.cards[card]
        return found if isinstance(found, Enhancement) else None

    def event(self, card: int) -> EventCard | None:
        """The event on a Dragonwood card, if it is one."""
        found = self.cards[card]
        return found if isinstance(found, EventCard) else None

    def points(self, card: int) -> int:
        """The points of a Dragonwood card: of a creature; none for anything else."""
        found = self.cards[card]
        return found.points if isinstance(found, Creature) else 0


def load(path: Path = FILE) -> Components:
    """The components in `path`.

    Raises:
        BrokenComponents: the game can't be played with them; names file, key and reason.
    """
    printed = read_components(path, Printed)
    for key, reason in _faults(printed):
        raise BrokenComponents(path.name, key, reason)
    cards = _deck(printed)
    numbered = len(printed.adventurers.colours) * printed.adventurers.numbers
    return Components(
        printed=printed,
        cards=cards,
        dragons=tuple(i for i, card in enumerate(cards) if isinstance(card, Creature) and card.dragon),
        tie_breaker=next(i for i, card in enumerate(cards) if isinstance(card, Creature) and card.breaks_ties),
        adventurers=numbered + printed.adventurers.ladybugs,
        first_ladybug=numbered,
    )


def _deck(printed: Printed) -> tuple[DragonwoodCard, ...]:
    creatures = chain.from_iterable([creature] * creature.copies for creature in printed.creatures)
    return (*creatures, *printed.enhancements, *printed.events)


_Faults: TypeAlias = Iterator[tuple[str, str]]


def _faults(printed: Printed) -> _Faults:
    yield from _seat_faults(printed)
    yield from _adventurer_faults(printed)
    yield from _creature_faults(printed)
    yield from _enhancement_faults(printed)
    yield from _event_faults(printed)
    yield from _landscape_faults(printed)
    yield from _list_faults(printed)


def _seat_faults(printed: Printed) -> _Faults:
    seats = sorted(printed.removed)
    if not seats or seats[0] < 2 or seats != list(range(seats[0], seats[-1] + 1)):
        yield "removed", "has to name consecutive numbers of seats from 2 or more"
    if not printed.die:
        yield "die", "a die has at least one face"


def _adventurer_faults(printed: Printed) -> _Faults:
    deck = printed.adventurers
    if not deck.colours:
        yield "adventurers.colours", "at least one colour is needed"
    if len(set(deck.colours)) < len(deck.colours):
        yield "adventurers.colours", "a colour stands there twice"
    if printed.spell.cards > deck.numbers:
        yield "spell.cards", "more consecutive cards than there are numbers"
    if printed.hand_start + deck.ladybugs * (deck.ladybug_draws - 1) > printed.hand_limit:
        yield "hand_start", "a hand could be dealt that is over hand_limit"
    cards = len(deck.colours) * deck.numbers + deck.ladybugs
    if max(printed.removed) * printed.hand_start + deck.ladybugs * deck.ladybug_draws >= cards:
        yield "hand_start", "the adventurer deck could run out while it is dealt"


def _creature_faults(printed: Printed) -> _Faults:
    names = [card.name for card in chain[DragonwoodCard](printed.creatures, printed.enhancements, printed.events)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        yield "name", f"{twice[0]!r} stands there twice"
    if sum(creature.copies for creature in printed.creatures if creature.dragon) != 2:
        yield "creatures.dragon", "there have to be exactly two dragons"
    if sum(creature.copies for creature in printed.creatures if creature.breaks_ties) != 1:
        yield "creatures.breaks_ties", "exactly one card has to break ties"


def _enhancement_faults(printed: Printed) -> _Faults:
    for card in printed.enhancements:
        if card.reroll not in (0, 1):
            yield "enhancements.reroll", f"{card.name}: only one re-roll an attempt is played"
        if card.reroll and card.once:
            yield "enhancements.once", f"{card.name}: a re-roll is permanent"
        if (card.extra_dice or card.wild_cards) and not card.once:
            yield "enhancements.once", f"{card.name}: an extra die or a wild card has to be named, hence be used once"
    if sum(card.reroll for card in printed.enhancements) > 1:
        yield "enhancements.reroll", "only one card may give a re-roll"
    wild = sum(card.wild_cards for card in printed.enhancements)
    if 1 + wild + sum(card.extra_dice for card in printed.enhancements) > printed.dice:
        yield "dice", "a single card, all wild cards and all extra dice have to be possible together"
    if 1 + wild > printed.adventurers.numbers:
        yield "adventurers.numbers", "a single card and all wild cards have to be a strike"


def _event_faults(printed: Printed) -> _Faults:
    for card in printed.events:
        if sum(map(bool, (card.draw, card.discard, card.pass_right, card.removes))) != 1:
            yield "events", f"{card.name}: exactly one of draw, discard, pass_right, removes has to be set"
        if card.discard > 1:
            yield "events.discard", f"{card.name}: only one card a hand is discarded"
        if card.pass_right > 1:
            yield "events.pass_right", f"{card.name}: only one card a hand is passed"


def _landscape_faults(printed: Printed) -> _Faults:
    """D13: five cards that are no events must be among the upper part, whatever is removed."""
    shuffled = len(_deck(printed)) - 2
    for seats, removed in sorted(printed.removed.items()):
        left = max(shuffled - removed, 0)
        if left - left // 2 - len(printed.events) < printed.landscape:
            yield f"removed.{seats}", "the upper part of the deck could hold too few cards for the landscape"


def _list_faults(printed: Printed) -> _Faults:
    if sum(comb(printed.hand_limit, cards) for cards in range(1, printed.dice + 1)) > LONGEST_LIST:
        yield "hand_limit", f"a hand could hold more than {LONGEST_LIST} sets to play"
    named = 2 ** sum(card.once for card in printed.enhancements)
    if 1 + printed.landscape * 4 * named > LONGEST_LIST:
        yield "landscape", f"there could be more than {LONGEST_LIST} attacks to choose from"
