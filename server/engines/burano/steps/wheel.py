"""The work wheel, and *earn*.

A wheel is two numbers: `first`, the sector that number 1 covers, and `workers`, how many consecutive sectors are
covered from there. The red arrows are the numbers of the last three sectors, just before number 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.engines.burano.actions import Done, Earn, Recall, Skip
from server.engines.burano.boards import Colour
from server.engines.burano.box import LEAVE_AT_START, Components, Mark, Sector
from server.engines.burano.events import Earned, Finished, Recalled
from server.engines.burano.state import Family, Phase, State, Wheel, Workshops, remembered, with_item
from server.engines.burano.steps.play import Play
from server.engines.burano.steps.rounds import resume
from server.engines.engine import Action, IllegalAction

RED_ARROWS = LEAVE_AT_START  # the arrows point at one ring piece


def sector(wheel: Wheel, box: Components, number: int) -> Sector:
    """The sector that has this number (from 1, clockwise)."""
    piece, place = divmod((wheel.first + number - 1) % box.workers.wheel, LEAVE_AT_START)
    return box.pieces[wheel.pieces[piece]][place]


def covered(wheel: Wheel, box: Components) -> tuple[Sector, ...]:
    """The covered sectors, clockwise from number 1."""
    return tuple(sector(wheel, box, number) for number in range(1, wheel.workers + 1))


def uncovered(wheel: Wheel, box: Components) -> tuple[Sector, ...]:
    """The uncovered sectors, by number."""
    return tuple(sector(wheel, box, number) for number in range(wheel.workers + 1, box.workers.wheel + 1))


@remembered
def reds(wheel: Wheel, box: Components) -> tuple[Colour, ...]:
    """The colours under the red arrows, by number; an arrow at a worker counts for nothing (D1)."""
    return tuple(each.colour for each in uncovered(wheel, box)[-RED_ARROWS:])


def marks(wheel: Wheel, box: Components, mark: Mark) -> int:
    """How many uncovered sectors show this mark."""
    return sum(each.mark is mark for each in uncovered(wheel, box))


def spare(wheel: Wheel, box: Components) -> int:
    """Workers that may be sent."""
    return max(wheel.workers - box.stay_on_wheel, 0)


def send(wheel: Wheel, box: Components, workers: int) -> Wheel:
    """Numbers 1 to `workers` leave."""
    return replace(wheel, first=(wheel.first + workers) % box.workers.wheel, workers=wheel.workers - workers)


def take_back(family: Family) -> Family:
    """A worker covers the lowest uncovered number."""
    return replace(family, wheel=replace(family.wheel, workers=family.wheel.workers + 1))


def displace(play: Play, seats: tuple[int, ...]) -> None:
    """A worker of each of these seats goes back to its wheel at once (D9); the seat is paid for it."""
    for seat in seats:
        family = take_back(play.state.families[seat])
        play.renew(replace(family, coins=family.coins + play.box.displaced_worker_coins), seat)


def legal_perform(_state: State, _box: Components) -> list[Action]:
    """*Earn*, or not."""
    return [Earn(), Skip()]


def earn(play: Play, _action: Earn) -> None:
    """Coins for the uncovered coin marks, then workers may come back."""
    family = play.family
    coins = marks(family.wheel, play.box, Mark.COIN)
    play.renew(replace(family, coins=family.coins + coins))
    play.tell(Earned(play.seat, coins))
    play.enter(Phase.RECALL)


def legal_recall(state: State, box: Components) -> list[Action]:
    """Each place with an own worker, islands before squares."""
    return [*_recalls(state, box), Done()]


def _recalls(state: State, box: Components) -> Iterator[Recall]:
    for name, island in zip(box.sea.islands, state.sea.islands, strict=True):
        if island.workers[state.seat]:
            yield Recall(island=name)
    for square, workshop in enumerate(state.workshops.squares):
        if workshop is not None and state.seat in workshop.workers:
            yield Recall(square=square)


def recall(play: Play, action: Recall) -> None:
    """Take a worker back."""
    if action not in _recalls(play.state, play.box):
        raise IllegalAction("only an own worker on a sea island or in a workshop can be taken back")
    island = action.island if isinstance(action.island, str) else None
    square = action.square if isinstance(action.square, int) else None
    if island is not None:
        _leave_island(play, play.box.sea.islands.index(island))
    if square is not None:
        _leave_workshop(play, square)
    family = take_back(play.family)
    coins = play.box.recalled_worker_coins
    play.renew(replace(family, coins=family.coins + coins))
    play.tell(Recalled(play.seat, island, square, coins))


def _leave_island(play: Play, number: int) -> None:
    sea = play.state.sea
    workers = sea.islands[number].workers
    left = replace(sea.islands[number], workers=with_item(workers, play.seat, workers[play.seat] - 1))
    play.change(sea=replace(sea, islands=with_item(sea.islands, number, left)))


def _leave_workshop(play: Play, square: int) -> None:
    squares = play.state.workshops.squares
    workshop = squares[square]
    assert workshop is not None
    left = replace(workshop, workers=tuple(seat for seat in workshop.workers if seat != play.seat))
    play.change(workshops=Workshops(with_item(squares, square, left)))


def done(play: Play, _action: Done) -> None:
    """No more workers come back."""
    play.tell(Finished(play.seat, Phase.RECALL))
    resume(play)
