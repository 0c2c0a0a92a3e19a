"""Explore: where tiles go, what they bring, drawing, and the limit of eight."""

from __future__ import annotations

import msgspec

from server.engines.islet.components import KINDS
from server.engines.islet.state import Player
from tests.engines.islet.tables import Play, pay, scene, seat
from tests.engines.play import as_map

RISE = {(2, 0): "sl", (1, 0): "sl wl", (0, 0): "sl sl ct", (0, -1): "sf"}


def cards(player: Player) -> dict[str, int]:
    return {kind.value: count for kind, count in zip(KINDS, player.cards, strict=True) if count}


def named(play: Play) -> dict[str, int]:
    """The ids of the hand by what the tiles show, the terrain's letter first."""
    kinds = play.engine.components.tile_kinds
    return {KINDS[kinds[tile].terrain].value[0] + KINDS[kinds[tile].nest].value[0]: tile for tile in play.me.hand}


def rising(**resources: int) -> Play:
    return Play(scene(RISE, seat(cards=resources, hand="cl st cf wf"), seat()))


def climb(play: Play) -> None:
    hand = named(play)
    play.do("lay_tile", tile=hand["cl"], x=3, y=0)
    play.do("lay_tile", tile=hand["st"], x=2, y=0)
    play.do("lay_tile", tile=hand["cf"], x=1, y=0)
    play.do("lay_tile", tile=hand["wf"], x=0, y=0)


def test_worked_example_1() -> None:
    play = rising(water=3, twig=3)
    climb(play)
    assert play.listed() == [{"type": "stop"}]
    events = play.do("stop")
    gained = [event["resource"] for event in events if event["kind"] == "resource_gained"]
    assert gained == ["clay", "sand", "leaf", "leaf"]
    assert sum(play.me.cards) == 10
    assert play.do("return", resource="leaf") == [{"kind": "returned", "seat": 0, "resource": "leaf"}]
    assert play.state.number == 1
    play.do("return", resource="water")
    assert cards(play.state.players[0]) == {"water": 2, "sand": 1, "clay": 1, "leaf": 1, "twig": 3}
    assert play.state.number == 2
    assert play.state.piles == (10, 11, 11, 11, 9, 12)


def test_worked_example_3_from_a_flat_start_two_tiles_at_most() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "wt", (2, 0): "sf"}, seat(hand="wl wl wl wl"), seat()))
    first, second, *_ = play.me.hand
    play.do("lay_tile", tile=first, x=-1, y=0)
    assert {(a["x"], a["y"]) for a in play.listed("lay_tile")} == {(0, 0)}
    play.do("lay_tile", tile=second, x=0, y=0)
    assert play.listed() == [{"type": "stop"}]


def test_events_say_what_is_laid_and_how_high() -> None:
    play = rising()
    hand = named(play)
    play.do("lay_tile", tile=hand["cl"], x=3, y=0)
    assert play.do("lay_tile", tile=hand["st"], x=2, y=0) == [
        {"kind": "tile_laid", "seat": 0, "x": 2, "y": 0, "terrain": "sand", "nest": "twig", "level": 2}
    ]
    assert not play.reveals


def test_the_first_tile_goes_on_the_ocean_next_to_the_island() -> None:
    play = rising()
    tile = play.me.hand[0]
    for x, y in ((0, 0), (5, 0), (3, 1)):
        assert "empty cell next to the island" in play.refusal("lay_tile", tile=tile, x=x, y=y)
    assert "not in your hand" in play.refusal("lay_tile", tile=play.state.bag[0], x=3, y=0)


def test_a_further_tile_is_adjacent_to_the_one_before() -> None:
    play = rising()
    first, second, *_ = play.me.hand
    play.do("lay_tile", tile=first, x=3, y=0)
    assert "next to the cell" in play.refusal("lay_tile", tile=second, x=1, y=0)
    assert "next to the cell" in play.refusal("lay_tile", tile=second, x=3, y=0)
    assert "goes on the ocean" in play.refusal("lay_tile", tile=second, x=4, y=0)


def test_a_further_tile_ends_higher_by_one_or_more() -> None:
    play = rising()
    one, two, three, _ = play.me.hand
    play.do("lay_tile", tile=one, x=-1, y=0)
    play.do("lay_tile", tile=two, x=0, y=0)
    assert play.state.board.at[0, 0].level == 4
    assert "higher level" in play.refusal("lay_tile", tile=three, x=1, y=0)
    assert "higher level" in play.refusal("lay_tile", tile=three, x=0, y=-1)


def test_no_tile_on_a_bird_or_an_egg_also_not_on_ones_own() -> None:
    play = Play(
        scene(
            {(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "sf", (1, 1): "sf"},
            seat((1, 1), {"water": 1}),
            seat((1, 0)),
            eggs={(0, 0): 0},
        )
    )
    one, two, *_ = play.me.hand
    for x, y, beside in ((-1, 0, (0, 0)), (0, 1, (1, 1))):
        fresh = Play(play.state)
        fresh.do("lay_tile", tile=one, x=x, y=y)
        assert fresh.listed() == [{"type": "stop"}]
        assert "bird or an egg" in fresh.refusal("lay_tile", tile=two, x=beside[0], y=beside[1])
    play.do("lay_tile", tile=one, x=2, y=-1)
    assert {(a["x"], a["y"]) for a in play.listed("lay_tile")} == {(2, 0)}


def test_a_turn_does_not_explore_and_move() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "wt"}, seat((0, 0)), seat()))
    start = play.state
    play.do("lay_tile", tile=play.me.hand[0], x=2, y=0)
    assert "explores" in play.refusal("walk", x=1, y=0, pay=pay())
    play.state = start
    play.do("walk", x=1, y=0, pay=pay())
    assert "moves" in play.refusal("lay_tile", tile=play.me.hand[0], x=2, y=0)


def test_a_turn_does_not_begin_with_stop_or_pass() -> None:
    play = rising()
    assert "begins" in play.refusal("stop")
    assert "begins" in play.refusal("pass")


def test_an_empty_pile_gives_nothing_and_the_last_card_goes_to_the_first_tile() -> None:
    holder = seat(cards={"leaf": 8})
    state = scene(RISE, seat(cards={"leaf": 3}, hand="cl st cf wf"), holder)
    play = Play(state)
    climb(play)
    events = play.do("stop")
    gains = [(event["resource"], event["x"]) for event in events if event["kind"] == "resource_gained"]
    assert gains == [("clay", 3), ("sand", 2), ("leaf", 1)]
    assert play.state.piles[3] == 0


def test_drawing_fills_the_hand_from_the_top_of_the_bag_and_reveals() -> None:
    play = rising()
    one, two, *kept = play.me.hand
    bag = play.state.bag
    play.do("lay_tile", tile=one, x=3, y=0)
    play.do("lay_tile", tile=two, x=2, y=0)
    assert play.do("stop")[-1] == {"kind": "tiles_drawn", "seat": 0, "count": 2}
    assert play.reveals
    mine = play.state.players[0].hand
    assert mine == tuple(sorted((*kept, bag[-1], bag[-2])))
    assert play.state.bag == bag[:-2]
    drawn = next(event for event in play.events if event.private)
    forms = [as_map(form)["tiles"] for form in (drawn.form_for(0),) if form is not None]
    assert [tile["id"] for tile in forms[0]] == sorted(bag[-2:])
    assert drawn.form_for(1) == drawn.public


def test_drawn_tiles_are_told_by_id_whatever_their_order_in_the_bag() -> None:
    """Their order says nothing, so nobody gets it."""
    forms = []
    for turned in (False, True):
        play = rising()
        one, two, *_ = play.me.hand
        bag = play.state.bag
        ends = (bag[-1], bag[-2]) if turned else bag[-2:]
        play.state = msgspec.structs.replace(play.state, bag=(*bag[:-2], *ends))
        play.do("lay_tile", tile=one, x=3, y=0)
        play.do("lay_tile", tile=two, x=2, y=0)
        play.do("stop")
        forms.append([event.form_for(0) for event in play.events])
    assert forms[0] == forms[1]


def test_only_an_explore_draws() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "wt"}, seat((0, 0)), seat()))
    bag = play.state.bag
    play.do("walk", x=1, y=0, pay=pay())
    play.do("stop")
    assert play.state.bag == bag
    assert not play.reveals


def test_guarded_resources_do_not_count_for_the_limit() -> None:
    play = Play(scene(RISE, seat(cards={"twig": 7}, guarded={"leaf": 2, "sand": 1}), seat()))
    play.do("lay_tile", tile=play.me.hand[0], x=3, y=0)
    play.do("stop")
    assert sum(play.state.players[0].cards) == 8
    assert play.state.number == 2


def test_returning_offers_each_kind_held_and_nothing_else() -> None:
    play = Play(scene(RISE, seat(cards={"twig": 7, "clay": 1}, guarded={"leaf": 2}, hand="wl wl wl wl"), seat()))
    play.do("lay_tile", tile=play.me.hand[0], x=3, y=0)
    play.do("stop")
    assert play.listed() == [{"type": "return", "resource": kind} for kind in ("water", "clay", "twig")]
    assert "no unguarded leaf" in play.refusal("return", resource="leaf")
    assert "return a card" in play.refusal("stop")
