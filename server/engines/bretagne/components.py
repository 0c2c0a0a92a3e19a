"""Bretagne's tiles, cards, prices and numbers, checked before anything is played.

1. `Box` is the file as it stands; `Components` adds what the rules look up often. No other module holds its numbers.
2. Ids are places in the file: tiles, lighthouses, harbours, barges and production cards from 0, equipment cards from 0
   copy after copy. Sites keep their printed number, from 1.
3. A file that breaks a constraint is refused, with the file, the key and the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import add
from pathlib import Path
from typing import TypeAlias

from server.engines.bretagne.box import (
    CLASSES,
    KINDS,
    MATERIALS,
    REGIONS,
    TERMS,
    Box,
    City,
    Deal,
    LightClass,
    LighthouseRow,
    Material,
    Region,
    SiteRow,
    Stock,
    TileRow,
    Trade,
    Weather,
)
from server.engines.components import BrokenComponents, read_components

FILE = Path(__file__).with_name("components.toml")
SEATS = range(2, 5)

# The counts that the rules state; the file lists the pieces themselves.
_PER_CLASS = {"sites": 5, "lighthouses": 5, "tiles": 12}
_IN_ALL = {"weather": 6, "barges": 4, "production": 6, "harbours": 12}
_CARDS = 30
_BARGES_A_CARD = 3

Problem: TypeAlias = tuple[str, str]  # key, reason


def _problems(box: Box) -> Iterator[Problem]:
    yield from _counts(box)
    yield from _coast(box)
    yield from _tables(box)
    yield from _cards(box)
    for city, trades in ((City.BREST, box.brest.trades), (City.LORIENT, box.lorient.trades)):
        yield from _trades(city, trades)


def _counts(box: Box) -> Iterator[Problem]:
    if box.materials != MATERIALS:
        yield "materials", f"must be {', '.join(MATERIALS)}, in this order"
    for key, wanted in _PER_CLASS.items():
        rows: tuple[SiteRow | LighthouseRow | TileRow, ...] = getattr(box, key)
        found = Counter(row.light_class for row in rows)
        if any(found[light_class] != wanted for light_class in CLASSES):
            yield key, f"must have {wanted} of each class"
    for key, wanted in _IN_ALL.items():
        if len(getattr(box, key)) != wanted:
            yield key, f"must have {wanted} entries"
    for key in ("weather", "production"):
        if len(getattr(box, key)) < box.rounds:
            yield key, "must have a card for every round"
    if box.workers.start > box.workers.all:
        yield "workers.start", "is more than a seat has"


def _coast(box: Box) -> Iterator[Problem]:
    if [row.site for row in box.sites] != list(range(1, len(box.sites) + 1)):
        yield "sites", "must be numbered from 1, clockwise, without gaps"
    if box.harbours_in_play > len(box.harbours):
        yield "harbours_in_play", "is more than there are harbour tiles"
    regions: dict[int, Region] = {}
    for row in box.sites:
        if regions.setdefault(row.harbour, row.region) != row.region:
            yield f"sites[{row.site - 1}].harbour", "belongs to another region"
    if set(regions) != set(range(box.harbours_in_play)):
        yield "sites", "must lead to every harbour in play and to no other"
    for seats, sites in box.finished.items():
        known = set(sites) < {row.site for row in box.sites}
        if seats not in SEATS or not known or len(set(sites)) != len(sites):
            yield f"finished.{seats}", "must name some sites, each once, for a number of seats of the game"
    if set(box.flips_region) != set(SEATS):
        yield "flips_region", "must have an entry for each number of seats"


def _tables(box: Box) -> Iterator[Problem]:
    for light_class in CLASSES:
        if light_class not in box.classes:
            yield f"classes.{light_class}", "is missing"
        elif set(box.classes[light_class].engineers) != set(Weather):
            yield f"classes.{light_class}.engineers", "must have an entry for each weather"
    for i, lighthouse in enumerate(box.lighthouses):
        row = box.classes.get(lighthouse.light_class)
        if row is not None and len(lighthouse.extra) != row.extra_materials:
            yield f"lighthouses[{i}].extra", f"must be {row.extra_materials} materials, as its class says"
    for i, tile in enumerate(box.tiles):
        if not sum(tile.materials):
            yield f"tiles[{i}].cost", "must be a material at least"
    if set(box.end.harbour_workers) != set(range(1, max(SEATS) + 1)):
        yield "end.harbour_workers", "must have an entry for each number of workers in a harbour"


def _cards(box: Box) -> Iterator[Problem]:
    for i, barge in enumerate(box.barges):
        if barge.place != i + 1:
            yield f"barges[{i}].place", f"must be {i + 1}"
        if len(barge.loads) != _BARGES_A_CARD:
            yield f"barges[{i}].loads", f"must be {_BARGES_A_CARD} barges"
    for i, card in enumerate(box.production):
        if set(card) != set(SEATS) or any(len(stock) != len(MATERIALS) for stock in card.values()):
            yield f"production[{i}]", "must have a count per material for each number of seats"
    if tuple(row.kind for row in box.equipment) != KINDS:
        yield "equipment", f"must be {', '.join(KINDS)}, in this order"
    if sum(row.copies for row in box.equipment) != _CARDS:
        yield "equipment", f"must be {_CARDS} cards"
    for i, row in enumerate(box.equipment):
        if set(row.points) != set(CLASSES):
            yield f"equipment[{i}].points", "must have an entry for each class"


def _trades(city: City, trades: dict[Trade, Deal]) -> Iterator[Problem]:
    if set(trades) != set(TERMS[city]):
        yield f"{city}.trades", f"must be {', '.join(TERMS[city])}"
    for trade, deal in trades.items():
        terms = TERMS[city].get(trade)
        if terms is not None and {key for key in deal.__struct_fields__ if getattr(deal, key)} != terms:
            yield f"{city}.trades.{trade}", f"must name {', '.join(sorted(terms))} and nothing else"
    swap = trades.get(Trade.SWAP)
    if swap is not None and (swap.give_equipment, swap.materials) != (1, 1):
        yield f"{city}.trades.swap", "must be one card for one material, as the action names one of each"


class Components:
    """The box, and what the rules look up in it often.

    Raises:
        BrokenComponents: the box can't be played with; names the key and the reason.
    """

    def __init__(self, box: Box, file: str = FILE.name) -> None:
        for key, reason in _problems(box):
            raise BrokenComponents(file, key, reason)
        self.box = box
        self.trades = {City.BREST: box.brest.trades, City.LORIENT: box.lorient.trades}
        self.pair = box.brest.trades[Trade.HIRE_PAIR].engineers
        self.tiles_of = {c: tuple(i for i, row in enumerate(box.tiles) if row.light_class == c) for c in CLASSES}
        self.lighthouses_of = {
            c: tuple(i for i, row in enumerate(box.lighthouses) if row.light_class == c) for c in CLASSES
        }
        self.sites_of = {c: tuple(row.site for row in box.sites if row.light_class == c) for c in CLASSES}
        self.harbours_of = {
            region: tuple(sorted({row.harbour for row in box.sites if row.region == region})) for region in REGIONS
        }
        self.card_kinds = tuple(row.kind for row in box.equipment for _ in range(row.copies))
        self.card_points = {row.kind: row.points for row in box.equipment}
        self.costs = {
            (lighthouse, scaffold): self._costs(light_class, lighthouse, scaffold=scaffold)
            for light_class in CLASSES
            for lighthouse in self.lighthouses_of[light_class]
            for scaffold in (False, True)
        }

    def _costs(self, light_class: LightClass, lighthouse: int, *, scaffold: bool) -> dict[int, Stock]:
        """The materials of a level on a lighthouse, by tile; `scaffold`: whether it takes one."""
        besides = Counter(self.box.lighthouses[lighthouse].extra)
        besides[Material.WOOD] += self.box.scaffold_wood * scaffold
        extra = [besides[material] for material in MATERIALS]
        return {tile: tuple(map(add, self.box.tiles[tile].materials, extra)) for tile in self.tiles_of[light_class]}


def load_components(path: Path = FILE) -> Components:
    """The components of the game in the file at `path`.

    Raises:
        BrokenComponents: as `read_components`, and when a constraint between the tables does not hold.
    """
    return Components(read_components(path, Box), path.name)
