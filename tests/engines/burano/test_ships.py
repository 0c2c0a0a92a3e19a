"""Selling fish: each ship's scheme, every set once."""

from __future__ import annotations

from itertools import combinations

import pytest

from server.engines.burano.actions import Sell, Skip
from server.engines.burano.box import Scheme, Ship
from server.engines.burano.events import Sold
from server.engines.burano.state import Fish, Phase
from server.engines.burano.steps.ships import lots, sold_units
from tests.engines.burano.scenes import in_harbour
from tests.engines.burano.tables import BOX, act, legal, legal_of, play, refused

FULL = Fish((6,) * 8)
ASSORTMENT, SINGLE, PAIRS, WEIGHT = range(4)


def by_hand(scheme: Scheme, hand: tuple[int, ...], most: int) -> set[tuple[int, ...]]:
    """Every set of cards in the hand that the scheme's words allow."""
    cards = [kind for kind, number in enumerate(hand) for _ in range(number)]
    sizes = range(1, (2 if scheme is Scheme.PAIRS else 1) * most + 1)
    found = {lot for size in sizes for lot in combinations(cards, size)}
    match scheme:
        case Scheme.DIFFERENT:
            return {lot for lot in found if len(set(lot)) == len(lot)}
        case Scheme.SAME:
            return {lot for lot in found if len(set(lot)) == 1}
        case Scheme.PAIRS:
            return {lot for lot in found if all(lot.count(kind) % 2 == 0 for kind in lot)}
    return found


@pytest.mark.parametrize("ship", range(4))
@pytest.mark.parametrize(
    "hand", [(2, 0, 1, 4, 0, 0, 3, 1), (0,) * 8, (6, 0, 0, 0, 0, 0, 0, 6), (1,) * 8, (0, 0, 5, 0, 2, 0, 0, 0)]
)
def test_every_legal_set_is_listed_once_and_in_order(ship: int, hand: tuple[int, ...]) -> None:
    scheme = BOX.ships[ship]
    listed = lots(scheme, Fish(hand))
    assert listed == sorted(set(listed))
    assert set(listed) == by_hand(scheme.sells, hand, len(scheme.points))
    assert all(1 <= sold_units(scheme, lot) <= len(scheme.points) for lot in listed)


def test_all_ships_and_all_fish_stay_below_two_thousand_sets() -> None:
    assert sum(len(lots(ship, FULL)) for ship in BOX.ships) + 1 == 1_701


@pytest.mark.parametrize(
    ("lot", "units"),
    [((0, 0, 0, 0), 2), ((0, 0, 3, 3), 2), ((0, 0, 0), 0), ((0, 1), 0), ((0,) * 6, 3), ((0, 0, 1, 1, 2, 2, 3, 3), 0)],
)
def test_pairs_may_be_of_one_kind(lot: tuple[int, ...], units: int) -> None:
    """D15."""
    assert sold_units(BOX.ships[PAIRS], lot) == units


def test_a_ship_buys_at_most_as_many_as_its_list_has_entries() -> None:
    """D15."""
    assert sold_units(BOX.ships[SINGLE], (1,) * 4) == 4
    assert sold_units(BOX.ships[SINGLE], (1,) * 5) == 0
    assert sold_units(Ship("boat", Scheme.ANY, (1, 2)), (0, 1, 2)) == 0


def test_selling_scores_and_the_ship_sails_to_the_other_harbour() -> None:
    state = in_harbour("sole", "sole", "eel")
    after, events = play(state, Sell(SINGLE, ("sole", "sole")))
    assert events == [Sold(0, SINGLE, ("sole", "sole"), 4, "Treporti")]
    family = after.families[0]
    assert (family.points, family.fish.total, family.sold.counts[2]) == (4, 1, 2)
    assert after.sea.ships == (0, 1, 1, 1)
    assert after.phase is Phase.TURN


@pytest.mark.parametrize(
    ("sell", "rule"),
    [
        (Sell(PAIRS, ("sole", "sole")), "harbour"),
        (Sell(9, ("sole",)), "harbour"),
        (Sell(-1, ("sole",)), "harbour"),
        (Sell(SINGLE, ()), "does not buy"),
        (Sell(SINGLE, ("sole", "eel")), "does not buy"),
        (Sell(ASSORTMENT, ("sole", "sole")), "does not buy"),
        (Sell(ASSORTMENT, ("eel", "sole")), "order"),
        (Sell(SINGLE, ("sole", "sole", "sole")), "not in hand"),
        (Sell(SINGLE, ("whale",)), "no such fish"),
    ],
)
def test_other_sales_are_refused(sell: Sell, rule: str) -> None:
    assert rule in refused(in_harbour("sole", "sole", "eel"), sell)


def test_a_sale_is_optional_and_an_empty_harbour_offers_only_skip() -> None:
    assert legal(in_harbour("sole", ships=(1, 1, 1, 1))) == [Skip()]
    assert legal(in_harbour()) == [Skip()]
    state = in_harbour("sole", ships=(0, 0, 0, 0))
    assert {sell.ship for sell in legal_of(state, Sell)} == {ASSORTMENT, SINGLE, WEIGHT}
    after = act(state, Skip())
    assert after.families[0].fish == state.families[0].fish
    assert after.phase is Phase.TURN


def test_sales_are_listed_by_ship_then_by_fish() -> None:
    state = in_harbour("sole", "sole", "sardine", "crab", ships=(0, 0, 0, 0))
    order = [(sell.ship, tuple(BOX.fish_of[fish] for fish in sell.fish)) for sell in legal_of(state, Sell)]
    assert order == sorted(order)
    assert {ship for ship, _ in order} == {0, 1, 2, 3}
