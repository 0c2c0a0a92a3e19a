"""The landscape is refilled, and what turns up in it happens: the four events (Events; D3).

An event is finished, choices included, before the refill goes on: where it needs decisions, `refill` leaves the event
in the state, and whoever takes the last of them calls `refill` again.
"""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dragonwood.actions import EventTurnedUp, Removed, TurnedUp
from server.engines.dragonwood.components import EventCard
from server.engines.dragonwood.state import EventInProgress, Phase
from server.engines.dragonwood.steps.drawing import draw
from server.engines.dragonwood.steps.ending import end_turn
from server.engines.dragonwood.steps.table import Table


def refill(table: Table) -> None:
    """Turn up cards until the landscape is full or the deck empty, then end the turn; stop where seats must decide."""
    if table.state.event is not None:
        table.state = replace(table.state, event=None)
    while len(table.state.landscape) < table.components.printed.landscape and table.state.dragonwood:
        *rest, card = table.state.dragonwood
        table.state = replace(table.state, dragonwood=tuple(rest))
        event = table.components.event(card)
        if event is None:
            table.state = replace(table.state, landscape=(*table.state.landscape, card))
            table.tell(TurnedUp(card), reveals=True)
            continue
        table.state = replace(table.state, gone=(*table.state.gone, card))
        table.tell(EventTurnedUp(card, event.name), reveals=True)
        if _take_effect(table, event, card):
            return
    end_turn(table)


def _take_effect(table: Table, event: EventCard, card: int) -> bool:
    """Let the event happen; True where seats now have to decide."""
    if event.removes is not None:
        _quicksand(table)
        return False
    if event.draw:
        for seat in table.state.clockwise:
            draw(table, seat, event.draw)
        limit = table.components.printed.hand_limit
        waits = any(len(player.hand) > limit for player in table.state.players)
        phase = Phase.HAND_LIMIT
    else:
        waits = any(player.hand for player in table.state.players)
        phase = Phase.EVENT
    if waits:
        in_progress = EventInProgress(card, (None,) * len(table.state.players))
        table.state = replace(table.state, phase=phase, event=in_progress)
    return waits


def _quicksand(table: Table) -> None:
    state = table.state
    sinking = tuple(card for card in state.landscape if table.components.enhancement(card))
    staying = tuple(card for card in state.landscape if card not in sinking)
    table.state = replace(state, landscape=staying, gone=state.gone + sinking)
    table.tell(Removed(sinking))
