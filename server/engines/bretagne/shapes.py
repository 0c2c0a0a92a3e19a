"""The shapes of Bretagne's views, field by field. `views.py` fills them and decides who sees what."""

from __future__ import annotations

from typing import NotRequired, TypeAlias, TypedDict

Counts: TypeAlias = dict[str, int]


class TaskView(TypedDict):
    """The present decision; which fields there are depends on the phase."""

    phase: str
    seat: NotRequired[int]
    order: NotRequired[tuple[int, ...]]  # equip, harbour: the first decides
    site: NotRequired[int]
    harbour: NotRequired[int]
    left: NotRequired[int]  # materials of choice to come
    barge: NotRequired[int]
    spent: NotRequired[int]  # materials spent, the most workers for the level
    city: NotRequired[str]
    made: NotRequired[tuple[str, ...]]
    visited: NotRequired[tuple[str, ...]]
    reason: NotRequired[str]


class WeatherView(TypedDict):
    """This round's weather, the next one's (None in the last round), and the rounds before."""

    now: str
    forecast: str | None
    past: tuple[str, ...]


class ProductionView(TypedDict):
    """The production card of this round (None until Quimper is filled) and those before, by id."""

    now: int | None
    past: tuple[int, ...]


class BrestView(TypedDict):
    """What Brest has to trade."""

    market: Counts
    single_engineers: int
    engineer_pairs: int


class SupplyView(TypedDict):
    """What nobody has."""

    materials: Counts
    engineers: int


TileView = TypedDict("TileView", {"id": int, "class": str, "cost": Counts, "reward": Counts})


class TilesView(TypedDict):
    """The construction tiles of a class: those open, and how many lie face down."""

    open: tuple[TileView, ...]
    stack: int


class LevelView(TypedDict):
    """A level of a lighthouse: its tile, its builder, the builder's workers on it."""

    tile: int
    seat: int
    workers: int


LighthouseView = TypedDict(
    "LighthouseView",
    {
        "site": int,
        "region": str,
        "class": str,
        "harbour": int,
        "id": int,
        "name": str,
        "extra": tuple[str, ...],
        "status": str,
        "levels": tuple[LevelView, ...],
        "engineers": int,
        "coins": int,
        "cards": tuple[str, ...],
    },
)


class HarbourTileView(TypedDict):
    """A harbour tile and the income of its sides."""

    id: int
    normal: Counts
    improved: Counts


class HarbourView(TypedDict):
    """A harbour: its number, its tile, the side that counts, and the seats with a worker there."""

    harbour: int
    region: str
    tile: HarbourTileView
    improved: bool
    workers: tuple[int, ...]


class LoadView(TypedDict):
    """What lies in a barge."""

    material: str
    amount: int


class PlayerView(TypedDict):
    """A seat's belongings; `hand` is a number of cards."""

    coins: int
    points: int
    materials: Counts
    engineers: int
    warehouse: int
    reserve: int
    brest: int
    lorient: int
    barge: int | None
    loads: tuple[LoadView | None, ...]
    hand: int


class EquipmentView(TypedDict):
    """The deck's size and the discards by kind."""

    deck: int
    discards: Counts


class ClassView(TypedDict):
    """What holds for a class of lighthouses."""

    majority: int
    engineers: Counts
    storm_injury: bool


class BargeView(TypedDict):
    """A barge card."""

    loads: tuple[int, ...]
    engineers: int
    coins: int


class ReferenceView(TypedDict):
    """Numbers of the box."""

    levels: int
    scaffold_wood: int
    warehouse_limit: int
    worker_home_points: int
    worker_left_points: int
    flips_region: int
    coins_per_point: int
    turn_order_points: tuple[int, ...]
    harbour_points: tuple[int, ...]
    classes: dict[str, ClassView]
    equipment: dict[str, Counts]
    trades: dict[str, dict[str, Counts]]
    barges: tuple[BargeView, ...]
    production: tuple[Counts, ...]


class PublicView(TypedDict):
    """What everybody may see."""

    round: int
    rounds: int
    task: TaskView
    order: tuple[int, ...]
    passed: tuple[int, ...]
    weather: WeatherView
    production: ProductionView
    quimper: Counts
    brest: BrestView
    supply: SupplyView
    tiles: dict[str, TilesView]
    lighthouses: tuple[LighthouseView, ...]
    harbours: tuple[HarbourView, ...]
    spare_harbours: tuple[HarbourTileView, ...]
    equipment: EquipmentView
    players: tuple[PlayerView, ...]
    reference: ReferenceView


class PrivateView(TypedDict):
    """What only the seat may see: its equipment cards by kind."""

    hand: Counts
