"""Building: cost, storms, rewards, idle coins, crews. D1, D3, D9, D11, D12."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import AnyAction, Build, Built, Crew, Crewed, Gain, Gained, Pass
from server.engines.bretagne.box import MATERIALS, LightClass, Weather
from server.engines.bretagne.state import Act, State
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import (
    BRICK,
    CHANGEABLE,
    SAND,
    STONE,
    STORM,
    SUN,
    WOOD,
    acting,
    built,
    change_lighthouse,
    change_player,
    checked,
    give,
    legal,
    levels,
    lighthouse,
    only,
    open_tile,
    pass_but,
    play,
    step,
    stock,
    tile,
    workers,
)

HEAVEN, PURGATORY, HELL = 3, 2, 5  # sites that are open at two seats
ENGINEERS = {
    (LightClass.HEAVEN, SUN): 1,
    (LightClass.HEAVEN, CHANGEABLE): 1,
    (LightClass.HEAVEN, STORM): 1,
    (LightClass.PURGATORY, SUN): 1,
    (LightClass.PURGATORY, CHANGEABLE): 1,
    (LightClass.PURGATORY, STORM): 3,
    (LightClass.HELL, SUN): 2,
    (LightClass.HELL, CHANGEABLE): 2,
    (LightClass.HELL, STORM): 4,
}
SITE = {LightClass.HEAVEN: HEAVEN, LightClass.PURGATORY: PURGATORY, LightClass.HELL: HELL}
TILE = {
    LightClass.HEAVEN: tile("2 brick", "heaven", coins=2),
    LightClass.PURGATORY: tile("2 brick 1 stone", "purgatory", coins=3),
    LightClass.HELL: tile("1 brick 2 stone", "hell", points=5),
}


def rich(state: State, seat: int = 0, engineers: int = 6) -> State:
    """The seat could pay for anything."""
    return give(state, seat, "4 brick 4 stone 4 sand 2 wood", engineers=engineers)


def refused(state: State, action: AnyAction, rule: str) -> None:
    """The action is refused by this rule, and is not on the list."""
    assert action not in legal(state)
    with pytest.raises(IllegalAction, match=rule):
        step(state, action)


@pytest.mark.parametrize("weather", Weather)
@pytest.mark.parametrize("light_class", LightClass)
def test_engineers_by_class_and_weather(light_class: LightClass, weather: Weather) -> None:
    wanted = ENGINEERS[light_class, weather]
    state = open_tile(acting(weather=weather), TILE[light_class])
    build = Build(TILE[light_class], SITE[light_class])
    refused(rich(state, engineers=wanted - 1), build, "engineers")
    after, events = step(rich(state, engineers=wanted), build)
    assert only(events, Built).engineers == wanted
    assert after.players[0].engineers == 0
    assert after.lighthouses[build.site - 1].engineers == wanted
    injures = weather is STORM and light_class is not LightClass.HEAVEN
    assert only(events, Built).injured == injures
    assert after.players[0].reserve == 6 + injures


@pytest.mark.parametrize(
    ("site", "extra", "tile_", "level", "cost"),
    [
        (HEAVEN, (), "heaven", 1, "2 brick"),
        (HEAVEN, (), "heaven", 2, "2 brick 1 wood"),
        (PURGATORY, (SAND,), "purgatory", 1, "2 brick 1 stone 1 sand"),
        (PURGATORY, (BRICK,), "purgatory", 3, "3 brick 1 stone 1 wood"),
        (HELL, (STONE, STONE), "hell", 1, "1 brick 4 stone"),
        (HELL, (BRICK, SAND), "hell", 2, "2 brick 2 stone 1 sand 1 wood"),
    ],
)
def test_the_exact_cost(site: int, extra: tuple, tile_: str, level: int, cost: str) -> None:
    """The tile's materials, the lighthouse's extra materials, a wood from the second level on; all of it, no more."""
    wanted = TILE[LightClass(tile_)]
    state = open_tile(acting(), wanted)
    if extra:
        state = lighthouse(state, site, *extra)
    state = levels(state, site, *[(1, 0)] * (level - 1))
    build = Build(wanted, site)
    after, events = step(give(state, 0, cost, engineers=2), build)
    assert only(events, Built).level == level
    assert after.players[0].materials == stock("")
    assert after.task.spent == sum(stock(cost))
    for i, n in enumerate(stock(cost)):
        if n:
            one_less = tuple(m - (j == i) for j, m in enumerate(stock(cost)))
            words = " ".join(f"{m} {name}" for m, name in zip(one_less, MATERIALS, strict=True))
            refused(give(state, 0, words, engineers=2), build, "materials")


def test_what_is_paid_goes_to_the_supply_and_the_tile_leaves_the_open_ones() -> None:
    wanted = TILE[LightClass.HEAVEN]
    state = give(open_tile(acting(), wanted), 0, "2 brick", engineers=1)
    after = play(state, Build(wanted, HEAVEN))
    assert after.supply.materials[0] == state.supply.materials[0] + 2
    assert wanted not in after.open[0]
    assert len(after.open[0]) == 3  # refilled at the next set-up only
    [level] = after.lighthouses[HEAVEN - 1].levels
    assert (level.tile, level.seat) == (wanted, 0)


def test_a_tile_must_be_open_and_of_the_lighthouses_class() -> None:
    state = rich(acting())
    closed = state.stacks[0][0]
    refused(state, Build(closed, HEAVEN), "open")
    refused(state, Build(99, HEAVEN), "open")
    refused(state, Build(-1, HEAVEN), "open")
    refused(state, Build(state.open[0][0], PURGATORY), "class")
    refused(state, Build(state.open[0][0], 0), "class")
    refused(state, Build(state.open[0][0], 16), "class")


def test_nothing_is_built_on_what_is_complete_finished_or_stood_from_the_start() -> None:
    state = rich(acting())
    tile_ = state.open[0][0]
    refused(levels(state, HEAVEN, (0, 0), (0, 0), (1, 0)), Build(tile_, HEAVEN), "all its levels")
    refused(built(state, HEAVEN), Build(tile_, HEAVEN), "all its levels")
    refused(state, Build(tile_, 1), "all its levels")  # stands from the start at two seats


def test_in_a_storm_a_worker_must_be_at_home_at_sea_but_not_on_land() -> None:
    state = workers(rich(acting(weather=STORM)), 0, 0)
    for light_class in (LightClass.PURGATORY, LightClass.HELL):
        at_sea = open_tile(state, TILE[light_class])
        refused(at_sea, Build(TILE[light_class], SITE[light_class]), "storm")
    on_land = open_tile(state, TILE[LightClass.HEAVEN])
    assert Build(TILE[LightClass.HEAVEN], HEAVEN) in legal(on_land)


def test_a_build_without_workers_is_legal_and_its_crew_of_none_is_asked() -> None:
    """D11."""
    state = workers(rich(open_tile(acting(), TILE[LightClass.HELL])), 0, 0)
    state = play(state, Build(TILE[LightClass.HELL], HELL))
    assert legal(state) == [Crew(0)]
    state, events = step(state, Crew(0))
    assert only(events, Crewed) == Crewed(0, HELL, 0, 0, 0)
    assert state.task == Act(1)


def test_a_reward_does_not_pay_for_its_own_build_but_its_worker_can_man_the_tile() -> None:
    """D9."""
    wanted = tile("3 brick", "purgatory", workers=1)
    state = workers(lighthouse(open_tile(acting(), wanted), PURGATORY, SAND), 0, 0)
    state = give(state, 0, "3 brick 1 sand", engineers=1)
    after, events = step(state, Build(wanted, PURGATORY))
    assert only(events, Built).got == {"workers": 1}
    assert legal(after) == [Crew(0), Crew(1)]
    any_material = tile("1 brick 1 stone 1 sand", "purgatory", any_material=1, coins=1)
    state = lighthouse(open_tile(acting(), any_material), PURGATORY, SAND)
    poor = give(state, 0, "1 brick 1 stone 1 sand", engineers=1)
    refused(poor, Build(any_material, PURGATORY), "materials")


def test_an_injured_worker_comes_back_if_the_reward_brings_one() -> None:
    wanted = tile("3 brick", "purgatory", workers=1)
    state = workers(rich(lighthouse(open_tile(acting(weather=STORM), wanted), PURGATORY, SAND)), 0, 1)
    after = play(state, Build(wanted, PURGATORY))
    assert (after.players[0].warehouse, after.players[0].reserve) == (1, 13)


def test_a_worker_as_reward_needs_one_in_the_reserve() -> None:
    """D12."""
    wanted = tile("3 brick", "purgatory", workers=1)
    state = workers(rich(lighthouse(open_tile(acting(), wanted), PURGATORY, SAND)), 0, 14)
    _, events = step(state, Build(wanted, PURGATORY))
    assert (only(events, Built).got, only(events, Built).short) == ({}, {"workers": 1})


def test_idle_coins_come_with_the_reward() -> None:
    wanted = TILE[LightClass.HEAVEN]
    state = change_lighthouse(rich(open_tile(acting(), wanted)), HEAVEN, coins=3)
    after, events = step(state, Build(wanted, HEAVEN))
    assert only(events, Built).idle_coins == 3
    assert after.players[0].coins == 3 + 2
    assert after.lighthouses[HEAVEN - 1].coins == 0


def test_a_material_of_choice_is_asked_before_the_crew() -> None:
    wanted = tile("1 brick 1 stone 1 sand", "purgatory", any_material=1, coins=1)
    state = rich(lighthouse(open_tile(acting(), wanted), PURGATORY, STONE))
    wood = state.players[0].materials[3]
    state, events = step(state, Build(wanted, PURGATORY))
    assert only(events, Built).choices == 1
    assert ENGINE.turn(state) == (1, "reward")
    assert Gain(WOOD) in legal(state)
    with pytest.raises(IllegalAction, match="supply"):
        step(state, Pass())
    state, events = step(state, Gain(WOOD))
    assert only(events, Gained) == Gained(0, WOOD, None, PURGATORY)
    assert state.players[0].materials[3] == wood + 1
    assert ENGINE.turn(state) == (1, "crew")


def test_only_what_the_supply_has_can_be_chosen() -> None:
    wanted = tile("1 brick 1 stone 1 sand", "purgatory", any_material=1, coins=1)
    state = lighthouse(open_tile(acting(), wanted), PURGATORY, STONE)
    state = give(state, 0, "1 brick 2 stone 1 sand", engineers=1)
    wood = state.supply.materials[3]
    state = give(state, 1, f"{wood} wood")
    state = play(state, Build(wanted, PURGATORY))
    assert WOOD not in {action.material for action in legal(state)}
    with pytest.raises(IllegalAction, match="supply"):
        step(state, Gain(WOOD))


def test_equipment_as_reward_is_a_number_to_others_and_reveals() -> None:
    wanted = tile("2 brick 1 sand", "purgatory", equipment=2)
    state = rich(open_tile(acting(), wanted))
    _, events = step(state, Build(wanted, PURGATORY))
    [event] = events
    assert event.reveals
    assert (event.public.got, event.public.cards) == ({"equipment": 2}, None)
    assert len(event.form_for(0).cards) == 2
    assert event.form_for(1) is event.public


def test_a_deck_that_runs_out_is_made_of_the_discards_in_ascending_order() -> None:
    """D4, and what is not there is not drawn (D12)."""
    wanted = tile("1 brick 1 stone 1 sand", "hell", equipment=3)
    state = rich(open_tile(acting(), wanted))
    cards = sorted(state.deck)
    state = change_player(state, 1, hand=tuple(cards[5:]))
    two_left = checked(replace(state, deck=(cards[4],), discards=(cards[0], cards[1], cards[2], cards[3])))
    after, events = step(two_left, Build(wanted, HELL))
    assert len(after.players[0].hand) == 3
    assert cards[4] in after.players[0].hand
    assert (len(after.deck), after.discards) == (2, ())
    others = change_player(state, 1, hand=(*cards[:4], *cards[5:]))
    none_left = checked(replace(others, deck=(cards[4],)))
    after, events = step(none_left, Build(wanted, HELL))
    assert only(events, Built).short == {"equipment": 2}
    assert (after.deck, after.discards, len(after.players[0].hand)) == ((), (), 1)


@pytest.mark.parametrize(("home", "points"), [(0, 0), (1, 2), (4, 8), (6, 12)])
def test_any_number_of_the_crew_goes_home_for_two_points_each(home: int, points: int) -> None:
    state = rich(lighthouse(levels(open_tile(acting(), TILE[LightClass.HELL]), HELL, (1, 0)), HELL, SAND, SAND))
    state = play(state, Build(TILE[LightClass.HELL], HELL))  # 1 brick, 2 stone, 2 sand, 1 wood and 5 points
    assert legal(state) == [Crew(n) for n in range(7)]
    state, events = step(state, Crew(home))
    assert only(events, Crewed) == Crewed(0, HELL, 6 - home, home, points)
    assert state.players[0].points == 5 + points
    assert state.players[0].warehouse == 8 - 6 + home
    assert state.lighthouses[HELL - 1].levels[-1].workers == 6 - home


@pytest.mark.parametrize("home", [-1, 7])
def test_no_more_of_the_crew_than_there_is(home: int) -> None:
    state = rich(lighthouse(levels(open_tile(acting(), TILE[LightClass.HELL]), HELL, (1, 0)), HELL, SAND, SAND))
    state = play(state, Build(TILE[LightClass.HELL], HELL))
    with pytest.raises(IllegalAction, match="send home"):
        step(state, Crew(home))


def test_levels_of_several_builders_and_turns_go_round() -> None:
    """D1, and `turn.number`: a build with its crew is one action."""
    state = rich(open_tile(acting(3), TILE[LightClass.HEAVEN]))
    state = play(state, Build(TILE[LightClass.HEAVEN], HEAVEN))
    assert ENGINE.turn(state) == (1, "crew")
    state = play(state, Crew(0))
    assert ENGINE.turn(state) == (2, "action")
    state = rich(state, 1, engineers=1)
    second = next(action for action in legal(state) if isinstance(action, Build) and action.site == HEAVEN)
    state = play(state, second, Crew(0))
    assert [level.seat for level in state.lighthouses[HEAVEN - 1].levels] == [0, 1]
    assert state.lighthouses[HEAVEN - 1].engineers == 2
    state = play(state, Pass())
    assert (ENGINE.turn(state)[0], state.task) == (4, Act(0))


def test_builds_are_listed_by_tile_then_by_site_then_cities_then_pass() -> None:
    state = give(rich(acting(4)), 0, coins=9)
    actions = legal(state)
    builds = [action for action in actions if isinstance(action, Build)]
    assert builds == sorted(builds, key=lambda action: (action.tile, action.site))
    assert len(builds) == 3 * 4 * 5  # four open tiles of each class, five lighthouses, and means for all
    assert [type_of(action) for action in actions[len(builds) :]] == ["trade", "trade", "pass"]


def type_of(action: AnyAction) -> str:
    """The action's `type`."""
    return str(action.__struct_config__.tag)


def test_only_the_deciding_seat_acts() -> None:
    state = pass_but(rich(acting(2)), 0)
    with pytest.raises(IllegalAction, match="another seat"):
        ENGINE.apply(state, 1, Pass(), None)  # type: ignore[arg-type]
    assert ENGINE.legal_actions(state, 1) == ()
