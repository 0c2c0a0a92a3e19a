"""Bretagne as a seat sees it, reckoned in points: what it can build with, and what the open tiles promise to it.

`Means` is what a seat can build with; `prospect` is what the open tiles promise to it, materials still missing being
bought in thought.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

View: TypeAlias = Mapping[str, Any]
Stock: TypeAlias = tuple[int, ...]

MATERIALS = ("brick", "stone", "sand", "wood")
MISSING = 1.2  # what a material that is not there costs, in points
SPARE = 0.15  # what a material is worth that no build needs now
CARD = 2.6  # an equipment card before it is known where it will be played
HIRED = 1.5  # an engineer that a build uses up
LOOK_AHEAD = 3  # builds that a prospect is made of


class Means(NamedTuple):
    """What a seat can build and trade with."""

    stock: Stock
    engineers: int
    coins: int
    workers: int
    cards: int


class Offer(NamedTuple):
    """A tile on a lighthouse: its cost, and its worth in points before its cost."""

    tile: int
    site: int
    cost: Stock
    engineers: int
    worth: float


class Sight:
    """The table as the deciding seat sees it."""

    def __init__(self, state: View) -> None:
        self.game: View = state["game"]
        self.seat: int = state["you"]["seat"]
        self.hand: Mapping[str, int] = state["you"]["hand"]
        self.me: View = self.game["players"][self.seat]
        self.numbers: View = self.game["reference"]
        self.task: View = self.game["task"]
        self.rounds_left: int = self.game["rounds"] - self.game["round"]
        self.coin = 0.6 if self.rounds_left else 1 / self.numbers["coins_per_point"]
        self.stock = self._stock()
        self.promises: dict[tuple[Stock, int], float] = {}

    def _stock(self) -> Stock:
        """The warehouse and the barges."""
        stock = [self.me["materials"][material] for material in MATERIALS]
        for load in self.me["loads"]:
            if load:
                stock[MATERIALS.index(load["material"])] += load["amount"]
        return tuple(stock)

    def means(self) -> Means:
        """What the seat has now."""
        return Means(self.stock, self.me["engineers"], self.me["coins"], self.me["warehouse"], sum(self.hand.values()))

    def workers_on(self, lighthouse: View) -> dict[int, int]:
        """The workers on a lighthouse by seat."""
        workers: dict[int, int] = {}
        for level in lighthouse["levels"]:
            if level["workers"]:
                workers[level["seat"]] = workers.get(level["seat"], 0) + level["workers"]
        return workers

    def lighthouse(self, site: int) -> View:
        """What stands on the site."""
        found: View = self.game["lighthouses"][site - 1]
        return found

    @cached_property
    def offers(self) -> Sequence[Offer]:
        """Every build that somebody with all materials could make, the most worth first."""
        return sorted(self._offers(), key=lambda offer: -offer.worth)

    def _offers(self) -> Iterator[Offer]:
        weather, home, point = self.game["weather"]["now"], self.me["warehouse"], self.numbers["worker_home_points"]
        tiles = {name: [self._tile(tile) for tile in row["open"]] for name, row in self.game["tiles"].items()}
        for lighthouse in self.game["lighthouses"]:
            height = len(lighthouse["levels"])
            if lighthouse["status"] != "open" or height == self.numbers["levels"]:
                continue
            site = lighthouse["site"]
            engineers = self.numbers["classes"][lighthouse["class"]]["engineers"][weather]
            bonus = self._bonus(lighthouse) - HIRED * engineers
            bricks, stones, sands, woods = self._extra(lighthouse)
            for tile, (brick, stone, sand, wood), workers, worth in tiles[lighthouse["class"]]:
                cost = (brick + bricks, stone + stones, sand + sands, wood + woods)
                crew = min(sum(cost), home + workers)
                yield Offer(tile, site, cost, engineers, worth + bonus + crew * point)

    def _tile(self, tile: View) -> tuple[int, Stock, int, float]:
        """Its number, its cost, and what it brings: workers, and the worth of everything together."""
        cost, reward = tile["cost"].get, tile["reward"]
        materials = (cost("brick", 0), cost("stone", 0), cost("sand", 0), cost("wood", 0))
        return tile["id"], materials, reward.get("workers", 0), self._reward(reward)

    def _extra(self, lighthouse: View) -> Stock:
        wood = self.numbers["scaffold_wood"] if lighthouse["levels"] else 0
        extra = lighthouse["extra"].count
        return (extra("brick"), extra("stone"), extra("sand"), extra("wood") + wood)

    def _reward(self, reward: View) -> float:
        worth: float = reward.get("points", 0) + self.coin * reward.get("coins", 0)
        worth += self.card() * reward.get("equipment", 0)
        return worth + float(reward.get("workers", 0) + reward.get("any_material", 0))

    def _bonus(self, lighthouse: View) -> float:
        """What every level built here is worth besides its tile."""
        worth: float = self.coin * lighthouse["coins"]
        if self.seat in self.workers_on(lighthouse):
            worth += 1.0 + (2.0 if len(lighthouse["levels"]) + 1 == self.numbers["levels"] else 0.0)
        return worth

    def card(self) -> float:
        """What another equipment card is worth."""
        return CARD if self.rounds_left else CARD / 2


def prospect(sight: Sight, means: Means) -> float:
    """What the best few builds promise, one after the other, and what is left over."""
    stock, engineers, coins, workers, cards = means
    promised = sight.promises.get((stock, engineers))
    if promised is None:
        promised = sight.promises[stock, engineers] = _promised(sight, stock, engineers)
    return promised + sight.coin * coins + min(cards, 4) * sight.card() + 0.4 * workers


def _promised(sight: Sight, stock: Stock, engineers: int) -> float:
    """The builds, and the materials that are left over; written out, for this is where a search spends its time."""
    total = 0.0
    tiles: set[int] = set()
    sites: set[int] = set()
    for _ in range(LOOK_AHEAD):
        best, best_worth = None, 0.5
        bricks, stones, sands, woods = stock
        for offer in sight.offers:
            tile, site, (brick, stone, sand, wood), needed, worth = offer
            if worth <= best_worth:
                break  # the others are worth less still
            if needed > engineers or tile in tiles or site in sites:
                continue
            missing = brick - bricks if brick > bricks else 0
            if stone > stones:
                missing += stone - stones
            if sand > sands:
                missing += sand - sands
            if wood > woods:
                missing += wood - woods
            if missing:
                worth -= MISSING * missing
            if worth > best_worth:
                best, best_worth = offer, worth
        if best is None:
            break
        tiles.add(best.tile)
        sites.add(best.site)
        stock = tuple(max(0, b - a) for a, b in zip(best.cost, stock, strict=True))
        engineers -= best.engineers
        total += best_worth
    return total + SPARE * sum(stock)
