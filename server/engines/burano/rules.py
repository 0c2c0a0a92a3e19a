"""Burano's engine: which step of the rules a phase asks, and what follows by itself after an action."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sized
from typing import Any

import msgspec

from server.engines.burano import actions, views
from server.engines.burano.actions import BuranoAction
from server.engines.burano.boards import SEATS
from server.engines.burano.box import Components
from server.engines.burano.events import BuranoEvent
from server.engines.burano.state import Earning, FirstRoofs, Fishing, Options, Phase, State
from server.engines.burano.steps import (
    catch,
    imagined,
    island,
    lace_scoring,
    possible,
    pyramid,
    roofs,
    rounds,
    sea,
    season_end,
    setup,
    ships,
    turn,
    wheel,
    workshops,
)
from server.engines.burano.steps.play import Play
from server.engines.burano.view_forms import PrivateView, PublicView
from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction, Result, with_turn

Steps = Mapping[type[Action], Callable[[Play, Any], None]]

DEFAULTS = (actions.Skip, actions.Done, actions.EndTurn)

STEPS: dict[Phase, Steps] = {
    Phase.ROOFS: {
        actions.DrawRoof: roofs.draw_roof,
        actions.ReturnRoof: roofs.return_roof,
        actions.CubePrivilege: pyramid.cube_privilege,
        actions.CoinPrivilege: rounds.coin_privilege,
        actions.Done: roofs.done,
    },
    Phase.PYRAMID: {actions.Stack: pyramid.stack},
    Phase.TURN: {
        actions.Take: pyramid.take,
        actions.Build: island.build,
        actions.Paint: roofs.paint,
        actions.CoinPrivilege: rounds.coin_privilege,
        actions.CubePrivilege: pyramid.cube_privilege,
        actions.EndTurn: turn.end,
    },
    Phase.CATCH: {actions.Catch: catch.catch},
    Phase.CREW: {actions.Send: sea.send, actions.Skip: rounds.skip_work},
    Phase.SELL: {actions.Sell: ships.sell, actions.Skip: rounds.skip_work},
    Phase.RECALL: {actions.Recall: wheel.recall, actions.Done: wheel.done},
    Phase.REWARD: {actions.Privilege: roofs.take_privileges, actions.TakeBuilding: roofs.take_building},
    Phase.LACE_SCORING: {actions.ScoreLace: lace_scoring.score_lace, actions.Skip: lace_scoring.skip},
}

FIRST_ROOFS: Steps = {actions.DrawRoof: roofs.draw_roof}
FISH: Steps = {actions.Sail: sea.sail, actions.Swap: sea.swap, actions.Skip: sea.skip}
EARN: Steps = {actions.Earn: wheel.earn, actions.Skip: rounds.skip_work}
LACE: Steps = {actions.Lace: workshops.lace, actions.Skip: workshops.skip}

LEGAL: dict[Phase, Callable[[State, Components], list[Action]]] = {
    Phase.ROOFS: roofs.legal_roofs,
    Phase.TURN: turn.legal_turn,
    Phase.CATCH: catch.legal_catch,
    Phase.CREW: sea.legal_crew,
    Phase.SELL: ships.legal_sell,
    Phase.RECALL: wheel.legal_recall,
    Phase.REWARD: roofs.legal_reward,
    Phase.LACE_SCORING: lace_scoring.legal_lace_scoring,
}


class BuranoEngine:
    """The rules of Burano (see RULES.md)."""

    name = "burano"
    title = "Burano"
    rules = "1.0.0"
    seats = SEATS
    options = Options
    actions: object = BuranoAction
    events: object = BuranoEvent
    views = (PublicView, PrivateView)

    def __init__(self, box: Components) -> None:
        self.box = box

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        """The state after set-up, before the first roof is drawn."""
        assert isinstance(options, Options)
        return setup.new(self.box, seats, options, dice)

    def turn(self, state: State) -> tuple[int, str]:
        """The number of the turn, and the phase."""
        return state.turn, state.phase

    def deciding(self, state: State) -> tuple[int, ...]:
        """Who must act: all who still build pyramids, or the one whose turn it is."""
        if state.phase is Phase.PYRAMID:
            return pyramid.builders(state)
        return () if state.phase is Phase.OVER else (state.seat,)

    def decision(self, state: State, seat: int) -> Hashable:
        """While pyramids are built, what others do leaves a seat's decision as it is."""
        if state.phase is Phase.PYRAMID:
            return state.season, state.families[seat].stock.total
        return state.phase, state.moves

    def legal_actions(self, state: State, seat: int) -> list[Action]:
        """Every legal action, in the order of the rules."""
        if seat not in self.deciding(state):
            return []
        match state.phase, state.task:
            case Phase.PYRAMID, _:
                return pyramid.legal_stack(state, self.box, seat)
            case Phase.PERFORM, Fishing():
                return sea.legal_perform(state, self.box)
            case Phase.PERFORM, Earning():
                return wheel.legal_perform(state, self.box)
            case Phase.PERFORM, _:
                return workshops.legal_perform(state, self.box)
        return LEGAL[state.phase](state, self.box)

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        """Carry out an action and what follows by itself.

        Raises:
            IllegalAction: the rules forbid it, or the seat does not decide.
        """
        if seat not in self.deciding(state):
            raise IllegalAction("this seat has nothing to decide now")
        step = _steps(state).get(type(action))
        if step is None:
            raise IllegalAction(f"this action has no place in the phase {state.phase}")
        play = Play(self.box, state, seat, dice)
        step(play, action)
        play.change(moves=state.moves + 1)
        _settle(play, state.phase)
        return play.state, play.events

    def default_action(self, state: State, seat: int) -> Action:
        """Skip, done or end of turn where legal, else the first legal action."""
        legal = self.legal_actions(state, seat)
        return next((action for action in legal if isinstance(action, DEFAULTS)), legal[0])

    def public_view(self, state: State) -> Mapping[str, object]:
        """What everybody may see."""
        return views.public_view(state, self.box)

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        """What only the seat may see besides: the fish in hand."""
        return views.private_view(state, self.box, seat)

    def result(self, state: State) -> Result | None:
        """Scores and ranks when it is over."""
        return season_end.result(state) if state.phase is Phase.OVER else None

    def dump(self, state: State) -> dict[str, object]:
        """The complete state."""
        data: dict[str, object] = msgspec.to_builtins(state)
        return data

    def load(self, data: Mapping[str, object]) -> State:
        """The state that `dump` wrote.

        Raises:
            ValueError: it is not a possible state.
        """
        state = msgspec.convert(data, State)
        possible.check(state, self.box)
        return state

    def imagine(
        self,
        public: Mapping[str, object],
        private: Mapping[str, object] | None,
        seats: int,
        options: msgspec.Struct,
        dice: Dice,
    ) -> State:
        """A possible state behind these views: decks, stacks and others' fish are drawn at random."""
        assert isinstance(options, Options)
        assert isinstance(public["families"], Sized)
        assert len(public["families"]) == seats
        return imagined.imagine(self.box, public, private, options, dice)

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """`imagine` from the present views."""
        private = None if seat is None else {"seat": seat, **self.private_view(state, seat)}
        public = with_turn(self.public_view(state), self.turn(state))
        return self.imagine(public, private, len(state.families), state.options, dice)


def _steps(state: State) -> Steps:
    if isinstance(state.task, FirstRoofs):
        return FIRST_ROOFS
    if state.phase is Phase.PERFORM:
        return FISH if isinstance(state.task, Fishing) else EARN if isinstance(state.task, Earning) else LACE
    return STEPS[state.phase]


def _settle(play: Play, before: Phase) -> None:
    """What follows by itself: rounds after the last pyramid, turns without a choice, the season's end."""
    if before is Phase.LACE_SCORING:
        season_end.after_lace(play)
    if play.state.phase is Phase.PYRAMID and not pyramid.builders(play.state):
        rounds.begin_rounds(play)
    while play.state.phase is Phase.TURN and turn.only_the_end_is_left(play.state, play.box):
        rounds.end_turn(play)
    if play.state.phase is Phase.LACE_SCORING and before is not Phase.LACE_SCORING:
        season_end.score_islands(play)
