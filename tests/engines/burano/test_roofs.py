"""Painting roofs: where they lie, the painters' bonus, the reward, the four kinds of score and their order."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import Paint, Privilege, TakeBuilding
from server.engines.burano.box import RoofKind
from server.engines.burano.events import Painted, RoofScored
from server.engines.burano.state import BuildingRow, Phase, RoofEnd, State
from server.engines.burano.steps.roofs import worth
from tests.engines.burano.scenes import street
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ENGINE,
    GREEN,
    ORANGE,
    PINK,
    WHITE,
    YELLOW,
    act,
    apply,
    ashore,
    at_work,
    bare,
    card,
    deserted,
    give,
    house,
    in_turn,
    legal,
    legal_of,
    maps,
    play,
    refused,
    replace,
    roof_id,
    turned,
)

FIXED_WB = roof_id("fixed", "white", "blue")
ISLANDS_WB = roof_id("islands", "white", "blue")


def spots(state: State) -> set[tuple[int, int, int, int, int]]:
    return {(paint.roof, paint.x, paint.y, paint.x2, paint.y2) for paint in legal_of(state, Paint)}


def test_a_roof_lies_on_two_houses_of_its_colours_first_end_on_the_first_square() -> None:
    state = street(FIXED_WB)
    assert spots(state) == {(FIXED_WB, 2, 4, 3, 4), (FIXED_WB, 4, 4, 3, 4)}
    assert "colours" in refused(state, Paint(FIXED_WB, 3, 4, 2, 4))
    assert "colours" in refused(state, Paint(FIXED_WB, 4, 4, 5, 4))
    state, events = play(state, Paint(FIXED_WB, 4, 4, 3, 4))
    assert events == [Painted(0, FIXED_WB, 4, 4, 3, 4, 1, 1, 0)]
    assert [state.island.plots[4 * 7 + x].floors[0].roof for x in (2, 3, 4)] == [
        None,
        RoofEnd(FIXED_WB, 1, 0),
        RoofEnd(FIXED_WB, 0, 0),
    ]
    assert FIXED_WB not in state.families[0].roofs


def test_paints_are_listed_by_roof_x_y_x2_y2() -> None:
    state = house(house(street(FIXED_WB, ISLANDS_WB), 2, 3, BLUE), 2, 5, BLUE)
    listed = [(paint.roof, paint.x, paint.y, paint.x2, paint.y2) for paint in legal_of(state, Paint)]
    assert listed == sorted(listed)
    assert len(listed) == 2 * 4


@pytest.mark.parametrize(
    ("paint", "rule"),
    [
        (Paint(ISLANDS_WB, 2, 4, 3, 4), "in hand"),
        (Paint(FIXED_WB, 2, 4, 2, 4), "side by side"),
        (Paint(FIXED_WB, 2, 4, 3, 3), "nothing on them"),
        (Paint(FIXED_WB, 2, 4, 0, 0), "nothing on them"),
        (Paint(FIXED_WB, 2, 4, 9, 4), "nothing on them"),
        (Paint(FIXED_WB, 2, 4, 2, 3), "nothing on them"),
        (Paint(99, 2, 4, 3, 4), "in hand"),
        (Paint(-1, 2, 4, 3, 4), "in hand"),
    ],
)
def test_other_roofs_and_other_squares_are_refused(paint: Paint, rule: str) -> None:
    assert rule in refused(street(FIXED_WB), paint)


def test_houses_at_a_corner_are_not_side_by_side() -> None:
    state = house(house(bare(street(FIXED_WB)), 2, 4, WHITE), 3, 5, BLUE)
    assert not spots(state)
    assert "side by side" in refused(state, Paint(FIXED_WB, 2, 4, 3, 5))


def test_no_roof_over_a_roof_or_under_a_house() -> None:
    state = house(street(FIXED_WB), 3, 4, BLUE, roofs=[(ISLANDS_WB, 1)])
    assert not spots(state)
    state = house(street(FIXED_WB), 3, 4, BLUE, BLUE, roofs=[(ISLANDS_WB, 1)])
    assert "same level" in refused(state, Paint(FIXED_WB, 2, 4, 3, 4))


def test_a_roof_lies_on_level_two_but_not_on_three() -> None:
    """D4."""
    others = [(ISLANDS_WB, 0), (roof_id("wheel", "white", "blue"), 1)]
    second = house(house(street(FIXED_WB), 2, 4, PINK, WHITE, roofs=others[:1]), 3, 4, PINK, BLUE, roofs=others[:1])
    _, (event,) = play(second, Paint(FIXED_WB, 2, 4, 3, 4))
    assert event.level == 2
    third = house(house(street(FIXED_WB), 2, 4, PINK, PINK, WHITE, roofs=others), 3, 4, PINK, PINK, BLUE, roofs=others)
    assert (FIXED_WB, 2, 4, 3, 4) not in spots(third)
    assert "highest" in refused(third, Paint(FIXED_WB, 2, 4, 3, 4))


def test_scaffolders_let_an_end_of_their_colours_lie_on_any_colour_and_add_up() -> None:
    """One card frees its colours' ends; the other end still needs its colour, unless another card frees it too."""
    one = card("scaffolder", 0)
    assert BOX.buildings[one].colours == ("orange", "blue")
    state = street(FIXED_WB, cards=(one,))
    assert spots(state) == {(FIXED_WB, 2, 4, 3, 4), (FIXED_WB, 4, 4, 3, 4), (FIXED_WB, 4, 4, 5, 4)}
    both = street(FIXED_WB, cards=(one, card("scaffolder", 2)))
    pairs = {(2, 3), (3, 2), (3, 4), (4, 3), (4, 5), (5, 4)}
    assert spots(both) == {(FIXED_WB, x, 4, x2, 4) for x, x2 in pairs}
    assert len(legal_of(both, Paint)) == len(spots(both))


@pytest.mark.parametrize(
    ("ends", "cards", "bonus"),
    [
        (("white", "blue"), (0,), 5),
        (("white", "orange"), (0,), 10),
        (("white", "blue"), (0, 1), 10),
        (("pink", "green"), (1, 2), 10),
        (("pink", "green"), (0,), 0),
        (("orange", "yellow"), (0, 2), 10),
    ],
)
def test_painters_count_ends_of_their_colours_and_add_up(
    ends: tuple[str, str], cards: tuple[int, ...], bonus: int
) -> None:
    roof = roof_id("fixed", *ends)
    one, other = (BOX.colour_of[end] for end in ends)
    state = house(house(bare(in_turn()), 2, 4, one), 3, 4, other)
    state = give(state, roofs=(roof,), buildings=tuple(card("painter", nth) for nth in cards))
    state, (event,) = play(state, Paint(roof, 2, 4, 3, 4))
    assert event.bonus == bonus
    assert state.families[0].points == bonus


def test_the_reward_is_two_privileges_or_an_open_building_card() -> None:
    state = act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4))
    assert state.phase is Phase.REWARD
    cards = sorted(number for number in state.buildings.open if number is not None)
    assert maps(state) == [{"type": "privilege"}, *({"type": "building", "card": number} for number in cards)]
    after, events = play(state, Privilege())
    assert events == [RoofScored(0, FIXED_WB, 2, None, None, None, 4)]
    assert (after.families[0].privileges, after.families[0].points, after.phase) == (3, 4, Phase.TURN)


@pytest.mark.parametrize(("held", "gained"), [(11, 1), (12, 0)])
def test_privileges_stop_at_the_limit_and_may_still_be_chosen(held: int, gained: int) -> None:
    state = give(act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4)), privileges=held)
    state, (event,) = play(state, Privilege())
    assert event.privileges == gained
    assert state.families[0].privileges == 12


def test_a_building_card_is_replaced_in_its_slot_and_that_reveals() -> None:
    state = act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4))
    taken, top = state.buildings.open[2], state.buildings.deck[-1]
    after, events = apply(state, TakeBuilding(taken))
    assert events[0].reveals
    assert events[0].public == RoofScored(0, FIXED_WB, 0, taken, top, None, 4)
    assert after.buildings.open == (*state.buildings.open[:2], top, state.buildings.open[3])
    assert after.buildings.deck == state.buildings.deck[:-1]
    assert after.families[0].buildings == (taken,)


def test_without_deck_the_slot_stays_empty_and_without_open_cards_only_privileges_are_left() -> None:
    state = act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4))
    state = replace(state, buildings=BuildingRow((None, 5, None, None), ()))
    after, events = apply(state, TakeBuilding(5))
    assert not events[0].reveals
    assert after.buildings.open == (None, None, None, None)
    state = replace(state, buildings=after.buildings)
    assert legal(state) == [Privilege()]
    assert "not open" in refused(state, TakeBuilding(5))
    assert "not open" in refused(act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4)), TakeBuilding(99))


def test_a_card_taken_for_a_roof_gives_no_painters_bonus_for_it() -> None:
    painter = card("painter", 0)
    state = act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4))
    state = replace(state, buildings=BuildingRow((painter, None, None, None), ()))
    assert act(state, TakeBuilding(painter)).families[0].points == 4


def test_a_harbour_master_just_taken_counts_when_the_roof_is_scored() -> None:
    master = card("harbour master")
    state = ashore(deserted(street(ISLANDS_WB)), "Murano", 1, 1)
    state = act(state, Paint(ISLANDS_WB, 2, 4, 3, 4))
    state = replace(state, buildings=BuildingRow((master, None, None, None), ()))
    _, (event,) = play(state, TakeBuilding(master))
    assert (event.count, event.points) == (1, 2)
    assert act(state, Privilege()).families[0].points == 0


@pytest.mark.parametrize(("count", "points"), [(0, 0), (1, 2), (2, 5), (3, 9), (4, 9), (6, 9)])
def test_islands_roof(count: int, points: int) -> None:
    state = deserted(in_turn())
    for name in BOX.sea.islands[:count]:
        state = ashore(state, name, 2, 1)
    assert worth(state, BOX, 0, RoofKind.ISLANDS) == (count, points)
    assert worth(state, BOX, 1, RoofKind.ISLANDS) == (0, 0)


@pytest.mark.parametrize(("count", "points"), [(0, 0), (1, 2), (2, 5), (3, 9), (5, 9)])
def test_workshops_roof_counts_colours_all_squares_together(count: int, points: int) -> None:
    """D6: of a colour's squares together, strictly most workers."""
    state = in_turn()
    for colour in range(count):
        squares = [n for n, each in enumerate(state.workshops.squares) if each and each.colour == colour]
        state = at_work(at_work(state, *squares[:2]), squares[2], seat=1)
    assert worth(state, BOX, 0, RoofKind.WORKSHOPS) == (count, points)
    assert worth(state, BOX, 1, RoofKind.WORKSHOPS) == (0, 0)


def test_a_tied_colour_of_the_workshops_is_controlled_by_nobody() -> None:
    state = in_turn()
    whites = [n for n, each in enumerate(state.workshops.squares) if each and each.colour == WHITE]
    state = at_work(at_work(state, whites[0]), whites[1], seat=1)
    assert [worth(state, BOX, seat, RoofKind.WORKSHOPS)[0] for seat in (0, 1)] == [0, 0]


@pytest.mark.parametrize(("workers", "count", "points"), [(9, 1, 2), (6, 2, 3), (3, 3, 5), (2, 4, 9), (10, 1, 2)])
def test_wheel_roof_counts_uncovered_fountains(workers: int, count: int, points: int) -> None:
    first = {9: 3, 6: 6, 3: 9, 2: 11, 10: 3}[workers]
    state = turned(in_turn(), first=first, workers=workers)
    assert worth(state, BOX, 0, RoofKind.WHEEL) == (count, points)


def test_fixed_roof() -> None:
    assert worth(in_turn(), BOX, 1, RoofKind.FIXED) == (None, 4)


def test_effects_come_in_order_coins_bonus_reward_score() -> None:
    """The action's coins move first, the painters count at once, the score comes after the reward."""
    state = give(street(FIXED_WB, cards=(card("painter", 1),)), coins=3)
    state = replace(state, actions=1)
    state = act(state, Paint(FIXED_WB, 2, 4, 3, 4))
    assert (state.families[0].coins, state.families[0].points, state.actions) == (0, 5, 2)
    assert act(state, Privilege()).families[0].points == 9


def test_reward_has_no_skip_and_defaults_to_privileges() -> None:
    state = act(street(FIXED_WB), Paint(FIXED_WB, 2, 4, 3, 4))
    assert ENGINE.default_action(state, 0) == Privilege()


def test_colours_of_the_street_are_as_the_tests_say() -> None:
    assert [BOX.colours[colour] for colour in (WHITE, ORANGE, BLUE, PINK, GREEN, YELLOW)] == list(BOX.colours)
