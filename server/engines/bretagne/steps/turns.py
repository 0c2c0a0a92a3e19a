"""Actions: whose turn it is, what can be done, and passing (RULES.md, Round, 3)."""

from __future__ import annotations

from server.engines.bretagne.actions import AnyAction, Build, EnterCity, Pass, Passed
from server.engines.bretagne.box import CITIES, MATERIALS, NOTHING
from server.engines.bretagne.state import Act, deciding_seat, minus, plus, smaller
from server.engines.bretagne.steps import build, trade
from server.engines.bretagne.steps.play import Play, Stage, counts
from server.engines.engine import IllegalAction


def begin(play: Play) -> Stage | None:
    """The barges' load comes into the warehouses; the first in turn order acts."""
    for seat, player in enumerate(play.state.players):
        load = list(NOTHING)
        for cargo in player.loads:
            if cargo is not None:
                load[cargo.material] += cargo.amount
        play.change_player(seat, materials=plus(player.materials, tuple(load)), loads=())
    play.await_decision(Act(play.state.order[0]))
    return None


def choices(play: Play, seat: int) -> list[AnyAction]:
    """Everything that can be built, the cities that can be entered, and `pass`."""
    actions: list[AnyAction] = [*build.choices(play, seat)]
    actions.extend(EnterCity(city) for city in CITIES if trade.may_enter(play, seat, city))
    actions.append(Pass())
    return actions


def act(play: Play, task: Act, action: AnyAction) -> Stage | None:
    """One action; the turn ends with it or after the decisions that it brings."""
    if isinstance(action, Build):
        build.build(play, task.seat, action)
        return None
    if isinstance(action, EnterCity):
        trade.enter(play, task.seat, action.city)
        return None
    if isinstance(action, Pass):
        _pass(play, task.seat)
        return Stage.NEXT_TURN
    raise IllegalAction("build, trade or pass")


def next_turn(play: Play) -> Stage | None:
    """After a completed action: the next in turn order who has not passed; the evaluation when all have."""
    state, seat = play.state, deciding_seat(play.state)
    play.change(number=state.number + 1)
    place = 0 if seat is None else state.order.index(seat) + 1
    for following in (*state.order[place:], *state.order[:place]):
        if following not in state.passed:
            play.await_decision(Act(following))
            return None
    return Stage.EVALUATE


def _pass(play: Play, seat: int) -> None:
    """The seat takes its place in the next round, and gives back what it may not keep."""
    player = play.player(seat)
    kept = smaller(player.materials, (play.box.warehouse_limit,) * len(MATERIALS))
    returned = minus(player.materials, kept)
    play.supply(returned, player.engineers)
    play.change_player(
        seat,
        materials=kept,
        engineers=0,
        barge=None,
        warehouse=player.warehouse + sum(player.cities),
        cities=(0,) * len(CITIES),
    )
    play.change(passed=(*play.state.passed, seat))
    place = len(play.state.passed)
    play.tell(Passed(seat, place, counts(returned), player.engineers, sum(player.cities)))
