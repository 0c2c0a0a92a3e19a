"""Islet: moves of a whole turn, from region to region and egg to egg, the most promising first.

Payments take guarded resources first: they cost nothing. Of the ways to pay for one thing the two cheapest are looked
at, and of the resources that an egg can guard, or that can give one up, the two best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush
from operator import add, gt, mul, sub
from typing import NamedTuple, TypeAlias

from clients.bots.outlooks.islet import FIRST_NEST, KINDS, C, Island, Means, height_worth, lacking, worth
from server.engines.engine import Action
from server.engines.islet.actions import Guard, LayEgg, Stop, Unguard, Walk, pay_of
from server.engines.islet.components import KINDS as RESOURCES
from server.engines.islet.components import Counts
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import FREE, Payment, Phase, State
from server.engines.islet.steps.payment import changed

WAYS = 2
CHOICES = 2
LISTED = 30  # ends of moves that are looked through for different beginnings
COSTS = (1.0,) * FIRST_NEST + (1.5,) * (KINDS - FIRST_NEST)  # of an unguarded card
LAST_EGG, LAST_HEIGHT = 10.0, 0.1  # in the last turn nothing else counts
MOST_EGGS = max(C.eggs.values())
FLAT = 0.01  # a used resource gives up its egg rather than an unused one


class Plan(NamedTuple):
    """A way for a turn to go on: how its end is liked, and its actions."""

    liking: float
    line: tuple[Action, ...]


class Spot(NamedTuple):
    """A position within a move: the region of the bird, what the seat has, where it laid eggs this turn."""

    region: int | None
    cards: Counts
    guarded: Counts
    used: Counts
    eggs: int
    laid: frozenset[Cell]
    piles: Counts

    @property
    def kept(self) -> Counts:
        """The guarded resources, used or not."""
        return tuple(map(add, self.guarded, self.used))

    def paid(self, payment: Payment, region: int | None, laid: frozenset[Cell]) -> Spot:
        """After a payment: the bird is in this region, and these eggs are laid."""
        return Spot(
            region=region,
            cards=tuple(map(sub, self.cards, payment.cards)),
            guarded=tuple(map(sub, self.guarded, payment.guarded)),
            used=tuple(map(add, self.used, payment.guarded)),
            eggs=self.eggs,
            laid=laid,
            piles=tuple(map(add, self.piles, payment.cards)),
        )


class Enter(NamedTuple):
    """A paid walk to a region, after free ones."""

    region: int
    payment: Payment


class Lay(NamedTuple):
    """An egg on a tile of the region, after free walks."""

    cell: Cell
    payment: Payment


Step: TypeAlias = Enter | Lay | Guard | Unguard


class End(NamedTuple):
    """A position and how it was come by: the end before it, and the last step. Heaps take the most liked first."""

    disliking: float
    number: int
    spot: Spot
    before: End | None
    step: Step | None

    def steps(self) -> list[Step]:
        """From the beginning."""
        end: End | None = self
        steps: list[Step] = []
        while end is not None:
            if end.step is not None:
                steps.append(end.step)
            end = end.before
        return steps[::-1]


@lru_cache(maxsize=1 << 13)
def payments(kind: int, cards: Counts, guarded: Counts, piles: Counts) -> tuple[Payment, ...]:
    """The cheapest ways to pay for a walk onto this terrain, or for an egg on this nest."""
    found: list[tuple[float, int, Payment]] = []
    most = tuple(map(add, cards, guarded))
    for spend, converts in C.prices[kind].recipes:
        if any(map(gt, spend, most)):
            continue
        flat = tuple(map(min, spend, guarded))
        paid = tuple(map(sub, spend, flat))
        if not converts or piles[kind] or paid[kind]:
            found.append((sum(map(mul, COSTS, paid)), sum(flat), Payment(paid, flat)))
    found.sort(key=lambda way: way[:2])
    return tuple(payment for _, _, payment in found[:WAYS])


class Mover:
    """Looks for moves of the seat whose turn it is."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._island = Island.of(state.board)
        self._others = frozenset(state.others())
        self._height = height_worth(state)
        self._last = state.ending is not None and state.ending.round <= state.round
        player = state.player
        self._bird = player.bird
        self._barred = frozenset(state.trail) - {player.bird} if state.phase is Phase.MOVE else frozenset[Cell]()
        region = None if player.bird is None else self._island.region[player.bird]
        laid = frozenset[Cell]()
        if state.phase is Phase.UNGUARD and player.bird is not None:
            laid = frozenset((player.bird,))
        self._start = Spot(region, player.cards, player.guarded, player.used, player.eggs, laid, state.piles)

    def moves(self, look: int, most: int) -> Sequence[Plan]:
        """Moves with different beginnings, as far as `look` positions show them, the most liked first."""
        ahead = self._starts()
        known = {end.spot for end in ahead}
        number, ends = len(ahead), list[End]()
        while ahead and len(ends) < look:
            end = heappop(ahead)
            ends.append(end)
            for after in self._onward(end):
                if after.spot not in known:
                    known.add(after.spot)
                    number += 1
                    heappush(ahead, after._replace(number=number))
        begun = [end for end in (*ends, *ahead) if end.step is not None or self._state.phase is Phase.MOVE]
        return self._lines(sorted(begun, key=lambda end: end[:2])[:LISTED], most)

    def _starts(self) -> list[End]:
        match self._state.phase:
            case Phase.GUARD:
                found = self._guards(self._start, None)
            case Phase.UNGUARD:
                found = self._unguards(self._start, None)
            case _:
                found = [self._end(self._start, None, None)]
        ends = [end._replace(number=number) for number, end in enumerate(found, 1)]
        heapify(ends)
        return ends

    def _end(self, spot: Spot, before: End | None, step: Step | None) -> End:
        return End(-self._liking(spot), 0, spot, before, step)

    def _liking(self, spot: Spot) -> float:
        """How much the seat likes to end its turn here."""
        at = self._state.board.at
        height = sum(at[cell].level for cell in spot.laid)
        kept = spot.kept
        to_lay = spot.eggs + sum(kept)
        if self._last:
            return LAST_EGG * (MOST_EGGS - to_lay) + LAST_HEIGHT * height
        reach = self._island.reach(spot.region, self._others | spot.laid)
        return worth(Means(to_lay, spot.cards, kept, reach, spot.region is not None)) + self._height * height

    # ---------------------------------------------------------------------------------------------- from spot to spot

    def _onward(self, end: End) -> Iterator[End]:
        within = self._within() if end.step is None and self._barred else None
        yield from self._layings(end, within)
        yield from self._walks(end, within)

    def _layings(self, end: End, within: frozenset[Cell] | None) -> Iterator[End]:
        """Eggs: on the highest tile of each nest in the region, or in the part of it that free walks lead to."""
        spot = end.spot
        if spot.region is None or not spot.eggs + sum(spot.guarded) + sum(spot.used):
            return
        taken = self._others | spot.laid
        if within is not None:
            taken |= frozenset(self._island.cells[spot.region]) - within
        for nest in range(FIRST_NEST, KINDS):
            ways = payments(nest, spot.cards, spot.guarded, spot.piles)
            cell = self._island.free(spot.region, nest, taken) if ways else None
            if cell is not None:
                for way in ways:
                    after = spot.paid(way, spot.region, spot.laid | {cell})
                    yield from self._laid(after, End(0.0, 0, after, end, Lay(cell, way)))

    def _walks(self, end: End, within: frozenset[Cell] | None) -> Iterator[End]:
        island, spot = self._island, end.spot
        if spot.region is None:
            beside = island.ashore
        elif within is None:
            beside = island.beside[spot.region]
        else:
            near = {near for cell in within for near in neighbours(cell) if near in island.region}
            beside = tuple({island.region[cell] for cell in near} - {spot.region})
        for region in beside:
            terrain = island.terrain[island.cells[region][0]]
            for way in payments(terrain, spot.cards, spot.guarded, spot.piles):
                yield self._end(spot.paid(way, region, spot.laid), end, Enter(region, way))

    def _laid(self, spot: Spot, end: End) -> Sequence[End]:
        """Where the egg comes from, and what another one then guards."""
        if not spot.eggs:
            return self._unguards(spot, end)
        spot = spot._replace(eggs=spot.eggs - 1)
        guarding = self._guards(spot, end) if spot.eggs else []
        return guarding or [self._end(spot, end.before, end.step)]

    def _guards(self, spot: Spot, before: End | None) -> list[End]:
        return _best(
            self._end(
                spot._replace(
                    eggs=spot.eggs - 1,
                    guarded=changed(spot.guarded, kind, 1),
                    piles=changed(spot.piles, kind, -1),
                ),
                before,
                Guard(RESOURCES[kind]),
            )
            for kind, (pile, kept) in enumerate(zip(spot.piles, spot.kept, strict=True))
            if pile and kept < C.guarded_per_kind
        )

    def _unguards(self, spot: Spot, before: End | None) -> list[End]:
        found = []
        for kind in range(KINDS):
            used = spot.used[kind] > 0
            if not used and not spot.guarded[kind]:
                continue
            after = spot._replace(piles=changed(spot.piles, kind, 1))
            if used:
                after = after._replace(used=changed(spot.used, kind, -1))
            else:
                after = after._replace(guarded=changed(spot.guarded, kind, -1))
            found.append(self._end(after, before, Unguard(RESOURCES[kind], used)))
        return _best(found)

    # -------------------------------------------------------------------------------------------------- ends as actions

    def _lines(self, ends: Sequence[End], most: int) -> Sequence[Plan]:
        found: dict[Action, Plan] = {}
        for end in ends:
            line = self._line(end)
            if line and line[0] not in found:
                found[line[0]] = Plan(-end.disliking, line)
                if len(found) == most:
                    break
        return tuple(found.values())

    def _line(self, end: End) -> tuple[Action, ...]:
        """The actions that lead there, and to the tile where the bird is best left; none when a move can't end so."""
        cell, barred, line = self._bird, self._barred, list[Action]()
        for step in end.steps():
            match step:
                case Enter(region, payment):
                    cell = self._enter(cell, region, barred, line)
                    line.append(Walk(*cell, pay_of(payment)))
                    barred = frozenset()
                case Lay(tile, payment):
                    self._walk(cell, tile, barred, line)
                    line.append(LayEgg(pay_of(payment)))
                    cell, barred = tile, frozenset()
                case _:
                    line.append(step)
        perch = None if cell is None else self._perch(cell, end.spot, barred)
        if perch is None:
            return ()
        self._walk(cell, perch, barred, line)
        return (*line, Stop())

    def _ways(self, start: Cell, barred: frozenset[Cell]) -> dict[Cell, Cell | None]:
        """The cells that free walks lead to, nearest first, and from where each is come to."""
        region = self._island.region
        here, ahead = region[start], [start]
        came: dict[Cell, Cell | None] = {start: None}
        for cell in ahead:
            for near in neighbours(cell):
                if near not in came and near not in barred and region.get(near) == here:
                    came[near] = cell
                    ahead.append(near)
        return came

    def _within(self) -> frozenset[Cell]:
        return frozenset() if self._bird is None else frozenset(self._ways(self._bird, self._barred))

    def _walk(self, start: Cell | None, end: Cell, barred: frozenset[Cell], line: list[Action]) -> None:
        """Add the free walks from one cell of a region to another."""
        if start is None or start == end:
            return
        came = self._ways(start, barred)
        way: list[Cell] = []
        cell: Cell | None = end
        while cell is not None and cell != start:
            way.append(cell)
            cell = came[cell]
        line.extend(Walk(*each, pay_of(FREE)) for each in reversed(way))

    def _enter(self, cell: Cell | None, region: int, barred: frozenset[Cell], line: list[Action]) -> Cell:
        """The nearest cell of a region; adds the free walks to the one beside it."""
        of = self._island.region
        if cell is None:
            coast = [each for each in self._state.board.coast if of[each] == region]
            return next((each for each in coast if each not in self._others), coast[0])
        doors = (
            (near in self._others, number, here, near)
            for number, here in enumerate(self._ways(cell, barred))
            for near in neighbours(here)
            if of.get(near) == region
        )
        _, _, door, target = min(doors)
        self._walk(cell, door, barred, line)
        return target

    def _perch(self, cell: Cell, spot: Spot, barred: frozenset[Cell]) -> Cell | None:
        """Where in the region the bird is best left: on a tile for the next egg, on which nobody then lays another."""
        ways = self._ways(cell, barred)
        taken = self._others | spot.laid
        short = lacking(tuple(map(add, spot.cards, spot.kept)))
        for nest in sorted(range(len(short)), key=short.__getitem__):
            tile = self._island.free(self._island.region[cell], FIRST_NEST + nest, taken)
            if tile is not None and tile in ways:
                return tile
        return next((each for each in ways if each not in self._others), None)


def _best(ends: Iterable[End]) -> list[End]:
    return sorted(ends, key=lambda end: end.disliking - FLAT * (isinstance(end.step, Unguard) and end.step.used))[
        :CHOICES
    ]


class Outset:
    """A state from which a move starts, equal to all that differ only in what moves have nothing to do with."""

    def __init__(self, state: State) -> None:
        player = state.player
        last = state.ending is not None and state.ending.round <= state.round
        own = player.bird, player.cards, player.guarded, player.used, player.eggs
        self.state = state
        table = len(state.players), state.seat, state.phase, last
        self._key = *table, state.board, own, state.others(), state.piles, state.trail
        self._hash = hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outset) and self._key == other._key


@lru_cache(maxsize=1 << 10)
def moves(outset: Outset, look: int, most: int) -> Sequence[Plan]:
    """Moves with different beginnings, as far as `look` positions show them, the most liked first."""
    return Mover(outset.state).moves(look, most)
