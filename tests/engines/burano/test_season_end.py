"""Season's end in its order, the new season, and the end after winter."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import CoinPrivilege, CubePrivilege, Done, DrawRoof, EndTurn, ReturnRoof, Skip, Take
from server.engines.burano.events import (
    CubeGained,
    Ended,
    FinalScore,
    IslandsScored,
    RoofDrawn,
    RoofReturned,
    SeasonBegun,
    StartPlayer,
)
from server.engines.burano.state import NewRoofs, Phase, RoofStacks, State
from server.engines.burano.steps.season_end import result
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ENGINE,
    ORANGE,
    PINK,
    WHITE,
    act,
    apply,
    ashore,
    at_work,
    card,
    cubes,
    deserted,
    give,
    in_turn,
    legal,
    legal_of,
    maps,
    play,
    refused,
    replace,
    square,
    turned,
    without_pyramids,
)


def last_turn(seats: int = 2, season: int = 0) -> State:
    """The last seat's turn of a season's last round; one action is taken."""
    state = without_pyramids(deserted(in_turn(seats)))
    return replace(state, season=season, round=BOX.rounds[season] - 1, seat=seats - 1, actions=1)


def after_lace(state: State) -> State:
    """The state when every seat has skipped its lace scoring."""
    while state.phase is Phase.LACE_SCORING:
        state = act(state, Skip())
    return state


@pytest.mark.parametrize(("seats", "alone", "shared"), [(2, 2, 1), (3, 3, 1), (4, 4, 2)])
def test_most_workers_on_a_sea_island_score_and_ties_share(seats: int, alone: int, shared: int) -> None:
    others = (0,) * (seats - 2)
    state = ashore(ashore(last_turn(seats), "Murano", 2, 1, *others), "Vignole", 1, 1, *others)
    state, events = play(state, EndTurn())
    assert events[-1] == IslandsScored(0, (("Murano", (0,), alone), ("Vignole", (0, 1), shared)))
    assert [family.points for family in state.families] == [alone + shared, shared, *others]
    assert state.phase is Phase.LACE_SCORING
    assert state.seat == 0


def test_a_harbour_master_wins_ties_at_seasons_end() -> None:
    state = ashore(give(last_turn(4), 1, buildings=(card("harbour master"),)), "Murano", 1, 1, 1, 0)
    state = ashore(state, "Vignole", 2, 1, 0, 0)
    _, events = play(state, EndTurn())
    assert events[-1].islands == (("Murano", (1,), 4), ("Vignole", (0,), 4))


def test_two_harbour_masters_that_tie_share() -> None:
    """D20: the box has one; a file may have more."""
    master = (card("harbour master"),)
    state = ashore(give(give(last_turn(4), 1, buildings=master), 2, buildings=master), "Murano", 1, 1, 1, 0)
    assert play(state, EndTurn())[1][-1].islands == (("Murano", (1, 2), 2),)


def test_islands_without_workers_score_nobody() -> None:
    assert play(last_turn(), EndTurn())[1][-1].islands == ()


def test_the_new_season_deals_markers_and_that_reveals() -> None:
    state = act(act(last_turn(), EndTurn()), Skip())
    after, events = apply(state, Skip())
    begun = events[-1]
    assert isinstance(begun.public, SeasonBegun)
    assert begun.reveals
    assert begun.public.markers == dict(zip(BOX.colours, after.markers.works, strict=True))
    assert sorted(after.markers.works) == ["earn"] * 2 + ["fish"] * 2 + ["lace"] * 2
    assert (after.season, after.round, after.phase, after.seat) == (1, 0, Phase.ROOFS, 0)


def test_each_seat_gets_a_cube_for_each_covered_sector_beside_its_old_pyramid() -> None:
    state = turned(last_turn(), 0, first=3, workers=9)
    pyramid = in_turn().families[0].pyramid
    state = give(state, pyramid=pyramid, ready=[PINK])
    after = after_lace(act(state, EndTurn()))
    covered = cubes(*(sector.colour for piece in "BCD" for sector in BOX.pieces["ABCD".index(piece)]))
    down = cubes(*(cube for cube in pyramid.cubes if cube is not None))
    assert after.families[0].stock.counts == tuple(map(sum, zip(covered.counts, down.counts, strict=True)))
    assert set(after.families[0].pyramid.cubes) == {None}
    assert after.families[0].ready == cubes(PINK)


def test_a_colour_the_supply_lacks_is_skipped_in_turn_order() -> None:
    state = turned(turned(last_turn(), 0, first=0, workers=4), 1, first=0, workers=4)
    state = replace(state, start=1, seat=0, supply=cubes(WHITE, ORANGE, ORANGE, BLUE, PINK, PINK))
    begun = _begun(state)
    assert begun.drawn == ({"orange": 1, "pink": 1}, {"white": 1, "orange": 1, "blue": 1, "pink": 1})


def _begun(state: State) -> SeasonBegun:
    state = act(act(state, EndTurn()), Skip())
    event = play(state, Skip())[1][-1]
    assert isinstance(event, SeasonBegun)
    return event


def renewing(*roofs: int, privileges: int = 0) -> State:
    """Seat 0's roofs at the end of spring."""
    state = after_lace(act(last_turn(), EndTurn()))
    return give(state, roofs=roofs, privileges=privileges)


def test_roofs_go_back_before_the_first_draw_and_kinds_not_held_are_drawn() -> None:
    """D18: a returned roof lies at the bottom of its stack."""
    state = renewing(0, 12)
    assert maps(state) == [
        {"type": "draw_roof", "kind": "wheel"},
        {"type": "draw_roof", "kind": "fixed"},
        {"type": "return_roof", "roof": 0},
        {"type": "return_roof", "roof": 12},
    ]
    state, events = play(state, ReturnRoof(12))
    assert events == [RoofReturned(0, 12)]
    assert state.roofs.stacks[1][0] == 12
    assert "done" not in [action["type"] for action in maps(state)]
    top = state.roofs.stacks[2][-1]
    state, events = apply(state, DrawRoof("wheel"))
    assert events[0].public == RoofDrawn(0, "wheel", top)
    assert events[0].reveals
    assert not legal_of(state, ReturnRoof)
    assert "before the first draw" in refused(state, ReturnRoof(0))
    assert "until the hand is full" in refused(state, Done())
    state = act(state, DrawRoof("fixed"))
    assert maps(state) == [{"type": "done"}]
    assert "limit" in refused(state, DrawRoof("workshops"))
    assert "only a roof in hand" in refused(renewing(0), ReturnRoof(12))


def test_with_three_roofs_done_is_possible_at_once_and_a_returned_kind_may_be_drawn_again() -> None:
    state = renewing(0, 12, 24)
    assert Done() in legal(state)
    assert not legal_of(state, DrawRoof)
    state = act(state, ReturnRoof(0))
    assert [draw.kind for draw in legal_of(state, DrawRoof)] == ["islands", "fixed"]


def test_an_empty_stack_cannot_be_chosen_and_a_seat_may_then_hold_fewer() -> None:
    """D8."""
    state = replace(renewing(0), roofs=RoofStacks(((1,), (), (), ())))
    assert maps(state) == [{"type": "return_roof", "roof": 0}, {"type": "done"}]
    assert "not empty" in refused(state, DrawRoof("wheel"))
    assert act(state, Done()).seat == 1


def test_privileges_at_seasons_end_bring_coins_and_cubes_and_do_not_reopen_returns() -> None:
    state = renewing(0, privileges=3)
    kinds = [action["type"] for action in maps(state)]
    assert list(dict.fromkeys(kinds)) == ["draw_roof", "return_roof", "cube_privilege", "coin_privilege"]
    stock = state.families[0].stock
    state, events = play(state, CubePrivilege("pink"))
    assert events == [CubeGained(0, "pink", None)]
    assert state.families[0].stock == stock.plus(PINK)
    assert legal_of(state, ReturnRoof)
    state = act(state, DrawRoof("fixed"))
    state = act(state, CoinPrivilege())
    assert not legal_of(state, ReturnRoof)
    assert "stock" in refused(state, CubePrivilege("pink", 0, 0, 0))
    assert legal_of(state, CubePrivilege) == [CubePrivilege(colour) for colour in BOX.colours]


def test_every_seat_renews_its_roofs_then_the_start_player_marker_moves_and_pyramids_follow() -> None:
    state = give(renewing(0, 12, 24), 1, roofs=(1, 13, 25))
    state = act(state, Done())
    assert (state.seat, state.task) == (1, NewRoofs(drawn=False))
    turn = state.turn
    state, events = play(state, Done())
    assert events[-1] == StartPlayer(1)
    assert (state.phase, state.start, state.seat, state.turn) == (Phase.PYRAMID, 1, 1, turn)
    assert ENGINE.deciding(state) == (0, 1)
    while state.phase is Phase.PYRAMID:
        state = act(state, legal(state)[0])
    assert (state.phase, state.seat, state.turn) == (Phase.TURN, 1, turn + 1)


def test_ready_cubes_workers_and_boats_stay_between_seasons() -> None:
    """D14."""
    state = ashore(at_work(give(last_turn(), ready=[WHITE], boat="Treporti"), square(1, 4)), "Murano", 1, 0)
    after = after_lace(act(state, EndTurn()))
    assert after.families[0].ready == state.families[0].ready
    assert after.families[0].boat == state.families[0].boat
    assert (after.workshops, after.sea) == (state.workshops, state.sea)


def test_winter_ends_the_game_after_islands_and_lace() -> None:
    state = ashore(last_turn(season=3), "Murano", 1, 0)
    state = give(state, coins=13, privileges=3, points=10, fish=["sole", "eel"], sold=["sole"])
    state = give(state, buildings=(card("campanile"), card("town archive"), card("fishmonger", 0)))
    state = give(state, 1, coins=4, privileges=0, points=20)
    state = act(act(state, EndTurn()), Skip())
    state, events = play(state, Skip())
    assert events[-1] == Ended(
        (FinalScore(3, 16 // 5, 2, 9 + 9 + 2), FinalScore(0, 0, 0, 0)), (10 + 2 + 3 + 2 + 20, 20)
    )
    assert state.phase is Phase.OVER
    assert (state.families[0].coins, state.families[0].privileges) == (16, 0)
    assert ENGINE.deciding(state) == ()
    assert ENGINE.turn(state)[1] == "over"
    over = ENGINE.result(state)
    assert over is not None
    assert (over.scores, over.ranks, over.reason) == ((37, 20), (1, 2), "winter")


def test_ties_are_broken_by_ready_cubes_then_coins_then_shared() -> None:
    """D13: all coins count, not lessened by the points they gave."""
    state = replace(in_turn(4), phase=Phase.OVER)
    for seat, (ready, coins) in enumerate((([WHITE], 9), ([WHITE, BLUE], 1), ([WHITE], 9), ([WHITE], 11))):
        state = give(state, seat, points=30, ready=ready, coins=coins)
    assert result(state).ranks == (3, 1, 3, 2)
    assert result(give(state, 0, points=31)).ranks == (1, 2, 4, 3)


def test_seasons_have_four_four_three_and_three_rounds() -> None:
    state, rounds = in_turn(), {}
    while state.phase is not Phase.OVER:
        rounds.setdefault(state.season, set()).add(state.round)
        seat = ENGINE.deciding(state)[0]
        state = act(state, ENGINE.default_action(state, seat), seat)
    assert {season: len(numbers) for season, numbers in rounds.items()} == {0: 4, 1: 4, 2: 3, 3: 3}
    assert state.turn == 14 * 2


def test_a_take_is_left_for_the_last_turn() -> None:
    """The tests above end turns that may end: an action was taken."""
    assert legal_of(replace(in_turn(), actions=0), Take)
    assert EndTurn() in legal(last_turn())
