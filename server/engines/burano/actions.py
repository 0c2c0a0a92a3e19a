"""Every action of Burano (the events are in `events.py`). Colours, fish and nodes have the names of the box."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET, UnsetType

from server.engines.engine import Action


class DrawRoof(Action, frozen=True, tag="draw_roof"):
    """Turn up the top roof of a kind and take it."""

    kind: str


class ReturnRoof(Action, frozen=True, tag="return_roof"):
    """Put a roof back under its stack."""

    roof: int


class Stack(Action, frozen=True, tag="stack"):
    """Put a cube of the stock on the own pyramid."""

    colour: str
    layer: int
    row: int
    column: int


class Take(Action, frozen=True, tag="take"):
    """Take a cube from the own pyramid to the ready area."""

    layer: int
    row: int
    column: int


class Build(Action, frozen=True, tag="build"):
    """Build a ready cube on the island."""

    colour: str
    x: int
    y: int


class Paint(Action, frozen=True, tag="paint"):
    """Lay an own roof, its first end at x, y."""

    roof: int
    x: int
    y: int
    x2: int
    y2: int


class CoinPrivilege(Action, frozen=True, tag="coin_privilege"):
    """A privilege for a coin."""


class CubePrivilege(Action, frozen=True, tag="cube_privilege"):
    """A privilege for a cube of the supply: to a place of the pyramid, at season's end to the stock (no place)."""

    colour: str
    layer: int | UnsetType = UNSET
    row: int | UnsetType = UNSET
    column: int | UnsetType = UNSET


class EndTurn(Action, frozen=True, tag="end_turn"):
    """End the turn."""


class Sail(Action, frozen=True, tag="sail"):
    """Move the boat along a route, with the fast boat along one or two."""

    route: tuple[str, ...]


class Swap(Action, frozen=True, tag="swap"):
    """A privilege to swap a dock house of one sea island with one of another."""

    island: str
    colour: str
    island2: str
    colour2: str


class Lace(Action, frozen=True, tag="lace"):
    """Send a worker to a workshop square."""

    square: int
    privilege: bool


class Earn(Action, frozen=True, tag="earn"):
    """Take the coins of the uncovered coin marks."""


class Skip(Action, frozen=True, tag="skip"):
    """Do without, or with no more."""


class Catch(Action, frozen=True, tag="catch"):
    """Take an open fish, or the top of the deck."""

    source: int | Literal["deck"] = msgspec.field(name="from")


class Send(Action, frozen=True, tag="send"):
    """Send workers to the island that the boat reached."""


class Sell(Action, frozen=True, tag="sell"):
    """Sell fish to a trade ship."""

    ship: int
    fish: tuple[str, ...]


class Recall(Action, frozen=True, tag="recall"):
    """Take an own worker back from a sea island or from a workshop square."""

    island: str | UnsetType = UNSET
    square: int | UnsetType = UNSET


class Done(Action, frozen=True, tag="done"):
    """Go on."""


class Privilege(Action, frozen=True, tag="privilege"):
    """Privileges for a painted roof."""


class TakeBuilding(Action, frozen=True, tag="building"):
    """A building card for a painted roof."""

    card: int


class ScoreLace(Action, frozen=True, tag="score_lace"):
    """Return ready cubes for own workers in the workshops, one of them perhaps replaced by the joker."""

    squares: tuple[int, ...]
    joker: str | None


BuranoAction: TypeAlias = (
    DrawRoof
    | ReturnRoof
    | Stack
    | Take
    | Build
    | Paint
    | CoinPrivilege
    | CubePrivilege
    | EndTurn
    | Sail
    | Swap
    | Lace
    | Earn
    | Skip
    | Catch
    | Send
    | Sell
    | Recall
    | Done
    | Privilege
    | TakeBuilding
    | ScoreLace
)
