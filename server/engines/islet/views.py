"""Who sees what: everything but the tiles in hand, the bag's order and the order of the day-and-night cards.

A part of a view is made once for its part of the state and kept there (or, for small parts, by their value), so that
what did not change is the same object in the next view.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypedDict, TypeVar

from server.engines.islet.components import KINDS, Components, Counts
from server.engines.islet.grid import Cell
from server.engines.islet.state import Board, Ending, Payment, Player, SoloDeck, Stack, State
from server.engines.islet.steps.scoring import cards_turned

Part = TypeVar("Part", Board, Stack, Player, SoloDeck)
View = TypeVar("View")

REMEMBERED = 8192  # values of counts, cells and seats whose views are kept


class TileView(TypedDict):
    """What a tile shows."""

    terrain: str
    nest: str


class OwnTileView(TileView):
    """A tile in hand, with the id that actions name."""

    id: int


class PlaceView(TypedDict):
    """A cell."""

    x: int
    y: int


class StackView(PlaceView):
    """A stack, its tiles bottom to top; `egg` is the seat whose egg lies on it."""

    level: int
    tiles: tuple[TileView, ...]
    egg: int | None


class CountsView(TypedDict):
    """A number for each kind of resource."""

    water: int
    sand: int
    clay: int
    leaf: int
    twig: int
    flower: int


class PaidView(TypedDict):
    """What an egg was paid with that lies only after the choice in `unguard`."""

    cards: CountsView
    guarded: CountsView


class SeatView(TypedDict):
    """A seat: its bird (null: in the ocean), unguarded cards, guarded resources (`used`: this turn already),
    available eggs, and how many tiles it holds."""

    bird: PlaceView | None
    cards: CountsView
    guarded: CountsView
    used: CountsView
    eggs: int
    tiles: int


class LastRoundView(TypedDict):
    """After which round the game ends, as far as it is known, and why."""

    round: int
    reason: str


SoloView = TypedDict(
    "SoloView",
    {"pass": int, "turned": int, "day": int, "night": int, "lost": tuple[TileView, ...]},
)
"""The solo game: which pass, cards turned in all, day and night cards left in this pass, tiles that the tide took."""


class PublicView(TypedDict):
    """What everybody sees. `stacks` by cell, as "x,y"; `trail` as in the state: cells laid on, or barred by D8."""

    round: int
    seat: int
    trail: tuple[PlaceView, ...]
    paid: PaidView | None
    last_round: LastRoundView | None
    idle: int
    busy: bool
    stacks: dict[str, StackView]
    piles: CountsView
    bag: int
    seats: tuple[SeatView, ...]
    solo: SoloView | None


class PrivateView(TypedDict):
    """What only the seat sees: the tiles in its hand."""

    tiles: tuple[OwnTileView, ...]


class Views:
    """The views of one set of components."""

    def __init__(self, components: Components) -> None:
        """`components`: what the tiles show."""
        self._components = components
        kinds = [(KINDS[tile.terrain].value, KINDS[tile.nest].value) for tile in components.tile_kinds]
        self._tiles = tuple(TileView(terrain=terrain, nest=nest) for terrain, nest in kinds)
        self._own = tuple(OwnTileView(id=n, terrain=terrain, nest=nest) for n, (terrain, nest) in enumerate(kinds))
        self._hands = lru_cache(maxsize=REMEMBERED)(self._hand)

    def public(self, state: State) -> PublicView:
        """What everybody may see."""
        return {
            "round": state.round,
            "seat": state.seat,
            "trail": _places(state.trail),
            "paid": _paid(state.paid),
            "last_round": _last_round(state.ending),
            "idle": state.idle,
            "busy": state.busy,
            "stacks": _kept(state.board, self._stacks),
            "piles": _counts(state.piles),
            "bag": len(state.bag),
            "seats": _seats(state.players),
            "solo": None if state.solo is None else _kept(state.solo, self._solo),
        }

    def private(self, state: State, seat: int) -> PrivateView:
        """What only `seat` may see besides."""
        return self._hands(state.players[seat].hand)

    def _hand(self, tiles: tuple[int, ...]) -> PrivateView:
        return PrivateView(tiles=tuple(self._own[tile] for tile in tiles))

    def _stacks(self, board: Board) -> dict[str, StackView]:
        return dict([_kept(stack, self._stack) for stack in board.stacks])

    def _stack(self, stack: Stack) -> tuple[str, StackView]:
        tiles = tuple(self._tiles[tile] for tile in stack.tiles)
        view = StackView(x=stack.x, y=stack.y, level=stack.level, tiles=tiles, egg=stack.egg)
        return f"{stack.x},{stack.y}", view

    def _solo(self, solo: SoloDeck) -> SoloView:
        days = sum(card < self._components.solo.day for card in solo.deck)
        return {
            "pass": solo.passing,
            "turned": cards_turned(self._components, solo),
            "day": days,
            "night": len(solo.deck) - days,
            "lost": tuple(self._tiles[tile] for tile in solo.lost),
        }


def _kept(part: Part, make: Callable[[Part], View]) -> View:
    """What `make` once made of a part of the state: it lives as long as the part."""
    view: View | None = part.__dict__.get("view")
    if view is None:
        view = part.__dict__["view"] = make(part)
    return view


@lru_cache(maxsize=REMEMBERED)
def _counts(counts: Counts) -> CountsView:
    water, sand, clay, leaf, twig, flower = counts
    return CountsView(water=water, sand=sand, clay=clay, leaf=leaf, twig=twig, flower=flower)


@lru_cache(maxsize=REMEMBERED)
def _seats(players: tuple[Player, ...]) -> tuple[SeatView, ...]:
    return tuple(_kept(player, _seat) for player in players)


def _seat(player: Player) -> SeatView:
    return SeatView(
        bird=None if player.bird is None else _place(player.bird),
        cards=_counts(player.cards),
        guarded=_counts(player.guarded),
        used=_counts(player.used),
        eggs=player.eggs,
        tiles=len(player.hand),
    )


@lru_cache(maxsize=REMEMBERED)
def _places(cells: tuple[Cell, ...]) -> tuple[PlaceView, ...]:
    return tuple(_place(cell) for cell in cells)


@lru_cache(maxsize=REMEMBERED)
def _place(cell: Cell) -> PlaceView:
    return PlaceView(x=cell[0], y=cell[1])


@lru_cache(maxsize=REMEMBERED)
def _paid(paid: Payment | None) -> PaidView | None:
    return None if paid is None else PaidView(cards=_counts(paid.cards), guarded=_counts(paid.guarded))


@lru_cache(maxsize=REMEMBERED)
def _last_round(ending: Ending | None) -> LastRoundView | None:
    return None if ending is None else LastRoundView(round=ending.round, reason=ending.reason.value)
