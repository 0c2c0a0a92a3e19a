"""Rounds and turns: whose turn it is, what its actions cost, when it ends (season, B)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.engines.burano.actions import CoinPrivilege, EndTurn, Skip
from server.engines.burano.box import Components
from server.engines.burano.events import CoinGained, RoundsBegun, Skipped, TurnEnded
from server.engines.burano.state import Phase, State
from server.engines.burano.steps.play import Play, may_use_privilege
from server.engines.engine import IllegalAction


def in_turn_order(state: State) -> Iterator[int]:
    """The seats from the start player on, clockwise."""
    seats = len(state.families)
    return ((state.start + step) % seats for step in range(seats))


def next_in_order(state: State) -> int | None:
    """Who comes after the seat in turn order; None after the last."""
    seat = (state.seat + 1) % len(state.families)
    return None if seat == state.start else seat


def begin_rounds(play: Play) -> None:
    """All pyramids stand: the start player's turn."""
    play.tell(RoundsBegun(play.state.season, play.state.start))
    begin_turn(play, play.state.start)


def begin_turn(play: Play, seat: int) -> None:
    """A turn of this seat; turns are numbered through the game, the first one is 1."""
    state = play.state
    first = state.season == state.round == 0 and seat == state.start
    play.change(phase=Phase.TURN, task=None, seat=seat, actions=0, turn=state.turn + (not first))


def coins_of_action(state: State, box: Components) -> int | None:
    """The coins that the next action of the turn brings (negative: costs); None if it can't be taken."""
    if state.actions == len(box.action_coins):
        return None
    coins = box.action_coins[state.actions]
    return coins if state.acting.coins + coins >= 0 else None


def start_action(play: Play) -> int:
    """The coins of the next action move, before it is carried out; how many.

    Raises:
        IllegalAction: no action is left, or it can't be paid.
    """
    if play.state.actions == len(play.box.action_coins):
        raise IllegalAction(f"a turn has at most {len(play.box.action_coins)} actions")
    coins = coins_of_action(play.state, play.box)
    if coins is None:
        raise IllegalAction(f"this action costs {-play.box.action_coins[play.state.actions]} coins")
    play.renew(replace(play.family, coins=play.family.coins + coins))
    play.change(actions=play.state.actions + 1)
    return coins


def resume(play: Play) -> None:
    """The action is carried out: back to the turn."""
    play.enter(Phase.TURN)


def skip_work(play: Play, _action: Skip) -> None:
    """Do without the action of the colour, the crew or the sale."""
    phase, task = play.state.phase, play.state.task
    play.tell(Skipped(play.seat, phase if phase is not Phase.PERFORM or task is None else task.name))
    resume(play)


def coin_privileges(state: State, box: Components) -> Iterator[CoinPrivilege]:
    """A coin for a privilege, if one can be paid."""
    if may_use_privilege(box, state.acting):
        yield CoinPrivilege()


def coin_privilege(play: Play, _action: CoinPrivilege) -> None:
    """A privilege for coins."""
    play.spend_privilege()
    coins = play.box.privilege_coin
    play.renew(replace(play.family, coins=play.family.coins + coins))
    play.tell(CoinGained(play.seat, coins))


def end_turn(play: Play, _action: EndTurn | None = None) -> None:
    """The next seat's turn, the next round, or the season's end (the caller sees to that: phase `lace_scoring`)."""
    play.tell(TurnEnded(play.state.seat))
    following = next_in_order(play.state)
    if following is not None:
        begin_turn(play, following)
    elif play.state.round + 1 < play.box.rounds[play.state.season]:
        play.change(round=play.state.round + 1)
        begin_turn(play, play.state.start)
    else:
        play.change(phase=Phase.LACE_SCORING, task=None, seat=play.state.start, actions=0)
