"""The game as its engine: set-up, who decides, what is legal, what an action does, the result. See RULES.md."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import msgspec

from server.engines.dice import Dice
from server.engines.dragonwood.actions import DragonwoodAction, DragonwoodEvent, Keep, Play, Reload
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.imagining import imagine
from server.engines.dragonwood.possible import check
from server.engines.dragonwood.state import Attack, Options, Phase, State
from server.engines.dragonwood.steps import attempt, ending, hand_limit, set_up, storm, turn
from server.engines.dragonwood.steps.table import Table
from server.engines.dragonwood.views import PrivateView, PublicView, Views
from server.engines.engine import Action, Event, IllegalAction, Result, with_turn

_LEGAL: dict[Phase, Callable[[Components, State, int], Sequence[DragonwoodAction]]] = {
    Phase.TURN: turn.legal,
    Phase.PLAY: attempt.legal_plays,
    Phase.REROLL: attempt.legal_rerolls,
    Phase.WOUND: hand_limit.legal,
    Phase.HAND_LIMIT: hand_limit.legal,
    Phase.EVENT: storm.legal,
}
_ACT: dict[Phase, Callable[[Table, int, DragonwoodAction], None]] = {
    Phase.TURN: turn.act,
    Phase.PLAY: attempt.play,
    Phase.REROLL: attempt.reroll,
    Phase.WOUND: attempt.wound,
    Phase.HAND_LIMIT: hand_limit.discard,
    Phase.EVENT: storm.choose,
}


class DragonwoodEngine:
    """Dragonwood, played with the given components."""

    name = "dragonwood"
    title = "Dragonwood"
    rules = "1.0.0"
    options: type[msgspec.Struct] = Options
    actions: object = DragonwoodAction
    events: object = DragonwoodEvent
    views: tuple[type, type] = (PublicView, PrivateView)

    def __init__(self, components: Components) -> None:
        self.components = components
        self.seats = components.seats
        self._views = Views(components)

    def turn(self, state: State) -> tuple[int, str]:
        """The number of the turn and the phase."""
        return state.number, state.phase.value

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        """The state after set-up."""
        if seats not in self.seats or not isinstance(options, Options):
            raise ValueError("not a number of seats or not options of this game")
        return set_up.set_up(self.components, seats, options, dice)

    def deciding(self, state: State) -> tuple[int, ...]:
        """The player in turn; in a storm all who still choose; after a Sunny Day the first hand over the limit."""
        if state.phase is Phase.OVER:
            return ()
        if state.phase is Phase.EVENT:
            return storm.choosing(state)
        if state.phase is Phase.HAND_LIMIT:
            seat = hand_limit.over_limit(self.components, state)
            return () if seat is None else (seat,)
        return (state.in_turn,)

    def decision(self, state: State, seat: int) -> Hashable:
        """Turn, phase, event; for a hand over the limit also its size, as each discard is a decision of its own."""
        event = None if state.event is None else state.event.card
        left = len(state.players[seat].hand) if state.phase is Phase.HAND_LIMIT else None
        return state.number, state.phase, event, left

    def legal_actions(self, state: State, seat: int) -> Sequence[DragonwoodAction]:
        """Every legal action in the order of RULES.md, "Actions"."""
        if seat not in self.deciding(state):
            return ()
        return _LEGAL[state.phase](self.components, state, seat)

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        """The state after the action and what happened.

        Raises:
            IllegalAction: the rules forbid it.
        """
        if state.phase is Phase.OVER:
            raise IllegalAction("the game is over")
        if seat not in self.deciding(state):
            raise IllegalAction("it is not yours to decide now")
        if not isinstance(action, DragonwoodAction):
            raise IllegalAction("there is no such action in Dragonwood")
        table = Table(self.components, state, dice)
        _ACT[state.phase](table, seat, action)
        return table.state, table.events

    def default_action(self, state: State, seat: int) -> DragonwoodAction:
        """Reload; the lowest single card, or the first spell; keep; else the lowest card."""
        if state.phase is Phase.TURN:
            return Reload()
        if state.phase is Phase.REROLL:
            return Keep()
        if state.phase is Phase.PLAY and state.attempt is not None and state.attempt.attack is not Attack.SPELL:
            return Play(state.players[seat].hand[:1])
        return self.legal_actions(state, seat)[0]

    def public_view(self, state: State) -> Mapping[str, object]:
        """What everybody may see."""
        return self._views.public(state)

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        """What only `seat` may see besides."""
        return self._views.private(state, seat)

    def result(self, state: State) -> Result | None:
        """Scores, ranks and reason once the game is over."""
        return ending.result(self.components, state)

    def dump(self, state: State) -> dict[str, object]:
        """The complete state as JSON-able data."""
        data: dict[str, object] = msgspec.to_builtins(state)
        return data

    def load(self, data: Mapping[str, object]) -> State:
        """The state that `dump` wrote.

        Raises:
            ValueError: not a possible state; says what is wrong.
        """
        try:
            state = msgspec.convert(data, State)
        except msgspec.ValidationError as error:
            raise ValueError(f"not a state: {error}") from error
        check(self.components, state)
        return state

    def imagine(
        self,
        public: Mapping[str, object],
        private: Mapping[str, object] | None,
        seats: int,
        options: msgspec.Struct,
        dice: Dice,
    ) -> State:
        """A possible full state behind these views.

        Raises:
            ValueError: there is none.
        """
        if not isinstance(options, Options):
            raise ValueError("not options of this game")
        state = imagine(self.components, public, private, options, dice)
        if len(state.players) != seats:
            raise ValueError("a view of a game with another number of seats")
        check(self.components, state)
        if not self._views.shows(state, public, private):
            raise ValueError("views that no state has")
        return state

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """`imagine` from the present views of `seat`."""
        own = None if seat is None else {**self.private_view(state, seat), "seat": seat}
        public = with_turn(self.public_view(state), self.turn(state))
        return self.imagine(public, own, len(state.players), state.options, dice)
