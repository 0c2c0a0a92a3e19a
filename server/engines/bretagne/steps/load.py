"""Load: barges take materials from Quimper (RULES.md, Round, 2)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.bretagne.actions import AnyAction, Load, Loaded, Pass
from server.engines.bretagne.box import MATERIALS, PLACE
from server.engines.bretagne.state import Load as Cargo
from server.engines.bretagne.state import Loading, State
from server.engines.bretagne.steps.play import Play, Stage
from server.engines.engine import IllegalAction


def begin(play: Play) -> Stage | None:
    """The holder of the first card fills its first barge."""
    play.await_decision(Loading(loading_order(play.state)[0], 0))
    return None


def loading_order(state: State) -> tuple[int, ...]:
    """By card number (D2): the turn order, unless the cards were chosen."""
    return tuple(sorted(state.order, key=lambda seat: state.players[seat].barge or 0))


def choices(play: Play) -> list[AnyAction]:
    """The materials at Quimper; `pass` when nothing is left."""
    there = [Load(material) for material, n in zip(MATERIALS, play.state.quimper, strict=True) if n]
    return [*there] if there else [Pass()]


def load(play: Play, task: Loading, action: AnyAction) -> Stage | None:
    """Fills the barge, as far as it goes, and turns to the next one."""
    if action not in choices(play):
        raise IllegalAction("load a material that is left at Quimper; pass only when nothing is")
    cargo = _fill(play, task, action)
    player = play.player(task.seat)
    play.change_player(task.seat, loads=(*player.loads, cargo))
    material = None if cargo is None else MATERIALS[cargo.material]
    play.tell(Loaded(task.seat, task.barge, material, 0 if cargo is None else cargo.amount))
    following = _following(play, task)
    if following is None:
        return Stage.ACTIONS
    play.await_decision(following)
    return None


def _fill(play: Play, task: Loading, action: AnyAction) -> Cargo | None:
    if not isinstance(action, Load):
        return None
    place = PLACE[action.material]
    quimper = play.state.quimper
    room = play.box.barges[(play.player(task.seat).barge or 1) - 1].loads[task.barge]
    amount = min(room, quimper[place])
    play.change(quimper=(*quimper[:place], quimper[place] - amount, *quimper[place + 1 :]))
    return Cargo(place, amount)


def _following(play: Play, task: Loading) -> Loading | None:
    """All first barges, then all second ones, then all third ones."""
    order = loading_order(play.state)
    place = order.index(task.seat) + 1
    if place < len(order):
        return replace(task, seat=order[place])
    barge = task.barge + 1
    return Loading(order[0], barge) if barge < len(play.box.barges[0].loads) else None
