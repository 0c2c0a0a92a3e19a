"""Lay an egg (RULES.md, "Move"): with one to guard a resource, or, when none is left, from a guarded resource."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Action, Event
from server.engines.islet.actions import EggLaid, Guard, Guarded, LayEgg, Unguard, Unguarded, pay_of, payment_of
from server.engines.islet.components import KIND_OF, KINDS, Components
from server.engines.islet.state import Ending, Payment, Phase, Player, Reason, State
from server.engines.islet.steps import Outcome, require
from server.engines.islet.steps.payment import Purse, changed, ways
from server.engines.islet.steps.tide import finish
from server.engines.islet.steps.turns import foresee
from server.engines.islet.steps.walking import spent

SECOND_EGG = 2  # the egg laid and the egg that guards


def layings(components: Components, state: State) -> list[Action]:
    """Every way to lay an egg on the tile stood on."""
    if _obstacle(state) is not None:
        return []
    return [LayEgg(pay_of(payment)) for payment in _payments(components, state)]


def _obstacle(state: State) -> str | None:
    player = state.player
    if player.bird is None:
        return "A bird in the ocean lays no egg."
    if state.board.at[player.bird].egg is not None:
        return "An egg lies on this tile."
    if player.bird in state.others():
        return "Another bird is on this tile."
    if not player.eggs and not player.guards:
        return "You have no egg left."
    return None


def _payments(components: Components, state: State) -> tuple[Payment, ...]:
    assert state.player.bird is not None
    top = state.board.at[state.player.bird].top
    return ways(components, Purse.of(state), components.tile_kinds[top].nest)


def lay_egg(components: Components, state: State, action: LayEgg, _: Dice) -> Outcome:
    """Pay for an egg; it lies at once, or after the choice of the guarded resource that gives it up."""
    rule = _obstacle(state)
    require(rule is None, rule or "")
    payment = payment_of(action.pay)
    require(
        payment in _payments(components, state),
        "This doesn't pay exactly for an egg on the nest of this tile with what you have.",
    )
    player = spent(state.player, payment)
    assert player.bird is not None
    state = replace(
        state,
        players=state.with_player(player),
        piles=Purse.of(state).without(payment).piles,
        trail=(player.bird,),
    )
    if not player.eggs:
        return replace(state, phase=Phase.UNGUARD, paid=payment), []
    return _lay(components, state, player, payment)


def _lay(components: Components, state: State, player: Player, payment: Payment) -> Outcome:
    """An available egg goes on the tile; with a second one and a card to guard, that is chosen next (D4, D7)."""
    player = replace(player, eggs=player.eggs - 1)
    guards = player.eggs >= SECOND_EGG - 1 and guardable(components, state)
    phase = Phase.GUARD if guards else Phase.MOVE
    return _place(components, replace(state, phase=phase, players=state.with_player(player)), payment)


def _place(components: Components, state: State, payment: Payment) -> Outcome:
    """The egg lies on the tile. The seat's last one makes this the last round; in solo all of them end the game."""
    cell = state.player.bird
    assert cell is not None
    stack = replace(state.board.at[cell], egg=state.seat)
    state = replace(state, board=state.board.with_stack(stack), busy=state.solo is None)
    events = [Event(EggLaid(state.seat, *cell, stack.level, pay_of(payment)))]
    if state.player.eggs or state.player.guards:
        return state, events
    state, more = finish(components, state) if state.solo else foresee(state, Ending(state.round, Reason.EGGS))
    return state, events + more


def guardable(components: Components, state: State) -> list[Action]:
    """The kinds that have a card to guard and of which the player doesn't guard the most allowed."""
    player = state.player
    return [
        Guard(KINDS[kind])
        for kind, (pile, kept, flat) in enumerate(zip(state.piles, player.guarded, player.used, strict=True))
        if pile and kept + flat < components.guarded_per_kind
    ]


def guard(components: Components, state: State, action: Guard, _: Dice) -> Outcome:
    """Put the second egg on a card from its pile; it counts this turn already."""
    kind = KIND_OF[action.resource]
    player = state.player
    most = components.guarded_per_kind
    require(player.guarded[kind] + player.used[kind] < most, f"At most {most} resources of a kind are guarded.")
    require(state.piles[kind] > 0, f"The {action.resource} pile is empty.")
    player = replace(player, guarded=changed(player.guarded, kind, 1), eggs=player.eggs - 1)
    piles = changed(state.piles, kind, -1)
    state = replace(state, phase=Phase.MOVE, players=state.with_player(player), piles=piles)
    return state, [Event(Guarded(state.seat, action.resource))]


def givers(state: State) -> list[Action]:
    """The guarded resources that can give up their egg, used this turn or not."""
    player = state.player
    return [
        Unguard(KINDS[kind], used)
        for kind, counts in enumerate(zip(player.guarded, player.used, strict=True))
        for used, count in zip((False, True), counts, strict=True)
        if count
    ]


def unguard(components: Components, state: State, action: Unguard, _: Dice) -> Outcome:
    """A guarded resource returns to its pile, and its egg goes on the tile."""
    kind = KIND_OF[action.resource]
    player = state.player
    kept = player.used if action.used else player.guarded
    require(kept[kind] > 0, f"You guard no {action.resource} that is {'used' if action.used else 'unused'} this turn.")
    kept = changed(kept, kind, -1)
    player = replace(player, used=kept) if action.used else replace(player, guarded=kept)
    payment = state.paid
    assert payment is not None
    state = replace(
        state,
        phase=Phase.MOVE,
        players=state.with_player(player),
        piles=changed(state.piles, kind, 1),
        paid=None,
    )
    event = Event(Unguarded(state.seat, action.resource, action.used))
    state, more = _place(components, state, payment)
    return state, [event, *more]
