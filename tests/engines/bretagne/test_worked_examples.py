"""The worked examples of RULES.md, one test each."""

from __future__ import annotations

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Build, Built, Crew, Done, Ended, Enter, Entered, Equip, Passed
from server.engines.bretagne.actions import Pass as PassAction
from server.engines.bretagne.box import Equipment
from server.engines.bretagne.state import State
from tests.engines.bretagne.tables import (
    STONE,
    STORM,
    acting,
    deal,
    give,
    in_harbour,
    in_round,
    legal,
    levels,
    lighthouse,
    only,
    open_tile,
    pass_but,
    passing,
    play,
    step,
    tile,
    turn_of,
    workers,
)

PURGATORY_SITE = 2
HELL_SITE = 5


def third_level(state: State, engineers: int) -> tuple[State, Build]:
    """A purgatory lighthouse (extra: stone) with two levels, the means for the third and no more."""
    wanted = tile("2 brick 1 stone", "purgatory", coins=3)
    state = lighthouse(levels(open_tile(state, wanted), PURGATORY_SITE, (0, 0), (1, 0)), PURGATORY_SITE, STONE)
    return give(state, 0, "2 brick 2 stone 1 wood", engineers=engineers), Build(wanted, PURGATORY_SITE)


def test_1_a_third_level_in_the_sun_costs_five_materials_and_takes_five_workers() -> None:
    state, build = third_level(acting(), engineers=1)
    state, events = step(state, build)
    assert only(events, Built).paid == {"brick": 2, "stone": 2, "wood": 1}
    assert only(events, Built).engineers == 1
    assert legal(state) == [Crew(home) for home in range(6)]
    state = play(state, Crew(0))
    assert [level.workers for level in state.lighthouses[PURGATORY_SITE - 1].levels] == [0, 0, 5]
    assert state.players[0].warehouse == 3


def test_1_fewer_workers_man_it_if_the_warehouse_has_fewer() -> None:
    state, build = third_level(workers(acting(), 0, 3), engineers=1)
    assert legal(play(state, build)) == [Crew(home) for home in range(4)]


def test_2_in_a_storm_it_takes_three_engineers_and_a_worker_before_the_tile_is_manned() -> None:
    too_few, build = third_level(workers(acting(weather=STORM), 0, 4), engineers=2)
    assert build not in legal(too_few)
    state, build = third_level(workers(acting(weather=STORM), 0, 4), engineers=3)
    before = state.players[0]
    state, events = step(state, build)
    assert only(events, Built).injured
    assert only(events, Built).engineers == 3
    assert state.players[0].reserve == before.reserve + 1
    assert legal(state) == [Crew(home) for home in range(4)]  # 4 workers, one of them injured


def test_3_an_evaluation_of_a_hell_lighthouse() -> None:
    state = levels(acting(2), HELL_SITE, (0, 2), (1, 3), (0, 1))
    state = deal(deal(state, 0, Equipment.SIREN, Equipment.CABLEWAY), 1, Equipment.SIREN)
    state = passing(state, 0, 1)
    assert state.task.order == (0, 1)  # three each, and seat 0 stands lower
    state = play(state, Equip(Equipment.SIREN), Equip(Equipment.CABLEWAY))
    assert state.players[0].points == 8 + 9
    assert [level.workers for level in state.lighthouses[HELL_SITE - 1].levels] == [1, 3, 0]
    state = play(state, Done(), Equip(Equipment.SIREN))
    assert state.players[1].points == 8 - 1
    state = play(state, Done())
    assert ENGINE.turn(state)[1] == "harbour"
    assert state.task.order == (1, 0)


def test_4_the_third_to_enter_a_harbour_pays_two_coins() -> None:
    state = levels(in_harbour(in_round(acting(3), 5), 2, 1, 2), HELL_SITE, (0, 0), (0, 0), (0, 1))
    state = play(passing(give(state, 0, coins=2), 0, 1, 2), Done())
    state, events = step(state, Enter())
    assert only(events, Entered).paid == 2
    assert state.harbours[2].workers == (1, 2, 0)
    assert state.players[0].coins == 0


def test_4_three_workers_there_score_one_each_at_the_end() -> None:
    state = pass_but(in_round(in_harbour(acting(3), 2, 1, 2, 0), 5), 0)
    _, events = step(state, PassAction())
    assert only(events, Ended).harbour_points == (1, 1, 1)


def test_5_the_places_of_the_last_round_score_four_two_one_nothing() -> None:
    state = turn_of(passing(in_round(acting(4), 5), 2, 0, 3), 1)
    _, events = step(state, PassAction())
    assert only(events, Ended).order_points == (2, 0, 4, 1)


def test_6_what_is_over_three_of_a_material_goes_to_the_supply() -> None:
    state = give(acting(), 0, "5 brick 1 wood")
    supply = state.supply.materials
    state, events = step(state, PassAction())
    assert only(events, Passed).returned == {"brick": 2}
    assert state.players[0].materials == (3, 0, 0, 1)
    assert state.supply.materials == (supply[0] + 2, *supply[1:])
    assert state.players[0].engineers == 0
