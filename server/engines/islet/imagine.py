"""A possible state behind views: what they show is taken as it is, what they hide is dealt at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from server.engines.dice import Dice
from server.engines.islet.components import KIND_OF, KINDS, Components, Counts
from server.engines.islet.state import Board, Ending, Payment, Phase, Player, Reason, SoloDeck, Stack, State
from server.engines.islet.views import (
    CountsView,
    PlaceView,
    PrivateView,
    PublicView,
    SeatView,
    SoloView,
    StackView,
    TileView,
)


class SeenView(PublicView):
    """A public view with the turn's number and phase."""

    number: int
    phase: str


class SeatedView(PrivateView):
    """A private view with the number of its seat."""

    seat: int


class Pool:
    """The tiles not placed yet, by what they show: tiles that look alike stand for one another."""

    def __init__(self, components: Components, known: Iterable[int]) -> None:
        """`known`: the ids of the tiles that the viewer holds."""
        placed = set(known)
        self._left: dict[tuple[int, int], list[int]] = {}
        for tile in reversed(range(len(components.tile_kinds))):
            if tile not in placed:
                self._left.setdefault(components.tile_kinds[tile], []).append(tile)

    def take(self, tiles: Iterable[TileView]) -> tuple[int, ...]:
        """Ids for tiles that lie open."""
        return tuple(self._left[KIND_OF[tile["terrain"]], KIND_OF[tile["nest"]]].pop() for tile in tiles)

    def rest(self) -> list[int]:
        """The ids of all tiles that are hidden, ascending."""
        return sorted(tile for tiles in self._left.values() for tile in tiles)


def imagine(
    components: Components, public: Mapping[str, object], private: Mapping[str, object] | None, dice: Dice
) -> State:
    """The state; draws one shuffle of the hidden tiles, in solo then one of the cards left."""
    view = msgspec.convert(public, SeenView)
    own = None if private is None else msgspec.convert(private, SeatedView)
    known = {} if own is None else {own["seat"]: tuple(sorted(tile["id"] for tile in own["tiles"]))}
    pool = Pool(components, (tile for hand in known.values() for tile in hand))
    board = Board(tuple(sorted((_stack(pool, stack) for stack in view["stacks"].values()), key=lambda s: s.cell)))
    lost = pool.take(view["solo"]["lost"]) if view["solo"] else ()
    hidden = dice.shuffle(pool.rest())
    players = tuple(_player(seat, known.get(number), hidden) for number, seat in enumerate(view["seats"]))
    return State(
        phase=Phase(view["phase"]),
        number=view["number"],
        players=players,
        board=board,
        piles=_counts(view["piles"]),
        bag=tuple(hidden),
        trail=tuple(_cell(place) for place in view["trail"]),
        paid=_paid(view),
        ending=_ending(view),
        idle=view["idle"],
        busy=view["busy"],
        solo=_solo(components, view["solo"], lost, dice) if view["solo"] else None,
    )


def _stack(pool: Pool, stack: StackView) -> Stack:
    return Stack(stack["x"], stack["y"], pool.take(stack["tiles"]), stack["egg"])


def _player(seat: SeatView, own: tuple[int, ...] | None, hidden: list[int]) -> Player:
    hand = own if own is not None else tuple(sorted(hidden.pop() for _ in range(seat["tiles"])))
    return Player(
        bird=None if seat["bird"] is None else _cell(seat["bird"]),
        cards=_counts(seat["cards"]),
        guarded=_counts(seat["guarded"]),
        used=_counts(seat["used"]),
        eggs=seat["eggs"],
        hand=hand,
    )


def _cell(place: PlaceView) -> tuple[int, int]:
    return place["x"], place["y"]


def _counts(counts: CountsView) -> Counts:
    return tuple(msgspec.to_builtins(counts)[kind] for kind in KINDS)


def _paid(view: PublicView) -> Payment | None:
    paid = view["paid"]
    return None if paid is None else Payment(_counts(paid["cards"]), _counts(paid["guarded"]))


def _ending(view: PublicView) -> Ending | None:
    last = view["last_round"]
    return None if last is None else Ending(last["round"], Reason(last["reason"]))


def _solo(components: Components, solo: SoloView, lost: tuple[int, ...], dice: Dice) -> SoloDeck:
    """Day cards look alike, and so do night cards: the first ids stand for those that are left."""
    nights = range(components.solo.day, components.solo.day + solo["night"])
    return SoloDeck(solo["pass"], tuple(dice.shuffle((*range(solo["day"]), *nights))), lost)
