"""Tables of Burano set up for a test: a real game brought to its first turn, with parts of it put as the test needs.

What a test puts is not conserved; tests of whole games see to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from server.engines.burano import ENGINE
from server.engines.burano.actions import BuranoAction, DrawRoof
from server.engines.burano.boards import Colour, Node, Square
from server.engines.burano.state import (
    Cubes,
    Fish,
    Floor,
    Island,
    Options,
    Phase,
    Plot,
    RoofEnd,
    State,
    Wheel,
    Workshops,
)
from server.engines.burano.steps import pyramid
from server.engines.dice import Dice
from server.engines.engine import Event, EventBody, IllegalAction
from tests.engines.play import as_map, dice

BOX = ENGINE.box
WHITE, ORANGE, BLUE, PINK, GREEN, YELLOW = (Colour(number) for number in range(6))
NODE = BOX.sea.node_of


def fresh(seats: int = 2, seed: int = 1, options: Options | None = None) -> State:
    """A game before its first roof is drawn."""
    return ENGINE.new(seats, options or Options(), dice(seed, seats))


def act(state: State, action: Any, seat: int | None = None) -> State:
    """The state after an action of the seat that decides."""
    return play(state, action, seat)[0]


def play(state: State, action: Any, seat: int | None = None) -> tuple[State, list[EventBody]]:
    """The state after an action, and the public events."""
    after, events = apply(state, action, seat)
    return after, [event.public for event in events if event.public is not None]


def apply(state: State, action: Any, seat: int | None = None) -> tuple[State, list[Event]]:
    """The state after an action, and the events."""
    return ENGINE.apply(state, ENGINE.deciding(state)[0] if seat is None else seat, action, stream(state))


def stream(state: State) -> Dice:
    """Some dice."""
    return dice(7, len(state.families))


def refused(state: State, action: Any, seat: int | None = None) -> str:
    """The rule that forbids the action.

    Raises:
        AssertionError: it is legal.
    """
    try:
        apply(state, action, seat)
    except IllegalAction as error:
        return error.rule
    raise AssertionError(f"{action} is legal")


def legal(state: State, seat: int | None = None) -> list[BuranoAction]:
    """The legal actions of the seat that decides."""
    return ENGINE.legal_actions(state, ENGINE.deciding(state)[0] if seat is None else seat)


def legal_of(state: State, kind: type, seat: int | None = None) -> list[Any]:
    """The legal actions of one type."""
    return [action for action in legal(state, seat) if isinstance(action, kind)]


def maps(state: State, seat: int | None = None) -> list[dict[str, Any]]:
    """The legal actions as they travel."""
    return [as_map(action) for action in legal(state, seat)]


def with_roofs(seats: int = 2, seed: int = 1, options: Options | None = None) -> State:
    """A game whose seats hold their first three roofs (islands, workshops, wheel): pyramids come next."""
    state = fresh(seats, seed, options)
    while state.phase is Phase.ROOFS:
        state = act(state, legal_of(state, DrawRoof)[0])
    return state


def in_turn(seats: int = 2, seed: int = 1, options: Options | None = None) -> State:
    """A game at its first turn, each pyramid built from the first legal cubes."""
    state = with_roofs(seats, seed, options)
    while state.phase is Phase.PYRAMID:
        state = act(state, legal(state)[0])
    return state


def give(state: State, seat: int = 0, **fields: Any) -> State:
    """The state with other values of a family's fields; cubes as colours, fish as names of kinds."""
    for name in ("stock", "ready"):
        if name in fields:
            fields[name] = cubes(*fields[name])
    for name in ("fish", "sold"):
        if name in fields:
            fields[name] = Fish(tuple(fields[name].count(kind) for kind in BOX.fish.kinds))
    if "boat" in fields:
        fields["boat"] = NODE[fields["boat"]]
    family = replace(state.families[seat], **fields)
    return replace(state, families=(*state.families[:seat], family, *state.families[seat + 1 :]))


def cubes(*colours: Colour) -> Cubes:
    """These cubes."""
    return Cubes(tuple(colours.count(colour) for colour in BOX.colour_of.values()))


def turned(state: State, seat: int = 0, *, first: int = 3, workers: int = 9, pieces: str = "ABCD") -> State:
    """The state with a seat's wheel put so; first 3 with 9 workers leaves the first ring piece uncovered."""
    wheel = Wheel(tuple("ABCD".index(letter) for letter in pieces), first, workers)
    return give(state, seat, wheel=wheel)


def house(state: State, x: int, y: int, *colours: Colour, roofs: Sequence[tuple[int, int]] = ()) -> State:
    """The state with these houses at x, y, level 1 first, and as many roofs (id, end) on the lowest levels."""
    square = BOX.island.square_at(x, y)
    assert square is not None
    ends = [RoofEnd(roof, end, 0) for roof, end in roofs]
    floors = tuple(Floor(colour, ends[level] if level < len(ends) else None) for level, colour in enumerate(colours))
    plots = list(state.island.plots)
    plots[square] = Plot(floors)
    return replace(state, island=Island(tuple(plots)))


def bare(state: State) -> State:
    """The state with no house on the island."""
    return replace(state, island=Island(tuple(None if plot is None else Plot(()) for plot in state.island.plots)))


def docks(state: State, island: str, *colours: Colour) -> State:
    """The state with these dock houses on an island."""
    return _sea_island(state, NODE[island], docks=tuple(sorted(colours)))


def ashore(state: State, island: str, *workers: int) -> State:
    """The state with so many workers of each seat on an island."""
    return _sea_island(state, NODE[island], workers=workers)


def deserted(state: State) -> State:
    """The state with no worker on any sea island."""
    for island in BOX.sea.islands:
        state = ashore(state, island, *(0 for _ in state.families))
    return state


def _sea_island(state: State, node: Node, **fields: Any) -> State:
    islands = list(state.sea.islands)
    islands[node] = replace(islands[node], **fields)
    return replace(state, sea=replace(state.sea, islands=tuple(islands)))


def at_work(state: State, *squares: int, seat: int = 0) -> State:
    """The state with a worker of the seat on these workshop squares (besides those of others)."""
    board = list(state.workshops.squares)
    for square in squares:
        workshop = board[square]
        assert workshop is not None
        board[square] = replace(workshop, workers=tuple(sorted({*workshop.workers, seat})))
    return replace(state, workshops=Workshops(tuple(board)))


def square(row: int, column: int) -> Square:
    """A square of the workshops."""
    return Square(row * BOX.workshops.width + column)


def roof_id(kind: str, one: str, other: str) -> int:
    """The number of the roof with these ends."""
    for number, tile in enumerate(BOX.roof_tiles):
        if tile.kind == kind and tuple(BOX.colours[end] for end in tile.ends) == (one, other):
            return number
    raise AssertionError(f"no roof {kind} {one} {other}")


def card(name: str, nth: int = 0) -> int:
    """The number of the nth building card of that name."""
    return [number for number, each in enumerate(BOX.buildings) if each.name == name][nth]


def without_pyramids(state: State) -> State:
    """The state with bare pyramids."""
    for seat in range(len(state.families)):
        state = give(state, seat, pyramid=pyramid.empty(BOX))
    return state


def works(state: State, **chosen: str) -> State:
    """The state with these actions for these colours, the rest unchanged (markers may then be uneven)."""
    markers = list(state.markers.works)
    for colour, work in chosen.items():
        markers[BOX.colour_of[colour]] = type(markers[0])(work)
    return replace(state, markers=replace(state.markers, works=tuple(markers)))
