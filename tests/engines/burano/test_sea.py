"""Fishing: routes, matches, swaps, the catch, the crew."""

from __future__ import annotations

import pytest

from server.engines.burano.actions import Catch, Sail, Send, Skip, Swap
from server.engines.burano.events import Caught, CrewSent, Sailed, Swapped
from server.engines.burano.state import Catching, Crewing, Fishing, FishMarket, Phase, State
from server.engines.burano.steps.sea import matches
from tests.engines.burano.scenes import at_sea
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    GREEN,
    ORANGE,
    PINK,
    WHITE,
    YELLOW,
    act,
    apply,
    ashore,
    card,
    docks,
    give,
    legal,
    legal_of,
    maps,
    play,
    refused,
    replace,
    turned,
)


def routes(state: State) -> list[tuple[str, ...]]:
    return [sail.route for sail in legal_of(state, Sail)]


@pytest.mark.parametrize(
    ("reds", "houses", "number"),
    [
        ((WHITE, WHITE, BLUE), (WHITE, WHITE, BLUE), 3),
        ((WHITE, WHITE, BLUE), (WHITE, ORANGE, BLUE), 2),
        ((WHITE, ORANGE, BLUE), (WHITE, WHITE, BLUE), 2),
        ((WHITE, WHITE), (WHITE, WHITE, WHITE), 2),
        ((WHITE, ORANGE, BLUE), (GREEN, GREEN, GREEN), 0),
        ((), (WHITE, WHITE, WHITE), 0),
    ],
)
def test_matches_are_a_multiset_intersection(reds: tuple[int, ...], houses: tuple[int, ...], number: int) -> None:
    """D2."""
    assert matches(reds, houses) == number


def test_the_boat_moves_along_one_route_to_a_harbour_or_a_matching_island() -> None:
    state = at_sea()
    assert routes(state) == [("Venezia",)]
    assert routes(docks(state, "Mazzorbo", WHITE, GREEN, GREEN)) == [("Mazzorbo",), ("Venezia",)]
    assert routes(docks(state, "Torcello", WHITE, GREEN, GREEN)) == [("Venezia",)]
    for route in (("Vignole",), ("Torcello",), ("Murano",), ("mooring C",), ("Atlantis",), (), ("Venezia", "Mazzorbo")):
        assert "place" in refused(state, Sail(route)) or "route" in refused(state, Sail(route))


def test_moorings_are_only_left() -> None:
    state = at_sea("Mazzorbo")
    assert "mooring A" not in {node for route in routes(state) for node in route}
    assert "route" in refused(state, Sail(("mooring A",)))
    assert routes(docks(at_sea("mooring A"), "Torcello", BLUE, PINK, PINK)) == [("Torcello",)]


def test_without_a_sail_only_skip_is_left() -> None:
    """D7; the phase is entered all the same."""
    assert maps(at_sea("mooring A")) == [{"type": "skip"}]


def test_the_fast_boat_moves_along_one_or_two_routes_but_not_the_same_one_back() -> None:
    fast = give(docks(at_sea("Venezia"), "Sant'Erasmo", WHITE, GREEN, GREEN), buildings=(card("fast boat"),))
    assert routes(fast) == [("Vignole", "Sant'Erasmo")]
    fast = docks(fast, "Mazzorbo", WHITE, GREEN, GREEN)
    assert routes(fast) == [("Mazzorbo",), ("Murano", "Mazzorbo"), ("Vignole", "Sant'Erasmo")]
    for route in (
        ("Mazzorbo", "Venezia"),
        ("Vignole",),
        ("Mazzorbo", "Torcello"),
        ("Vignole", "Sant'Erasmo", "Treporti"),
    ):
        assert "route" in refused(fast, Sail(route))


def test_harbours_and_islands_on_the_fast_boats_way_do_nothing() -> None:
    fast = give(at_sea("Mazzorbo"), buildings=(card("fast boat"),))
    fast = docks(fast, "Murano", WHITE, GREEN, GREEN)
    assert ("Venezia", "Murano") in routes(fast)
    state, events = play(fast, Sail(("Venezia", "Murano")))
    assert events == [Sailed(0, ("Venezia", "Murano"), 1)]
    assert state.phase is Phase.CATCH
    assert state.task == Catching(1, 1)
    assert ("Torcello", "Treporti") in routes(fast)
    assert act(fast, Sail(("Torcello", "Treporti"))).phase is Phase.SELL


def test_a_fish_for_each_match_from_open_slots_or_the_deck() -> None:
    state = act(docks(at_sea(), "Mazzorbo", WHITE, BLUE, BLUE), Sail(("Mazzorbo",)))
    assert state.task == Catching(2, 2)
    assert maps(state) == [{"type": "catch", "from": source} for source in (0, 1, 2, "deck")]
    first = state.fish.open[1]
    state, events = apply(state, Catch(1))
    assert not events[0].reveals
    assert state.fish.open[1] is None
    assert state.families[0].fish.counts[first] == 1
    assert "no open fish" in refused(state, Catch(1))
    deck = state.fish.deck
    top, after = deck[-1], deck[-2]
    state, events = apply(state, Catch("deck"))
    assert state.phase is Phase.CREW
    assert state.fish.open[1] == after
    assert state.fish.deck == deck[:-2]
    assert events[0].reveals
    kind = BOX.fish.kinds[top]
    turned_up = ((1, BOX.fish.kinds[after]),)
    assert events[0].form_for(None) == events[0].form_for(1) == Caught(0, "deck", None, turned_up)
    assert events[0].form_for(0) == Caught(0, "deck", kind, turned_up)


def test_nothing_is_refilled_between_two_picks() -> None:
    """D11."""
    state = act(docks(at_sea(), "Mazzorbo", WHITE, BLUE, ORANGE), Sail(("Mazzorbo",)))
    for slot in (2, 0):
        state = act(state, Catch(slot))
    assert state.fish.open[0] is None
    assert state.fish.open[2] is None
    deck = state.fish.deck
    state, events = apply(state, Catch(1))
    assert state.fish.open == (deck[-1], deck[-2], deck[-3])
    assert events[0].reveals


@pytest.mark.parametrize("source", [3, -1, 1 << 40])
def test_a_slot_that_is_not_there_is_refused(source: int) -> None:
    state = act(docks(at_sea(), "Mazzorbo", WHITE, BLUE, ORANGE), Sail(("Mazzorbo",)))
    assert "no open fish" in refused(state, Catch(source))


def test_an_empty_deck_leaves_open_fish_and_an_empty_sea_ends_the_catch() -> None:
    """D8; D16: the crew goes by matches all the same."""
    state = docks(at_sea(), "Mazzorbo", WHITE, BLUE, ORANGE)
    state = replace(state, fish=FishMarket((None, 4, None), ()))
    state = act(state, Sail(("Mazzorbo",)))
    assert maps(state) == [{"type": "catch", "from": 1}]
    assert "empty" in refused(state, Catch("deck"))
    state, events = apply(state, Catch(1))
    assert not events[0].reveals
    assert state.phase is Phase.CREW
    assert state.task == Crewing(3)
    assert play(state, Send())[1] == [CrewSent(0, "Mazzorbo", 2, (), 2)]
    state = docks(at_sea(), "Mazzorbo", WHITE, BLUE, ORANGE)
    state = act(replace(state, fish=FishMarket((None, None, None), ())), Sail(("Mazzorbo",)))
    assert state.phase is Phase.CREW


@pytest.mark.parametrize(("found", "sent"), [(1, 1), (2, 1), (3, 2)])
def test_crew_goes_ashore_by_matches(found: int, sent: int) -> None:
    state = replace(give(at_sea(), boat="Torcello"), phase=Phase.CREW, task=Crewing(found))
    assert legal(state) == [Send(), Skip()]
    after, events = play(state, Send())
    assert events == [CrewSent(0, "Torcello", sent, (), 2)]
    assert after.sea.islands[1].workers == (sent, 0)
    assert (after.families[0].wheel.first, after.families[0].wheel.workers) == (3 + sent, 9 - sent)
    assert act(state, Skip()).sea == state.sea


def test_fewer_go_ashore_only_if_the_wheel_has_none_to_spare() -> None:
    state = replace(turned(at_sea(), workers=2), phase=Phase.CREW, task=Crewing(3))
    assert play(state, Send())[1][0].workers == 1
    state = turned(state, workers=1)
    assert legal(state) == [Skip()]
    assert "spare" in refused(state, Send())


def test_each_other_seat_there_takes_one_worker_back_and_gets_two_coins() -> None:
    """D9: at once."""
    state = ashore(at_sea("Torcello", seats=3), "Torcello", 1, 2, 1)
    state = replace(state, phase=Phase.CREW, task=Crewing(1))
    after, events = play(state, Send())
    assert events == [CrewSent(0, "Torcello", 1, (1, 2), 2)]
    assert after.sea.islands[1].workers == (2, 1, 0)
    for seat in (1, 2):
        assert after.families[seat].coins == state.families[seat].coins + 2
        assert after.families[seat].wheel.workers == state.families[seat].wheel.workers + 1
        assert after.families[seat].wheel.first == state.families[seat].wheel.first
    assert act(state, Skip()).sea.islands[1].workers == (1, 2, 1)


def test_a_privilege_swaps_dock_houses_of_two_islands_and_two_colours() -> None:
    state = give(at_sea(), privileges=1)
    state = docks(docks(state, "Mazzorbo", PINK, PINK, PINK), "Torcello", WHITE, WHITE, GREEN)
    swaps = [swap for swap in legal_of(state, Swap) if {swap.island, swap.island2} == {"Mazzorbo", "Torcello"}]
    assert swaps == [Swap("Mazzorbo", "pink", "Torcello", "white"), Swap("Mazzorbo", "pink", "Torcello", "green")]
    state, events = play(state, swaps[0])
    assert events == [Swapped(0, "Mazzorbo", "pink", "Torcello", "white")]
    assert state.sea.islands[0].docks == (WHITE, PINK, PINK)
    assert state.sea.islands[1].docks == (WHITE, PINK, GREEN)
    assert state.families[0].privileges == 0
    assert routes(state) == [("Mazzorbo",), ("Venezia",)]
    assert not legal_of(state, Swap)


@pytest.mark.parametrize(
    "swap",
    [
        Swap("Torcello", "white", "Mazzorbo", "pink"),
        Swap("Mazzorbo", "pink", "Mazzorbo", "green"),
        Swap("Mazzorbo", "pink", "Torcello", "pink"),
        Swap("Mazzorbo", "orange", "Torcello", "white"),
        Swap("Mazzorbo", "pink", "Venezia", "white"),
        Swap("Mazzorbo", "pink", "Torcello", "teal"),
    ],
)
def test_other_swaps_are_refused(swap: Swap) -> None:
    state = docks(give(at_sea(), privileges=1), "Torcello", WHITE, PINK, GREEN)
    assert swap not in legal(state)
    assert refused(state, swap)
    assert "privilege" in refused(give(state, privileges=0), Swap("Mazzorbo", "pink", "Torcello", "white"))


def test_after_a_swap_the_boat_must_sail_if_it_can() -> None:
    state = give(docks(at_sea(), "Torcello", WHITE, PINK, GREEN), privileges=2)
    assert Skip() in legal(state)
    state = act(state, Swap("Mazzorbo", "pink", "Torcello", "white"))
    assert state.task == Fishing(swapped=True)
    assert Skip() not in legal(state)
    assert "must sail" in refused(state, Skip())
    assert legal_of(state, Swap)


def test_after_a_swap_that_leaves_no_way_to_sail_skip_is_legal() -> None:
    state = give(docks(at_sea("mooring A"), "Murano", WHITE, PINK, GREEN), privileges=2)
    state = act(state, Swap("San Francesco", "pink", "Murano", "white"))
    assert not routes(state)
    assert legal(state)[-1] == Skip()
    assert act(state, Skip()).phase is Phase.TURN


def test_swaps_are_at_most_one_hundred_thirty_five() -> None:
    state = give(at_sea(), privileges=12)
    trios = ((WHITE, ORANGE, BLUE), (PINK, GREEN, YELLOW))
    for number, island in enumerate(BOX.sea.islands):
        state = docks(state, island, *trios[number % 2])
    assert len(legal_of(state, Swap)) == 15 * 9 - 6 * 3
