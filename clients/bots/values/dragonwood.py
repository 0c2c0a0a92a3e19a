"""Dragonwood: points taken, the lead in creatures, and what hand and enhancements may bring; and a fast player of it.

The player weighs as the greedy policy does, odds × gain − cost, but on states instead of documents, and many times
faster. Its weights were chosen by matches of such players against each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations
from random import Random
from typing import NamedTuple

from clients.bots.greedy.dragonwood import COMPONENTS, broken, face_odds, odds, ties
from server.engines.dragonwood.actions import AttackWith, Discard, Give, Keep, Play, Reload, Reroll
from server.engines.dragonwood.components import Creature, Enhancement
from server.engines.dragonwood.state import Attack, Attempt, Phase, Player, State
from server.engines.dragonwood.steps.sets import dice_rolled, extra_dice, fitting_sets, spells, wild_cards
from server.engines.dragonwood.steps.turn import bonus_of, needed
from server.engines.engine import Action

SPREAD = 10.0
CAUTION = 1.0
HORIZON = 6

CARD = 0.6  # what a card in hand is worth in points
FULL = 0.06  # the same with a full hand
COUNT = 0.3  # what one more creature card is worth
BONUS = 0.22  # what +1 to every attempt brings in a turn
ONCE = 0.27  # what +1 to one attempt brings
LONG = 12  # turns for which a bonus is reckoned at most
ENDING = (4.0, -12.0)  # what the last dragon is worth to who then wins, and to who does not
LEAD = 2.0  # what a clear lead in creatures is worth, with what it says of the game's course

SETS = (Attack.STRIKE, Attack.STOMP, Attack.SCREAM)
CREATURES = tuple(card if isinstance(card, Creature) else None for card in COMPONENTS.cards)
HELPS = tuple(card if isinstance(card, Enhancement) else None for card in COMPONENTS.cards)
NEEDED = tuple(
    tuple(needed(COMPONENTS, card, attack) for attack in SETS) if CREATURES[card] or HELPS[card] else ()
    for card in range(len(COMPONENTS.cards))
)

Cards = tuple[int, ...]


class Try(NamedTuple):
    """An attempt that can be made: the chance of success, whom, how, with what, and how many cards it takes."""

    chance: float
    target: int
    attack: Attack
    use: Cards
    cards: int


class Tools(NamedTuple):
    """What a seat's enhancements do: bonus by attack, the spell last; re-rolls; what can be named."""

    bonus: Cards
    rerolls: int
    uses: tuple[Cards, ...]


# --------------------------------------------------------------------------------------------- what can be attempted


@lru_cache(maxsize=1 << 12)
def _tools(enhancements: Cards) -> Tools:
    held = [(i, card) for i in enhancements if (card := HELPS[i])]
    lasting = [card for _, card in held if not card.once]
    named = sorted(i for i, card in held if card.once)
    return Tools(
        bonus=tuple(sum(bonus_of(card, attack) for card in lasting) for attack in (*SETS, Attack.SPELL)),
        rerolls=sum(card.reroll for card in lasting),
        uses=tuple(chain.from_iterable(combinations(named, size) for size in range(len(named) + 1))),
    )


@lru_cache(maxsize=1 << 14)
def sizes(attack: Attack, hand: Cards, use: Cards) -> Cards:
    """How many cards can be played."""
    return tuple(sorted({len(cards) for cards in fitting_sets(COMPONENTS, attack, hand, use)}))


@lru_cache(maxsize=1 << 14)
def _longest(hand: Cards) -> Cards:
    """The most cards without a wild one, by attack: every smaller number goes too."""
    numbers, colours = (
        [0] * (COMPONENTS.printed.adventurers.numbers + 1),
        [0] * len(COMPONENTS.printed.adventurers.colours),
    )
    for card in hand:
        numbers[COMPONENTS.number(card)] += 1
        colours[COMPONENTS.colour(card)] += 1
    run = longest = 0
    for held in numbers:
        run = run + 1 if held else 0
        longest = max(longest, run)
    return longest, max(numbers), max(colours)


@lru_cache(maxsize=1 << 12)
def _added(use: Cards) -> tuple[int, int, int]:
    """What the named enhancements add: bonus, dice, wild cards."""
    bonus = sum(card.any_bonus for i in use if (card := HELPS[i]))
    return bonus, extra_dice(COMPONENTS, use), wild_cards(COMPONENTS, use)


def tries(state: State, player: Player) -> Iterator[Try]:
    """Every attempt that the player can begin, for each number of cards."""
    hand = player.hand
    if not hand:
        return
    longest, tools = _longest(hand), _tools(player.enhancements)
    spell = state.options.dragon_spell and bool(_spell(hand))
    most = COMPONENTS.printed.dice
    for target in state.landscape:
        creature = CREATURES[target]
        if creature is None:
            for place, attack in enumerate(SETS):
                for cards in range(1, min(longest[place], most) + 1):
                    yield Try(odds(cards, NEEDED[target][place], 0), target, attack, (), cards)
            continue
        for use in tools.uses:
            bonus, dice, wild = _added(use)
            for place, attack in enumerate(SETS):
                lacking = NEEDED[target][place] - tools.bonus[place] - bonus
                numbers = sizes(attack, hand, use) if wild else range(1, min(longest[place], most - dice) + 1)
                for cards in numbers:
                    chance = odds(cards + dice + wild, lacking, tools.rerolls)
                    yield Try(chance, target, attack, use, cards)
            if creature.dragon and spell and not dice and not wild:
                printed = COMPONENTS.printed.spell
                chance = odds(printed.dice, printed.needed - tools.bonus[-1] - bonus, tools.rerolls)
                yield Try(chance, target, Attack.SPELL, use, printed.cards)


@lru_cache(maxsize=1 << 14)
def _spell(hand: Cards) -> bool:
    return bool(spells(COMPONENTS, hand))


# ----------------------------------------------------------------------------------------------- what things are worth


def turns_left(state: State) -> float:
    """Turns of each seat, the present one included, until the deck has run out for the last time; roughly."""
    seats = len(state.players)
    if state.final_turn is not None:
        return 1 + (state.final_turn - state.number) / seats
    decks = COMPONENTS.printed.decks_until_end - state.ran_out
    return 1 + 1.6 * (len(state.adventurers) + (decks - 1) * len(state.discard)) / seats


def _card(hand: Cards, turns: float) -> float:
    worth = FULL if len(hand) >= COMPONENTS.printed.hand_limit else CARD
    return worth * min(1.0, (turns - 1) / 3) if turns > 1 else 0.0


def _help(card: Enhancement, turns: float) -> float:
    """What an enhancement brings to its owner in so many turns."""
    if turns < 1:
        return 0.0
    if card.once:
        return ONCE * (card.any_bonus + 1.8 * (card.extra_dice + card.wild_cards))
    special = (card.strike_bonus + card.stomp_bonus + card.scream_bonus) / 2
    return BONUS * min(turns, LONG) * (card.any_bonus + special + 1.2 * card.reroll)


def _gain(state: State, seat: int, target: int, turns: float) -> float:
    """The points that a capture is worth."""
    creature, enhancement = CREATURES[target], HELPS[target]
    if enhancement is not None:
        return _help(enhancement, turns - 1)
    if creature is None:
        return 0.0
    return creature.points + COUNT + (_end(state, seat, target) if creature.dragon else 0.0)


def _end(state: State, seat: int, target: int) -> float:
    """A dragon that ends the game: good for who leads, bad for who does not."""
    captured = set(chain.from_iterable(player.creatures for player in state.players))
    if not captured.issuperset(dragon for dragon in COMPONENTS.dragons if dragon != target):
        return 0.0
    piles = [(*each.creatures, target) if other == seat else each.creatures for other, each in enumerate(state.players)]
    most = max(map(len, piles))
    prize = COMPONENTS.printed.most_creatures
    bonus = prize.alone if [len(pile) for pile in piles].count(most) == 1 else prize.tied
    totals = [points_of(pile) + (bonus if len(pile) == most else 0) for pile in piles]
    own = totals.pop(seat)
    return ENDING[0] if own > max(totals) else ENDING[1]


@lru_cache(maxsize=1 << 12)
def points_of(creatures: Cards) -> int:
    """The points on the captured cards."""
    return sum(COMPONENTS.points(card) for card in creatures)


def value(state: State, seat: int) -> float:
    """The score that the seat may expect, and a little more for a lead that lasts."""
    player, turns = state.players[seat], turns_left(state)
    others = max(len(each.creatures) for other, each in enumerate(state.players) if other != seat)
    lead = max(-1.0, min(1.0, (len(player.creatures) - others) / 4))
    held = len(player.hand) * _card((), turns)
    helps = sum(_help(card, turns) for i in player.enhancements if (card := HELPS[i]))
    return points_of(player.creatures) + COUNT * len(player.creatures) + LEAD * lead / 2 + held + helps


# --------------------------------------------------------------------------------------------------- the fast player


def ranked(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:
    """The beginnings of a turn by their expected points; elsewhere the fast player's choice comes first."""
    if state.phase is Phase.TURN:
        found = _openings(state, seat)
        return sorted(found, key=lambda action: -found[action])
    first = line(state, seat, actions, random)[0]
    return [first, *(action for action in actions if action != first)]


def line(state: State, seat: int, actions: Sequence[Action], random: Random) -> Sequence[Action]:  # noqa: ARG001
    """What is worth most by the odds of the dice."""
    player = state.players[seat]
    match state.phase:
        case Phase.TURN:
            found = _openings(state, seat)
            return [max(found, key=lambda action: found[action])]
        case Phase.PLAY:
            return [_play(state, player)]
        case Phase.REROLL:
            return [_reroll(_attempt(state))]
    card = _least(player.hand)
    return [Give(card) if isinstance(actions[0], Give) else Discard(card)]


def _openings(state: State, seat: int) -> dict[Action, float]:
    player, turns = state.players[seat], turns_left(state)
    card = _card(player.hand, turns)
    gains = {target: _gain(state, seat, target, turns) for target in state.landscape}
    found: dict[Action, float] = {Reload(): card}
    best: dict[tuple[int, Attack, Cards], float] = {}
    for chance, target, attack, use, cards in tries(state, player):
        worth = chance * (gains[target] - cards * card) - (1 - chance) * card
        key = target, attack, use
        if worth > best.get(key, -99.0):
            best[key] = worth
    for (target, attack, use), worth in best.items():
        spent = sum(_help(named, turns - 1) for i in use if (named := HELPS[i]))
        found[AttackWith(target, attack, use)] = worth - spent
    return found


def _attempt(state: State) -> Attempt:
    if state.attempt is None:
        raise ValueError("no attempt is in progress")
    return state.attempt


def _chance(attempt: Attempt, cards: int) -> float:
    dice = dice_rolled(COMPONENTS, attempt.attack, cards, attempt.use)
    return odds(dice, attempt.needed - attempt.bonus, attempt.rerolls)


def _play(state: State, player: Player) -> Play:
    """Of the best number of cards those that leave most behind."""
    attempt, turns = _attempt(state), turns_left(state)
    card, gain = _card(player.hand, turns), _gain(state, state.in_turn, attempt.target, turns)

    def worth(cards: int) -> float:
        chance = _chance(attempt, cards)
        return chance * (gain - cards * card) - (1 - chance) * card

    best = max(sizes(attempt.attack, player.hand, attempt.use), key=worth)
    return Play(_fewest_ties(attempt.attack, player.hand, attempt.use, best))


@lru_cache(maxsize=1 << 14)
def _fewest_ties(attack: Attack, hand: Cards, use: Cards, size: int) -> Cards:
    sets = (cards for cards in fitting_sets(COMPONENTS, attack, hand, use) if len(cards) == size)
    return min(sets, key=lambda cards: broken(cards, hand))


@lru_cache(maxsize=1 << 14)
def _least(hand: Cards) -> int:
    return min(hand, key=lambda card: (ties(card, hand), card))


def _reroll(attempt: Attempt) -> Action:
    lowest = min(range(len(attempt.dice)), key=lambda die: attempt.dice[die])
    return Reroll(lowest) if _again(attempt) else Keep()


def _again(attempt: Attempt) -> float:
    """The chance to reach what is needed with the lowest die rolled again."""
    return face_odds(attempt.needed - attempt.total + min(attempt.dice))


# ---------------------------------------------------------------------------------------------------------- the dice


def luck(before: State, seat: int, action: Action, after: State) -> float:
    """What the dice of an attempt gave beyond its chance: that part of what hangs on it."""
    attempt = before.attempt
    if attempt is None or not isinstance(action, Play | Reroll):
        return 0.0
    cards = len(action.cards) if isinstance(action, Play) else len(attempt.cards)
    expected = _chance(attempt, cards) if isinstance(action, Play) else _again(attempt)
    if after.phase is Phase.REROLL:
        happened = _again(_attempt(after))
    else:
        player = after.players[seat]
        happened = float(attempt.target in player.creatures or attempt.target in player.enhancements)
    turns = turns_left(before)
    card = _card((), turns)
    return (happened - expected) * (_gain(before, seat, attempt.target, turns) + card - cards * card)
