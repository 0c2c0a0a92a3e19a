"""The storms: every seat with cards chooses one, in any order and unseen; then all choices happen together (Events)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dragonwood.actions import Discard, Discarded, DragonwoodAction, Give, Passed
from server.engines.dragonwood.components import Components, EventCard
from server.engines.dragonwood.state import EventInProgress, State
from server.engines.dragonwood.steps.landscape import refill
from server.engines.dragonwood.steps.table import Table, without
from server.engines.engine import IllegalAction


def choosing(state: State) -> tuple[int, ...]:
    """The seats that still have to choose; an empty hand has nothing to choose."""
    choices = _in_progress(state).choices
    return tuple(seat for seat, player in enumerate(state.players) if player.hand and choices[seat] is None)


def legal(components: Components, state: State, seat: int) -> list[DragonwoodAction]:
    """Each card of the hand."""
    action = Give if _storm(components, state).pass_right else Discard
    return [action(card) for card in state.players[seat].hand]


def choose(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Note the choice; the last one lets the storm happen."""
    wind = bool(_storm(table.components, table.state).pass_right)
    if not isinstance(action, Discard | Give) or isinstance(action, Give) is not wind:
        raise IllegalAction(
            "the storm makes everybody give a card to the right" if wind else "the storm makes everybody discard a card"
        )
    if action.card not in table.player(seat).hand:
        raise IllegalAction("only a card in your hand can be chosen")
    event = _in_progress(table.state)
    choices = (*event.choices[:seat], action.card, *event.choices[seat + 1 :])
    table.state = replace(table.state, event=replace(event, choices=choices))
    if choosing(table.state):
        return
    if wind:
        _pass_right(table, choices)
    else:
        _discard(table, choices)
    refill(table)


def _discard(table: Table, choices: tuple[int | None, ...]) -> None:
    for seat in table.state.clockwise:
        card = choices[seat]
        if card is not None:
            table.discard_from_hand(seat, card)
            table.tell(Discarded(seat, card), reveals=True)


def _pass_right(table: Table, choices: tuple[int | None, ...]) -> None:
    """All cards move at once, each to the seat before its owner's."""
    moves = [
        (seat, (seat - 1) % len(choices), card) for seat in table.state.clockwise if (card := choices[seat]) is not None
    ]
    for seat, _, card in moves:
        player = table.player(seat)
        table.set_player(seat, replace(player, hand=without(player.hand, card)))
    for seat, receiver, card in moves:
        player = table.player(receiver)
        table.set_player(receiver, replace(player, hand=tuple(sorted((*player.hand, card)))))
        fuller = Passed(seat, receiver, card)
        table.tell_more(Passed(seat, receiver), fuller, (seat, receiver), reveals=True)


def _in_progress(state: State) -> EventInProgress:
    if state.event is None:
        raise AssertionError(f"phase {state.phase} without an event")
    return state.event


def _storm(components: Components, state: State) -> EventCard:
    event = components.event(_in_progress(state).card)
    if event is None:
        raise AssertionError("the event in progress is no event")
    return event
