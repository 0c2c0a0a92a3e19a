"""Paying: every way that wastes nothing, once, in order; none is missing, none wasteful (against `oracle`)."""

from __future__ import annotations

from itertools import pairwise, product

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.engines.islet.components import KIND_OF
from server.engines.islet.steps.payment import Purse, ways
from tests.engines.islet.oracle import EGG, WALK, Bag, payments
from tests.engines.islet.tables import COMPONENTS, Play, counts, pay, scene, seat

PRICES = [(kind, WALK) for kind in range(3)] + [(kind, EGG) for kind in (3, 4, 5)]


def engine_ways(have: Bag, piles: Bag, kind: int) -> list[Bag]:
    """What the engine lists, as bags of twelve."""
    return [way.cards + way.guarded for way in ways(COMPONENTS, Purse(have[:6], have[6:], piles), kind)]


@st.composite
def positions(draw: st.DrawFn) -> tuple[Bag, Bag]:
    """What a seat has, mostly of a few kinds, and piles that are empty now and then."""
    cards = draw(st.lists(st.integers(0, 4), min_size=6, max_size=6))
    guarded = draw(st.lists(st.integers(0, 2), min_size=6, max_size=6))
    while sum(cards) > 9:
        cards[cards.index(max(cards))] -= 1
    while sum(guarded) > 4:
        guarded[guarded.index(max(guarded))] -= 1
    return tuple(cards + guarded), tuple(draw(st.lists(st.integers(0, 2), min_size=6, max_size=6)))


@settings(max_examples=60, deadline=None)
@given(positions())
def test_the_ways_are_those_of_the_oracle(position: tuple[Bag, Bag]) -> None:
    have, piles = position
    for kind, price in PRICES:
        assert engine_ways(have, piles, kind) == payments(have, piles, kind, price)


@pytest.mark.parametrize(("kind", "price"), PRICES)
def test_the_ways_with_a_little_of_everything(kind: int, price: int) -> None:
    """All holdings of up to three of the kinds that matter, with a full pile and with an empty one."""
    matter = range(3) if kind < 3 else [kind, *((0, 2), (0, 1), (1, 2))[kind - 3]]
    for amounts in product(range(4), range(3), range(3), (0, 1)):
        have = [0] * 12
        for place, amount in zip(matter, amounts, strict=False):
            have[place] = amount
        have[matter[0] + 6] = have[matter[1] + 6] = amounts[3]
        for pile in (0, 1):
            piles = (pile,) * 6
            found = engine_ways(tuple(have), piles, kind)
            assert found == payments(tuple(have), piles, kind, price)
            assert all(a < b for a, b in pairwise(found))


def listed(state_seat: dict, cell_tile: str = "wl") -> list[dict]:
    play = Play(scene({(0, 0): cell_tile, (1, 0): "sl"}, state_seat, seat()))
    return [action["pay"] for action in play.listed("lay_egg")]


def test_every_mix_of_cards_guarded_and_pairs() -> None:
    mine = seat((0, 0), {"water": 1, "clay": 1, "leaf": 2}, {"leaf": 1})
    assert listed(mine) == [
        pay({"leaf": 2}, {"leaf": 1}),
        pay({"water": 1, "clay": 1, "leaf": 1}, {"leaf": 1}),
        pay({"water": 1, "clay": 1, "leaf": 2}),
    ]


def test_guarded_terrain_takes_part_in_conversions() -> None:
    mine = seat((0, 0), {"clay": 1, "leaf": 2}, {"water": 1})
    assert listed(mine) == [pay({"clay": 1, "leaf": 2}, {"water": 1})]


def test_conversions_do_not_chain_and_nests_do_not_convert() -> None:
    """D10: two sand are no water for a leaf; twigs are nothing but twigs."""
    assert listed(seat((0, 0), {"sand": 2, "clay": 1, "leaf": 2})) == []
    assert listed(seat((0, 0), {"twig": 6, "leaf": 2})) == []


def test_a_conversion_needs_a_card_in_the_pile() -> None:
    """D9: no leaf in the pile, and none that goes back."""
    hoard = [seat(cards={"leaf": 8}), seat(cards={"leaf": 2}, guarded={"leaf": 2})]
    board = {(0, 0): "wl", (1, 0): "sl"}
    dry = Play(scene(board, seat((0, 0), {"water": 3, "clay": 3}), *hoard))
    assert dry.state.piles[3] == 0
    assert dry.listed("lay_egg") == []
    assert "doesn't pay exactly" in dry.refusal("lay_egg", pay=pay({"water": 3, "clay": 3}))


def test_an_unguarded_card_that_goes_back_first_will_do() -> None:
    """D9: a leaf of the same payment is in the pile when the pairs are changed; a guarded one is not."""
    hoard = [seat(cards={"leaf": 7}), seat(cards={"leaf": 2}, guarded={"leaf": 2})]
    board = {(0, 0): "wl", (1, 0): "sl"}
    wet = Play(scene(board, seat((0, 0), {"water": 2, "clay": 2, "leaf": 1}), *hoard))
    assert wet.state.piles[3] == 0
    assert [action["pay"] for action in wet.listed("lay_egg")] == [pay({"water": 2, "clay": 2, "leaf": 1})]
    kept = Play(scene(board, seat((0, 0), {"water": 2, "clay": 2}, {"leaf": 1}), *hoard))
    assert kept.listed("lay_egg") == []


def test_two_of_a_kind_for_one_step_need_the_pile_too() -> None:
    """D9 for a walk."""
    hoard = [seat(cards={"sand": 8}), seat(cards={"sand": 2}, guarded={"sand": 2})]
    board = {(0, 0): "wl", (1, 0): "sl"}
    play = Play(scene(board, seat((0, 0), {"water": 2, "clay": 2}), *hoard))
    assert play.listed("walk") == []


def test_a_step_is_paid_by_one_card_or_two_of_another_kind() -> None:
    board = {(0, 0): "wl", (1, 0): "sl"}
    play = Play(scene(board, seat((0, 0), {"sand": 1, "water": 1, "clay": 3}, {"water": 2, "sand": 1}), seat()))
    assert [action["pay"] for action in play.listed("walk")] == [
        pay(guarded={"sand": 1}),
        pay(guarded={"water": 2}),
        pay({"clay": 2}),
        pay({"sand": 1}),
        pay({"water": 1}, {"water": 1}),
    ]


def test_zeros_are_no_part_of_a_payment() -> None:
    """They are left out: a map with a zero is not an action at all."""
    for wrong in ({"cards": {"sand": 0}, "guarded": {}}, {"cards": {}}, {"cards": {}, "guarded": {}, "gold": {}}):
        action = {"type": "walk", "x": 0, "y": 0, "pay": wrong}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(action, Play(scene({(0, 0): "wl"}, seat(), seat())).engine.actions)


def test_what_is_spent_is_exactly_what_the_action_says() -> None:
    board = {(0, 0): "wl", (1, 0): "sl"}
    play = Play(scene(board, seat((0, 0), {"water": 1, "clay": 2}, {"water": 1, "leaf": 1}), seat()))
    before = play.state
    play.do("lay_egg", pay=pay({"water": 1, "clay": 2}, {"water": 1, "leaf": 1}))
    assert play.me.cards == counts({})
    assert play.me.used == counts({"water": 1, "leaf": 1})
    gone = [new - old for new, old in zip(play.state.piles, before.piles, strict=True)]
    assert gone[KIND_OF["water"]] == 1
    assert gone[KIND_OF["clay"]] == 2
    assert sum(gone) == 3
