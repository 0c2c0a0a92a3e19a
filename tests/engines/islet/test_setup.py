"""Set-up, draw by draw on the stream of chance."""

from __future__ import annotations

import pytest

from server.engines.islet import ENGINE
from server.engines.islet.state import Phase
from tests.engines.islet.tables import COMPONENTS
from tests.engines.play import dice


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_the_draws_of_set_up_in_order(seats: int) -> None:
    stream = dice(5, seats)
    bag = list(range(90))
    for i in range(89, 0, -1):
        j = stream.below(i + 1)
        bag[i], bag[j] = bag[j], bag[i]
    island = {cell: bag.pop() for cell in COMPONENTS.start}
    hands = [sorted(bag.pop() for _ in range(4)) for _ in range(seats)]
    deck = stream.shuffle(range(13)) if seats == 1 else None
    mine = dice(5, seats)
    state = ENGINE.new(seats, ENGINE.options(), mine)
    assert {stack.cell: stack.tiles for stack in state.board.stacks} == {cell: (t,) for cell, t in island.items()}
    assert [list(player.hand) for player in state.players] == hands
    assert list(state.bag) == bag
    assert (list(state.solo.deck) if state.solo else None) == deck
    assert mine.words == stream.words


def test_the_table_after_set_up() -> None:
    state = ENGINE.new(3, ENGINE.options(), dice(1, 3))
    assert ENGINE.turn(state) == (1, "turn")
    assert ENGINE.deciding(state) == (0,)
    assert all(player.bird is None and player.eggs == 8 for player in state.players)
    assert state.piles == (12,) * 6
    assert [stack.cell for stack in state.board.stacks] == sorted(COMPONENTS.start)
    assert state.phase is Phase.TURN
    assert ENGINE.result(state) is None


def test_the_first_turn_offers_every_tile_on_every_cell_off_the_island() -> None:
    state = ENGINE.new(2, ENGINE.options(), dice(1, 2))
    cells = [(-1, -1), (-1, 0), (1, -2), (1, 1), (3, -1), (3, 0)]
    listed = [(action.tile, action.x, action.y) for action in ENGINE.legal_actions(state, 0)]
    assert listed == [(tile, *cell) for tile in state.players[0].hand for cell in cells]
