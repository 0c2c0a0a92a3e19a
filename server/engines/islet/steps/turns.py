"""The end of a turn, of a round and of the game (RULES.md, "End and score")."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.engine import Event
from server.engines.islet.actions import Ended, LastRound, Pass, Passed
from server.engines.islet.components import NONE, Components
from server.engines.islet.state import Ending, Phase, Player, Reason, State
from server.engines.islet.steps import Outcome
from server.engines.islet.steps.payment import plus
from server.engines.islet.steps.tide import turn_up


def foresee(state: State, ending: Ending) -> Outcome:
    """The last round becomes known. Told when it is news; two reasons for one round are `eggs`. Not in solo."""
    known = state.ending
    if state.solo:
        return state, []
    if known is None or ending.round < known.round:
        return replace(state, ending=ending), [Event(LastRound(ending.round, ending.reason))]
    if ending.round == known.round and ending.reason is Reason.EGGS:
        return replace(state, ending=ending), []
    return state, []


def pass_turn(components: Components, state: State, _: Pass, dice: Dice) -> Outcome:
    """A turn in which nothing can be done."""
    event = Event(Passed(state.seat))
    state, more = end_turn(components, state, dice)
    return state, [event, *more]


def end_turn(components: Components, state: State, dice: Dice) -> Outcome:
    """Flat eggs stand up; then the next seat, in solo the next card, or the end of the round."""
    player = _stand_up(state.player)
    state = replace(state, phase=Phase.TURN, players=state.with_player(player), trail=())
    if state.solo:
        return turn_up(components, state, state.solo, dice)
    if state.seat < len(state.players) - 1:
        return replace(state, number=state.number + 1), []
    return _end_round(components, state)


def _stand_up(player: Player) -> Player:
    if player.used == NONE:
        return player
    return replace(player, guarded=plus(player.guarded, player.used), used=NONE)


def _end_round(components: Components, state: State) -> Outcome:
    """Three idle rounds in a row end the game too (D12)."""
    state = replace(state, idle=0 if state.busy else state.idle + 1, busy=False)
    ending = state.ending
    if ending is None or ending.round > state.round:
        if state.idle < components.idle_rounds:
            return replace(state, number=state.number + 1), []
        ending = Ending(state.round, Reason.IDLE)
    return replace(state, phase=Phase.OVER, ending=ending), [Event(Ended(ending.reason))]
