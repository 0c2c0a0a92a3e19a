"""Lace at season's end: cubes, guilds, the joker, every choice once."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from server.engines.burano.actions import ScoreLace, Skip
from server.engines.burano.events import LaceScored
from server.engines.burano.state import Phase, State
from server.engines.burano.steps.lace_scoring import guilds, worth
from tests.engines.burano.scenes import scoring
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    GREEN,
    ORANGE,
    WHITE,
    act,
    card,
    give,
    legal,
    legal_of,
    play,
    refused,
    replace,
    square,
)

BLUE_14, WHITE_24, ORANGE_25 = square(1, 4), square(2, 4), square(2, 5)
DYE = (card("dye house"),)


def choices(state: State) -> list[tuple[tuple[int, ...], str | None]]:
    return [(score.squares, score.joker) for score in legal_of(state, ScoreLace)]


def by_hand(state: State) -> set[tuple[tuple[int, ...], str | None]]:
    """Every choice, from the words of the rule: each square's cube is a ready one, or one of them the joker's."""
    board, family = state.workshops.squares, state.families[0]
    own = [number for number, each in enumerate(board) if each and 0 in each.workers]
    found = set()
    for chosen in chain.from_iterable(combinations(own, size) for size in range(1, len(own) + 1)):
        colours = [board[number].colour for number in chosen]
        for joker in [None, *set(colours)] if DYE[0] in family.buildings else [None]:
            rest = list(colours)
            if joker is not None:
                rest.remove(joker)
            if all(rest.count(colour) <= family.ready.counts[colour] for colour in rest):
                found.add((chosen, None if joker is None else BOX.colours[joker]))
    return found


def test_cubes_of_the_squares_colours_are_returned_for_two_points_and_the_guild() -> None:
    state = scoring(BLUE_14, WHITE_24, ORANGE_25, ready=[ORANGE, BLUE, WHITE])
    after, events = play(state, ScoreLace((BLUE_14, WHITE_24, ORANGE_25), None))
    returned = {"white": 1, "orange": 1, "blue": 1}
    assert events[0] == LaceScored(0, (BLUE_14, WHITE_24, ORANGE_25), None, returned, (3,), 8)
    assert after.families[0].points == 8
    assert after.families[0].ready.total == 0
    assert after.supply.total == state.supply.total + 3
    assert after.workshops == state.workshops


def test_only_ready_cubes_count() -> None:
    """D5."""
    state = give(scoring(BLUE_14, ready=[WHITE]), stock=[BLUE])
    assert choices(state) == []
    assert "ready cube" in refused(state, ScoreLace((BLUE_14,), None))


@pytest.mark.parametrize(
    ("scored", "rule"),
    [
        (ScoreLace((), None), "own workers"),
        (ScoreLace((WHITE_24, BLUE_14), None), "ascending"),
        (ScoreLace((BLUE_14, BLUE_14), None), "once"),
        (ScoreLace((BLUE_14, square(1, 3)), None), "own workers"),
        (ScoreLace((99,), None), "own workers"),
        (ScoreLace((-1,), None), "own workers"),
        (ScoreLace((BLUE_14,), "blue"), "dye house"),
        (ScoreLace((BLUE_14,), "black"), "no such colour"),
    ],
)
def test_other_choices_are_refused(scored: ScoreLace, rule: str) -> None:
    assert rule in refused(scoring(BLUE_14, WHITE_24, ready=[BLUE, BLUE, WHITE]), scored)


@pytest.mark.parametrize("cards", [(), DYE])
@pytest.mark.parametrize(
    ("workers", "ready"),
    [
        ((BLUE_14, WHITE_24, ORANGE_25), (ORANGE, BLUE, WHITE)),
        ((square(1, 2), square(1, 3), BLUE_14, WHITE_24, square(2, 3)), (BLUE, BLUE, WHITE)),
        ((square(1, 2), square(1, 3), BLUE_14, square(2, 0), square(2, 1), square(2, 2)), (BLUE, GREEN, GREEN)),
        ((BLUE_14, WHITE_24), ()),
        ((), (BLUE, WHITE)),
        (
            tuple(square(*cell) for cell in ((0, 0), (1, 2), (1, 3), (1, 4), (2, 0), (2, 1), (2, 2), (2, 3), (3, 4))),
            (BLUE, GREEN, GREEN),
        ),
    ],
)
def test_every_choice_is_listed_once_in_order(
    workers: tuple[int, ...], ready: tuple[int, ...], cards: tuple[int, ...]
) -> None:
    state = scoring(*workers, ready=ready, cards=cards)
    listed = choices(state)
    assert len(set(listed)) == len(listed)
    assert set(listed) == by_hand(state)
    numbers = {None: -1, **BOX.colour_of}
    keys = [(squares, numbers[joker]) for squares, joker in listed]
    assert keys == sorted(keys)
    assert legal(state)[-1] == Skip()


def test_the_joker_gives_a_cube_of_a_chosen_colour_alone_or_beside_ready_cubes() -> None:
    """D10, D19."""
    state = scoring(BLUE_14, WHITE_24, ready=[BLUE], cards=DYE)
    assert choices(state) == [
        ((BLUE_14,), None),
        ((BLUE_14,), "blue"),
        ((BLUE_14, WHITE_24), "white"),
        ((WHITE_24,), "white"),
    ]
    after, events = play(state, ScoreLace((BLUE_14, WHITE_24), "white"))
    assert events[0].returned == {"blue": 1}
    assert events[0].points == 4 + 1
    kept, events = play(state, ScoreLace((BLUE_14,), "blue"))
    assert events[0].returned == {}
    assert kept.families[0].ready.total == 1
    assert kept.supply == state.supply
    assert after.families[0].ready.total == 0
    assert "dye house" in refused(state, ScoreLace((BLUE_14,), "white"))


@pytest.mark.parametrize(
    ("cells", "sizes"),
    [
        (((1, 4), (2, 4), (2, 5)), (3,)),
        (((1, 4), (2, 5)), (1, 1)),
        (((1, 2), (1, 3), (3, 3)), (2, 1)),
        (((0, 0), (0, 1), (1, 0), (2, 0)), (4,)),
        ((), ()),
    ],
)
def test_chosen_workers_that_touch_by_sides_form_guilds(
    cells: tuple[tuple[int, int], ...], sizes: tuple[int, ...]
) -> None:
    assert guilds(BOX, [square(*cell) for cell in cells]) == sizes


@pytest.mark.parametrize(("sizes", "points"), [((1,), 2), ((2,), 5), ((3,), 8), ((4,), 12), ((2, 1), 7), ((5,), 14)])
def test_guild_bonus_by_size_past_the_table_its_last_entry(sizes: tuple[int, ...], points: int) -> None:
    """D10."""
    assert worth(BOX, sum(sizes), sizes) == points


def test_a_worker_that_is_not_chosen_joins_no_guild() -> None:
    """D10."""
    state = scoring(BLUE_14, WHITE_24, ORANGE_25, ready=[BLUE, ORANGE])
    assert play(state, ScoreLace((BLUE_14, ORANGE_25), None))[1][0].points == 4


def test_each_seat_decides_in_turn_order_also_with_nothing_to_choose() -> None:
    state = replace(scoring(), start=1, seat=1)
    assert legal(state) == [Skip()]
    state, (event,) = play(state, Skip())
    assert event.what == "lace_scoring"
    assert (state.phase, state.seat) == (Phase.LACE_SCORING, 0)
    assert act(state, Skip()).phase is Phase.ROOFS
