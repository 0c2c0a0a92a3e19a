"""The table while one action is carried out: what the state has become so far, what happened, and the dice."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import Phase, Player, State
from server.engines.engine import Event, EventBody


class Table:
    """One action in progress. `state` is replaced step by step; the state it started from stays as it was."""

    __slots__ = ("components", "dice", "events", "state")

    def __init__(self, components: Components, state: State, dice: Dice) -> None:
        self.components = components
        self.state = state
        self.dice = dice
        self.events: list[Event] = []

    def tell(self, body: EventBody, *, reveals: bool = False) -> None:
        """Tell everybody."""
        self.events.append(Event(body, reveals=reveals))

    def tell_more(self, public: EventBody, fuller: EventBody, seats: tuple[int, ...], *, reveals: bool) -> None:
        """Tell everybody, and these seats the fuller form."""
        self.events.append(Event(public, tuple((seat, fuller) for seat in seats), reveals))

    def player(self, seat: int) -> Player:
        """What the seat holds now."""
        return self.state.players[seat]

    def set_player(self, seat: int, player: Player) -> None:
        """Put `player` in the place of what the seat held."""
        players = self.state.players
        self.state = replace(self.state, players=(*players[:seat], player, *players[seat + 1 :]))

    def set_phase(self, phase: Phase) -> None:
        """Ask for the decisions of this phase next."""
        self.state = replace(self.state, phase=phase)

    def discard_from_hand(self, seat: int, card: int) -> None:
        """Move a card from a hand onto the discard pile."""
        player = self.player(seat)
        self.set_player(seat, replace(player, hand=without(player.hand, card)))
        self.state = replace(self.state, discard=(*self.state.discard, card))


def without(cards: tuple[int, ...], card: int) -> tuple[int, ...]:
    """The cards less one of them."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
