"""The menu of a turn: 1 to 4 actions, privileges beside them, and the end."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from server.engines.burano.actions import EndTurn
from server.engines.burano.box import Components
from server.engines.burano.state import State
from server.engines.burano.steps.island import builds
from server.engines.burano.steps.play import Play, may_use_privilege
from server.engines.burano.steps.pyramid import cube_privileges, takes
from server.engines.burano.steps.roofs import paints
from server.engines.burano.steps.rounds import coin_privileges, coins_of_action, end_turn
from server.engines.engine import Action, IllegalAction


def _actions(state: State, box: Components) -> Iterator[Action]:
    """Every take, build and paint that can be paid."""
    if coins_of_action(state, box) is None:
        return iter(())
    return chain(takes(state, box), builds(state, box), paints(state, box))


def legal_turn(state: State, box: Components) -> list[Action]:
    """Actions, privileges, and the end after the first action, or where none is possible."""
    actions = list(_actions(state, box))
    may_end = state.actions > 0 or not actions
    actions += coin_privileges(state, box)
    actions += cube_privileges(state, box)
    if may_end:
        actions.append(EndTurn())
    return actions


def only_the_end_is_left(state: State, box: Components) -> bool:
    """Whether the turn's single legal action is to end it: then it ends by itself."""
    return not may_use_privilege(box, state.acting) and not any(True for _ in _actions(state, box))


def end(play: Play, action: EndTurn) -> None:
    """End the turn."""
    if not play.state.actions and any(True for _ in _actions(play.state, play.box)):
        raise IllegalAction("a turn ends after its first action, unless no take, build or paint is possible")
    end_turn(play, action)
