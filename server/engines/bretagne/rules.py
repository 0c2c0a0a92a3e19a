"""Bretagne: which step decides what, and what follows by itself. The rules themselves are in `steps/`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import msgspec

from server.engines.bretagne.actions import AnyAction, AnyEvent, Done, Pass, Skip
from server.engines.bretagne.components import SEATS, Components
from server.engines.bretagne.imagined import imagine
from server.engines.bretagne.possible import check
from server.engines.bretagne.shapes import PrivateView, PublicView
from server.engines.bretagne.state import (
    Act,
    AnyDecision,
    AnyTask,
    Barges,
    ChooseBarge,
    Crew,
    EnterHarbour,
    Equip,
    Income,
    Loading,
    Options,
    Over,
    Reward,
    State,
    Trading,
    deciding_seat,
)
from server.engines.bretagne.steps import build, close, evaluate, load, setup, trade, turns
from server.engines.bretagne.steps.play import Play, Stage
from server.engines.bretagne.views import Views
from server.engines.dice import Dice
from server.engines.engine import Action, Event, IllegalAction, Result, with_turn

_STAGES = {
    Stage.ROUND: setup.begin_round,
    Stage.INCOME: setup.begin_income,
    Stage.SUPPLY: setup.supply,
    Stage.LOAD: load.begin,
    Stage.ACTIONS: turns.begin,
    Stage.NEXT_TURN: turns.next_turn,
    Stage.EVALUATE: evaluate.begin,
    Stage.CLOSE: close.close,
}

# The parts of a round; the choice that ends one marked True brings hidden things to light (RULES.md, Reveals).
_PARTS: dict[type[AnyTask], tuple[str, bool]] = {
    ChooseBarge: ("set up", True),
    Income: ("set up", True),
    Loading: ("load", False),
    Act: ("actions", True),
    Reward: ("actions", True),
    Crew: ("actions", True),
    Trading: ("actions", True),
    Equip: ("evaluate", True),
    EnterHarbour: ("evaluate", True),
    Over: ("over", False),
}

_NO_DICE = Dice(bytes(32))  # listing actions draws nothing


def _run(play: Play, stage: Stage | None) -> None:
    while stage is not None:
        stage = _STAGES[stage](play)


def _choices(play: Play, task: AnyTask) -> list[AnyAction]:
    match task:
        case Act():
            return turns.choices(play, task.seat)
        case Loading():
            return load.choices(play)
        case Crew():
            return build.crew_choices(play, task)
        case Trading():
            return trade.choices(play, task)
        case Equip():
            return evaluate.card_choices(play, task)
        case EnterHarbour():
            return evaluate.harbour_choices(play, task)
        case Income() | Reward():
            return play.gain_choices()
        case ChooseBarge():
            return setup.barge_choices(play)
        case Over():
            return []


def _carry_out(play: Play, task: AnyDecision, action: AnyAction) -> Stage | None:
    match task:
        case Act():
            return turns.act(play, task, action)
        case Loading():
            return load.load(play, task, action)
        case Crew():
            return build.crew(play, task, action)
        case Trading():
            return trade.act(play, task, action)
        case Equip():
            return evaluate.equip(play, task, action)
        case EnterHarbour():
            return evaluate.enter_harbour(play, task, action)
        case Reward():
            return build.gain(play, task, action)
        case Income():
            return setup.gain(play, task, action)
        case ChooseBarge():
            return setup.choose_barge(play, task, action)


def _marked(events: list[Event], before: AnyTask, after: AnyTask) -> list[Event]:
    """The events, the first one revealing if the action ended a part of the round that does."""
    part, reveals = _PARTS[type(before)]
    if reveals and part != _PARTS[type(after)][0]:
        events[0] = msgspec.structs.replace(events[0], reveals=True)
    return events


def _barges(options: msgspec.Struct) -> Barges:
    if not isinstance(options, Options):
        raise ValueError("not options of this game")
    return options.barges


class BretagneEngine:
    """The game of Bretagne with one set of components."""

    name = "bretagne"
    title = "Bretagne"
    rules = "1.0.0"
    seats = SEATS
    options = Options
    actions = AnyAction
    events = AnyEvent
    views = (PublicView, PrivateView)

    def __init__(self, components: Components) -> None:
        self.components = components
        self._views = Views(components)

    def turn(self, state: State) -> tuple[int, str]:
        """1 plus the completed actions of part 3, and the phase."""
        return state.number, str(state.task.__struct_config__.tag)

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        """The state at the first decision of the first round."""
        barges = _barges(options)
        play = Play(self.components, setup.new_game(self.components, seats, barges, dice), dice)
        _run(play, Stage.ROUND)
        return play.state

    def deciding(self, state: State) -> tuple[int, ...]:
        """One seat decides at a time."""
        seat = deciding_seat(state)
        return () if seat is None else (seat,)

    def decision(self, state: State, seat: int) -> Hashable:
        """The task within its turn and round; while cards are played, how many."""
        del seat  # one seat decides at a time
        task = state.task
        played = len(state.lighthouses[task.site - 1].cards) if isinstance(task, Equip) else 0
        return state.round, state.number, task, played

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        """In the order of the rules' table."""
        if deciding_seat(state) != seat:
            return ()
        return _choices(Play(self.components, state, _NO_DICE), state.task)

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        """The state after the action and what happened.

        Raises:
            IllegalAction: the seat does not decide, or a rule forbids the action.
        """
        if isinstance(state.task, Over):
            raise IllegalAction("the game is over")
        if deciding_seat(state) != seat or not isinstance(action, AnyAction):
            raise IllegalAction("another seat decides now")
        play = Play(self.components, state, dice)
        _run(play, _carry_out(play, state.task, action))
        return play.state, _marked(play.events, state.task, play.state.task)

    def default_action(self, state: State, seat: int) -> Action:
        """`pass`, `done` or `skip` where legal, else the first legal action."""
        actions = self.legal_actions(state, seat)
        return next((action for action in actions if isinstance(action, Pass | Done | Skip)), actions[0])

    def public_view(self, state: State) -> PublicView:
        """What everybody may see."""
        return self._views.public(state)

    def private_view(self, state: State, seat: int) -> PrivateView:
        """The seat's hand."""
        return self._views.private(state, seat)

    def result(self, state: State) -> Result | None:
        """None while the game goes on."""
        return close.result(state)

    def dump(self, state: State) -> dict[str, object]:
        """The complete state as JSON-able data."""
        data: dict[str, object] = msgspec.to_builtins(state)
        return data

    def load(self, data: Mapping[str, object]) -> State:
        """The state that `dump` wrote.

        Raises:
            ValueError: it is not a possible state; says what is wrong.
        """
        try:
            state = msgspec.convert(data, State)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error
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
            ValueError: no possible state looks like this.
        """
        barges = _barges(options)
        state = imagine(self.components, public, private, barges, dice)
        if len(state.players) != seats:
            raise ValueError(f"the view has {len(state.players)} seats, not {seats}")
        check(self.components, state)
        return state

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """`imagine` from the present views of `seat`, None being a spectator."""
        private = None if seat is None else {"seat": seat, **self.private_view(state, seat)}
        public = with_turn(self.public_view(state), self.turn(state))
        return self.imagine(public, private, len(state.players), Options(state.barges), dice)
