"""Dragonwood, greedily: the attack with the best expected points by the exact odds of the dice, else reload.

The unit is a point at the end of the game. A card in hand is worth `CARD` points, hardly any when the hand is full,
nothing when no turn is left to play it; an enhancement is worth what its bonus is likely to bring in the turns that
are left. An attempt is weighed as: odds × (gain − cards spent) − (1 − odds) × the card that a wound costs −
enhancements used up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial
from random import Random
from typing import Any, NamedTuple

import msgspec

from server.engines.dragonwood.actions import AttackWith
from server.engines.dragonwood.components import Creature, DragonwoodCard, Enhancement, load
from server.engines.dragonwood.state import Attack, Player
from server.engines.dragonwood.steps.sets import dice_rolled, fitting_sets
from server.engines.dragonwood.steps.turn import announce

COMPONENTS = load()
CARD = 0.6  # what a card in hand is worth in points
FULL = 0.06  # the same with a full hand: the next card drawn costs one
COUNT = 0.3  # what one more creature card is worth towards the bonus for the most
BONUS = 0.11  # what +1 to every attempt brings in a turn
ONCE = 0.45  # what +1 to one attempt brings

Cards = tuple[int, ...]


class Table(NamedTuple):
    """What the weighing goes by: the public view, the own seat, and the own turns that are left, roughly."""

    game: Mapping[str, Any]
    seat: int
    hand: Cards
    turns: float

    @property
    def card(self) -> float:
        """What a card in hand is worth now, whether it is drawn, spent or lost."""
        worth = FULL if len(self.hand) >= COMPONENTS.printed.hand_limit else CARD
        return worth * min(1.0, (self.turns - 1) / 3) if self.turns > 1 else 0.0


def choose(state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random) -> Mapping[str, Any]:  # noqa: ARG001
    """The action with the best expected points; `state` is the state document, `actions` the complete list."""
    table = _table(state)
    kind = actions[0]["type"]
    if kind == "reload":
        return max(actions, key=lambda action: _opening(table, action))
    if kind == "play":
        return _best_play(table, actions)
    if kind == "reroll":
        return max(actions, key=lambda action: _reroll_odds(table.game["attempt"], action))
    return min(actions, key=lambda action: (ties(action["card"], table.hand), action["card"]))


def _table(state: Mapping[str, Any]) -> Table:
    game, you = state["game"], state["you"]
    turns_left = _turns_left(game, state["turn"]["number"], you["seat"])
    return Table(game, you["seat"], tuple(you["hand"]), turns_left)


def _turns_left(game: Mapping[str, Any], number: int, seat: int) -> float:
    """The own turns that are left, the present one included; estimated by the cards left until the last turns begin."""
    seats = len(game["seats"])
    if game["final_turn"] is not None:
        next_own = number + (seat + 1 - number) % seats
        return float((game["final_turn"] - next_own) // seats + 1)
    decks = COMPONENTS.printed.decks_until_end - game["ran_out"]
    cards: int = game["adventurer_deck"] + (decks - 1) * len(game["discard"])
    return 1 + 1.6 * cards / seats


# ------------------------------------------------------------------------------------------------ the odds of the dice


@lru_cache(maxsize=4096)
def odds(dice: int, needed: int, rerolls: int) -> float:
    """The chance that so many dice reach `needed`, on a miss with one re-roll of the lowest die where there is one."""
    faces = COMPONENTS.printed.die
    ways = 0.0
    for roll in combinations_with_replacement(sorted(set(faces)), dice):
        chance = 1.0 if sum(roll) >= needed else 0.0
        if rerolls and not chance and roll:
            chance = face_odds(needed - sum(roll) + roll[0])
        ways += chance * _orders(roll)
    return ways / float(len(faces)) ** dice


def _orders(roll: Cards) -> int:
    """In how many ways the dice, each face as often as it is printed, show these numbers."""
    ways = factorial(len(roll))
    for number in set(roll):
        ways = ways // factorial(roll.count(number)) * COMPONENTS.printed.die.count(number) ** roll.count(number)
    return ways


def face_odds(needed: int) -> float:
    faces = COMPONENTS.printed.die
    return sum(face >= needed for face in faces) / len(faces)


def _reroll_odds(attempt: Mapping[str, Any], action: Mapping[str, Any]) -> float:
    if action["type"] == "keep":
        return 0.0
    others: int = sum(attempt["dice"]) - attempt["dice"][action["die"]]
    return face_odds(attempt["needed"] - attempt["bonus"] - others)


# ----------------------------------------------------------------------------------------------- what things are worth


def _gain(table: Table, target: int) -> float:
    """The points that the capture of a landscape card is worth."""
    card: DragonwoodCard = COMPONENTS.cards[target]
    if isinstance(card, Enhancement):
        return worth_of(card, table.turns - 1)
    return card.points + COUNT + _end(table, target) if isinstance(card, Creature) else 0.0


def worth_of(card: Enhancement, turns: float) -> float:
    """What an enhancement brings to its owner in so many turns."""
    turns = min(turns, 12)
    if turns < 1:
        return 0.0
    special = (card.strike_bonus + card.stomp_bonus + card.scream_bonus) / 2
    bonus = card.any_bonus + special + 1.2 * card.reroll + 1.8 * (card.extra_dice + card.wild_cards)
    return bonus * ONCE if card.once else bonus * BONUS * turns


def _end(table: Table, target: int) -> float:
    """A dragon that ends the game: good for who leads, bad for who does not."""
    captured = {card["card"] for seat in table.game["seats"] for card in seat["creatures"]}
    if not set(COMPONENTS.dragons) <= captured | {target}:
        return 0.0
    totals = [_total(table, seat, target) for seat in range(len(table.game["seats"]))]
    own = totals.pop(table.seat)
    return 4.0 if own > max(totals) else -12.0


def _total(table: Table, seat: int, target: int) -> float:
    """The seat's score if the game ended with this capture by the own seat."""
    counts = [len(each["creatures"]) + (number == table.seat) for number, each in enumerate(table.game["seats"])]
    prize = COMPONENTS.printed.most_creatures
    bonus = 0
    if counts[seat] == max(counts):
        bonus = prize.alone if counts.count(max(counts)) == 1 else prize.tied
    own = COMPONENTS.points(target) if seat == table.seat else 0
    return float(table.game["seats"][seat]["points"] + own + bonus)


def ties(card: int, hand: Cards) -> float:
    """How much a card does for sets with the rest of the hand."""
    value = 0.0
    for other in hand:
        if other == card:
            continue
        gap = abs(COMPONENTS.number(card) - COMPONENTS.number(other))
        value += 1.5 * (gap == 0) + (1.0 if gap == 1 else 0.3 if gap == 2 else 0.0)
        value += 0.8 * (COMPONENTS.colour(card) == COMPONENTS.colour(other))
    return value


# ------------------------------------------------------------------------------------------------------ the decisions


def _opening(table: Table, action: Mapping[str, Any]) -> float:
    if action["type"] == "reload":
        return table.card
    return max(value for value, _ in _weighed(table, _announced(table, action)))


def _announced(table: Table, action: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attempt that the action announces, in the form of the public view."""
    held = tuple(card["card"] for card in table.game["seats"][table.seat]["enhancements"])
    attack = AttackWith(action["target"], Attack(action["attack"]), tuple(action["use"]))
    announced: dict[str, Any] = msgspec.to_builtins(announce(COMPONENTS, Player(table.hand, held, ()), attack))
    return announced


def _weighed(table: Table, attempt: Mapping[str, Any]) -> Iterator[tuple[float, int]]:
    """The expected points of the attempt, and the number of cards, for each number of cards that can be played."""
    attack, use = Attack(attempt["attack"]), tuple(attempt["use"])
    gain = _gain(table, attempt["target"])
    spent = sum(worth_of(card, table.turns - 1) for i in use if (card := COMPONENTS.enhancement(i)))
    for cards in _sizes(attack, table.hand, use):
        dice = dice_rolled(COMPONENTS, attack, cards, use)
        chance = odds(dice, attempt["needed"] - attempt["bonus"], attempt["rerolls"])
        yield chance * (gain - cards * table.card) - (1 - chance) * table.card - spent, cards


@lru_cache(maxsize=256)
def _sizes(attack: Attack, hand: Cards, use: Cards) -> Cards:
    return tuple(sorted({len(cards) for cards in fitting_sets(COMPONENTS, attack, hand, use)}))


def _best_play(table: Table, actions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Of the best number of cards those that leave most behind: the least tied to the rest of the hand."""
    _, size = max(_weighed(table, table.game["attempt"]))
    plays = [action for action in actions if len(action["cards"]) == size]
    return min(plays, key=lambda action: broken(action["cards"], table.hand))


def broken(cards: Sequence[int], hand: Cards) -> float:
    rest = tuple(card for card in hand if card not in cards)
    return sum(ties(card, (card, *rest)) for card in cards)
