"""What never gets lost in Burano: cubes by colour, workers by owner, roofs, cards, dock houses, ships."""

from __future__ import annotations

from collections import Counter

from server.engines.burano import ENGINE
from server.engines.burano.state import Lacing, Phase, State

BOX = ENGINE.box


def check(state: State) -> None:
    """Everything in the box is in one place."""
    assert cubes(state) == Counter(dict.fromkeys(range(6), 20)), "cubes"
    assert roofs(state) == Counter(range(48)), "roofs"
    assert cards(state) == Counter(range(16)), "building cards"
    assert fish(state) == Counter(dict.fromkeys(range(8), 6)), "fish"
    docks = [colour for island in state.sea.islands for colour in island.docks]
    assert Counter(docks) == Counter(dict.fromkeys(range(6), 3)), "dock houses"
    assert len(state.sea.ships) == 4, "ships"
    for seat in range(len(state.families)):
        assert workers(state, seat) == 10, f"workers of seat {seat}"


def check_step(before: State, after: State) -> None:
    """Points and turns only grow; sold fish, houses and building cards stay where they are; no coins from nowhere."""
    assert after.turn - before.turn >= 0
    for old, new in zip(before.families, after.families, strict=True):
        assert new.points >= old.points, "points were lost"
        assert all(a <= b for a, b in zip(old.sold.counts, new.sold.counts, strict=True)), "sold fish came back"
        assert new.buildings[: len(old.buildings)] == old.buildings, "a building card left its owner"
        assert new.coins >= 0, "a debt"
    for old_plot, new_plot in zip(before.island.plots, after.island.plots, strict=True):
        if old_plot is not None and new_plot is not None:
            old_houses = [floor.house for floor in old_plot.floors]
            assert [floor.house for floor in new_plot.floors][: len(old_houses)] == old_houses, "a house was moved"
    if after.phase is Phase.OVER:
        assert all(family.privileges == 0 for family in after.families), "privileges are coins in the end"


def cubes(state: State) -> Counter[int]:
    """Cubes by colour, wherever they are."""
    found: Counter[int] = Counter()
    for pile in (state.supply, *(pile for family in state.families for pile in (family.stock, family.ready))):
        found.update(dict(enumerate(pile.counts)))
    for family in state.families:
        found.update(cube for cube in family.pyramid.cubes if cube is not None)
    found.update(floor.house for plot in state.island.plots if plot is not None for floor in plot.floors)
    return found


def roofs(state: State) -> Counter[int]:
    """Roofs; one that is painted counts by its two halves."""
    found: Counter[int] = Counter(roof for stack in state.roofs.stacks for roof in stack)
    found.update(roof for family in state.families for roof in family.roofs)
    floors = [floor for plot in state.island.plots if plot is not None for floor in plot.floors]
    ends = Counter((floor.roof.roof, floor.roof.end) for floor in floors if floor.roof is not None)
    assert all(number == 1 for number in ends.values()), "a roof's end lies twice"
    laid = {roof for roof, _ in ends}
    assert len(ends) == 2 * len(laid), "half a roof"
    found.update(laid)
    return found


def cards(state: State) -> Counter[int]:
    """Building cards."""
    found = Counter(card for card in state.buildings.open if card is not None)
    return found + Counter(state.buildings.deck) + Counter(card for f in state.families for card in f.buildings)


def fish(state: State) -> Counter[int]:
    """Fish by kind."""
    found: Counter[int] = Counter(kind for kind in (*state.fish.open, *state.fish.deck) if kind is not None)
    for family in state.families:
        for pile in (family.fish, family.sold):
            found.update(dict(enumerate(pile.counts)))
    return found


def workers(state: State, seat: int) -> int:
    """The workers of a seat on its wheel, at sea and in the workshops; those just sent are still on the wheel."""
    away = sum(island.workers[seat] for island in state.sea.islands)
    away += sum(seat in square.workers for square in state.workshops.squares if square is not None)
    sent = state.task.sent if isinstance(state.task, Lacing) and seat == state.seat else 0
    return state.families[seat].wheel.workers + away - sent
