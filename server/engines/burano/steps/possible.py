"""What a possible state is: everything in the box is somewhere exactly once, and the phase fits the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from server.engines.burano.boards import SEATS, one_region
from server.engines.burano.box import Components, Roof, RoofKind
from server.engines.burano.state import (
    Catching,
    Crewing,
    Earning,
    Family,
    FirstRoofs,
    Fishing,
    Lacing,
    NewRoofs,
    Phase,
    Rewarded,
    State,
    Work,
    Workshop,
)
from server.engines.burano.steps import layout, pyramid, wheel

TASKS: dict[Phase, tuple[type, ...]] = {
    Phase.ROOFS: (FirstRoofs, NewRoofs),
    Phase.PERFORM: (Fishing, Lacing, Earning),
    Phase.CATCH: (Catching,),
    Phase.CREW: (Crewing,),
    Phase.REWARD: (Rewarded,),
}
IN_A_TURN = (Phase.TURN, Phase.PERFORM, Phase.CATCH, Phase.CREW, Phase.SELL, Phase.RECALL, Phase.REWARD)


def check(state: State, box: Components) -> None:
    """Refuse what can't be.

    Raises:
        ValueError: says what is wrong.
    """
    for part in (_shapes, _cubes, _island, _workers, _workshops, _sea, _roofs, _buildings, _fish, _families, _phase):
        part(state, box)


def _demand(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)


def _shapes(state: State, box: Components) -> None:
    seats, colours, kinds = len(state.families), len(box.colours), len(box.fish.kinds)
    _demand(seats in SEATS, "2 to 4 families")
    cubes = [state.supply, *(c for f in state.families for c in (f.stock, f.ready))]
    _demand(all(len(each.counts) == colours and min(each.counts) >= 0 for each in cubes), "cubes of each colour")
    fish = [each for family in state.families for each in (family.fish, family.sold)]
    _demand(all(len(each.counts) == kinds and min(each.counts) >= 0 for each in fish), "fish of each kind")
    _demand(all(len(f.pyramid.cubes) == len(box.places) for f in state.families), "a cube or none on each place")
    _demand(len(state.sea.islands) == len(box.sea.islands), "a state for each sea island")
    _demand(len(state.roofs.stacks) == len(RoofKind), "a stack for each kind of roof")
    _demand(len(state.fish.open) == box.open_fish, "a slot for each open fish")
    _demand(len(state.buildings.open) == box.open_buildings, "a slot for each open building card")
    each = colours // len(Work)
    _demand(len(state.markers.works) == colours, "a marker for each colour")
    _demand(all(state.markers.works.count(work) == each for work in Work), "equally many markers for each action")


def _in_range(numbers: Iterable[int | None], end: int, what: str) -> None:
    _demand(all(number is None or 0 <= number < end for number in numbers), what)


def _cubes(state: State, box: Components) -> None:
    built = [floor.house for plot in state.island.plots if plot is not None for floor in plot.floors]
    standing = [cube for family in state.families for cube in family.pyramid.cubes]
    _in_range((*built, *standing), len(box.colours), "a house or a cube has a colour of the game")
    found = Counter([*built, *standing])
    for colour in box.colour_of.values():
        counted = sum(family.stock.counts[colour] + family.ready.counts[colour] for family in state.families)
        total = state.supply.counts[colour] + counted + found[colour]
        _demand(
            total == box.cubes_per_colour, f"{total} {box.colours[colour]} cubes in place of {box.cubes_per_colour}"
        )


def _island(state: State, box: Components) -> None:
    plots = state.island.plots
    marks = "".join(box.island.grid)
    _demand(len(plots) == len(marks), "a state for each square of the island")
    _demand(all((plot is not None) == (mark == ".") for plot, mark in zip(plots, marks, strict=True)), "no such plot")
    roofed: dict[tuple[Roof, int], tuple[int, int]] = {}
    for square, plot in enumerate(plots):
        floors = plot.floors if plot is not None else ()
        _demand(len(floors) <= box.highest_house, "a house above the highest level")
        _demand(all(floor.roof is not None for floor in floors[:-1]), "a house that stands on no roof")
        for level, floor in enumerate(floors, 1):
            if floor.roof is not None:
                _demand(level <= box.highest_roof, "a roof above the highest level")
                _demand((floor.roof.roof, floor.roof.end) not in roofed, "a roof's end twice")
                _in_range((floor.roof.painter,), len(state.families), "no such painter")
                roofed[floor.roof.roof, floor.roof.end] = square, level
    _roofs_lie(box, roofed)
    _grown(state, box)


def _roofs_lie(box: Components, roofed: dict[tuple[Roof, int], tuple[int, int]]) -> None:
    for (roof, end), (square, level) in roofed.items():
        other = roofed.get((roof, 1 - end))
        _demand(other is not None and other[1] == level, "a roof with its ends on two levels")
        _demand(other is not None and other[0] in box.island.beside[square], "a roof with its ends apart")


def _grown(state: State, box: Components) -> None:
    """Every house was built beside another, from the first cube on."""
    start = box.island.square_at(*box.island.first_cube)
    built = {square for square, plot in enumerate(state.island.plots) if plot is not None and plot.floors}
    _demand(start in built, "no house on the first square")
    reached = [square for square in box.island.houses if square == start]
    for square in reached:
        reached += (other for other in box.island.touching[square] if other in built and other not in reached)
    _demand(len(reached) == len(built), "a house that touches no other")


def _workers(state: State, box: Components) -> None:
    seats = len(state.families)
    for island in state.sea.islands:
        _demand(len(island.workers) == seats and min(island.workers) >= 0, "workers of each seat on each sea island")
    squares = [square for square in state.workshops.squares if square is not None]
    for square in squares:
        _demand(list(square.workers) == sorted(set(square.workers)), "one worker of a seat a square, in order")
        _in_range(square.workers, seats, "a worker of no seat")
    for seat, family in enumerate(state.families):
        sent = state.task.sent if isinstance(state.task, Lacing) and seat == state.seat else 0
        on_wheel = family.wheel.workers - sent
        _demand(sent >= 0 and on_wheel >= box.stay_on_wheel, "too few workers on a wheel")
        away = sum(island.workers[seat] for island in state.sea.islands)
        away += sum(seat in square.workers for square in squares)
        _demand(on_wheel + away == box.workers_in_play, f"{on_wheel + away} workers in place of {box.workers_in_play}")
        _demand(0 <= family.wheel.first < box.workers.wheel, "no such sector")
        _demand(sorted(family.wheel.pieces) == list(range(len(box.pieces))), "every ring piece once")


def _workshops(state: State, box: Components) -> None:
    seats, boards = len(state.families), box.workshops
    squares = state.workshops.squares
    _demand(len(squares) == boards.height * boards.width, "a state for each square of the workshops")
    bare = tuple(None if square is None else Workshop(square.colour, square.coin, ()) for square in squares)
    tiles = layout.fixed(box, seats)
    if state.options.workshops == "first_game":
        _demand(bare == layout.board(box, tiles).squares, "the first game's workshops")
        return
    lying = {divmod(number, boards.width): square for number, square in enumerate(bare) if square}
    for tile in tiles:
        cells = {cell for cell, square in lying.items() if square.colour == tile.colour}
        coins = [cell for cell in cells if lying[cell].coin]
        _demand(len(coins) == 1 and layout.is_turned(tile, cells, coins[0]), "a workshop tile of another shape")
    _demand(all(square.colour in box.colour_of.values() for square in lying.values()), "a workshop of no colour")
    _demand(one_region(lying), "workshop tiles that lie apart")


def _sea(state: State, box: Components) -> None:
    docks = [colour for island in state.sea.islands for colour in island.docks]
    _in_range(docks, len(box.colours), "a dock house of no colour")
    for island in state.sea.islands:
        _demand(len(island.docks) == box.sea.dock_houses, f"{box.sea.dock_houses} dock houses on each island")
        _demand(list(island.docks) == sorted(island.docks), "dock houses out of order")
    each = len(docks) // len(box.colours)
    _demand(all(docks.count(colour) == each for colour in box.colour_of.values()), "equally many dock houses a colour")
    _demand(len(state.sea.ships) == len(box.ships), "a harbour for each ship")
    _in_range(state.sea.ships, len(box.sea.harbours), "a ship in no harbour")
    _in_range((family.boat for family in state.families), len(box.sea.nodes), "a boat nowhere")
    for seat, family in enumerate(state.families):
        moored = family.boat >= len(box.sea.islands) + len(box.sea.harbours)
        _demand(not moored or family.boat == box.sea.mooring(seat), "a boat at another's mooring")


def _each_once(numbers: Iterable[int | None], total: int, what: str) -> None:
    _demand(sorted(number for number in numbers if number is not None) == list(range(total)), f"{what}: each once")


def _roofs(state: State, box: Components) -> None:
    floors = [floor for plot in state.island.plots if plot is not None for floor in plot.floors]
    laid = [floor.roof.roof for floor in floors if floor.roof is not None and floor.roof.end == 0]
    stacked = [roof for stack in state.roofs.stacks for roof in stack]
    held = [roof for family in state.families for roof in family.roofs]
    _each_once((*laid, *stacked, *held), len(box.roof_tiles), "roofs")
    for kind, stack in zip(RoofKind, state.roofs.stacks, strict=True):
        _demand(all(box.roof_tiles[roof].kind is kind for roof in stack), "a roof in another kind's stack")
    for family in state.families:
        kinds = {box.roof_tiles[roof].kind for roof in family.roofs}
        _demand(len(kinds) == len(family.roofs) <= box.roofs_in_hand, "roofs in hand are of different kinds")
        _demand(list(family.roofs) == sorted(family.roofs), "roofs in hand out of order")


def _buildings(state: State, box: Components) -> None:
    row = state.buildings
    held = [card for family in state.families for card in family.buildings]
    _each_once((*row.open, *row.deck, *held), len(box.buildings), "building cards")
    _demand(not row.deck or None not in row.open, "an empty slot beside a deck of building cards")


def _fish(state: State, box: Components) -> None:
    market = state.fish
    lying = [*market.open, *market.deck]
    _in_range(lying, len(box.fish.kinds), "no such fish")
    for kind in box.fish_of.values():
        held = sum(family.fish.counts[kind] + family.sold.counts[kind] for family in state.families)
        _demand(lying.count(kind) + held == box.fish.copies, f"{box.fish.copies} fish of each kind")
    refilled = not market.deck or None not in market.open
    _demand(refilled or state.phase is Phase.CATCH, "an empty slot beside a deck of fish")


def _families(state: State, box: Components) -> None:
    for family in state.families:
        _demand(family.coins >= 0 <= family.points, "coins and points are no debts")
        _demand(0 <= family.privileges <= box.privilege_limit, "privileges past the track")
        _demand(family.ready.total <= box.ready_limit, "too many ready cubes")
        _supported(family, box)


def _supported(family: Family, box: Components) -> None:
    cubes = family.pyramid.cubes
    for place, beneath in enumerate(box.supports):
        held = all(cubes[support] is not None for support in beneath)
        _demand(cubes[place] is None or held, "a cube that nothing bears")


def _phase(state: State, box: Components) -> None:
    seats = len(state.families)
    _demand(0 <= state.season < len(box.rounds), "no such season")
    _demand(0 <= state.round < box.rounds[state.season], "no such round")
    _demand(state.turn >= 1 and state.moves >= 0, "turns and moves are counted up")
    _in_range((state.start, state.seat), seats, "no such seat")
    _demand(
        isinstance(state.task, TASKS.get(state.phase, type(None))), f"the phase {state.phase} is about nothing else"
    )
    least = 1 if state.phase in IN_A_TURN and state.phase is not Phase.TURN else 0
    most = len(box.action_coins) if state.phase in IN_A_TURN else 0
    _demand(least <= state.actions <= most, "a number of actions that no turn has")
    _calendar(state, box)
    _stocks(state)
    _task(state, box)


def _calendar(state: State, box: Components) -> None:
    """Start player and number of the turn follow from season, round and seat."""
    seats, phase = len(state.families), state.phase
    renewing = phase is Phase.ROOFS and state.season > 0  # step 5; the marker moves at step 6
    _demand(state.start == (state.season - renewing) % seats, "the start-player marker moves once a season")
    before = seats * sum(box.rounds[: state.season])
    if phase in (Phase.ROOFS, Phase.PYRAMID):
        _demand(state.round == 0 and state.turn == max(before, 1), "a season before its first round")
    elif phase in IN_A_TURN:
        passed = state.round * seats + (state.seat - state.start) % seats
        _demand(state.turn == before + passed + 1, "a number of turns that this round does not have")
    else:
        _demand(state.round + 1 == box.rounds[state.season], "a season's end before its last round")
        _demand(state.turn == before + seats * box.rounds[state.season], "a season's end before its last turn")
    if phase is Phase.OVER:
        _demand(state.season + 1 == len(box.rounds), "the end before winter")
        _demand(not any(family.privileges for family in state.families), "privileges become coins after winter")


def _stocks(state: State) -> None:
    stocked = pyramid.builders(state)
    if state.phase is Phase.PYRAMID:
        _demand(bool(stocked) and state.seat == state.start, "somebody builds, then the start player begins")
        _demand(all(None in state.families[seat].pyramid.cubes for seat in stocked), "a stock beside a whole pyramid")
    elif state.phase is not Phase.ROOFS:
        _demand(not stocked, "a stock is empty once the pyramids stand")
    else:
        _demand(all(set(family.pyramid.cubes) == {None} for family in state.families), "a pyramid among the roofs")


def _task(state: State, box: Components) -> None:
    task, family = state.task, state.acting
    ashore = box.sea.is_island(family.boat)
    match task:
        case FirstRoofs():
            full = [len(each.roofs) == box.roofs_in_hand for each in state.families]
            expected = [seat < state.seat for seat in range(len(full))]
            _demand(full == expected and not state.season and not state.start, "first roofs are taken in turn order")
        case NewRoofs():
            _demand(state.season > 0, "new roofs come after a season")
        case Lacing():
            reds = wheel.reds(family.wheel, box)
            _demand(not Counter(task.reds) - Counter(reds), "red colours that the wheel does not show")
            _demand(len(task.reds) + task.sent == len(reds), "as many red colours used as workers sent")
            may = min(box.lace_at_most, wheel.spare(family.wheel, box), len(reds))
            _demand(task.left + task.sent == may and (task.left > 0 or not task.sent), "workers that may be sent")
        case Catching():
            most = len(box.crew) - 1
            _demand(ashore and 1 <= task.matches <= most, "fish are caught at an island with matches")
            _demand(1 <= task.left <= task.matches * box.fish_per_match, "fish that may be caught")
            _demand(bool(state.fish.deck) or any(kind is not None for kind in state.fish.open), "nothing to catch")
        case Crewing():
            _demand(ashore and 1 <= task.matches < len(box.crew), "a crew goes ashore where fish were caught")
        case Rewarded():
            _rewarded(state, task.roof)
    if state.phase is Phase.SELL:
        harbour = family.boat - len(box.sea.islands)
        _demand(0 <= harbour < len(box.sea.harbours), "fish are sold in a harbour")


def _rewarded(state: State, roof: Roof) -> None:
    tops = [plot.floors[-1] for plot in state.island.plots if plot is not None and plot.floors]
    ends = [floor.roof for floor in tops if floor.roof is not None and floor.roof.roof == roof]
    _demand(len(ends) == 2 and all(end.painter == state.seat for end in ends), "a roof just painted lies open")
