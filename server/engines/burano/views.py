"""Who sees what. The only hidden things are the fish in hands and the order of decks and stacks.

A part of a view is kept with the part of the state that it shows (`remembered`): while that part lives unchanged, its
view is the same object, and a difference of two views stops there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from server.engines.burano.box import Card, Components, Roof, RoofKind
from server.engines.burano.state import (
    BuildingRow,
    Catching,
    Crewing,
    Cubes,
    Earning,
    Family,
    FirstRoofs,
    Fish,
    Fishing,
    FishMarket,
    Island,
    Lacing,
    Markers,
    NewRoofs,
    Plot,
    Pyramid,
    Rewarded,
    RoofEnd,
    RoofStacks,
    Sea,
    SeaIsland,
    State,
    Task,
    Wheel,
    Work,
    Workshop,
    Workshops,
    remembered,
)
from server.engines.burano.steps import wheel as wheels
from server.engines.burano.view_forms import (
    BuildingRowView,
    BuildingView,
    FamilyView,
    FishMarketView,
    FloorView,
    PrivateView,
    PublicView,
    RoofEndView,
    RoofView,
    SeaIslandView,
    SectorView,
    ShipView,
    TaskView,
    WheelView,
    WorkshopView,
)

NO_TASK = TaskView(
    work=None, setup=None, drawn=None, swapped=None, reds=None, left=None, sent=None, matches=None, roof=None
)
FIRST_ROOFS = cast(TaskView, {**NO_TASK, "setup": True})
MOST_KEPT = 1 << 14  # views of small hands that are kept by value


def public_view(state: State, box: Components) -> PublicView:
    """What everybody may see."""
    first, *others = state.families
    return {
        "season": state.season,
        "round": state.round,
        "rounds": box.rounds[state.season],
        "task": NO_TASK if state.task is None else _task(state.task, box),
        "start": state.start,
        "seat": state.seat,
        "actions": state.actions,
        "markers": _markers(state.markers, box),
        "supply": _cubes(state.supply, box),
        "island": _island(state.island, box),
        "islands": _islands(state.sea, box),
        "routes": box.sea.routes,
        "ships": _ships(state.sea, box),
        "workshops": _workshops(state.workshops, box),
        "stacks": _stacks(state.roofs, box),
        "buildings": _building_row(state.buildings, box),
        "fish": _market(state.fish, box),
        "families": _families(first, box, *others),
    }


def private_view(state: State, box: Components, seat: int) -> PrivateView:
    """What only the seat may see besides."""
    return _hand(state.families[seat].fish, box)


@remembered
def _hand(fish: Fish, box: Components) -> PrivateView:
    return PrivateView(fish=_fish(fish, box))


@remembered
def _fish(fish: Fish, box: Components) -> tuple[str, ...]:
    return tuple(kind for kind, number in zip(box.fish.kinds, fish.counts, strict=True) for _ in range(number))


@remembered
def _task(task: Task, box: Components) -> TaskView:
    match task:
        case FirstRoofs():
            return FIRST_ROOFS
        case NewRoofs():
            fields: dict[str, object] = {"setup": False, "drawn": task.drawn}
        case Fishing():
            fields = {"work": Work.FISH.value, "swapped": task.swapped}
        case Lacing():
            reds = tuple(box.colours[colour] for colour in task.reds)
            fields = {"work": Work.LACE.value, "reds": reds, "left": task.left, "sent": task.sent}
        case Earning():
            fields = {"work": Work.EARN.value}
        case Catching():
            fields = {"matches": task.matches, "left": task.left}
        case Crewing():
            fields = {"matches": task.matches}
        case Rewarded():
            fields = {"roof": task.roof}
        case _:
            raise AssertionError(f"{task} has no view")
    return cast(TaskView, {**NO_TASK, **fields})


@remembered
def _markers(markers: Markers, box: Components) -> dict[str, str]:
    return {name: work.value for name, work in zip(box.colours, markers.works, strict=True)}


@remembered
def _cubes(cubes: Cubes, box: Components) -> dict[str, int]:
    return dict(zip(box.colours, cubes.counts, strict=True))


@remembered
def _island(island: Island, box: Components) -> tuple[tuple[FloorView, ...] | None, ...]:
    return tuple(None if plot is None else _plot(plot, box) for plot in island.plots)


@remembered
def _plot(plot: Plot, box: Components) -> tuple[FloorView, ...]:
    return tuple(
        FloorView(house=box.colours[floor.house], roof=None if floor.roof is None else _roof_end(floor.roof, box))
        for floor in plot.floors
    )


def _roof_end(end: RoofEnd, box: Components) -> RoofEndView:
    colour = box.roof_tiles[end.roof].ends[end.end]
    return RoofEndView(roof=end.roof, end=end.end, colour=box.colours[colour], painter=end.painter)


@remembered
def _islands(sea: Sea, box: Components) -> tuple[SeaIslandView, ...]:
    return tuple(_sea_island(island, box, node) for node, island in enumerate(sea.islands))


@remembered
def _sea_island(island: SeaIsland, box: Components, node: int) -> SeaIslandView:
    docks = tuple(box.colours[colour] for colour in island.docks)
    return SeaIslandView(name=box.sea.islands[node], docks=docks, workers=island.workers)


def _ships(sea: Sea, box: Components) -> tuple[ShipView, ...]:
    return _ships_at(box, sea.ships)


@lru_cache(MOST_KEPT)
def _ships_at(box: Components, harbours: tuple[int, ...]) -> tuple[ShipView, ...]:
    return tuple(_ship_at(box, ship, harbour) for ship, harbour in enumerate(harbours))


@lru_cache(MOST_KEPT)
def _ship_at(box: Components, number: int, harbour: int) -> ShipView:
    ship = box.ships[number]
    return ShipView(
        ship=number, name=ship.name, sells=ship.sells.value, points=ship.points, harbour=box.sea.harbours[harbour]
    )


@remembered
def _workshops(workshops: Workshops, box: Components) -> tuple[WorkshopView | None, ...]:
    return tuple(None if square is None else _workshop(square, box) for square in workshops.squares)


@remembered
def _workshop(square: Workshop, box: Components) -> WorkshopView:
    return WorkshopView(colour=box.colours[square.colour], coin=square.coin, workers=square.workers)


@remembered
def _stacks(roofs: RoofStacks, _box: Components) -> dict[str, int]:
    return {kind.value: len(stack) for kind, stack in zip(RoofKind, roofs.stacks, strict=True)}


@remembered
def _building_row(row: BuildingRow, box: Components) -> BuildingRowView:
    cards = tuple(None if card is None else building_view(box, card) for card in row.open)
    return BuildingRowView(open=cards, deck=len(row.deck))


@lru_cache(MOST_KEPT)
def building_view(box: Components, number: int) -> BuildingView:
    """A building card, in words."""
    card = box.buildings[number]
    points = getattr(card, "points", ())
    return BuildingView(
        card=number,
        name=card.name,
        effect=str(type(card).__struct_config__.tag),
        colours=getattr(card, "colours", ()),
        fish=getattr(card, "fish", ()),
        points=(points,) if isinstance(points, int) else points,
    )


@lru_cache(MOST_KEPT)
def roof_view(box: Components, number: int) -> RoofView:
    """A roof tile, in words."""
    tile = box.roof_tiles[number]
    return RoofView(roof=number, kind=tile.kind.value, colours=(box.colours[tile.ends[0]], box.colours[tile.ends[1]]))


@remembered
def _market(market: FishMarket, box: Components) -> FishMarketView:
    return FishMarketView(
        open=tuple(None if kind is None else box.fish.kinds[kind] for kind in market.open), deck=len(market.deck)
    )


@remembered
def _families(first: Family, box: Components, *others: Family) -> tuple[FamilyView, ...]:
    return tuple(_family(family, box) for family in (first, *others))


@remembered
def _family(family: Family, box: Components) -> FamilyView:
    return FamilyView(
        wheel=_wheel(family.wheel, box),
        coins=family.coins,
        privileges=family.privileges,
        points=family.points,
        stock=_cubes(family.stock, box),
        pyramid=_pyramid(family.pyramid, box),
        ready=_cubes(family.ready, box),
        roofs=_held_roofs(box, family.roofs),
        buildings=_held_buildings(box, family.buildings),
        hand=family.fish.total,
        sold=_fish(family.sold, box),
        boat=box.sea.nodes[family.boat],
    )


@remembered
def _wheel(wheel: Wheel, box: Components) -> WheelView:
    letters = tuple(box.wheel)
    return WheelView(
        pieces=tuple(letters[piece] for piece in wheel.pieces),
        ring=_ring(box, wheel.pieces),
        first=wheel.first,
        workers=wheel.workers,
        reds=tuple(box.colours[colour] for colour in wheels.reds(wheel, box)),
    )


@lru_cache(MOST_KEPT)
def _ring(box: Components, pieces: tuple[int, ...]) -> tuple[SectorView, ...]:
    return tuple(
        SectorView(colour=box.colours[sector.colour], mark=sector.mark.value)
        for piece in pieces
        for sector in box.pieces[piece]
    )


@remembered
def _pyramid(pyramid: Pyramid, box: Components) -> tuple[str | None, ...]:
    return tuple(None if colour is None else box.colours[colour] for colour in pyramid.cubes)


@lru_cache(MOST_KEPT)
def _held_roofs(box: Components, roofs: tuple[Roof, ...]) -> tuple[RoofView, ...]:
    return tuple(roof_view(box, roof) for roof in roofs)


@lru_cache(MOST_KEPT)
def _held_buildings(box: Components, cards: tuple[Card, ...]) -> tuple[BuildingView, ...]:
    return tuple(building_view(box, card) for card in cards)
