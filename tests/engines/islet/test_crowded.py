"""Crowded boards: four birds on few tiles. No bird is ever stuck (D3), no walk goes on for ever (D8).

Every list is compared with `oracle`, which knows nothing of the engine's search.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from server.engines.engine import Action
from server.engines.islet.actions import Guard, LayEgg, LayTile, Stop, Unguard, Walk, payment_of
from server.engines.islet.checks import faults
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Phase, State
from tests.engines.islet.oracle import Table
from tests.engines.islet.tables import COMPONENTS, Play, scene, seat

TERRAIN = [tile.terrain for tile in COMPONENTS.tile_kinds]
KINDS = ("water", "sand", "clay", "leaf", "twig", "flower")


def crowded(random: Random) -> State:
    """Four seats on an island of five to nine tiles, up to six cards each, some resources guarded."""
    cells: list[Cell] = [(0, 0)]
    size = random.randint(5, 9)
    while len(cells) < size:
        cell = random.choice(neighbours(random.choice(cells)))
        if cell not in cells:
            cells.append(cell)
    terrains = random.choice(("ws", "wsc", "wwc", "wwwws"))
    board = {cell: random.choice(terrains) + random.choice("ltf") for cell in cells}
    birds = random.sample(cells, 4)
    seats = [
        seat(
            bird if random.random() < 0.9 else None,
            {kind: random.choice((0, 0, 1, 2)) for kind in KINDS[: random.choice((3, 4))]},
            {random.choice(KINDS[:3]): random.choice((1, 2))} if random.random() < 0.4 else None,
        )
        for bird in birds
    ]
    return scene(board, *seats, turn=random.randint(1, 4))


def moving(actions: list[Action], random: Random) -> Action:
    """Walks on where it can, and lays an egg now and then; a tile only when there is nothing else."""
    walks = [action for action in actions if isinstance(action, Walk)]
    others = [action for action in actions if isinstance(action, Guard | Unguard | LayEgg)]
    last = [action for action in actions if not isinstance(action, LayTile)] or actions
    if walks and random.random() < 0.8:
        return random.choice(walks)
    return random.choice(others or last)


def played(seed: int, most: int = 60) -> Iterator[tuple[State, list[Action], Action]]:
    """A random game from a crowded position: each state, its list, and the action taken."""
    random = Random(seed)
    play = Play(crowded(random), seed=seed)
    for _ in range(most):
        if play.state.phase is Phase.OVER:
            return
        actions = play.engine.legal_actions(play.state, play.state.seat)
        chosen = moving(actions, random)
        yield play.state, actions, chosen
        play.state, _ = play.engine.apply(play.state, play.state.seat, chosen, play.dice)
        assert not list(faults(COMPONENTS, play.state))


def expected_walks(state: State) -> list[tuple[Cell, tuple[int, ...]]]:
    bird = state.player.bird
    trail = state.trail or ((bird,) if bird else ())
    have = state.player.cards + state.player.guarded
    return Table(state, TERRAIN).legal(bird, trail, have, state.piles)


@pytest.mark.parametrize("seed", range(40))
def test_walks_are_those_of_the_oracle(seed: int) -> None:
    for state, actions, _ in played(seed):
        if state.phase in (Phase.TURN, Phase.MOVE):
            listed = []
            for action in actions:
                if isinstance(action, Walk):
                    payment = payment_of(action.pay)
                    listed.append(((action.x, action.y), payment.cards + payment.guarded))
            assert listed == expected_walks(state)


def test_birds_do_meet_and_some_walks_are_barred() -> None:
    """Or the tests of this file would say nothing."""
    shared = barred = 0
    for seed in range(40):
        for state, actions, _ in played(seed):
            if state.phase is Phase.MOVE and state.player.bird in state.others():
                shared += 1
                assert actions
                assert all(isinstance(action, Walk) for action in actions)
            barred += _stuck_walks(state)
    assert shared > 50
    assert barred > 50


def _stuck_walks(state: State) -> int:
    """Walks that only D3 forbids."""
    if state.phase not in (Phase.TURN, Phase.MOVE):
        return 0
    bird = state.player.bird
    trail = state.trail or ((bird,) if bird else ())
    table = Table(state, TERRAIN)
    have = state.player.cards + state.player.guarded
    return len(list(table.walks(bird, trail, have, state.piles))) - len(expected_walks(state))


@pytest.mark.parametrize("seed", range(60))
def test_whoever_walks_as_long_as_possible_comes_to_an_end_and_can_stop(seed: int) -> None:
    """D3 and D8: a move that stops only when nothing else is left has an end, on a tile of its own."""
    random = Random(seed)
    for _ in range(6):
        play = Play(crowded(random), seed=seed)
        player = play.state.player
        payments = sum(player.cards) + sum(player.guarded) + 1
        most = (payments + player.eggs) * len(play.state.board.stacks)
        for number in range(most + 1):
            actions = play.engine.legal_actions(play.state, play.state.seat)
            if number and actions == [Stop()]:
                assert play.state.player.bird not in play.state.others()
                break
            walks = [a for a in actions if not isinstance(a, Stop | LayTile)]
            if not walks:
                assert number == 0, "a bird in the middle of a move is stuck"
                break
            play.state, _ = play.engine.apply(play.state, play.state.seat, random.choice(walks), play.dice)
        else:
            raise AssertionError(f"a move of more than {most} walks and eggs")


def test_every_row_of_free_walks_on_one_terrain_ends() -> None:
    """D8, all rows of walks by trying each: none comes back to a tile, the longest takes each tile once."""
    cells = list(product(range(3), (0, -1)))
    play = Play(scene(dict.fromkeys(cells, "wl"), seat((0, 0)), seat((1, -1))))
    ahead: list[tuple[State, tuple[Cell, ...]]] = [(play.state, ((0, 0),))]
    lengths = []
    while ahead:
        state, way = ahead.pop()
        lengths.append(len(way))
        for action in play.engine.legal_actions(state, 0):
            if isinstance(action, Walk):
                cell = (action.x, action.y)
                assert cell not in way
                after, _ = play.engine.apply(state, 0, action, play.dice)
                ahead.append((after, (*way, cell)))
    assert max(lengths) == len(cells)


def test_the_default_action_takes_a_bird_off_anothers_tile() -> None:
    """A seat that the server plays is not stuck either."""
    left = 0
    for seed in range(40):
        for state, _, _ in played(seed):
            if state.phase is not Phase.MOVE or state.player.bird not in state.others():
                continue
            play: Any = Play(state)
            for _ in range(9):
                if play.state.player.bird not in play.state.others():
                    break
                action = play.engine.default_action(play.state, play.state.seat)
                play.state, _ = play.engine.apply(play.state, play.state.seat, action, play.dice)
            assert play.state.player.bird not in play.state.others()
            left += 1
    assert left > 50


def test_a_long_search_without_a_way_out_is_short_work() -> None:
    """D3: twelve cards to go to and fro with between three birds, and no clay in the pile to get off by.

    Rows of walks are millions here; places and purses are few. With one clay there is a way.
    """
    board = {(0, 0): "cl", (1, 0): "wl", (2, 0): "sl", (3, 0): "wl", (4, 0): "cl"}
    rich = seat((0, 0), {"water": 4, "sand": 4}, {"water": 2, "sand": 2})
    hoards = [seat((1, 0), {"clay": 8}), seat((2, 0), {"clay": 4})]
    stuck = Play(scene(board, rich, *hoards, seat((3, 0))))
    assert stuck.listed("walk") == []
    assert "could not leave" in stuck.refusal("walk", x=1, y=0, pay={"cards": {"water": 1}, "guarded": {}})
    hoards[1] = seat((2, 0), {"clay": 3})
    free = Play(scene(board, rich, *hoards, seat((3, 0))))
    assert {(action["x"], action["y"]) for action in free.listed("walk")} == {(1, 0)}
