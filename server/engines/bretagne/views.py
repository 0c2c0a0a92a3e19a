"""What everybody may see of Bretagne, and what one seat may see besides. Nothing else decides secrecy.

1. Secret: hands (their sizes are public), the order of stacks and decks, weather beyond the forecast, production cards
   to come. Equipment shows by kind, never by card.
2. Equal parts are the same objects, in all games at once: every part is made once and remembered by its value, the last
   few thousand of each sort.
3. `reference` holds what the box says and a client needs to reckon with; it never changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar, cast

import msgspec

from server.engines.bretagne.box import (
    CITIES,
    CLASSES,
    KINDS,
    MATERIALS,
    TERMS,
    BargeRow,
    City,
    ClassRow,
    Deal,
    Gain,
    Material,
    Stock,
    Weather,
)
from server.engines.bretagne.components import Components
from server.engines.bretagne.shapes import (
    BargeView,
    BrestView,
    ClassView,
    Counts,
    EquipmentView,
    HarbourTileView,
    HarbourView,
    LevelView,
    LighthouseView,
    LoadView,
    PlayerView,
    PrivateView,
    ProductionView,
    PublicView,
    ReferenceView,
    SupplyView,
    TaskView,
    TilesView,
    TileView,
    WeatherView,
)
from server.engines.bretagne.state import (
    AnyTask,
    Brest,
    ChooseBarge,
    Harbour,
    Income,
    Level,
    Lighthouse,
    Load,
    Player,
    State,
    Supply,
)

Made = TypeVar("Made")

REMEMBERED = 4096  # parts of each sort


def _remembered(make: Callable[..., Made]) -> Callable[..., Made]:
    """`make`, its last `REMEMBERED` results kept by the values of its arguments."""
    return lru_cache(maxsize=REMEMBERED)(make)


class Views:
    """The views of all games that are played with the same components."""

    def __init__(self, components: Components) -> None:
        self._components = components
        box = components.box
        self._tile_views: tuple[TileView, ...] = tuple(
            {"id": i, "class": row.light_class.value, "cost": _named(row.materials), "reward": _plain(row.reward)}
            for i, row in enumerate(box.tiles)
        )
        self._harbour_tiles: tuple[HarbourTileView, ...] = tuple(
            {"id": i, "normal": _plain(row.normal), "improved": _plain(row.improved)}
            for i, row in enumerate(box.harbours)
        )
        self._regions = [
            next(row.region.value for row in box.sites if row.harbour == i) for i in range(box.harbours_in_play)
        ]
        self._stock = _remembered(_stock_view)
        self._row = _remembered(lambda *row: row)
        self._task = _remembered(self._task_view)
        self._weather = _remembered(self._weather_view)
        self._production = _remembered(self._production_view)
        self._kinds = _remembered(self._kinds_view)
        self._names = _remembered(lambda cards: tuple(components.card_kinds[card].value for card in cards))
        self._words = _remembered(_words_view)
        self._brest = _remembered(self._brest_view)
        self._supply = _remembered(self._supply_view)
        self._class_tiles = _remembered(self._class_tiles_view)
        self._tiles = _remembered(self._tiles_view)
        self._open = _remembered(lambda tiles: tuple(self._tile_views[tile] for tile in tiles))
        self._level = _remembered(_level_view)
        self._levels = _remembered(lambda levels: tuple(map(self._level, levels)))
        self._lighthouse = _remembered(self._lighthouse_view)
        self._lighthouses = _remembered(lambda each: tuple(map(self._lighthouse, range(1, len(each) + 1), each)))
        self._harbour = _remembered(self._harbour_view)
        self._harbours = _remembered(lambda each: tuple(map(self._harbour, range(len(each)), each)))
        self._spare = _remembered(self._spare_view)
        self._equipment = _remembered(self._equipment_view)
        self._load = _remembered(_load_view)
        self._loads = _remembered(lambda loads: tuple(map(self._load, loads)))
        self._player = _remembered(self._player_view)
        self._players = _remembered(lambda each: tuple(map(self._player, each)))
        self._reference = _remembered(self._reference_view)
        self._hand = _remembered(self._hand_view)

    def public(self, state: State) -> PublicView:
        """What everybody may see."""
        supplied = not isinstance(state.task, ChooseBarge | Income)
        return {
            "round": state.round,
            "rounds": self._components.box.rounds,
            "task": self._task(state.task),
            "order": self._row(*state.order),
            "passed": self._row(*state.passed),
            "weather": self._weather(state.weather, state.round, self._components.box.rounds),
            "production": self._production(state.production, state.round, supplied),
            "quimper": self._stock(state.quimper),
            "brest": self._brest(state.brest),
            "supply": self._supply(state.supply),
            "tiles": self._tiles(state.stacks, state.open),
            "lighthouses": self._lighthouses(state.lighthouses),
            "harbours": self._harbours(state.harbours),
            "spare_harbours": self._spare(state.harbours),
            "equipment": self._equipment(len(state.deck), state.discards),
            "players": self._players(state.players),
            "reference": self._reference(len(state.players)),
        }

    def private(self, state: State, seat: int) -> PrivateView:
        """What only the seat may see."""
        return self._hand(state.players[seat].hand)

    def _task_view(self, task: AnyTask) -> TaskView:
        fields = msgspec.to_builtins(task).items()
        view = {name: self._row(*value) if isinstance(value, tuple) else value for name, value in fields}
        return cast(TaskView, view)

    def _weather_view(self, cards: tuple[Weather, ...], round_: int, rounds: int) -> WeatherView:
        return {
            "now": cards[round_ - 1].value,
            "forecast": cards[round_].value if round_ < rounds else None,
            "past": self._row(*(card.value for card in cards[: round_ - 1])),
        }

    def _production_view(self, cards: tuple[int, ...], round_: int, supplied: bool) -> ProductionView:
        return {"now": cards[round_ - 1] if supplied else None, "past": self._row(*cards[: round_ - 1])}

    def _kinds_view(self, cards: tuple[int, ...]) -> Counts:
        """Cards by kind, all kinds named."""
        kinds = Counter(self._components.card_kinds[card] for card in cards)
        return {kind.value: kinds[kind] for kind in KINDS}

    def _brest_view(self, brest: Brest) -> BrestView:
        return {
            "market": self._stock(brest.market),
            "single_engineers": brest.single_engineers,
            "engineer_pairs": brest.engineer_pairs,
        }

    def _supply_view(self, supply: Supply) -> SupplyView:
        return {"materials": self._stock(supply.materials), "engineers": supply.engineers}

    def _tiles_view(
        self, stacks: tuple[tuple[int, ...], ...], opened: tuple[tuple[int, ...], ...]
    ) -> dict[str, TilesView]:
        rows = zip(CLASSES, stacks, opened, strict=True)
        return {light_class.value: self._class_tiles(len(stack), tiles) for light_class, stack, tiles in rows}

    def _class_tiles_view(self, stack: int, tiles: tuple[int, ...]) -> TilesView:
        return {"open": self._open(tiles), "stack": stack}

    def _lighthouse_view(self, site: int, lighthouse: Lighthouse) -> LighthouseView:
        place = self._components.box.sites[site - 1]
        row = self._components.box.lighthouses[lighthouse.tile]
        return {
            "site": site,
            "region": place.region.value,
            "class": place.light_class.value,
            "harbour": place.harbour,
            "id": lighthouse.tile,
            "name": row.name,
            "extra": self._words(row.extra),
            "status": lighthouse.status.value,
            "levels": self._levels(lighthouse.levels),
            "engineers": lighthouse.engineers,
            "coins": lighthouse.coins,
            "cards": self._names(lighthouse.cards),
        }

    def _harbour_view(self, number: int, harbour: Harbour) -> HarbourView:
        return {
            "harbour": number,
            "region": self._regions[number],
            "tile": self._harbour_tiles[harbour.tile],
            "improved": harbour.improved,
            "workers": self._row(*harbour.workers),
        }

    def _spare_view(self, harbours: tuple[Harbour, ...]) -> tuple[HarbourTileView, ...]:
        used = {harbour.tile for harbour in harbours}
        return tuple(tile for tile in self._harbour_tiles if tile["id"] not in used)

    def _equipment_view(self, deck: int, discards: tuple[int, ...]) -> EquipmentView:
        return {"deck": deck, "discards": self._kinds(discards)}

    def _player_view(self, player: Player) -> PlayerView:
        return {
            "coins": player.coins,
            "points": player.points,
            "materials": self._stock(player.materials),
            "engineers": player.engineers,
            "warehouse": player.warehouse,
            "reserve": player.reserve,
            "brest": player.cities[CITIES.index(City.BREST)],
            "lorient": player.cities[CITIES.index(City.LORIENT)],
            "barge": player.barge,
            "loads": self._loads(player.loads),
            "hand": len(player.hand),
        }

    def _hand_view(self, hand: tuple[int, ...]) -> PrivateView:
        return {"hand": self._kinds(hand)}

    def _reference_view(self, seats: int) -> ReferenceView:
        components, box = self._components, self._components.box
        return {
            "levels": box.levels,
            "scaffold_wood": box.scaffold_wood,
            "warehouse_limit": box.warehouse_limit,
            "worker_home_points": box.worker_home_points,
            "worker_left_points": box.worker_left_points,
            "flips_region": box.flips_region[seats],
            "coins_per_point": box.end.coins_per_point,
            "turn_order_points": box.end.turn_order[:seats],
            "harbour_points": tuple(box.end.harbour_workers[n] for n in sorted(box.end.harbour_workers)),
            "classes": {name.value: _class_view(box.classes[name]) for name in CLASSES},
            "equipment": {
                kind.value: {name.value: components.card_points[kind][name] for name in CLASSES} for kind in KINDS
            },
            "trades": {
                city.value: {trade.value: _plain(components.trades[city][trade]) for trade in TERMS[city]}
                for city in CITIES
            },
            "barges": tuple(_barge_view(row) for row in box.barges),
            "production": tuple(_stock_view(card[seats]) for card in box.production),
        }


def _plain(row: Gain | Deal) -> Counts:
    """What a table names, zeros left out."""
    return cast(Counts, msgspec.to_builtins(row))


def _named(stock: Stock) -> Counts:
    return {material.value: n for material, n in zip(MATERIALS, stock, strict=True) if n}


def _words_view(materials: tuple[Material, ...]) -> tuple[str, ...]:
    return tuple(material.value for material in materials)


def _stock_view(stock: Stock) -> Counts:
    return {material.value: n for material, n in zip(MATERIALS, stock, strict=True)}


def _level_view(level: Level) -> LevelView:
    return {"tile": level.tile, "seat": level.seat, "workers": level.workers}


def _load_view(load: Load | None) -> LoadView | None:
    return None if load is None else {"material": MATERIALS[load.material].value, "amount": load.amount}


def _class_view(row: ClassRow) -> ClassView:
    return {
        "majority": row.majority,
        "engineers": {weather.value: row.engineers[weather] for weather in Weather},
        "storm_injury": row.storm_injury,
    }


def _barge_view(row: BargeRow) -> BargeView:
    return {"loads": row.loads, "engineers": row.engineers, "coins": row.coins}
