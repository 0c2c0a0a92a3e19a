"""The engine of Islet: set-up, and the dispatcher from phases and actions to the steps of the rules."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeAlias, cast

import msgspec

from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction, Result, with_turn
from server.engines.islet import checks
from server.engines.islet.actions import (
    Guard,
    IsletAction,
    IsletEvent,
    LayEgg,
    LayTile,
    Pass,
    Return,
    Stop,
    Unguard,
    Walk,
)
from server.engines.islet.components import MOST_SEATS, NONE, Components
from server.engines.islet.imagine import imagine
from server.engines.islet.state import Board, Options, Phase, Player, SoloDeck, Stack, State
from server.engines.islet.steps import Outcome, eggs, explore, scoring, turns, walking
from server.engines.islet.views import PrivateView, PublicView, Views

Step: TypeAlias = Callable[[Components, State, Any, Dice], Outcome]

STEPS: Mapping[Phase, Mapping[type[Action], Step]] = {
    Phase.TURN: {
        LayTile: explore.lay_tile,
        Walk: walking.walk,
        LayEgg: eggs.lay_egg,
        Pass: turns.pass_turn,
    },
    Phase.EXPLORE: {LayTile: explore.lay_tile, Stop: explore.stop},
    Phase.MOVE: {Walk: walking.walk, LayEgg: eggs.lay_egg, Stop: walking.stop},
    Phase.GUARD: {Guard: eggs.guard},
    Phase.UNGUARD: {Unguard: eggs.unguard},
    Phase.RETURN: {Return: explore.return_card},
    Phase.OVER: {},
}

NOW: Mapping[Phase, str] = {
    Phase.TURN: "A turn begins with a tile, a walk or an egg; it is passed only when there is none of these.",
    Phase.EXPLORE: "A turn that explores lays further tiles or stops.",
    Phase.MOVE: "A turn that moves walks, lays eggs or stops.",
    Phase.GUARD: "Now choose the resource that the second egg guards.",
    Phase.UNGUARD: "Now choose the guarded resource that gives up its egg.",
    Phase.RETURN: "Now return a card: there are more unguarded ones than you may keep.",
    Phase.OVER: "The game is over.",
}


class IsletEngine:
    """Islet by one set of components."""

    name = "islet"
    title = "Islet"
    rules = "1.0.0"
    seats = range(1, MOST_SEATS + 1)
    options: type[msgspec.Struct] = Options
    actions: object = IsletAction
    events: object = IsletEvent
    views: tuple[type, type] = (PublicView, PrivateView)

    def __init__(self, components: Components) -> None:
        """`components`: checked ones."""
        self.components = components
        self._views = Views(components)

    def turn(self, state: State) -> tuple[int, str]:
        """The number of the turn in the game, and the phase."""
        return state.number, state.phase.value

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:  # noqa: ARG002 - there are none
        """The hexagon is laid, tiles are dealt, in solo the day-and-night deck is shuffled (RULES.md, "Dice")."""
        c = self.components
        bag = dice.shuffle(range(len(c.tile_kinds)))
        stacks = [Stack(*cell, (bag.pop(),), None) for cell in c.start]
        hands = [tuple(sorted(bag.pop() for _ in range(c.hand))) for _ in range(seats)]
        deck = SoloDeck(1, tuple(dice.shuffle(range(c.solo.cards))), ()) if seats == 1 else None
        return State(
            phase=Phase.TURN,
            number=1,
            players=tuple(Player(None, NONE, NONE, NONE, c.eggs_of(seats), hand) for hand in hands),
            board=Board(tuple(sorted(stacks, key=lambda stack: stack.cell))),
            piles=c.pile_sizes,
            bag=tuple(bag),
            trail=(),
            paid=None,
            ending=None,
            idle=0,
            busy=False,
            solo=deck,
        )

    def deciding(self, state: State) -> tuple[int, ...]:
        """The seat whose turn it is."""
        return () if state.phase is Phase.OVER else (state.seat,)

    def decision(self, state: State, seat: int) -> Hashable:
        """Within a turn a trail and what the seat can spend never come back together: a free walk lengthens the
        trail, every other action changes the phase or the resources, and what is spent stays spent."""
        player = state.players[seat]
        return state.number, state.phase, state.trail, player.cards, player.guarded, player.used

    def legal_actions(self, state: State, seat: int) -> list[Action]:
        """Every legal action of the seat, in the order of RULES.md, "Actions"."""
        if seat not in self.deciding(state):
            return []
        c = self.components
        match state.phase:
            case Phase.TURN:
                return self._begin(state) or [Pass()]
            case Phase.EXPLORE:
                return explore.legal(c, state)
            case Phase.MOVE:
                stop = [Stop()] if walking.can_stop(state) else []
                return [*walking.walks(c, state), *eggs.layings(c, state), *stop]
            case Phase.GUARD:
                return eggs.guardable(c, state)
            case Phase.UNGUARD:
                return eggs.givers(state)
            case _:
                return explore.returns(state)

    def _begin(self, state: State) -> list[Action]:
        c = self.components
        return [*explore.first_tiles(state), *walking.walks(c, state), *eggs.layings(c, state)]

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        """The state after the action and what happened.

        Raises:
            IllegalAction: the rules forbid it.
        """
        if state.phase is not Phase.OVER and seat != state.seat:
            raise IllegalAction("It is another player's turn.")
        step = STEPS[state.phase].get(type(action))
        if step is None or (step is turns.pass_turn and self._begin(state)):
            raise IllegalAction(NOW[state.phase])
        return step(self.components, state, action, dice)

    def default_action(self, state: State, seat: int) -> Action:
        """`stop` when it is legal, otherwise the first legal action."""
        listed = self.legal_actions(state, seat)
        return listed[-1] if isinstance(listed[-1], Stop) else listed[0]

    def public_view(self, state: State) -> Mapping[str, object]:
        """What everybody may see."""
        return self._views.public(state)

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        """The seat's tiles."""
        return self._views.private(state, seat)

    def result(self, state: State) -> Result | None:
        """None while the game goes on."""
        return scoring.result(self.components, state)

    def dump(self, state: State) -> dict[str, object]:
        """The complete state as JSON-able data."""
        return cast("dict[str, object]", msgspec.to_builtins(state))

    def load(self, data: Mapping[str, object]) -> State:
        """The state that `dump` wrote.

        Raises:
            ValueError: no possible state; says why.
        """
        return checks.read(self.components, data)

    def imagine(
        self,
        public: Mapping[str, object],
        private: Mapping[str, object] | None,
        seats: int,  # noqa: ARG002 - the view has one item a seat
        options: msgspec.Struct,  # noqa: ARG002 - there are none
        dice: Dice,
    ) -> State:
        """A possible state behind these views: hands, bag and deck are dealt from what the views don't show."""
        return imagine(self.components, public, private, dice)

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """`imagine` from the present views of `seat` (None: a spectator)."""
        private = None if seat is None else {"seat": seat, **self.private_view(state, seat)}
        return imagine(self.components, with_turn(self.public_view(state), self.turn(state)), private, dice)
