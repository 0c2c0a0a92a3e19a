"""The state of a game: a value of frozen structs and tuples of card ids.

Rules that hold here: hands are ascending; a deck's top is its end; the landscape is in the order turned up, a discard
pile in the order discarded. No field has a default: a dump that lacks one is
refused. Every adventurer lies in exactly one of deck, discard pile, hands and the attempt's cards;
every Dragonwood card in exactly one of deck, landscape, `removed`, `gone`, and before the players.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Dragons(StrEnum):
    """Where the dragons are shuffled in (Set-up 2)."""

    BOTTOM_HALF = "bottom_half"
    WHOLE_DECK = "whole_deck"


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The game's options; the defaults are the published rules."""

    dragons: Dragons = Dragons.BOTTOM_HALF
    dragon_spell: bool = True
    last_turn_each: bool = True


class Phase(StrEnum):
    """What has to be decided."""

    TURN = "turn"
    PLAY = "play"
    REROLL = "reroll"
    WOUND = "wound"
    HAND_LIMIT = "hand_limit"
    EVENT = "event"
    OVER = "over"


class Attack(StrEnum):
    """The ways to capture, in the order of the rules."""

    STRIKE = "strike"
    STOMP = "stomp"
    SCREAM = "scream"
    SPELL = "spell"


class Player(msgspec.Struct, frozen=True):
    """What a seat holds: its hand; open before it enhancements and captured creatures, in the order captured."""

    hand: tuple[int, ...]
    enhancements: tuple[int, ...]
    creatures: tuple[int, ...]


class Attempt(msgspec.Struct, frozen=True):
    """A capture in progress; `cards` and `dice` are empty until the cards are played."""

    attack: Attack
    target: int
    use: tuple[int, ...]
    bonus: int
    needed: int
    rerolls: int
    cards: tuple[int, ...]
    dice: tuple[int, ...]

    @property
    def total(self) -> int:
        """Dice and bonuses."""
        return sum(self.dice) + self.bonus


class EventInProgress(msgspec.Struct, frozen=True):
    """An event that waits for decisions; `choices` has a card per seat that has chosen in a storm."""

    card: int
    choices: tuple[int | None, ...]


class State(msgspec.Struct, frozen=True):
    """A game of Dragonwood.

    `ran_out`: how often the adventurer deck ran out (D2, D11). `final_turn`: the number of the game's last turn, once
    that is known. `removed`: the cards taken out unseen at set-up. `gone`: those that left the game openly, in order.
    """

    options: Options
    number: int
    in_turn: int
    phase: Phase
    players: tuple[Player, ...]
    adventurers: tuple[int, ...]
    discard: tuple[int, ...]
    ran_out: int
    final_turn: int | None
    dragonwood: tuple[int, ...]
    landscape: tuple[int, ...]
    removed: tuple[int, ...]
    gone: tuple[int, ...]
    attempt: Attempt | None
    event: EventInProgress | None

    @property
    def clockwise(self) -> tuple[int, ...]:
        """All seats, clockwise from the player in turn."""
        return (*range(self.in_turn, len(self.players)), *range(self.in_turn))
