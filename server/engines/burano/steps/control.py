"""Who controls a sea island, or a colour of the workshops: strictly most workers, at least one (D6)."""

from __future__ import annotations

from server.engines.burano.box import Components, HarbourMaster
from server.engines.burano.state import SeaIsland, State
from server.engines.burano.steps.buildings import holds


def leaders(state: State, box: Components, island: SeaIsland) -> tuple[int, ...]:
    """The seats with most workers on a sea island, at least one; a harbour master wins ties."""
    most = max(island.workers)
    if not most:
        return ()
    tied = tuple(seat for seat, workers in enumerate(island.workers) if workers == most)
    masters = tuple(seat for seat in tied if holds(box, state.families[seat], HarbourMaster))
    return masters or tied


def islands_controlled(state: State, box: Components, seat: int) -> int:
    """How many sea islands the seat controls."""
    return sum(leaders(state, box, island) == (seat,) for island in state.sea.islands)


def workshops_controlled(state: State, box: Components, seat: int) -> int:
    """How many colours of the workshops the seat controls."""
    seats = range(len(state.families))
    workers = [[0 for _ in seats] for _ in box.colours]
    for workshop in state.workshops.squares:
        if workshop is not None:
            for owner in workshop.workers:
                workers[workshop.colour][owner] += 1
    return sum(all(each[seat] > each[other] for other in seats if other != seat) for each in workers)
