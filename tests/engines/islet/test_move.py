"""Move: walks free and paid, coming ashore, other birds (D3), no walk for ever (D8)."""

from __future__ import annotations

from server.engines.islet.components import NONE
from tests.engines.islet.tables import Play, counts, pay, scene, seat

ROW = {(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "sl", (4, 0): "ct"}


def targets(play: Play) -> list[tuple[int, int]]:
    return sorted({(action["x"], action["y"]) for action in play.listed("walk")})


def test_worked_example_2() -> None:
    board = {(0, 0): "sl", (1, 0): "ct", (2, 0): "wf", (3, 0): "wl"}
    means = {"water": 1, "sand": 1, "clay": 1, "flower": 2}
    play = Play(scene(board, seat((0, 0), means, {"clay": 1}), seat()))
    piles = play.state.piles
    play.do("walk", x=1, y=0, pay=pay(guarded={"clay": 1}))
    assert play.me.used == counts({"clay": 1})
    assert play.me.guarded == NONE
    play.do("walk", x=2, y=0, pay=pay({"water": 1}))
    egg = pay({"sand": 1, "clay": 1, "flower": 2})
    assert play.do("lay_egg", pay=egg) == [{"kind": "egg_laid", "seat": 0, "x": 2, "y": 0, "level": 1, "pay": egg}]
    assert play.do("guard", resource="leaf") == [{"kind": "guarded", "seat": 0, "resource": "leaf"}]
    play.do("walk", x=3, y=0, pay=pay())
    play.do("stop")
    after = play.state.players[0]
    assert after.cards == NONE
    assert after.guarded == counts({"clay": 1, "leaf": 1})
    assert after.used == NONE
    back = [new - old for new, old in zip(play.state.piles, piles, strict=True)]
    assert back == [1, 1, 1, -1, 0, 2], "five cards go back, a leaf was taken"
    assert after.eggs == 7
    assert play.state.number == 2


def test_the_same_terrain_is_free_and_only_free() -> None:
    play = Play(scene(ROW, seat((0, 0), {"water": 2}), seat()))
    assert [action["pay"] for action in play.listed("walk")] == [pay()]
    assert "free" in play.refusal("walk", x=1, y=0, pay=pay({"water": 1}))
    event = play.do("walk", x=1, y=0, pay=pay())
    assert event == [{"kind": "walked", "seat": 0, "x": 1, "y": 0, "pay": pay()}]


def test_another_terrain_costs_a_card_of_the_target() -> None:
    play = Play(scene(ROW, seat((1, 0), {"sand": 1, "water": 1}), seat()))
    assert targets(play) == [(0, 0), (2, 0)]
    assert "doesn't pay exactly" in play.refusal("walk", x=2, y=0, pay=pay())
    assert "doesn't pay exactly" in play.refusal("walk", x=2, y=0, pay=pay({"water": 1}))
    assert "doesn't pay exactly" in play.refusal("walk", x=2, y=0, pay=pay({"sand": 1, "water": 1}))
    play.do("walk", x=2, y=0, pay=pay({"sand": 1}))
    assert play.me.cards == counts({"water": 1})


def test_coming_ashore_costs_a_card_and_leads_to_any_coast_tile() -> None:
    """D2."""
    inland = {(0, 0): "wl", (-1, 0): "wl", (1, 0): "wl", (0, -1): "st"}
    play = Play(scene(inland, seat(None, {"water": 1}), seat()))
    assert targets(play) == [(-1, 0), (1, 0)]
    assert all(action["pay"] == pay({"water": 1}) for action in play.listed("walk"))
    assert "coast" in play.refusal("walk", x=0, y=0, pay=pay({"water": 1}))


def test_a_hole_makes_a_coast_to_come_ashore_on() -> None:
    """D1."""
    cells = [(x, y) for x in range(-2, 3) for y in (-1, 0, 1) if (x, y) != (0, 0)]
    round_a_hole = {(x, y): ("wl", "wt", "wf")[y] for x, y in cells}
    play = Play(scene(round_a_hole, seat(None, {"water": 1}), seat()))
    assert {(-1, 0), (1, 0), (0, -1)} <= set(targets(play))


def test_height_and_eggs_do_not_matter() -> None:
    board = {(0, 0): "wl", (1, 0): "sl sl sl wt", (2, 0): "wt"}
    play = Play(scene(board, seat((0, 0)), seat(), eggs={(1, 0): 1}))
    play.do("walk", x=1, y=0, pay=pay())
    assert targets(play) == [(2, 0)]


def test_a_walk_leads_to_an_adjacent_tile_never_to_the_ocean() -> None:
    play = Play(scene(ROW, seat((0, 0), {"sand": 1}), seat()))
    assert "adjacent" in play.refusal("walk", x=2, y=0, pay=pay({"sand": 1}))
    assert "tiles only" in play.refusal("walk", x=-1, y=0, pay=pay())


def test_used_guarded_resources_do_not_pay_again_this_turn() -> None:
    board = {(0, 0): "wl", (1, 0): "sl", (2, 0): "wl", (3, 0): "sl"}
    play = Play(scene(board, seat((0, 0), guarded={"sand": 1, "water": 1}), seat()))
    play.do("walk", x=1, y=0, pay=pay(guarded={"sand": 1}))
    play.do("walk", x=2, y=0, pay=pay(guarded={"water": 1}))
    assert play.listed() == [{"type": "stop"}]
    play.do("stop")
    play.do("lay_tile", tile=play.me.hand[0], x=4, y=0)
    play.do("stop")
    assert play.me.guarded == counts({"sand": 1, "water": 1})
    assert [action["pay"] for action in play.listed("walk") if action["x"] == 3] == [pay(guarded={"sand": 1})]


def test_returned_cards_are_on_their_piles_at_once() -> None:
    """D6: the sand that pays for the walk is the card that two clay are changed for on the next."""
    board = {(0, 0): "wl", (1, 0): "sl", (2, 0): "wl", (3, 0): "sl"}
    others = [seat(cards={"sand": 8}), seat(cards={"sand": 3})]
    play = Play(scene(board, seat((0, 0), {"sand": 1, "water": 1, "clay": 2}), *others))
    assert play.state.piles[1] == 0
    play.do("walk", x=1, y=0, pay=pay({"sand": 1}))
    play.do("walk", x=2, y=0, pay=pay({"water": 1}))
    play.do("walk", x=3, y=0, pay=pay({"clay": 2}))


def test_a_move_does_not_end_on_another_birds_tile() -> None:
    play = Play(scene(ROW, seat((0, 0), {"sand": 1}), seat((1, 0))))
    play.do("walk", x=1, y=0, pay=pay())
    assert play.listed("stop") == []
    assert play.listed("lay_egg") == []
    assert "another bird" in play.refusal("stop")
    play.do("walk", x=2, y=0, pay=pay({"sand": 1}))
    play.do("stop")


def test_a_bird_does_not_walk_where_it_would_be_stuck() -> None:
    """D3: the way back is barred by D8, the way on can't be paid."""
    stuck = Play(scene(ROW, seat((0, 0)), seat((1, 0))))
    assert targets(stuck) == []
    assert "could not leave" in stuck.refusal("walk", x=1, y=0, pay=pay())
    converting = Play(scene(ROW, seat((0, 0), {"clay": 2}), seat((1, 0))))
    assert targets(converting) == [(1, 0)]


def test_the_search_sees_several_birds_on_end_and_each_way_to_pay() -> None:
    """D3: on past two birds to the water behind them; back to the clay can't be paid."""
    board = {(0, 0): "ct", (1, 0): "wl", (2, 0): "sl", (3, 0): "wl"}
    means = {"water": 1, "sand": 1, "clay": 2}
    play = Play(scene(board, seat((0, 0), means), seat((1, 0)), seat((2, 0))))
    assert [action["pay"] for action in play.listed("walk")] == [pay({"clay": 2}), pay({"water": 1})]
    poorer = Play(scene(board, seat((0, 0), {"water": 1, "sand": 1}), seat((1, 0)), seat((2, 0))))
    assert targets(poorer) == []
    assert "could not leave" in poorer.refusal("walk", x=1, y=0, pay=pay({"water": 1}))


def test_the_way_to_pay_decides_whether_the_bird_gets_off() -> None:
    """D3: both ways pay for the walk, one leaves enough for the next."""
    board = {(0, 0): "ct", (1, 0): "wl", (2, 0): "sl"}
    means = {"water": 1, "sand": 2}
    play = Play(scene(board, seat((0, 0), means), seat((1, 0))))
    assert [action["pay"] for action in play.listed("walk")] == [pay({"water": 1})]
    assert "could not leave" in play.refusal("walk", x=1, y=0, pay=pay({"sand": 2}))


def test_coming_ashore_on_another_bird() -> None:
    """D3 from the ocean."""
    play = Play(scene(ROW, seat(None, {"water": 1}), seat((0, 0)), seat((1, 0))))
    assert targets(play) == []
    richer = Play(scene(ROW, seat(None, {"water": 1, "sand": 1}), seat((0, 0)), seat((1, 0))))
    assert targets(richer) == [(0, 0), (1, 0), (2, 0), (3, 0)]


def test_free_walks_do_not_go_on_for_ever() -> None:
    """D8 before the first payment: also the tile where the move began is barred."""
    play = Play(scene({(0, 0): "wl", (1, 0): "wt", (2, 0): "wf"}, seat((1, 0)), seat()))
    play.do("walk", x=2, y=0, pay=pay())
    assert play.listed() == [{"type": "stop"}]
    assert "since its last payment" in play.refusal("walk", x=1, y=0, pay=pay())


def test_a_paid_walk_opens_the_tiles_again() -> None:
    """D8 after a payment: the tiles from before it are open, the one stood on at it is barred."""
    board = {(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "sf"}
    play = Play(scene(board, seat((0, 0), {"sand": 1, "water": 1}), seat()))
    play.do("walk", x=1, y=0, pay=pay())
    play.do("walk", x=2, y=0, pay=pay({"sand": 1}))
    play.do("walk", x=3, y=0, pay=pay())
    assert "since its last payment" in play.refusal("walk", x=2, y=0, pay=pay())
    assert play.listed() == [{"type": "stop"}]
    again = Play(scene(board, seat((1, 0), {"sand": 1, "water": 1}), seat()))
    again.do("walk", x=2, y=0, pay=pay({"sand": 1}))
    again.do("walk", x=1, y=0, pay=pay({"water": 1}))
    assert targets(again) == [(0, 0)]


def test_an_egg_opens_the_tiles_again() -> None:
    """D8: an egg is a payment."""
    board = {(0, 0): "wl", (1, 0): "wt", (2, 0): "wf"}
    play = Play(scene(board, seat((0, 0), {"twig": 3}), seat()))
    play.do("walk", x=1, y=0, pay=pay())
    play.do("lay_egg", pay=pay({"twig": 3}))
    play.do("guard", resource="twig")
    assert targets(play) == [(0, 0), (2, 0)]
    play.do("walk", x=0, y=0, pay=pay())
    assert play.listed() == [{"type": "stop"}]


def test_a_new_move_begins_afresh() -> None:
    """D8 holds within one move."""
    play = Play(scene({(0, 0): "wl", (1, 0): "wt"}, seat((0, 0)), seat(None)))
    play.do("walk", x=1, y=0, pay=pay())
    play.do("stop")
    play.do("lay_tile", tile=play.me.hand[0], x=2, y=0)
    play.do("stop")
    play.do("walk", x=0, y=0, pay=pay())
