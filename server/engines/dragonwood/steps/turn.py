"""A turn begins: reload, or announce an attack (A turn; Enhancements; D6, D7)."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain, combinations

from msgspec.structs import replace

from server.engines.dragonwood.actions import AttackWith, DragonwoodAction, Reload
from server.engines.dragonwood.components import Components, Creature, Enhancement, EventCard
from server.engines.dragonwood.state import Attack, Attempt, Phase, Player, State
from server.engines.dragonwood.steps.drawing import draw
from server.engines.dragonwood.steps.ending import end_turn
from server.engines.dragonwood.steps.sets import Cards, spells
from server.engines.dragonwood.steps.table import Table
from server.engines.engine import IllegalAction

_SETS = (Attack.STRIKE, Attack.STOMP, Attack.SCREAM)


def legal(components: Components, state: State, seat: int) -> list[DragonwoodAction]:
    """Reload, and every attack that some set of cards in the hand fits."""
    return [Reload(), *attacks(components, state, state.players[seat])]


def attacks(components: Components, state: State, player: Player) -> list[AttackWith]:
    """Every attack on the landscape for which the player holds a set: any single card is one, but for the spell."""
    if not player.hand:
        return []
    named = once_cards(components, player)
    spell = state.options.dragon_spell and bool(spells(components, player.hand))
    found: list[AttackWith] = []
    for target in sorted(state.landscape):
        creature = components.creature(target)
        found += _with_sets(target, named if creature else ())
        if spell and creature is not None and creature.dragon:
            spell_uses = _subsets(tuple(card for card in named if _counts_in_spell(components, card)))
            found += [AttackWith(target, Attack.SPELL, use) for use in spell_uses]
    return found


@lru_cache(maxsize=4096)
def _with_sets(target: int, named: Cards) -> tuple[AttackWith, ...]:
    return tuple(AttackWith(target, attack, use) for attack in _SETS for use in _subsets(named))


def act(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Carry out the action with which the seat begins its turn."""
    if isinstance(action, Reload):
        draw(table, seat, 1)
        if len(table.player(seat).hand) > table.components.printed.hand_limit:
            table.set_phase(Phase.HAND_LIMIT)
        else:
            end_turn(table)
    elif isinstance(action, AttackWith):
        _check(table.components, table.state, seat, action)
        attempt = announce(table.components, table.player(seat), action)
        table.state = replace(table.state, phase=Phase.PLAY, attempt=attempt)
    else:
        raise IllegalAction("a turn begins with a reload or an attack")


def announce(components: Components, player: Player, action: AttackWith) -> Attempt:
    """The attempt before its cards are played, with its bonus and what dice and bonus have to reach."""
    target = components.cards[action.target]
    held: list[Enhancement] = []
    if isinstance(target, Creature):  # no enhancement helps to capture one of its kind
        before_player = ((i, components.enhancement(i)) for i in player.enhancements)
        held = [card for i, card in before_player if card and (not card.once or i in action.use)]
    return Attempt(
        attack=action.attack,
        target=action.target,
        use=action.use,
        bonus=sum(bonus_of(card, action.attack) for card in held),
        needed=needed(components, action.target, action.attack),
        rerolls=sum(card.reroll for card in held),
        cards=(),
        dice=(),
    )


def needed(components: Components, target: int, attack: Attack) -> int:
    """What dice and bonus have to reach to capture this creature or enhancement by the attack."""
    if attack is Attack.SPELL:
        return components.printed.spell.needed
    card = components.cards[target]
    if isinstance(card, EventCard):
        raise AssertionError("an event never lies in the landscape")
    if attack is Attack.STRIKE:
        return card.strike
    return card.stomp if attack is Attack.STOMP else card.scream


def bonus_of(card: Enhancement, attack: Attack) -> int:
    """What the enhancement adds to an attack; to a spell only what it adds to any attempt (D6)."""
    if attack is Attack.STRIKE:
        return card.any_bonus + card.strike_bonus
    if attack is Attack.STOMP:
        return card.any_bonus + card.stomp_bonus
    if attack is Attack.SCREAM:
        return card.any_bonus + card.scream_bonus
    return card.any_bonus


def once_cards(components: Components, player: Player) -> Cards:
    """The player's enhancements that are named and used up, ascending."""
    return tuple(sorted(i for i in player.enhancements if (card := components.enhancement(i)) and card.once))


def _subsets(cards: Cards) -> list[Cards]:
    return sorted(chain.from_iterable(combinations(cards, size) for size in range(len(cards) + 1)))


def _counts_in_spell(components: Components, card: int) -> bool:
    found = components.enhancement(card)
    return found is not None and not found.extra_dice and not found.wild_cards


def _check(components: Components, state: State, seat: int, action: AttackWith) -> None:
    player = state.players[seat]
    if action.target not in state.landscape:
        raise IllegalAction("only a card of the landscape can be attacked")
    if not player.hand:
        raise IllegalAction("an attack needs at least one card in hand")
    creature = components.creature(action.target)
    if creature is None and action.use:
        raise IllegalAction("no enhancement helps to capture an enhancement")
    if not set(action.use).issubset(once_cards(components, player)):
        raise IllegalAction("only enhancements before you that are used once can be named")
    if list(action.use) != sorted(set(action.use)):
        raise IllegalAction("the enhancements in use are named once each, in ascending order")
    if action.attack is Attack.SPELL:
        _check_spell(components, state, player, action)


def _check_spell(components: Components, state: State, player: Player, action: AttackWith) -> None:
    if not state.options.dragon_spell:
        raise IllegalAction("this game is played without the dragon spell")
    if action.target not in components.dragons:
        raise IllegalAction("the dragon spell works against dragons only")
    if not all(_counts_in_spell(components, card) for card in action.use):
        raise IllegalAction("neither an extra die nor a wild card can be used in a dragon spell")
    if not spells(components, player.hand):
        raise IllegalAction("a dragon spell needs consecutive cards of one colour")
