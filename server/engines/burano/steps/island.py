"""The coloured island: where a house may stand, and *build*."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec.structs import replace

from server.engines.burano.actions import Build
from server.engines.burano.boards import Colour, Square
from server.engines.burano.box import Components
from server.engines.burano.events import Built
from server.engines.burano.state import (
    AnyTask,
    Earning,
    Family,
    Fishing,
    Floor,
    Island,
    Lacing,
    Phase,
    Plot,
    State,
    Work,
    remembered,
)
from server.engines.burano.steps import wheel
from server.engines.burano.steps.play import Play, with_privileges
from server.engines.burano.steps.rounds import start_action
from server.engines.engine import IllegalAction


def plot_at(island: Island, square: Square) -> Plot:
    """The plot of a house square."""
    plot = island.plots[square]
    assert plot is not None
    return plot


def with_floors(island: Island, changed: dict[Square, tuple[Floor, ...]]) -> Island:
    """The island with these floors on these squares."""
    plots = list(island.plots)
    for square, floors in changed.items():
        plots[square] = Plot(floors)
    return Island(tuple(plots))


@remembered
def houses(island: Island, box: Components) -> dict[Square, tuple[Floor, ...]]:
    """The floors of every square with a house, by x, then y."""
    plots = island.plots
    return {square: plot.floors for square in box.island.houses if (plot := plots[square]) is not None and plot.floors}


@remembered
def sites(island: Island, box: Components) -> tuple[Square, ...]:
    """Where a house may be built: beside houses (D3), or on a roof end that is not too high."""
    built = houses(island, box)
    fitting = set(chain.from_iterable(box.island.touching[square] for square in built)) - built.keys()
    fitting.update(
        square for square, floors in built.items() if floors[-1].roof is not None and len(floors) < box.highest_house
    )
    return tuple(filter(fitting.__contains__, box.island.houses))


@remembered
def open_houses(island: Island, box: Components) -> dict[Square, tuple[int, Colour]]:
    """The houses with nothing on them that are not too high for a roof (D4): level and colour, by x, then y."""
    return {
        square: (len(floors), floors[-1].house)
        for square, floors in houses(island, box).items()
        if floors[-1].roof is None and len(floors) <= box.highest_roof
    }


@remembered
def roof_sites(island: Island, box: Components) -> tuple[tuple[Square, Square], ...]:
    """Two open houses side by side on one level, each way round, by x, y of the first, then of the second."""
    unroofed = open_houses(island, box)
    return tuple(
        (one, other)
        for one, (level, _) in unroofed.items()
        for other in box.island.beside[one]
        if other in unroofed and unroofed[other][0] == level
    )


def builds(state: State, box: Components) -> Iterator[Build]:
    """Every ready colour on every site."""
    where = box.island.where
    for name, number in zip(box.colours, state.acting.ready.counts, strict=True):
        if number:
            for square in sites(state.island, box):
                yield Build(name, *where[square])


def build(play: Play, action: Build) -> None:
    """A ready cube becomes a house; then the action of its colour may be performed."""
    box = play.box
    colour = play.colour(action.colour)
    if not play.family.ready.counts[colour]:
        raise IllegalAction("no cube of that colour is ready")
    square = box.island.square_at(action.x, action.y)
    if square is None or square not in sites(play.state.island, box):
        raise IllegalAction(
            "a house is built on an empty square that touches a house, or on a roof end below the limit"
        )
    coins = start_action(play)
    family = play.family
    family = replace(family, ready=family.ready.plus(colour, -1))
    floors = plot_at(play.state.island, square).floors
    if floors and _end_colour(box, floors[-1]) == colour:
        family = with_privileges(box, family, box.own_roof_privilege)
    gained = family.privileges - play.family.privileges
    play.renew(family)
    play.change(island=with_floors(play.state.island, {square: (*floors, Floor(colour, None))}))
    work = play.state.markers.works[colour]
    play.tell(Built(play.seat, action.colour, action.x, action.y, len(floors) + 1, coins, gained, work))
    play.enter(Phase.PERFORM, task_of(work, box, family))


def _end_colour(box: Components, floor: Floor) -> Colour | None:
    return None if floor.roof is None else box.roof_tiles[floor.roof.roof].ends[floor.roof.end]


def task_of(work: Work, box: Components, family: Family) -> AnyTask:
    """What is fixed when the action of a colour starts."""
    match work:
        case Work.FISH:
            return Fishing(swapped=False)
        case Work.LACE:
            reds = wheel.reds(family.wheel, box)
            return Lacing(reds, min(box.lace_at_most, wheel.spare(family.wheel, box), len(reds)), 0)
        case Work.EARN:
            return Earning()
