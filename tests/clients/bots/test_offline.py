"""Matches in one process: the documents that policies get, and that a match is a function of its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest

from clients.bots.offline import Table, document, moves, play, table
from clients.bots.policies import play_random
from server.engines.dice import commitment
from tests.engines.toy import ENGINE

State = Mapping[str, Any]
Actions = Sequence[Mapping[str, Any]]


def lowest(state: State, actions: Actions, random: Random) -> Mapping[str, Any]:
    return actions[0]


def test_a_document_has_the_parts_of_the_protocol() -> None:
    place = table(ENGINE, 2, 9, {"rounds": 5})
    state = ENGINE.new(2, place.options, place.dice())
    seen = document(place, state, 1, {0: 17})
    assert list(seen) == ["room", "turn", "game", "you", "result"]
    assert seen["room"]["game"] == "toy"
    assert seen["room"]["rules"] == ENGINE.rules
    assert seen["room"]["status"] == "playing"
    assert seen["room"]["options"]["rounds"] == 5
    assert seen["room"]["options"]["clock"] is None
    assert len(seen["room"]["seats"]) == 2
    assert seen["room"]["commitment"] == commitment(place.seed).hex()
    assert seen["turn"] == {"number": 1, "phase": "turn", "seats": [0], "since": [17], "clock": None}
    assert seen["game"]["hands"] == [3, 3]
    assert seen["you"] == {"seat": 1, "hand": list(state.hands[1]), "bid": None}
    assert seen["result"] is None


def test_a_spectator_has_no_part_of_its_own_and_the_seed_comes_at_the_end() -> None:
    place = table(ENGINE, 2, 9)
    state = ENGINE.new(2, place.options, place.dice())
    assert document(place, state, None)["you"] is None
    assert document(place, state, None)["room"]["seed"] is None
    last = list(moves(place, [play_random] * 2, Random(1)))[-1].state
    over = document(place, last, None)
    assert over["room"]["seed"] == place.seed.hex()
    assert over["room"]["status"] == "finished"
    assert over["turn"]["seats"] == []
    assert over["result"]["ranks"] == list(ENGINE.result(last).ranks)


def test_every_policy_gets_its_own_document_and_its_own_list() -> None:
    asked: list[tuple[int, int]] = []

    def watcher(seat: int) -> Any:
        def choose(state: State, actions: Actions, random: Random) -> Mapping[str, Any]:
            asked.append((seat, state["you"]["seat"]))
            assert seat in state["turn"]["seats"]
            assert all(type(action) is dict for action in actions)
            return random.choice(actions)

        return choose

    play(table(ENGINE, 3, 1), [watcher(seat) for seat in range(3)], Random(0))
    assert {seat for seat, _ in asked} == {0, 1, 2}
    assert all(seat == own for seat, own in asked)


def test_simultaneous_decisions_are_all_asked_for() -> None:
    bids = [move.seat for move in moves(table(ENGINE, 3, 4), [lowest] * 3, Random(0)) if hasattr(move.action, "card")]
    assert bids[:3] == [0, 1, 2]


def test_a_match_is_a_function_of_its_table_policies_and_numbers() -> None:
    def once(seed: int, numbers: int) -> list[Any]:
        return [move.action for move in moves(table(ENGINE, 2, seed), [play_random] * 2, Random(numbers))]

    assert once(1, 1) == once(1, 1)
    assert once(1, 1) != once(1, 2)
    assert once(1, 1) != once(2, 1)


def test_entropy_makes_another_game() -> None:
    plain = table(ENGINE, 2, 1)
    stirred = Table(ENGINE, 2, plain.options, plain.seed, entropy=(None, b"x" * 32))
    states = [ENGINE.new(2, place.options, place.dice()) for place in (plain, stirred)]
    assert states[0] != states[1]
    assert document(stirred, states[1], 0)["room"]["entropy"] == [None, (b"x" * 32).hex()]


def test_a_choice_off_the_list_is_refused() -> None:
    def cheat(state: State, actions: Actions, random: Random) -> Mapping[str, Any]:
        return {"type": "roll", "dice": 6, "aim": "high"}

    with pytest.raises(ValueError, match=r"seat 1 chose .*'dice': 6.*, which is not on its list"):
        play(table(ENGINE, 2, 1), [lowest, cheat], Random(0))


@pytest.mark.parametrize(("seats", "options"), [(5, {}), (0, {}), (2, {"rounds": 4}), (2, {"speed": 1})])
def test_a_table_that_the_game_does_not_allow_is_refused(seats: int, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"toy is for 1 to 4|rounds|speed"):
        table(ENGINE, seats, 0, options)
