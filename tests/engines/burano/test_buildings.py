"""What building cards score after winter, and that every kind of card has its effect."""

from __future__ import annotations

import pytest

from server.engines.burano.box import Campanile, DyeHouse, FastBoat, HarbourMaster, Painter, Scaffolder, SharedBench
from server.engines.burano.state import State
from server.engines.burano.steps.buildings import final_points, holds, painter_bonus, scaffolded
from tests.engines.burano.tables import BOX, at_work, card, give, in_turn, square


def points(*cards: int, state: State | None = None) -> int:
    return final_points(BOX, give(state or in_turn(), buildings=cards), 0)


def test_there_are_sixteen_cards_of_ten_kinds() -> None:
    assert len(BOX.buildings) == 16
    assert len({type(each) for each in BOX.buildings}) == 10


@pytest.mark.parametrize(
    ("sold", "first", "second"),
    [([], 0, 0), (["sole", "sole", "eel"], 6, 0), (["sole", "crab"], 2, 2), (["shrimp"] * 4, 0, 8)],
)
def test_fishmongers_pay_two_for_each_sold_fish_of_their_kinds(sold: list[str], first: int, second: int) -> None:
    state = give(in_turn(), sold=sold, fish=["sole", "crab"])
    assert points(card("fishmonger", 0), state=state) == first
    assert points(card("fishmonger", 1), state=state) == second


def test_lace_schools_count_own_workers_on_their_colours() -> None:
    """D14: workers, not workshops: two on one tile are two."""
    state = at_work(in_turn(), square(1, 2), square(1, 3), square(2, 0), square(2, 5))
    state = at_work(state, square(1, 4), seat=1)
    assert points(card("lace school", 0), state=state) == 6
    assert points(card("lace school", 1), state=state) == 2


def test_town_archive_counts_every_own_card_itself_included() -> None:
    archive, campanile, dye, bench = (card(name) for name in ("town archive", "campanile", "dye house", "shared bench"))
    assert points(archive) == 3
    assert points(archive, campanile, dye, bench) == 12 + 9 + 3


@pytest.mark.parametrize("name", ["painter", "scaffolder", "fast boat", "shared bench", "harbour master"])
def test_cards_that_work_in_play_score_nothing_at_the_end(name: str) -> None:
    assert points(card(name)) == 0


def test_cards_are_known_by_their_effect() -> None:
    family = give(in_turn(), buildings=(card("fast boat"), card("campanile"))).families[0]
    assert holds(BOX, family, FastBoat)
    assert holds(BOX, family, Campanile)
    for kind in (HarbourMaster, SharedBench, DyeHouse, Painter, Scaffolder):
        assert not holds(BOX, family, kind)
    assert scaffolded(BOX, family) == frozenset()
    assert painter_bonus(BOX, family, BOX.roof_tiles[0]) == 0
