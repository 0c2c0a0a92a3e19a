"""Set-up. The draws on the dice are those of RULES.md, section *Dice*, in that order."""

from __future__ import annotations

from server.engines.burano.boards import Colour
from server.engines.burano.box import LEAVE_AT_START, Card, Components, Kind, Roof, RoofKind
from server.engines.burano.state import (
    BuildingRow,
    Cubes,
    Family,
    FirstRoofs,
    Fish,
    FishMarket,
    Floor,
    Island,
    Options,
    Phase,
    Plot,
    RoofStacks,
    Sea,
    SeaIsland,
    State,
    Wheel,
)
from server.engines.burano.steps import layout, pyramid
from server.engines.burano.steps.island import with_floors
from server.engines.burano.steps.season_end import deal_markers
from server.engines.dice import Dice


def new(box: Components, seats: int, options: Options, dice: Dice) -> State:
    """A new game, before the first seat's first roof."""
    first_cube = Colour(dice.below(len(box.colours)))
    workshops = layout.lay(box, seats, options, dice)
    sea = _sea(box, seats, dice)
    markers = deal_markers(box, dice)
    building_row = _buildings(box, dice)
    market = _fish(box, dice)
    stacks = _roofs(box, dice)
    families = tuple(_family(box, seat, dice) for seat in range(seats))
    return State(
        options=options,
        phase=Phase.ROOFS,
        task=FirstRoofs(),
        season=0,
        round=0,
        turn=1,
        start=0,
        seat=0,
        actions=0,
        moves=0,
        supply=_supply(box, seats).plus(first_cube, -1),
        markers=markers,
        island=_island(box, first_cube),
        sea=sea,
        workshops=workshops,
        roofs=stacks,
        buildings=building_row,
        fish=market,
        families=families,
    )


def _supply(box: Components, seats: int) -> Cubes:
    return Cubes((box.cubes_per_colour - box.cubes_to_start * seats,) * len(box.colours))


def _island(box: Components, first_cube: Colour) -> Island:
    bare = tuple(Plot(()) if mark == "." else None for row in box.island.grid for mark in row)
    square = box.island.square_at(*box.island.first_cube)
    assert square is not None
    return with_floors(Island(bare), {square: (Floor(first_cube, None),)})


def _sea(box: Components, seats: int, dice: Dice) -> Sea:
    ships = dice.shuffle(range(len(box.ships)))
    half = len(ships) // len(box.sea.harbours)
    each = len(box.sea.islands) * box.sea.dock_houses // len(box.colours)
    houses = dice.shuffle(colour for colour in box.colour_of.values() for _ in range(each))
    visitors = [box.sea.letter_island(seat) for seat in range(seats)]
    size = box.sea.dock_houses
    return Sea(
        islands=tuple(
            SeaIsland(
                docks=tuple(sorted(houses[node * size : (node + 1) * size])),
                workers=tuple(int(visitor == node) for visitor in visitors),
            )
            for node in range(len(box.sea.islands))
        ),
        ships=tuple(ships.index(ship) // half for ship in range(len(ships))),
    )


def _buildings(box: Components, dice: Dice) -> BuildingRow:
    deck = [Card(card) for card in dice.shuffle(range(len(box.buildings)))]
    return BuildingRow(tuple(deck.pop() if deck else None for _ in range(box.open_buildings)), tuple(deck))


def _fish(box: Components, dice: Dice) -> FishMarket:
    """Ids run kind by kind, copies in succession; only the kind matters afterwards."""
    copies = box.fish.copies
    deck = [Kind(card // copies) for card in dice.shuffle(range(len(box.fish.kinds) * copies))]
    return FishMarket(tuple(deck.pop() if deck else None for _ in range(box.open_fish)), tuple(deck))


def _roofs(box: Components, dice: Dice) -> RoofStacks:
    ids = {kind: [Roof(roof) for roof, tile in enumerate(box.roof_tiles) if tile.kind is kind] for kind in RoofKind}
    return RoofStacks(tuple(tuple(dice.shuffle(ids[kind])) for kind in RoofKind))


def _family(box: Components, seat: int, dice: Dice) -> Family:
    """The seat has the letter of its number, and takes the workers off that ring piece."""
    pieces = tuple(dice.shuffle(range(len(box.pieces))))
    beyond = (pieces.index(seat) + 1) * LEAVE_AT_START
    workers = box.workers.wheel
    none = Fish((0,) * len(box.fish.kinds))
    return Family(
        wheel=Wheel(pieces, first=beyond % workers, workers=workers - LEAVE_AT_START),
        coins=box.coins_to_start,
        privileges=box.privilege_to_start,
        points=0,
        stock=Cubes((box.cubes_to_start,) * len(box.colours)),
        pyramid=pyramid.empty(box),
        ready=Cubes((0,) * len(box.colours)),
        roofs=(),
        buildings=(),
        fish=none,
        sold=none,
        boat=box.sea.mooring(seat),
    )
