"""Tables of Burano at the beginning of a decision: to sail, to earn, to sell, to make or score lace, to paint."""

from __future__ import annotations

from collections.abc import Sequence

from server.engines.burano.boards import Colour
from server.engines.burano.state import Earning, Fishing, Phase, State, Work
from server.engines.burano.steps.island import task_of
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    GREEN,
    PINK,
    WHITE,
    YELLOW,
    at_work,
    bare,
    deserted,
    docks,
    give,
    house,
    in_turn,
    replace,
    turned,
    without_pyramids,
)

OTHERS = (GREEN, PINK, YELLOW)  # colours that are not red at these tables


def at_sea(boat: str = "Murano", seats: int = 2) -> State:
    """Seat 0 about to sail; red colours white, orange, blue; no island matches."""
    state = deserted(turned(in_turn(seats)))
    for island in BOX.sea.islands:
        state = docks(state, island, *OTHERS)
    state = give(state, boat=boat, privileges=0)
    return replace(state, phase=Phase.PERFORM, task=Fishing(swapped=False), actions=1)


def lacing(state: State | None = None, *, workers: int = 9, privileges: int = 0, cards: tuple[int, ...] = ()) -> State:
    """Seat 0 at lace; red colours white, orange, blue, in this order."""
    state = turned(state or in_turn(3), workers=workers)
    state = give(state, privileges=privileges, buildings=cards)
    task = task_of(Work.LACE, BOX, state.families[0])
    return replace(state, phase=Phase.PERFORM, task=task, actions=1)


def scoring(*workers: int, ready: Sequence[Colour] = (), cards: tuple[int, ...] = ()) -> State:
    """Seat 0 about to score lace, after spring."""
    state = at_work(without_pyramids(in_turn()), *workers)
    state = give(state, ready=list(ready), buildings=cards, stock=[])
    return replace(state, phase=Phase.LACE_SCORING, round=3)


def street(*roofs: int, cards: tuple[int, ...] = ()) -> State:
    """Seat 0's turn with these roofs; houses in row 4: white, blue, white, green at x = 2 to 5."""
    state = bare(in_turn())
    for x, colour in ((2, WHITE), (3, BLUE), (4, WHITE), (5, GREEN)):
        state = house(state, x, 4, colour)
    return give(state, roofs=tuple(sorted(roofs)), buildings=cards)


def in_harbour(*fish: str, ships: tuple[int, ...] = (0, 0, 1, 1)) -> State:
    """Seat 0 in Venezia with these fish."""
    state = give(in_turn(), boat="Venezia", fish=list(fish))
    return replace(state, phase=Phase.SELL, actions=1, sea=replace(state.sea, ships=ships))


def earning(state: State | None = None) -> State:
    """Seat 0 about to earn, with the first ring piece uncovered."""
    return replace(turned(state or in_turn()), phase=Phase.PERFORM, task=Earning(), actions=1)
