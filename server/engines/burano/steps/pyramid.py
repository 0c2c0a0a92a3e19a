"""Pyramids: building them at the season's start (all seats at once), taking cubes, and the cube privilege."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from server.engines.burano.actions import CubePrivilege, Stack, Take
from server.engines.burano.boards import Colour
from server.engines.burano.box import Components
from server.engines.burano.events import CubeGained, Stacked, Taken
from server.engines.burano.state import Cubes, Family, Phase, Pyramid, State, remembered, with_item
from server.engines.burano.steps.play import Play, cubes_by_name, may_use_privilege
from server.engines.burano.steps.rounds import start_action
from server.engines.engine import Action, IllegalAction

Place = tuple[int, int, int]
PlaceGiven = tuple[int | UnsetType, int | UnsetType, int | UnsetType]


def empty(box: Components) -> Pyramid:
    """A pyramid before its first cube."""
    return Pyramid((None,) * len(box.places))


@remembered
def open_places(pyramid: Pyramid, box: Components) -> tuple[int, ...]:
    """The empty places with cubes on all places beneath."""
    empties = [place for place, cube in enumerate(pyramid.cubes) if cube is None]
    missing = frozenset(empties)
    return tuple([place for place in empties if missing.isdisjoint(box.supports[place])])


@remembered
def free_cubes(pyramid: Pyramid, box: Components) -> tuple[int, ...]:
    """The places with a cube on which nothing rests."""
    held = [place for place, cube in enumerate(pyramid.cubes) if cube is not None]
    standing = frozenset(held)
    return tuple([place for place in held if standing.isdisjoint(box.loads[place])])


def number_of(box: Components, place: Place | PlaceGiven) -> int | None:
    """The number of a place given by layer, row, column; None where there is none."""
    return box.places.index(place) if place in box.places else None


def with_cube(pyramid: Pyramid, place: int, cube: Colour | None) -> Pyramid:
    """The pyramid with this on that place."""
    return Pyramid(with_item(pyramid.cubes, place, cube))


@remembered
def builders(state: State) -> tuple[int, ...]:
    """The seats whose pyramid is not done: what can't be built is returned at once, so they are those with a stock."""
    return tuple([seat for seat, family in enumerate(state.families) if any(family.stock.counts)])


def legal_stack(state: State, box: Components, seat: int) -> list[Action]:
    """Every colour of the stock on every open place."""
    family = state.families[seat]
    places = [box.places[place] for place in open_places(family.pyramid, box)]
    return [
        Stack(name, *place)
        for name, number in zip(box.colours, family.stock.counts, strict=True)
        if number
        for place in places
    ]


def stack(play: Play, action: Stack) -> None:
    """A cube of the stock goes on the pyramid; with the last one what is left over is paid for."""
    family, box = play.family, play.box
    colour = play.colour(action.colour)
    if not family.stock.counts[colour]:
        raise IllegalAction("the stock has no cube of that colour")
    place = _open_place(play, (action.layer, action.row, action.column))
    family = replace(family, stock=family.stock.plus(colour, -1), pyramid=with_cube(family.pyramid, place, colour))
    returned = family.stock.counts
    coins = 0
    if None in family.pyramid.cubes:
        returned = (0,) * len(box.colours)
    else:
        coins = family.stock.total * box.returned_cube_coins
        play.change(supply=play.state.supply.with_all(returned))
        family = replace(family, stock=Cubes((0,) * len(box.colours)), coins=family.coins + coins)
    play.renew(family)
    back = cubes_by_name(box, returned)
    play.tell(Stacked(play.seat, action.colour, action.layer, action.row, action.column, back, coins))


def _open_place(play: Play, place: Place | PlaceGiven) -> int:
    number = number_of(play.box, place)
    if number is None or number not in open_places(play.family.pyramid, play.box):
        raise IllegalAction("a cube goes on an empty place of the own pyramid with cubes on all places beneath")
    return number


def takes(state: State, box: Components) -> Iterator[Take]:
    """Every cube that can be taken to the ready area."""
    family = state.acting
    if family.ready.total < box.ready_limit:
        for place in free_cubes(family.pyramid, box):
            yield Take(*box.places[place])


def take(play: Play, action: Take) -> None:
    """A cube on which nothing rests becomes ready."""
    family, box = play.family, play.box
    place = number_of(box, (action.layer, action.row, action.column))
    if family.ready.total >= box.ready_limit:
        raise IllegalAction(f"at most {box.ready_limit} cubes are ready")
    if place is None or place not in free_cubes(family.pyramid, box):
        raise IllegalAction("only a cube of the own pyramid on which nothing rests can be taken")
    coins = start_action(play)
    family = play.family
    colour = family.pyramid.cubes[place]
    assert colour is not None
    play.renew(replace(family, pyramid=with_cube(family.pyramid, place, None), ready=family.ready.plus(colour)))
    play.tell(Taken(play.seat, box.colours[colour], action.layer, action.row, action.column, coins))


def cube_privileges(state: State, box: Components) -> Iterator[CubePrivilege]:
    """Every cube that a privilege can bring: to the pyramid in the rounds, to the stock at season's end."""
    family = state.acting
    if not may_use_privilege(box, family):
        return
    places = _places_of_privilege(state, box, family)
    for name, number in zip(box.colours, state.supply.counts, strict=True):
        if number:
            yield from (CubePrivilege(name, *place) for place in places)


def _places_of_privilege(state: State, box: Components, family: Family) -> list[tuple[()] | Place]:
    if state.phase is Phase.ROOFS:
        return [()]
    return [box.places[place] for place in open_places(family.pyramid, box)]


def cube_privilege(play: Play, action: CubePrivilege) -> None:
    """A privilege for any cube of the supply."""
    colour = play.colour(action.colour)
    if not play.state.supply.counts[colour]:
        raise IllegalAction("the supply has no cube of that colour")
    play.spend_privilege()
    given = (action.layer, action.row, action.column)
    place = None
    if play.state.phase is not Phase.ROOFS:
        number = _open_place(play, given)
        place = play.box.places[number]
        family = replace(play.family, pyramid=with_cube(play.family.pyramid, number, colour))
    elif given == (UNSET, UNSET, UNSET):
        family = replace(play.family, stock=play.family.stock.plus(colour))
    else:
        raise IllegalAction("at season's end the cube goes to the stock")
    play.renew(family)
    play.change(supply=play.state.supply.plus(colour, -1))
    play.tell(CubeGained(play.seat, action.colour, place))
