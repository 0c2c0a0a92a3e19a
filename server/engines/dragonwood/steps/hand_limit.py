"""Discards down to the hand limit, one card at a time: after a reload, and after a Sunny Day (D3)."""

from __future__ import annotations

from server.engines.dragonwood.actions import Discard, Discarded, DragonwoodAction
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import State
from server.engines.dragonwood.steps.ending import end_turn
from server.engines.dragonwood.steps.landscape import refill
from server.engines.dragonwood.steps.table import Table
from server.engines.engine import IllegalAction


def over_limit(components: Components, state: State) -> int | None:
    """The first seat, clockwise from the player in turn, with more cards than the limit."""
    limit = components.printed.hand_limit
    return next((seat for seat in state.clockwise if len(state.players[seat].hand) > limit), None)


def legal(_components: Components, state: State, seat: int) -> list[DragonwoodAction]:
    """Each card of the hand; a wound is chosen likewise."""
    return [Discard(card) for card in state.players[seat].hand]


def discard(table: Table, seat: int, action: DragonwoodAction) -> None:
    """Discard one card; when no hand is over the limit any more, the refill or the turn goes on."""
    if not isinstance(action, Discard):
        raise IllegalAction("your hand is over the limit: discard a card")
    if action.card not in table.player(seat).hand:
        raise IllegalAction("only a card in your hand can be discarded")
    table.discard_from_hand(seat, action.card)
    done = over_limit(table.components, table.state) is None
    sunny = table.state.event is not None
    table.tell(Discarded(seat, action.card), reveals=done and sunny)
    if done and sunny:
        refill(table)
    elif done:
        end_turn(table)
