"""Burano, greedily: each legal action is worth an estimate of points at the end of the game; the best one is taken.

Coins are cheap (five a point), so a seat acts as often as it can pay for. Roofs are the big scores: cubes are stacked,
taken and built for the ends of the roofs in hand. What the action of a colour would bring now (a catch or a sale, lace
workers, coins) is part of what building that colour is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, TypeAlias

from server.engines.burano.boards import Square
from server.engines.burano.box import Ship
from server.engines.burano.components import load
from server.engines.burano.state import Fish
from server.engines.burano.steps.lace_scoring import guilds, worth
from server.engines.burano.steps.ships import lots, sold_units

BOX = load()

COIN = 0.2
PRIVILEGE = 0.25
FISH = 1.3  # a fish caught, before it is known what it sells with
CREW = 0.9  # workers ashore
WORKER = 1.0  # a worker in the workshops
READY = 0.5  # a cube taken for no roof in sight
ROOF_END = 1.2  # a cube of the colour of an own roof's end
PAIR = 3.0  # a house that completes the two beneath an own roof
PAINT = 6.5
LACE_CUBE = 2.0  # a ready cube that can be returned for an own worker at season's end
KEPT_WORKERS = 3  # on the wheel: they bring cubes
ACTION_FLOOR = 0.35  # an action past the first is taken when it is worth this and its coins

Action: TypeAlias = Mapping[str, Any]


def choose(state: Mapping[str, Any], actions: Sequence[Action], random: Random) -> Action:
    """The action worth most; equal ones by the random numbers."""
    return ranked(state, actions, random)[0]


def ranked(state: Mapping[str, Any], actions: Sequence[Action], random: Random) -> Sequence[Action]:
    """The actions by their worth, the best first."""
    table = Table(state)
    values = [table.value(action) + random.random() * 1e-3 for action in actions]
    order = sorted(range(len(actions)), key=lambda place: -values[place])
    return [actions[place] for place in order]


class Table:
    """What one decision goes by: the public view and the own seat."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        game, you = state["game"], state["you"]
        self.phase: str = state["turn"]["phase"]
        self.game: Mapping[str, Any] = game
        self.seat: int = you["seat"]
        self.hand: list[str] = list(you["fish"])
        self.family: Mapping[str, Any] = game["families"][self.seat]
        self.reds: list[str] = list(self.family["wheel"]["reds"])
        self.spare: int = max(self.family["wheel"]["workers"] - BOX.stay_on_wheel, 0)
        self.ends = Counter(colour for roof in self.family["roofs"] for colour in roof["colours"])
        self.last_round: bool = game["round"] + 1 == game["rounds"]
        self._works: dict[str, float] = {}

    def value(self, action: Action) -> float:
        """Points that an action is worth, roughly."""
        weigh: Callable[[Action], float] | None = getattr(self, f"_{action['type']}", None)
        return weigh(action) if weigh else 0.0

    # ---- roofs and pyramids

    def _draw_roof(self, action: Action) -> float:
        return {"fixed": 4.0, "wheel": 3.0, "islands": 2.5, "workshops": 2.0}[action["kind"]]

    def _return_roof(self, _action: Action) -> float:
        return -1.0

    def _stack(self, action: Action) -> float:
        """What is wanted first comes on top."""
        wanted = self.ends[action["colour"]] + self._lace_demand[action["colour"]]
        return float(wanted * (action["layer"] - 0.5))

    @cached_property
    def _lace_demand(self) -> Counter[str]:
        return Counter(self.game["workshops"][square]["colour"] for square in self._own_squares)

    @cached_property
    def _own_squares(self) -> list[int]:
        squares = enumerate(self.game["workshops"])
        return [number for number, square in squares if square and self.seat in square["workers"]]

    # ---- a turn

    def _cost(self) -> float:
        taken = self.game["actions"]
        coins = BOX.action_coins[taken] if taken < len(BOX.action_coins) else 0
        return -coins * COIN if taken else 0.0

    def _end_turn(self, _action: Action) -> float:
        return ACTION_FLOOR

    def _coin_privilege(self, _action: Action) -> float:
        """A privilege for a coin when the coin pays for an action that is worth it; else it keeps."""
        taken = self.game["actions"]
        if self.phase != "turn" or not 0 < taken < len(BOX.action_coins):
            return -1.0
        short = -BOX.action_coins[taken] - self.family["coins"]
        useful = 0 < short <= self.family["privileges"] and sum(self.family["ready"].values()) > 0
        return ACTION_FLOOR + 0.5 if useful and self._best_work() > 2.0 else -1.0

    def _best_work(self) -> float:
        ready = [colour for colour, number in self.family["ready"].items() if number]
        return max((self._work(self.game["markers"][colour]) for colour in ready), default=0.0)

    def _cube_privilege(self, _action: Action) -> float:
        return -1.0

    def _take(self, action: Action) -> float:
        layers = [sum(edge * edge for edge in BOX.pyramid[:layer]) for layer in range(len(BOX.pyramid))]
        edge = BOX.pyramid[action["layer"]]
        colour = self.family["pyramid"][layers[action["layer"]] + action["row"] * edge + action["column"]]
        return READY + self._cube(colour) + 0.5 * self._work(self.game["markers"][colour]) - self._cost()

    def _cube(self, colour: str) -> float:
        """What a cube in the ready area is worth by itself."""
        lace = self._lace_demand[colour] - self.family["ready"][colour]
        value = ROOF_END if self.ends[colour] else 0.0
        return value + (LACE_CUBE / 2 if lace > 0 else 0.0)

    def _build(self, action: Action) -> float:
        colour = action["colour"]
        value = self._work(self.game["markers"][colour]) + self._site(colour, action["x"], action["y"])
        if self.last_round and 0 < self.family["ready"][colour] <= self._lace_demand[colour]:
            value -= LACE_CUBE
        return value - self._cost()

    def _site(self, colour: str, x: int, y: int) -> float:
        floors = self._floors(x, y) or ()
        value = PRIVILEGE if floors and floors[-1]["roof"]["colour"] == colour else 0.0
        level = len(floors) + 1
        if level > BOX.highest_roof or not self.ends[colour]:
            return value
        best = 0.0
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            beside = self._floors(x + dx, y + dy)
            if beside and len(beside) == level and beside[-1]["roof"] is None:
                pair = sorted((colour, beside[-1]["house"]))
                best = max(best, PAIR * any(sorted(roof["colours"]) == pair for roof in self.family["roofs"]))
        return value + best

    def _floors(self, x: int, y: int) -> Sequence[Mapping[str, Any]] | None:
        square = BOX.island.square_at(x, y)
        floors: Sequence[Mapping[str, Any]] | None = None if square is None else self.game["island"][square]
        return floors

    def _paint(self, action: Action) -> float:
        roof = next(roof for roof in self.family["roofs"] if roof["roof"] == action["roof"])
        return PAINT + self._roof_score(roof["kind"]) + self._painters(roof["colours"]) - self._cost()

    def _roof_score(self, kind: str) -> float:
        if kind == "fixed":
            return BOX.score.roof_fixed
        if kind == "wheel":
            return _by_table(BOX.score.roof_wheel, self._uncovered("fountain"))
        if kind == "islands":
            islands = (island["workers"] for island in self.game["islands"])
            return _by_table(BOX.score.roof_islands, sum(self._leads(workers) for workers in islands))
        return _by_table(BOX.score.roof_workshops, sum(self._leads(workers) for workers in self._by_colour()))

    def _leads(self, workers: Sequence[int]) -> bool:
        return all(workers[self.seat] > each for seat, each in enumerate(workers) if seat != self.seat)

    def _by_colour(self) -> list[list[int]]:
        seats = range(len(self.game["families"]))
        squares = [square for square in self.game["workshops"] if square]
        return [
            [sum(seat in square["workers"] for square in squares if square["colour"] == colour) for seat in seats]
            for colour in BOX.colours
        ]

    def _uncovered(self, mark: str) -> int:
        wheel = self.family["wheel"]
        sectors = [wheel["ring"][(wheel["first"] + number) % 12] for number in range(wheel["workers"], 12)]
        return sum(sector["mark"] == mark for sector in sectors)

    def _painters(self, colours: Sequence[str]) -> float:
        bonus = 0.0
        for card in self.family["buildings"]:
            ends = sum(colour in card["colours"] for colour in colours) if card["effect"] == "roof_bonus" else 0
            bonus += float(card["points"][ends - 1]) if ends else 0.0
        return bonus

    def _privilege(self, _action: Action) -> float:
        room: int = BOX.privilege_limit - self.family["privileges"]
        return PRIVILEGE * min(BOX.score.roof_privilege, room)

    def _building(self, action: Action) -> float:
        card = next(each for each in self.game["buildings"]["open"] if each and each["card"] == action["card"])
        seasons = float(len(BOX.rounds) - self.game["season"])
        each_point = float(card["points"][0]) if card["points"] else 0.0
        match card["effect"]:
            case "points" | "joker_cube":
                return each_point
            case "per_building":
                return each_point * (len(self.family["buildings"]) + 1) + seasons
            case "sold_fish":
                sold = sum(kind in card["fish"] for kind in (*self.family["sold"], *self.hand))
                return each_point * sold + seasons
            case "lace_workers":
                colours = (self.game["workshops"][square]["colour"] for square in self._own_squares)
                return each_point * sum(colour in card["colours"] for colour in colours) + seasons
            case "roof_bonus":
                return 2.5 * seasons
            case "roof_any_colour":
                return 2.0 * seasons
        return 0.8 * seasons

    # ---- the actions of the colours

    def _work(self, work: str) -> float:
        """What the action would bring now."""
        if work not in self._works:
            self._works[work] = self._reckoned(work)
        return self._works[work]

    def _reckoned(self, work: str) -> float:
        if work == "fish":
            return max((self._arrival(node) for node in self._reachable()), default=0.0)
        if work == "lace":
            return WORKER * min(self.spare, len(self.reds), BOX.lace_at_most) * 0.8
        return COIN * self._uncovered("coin")

    def _reachable(self) -> list[str]:
        ways = BOX.sea.ways[BOX.sea.node_of[self.family["boat"]]]
        return [BOX.sea.nodes[node] for node in ways]

    def _arrival(self, node: str) -> float:
        if node in BOX.sea.harbours:
            return self._best_sale(node)
        island = next(island for island in self.game["islands"] if island["name"] == node)
        reds, docks = Counter(self.reds), Counter(island["docks"])
        matches = (reds & docks).total()
        return matches * FISH + (CREW if matches and self.spare else 0.0)

    def _best_sale(self, harbour: str) -> float:
        """The best sale there, less what the fish are worth in hand."""
        best = 0.0
        for ship in self.game["ships"]:
            if ship["harbour"] == harbour:
                best = max(best, _sale(BOX.ships[ship["ship"]], self.hand, FISH))
        return best

    def _sail(self, action: Action) -> float:
        return self._arrival(action["route"][-1])

    def _skip(self, _action: Action) -> float:
        return 0.0

    def _swap(self, _action: Action) -> float:
        return -1.0

    def _catch(self, action: Action) -> float:
        kind = None if action["from"] == "deck" else self.game["fish"]["open"][action["from"]]
        kinds = [kind] if kind else list(BOX.fish.kinds)
        return sum(_prospect([*self.hand, each]) for each in kinds) / len(kinds)

    def _send(self, _action: Action) -> float:
        return CREW if self.family["wheel"]["workers"] > KEPT_WORKERS else -0.1

    def _sell(self, action: Action) -> float:
        ship = BOX.ships[action["ship"]]
        lot = tuple(BOX.fish_of[kind] for kind in action["fish"])
        held = 0.0 if self.game["season"] + 1 == len(BOX.rounds) else FISH
        return ship.points[sold_units(ship, lot) - 1] - held * len(lot)

    def _lace(self, action: Action) -> float:
        square = self.game["workshops"][action["square"]]
        beside = BOX.workshops.beside[action["square"]]
        own = set(self._own_squares)
        demand: int = self.family["ready"][square["colour"]] + self.family["pyramid"].count(square["colour"])
        value: float = WORKER + COIN * square["coin"] + 0.3 * len(own.intersection(beside)) + 0.1 * min(demand, 3)
        if self.family["wheel"]["workers"] <= KEPT_WORKERS:
            value -= WORKER
        return value - (2 * PRIVILEGE if action["privilege"] else 0.0)

    def _earn(self, _action: Action) -> float:
        return COIN * self._uncovered("coin") + 0.01

    def _recall(self, action: Action) -> float:
        """Back from an island that is lost anyway, when the wheel runs low."""
        low = self.family["wheel"]["workers"] <= KEPT_WORKERS
        if "island" not in action:
            return -1.0
        workers = next(island["workers"] for island in self.game["islands"] if island["name"] == action["island"])
        lost = workers[self.seat] < max(workers) or workers[self.seat] > 1
        return 0.1 if low and lost else -1.0

    def _score_lace(self, action: Action) -> float:
        squares = [Square(square) for square in action["squares"]]
        points = worth(BOX, len(squares), guilds(BOX, squares))
        returned = len(squares) - (action["joker"] is not None)
        return points - READY * returned


def _by_table(table: Sequence[int], count: int) -> float:
    return table[min(count, len(table) - 1)]


def _sale(ship: Ship, hand: Sequence[str], held: float) -> float:
    """The best sale to the ship, less `held` for each fish sold."""
    fish = Fish(tuple(hand.count(kind) for kind in BOX.fish.kinds))
    sales = (ship.points[sold_units(ship, lot) - 1] - held * len(lot) for lot in lots(ship, fish))
    return max(sales, default=0.0)


def _prospect(hand: Sequence[str]) -> float:
    """What a hand may come to: its different kinds and its largest group, as they would sell."""
    counts = Counter(hand)
    different, same = len(counts), max(counts.values(), default=0)
    return 0.5 * different * different + 0.7 * same * same
