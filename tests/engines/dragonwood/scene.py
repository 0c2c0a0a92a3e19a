"""Scenes of Dragonwood for tests: a possible state with named cards where a test wants them, and loaded dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.dragonwood import ENGINE
from server.engines.dragonwood.actions import AttackWith, DragonwoodAction, Play
from server.engines.dragonwood.possible import check
from server.engines.dragonwood.state import Attack, Options, Phase, Player, State
from server.engines.engine import Event, EventBody

PRINTED = ENGINE.components.printed
LADYBUGS = (60, 61, 62, 63)
FILLER = ("Spooky Spiders", "Crazy Bats", "Giggling Goblin", "Fire Ants", "Wasps' Nest")


class Loaded(Dice):
    """Dice that show what they are told, one item a call of `below`; a call too many fails the test."""

    def __init__(self, *shows: int) -> None:
        super().__init__(bytes(32))
        self.shows = list(shows)

    def below(self, n: int) -> int:
        """The next of the numbers given."""
        assert self.shows, "the dice moved more often than the rules say"
        self.words += 1
        show = self.shows.pop(0)
        assert 0 <= show < n
        return show


def faces(*values: int) -> Loaded:
    """Dice that show these faces."""
    return Loaded(*(PRINTED.die.index(value) for value in values))


def adventurer(name: str) -> int:
    """The id of `R4` and the like."""
    colour = next(i for i, each in enumerate(PRINTED.adventurers.colours) if each[0].upper() == name[0])
    return colour * PRINTED.adventurers.numbers + int(name[1:]) - 1


def adventurers(names: str) -> tuple[int, ...]:
    """The ids of `R4 B5 G6`, ascending."""
    return tuple(sorted(map(adventurer, names.split())))


def dragonwood(name: str, copy: int = 0) -> int:
    """The id of a Dragonwood card by its name."""
    return [i for i, card in enumerate(ENGINE.components.cards) if card.name == name][copy]


class Box:
    """The Dragonwood cards that a scene has not used yet."""

    def __init__(self) -> None:
        self.left = list(range(len(ENGINE.components.cards)))

    def take(self, names: Sequence[str]) -> tuple[int, ...]:
        """The cards of these names, in this order; a name again means its next copy."""
        return tuple(self._take(name) for name in names)

    def _take(self, name: str) -> int:
        card = next(card for card in self.left if ENGINE.components.cards[card].name == name)
        self.left.remove(card)
        return card

    def split(self, seats: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The removed cards (of what is left the highest ids), and the deck of all others, dragons at the bottom."""
        dragons = tuple(card for card in self.left if card in ENGINE.components.dragons)
        others = tuple(card for card in self.left if card not in dragons)
        kept = len(others) - PRINTED.removed[seats]
        return others[kept:], dragons + others[:kept]


def scene(
    hands: Sequence[str] = ("R4 B5 G6", "P1"),
    landscape: Sequence[str] = FILLER,
    *,
    before: Sequence[Sequence[str]] = (),
    top: Sequence[str] = (),
    draws: Sequence[int] = (),
    short: bool = False,
    **fields: Any,
) -> State:
    """A possible state: seat 0 begins its turn unless `fields` say otherwise.

    `before`: names of the Dragonwood cards before each seat. `top`: the next cards of the Dragonwood deck, the next
    one first. `draws`: the next adventurers, the next one first; all others lie below these, or if `short` on the
    discard pile. `fields`: of the state, to replace.
    """
    box = Box()
    lying = box.take(landscape)
    owned = [box.take(names) for names in (*before, *[()] * (len(hands) - len(before)))]
    coming = box.take(top)
    gone = box.take(fields.pop("gone", ()))
    removed, deck = box.split(len(hands))
    held = [adventurers(hand) for hand in hands]
    known = {*draws, *(card for hand in held for card in hand)}
    rest = tuple(card for card in range(ENGINE.components.adventurers) if card not in known)
    state = State(
        options=Options(),
        number=1,
        in_turn=0,
        phase=Phase.TURN,
        players=tuple(_player(hand, cards) for hand, cards in zip(held, owned, strict=True)),
        adventurers=(*(() if short else rest), *reversed(draws)),
        discard=rest if short else (),
        ran_out=0,
        final_turn=None,
        dragonwood=(*deck, *reversed(coming)),
        landscape=lying,
        removed=removed,
        gone=gone,
        attempt=None,
        event=None,
    )
    state = replace(state, **fields)
    check(ENGINE.components, state)
    return state


def _player(hand: tuple[int, ...], cards: tuple[int, ...]) -> Player:
    creatures = tuple(card for card in cards if ENGINE.components.creature(card))
    return Player(hand, tuple(card for card in cards if card not in creatures), creatures)


def act(state: State, action: DragonwoodAction, dice: Dice | None = None, seat: int | None = None) -> Any:
    """The state after the action of the (only) deciding seat, and the events."""
    seat = ENGINE.deciding(state)[0] if seat is None else seat
    assert action in ENGINE.legal_actions(state, seat)
    after, events = ENGINE.apply(state, seat, action, dice or Loaded())
    check(ENGINE.components, after)
    return after, events


def attempt(state: State, attack: Attack, target: str, play: str, dice: Dice) -> tuple[State, list[Event]]:
    """The state after the deciding seat has attacked and played, and the events of the play.

    `play`: the cards, and after `with` the enhancements in use: `R7 B7 with Lightning Bolt, Friendly Bunny`.
    """
    cards, _, named = play.partition(" with ")
    use = tuple(sorted(map(dragonwood, named.split(", ")))) if named else ()
    lying = next(card for card in state.landscape if ENGINE.components.cards[card].name == target)
    state, events = act(state, AttackWith(lying, attack, use))
    assert not events
    after, events = act(state, Play(adventurers(cards)), dice)
    return after, list(events)


def bodies(events: Sequence[Event], seat: int | None = None) -> list[EventBody]:
    """The events as the seat (None: a spectator) gets them."""
    return [form for event in events if (form := event.form_for(seat)) is not None]


def kinds(events: Sequence[Event]) -> list[str]:
    """The kinds of the events that everybody gets."""
    return [str(type(form).__struct_config__.tag) for form in bodies(events)]
