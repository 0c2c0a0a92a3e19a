"""The workshops: *lace*, a worker at a time.

The red colours and the number of workers are fixed when the action starts; those sent stay on the wheel until it
turns, once, when the action ends.
"""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.burano.actions import Lace, Skip
from server.engines.burano.boards import Square
from server.engines.burano.box import Components, SharedBench
from server.engines.burano.events import LaceEnded, LacePlaced
from server.engines.burano.state import Lacing, State, Workshops, with_item
from server.engines.burano.steps import wheel
from server.engines.burano.steps.buildings import holds
from server.engines.burano.steps.play import Play, may_use_privilege
from server.engines.burano.steps.rounds import resume, skip_work
from server.engines.engine import Action, IllegalAction


def _lacing(state: State) -> Lacing:
    assert isinstance(state.task, Lacing)
    return state.task


def own_squares(workshops: Workshops, seat: int) -> list[Square]:
    """The squares with a worker of the seat, ascending."""
    return [
        Square(square)
        for square, workshop in enumerate(workshops.squares)
        if workshop is not None and seat in workshop.workers
    ]


def placements(state: State, box: Components) -> dict[Square, bool]:
    """The squares where a worker may go, ascending, and whether it takes a privilege.

    Without one: next to an own worker (the first one anywhere), on a square that is free, or with the shared bench
    on any without an own worker. A privilege waives adjacency and occupancy, not the colour (D12).
    """
    task, seat = _lacing(state), state.seat
    found: dict[Square, bool] = {}
    if not task.left:
        return found
    own = own_squares(state.workshops, seat)
    near = {other for square in own for other in box.workshops.beside[square]}
    bench = holds(box, state.acting, SharedBench)
    privilege = may_use_privilege(box, state.acting)
    for number, workshop in enumerate(state.workshops.squares):
        if workshop is None or workshop.colour not in task.reds or seat in workshop.workers:
            continue
        square = Square(number)
        if (bench or not workshop.workers) and (square in near or not own):
            found[square] = False
        elif privilege:
            found[square] = True
    return found


def legal_perform(state: State, box: Components) -> list[Action]:
    """Every placement, or no more."""
    return [*(Lace(square, privilege) for square, privilege in placements(state, box).items()), Skip()]


def lace(play: Play, action: Lace) -> None:
    """A worker goes to a square; by a privilege it may displace those who are there."""
    box = play.box
    square = Square(action.square)
    if placements(play.state, box).get(square) is not action.privilege:
        raise IllegalAction(
            "a lace worker goes on a free square of an unused red colour, next to an own worker if there is one; "
            "a privilege waives all but the colour, where it is needed"
        )
    if action.privilege:
        play.spend_privilege()
    family = play.family
    workshop = play.state.workshops.squares[square]
    assert workshop is not None
    displaced = () if holds(box, family, SharedBench) else workshop.workers
    staying = () if displaced else workshop.workers
    coins = box.coin_square if workshop.coin else 0
    play.renew(replace(family, coins=family.coins + coins))
    squares = play.state.workshops.squares
    taken = replace(workshop, workers=tuple(sorted((*staying, play.seat))))
    play.change(workshops=Workshops(with_item(squares, square, taken)))
    wheel.displace(play, displaced)
    play.tell(LacePlaced(play.seat, square, action.privilege, coins, displaced, box.displaced_worker_coins))
    task = _lacing(play.state)
    reds = list(task.reds)
    reds.remove(workshop.colour)
    play.change(task=Lacing(tuple(reds), task.left - 1, task.sent + 1))
    if task.left == 1:
        _end(play)


def skip(play: Play, action: Skip) -> None:
    """No worker, or no more."""
    if _lacing(play.state).sent:
        _end(play)
    else:
        skip_work(play, action)


def _end(play: Play) -> None:
    """The wheel turns."""
    sent = _lacing(play.state).sent
    family = play.family
    play.renew(replace(family, wheel=wheel.send(family.wheel, play.box, sent)))
    play.tell(LaceEnded(play.seat, sent))
    resume(play)
