"""Burano: the score so far, what stands for the end of the season and of the game, and what is at hand for more."""

from __future__ import annotations

from collections import Counter

from server.engines.burano import ENGINE
from server.engines.burano.state import Family, Plot, State
from server.engines.burano.steps.buildings import final_points
from server.engines.burano.steps.control import leaders

BOX = ENGINE.box
SPREAD = 12.0
CAUTION = 1.0
HORIZON = 2
SETTLED = frozenset({"pyramid"})

READY = 0.8
LACED = 1.6  # a ready cube that an own worker in a workshop of its colour can be scored with
COIN = 0.2
PRIVILEGE = 0.25
FISH = 1.5
ROOF = 1.0
ROOF_END = 1.5  # a house of the colour of an own roof's end that a roof could lie on
WORKER = 0.5  # one that is back on the wheel


def value(state: State, seat: int) -> float:
    """The score that the seat may expect."""
    family = state.families[seat]
    last = state.season + 1 == len(BOX.rounds)
    points = family.points + COIN * (family.coins + family.privileges) + final_points(BOX, state, seat)
    points += family.fish.total if last else FISH * family.fish.total
    points += _islands(state, seat) + _lace(state, seat)
    return points if last and state.round + 1 == BOX.rounds[-1] else points + _to_come(state, family)


def _to_come(state: State, family: Family) -> float:
    open_houses = Counter(plot.floors[-1].house for plot in state.island.plots if plot is not None and _open(plot))
    ends = Counter(colour for roof in family.roofs for colour in BOX.roof_tiles[roof].ends)
    reach = sum(min(number, open_houses[colour]) for colour, number in ends.items())
    return ROOF * len(family.roofs) + ROOF_END * reach + WORKER * min(family.wheel.workers, 6)


def _open(plot: Plot) -> bool:
    return bool(plot.floors) and plot.floors[-1].roof is None


def _islands(state: State, seat: int) -> float:
    """What the sea islands would bring now."""
    prize = BOX.score.islands_at_season_end[len(state.families)]
    ahead = (leaders(state, BOX, island) for island in state.sea.islands)
    return float(sum(prize // len(seats) for seats in ahead if seat in seats))


def _lace(state: State, seat: int) -> float:
    """What the ready cubes may bring in the workshops."""
    workers = Counter(
        square.colour for square in state.workshops.squares if square is not None and seat in square.workers
    )
    ready = state.families[seat].ready.counts
    laced = sum(min(number, ready[colour]) for colour, number in workers.items())
    return LACED * laced + READY * (sum(ready) - laced) + 0.8 * sum(workers.values())
