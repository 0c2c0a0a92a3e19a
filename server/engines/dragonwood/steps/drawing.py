"""Drawing adventurers: Ladybugs, the reshuffle, and how the deck runs out (Decks, end and score; D2, D11, D13)."""

from __future__ import annotations

from itertools import chain

from msgspec.structs import replace

from server.engines.dragonwood.actions import Drew, LadybugDrawn, LastTurns, Reshuffled
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import State
from server.engines.dragonwood.steps.table import Table


def draw(table: Table, seat: int, count: int) -> None:
    """Let the seat draw `count` cards; each Ladybug is discarded at once for more draws."""
    drawn: list[int] = []
    owed = count
    while owed and _anything_to_draw(table.components, table.state):
        card = _take_top(table)
        owed -= 1
        if card >= table.components.first_ladybug:
            table.state = replace(table.state, discard=(*table.state.discard, card))
            table.tell(LadybugDrawn(seat, card), reveals=True)
            owed += table.components.printed.adventurers.ladybug_draws
        else:
            drawn.append(card)
    if drawn:
        player = table.player(seat)
        table.set_player(seat, replace(player, hand=tuple(sorted((*player.hand, *drawn)))))
    fuller = Drew(seat, len(drawn), tuple(sorted(drawn)))  # no more than the new hand shows
    table.tell_more(Drew(seat, len(drawn)), fuller, (seat,), reveals=True)


def _anything_to_draw(components: Components, state: State) -> bool:
    """D13: whether deck and discard pile hold anything but Ladybugs."""
    return any(card < components.first_ladybug for card in chain(state.adventurers, state.discard))


def _take_top(table: Table) -> int:
    if not table.state.adventurers:
        deck = tuple(table.dice.shuffle(sorted(table.state.discard)))
        table.state = replace(table.state, adventurers=deck, discard=())
        table.tell(Reshuffled(len(deck)), reveals=True)
    rest, card = table.state.adventurers[:-1], table.state.adventurers[-1]
    table.state = replace(table.state, adventurers=rest)
    if not rest:
        _run_out(table)
    return card


def _run_out(table: Table) -> None:
    """D2, D4, D11: count that the deck ran out; the last time fixes the number of the game's last turn."""
    state = table.state
    if state.ran_out == table.components.printed.decks_until_end:
        return
    table.state = state = replace(state, ran_out=state.ran_out + 1)
    if state.ran_out < table.components.printed.decks_until_end:
        return
    more = len(state.players) if state.options.last_turn_each else 0
    table.state = replace(state, final_turn=state.number + more)
    if more:
        table.tell(LastTurns())
