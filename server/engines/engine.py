"""The contract of a game engine: what a room needs to know of a game, and nothing else.

Rules that hold for every engine:

1. An engine is pure: standard library and msgspec only, no I/O after its components are read, no clock.
2. A state is a value: frozen structs and tuples, no sets, no floats, no dicts whose order could differ. Parts
   that an action did not change are the same objects in the new state, and in its views.
3. `apply` checks by itself. It accepts exactly what `legal_actions` lists and refuses the rest with
   `IllegalAction`, which names the rule. A refusal changes nothing.
4. Only `views.py` of a game decides who sees what; events carry their own forms per viewer.
5. Chance comes from the `Dice` that are passed in, in the order that the game's RULES.md gives.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol, TypeVar

import msgspec

from server.engines.dice import Dice


class IllegalAction(Exception):  # noqa: N818 - the field's word; it is the player's mistake, not a fault
    """A player's action that the rules forbid; `rule` says which one, in words a player understands."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class Action(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Base of every game's actions; on the wire a map with `type` and the parameters."""


class EventBody(msgspec.Struct, frozen=True, tag_field="kind"):
    """Base of every game's events as one viewer gets them; on the wire a map with `kind`."""


class Event(msgspec.Struct, frozen=True):
    """Something that happened, in the form for everybody and in fuller forms for some seats.

    `public` is what seats without a form of their own and spectators get (None: nothing). `private` pairs a seat
    with the form that takes its place in that seat's frames. `reveals` says that something hidden came to light
    for somebody, or that the dice moved: no undo reaches back past it.
    """

    public: EventBody | None
    private: tuple[tuple[int, EventBody], ...] = ()
    reveals: bool = False

    def form_for(self, seat: int | None) -> EventBody | None:
        """The form that `seat` gets (None: a spectator)."""
        for owner, body in self.private:
            if owner == seat:
                return body
        return self.public


def with_turn(public: Mapping[str, object], turn: tuple[int, str]) -> dict[str, object]:
    """A public view and what `Engine.turn` says of the same state: all that everybody sees, as `imagine` takes it."""
    number, phase = turn
    return {**public, "number": number, "phase": phase}


class Result(msgspec.Struct, frozen=True):
    """How a game ended: a score and a rank per seat (equal ranks share, 1 is best), and why."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    reason: str


State = TypeVar("State")


class Engine(Protocol[State]):
    """One game's rules. Seats are 0..n-1; a state is opaque to everybody else."""

    @property
    def name(self) -> str:
        """Identifier in the protocol, e.g. `dragonwood`."""

    @property
    def title(self) -> str:
        """Name for people."""

    @property
    def rules(self) -> str:
        """Semantic version of the rules as implemented."""

    @property
    def seats(self) -> range:
        """Allowed numbers of seats."""

    @property
    def options(self) -> type[msgspec.Struct]:
        """The game's options: a frozen struct with a default for every field, unknown fields forbidden."""

    @property
    def actions(self) -> object:
        """Tagged union of the game's actions (a `Union` of `Action` subclasses)."""

    @property
    def events(self) -> object:
        """Tagged union of the game's event bodies."""

    @property
    def views(self) -> tuple[type, type]:
        """TypedDicts of the public and the private view, for the published schema."""

    def turn(self, state: State) -> tuple[int, str]:
        """The number of the turn as the rulebook counts (from 1) and the phase (`over` when it is)."""

    def new(self, seats: int, options: msgspec.Struct, dice: Dice) -> State:
        """The state after set-up. Draws from `dice` in the order of RULES.md."""

    def deciding(self, state: State) -> tuple[int, ...]:
        """The seats that must act now, ascending; () exactly when the game is over."""

    def decision(self, state: State, seat: int) -> Hashable:
        """Identifies the present decision of a deciding seat: equal values mean the same decision."""

    def legal_actions(self, state: State, seat: int) -> Sequence[Action]:
        """Every legal action of the seat in the order of the rules; () for a seat that does not decide."""

    def apply(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, Sequence[Event]]:
        """The state after the action and what happened.

        Raises:
            IllegalAction: the rules forbid it, or the seat does not decide. `dice` is then untouched.
        """

    def default_action(self, state: State, seat: int) -> Action:
        """What the server plays for a deciding seat whose time is up."""

    def public_view(self, state: State) -> Mapping[str, object]:
        """What everybody may see besides the turn (JSON-able; the keys of `views[0]`)."""

    def private_view(self, state: State, seat: int) -> Mapping[str, object]:
        """What only `seat` may see besides (JSON-able; the keys of `views[1]`)."""

    def result(self, state: State) -> Result | None:
        """None while the game goes on."""

    def dump(self, state: State) -> dict[str, object]:
        """The complete state as JSON-able data, secrets included."""

    def load(self, data: Mapping[str, object]) -> State:
        """The state that `dump` wrote.

        Raises:
            ValueError: the data is not a possible state; says what is wrong.
        """

    def imagine(
        self,
        public: Mapping[str, object],
        private: Mapping[str, object] | None,
        seats: int,
        options: msgspec.Struct,
        dice: Dice,
    ) -> State:
        """A possible full state behind these views, what they hide being drawn at random.

        `public` is the public view together with the turn's `number` and `phase` (`with_turn`); `private` the view of
        one seat together with that seat's number under `seat` (as `you` in the state document), or None for a
        spectator. Goes by the views alone, not by memory of what was seen before.
        """

    def resample(self, state: State, seat: int | None, dice: Dice) -> State:
        """`imagine` from the present views of `seat` (None: a spectator)."""
