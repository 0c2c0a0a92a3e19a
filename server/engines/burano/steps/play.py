"""An action being carried out: the state so far, what happened so far, the dice.

A step checks first (raising `IllegalAction`), then changes; the states it passes through are values, so a refusal
half-way leaves nothing behind. Dice are drawn only after the last check.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from server.engines.burano.boards import Colour
from server.engines.burano.box import Components
from server.engines.burano.state import Family, Phase, State, Task, with_item
from server.engines.dice import Dice
from server.engines.engine import Event, EventBody, IllegalAction


class Play:
    """One action of one seat."""

    __slots__ = ("box", "dice", "events", "seat", "state")

    def __init__(self, box: Components, state: State, seat: int, dice: Dice) -> None:
        self.box: Final = box
        self.state = state
        self.seat = seat
        self.dice: Final = dice
        self.events: list[Event] = []

    @property
    def family(self) -> Family:
        """The family that acts."""
        return self.state.families[self.seat]

    def change(self, **fields: object) -> None:
        """The state with other values of these fields."""
        self.state = replace(self.state, **fields)

    def renew(self, family: Family, seat: int | None = None) -> None:
        """Another value of a family: of the acting seat's, or of that seat's."""
        seat = self.seat if seat is None else seat
        self.change(families=with_item(self.state.families, seat, family))

    def enter(self, phase: Phase, task: Task | None = None) -> None:
        """Go on in this phase."""
        self.change(phase=phase, task=task)

    def tell(self, body: EventBody, *, reveals: bool = False) -> None:
        """Add an event that everybody sees in the same form."""
        self.events.append(Event(body, reveals=reveals))

    def colour(self, name: str) -> Colour:
        """The colour of that name.

        Raises:
            IllegalAction: there is none.
        """
        if name not in self.box.colour_of:
            raise IllegalAction("the game has no such colour")
        return self.box.colour_of[name]

    def spend_privilege(self) -> None:
        """Pay for a privilege.

        Raises:
            IllegalAction: there are not enough points on the track.
        """
        if not may_use_privilege(self.box, self.family):
            raise IllegalAction("no privilege point is left to pay with")
        self.renew(replace(self.family, privileges=self.family.privileges - self.box.privilege_price))


def may_use_privilege(box: Components, family: Family) -> bool:
    """Whether the seat can pay for a privilege."""
    return family.privileges >= box.privilege_price


def with_privileges(box: Components, family: Family, gained: int) -> Family:
    """The family with as many of these privilege points as its track takes."""
    return replace(family, privileges=min(family.privileges + gained, box.privilege_limit))


def cubes_by_name(box: Components, counts: tuple[int, ...]) -> dict[str, int]:
    """Cubes as events tell them: the colours that there are, in component order."""
    return {name: number for name, number in zip(box.colours, counts, strict=True) if number}
