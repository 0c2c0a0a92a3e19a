"""Who sees what: the public view, and what a seat sees besides (RULES.md, "Views and events").

Secret are the hands, the order of both decks, the cards removed at set-up, and a storm's choices until all are made.
Equal parts of views are the same objects (remembered by value, bounded), so that a difference of two views stops there.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypedDict

import msgspec

from server.engines.dragonwood.components import Components, Creature, Enhancement, EventCard
from server.engines.dragonwood.state import Attempt, EventInProgress, State
from server.engines.dragonwood.steps.ending import points

REMEMBERED = 4096  # parts of each kind


class Effect(TypedDict, total=False):
    """What an enhancement does for its owner; what it does not do is left out."""

    strike_bonus: int
    stomp_bonus: int
    scream_bonus: int
    any_bonus: int
    reroll: int
    extra_dice: int
    wild_cards: int
    once: bool


class LandscapeCard(TypedDict):
    """A card of the landscape and its value for each attack; a creature has points, an enhancement an effect."""

    card: int
    name: str
    dragon: bool
    points: int
    effect: Effect | None
    strike: int
    stomp: int
    scream: int


class NamedCard(TypedDict):
    """A Dragonwood card outside the landscape."""

    card: int
    name: str


class EnhancementView(TypedDict):
    """An enhancement before its owner."""

    card: int
    name: str
    effect: Effect


class SeatView(TypedDict):
    """What lies before a seat; `hand` is its size, `points` those of its creatures."""

    hand: int
    enhancements: tuple[EnhancementView, ...]
    creatures: tuple[NamedCard, ...]
    points: int


class AttemptView(TypedDict):
    """The attempt in progress; `cards` and `dice` are empty until cards are played."""

    attack: str
    target: int
    use: tuple[int, ...]
    cards: tuple[int, ...]
    dice: tuple[int, ...]
    bonus: int
    needed: int
    rerolls: int


class EventView(TypedDict):
    """The event in progress, and which seats have chosen in it."""

    card: int
    name: str
    chosen: tuple[bool, ...]


class PublicView(TypedDict):
    """What everybody sees. `last_turns`: those still to come, the present one included; null before.

    Adventurer a has the colour `colours[a // numbers]` and the number `a % numbers + 1`; past these are the Ladybugs.
    """

    colours: tuple[str, ...]
    numbers: int
    landscape: tuple[LandscapeCard, ...]
    dragonwood_deck: int
    adventurer_deck: int
    discard: tuple[int, ...]
    ran_out: int
    seats: tuple[SeatView, ...]
    attempt: AttemptView | None
    event: EventView | None
    last_turns: int | None
    final_turn: int | None
    gone: tuple[NamedCard, ...]


class PrivateView(TypedDict):
    """What only the seat sees: its hand, and what it chose in a storm that others still choose in."""

    hand: tuple[int, ...]
    choice: int | None


class Views:
    """The views of states that are played with one set of components."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._named = tuple(NamedCard(card=i, name=card.name) for i, card in enumerate(components.cards))
        self._faces = {i: _face(i, card) for i, card in enumerate(components.cards) if not isinstance(card, EventCard)}
        self._enhanced = {
            i: EnhancementView(card=i, name=card.name, effect=_effect(card))
            for i, card in enumerate(components.cards)
            if isinstance(card, Enhancement)
        }
        self._enhancements = lru_cache(REMEMBERED)(self._render_enhancements)
        self._cards = lru_cache(REMEMBERED)(self._render_cards)
        self._landscape = lru_cache(REMEMBERED)(self._render_landscape)
        self._seat = lru_cache(REMEMBERED)(self._render_seat)
        self._seats = lru_cache(REMEMBERED)(self._render_seats)
        self._attempt = lru_cache(REMEMBERED)(_render_attempt)
        self._event = lru_cache(REMEMBERED)(self._render_event)

    def public(self, state: State) -> PublicView:
        """What everybody may see."""
        players = [(len(player.hand), player.enhancements, player.creatures) for player in state.players]
        return {
            "colours": self._components.printed.adventurers.colours,
            "numbers": self._components.printed.adventurers.numbers,
            "landscape": self._landscape(state.landscape),
            "dragonwood_deck": len(state.dragonwood),
            "adventurer_deck": len(state.adventurers),
            "discard": state.discard,
            "ran_out": state.ran_out,
            "seats": self._seats(tuple(players)),
            "attempt": None if state.attempt is None else self._attempt(state.attempt),
            "event": None if state.event is None else self._event(*_who_chose(state.event)),
            "last_turns": last_turns(state),
            "final_turn": state.final_turn,
            "gone": self._cards(state.gone),
        }

    def private(self, state: State, seat: int) -> PrivateView:
        """What only `seat` may see besides."""
        choice = None if state.event is None else state.event.choices[seat]
        return {"hand": state.players[seat].hand, "choice": choice}

    def shows(self, state: State, public: Mapping[str, object], private: Mapping[str, object] | None) -> bool:
        """Whether the state's views are these; `private` names its `seat` (None: a spectator)."""
        if self.public(state) != msgspec.convert(public, PublicView):
            return False
        if private is None:
            return True
        return self.private(state, msgspec.convert(private["seat"], int)) == msgspec.convert(private, PrivateView)

    def _render_cards(self, cards: tuple[int, ...]) -> tuple[NamedCard, ...]:
        return tuple(self._named[card] for card in cards)

    def _render_enhancements(self, cards: tuple[int, ...]) -> tuple[EnhancementView, ...]:
        return tuple(self._enhanced[card] for card in cards)

    def _render_landscape(self, cards: tuple[int, ...]) -> tuple[LandscapeCard, ...]:
        return tuple(self._faces[card] for card in cards)

    def _render_seats(self, seats: tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]) -> tuple[SeatView, ...]:
        return tuple(self._seat(*seat) for seat in seats)

    def _render_seat(self, hand: int, enhancements: tuple[int, ...], creatures: tuple[int, ...]) -> SeatView:
        return SeatView(
            hand=hand,
            enhancements=self._enhancements(enhancements),
            creatures=self._cards(creatures),
            points=points(self._components, creatures),
        )

    def _render_event(self, card: int, chosen: tuple[bool, ...]) -> EventView:
        return EventView(card=card, name=self._components.cards[card].name, chosen=chosen)


def last_turns(state: State) -> int | None:
    """The last turns still to come, the present one included; the turn in which the deck ran out is none of them."""
    if state.final_turn is None:
        return None
    return min(state.final_turn - state.number + 1, len(state.players))


def _who_chose(event: EventInProgress) -> tuple[int, tuple[bool, ...]]:
    return event.card, tuple(choice is not None for choice in event.choices)


def _render_attempt(attempt: Attempt) -> AttemptView:
    return AttemptView(
        attack=attempt.attack.value,
        target=attempt.target,
        use=attempt.use,
        cards=attempt.cards,
        dice=attempt.dice,
        bonus=attempt.bonus,
        needed=attempt.needed,
        rerolls=attempt.rerolls,
    )


def _face(card: int, printed: Creature | Enhancement) -> LandscapeCard:
    creature = printed if isinstance(printed, Creature) else None
    return LandscapeCard(
        card=card,
        name=printed.name,
        dragon=creature is not None and creature.dragon,
        points=creature.points if creature else 0,
        effect=_effect(printed) if isinstance(printed, Enhancement) else None,
        strike=printed.strike,
        stomp=printed.stomp,
        scream=printed.scream,
    )


def _effect(card: Enhancement) -> Effect:
    amounts = {name: getattr(card, name) for name in Effect.__annotations__}
    return msgspec.convert({name: amount for name, amount in amounts.items() if amount}, Effect)
