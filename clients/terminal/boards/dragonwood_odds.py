"""What an attack of Dragonwood can come to: the most dice that the hand gives, and the chance of a hit.

By the rules themselves and by what the viewer sees; nothing is known here that a player could not work out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clients.bots.greedy.dragonwood import odds
from server.engines.dragonwood.actions import AttackWith
from server.engines.dragonwood.components import load
from server.engines.dragonwood.state import Attack, Player
from server.engines.dragonwood.steps.sets import dice_rolled, fitting_sets
from server.engines.dragonwood.steps.turn import announce

COMPONENTS = load()


def of_attack(state: Mapping[str, Any], action: Mapping[str, Any]) -> str:
    """The odds of an attack of the viewer's, with the most cards that fit it."""
    hand, seat = tuple(state["you"]["hand"]), state["game"]["seats"][state["you"]["seat"]]
    held = tuple(card["card"] for card in seat["enhancements"])
    attack = AttackWith(action["target"], Attack(action["attack"]), tuple(action["use"]))
    attempt = announce(COMPONENTS, Player(hand, held, ()), attack)
    cards = max((len(cards) for cards in fitting_sets(COMPONENTS, attack.attack, hand, attack.use)), default=0)
    dice = dice_rolled(COMPONENTS, attack.attack, cards, attack.use)
    most = "" if dice == 1 or attack.attack is Attack.SPELL else "up to "
    return f"{most}{_dice(dice)}, {_chance(dice, attempt.needed - attempt.bonus, attempt.rerolls)}"


def of_play(attempt: Mapping[str, Any], cards: int) -> str:
    """The odds of the attempt with so many cards."""
    dice = dice_rolled(COMPONENTS, Attack(attempt["attack"]), cards, tuple(attempt["use"]))
    return f"{_dice(dice)}, {_chance(dice, attempt['needed'] - attempt['bonus'], attempt['rerolls'])}"


def _dice(dice: int) -> str:
    return f"{dice} {'die' if dice == 1 else 'dice'}"


def _chance(dice: int, needed: int, rerolls: int) -> str:
    """In whole per cent; 0 and 100 are said only of what can't, or must, be."""
    chance = odds(dice, needed, rerolls)
    return f"{chance:.0%}" if chance in (0.0, 1.0) else f"{min(99, max(1, round(chance * 100)))}%"
