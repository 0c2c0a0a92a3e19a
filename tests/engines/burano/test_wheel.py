"""The work wheel over all its positions, and *earn*."""

from __future__ import annotations

from itertools import permutations

import pytest

from server.engines.burano.actions import Done, Earn, Recall, Skip
from server.engines.burano.box import Mark
from server.engines.burano.events import Earned, Recalled
from server.engines.burano.state import Phase, Wheel
from server.engines.burano.steps import wheel
from tests.engines.burano.scenes import earning
from tests.engines.burano.tables import (
    BOX,
    act,
    ashore,
    at_work,
    deserted,
    in_turn,
    legal,
    maps,
    play,
    refused,
    square,
)

RING = [sector for piece in BOX.pieces for sector in piece]  # pieces in the order A, B, C, D
POSITIONS = [(first, workers) for first in range(12) for workers in range(1, 13)]


def on_disc(first: int, workers: int) -> list[bool]:
    """Which of the twelve sectors are covered, drawn sector by sector."""
    disc = [False] * 12
    for step in range(workers):
        disc[(first + step) % 12] = True
    return disc


@pytest.mark.parametrize(("first", "workers"), POSITIONS)
def test_uncovered_sectors_coins_fountains_and_red_arrows(first: int, workers: int) -> None:
    at = Wheel((0, 1, 2, 3), first, workers)
    disc = on_disc(first, workers)
    free = [sector for sector, covered in enumerate(disc) if not covered]
    assert len(wheel.covered(at, BOX)) == workers
    assert sorted(wheel.uncovered(at, BOX), key=repr) == sorted((RING[sector] for sector in free), key=repr)
    assert wheel.marks(at, BOX, Mark.COIN) == sum(RING[sector].mark == "coin" for sector in free)
    assert wheel.marks(at, BOX, Mark.FOUNTAIN) == sum(RING[sector].mark == "fountain" for sector in free)
    arrows = [(first - 3) % 12, (first - 2) % 12, (first - 1) % 12]
    assert wheel.reds(at, BOX) == tuple(RING[sector].colour for sector in arrows if not disc[sector])


@pytest.mark.parametrize(("first", "workers"), POSITIONS)
def test_sending_turns_the_wheel_and_taking_back_covers_the_lowest_number(first: int, workers: int) -> None:
    at = Wheel((0, 1, 2, 3), first, workers)
    disc = on_disc(first, workers)
    for sent in range(1, wheel.spare(at, BOX) + 1):
        gone = wheel.send(at, BOX, sent)
        after = [covered and (sector - first) % 12 >= sent for sector, covered in enumerate(disc)]
        assert on_disc(gone.first, gone.workers) == after
        assert wheel.sector(gone, BOX, 1) == RING[(first + sent) % 12]
    if workers < 12:
        family = wheel.take_back(in_turn().families[0].__class__(**_fields(at)))
        lowest = (first + workers) % 12
        assert on_disc(family.wheel.first, family.wheel.workers) == [
            covered or sector == lowest for sector, covered in enumerate(disc)
        ]


def _fields(at: Wheel) -> dict[str, object]:
    family = in_turn().families[0]
    return {name: at if name == "wheel" else getattr(family, name) for name in family.__struct_fields__}


def test_one_worker_stays_on_the_wheel() -> None:
    assert [wheel.spare(Wheel((0, 1, 2, 3), 0, workers), BOX) for workers in (1, 2, 10)] == [0, 1, 9]


def test_ten_workers_leave_two_red_arrows() -> None:
    """D1: the first arrow, number 10, points at a worker."""
    at = Wheel((0, 1, 2, 3), 3, 10)
    assert wheel.reds(at, BOX) == (RING[1].colour, RING[2].colour)


def test_ring_pieces_in_any_order_make_a_ring_of_twelve() -> None:
    for order in permutations(range(4)):
        ring = [sector for piece in order for sector in BOX.pieces[piece]]
        at = Wheel(order, 5, 1)
        assert [wheel.sector(at, BOX, number) for number in range(1, 13)] == ring[5:] + ring[:5]


def test_earn_pays_the_uncovered_coin_marks() -> None:
    state = earning()
    assert legal(state) == [Earn(), Skip()]
    after, events = play(state, Earn())
    assert events == [Earned(0, 2)]
    assert after.families[0].coins == state.families[0].coins + 2
    assert after.phase is Phase.RECALL


def test_any_number_of_workers_comes_back_for_a_coin_each() -> None:
    """D9: the wheel's numbers change at once."""
    state = at_work(ashore(deserted(in_turn()), "Murano", 2, 1), square(1, 4), seat=0)
    state = act(earning(state), Earn())
    assert maps(state) == [{"type": "recall", "island": "Murano"}, {"type": "recall", "square": 11}, {"type": "done"}]
    after, events = play(state, Recall(island="Murano"))
    assert events == [Recalled(0, "Murano", None, 1)]
    assert after.families[0].wheel == Wheel((0, 1, 2, 3), 3, 10)
    assert after.families[0].coins == state.families[0].coins + 1
    assert after.sea.islands[3].workers == (1, 1)
    after = act(act(after, Recall(island="Murano")), Recall(square=11))
    assert after.families[0].wheel.workers == 12
    assert maps(after) == [{"type": "done"}]
    assert act(after, Done()).phase is Phase.TURN


def test_only_own_workers_where_they_are_come_back() -> None:
    state = act(earning(at_work(ashore(deserted(in_turn()), "Murano", 1, 1), 11, seat=1)), Earn())
    for action in (Recall(island="Torcello"), Recall(square=11), Recall(island="Murano", square=11), Recall()):
        assert "own worker" in refused(state, action)


def test_the_phase_recall_is_entered_without_workers_away() -> None:
    assert maps(act(earning(deserted(in_turn())), Earn())) == [{"type": "done"}]


def test_earn_may_be_skipped() -> None:
    state = earning()
    after, events = play(state, Skip())
    assert after.phase is Phase.TURN
    assert [type(event).__struct_config__.tag for event in events] == ["skipped"]
    assert "earn" in repr(events[0])
