"""Rounds and turns: actions and their coins, the end of a turn, the count of turns."""

from __future__ import annotations

from server.engines.burano.actions import CoinPrivilege, EndTurn, Skip, Take
from server.engines.burano.events import CoinGained, TurnEnded
from server.engines.burano.state import Phase, State
from tests.engines.burano.tables import (
    ENGINE,
    WHITE,
    act,
    give,
    in_turn,
    legal,
    legal_of,
    play,
    refused,
    replace,
    without_pyramids,
    works,
)


def spent(state: State) -> State:
    """The state without anything for seat 0 to do: no cubes, roofs, privileges."""
    return give(without_pyramids(state), ready=[], roofs=(), privileges=0)


def test_actions_bring_one_then_cost_three_three_and_four() -> None:
    state = works(give(in_turn(), coins=20), **dict.fromkeys(("white", "orange", "blue"), "earn"))
    coins = [20]
    for _ in range(3):
        state = act(state, legal_of(state, Take)[0])
        coins.append(state.families[0].coins)
    built = next(action for action in legal(state) if type(action).__name__ == "Build")
    state = act(state, built)
    coins.append(state.families[0].coins)
    assert coins == [20, 21, 18, 15, 11]
    state = act(state, Skip())
    assert not [action for action in legal(state) if type(action).__name__ in ("Take", "Build", "Paint")]
    assert "at most 4 actions" in refused(state, legal_of(replace(state, actions=0), Take)[0])


def test_an_action_that_cannot_be_paid_is_not_offered() -> None:
    state = act(give(in_turn(), coins=1), Take(2, 0, 0))
    assert state.families[0].coins == 2
    assert [type(action).__name__ for action in legal(state)][-1] == "EndTurn"
    assert not legal_of(state, Take)
    assert refused(state, Take(1, 0, 0)) == "this action costs 3 coins"
    state, events = play(state, CoinPrivilege())
    assert events == [CoinGained(0, 1)]
    assert state.families[0].privileges == 0
    assert legal_of(state, Take)


def test_the_turn_ends_after_its_first_action_only() -> None:
    state = in_turn()
    assert EndTurn() not in legal(state)
    assert "first action" in refused(state, EndTurn())
    state, events = play(act(state, Take(2, 0, 0)), EndTurn())
    assert events == [TurnEnded(0)]
    assert (state.seat, state.turn, state.actions, state.phase) == (1, 2, 0, Phase.TURN)


def test_nothing_possible_ends_the_turn_before_its_first_action_unless_a_privilege_is_left() -> None:
    waiting = act(in_turn(), Take(2, 0, 0))
    waiting = give(without_pyramids(waiting), 1, ready=[], roofs=(), privileges=1)
    state, events = play(waiting, EndTurn())
    assert [type(action).__name__ for action in legal(state)][:1] == ["CoinPrivilege"]
    assert legal(state)[-1] == EndTurn()
    assert len(events) == 1
    state, events = play(give(waiting, 1, privileges=0), EndTurn())
    assert events[:2] == [TurnEnded(0), TurnEnded(1)]
    assert (state.turn, state.round) == (3, 1)


def test_a_turn_whose_single_legal_action_is_to_end_it_ends_by_itself() -> None:
    state = works(give(spent(in_turn()), ready=[WHITE], coins=0), white="earn")
    state = act(state, next(action for action in legal(state) if type(action).__name__ == "Build"))
    state, events = play(state, Skip())
    assert events[-1] == TurnEnded(0)
    assert state.seat == 1
    assert ENGINE.deciding(state) == (1,)


def test_seats_take_turns_clockwise_and_rounds_follow() -> None:
    state, order = in_turn(3), []
    while state.phase is not Phase.LACE_SCORING:
        if state.phase is Phase.TURN and not state.actions:
            order.append((state.round, state.seat, state.turn))
        state = act(state, ENGINE.default_action(state, state.seat))
    seats = [(number, seat) for number in range(4) for seat in range(3)]
    assert order == [(*each, turn) for turn, each in enumerate(seats, 1)]


def test_privileges_may_be_used_before_the_first_action() -> None:
    state = act(in_turn(), CoinPrivilege())
    assert state.actions == 0
    assert EndTurn() not in legal(state)


def test_the_default_takes_the_first_action_then_ends_the_turn() -> None:
    state = in_turn()
    assert ENGINE.default_action(state, 0) == Take(2, 0, 0)
    assert ENGINE.default_action(act(state, Take(2, 0, 0)), 0) == EndTurn()
