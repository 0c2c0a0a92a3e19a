"""The forms of Burano's views, as their published schema has them. What is put into them is decided in `views.py`.

Lists of squares run row by row. Numbers of cards, roofs, ships and slots are those of the actions.
"""

from __future__ import annotations

from typing import TypedDict


class SectorView(TypedDict):
    """A sector of a ring."""

    colour: str
    mark: str


class WheelView(TypedDict):
    """`pieces`: letters; `ring`: the sectors clockwise; `first`: the sector of number 1; `reds`: red colours now."""

    pieces: tuple[str, ...]
    ring: tuple[SectorView, ...]
    first: int
    workers: int
    reds: tuple[str, ...]


class RoofView(TypedDict):
    """A roof tile: its number, its kind, the colours of its first and second end."""

    roof: int
    kind: str
    colours: tuple[str, str]


class RoofEndView(TypedDict):
    """The end of a roof on a house: 0 is the first end."""

    roof: int
    end: int
    colour: str
    painter: int


class FloorView(TypedDict):
    """A house, and the roof's end on it."""

    house: str
    roof: RoofEndView | None


class BuildingView(TypedDict):
    """A building card: its number and what the file says of it (fields that its effect lacks are empty)."""

    card: int
    name: str
    effect: str
    colours: tuple[str, ...]
    fish: tuple[str, ...]
    points: tuple[int, ...]


class FamilyView(TypedDict):
    """A seat. `pyramid`: by layer, row, column; `stock`, `ready`: cubes by colour; `hand`: the number of its fish."""

    wheel: WheelView
    coins: int
    privileges: int
    points: int
    stock: dict[str, int]
    pyramid: tuple[str | None, ...]
    ready: dict[str, int]
    roofs: tuple[RoofView, ...]
    buildings: tuple[BuildingView, ...]
    hand: int
    sold: tuple[str, ...]
    boat: str


class SeaIslandView(TypedDict):
    """A sea island: the colours of its dock houses, the workers by seat."""

    name: str
    docks: tuple[str, ...]
    workers: tuple[int, ...]


class ShipView(TypedDict):
    """A trade ship by its number, what it buys, and the harbour where it lies."""

    ship: int
    name: str
    sells: str
    points: tuple[int, ...]
    harbour: str


class WorkshopView(TypedDict):
    """A square of the workshops: the seats with a worker there."""

    colour: str
    coin: bool
    workers: tuple[int, ...]


class FishMarketView(TypedDict):
    """Open fish by slot, and the size of the deck."""

    open: tuple[str | None, ...]
    deck: int


class BuildingRowView(TypedDict):
    """Open building cards by slot, and the size of the deck."""

    open: tuple[BuildingView | None, ...]
    deck: int


class TaskView(TypedDict):
    """What the phase is about; fields that it lacks are null.

    `work`: the action of a colour in hand. `setup`: the first roofs. `drawn`: no roof goes back any more. `swapped`:
    a dock house was. `reds`, `left`, `sent`: lace; `left` of a catch: fish. `matches`: of the boat's island.
    """

    work: str | None
    setup: bool | None
    drawn: bool | None
    swapped: bool | None
    reds: tuple[str, ...] | None
    left: int | None
    sent: int | None
    matches: int | None
    roof: int | None


class PublicView(TypedDict):
    """Everything on the table.

    `season`, `round` from 0; `rounds`: of this season; `seat`: whose turn it is (while pyramids are built, who will
    begin); `actions`: taken in this turn; `island`: squares row by row, null where no house can stand, each the list
    of its floors; `workshops`: squares row by row, null where no tile lies; `stacks`: face-down roofs by kind.
    """

    season: int
    round: int
    rounds: int
    task: TaskView
    start: int
    seat: int
    actions: int
    markers: dict[str, str]
    supply: dict[str, int]
    island: tuple[tuple[FloorView, ...] | None, ...]
    islands: tuple[SeaIslandView, ...]
    routes: tuple[tuple[str, str], ...]
    ships: tuple[ShipView, ...]
    workshops: tuple[WorkshopView | None, ...]
    stacks: dict[str, int]
    buildings: BuildingRowView
    fish: FishMarketView
    families: tuple[FamilyView, ...]


class PrivateView(TypedDict):
    """The fish in hand, in the order of their kinds."""

    fish: tuple[str, ...]
