"""The actions and events of Islet: a struct each (RULES.md, "Actions", "Views and events")."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, TypeAlias

import msgspec

from server.engines.engine import Action, EventBody
from server.engines.islet.components import KINDS, Resource
from server.engines.islet.grid import Cell
from server.engines.islet.state import Payment

Some = Annotated[int, msgspec.Meta(ge=1)]


class Amounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How many of each kind; on the wire a map without the zeros, kinds in component order."""

    water: Some = 0
    sand: Some = 0
    clay: Some = 0
    leaf: Some = 0
    twig: Some = 0
    flower: Some = 0


class Pay(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Exactly what is spent: unguarded cards, and guarded resources whose eggs are laid flat."""

    cards: Amounts
    guarded: Amounts


@lru_cache(maxsize=8192)
def pay_of(payment: Payment) -> Pay:
    """A payment as an action or an event shows it."""
    return Pay(Amounts(*payment.cards), Amounts(*payment.guarded))


def payment_of(pay: Pay) -> Payment:
    """The payment that an action names."""
    return Payment(
        tuple(getattr(pay.cards, kind) for kind in KINDS), tuple(getattr(pay.guarded, kind) for kind in KINDS)
    )


class LayTile(Action, frozen=True, tag="lay_tile"):
    """Lay a tile of the hand on a cell."""

    tile: int
    x: int
    y: int


class Walk(Action, frozen=True, tag="walk"):
    """Walk to a tile."""

    x: int
    y: int
    pay: Pay


class LayEgg(Action, frozen=True, tag="lay_egg"):
    """Lay an egg on the tile stood on."""

    pay: Pay


class Stop(Action, frozen=True, tag="stop"):
    """End the explore or the move."""


class Guard(Action, frozen=True, tag="guard"):
    """Put the second egg on a card of this kind."""

    resource: Resource


class Unguard(Action, frozen=True, tag="unguard"):
    """Take the egg to lay from a guarded resource of this kind, used this turn or not."""

    resource: Resource
    used: bool


class Return(Action, frozen=True, tag="return"):
    """Return an unguarded card of this kind to its pile."""

    resource: Resource


class Pass(Action, frozen=True, tag="pass"):
    """Nothing can be done (D5)."""


IsletAction: TypeAlias = LayTile | Walk | LayEgg | Stop | Guard | Unguard | Return | Pass


class Place(msgspec.Struct, frozen=True):
    """A cell, as events show it."""

    x: int
    y: int

    @classmethod
    def of(cls, cell: Cell) -> Place:
        """The place of a cell."""
        return cls(*cell)


class DrawnTile(msgspec.Struct, frozen=True):
    """A tile as its holder sees it."""

    id: int
    terrain: Resource
    nest: Resource


class TileLaid(EventBody, frozen=True, tag="tile_laid"):
    """A tile was laid; `level` is the height it ends at."""

    seat: int
    x: int
    y: int
    terrain: Resource
    nest: Resource
    level: int


class ResourceGained(EventBody, frozen=True, tag="resource_gained"):
    """A card was taken for the tile on this cell."""

    seat: int
    resource: Resource
    x: int
    y: int


class TilesDrawn(EventBody, frozen=True, tag="tiles_drawn", omit_defaults=True):
    """Tiles were drawn; only the seat itself gets `tiles`."""

    seat: int
    count: int
    tiles: tuple[DrawnTile, ...] | None = None


class Returned(EventBody, frozen=True, tag="returned"):
    """A card over the limit went back to its pile."""

    seat: int
    resource: Resource


class Walked(EventBody, frozen=True, tag="walked"):
    """A bird walked to a tile."""

    seat: int
    x: int
    y: int
    pay: Pay


class EggLaid(EventBody, frozen=True, tag="egg_laid"):
    """An egg lies on a tile."""

    seat: int
    x: int
    y: int
    level: int
    pay: Pay


class Guarded(EventBody, frozen=True, tag="guarded"):
    """A card was taken from its pile and is guarded by an egg."""

    seat: int
    resource: Resource


class Unguarded(EventBody, frozen=True, tag="unguarded"):
    """A guarded resource gave up its egg and returned to its pile."""

    seat: int
    resource: Resource
    used: bool


class Passed(EventBody, frozen=True, tag="passed"):
    """A seat could do nothing."""

    seat: int


class LastRound(EventBody, frozen=True, tag="last_round"):
    """The game ends after this round."""

    round: int
    reason: str


class Night(EventBody, frozen=True, tag="night"):
    """A night card was turned up: the stack on `lost` left the game (None: there was none that can go)."""

    lost: Place | None


class Ended(EventBody, frozen=True, tag="ended"):
    """The game is over."""

    reason: str


IsletEvent: TypeAlias = (
    TileLaid
    | ResourceGained
    | TilesDrawn
    | Returned
    | Walked
    | EggLaid
    | Guarded
    | Unguarded
    | Passed
    | LastRound
    | Night
    | Ended
)
