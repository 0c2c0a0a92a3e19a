"""Eggs: laid with a guard, laid from a guarded resource, the odd cases of D4, the choice of D7."""

from __future__ import annotations

import msgspec

from server.engines.islet.components import check
from server.engines.islet.state import Phase
from tests.engines.islet.tables import COMPONENTS, Play, counts, ending, pay, scene, seat

BOARD = {(0, 0): "wl", (1, 0): "wl wl", (2, 0): "wt"}
LEAVES = pay({"leaf": 3})


def test_the_second_egg_guards_a_card_of_choice_from_its_pile() -> None:
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 3}), seat()))
    play.do("lay_egg", pay=LEAVES)
    assert play.state.phase is Phase.GUARD
    assert play.state.board.at[0, 0].egg == 0
    assert [action["resource"] for action in play.listed()] == ["water", "sand", "clay", "leaf", "twig", "flower"]
    assert "second egg" in play.refusal("stop")
    play.do("guard", resource="flower")
    assert play.me.guarded == counts({"flower": 1})
    assert play.me.eggs == 8
    assert play.state.piles == (12, 12, 12, 12, 12, 11)


def test_what_was_paid_can_be_guarded() -> None:
    """D7: the choice comes after the payment, when the cards are back on their pile (D6)."""
    hoard = [seat(cards={"leaf": 8}), seat(cards={"leaf": 1})]
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 3}), *hoard))
    assert play.state.piles[3] == 0
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="leaf")


def test_a_resource_gained_this_turn_pays_this_turn() -> None:
    board = {(0, 0): "wl", (1, 0): "st"}
    play = Play(scene(board, seat((0, 0), {"leaf": 3}), seat()))
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="sand")
    play.do("walk", x=1, y=0, pay=pay(guarded={"sand": 1}))
    assert play.me.used == counts({"sand": 1})


def test_at_most_two_of_a_kind_are_guarded_used_ones_count() -> None:
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 1}, {"leaf": 2}), seat()))
    play.do("lay_egg", pay=pay({"leaf": 1}, {"leaf": 2}))
    assert play.me.used == counts({"leaf": 2})
    assert "leaf" not in [action["resource"] for action in play.listed()]
    assert "At most 2" in play.refusal("guard", resource="leaf")


def test_an_empty_pile_has_nothing_to_guard() -> None:
    hoard = [seat(cards={"twig": 8}), seat(cards={"twig": 4})]
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 3}), *hoard))
    play.do("lay_egg", pay=LEAVES)
    assert "twig pile is empty" in play.refusal("guard", resource="twig")


def test_nothing_to_guard_leaves_the_second_egg_available() -> None:
    """D4: two of every kind that has a card are guarded already."""
    few = msgspec.structs.replace(COMPONENTS, guarded_per_kind=1)
    check(few)
    guarded = dict.fromkeys(("water", "sand", "clay", "twig", "flower"), 1)
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 2}, guarded | {"leaf": 1}), seat(), components=few), few)
    assert play.me.eggs == 4
    play.do("lay_egg", pay=pay({"leaf": 2}, {"leaf": 1}))
    assert play.state.phase is Phase.MOVE
    assert play.me.eggs == 3
    assert play.me.guards == 6


def test_exactly_one_available_egg_is_laid_and_nothing_guarded() -> None:
    """D4: with an odd number of eggs."""
    odd = msgspec.structs.replace(COMPONENTS, eggs=COMPONENTS.eggs | {"2": 3})
    check(odd)
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 3}), seat(), components=odd), odd)
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="leaf")
    assert play.me.eggs == 1
    play.state = msgspec.structs.replace(
        play.state,
        players=play.state.with_player(msgspec.structs.replace(play.me, cards=counts({"leaf": 3}))),
        piles=(12, 12, 12, 8, 12, 12),
    )
    play.do("walk", x=1, y=0, pay=pay())
    play.do("lay_egg", pay=LEAVES)
    assert play.state.phase is Phase.MOVE
    assert play.me.eggs == 0
    assert play.me.guards == 1


def last_eggs(**guarded: int) -> Play:
    """No egg available; the rest of the ten lie on tiles further on."""
    laid = 10 - sum(guarded.values())
    return Play(scene(BOARD, seat((0, 0), {"leaf": 2}, guarded, laid=laid), seat(), turn=3))


def test_without_available_eggs_a_guarded_resource_gives_up_its_egg() -> None:
    play = last_eggs(leaf=1, sand=2)
    payment = pay({"leaf": 2}, {"leaf": 1})
    assert play.do("lay_egg", pay=payment) == []
    assert play.state.phase is Phase.UNGUARD
    assert play.state.board.at[0, 0].egg is None, "the egg lies only after the choice"
    assert play.engine.public_view(play.state)["paid"] == {
        "cards": {"water": 0, "sand": 0, "clay": 0, "leaf": 2, "twig": 0, "flower": 0},
        "guarded": {"water": 0, "sand": 0, "clay": 0, "leaf": 1, "twig": 0, "flower": 0},
    }
    assert play.listed() == [
        {"type": "unguard", "resource": "sand", "used": False},
        {"type": "unguard", "resource": "leaf", "used": True},
    ]
    assert "no sand that is used" in play.refusal("unguard", resource="sand", used=True)
    assert "gives up" in play.refusal("stop")
    sand = play.state.piles[1]
    assert play.do("unguard", resource="sand", used=False) == [
        {"kind": "unguarded", "seat": 0, "resource": "sand", "used": False},
        {"kind": "egg_laid", "seat": 0, "x": 0, "y": 0, "level": 1, "pay": payment},
    ]
    assert play.state.piles[1] == sand + 1
    assert play.me.guarded == counts({"sand": 1})
    assert play.state.board.at[0, 0].egg == 0
    assert play.state.paid is None


def test_a_used_resource_can_give_up_its_egg() -> None:
    play = last_eggs(leaf=1, sand=1)
    play.do("lay_egg", pay=pay({"leaf": 2}, {"leaf": 1}))
    play.do("unguard", resource="leaf", used=True)
    play.do("stop")
    assert play.state.players[0].guarded == counts({"sand": 1})


def test_unused_stands_before_used_of_the_same_kind() -> None:
    play = last_eggs(leaf=2)
    play.do("lay_egg", pay=pay({"leaf": 2}, {"leaf": 1}))
    assert [(action["resource"], action["used"]) for action in play.listed()] == [("leaf", False), ("leaf", True)]


def test_where_no_egg_can_be_laid() -> None:
    mine = {"leaf": 3, "water": 1, "twig": 3}
    ashore = Play(scene(BOARD, seat(None, mine), seat()))
    assert "ocean" in ashore.refusal("lay_egg", pay=LEAVES)
    taken = Play(scene(BOARD, seat((0, 0), mine), seat(), eggs={(0, 0): 1}))
    assert "An egg lies" in taken.refusal("lay_egg", pay=LEAVES)
    own = Play(scene(BOARD, seat((0, 0), mine), seat(), eggs={(0, 0): 0}))
    assert own.listed("lay_egg") == []
    crowd = Play(scene(BOARD, seat((0, 0), mine), seat((1, 0))))
    crowd.do("walk", x=1, y=0, pay=pay())
    assert "Another bird" in crowd.refusal("lay_egg", pay=LEAVES)


def test_the_nest_of_the_top_tile_is_paid() -> None:
    play = Play(scene({(0, 0): "wl st", (1, 0): "wl"}, seat((0, 0), {"leaf": 3, "twig": 3}), seat()))
    assert [action["pay"] for action in play.listed("lay_egg")] == [pay({"twig": 3})]
    assert "doesn't pay" in play.refusal("lay_egg", pay=LEAVES)
    play.do("lay_egg", pay=pay({"twig": 3}))
    assert play.state.board.at[0, 0].level == 2


def test_several_eggs_in_one_move_in_any_order_with_walks() -> None:
    play = Play(scene(BOARD, seat((0, 0), {"leaf": 6}), seat()))
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="twig")
    play.do("walk", x=1, y=0, pay=pay())
    play.do("lay_egg", pay=LEAVES)
    play.do("guard", resource="twig")
    play.do("stop")
    assert play.state.players[0].eggs == 6


def test_worked_example_4_five_guarded_lays_then_five_unguarded() -> None:
    nest = {(x, 0): "wl" for x in range(10)}
    play = Play(scene(nest, seat((0, 0), {"leaf": 3}), seat()))
    kinds = []
    for number in range(10):
        means = msgspec.structs.replace(play.me, cards=counts({"leaf": 3}))
        short = sum(play.state.player.cards) == 0
        piles = tuple(pile - (3 if short and kind == 3 else 0) for kind, pile in enumerate(play.state.piles))
        play.state = msgspec.structs.replace(play.state, players=play.state.with_player(means), piles=piles)
        play.do("lay_egg", pay=LEAVES)
        choice = play.listed()[0]
        kinds.append(choice["type"])
        play.do(**{"kind": choice["type"], **{k: v for k, v in choice.items() if k != "type"}})
        if number < 9:
            play.do("walk", x=number + 1, y=0, pay=pay())
    assert kinds == ["guard"] * 5 + ["unguard"] * 5
    assert play.state.ending is not None
    assert sum(stack.egg == 0 for stack in play.state.board.stacks) == 10


def test_without_eggs_a_bird_walks_on() -> None:
    nest = {(x, 0): "wl" for x in range(3)}
    done = scene(nest, seat((0, 0), {"leaf": 3}, laid=10), seat(), ending=ending(1, "eggs"))
    play = Play(done)
    assert "no egg left" in play.refusal("lay_egg", pay=LEAVES)
    play.do("walk", x=1, y=0, pay=pay())
