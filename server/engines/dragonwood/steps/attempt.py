"""An attempt: the cards are played, the dice roll, one die may be rolled again, a miss wounds (A turn; D5)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dragonwood.actions import (
    AttackWith,
    Attempted,
    Captured,
    Discard,
    DragonwoodAction,
    Keep,
    Play,
    Reroll,
    Rerolled,
    Wounded,
)
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import Attack, Attempt, Phase, State
from server.engines.dragonwood.steps.ending import dragons_captured, end_game, end_turn
from server.engines.dragonwood.steps.landscape import refill
from server.engines.dragonwood.steps.sets import dice_rolled, fits, fitting_sets
from server.engines.dragonwood.steps.table import Table, without
from server.engines.dragonwood.steps.turn import announce, attacks
from server.engines.engine import IllegalAction


def legal_plays(components: Components, state: State, seat: int) -> list[DragonwoodAction]:
    """Every set of cards that fits the announced attack."""
    attempt = _in_progress(state)
    hand = state.players[seat].hand
    return [Play(cards) for cards in fitting_sets(components, attempt.attack, hand, attempt.use)]


def play(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Lay the cards on the table, use up what was named, roll."""
    if not isinstance(action, Play):
        raise IllegalAction("the attack is announced: now play cards for it")
    attempt = _in_progress(table.state)
    cards = action.cards
    _check(table.components, table.state.players[seat].hand, attempt, cards)
    player = table.player(seat)
    table.set_player(
        seat,
        replace(
            player,
            hand=tuple(card for card in player.hand if card not in cards),
            enhancements=tuple(card for card in player.enhancements if card not in attempt.use),
        ),
    )
    count = dice_rolled(table.components, attempt.attack, len(cards), attempt.use)
    attempt = replace(attempt, cards=cards, dice=tuple(_roll(table) for _ in range(count)))
    table.state = replace(table.state, attempt=attempt, gone=table.state.gone + attempt.use)
    success = attempt.total >= attempt.needed
    table.tell(
        Attempted(
            seat=seat,
            target=attempt.target,
            attack=attempt.attack,
            use=attempt.use,
            cards=cards,
            dice=attempt.dice,
            bonus=attempt.bonus,
            total=attempt.total,
            needed=attempt.needed,
            success=success,
        ),
        reveals=True,
    )
    _settle(table, seat)


def legal_rerolls(_components: Components, state: State, _seat: int) -> list[DragonwoodAction]:
    """Each die, or none."""
    return [*(Reroll(die) for die in range(len(_in_progress(state).dice))), Keep()]


def reroll(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Roll one die again, or let the miss stand."""
    attempt = _in_progress(table.state)
    if isinstance(action, Keep):
        _fail(table, seat)
        return
    if not isinstance(action, Reroll):
        raise IllegalAction("the roll missed: roll one die again or keep the roll")
    die = action.die
    if not 0 <= die < len(attempt.dice):
        raise IllegalAction("there is no such die on the table")
    dice = (*attempt.dice[:die], _roll(table), *attempt.dice[die + 1 :])
    attempt = replace(attempt, dice=dice, rerolls=attempt.rerolls - 1)
    table.state = replace(table.state, attempt=attempt)
    table.tell(Rerolled(seat, die, dice, attempt.total, attempt.total >= attempt.needed), reveals=True)
    _settle(table, seat)


def wound(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Discard a card of choice for the failed attempt."""
    if not isinstance(action, Discard):
        raise IllegalAction("the attempt failed: discard a card as a wound")
    if action.card not in table.player(seat).hand:
        raise IllegalAction("only a card in your hand can be discarded")
    table.discard_from_hand(seat, action.card)
    table.tell(Wounded(seat, action.card))
    end_turn(table)


def _in_progress(state: State) -> Attempt:
    if state.attempt is None:
        raise AssertionError(f"phase {state.phase} without an attempt")
    return state.attempt


def _check(components: Components, hand: tuple[int, ...], attempt: Attempt, cards: tuple[int, ...]) -> None:
    if list(cards) != sorted(set(cards)):
        raise IllegalAction("the cards are named once each, in ascending order")
    if not set(cards).issubset(hand):
        raise IllegalAction("only cards in your hand can be played")
    if not fits(components, attempt.attack, cards, attempt.use):
        raise IllegalAction(_WHAT_FITS[attempt.attack])


_WHAT_FITS = {
    Attack.STRIKE: "a strike takes consecutive numbers, and no more cards than there are dice for",
    Attack.STOMP: "a stomp takes cards of the same number, and no more than there are dice for",
    Attack.SCREAM: "a scream takes cards of the same colour, and no more than there are dice for",
    Attack.SPELL: "a dragon spell takes its number of consecutive cards of one colour",
}


def _roll(table: Table) -> int:
    faces = table.components.printed.die
    return faces[table.dice.below(len(faces))]


def _settle(table: Table, seat: int) -> None:
    """After a roll: capture, offer the re-roll, or fail."""
    attempt = _in_progress(table.state)
    if attempt.total >= attempt.needed:
        _capture(table, seat, attempt)
    elif attempt.rerolls:
        table.set_phase(Phase.REROLL)
    else:
        _fail(table, seat)


def _capture(table: Table, seat: int, attempt: Attempt) -> None:
    card = attempt.target
    player = table.player(seat)
    if table.components.creature(card):
        table.set_player(seat, replace(player, creatures=(*player.creatures, card)))
    else:
        table.set_player(seat, replace(player, enhancements=(*player.enhancements, card)))
    table.state = replace(
        table.state,
        attempt=None,
        discard=table.state.discard + attempt.cards,
        landscape=without(table.state.landscape, card),
    )
    table.tell(Captured(seat, card))
    if dragons_captured(table.components, table.state):
        end_game(table)
    else:
        refill(table)


def _fail(table: Table, seat: int) -> None:
    """The played cards come back before the wound is chosen (D5)."""
    player = table.player(seat)
    back = tuple(sorted(player.hand + _in_progress(table.state).cards))
    table.set_player(seat, replace(player, hand=back))
    table.state = replace(table.state, attempt=None, phase=Phase.WOUND)


def possible_attempt(components: Components, state: State, attempt: Attempt) -> bool:
    """Whether the attempt can be in progress: announced, or rolled, missed and open to a re-roll."""
    player = state.players[state.in_turn]
    rolled = state.phase is Phase.REROLL
    hand = tuple(sorted(player.hand + attempt.cards))
    before = replace(player, hand=hand, enhancements=player.enhancements + (attempt.use if rolled else ()))
    attack = AttackWith(attempt.target, attempt.attack, attempt.use)
    if attack not in attacks(components, state, before):
        return False
    if announce(components, before, attack) != replace(attempt, cards=(), dice=()):
        return False
    if not rolled:
        return not attempt.cards and not attempt.dice
    return (
        attempt.cards in fitting_sets(components, attempt.attack, hand, attempt.use)
        and len(attempt.dice) == dice_rolled(components, attempt.attack, len(attempt.cards), attempt.use)
        and all(face in components.printed.die for face in attempt.dice)
        and attempt.total < attempt.needed
        and attempt.rerolls > 0
        and all(card in state.gone for card in attempt.use)
    )
