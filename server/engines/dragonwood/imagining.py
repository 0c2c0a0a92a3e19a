"""A possible full state behind the views of one seat, or of a spectator; what they hide is drawn at random.

Goes by the views alone: from the unseen cards the hands are dealt, Ladybugs excepted, and the rest is the deck; unseen
Dragonwood cards are the deck and what was removed at set-up, dragons where they can lie.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from server.engines.dice import Dice
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import (
    Attack,
    Attempt,
    EventInProgress,
    Options,
    Phase,
    Player,
    State,
)
from server.engines.dragonwood.steps.set_up import lower_part
from server.engines.dragonwood.steps.sets import spells
from server.engines.dragonwood.views import AttemptView, EventView, NamedCard, PrivateView, PublicView


class _Seen(PublicView):
    number: int
    phase: str


class _Own(PrivateView):
    seat: int


def imagine(
    components: Components,
    public: Mapping[str, object],
    private: Mapping[str, object] | None,
    options: Options,
    dice: Dice,
) -> State:
    """A state whose views for this viewer are the given ones.

    Raises:
        ValueError: there is none.
    """
    try:
        seen = msgspec.convert(public, _Seen)
        own = None if private is None else msgspec.convert(private, _Own)
    except msgspec.ValidationError as error:
        raise ValueError(f"not a view of this game: {error}") from error
    if not seen["seats"] or (own is not None and not 0 <= own["seat"] < len(seen["seats"])):
        raise ValueError("a view of no seat")
    hands, deck = _deal(components, seen, own, dice)
    dragonwood, removed = _split(components, seen, options, dice)
    return State(
        options=options,
        number=seen["number"],
        in_turn=_in_turn(seen),
        phase=Phase(seen["phase"]),
        players=tuple(
            Player(hand, _ids(seat["enhancements"]), _ids(seat["creatures"]))
            for hand, seat in zip(hands, seen["seats"], strict=True)
        ),
        adventurers=deck,
        discard=seen["discard"],
        ran_out=seen["ran_out"],
        final_turn=seen["final_turn"],
        dragonwood=dragonwood,
        landscape=_ids(seen["landscape"]),
        removed=removed,
        gone=_ids(seen["gone"]),
        attempt=None if seen["attempt"] is None else _attempt(seen["attempt"]),
        event=None if seen["event"] is None else _event(seen["event"], hands, own, dice),
    )


def _in_turn(seen: _Seen) -> int:
    """The seat whose turn it is: turns go round."""
    return (seen["number"] - 1) % len(seen["seats"])


def _ids(cards: Iterable[NamedCard]) -> tuple[int, ...]:
    return tuple(card["card"] for card in cards)


def _deal(
    components: Components, seen: _Seen, own: _Own | None, dice: Dice
) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
    """The hands, the viewer's own among them, and the deck."""
    known = {*seen["discard"], *(own["hand"] if own else ()), *(seen["attempt"]["cards"] if seen["attempt"] else ())}
    unseen = [card for card in range(components.adventurers) if card not in known]
    numbered = [card for card in unseen if card < components.first_ladybug]
    forced = _announced_spell(components, seen, own, numbered, dice)
    holdable = dice.shuffle(card for card in numbered if card not in forced)
    hands = []
    for seat, view in enumerate(seen["seats"]):
        if own is not None and seat == own["seat"]:
            hands.append(own["hand"])
            continue
        sure = forced if seat == _in_turn(seen) else ()
        drawn = holdable[len(holdable) - (view["hand"] - len(sure)) :]
        del holdable[len(holdable) - len(drawn) :]
        hands.append(tuple(sorted((*sure, *drawn))))
    ladybugs = (card for card in unseen if card >= components.first_ladybug)
    return hands, tuple(dice.shuffle(sorted((*holdable, *ladybugs))))


def _announced_spell(
    components: Components, seen: _Seen, own: _Own | None, unseen: Iterable[int], dice: Dice
) -> tuple[int, ...]:
    """Cards for the spell that another seat has announced and not yet played: it must hold some."""
    attempt = seen["attempt"]
    if attempt is None or attempt["attack"] != Attack.SPELL or attempt["cards"]:
        return ()
    if own is not None and own["seat"] == _in_turn(seen):
        return ()
    found = spells(components, tuple(unseen))
    if not found:
        raise ValueError("a dragon spell is announced for which no cards are left")
    return found[dice.below(len(found))]


def _split(
    components: Components, seen: _Seen, options: Options, dice: Dice
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The Dragonwood deck, and the cards removed at set-up."""
    known = {*_ids(seen["landscape"]), *_ids(seen["gone"])}
    for seat in seen["seats"]:
        known.update(_ids(seat["enhancements"]), _ids(seat["creatures"]))
    unseen = [card for card in range(len(components.cards)) if card not in known]
    others = dice.shuffle(card for card in unseen if card not in components.dragons)
    dragons = [card for card in unseen if card in components.dragons]
    size = seen["dragonwood_deck"] - len(dragons)
    removed, deck = tuple(others[size:]), others[:size]
    low = min(lower_part(components, len(seen["seats"]), options), seen["dragonwood_deck"]) - len(dragons)
    return (*dice.shuffle(sorted((*deck[:low], *dragons))), *deck[low:]), removed


def _attempt(view: AttemptView) -> Attempt:
    return Attempt(
        attack=Attack(view["attack"]),
        target=view["target"],
        use=view["use"],
        bonus=view["bonus"],
        needed=view["needed"],
        rerolls=view["rerolls"],
        cards=view["cards"],
        dice=view["dice"],
    )


def _event(view: EventView, hands: list[tuple[int, ...]], own: _Own | None, dice: Dice) -> EventInProgress:
    """The choices of the others are imagined cards of their imagined hands."""
    if any(chose and not hand for hand, chose in zip(hands, view["chosen"], strict=True)):
        raise ValueError("an empty hand has chosen")
    choices = [
        hand[dice.below(len(hand))] if chose else None for hand, chose in zip(hands, view["chosen"], strict=True)
    ]
    if own is not None:
        choices[own["seat"]] = own["choice"]
    return EventInProgress(view["card"], tuple(choices))
