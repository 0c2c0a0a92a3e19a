"""The words of Bretagne and the form of `components.toml`, row by row.

1. Enums are in component order, which is the order of every list.
2. Materials travel as a `Stock`: a count per material, in component order.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Positive: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Stock: TypeAlias = tuple[int, ...]


class Material(StrEnum):
    """In component order: the order of every list of materials."""

    BRICK = "brick"
    STONE = "stone"
    SAND = "sand"
    WOOD = "wood"


class LightClass(StrEnum):
    """Where a lighthouse stands: on land, near the shore, in the open sea."""

    HEAVEN = "heaven"
    PURGATORY = "purgatory"
    HELL = "hell"


class Region(StrEnum):
    """The coast clockwise from Lorient."""

    SOUTH = "south"
    WEST = "west"
    NORTH = "north"


class Weather(StrEnum):
    """A round's weather; only a storm injures."""

    SUN = "sun"
    CHANGEABLE = "changeable"
    STORM = "storm"


class Equipment(StrEnum):
    """The kinds of equipment cards, in component order."""

    FURNISHINGS = "furnishings"
    PIER = "pier"
    SIREN = "siren"
    CABLEWAY = "cableway"


class City(StrEnum):
    """The trading cities, in the order of the action list."""

    BREST = "brest"
    LORIENT = "lorient"


class Trade(StrEnum):
    """What can be traded in a city, in the order of the action list."""

    HIRE = "hire"
    HIRE_PAIR = "hire_pair"
    BUY = "buy"
    SELL = "sell"
    DRAW_CARDS = "draw_cards"
    SELL_CARDS = "sell_cards"
    RECRUIT = "recruit"
    SWAP = "swap"


MATERIALS = tuple(Material)
CLASSES = tuple(LightClass)
REGIONS = tuple(Region)
KINDS = tuple(Equipment)
CITIES = tuple(City)
NOTHING: Stock = (0,) * len(MATERIALS)
PLACE = {material: place for place, material in enumerate(MATERIALS)}

# What a trade's row in the file names, all of it and nothing else.
TERMS: dict[City, dict[Trade, frozenset[str]]] = {
    City.BREST: {
        Trade.HIRE: frozenset({"pay", "engineers"}),
        Trade.HIRE_PAIR: frozenset({"pay", "engineers"}),
        Trade.BUY: frozenset({"pay", "materials"}),
        Trade.SELL: frozenset({"give_materials", "coins"}),
    },
    City.LORIENT: {
        Trade.BUY: frozenset({"pay", "materials"}),
        Trade.DRAW_CARDS: frozenset({"pay", "equipment"}),
        Trade.SELL_CARDS: frozenset({"give_equipment", "coins"}),
        Trade.RECRUIT: frozenset({"pay", "workers"}),
        Trade.SWAP: frozenset({"give_equipment", "materials", "coins"}),
    },
}


class Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the file's tables."""


class Gain(Form, frozen=True, omit_defaults=True):
    """What a tile rewards or a harbour yields; `any_material` is of the player's choice."""

    brick: Count = 0
    stone: Count = 0
    sand: Count = 0
    wood: Count = 0
    any_material: Count = 0
    coins: Count = 0
    equipment: Count = 0
    engineers: Count = 0
    points: Count = 0
    workers: Count = 0

    @property
    def materials(self) -> Stock:
        """The materials that are not of choice."""
        return (self.brick, self.stone, self.sand, self.wood)


class Deal(Form, frozen=True, omit_defaults=True):
    """The terms of a trade: first what is given, then what is got."""

    pay: Count = 0
    give_materials: Count = 0
    give_equipment: Count = 0
    engineers: Count = 0
    materials: Count = 0
    equipment: Count = 0
    workers: Count = 0
    coins: Count = 0


class Workers(Form, frozen=True):
    """Workers of a seat: `all` of them, and how many start in its warehouse."""

    all: Positive
    start: Count


class ClassRow(Form, frozen=True):
    """What holds for every lighthouse of a class."""

    extra_materials: Count
    majority: Count
    engineers: dict[Weather, Count]
    storm_injury: bool


class SiteRow(Form, frozen=True, rename={"light_class": "class"}):
    """A place on the coast for one lighthouse."""

    site: int
    region: Region
    light_class: LightClass
    harbour: int


class LighthouseRow(Form, frozen=True, rename={"light_class": "class"}):
    """A lighthouse tile: what every level of it costs besides the construction tile."""

    name: str
    light_class: LightClass
    extra: tuple[Material, ...]


class TileRow(Form, frozen=True, rename={"light_class": "class"}):
    """A construction tile: its materials and its reward."""

    light_class: LightClass
    cost: dict[Material, Count]
    reward: Gain

    @property
    def materials(self) -> Stock:
        """The cost as a stock."""
        return tuple(self.cost.get(material, 0) for material in MATERIALS)


class BargeRow(Form, frozen=True):
    """A barge card: how much each of its barges holds, and what it brings."""

    place: int
    loads: tuple[Positive, ...]
    engineers: Count
    coins: Count


class HarbourRow(Form, frozen=True):
    """A harbour tile: the income of its two sides."""

    normal: Gain
    improved: Gain


class EquipmentRow(Form, frozen=True):
    """A kind of equipment card and what it scores by class."""

    kind: Equipment
    copies: Positive
    points: dict[LightClass, Count]


class BrestRow(Form, frozen=True):
    """What Brest is filled up to, and its trades."""

    market: Count
    single_engineers: Count
    engineer_pairs: Count
    trades: dict[Trade, Deal]


class LorientRow(Form, frozen=True):
    """Lorient's trades."""

    trades: dict[Trade, Deal]


class EndRow(Form, frozen=True):
    """The scoring at the end."""

    turn_order: tuple[Count, ...]
    harbour_workers: dict[int, Count]
    coins_per_point: Positive


class Box(Form, frozen=True):
    """`components.toml`, key by key."""

    materials: tuple[Material, ...]
    tokens_per_material: Positive
    engineers: Count
    workers: Workers
    coins_to_start: Count
    rounds: Positive
    levels: Positive
    scaffold_wood: Count
    worker_home_points: Count
    worker_left_points: Count
    warehouse_limit: Count
    open_tiles: Positive
    weather: tuple[Weather, ...]
    harbours_in_play: Positive
    idle_coin: Count
    flips_region: dict[int, Positive]
    classes: dict[LightClass, ClassRow]
    sites: tuple[SiteRow, ...]
    finished: dict[int, tuple[int, ...]]
    lighthouses: tuple[LighthouseRow, ...]
    tiles: tuple[TileRow, ...]
    barges: tuple[BargeRow, ...]
    production: tuple[dict[int, tuple[Count, ...]], ...]
    harbours: tuple[HarbourRow, ...]
    equipment: tuple[EquipmentRow, ...]
    brest: BrestRow
    lorient: LorientRow
    end: EndRow
