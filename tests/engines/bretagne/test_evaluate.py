"""Evaluation: its three steps, the order of players, harbours, majorities, regions. D1, D6, D8, D17, D18."""

from __future__ import annotations

import pytest

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import (
    Closed,
    Done,
    Enter,
    Entered,
    Equip,
    Equipped,
    Evaluated,
    Flipped,
    Pass,
    Skip,
    Skipped,
)
from server.engines.bretagne.box import KINDS, LightClass, Region
from server.engines.bretagne.state import EnterHarbour, Loading, State, Status
from server.engines.bretagne.state import Equip as EquipTask
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import (
    BOX,
    acting,
    built,
    change_lighthouse,
    deal,
    give,
    in_harbour,
    in_round,
    legal,
    levels,
    only,
    passing,
    play,
    step,
)

FURNISHINGS, PIER, SIREN, CABLEWAY = KINDS
HEAVEN, PURGATORY, HELL = 3, 2, 5  # sites of the south that are open at two seats


def evaluated(state: State) -> State:
    """All pass, and the evaluation begins."""
    return passing(state, *range(len(state.players)))


def steps(events: list, site: int) -> list[Evaluated]:
    """What was told of the steps of a lighthouse's evaluation."""
    return [event.public for event in events if isinstance(event.public, Evaluated) and event.public.site == site]


def test_lighthouses_are_evaluated_in_site_order_and_only_complete_ones() -> None:
    state = levels(acting(4), 9, (0, 0), (0, 0), (0, 1))
    state = levels(state, 2, (1, 0), (1, 0), (1, 1))
    state = levels(state, 5, (2, 1), (2, 1))
    state = evaluated(state)
    assert state.task == EquipTask(2, (1,))
    state = play(state, Done(), Skip())
    assert state.task == EquipTask(9, (0,))
    state = play(state, Done(), Skip())
    assert isinstance(state.task, Loading)
    assert [each.status for each in state.lighthouses].count(Status.BUILT) == 2
    assert len(state.lighthouses[4].levels) == 2


@pytest.mark.parametrize(
    ("built_by", "order"),
    [
        ([(0, 1), (1, 2), (0, 0)], (1, 0)),  # most workers first
        ([(1, 1), (0, 1), (0, 0)], (1, 0)),  # a tie: who stands lower
        ([(0, 0), (1, 1), (0, 1)], (1, 0)),  # an empty level counts for nothing
        ([(0, 1), (1, 2), (0, 1)], (0, 1)),  # two each, and seat 0 lower
        ([(0, 0), (0, 0), (1, 1)], (1,)),  # only who has workers on it
    ],
)
def test_the_order_of_players(built_by: list, order: tuple) -> None:
    """D1."""
    assert evaluated(levels(acting(2), HELL, *built_by)).task.order == order


def test_cards_lose_a_point_for_each_of_their_kind_by_anyone_and_workers_go_home_from_the_top() -> None:
    state = levels(acting(2), HELL, (0, 2), (1, 3), (0, 2))
    state = deal(deal(state, 0, SIREN, SIREN, CABLEWAY), 1, SIREN)
    state = evaluated(state)
    homes = state.players[0].warehouse
    for card, points, level in ((SIREN, 8, 3), (CABLEWAY, 9, 3), (SIREN, 7, 1)):
        state, events = step(state, Equip(card))
        assert only(events, Equipped) == Equipped(0, HELL, card, points, level)
    assert state.players[0].warehouse == homes + 3
    state = play(state, Done())
    _, events = step(state, Equip(SIREN))
    assert only(events, Equipped) == Equipped(1, HELL, SIREN, 6, 2)


def test_a_card_scores_by_class_and_never_below_nothing() -> None:
    state = levels(acting(2), HEAVEN, (0, 2), (0, 2), (1, 4))
    state = deal(deal(state, 0, *[CABLEWAY] * 3), 1, *[CABLEWAY] * 2)
    state = evaluated(state)
    points = []
    while Equip(CABLEWAY) in legal(state):
        state, events = step(state, Equip(CABLEWAY))
        points.append(only(events, Equipped).points)
    assert points == [2, 1, 0]
    state = play(state, Done())
    _, events = step(state, Equip(CABLEWAY))
    assert only(events, Equipped).points == 0


@pytest.mark.parametrize("light_class", LightClass)
def test_every_kind_scores_what_the_box_says(light_class: LightClass) -> None:
    site = {LightClass.HEAVEN: HEAVEN, LightClass.PURGATORY: PURGATORY, LightClass.HELL: HELL}[light_class]
    for row in BOX.equipment:
        state = evaluated(deal(levels(acting(2), site, (0, 1), (1, 0), (1, 0)), 0, row.kind))
        _, events = step(state, Equip(row.kind))
        assert only(events, Equipped).points == row.points[light_class]


def test_whoever_has_workers_on_it_is_asked_until_done_even_without_cards_or_workers() -> None:
    state = evaluated(deal(levels(acting(2), HELL, (0, 1), (1, 0), (1, 0)), 0, SIREN, PIER))
    assert legal(state) == [Equip(PIER), Equip(SIREN), Done()]
    state = play(state, Equip(PIER))
    assert legal(state) == [Done()]  # no worker is left
    with pytest.raises(IllegalAction, match="worker"):
        step(state, Equip(SIREN))
    no_card = evaluated(levels(acting(2), HELL, (0, 1), (1, 0), (1, 0)))
    assert legal(no_card) == [Done()]
    with pytest.raises(IllegalAction, match="from your hand"):
        step(no_card, Equip(SIREN))


def test_each_card_is_a_decision_of_its_own() -> None:
    state = evaluated(deal(levels(acting(2), HELL, (0, 2), (1, 0), (1, 0)), 0, SIREN, PIER))
    after = play(state, Equip(PIER))
    assert ENGINE.decision(state, 0) != ENGINE.decision(after, 0)


def test_the_harbour_is_entered_by_the_topmost_worker_for_a_coin_per_worker_there() -> None:
    """D18: those that entered just now count."""
    state = levels(acting(3), HELL, (0, 2), (1, 1), (2, 1))
    state = evaluated(give(give(state, 1, coins=1), 2, coins=2))
    state = play(state, Done(), Done(), Done())
    assert state.task == EnterHarbour(HELL, (0, 1, 2))
    state, events = step(state, Enter())
    assert only(events, Entered) == Entered(0, HELL, 2, 1, 0)
    state, events = step(state, Enter())
    assert only(events, Entered).paid == 1
    state, events = step(state, Enter())
    assert only(events, Entered).paid == 2
    assert state.harbours[2].workers == (0, 1, 2)


def test_whoever_cannot_pay_is_offered_skip_alone_and_who_is_inside_is_not_asked() -> None:
    """D6."""
    state = in_harbour(levels(acting(3), HELL, (0, 2), (1, 1), (2, 1)), 2, 0)
    state = play(evaluated(state), Done(), Done(), Done())
    assert state.task == EnterHarbour(HELL, (1, 2))
    assert legal(state) == [Skip()]
    with pytest.raises(IllegalAction, match="coin per worker"):
        step(state, Enter())
    state, events = step(state, Skip())
    assert only(events, Skipped) == Skipped(1, HELL, 2)


def test_a_seat_without_workers_left_is_not_asked_for_the_harbour() -> None:
    state = deal(levels(acting(2), HELL, (0, 1), (1, 1), (1, 0)), 0, SIREN)
    state = play(evaluated(state), Equip(SIREN), Done(), Done())
    assert state.task == EnterHarbour(HELL, (1,))


@pytest.mark.parametrize(("site", "majority"), [(HEAVEN, 3), (PURGATORY, 5), (HELL, 7)])
def test_the_majority_and_a_point_per_worker_left(site: int, majority: int) -> None:
    state = levels(acting(2), site, (0, 1), (1, 3), (0, 1))
    state = play(evaluated(state), Done(), Done(), Skip())
    state, events = step(state, Skip())
    told = steps(events, site)[-1]
    assert (told.step, told.order, told.workers) == ("majority", (1, 0), (2, 3))
    assert told.points == (2, 3 + majority)
    assert [player.points for player in state.players] == [2, 3 + majority]
    assert [player.warehouse for player in state.players] == [8, 8]


def test_the_order_is_counted_anew_for_the_majority() -> None:
    state = levels(acting(2), HELL, (0, 2), (1, 2), (1, 0))
    state = play(evaluated(state), Done(), Done())
    assert state.task == EnterHarbour(HELL, (0, 1))
    state = play(state, Enter())  # one each would tie; seat 0 stands lower with one, seat 1 has two
    state, events = step(state, Skip())
    assert steps(events, HELL)[-1].order == (1, 0)
    assert steps(events, HELL)[-1].points == (1, 2 + 7)


def test_with_no_workers_left_nobody_gets_the_majority() -> None:
    state = levels(acting(2), HELL, (0, 0), (1, 0), (0, 0))
    state, events = step(passing(state, 0), Pass())
    assert [told.step for told in steps(events, HELL)] == ["equipment", "harbour", "majority"]
    assert steps(events, HELL)[-1].points == (0, 0)
    assert state.lighthouses[HELL - 1].status is Status.BUILT


def test_afterwards_cards_engineers_workers_and_tiles_go_back() -> None:
    state = levels(acting(2), HELL, (0, 2), (1, 0), (0, 2), engineers=6)
    state = deal(state, 0, SIREN, PIER)
    laid = [level.tile for level in state.lighthouses[HELL - 1].levels]
    state = evaluated(state)
    hand, stack, opened = state.players[0].hand, state.stacks[2], state.open[2]
    state = play(state, Equip(SIREN), Equip(PIER), Done())
    assert len(state.lighthouses[HELL - 1].cards) == 2
    assert state.discards == ()
    state, events = step(state, Skip())
    assert state.discards == tuple(sorted(hand))
    assert state.stacks[2] == (laid[2], laid[1], laid[0], *stack[: len(stack) - (4 - len(opened))])
    lighthouse = state.lighthouses[HELL - 1]
    assert (lighthouse.levels, lighthouse.engineers, lighthouse.cards) == ((), 0, ())
    assert state.players[0].warehouse == 8
    assert only(events, Closed).engineers == 0  # those of a built lighthouse are back already


def complete(state: State, *sites: int) -> State:
    """These lighthouses have their third level; nobody is on them."""
    for site in sites:
        state = levels(state, site, (0, 0), (1, 0), (0, 0))
    return state


@pytest.mark.parametrize(("seats", "before", "last"), [(2, (2,), 3), (3, (1, 2), 3), (4, (1, 2), 3)])
def test_a_regions_harbours_turn_at_once_when_its_number_is_built_in_play(seats: int, before: tuple, last: int) -> None:
    """D8; lighthouses that stood from the start don't count."""
    one_short = evaluated(complete(acting(seats), *before))
    assert not any(harbour.improved for harbour in one_short.harbours)
    _, events = step(passing(complete(built(acting(seats), *before), last), *range(seats - 1)), Pass())
    flipped = only(events, Flipped)
    assert (flipped.region, flipped.harbours) == (Region.SOUTH, (0, 1, 2))
    kinds = [type(event.public) for event in events]
    assert kinds.index(Flipped) < kinds.index(Closed)


def test_a_region_turns_between_two_evaluations_of_a_round() -> None:
    """D8: "at once" is before the next lighthouse is evaluated."""
    state = levels(complete(acting(2), 2, 3), HELL, (0, 1), (1, 0), (1, 0))
    state, events = step(passing(state, 0), Pass())
    assert state.task == EquipTask(HELL, (0,))
    assert [harbour.improved for harbour in state.harbours] == [True] * 3 + [False] * 6
    assert isinstance(only(events, Flipped), Flipped)


def test_a_region_turns_only_once() -> None:
    state = complete(built(acting(2), 2, 3), HELL)
    _, events = step(passing(state, 0), Pass())
    assert not [event for event in events if isinstance(event.public, Flipped)]


def test_only_the_last_choice_of_all_evaluations_reveals() -> None:
    """D17."""
    state = levels(acting(2), PURGATORY, (0, 1), (1, 0), (1, 0))
    state = levels(state, HELL, (0, 1), (1, 0), (1, 0))
    state = passing(state, 0)
    flags = []
    state, events = step(state, Pass())
    flags.append(any(event.reveals for event in events))
    for action in (Done(), Skip(), Done(), Skip()):
        state, events = step(state, action)
        flags.append(any(event.reveals for event in events))
    assert flags == [True, False, False, False, True]
    assert state.round == 2


# Close


def test_engineers_leave_unfinished_lighthouses_and_idle_ones_get_a_coin() -> None:
    state = levels(acting(2), PURGATORY, (0, 1), engineers=1)
    state = levels(state, HEAVEN, (0, 1))
    state = change_lighthouse(state, 7, coins=2)
    supply = state.supply.engineers
    state, events = step(passing(state, 0), Pass())
    told = only(events, Closed)
    assert told.engineers == 1
    assert told.idle_sites == (3, 5, 7, 8, 9, 11, 13, 14)  # with or without levels; not those that stand from the start
    assert [each.coins for each in state.lighthouses] == [0, 0, 1, 0, 1, 0, 3, 1, 1, 0, 1, 0, 1, 1, 0]
    assert state.lighthouses[PURGATORY - 1].engineers == 0
    barges = sum(BOX.barges[place].engineers for place in range(2))
    assert state.supply.engineers == supply + 1 - barges


def test_a_built_lighthouse_gets_no_idle_coin() -> None:
    state = built(acting(2), HEAVEN)
    state, events = step(passing(state, 0), Pass())
    assert HEAVEN not in only(events, Closed).idle_sites


def test_the_close_is_carried_out_in_the_last_round_too() -> None:
    state, events = step(passing(in_round(acting(2), 5), 0), Pass())
    assert len(only(events, Closed).idle_sites) == 9
    assert state.lighthouses[HEAVEN - 1].coins == 1
    assert state.round == 5
