"""What a seat can do, and what everybody is told happened. Fields as in RULES.md, "Actions" and "Views and events".

Adventurer ids and Dragonwood ids overlap: `target` and the cards of `captured`, `turned_up`, `event`, `removed` are
Dragonwood cards, all others adventurers.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import UNSET, UnsetType

from server.engines.dragonwood.state import Attack
from server.engines.engine import Action, EventBody


class Reload(Action, frozen=True, tag="reload"):
    """Draw the top adventurer."""


class AttackWith(Action, frozen=True, tag="attack"):
    """Announce the attack: whom, how, and which enhancements are used up in it (ascending)."""

    target: int
    attack: Attack
    use: tuple[int, ...]


class Play(Action, frozen=True, tag="play"):
    """Play these cards (ascending) for the attack and roll."""

    cards: tuple[int, ...]


class Reroll(Action, frozen=True, tag="reroll"):
    """Roll the die with this index again."""

    die: int


class Keep(Action, frozen=True, tag="keep"):
    """Let the miss stand."""


class Discard(Action, frozen=True, tag="discard"):
    """Discard a card: a wound, over the hand limit, or in a Thunder Storm."""

    card: int


class Give(Action, frozen=True, tag="give"):
    """Pass a card to the right in a Wind Storm."""

    card: int


DragonwoodAction: TypeAlias = Reload | AttackWith | Play | Reroll | Keep | Discard | Give


class Drew(EventBody, frozen=True, tag="drew"):
    """A seat drew `count` cards, Ladybugs not counted; only that seat is told which."""

    seat: int
    count: int
    cards: tuple[int, ...] | UnsetType = UNSET


class LadybugDrawn(EventBody, frozen=True, tag="ladybug"):
    """A Ladybug was drawn and discarded; its draws follow."""

    seat: int
    card: int


class Reshuffled(EventBody, frozen=True, tag="reshuffled"):
    """The discard pile was shuffled into a new deck of `count` cards."""

    count: int


class Attempted(EventBody, frozen=True, tag="attempted"):
    """The first roll of an attempt."""

    seat: int
    target: int
    attack: Attack
    use: tuple[int, ...]
    cards: tuple[int, ...]
    dice: tuple[int, ...]
    bonus: int
    total: int
    needed: int
    success: bool


class Rerolled(EventBody, frozen=True, tag="rerolled"):
    """One die was rolled again."""

    seat: int
    die: int
    dice: tuple[int, ...]
    total: int
    success: bool


class Wounded(EventBody, frozen=True, tag="wounded"):
    """A failed attempt cost this card."""

    seat: int
    card: int


class Discarded(EventBody, frozen=True, tag="discarded"):
    """A card was discarded over the hand limit or in a Thunder Storm."""

    seat: int
    card: int


class Captured(EventBody, frozen=True, tag="captured"):
    """A landscape card was captured."""

    seat: int
    card: int


class TurnedUp(EventBody, frozen=True, tag="turned_up"):
    """A card came into the landscape."""

    card: int


class EventTurnedUp(EventBody, frozen=True, tag="event"):
    """An event was turned up; it takes effect and leaves the game."""

    card: int
    name: str


class Removed(EventBody, frozen=True, tag="removed"):
    """These cards left the landscape and the game (Quicksand)."""

    cards: tuple[int, ...]


class Passed(EventBody, frozen=True, tag="passed"):
    """A card went from `seat` to `receiver` (Wind Storm); only these two are told which."""

    seat: int
    receiver: int
    card: int | UnsetType = UNSET


class LastTurns(EventBody, frozen=True, tag="last_turns"):
    """The adventurer deck ran out for the last time: every player takes one more turn after this one."""


class Ended(EventBody, frozen=True, tag="ended"):
    """The game is over."""

    reason: str


DragonwoodEvent: TypeAlias = (
    Drew
    | LadybugDrawn
    | Reshuffled
    | Attempted
    | Rerolled
    | Wounded
    | Discarded
    | Captured
    | TurnedUp
    | EventTurnedUp
    | Removed
    | Passed
    | LastTurns
    | Ended
)
