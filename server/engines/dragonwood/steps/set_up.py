"""Set-up: both decks, the hands and the first landscape (Set-up 1 to 4; the draws (a) to (e); D1)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.dice import Dice
from server.engines.dragonwood.components import Components
from server.engines.dragonwood.state import Dragons, Options, Phase, Player, State
from server.engines.dragonwood.steps.drawing import draw
from server.engines.dragonwood.steps.table import Table


def set_up(components: Components, seats: int, options: Options, dice: Dice) -> State:
    """The state in which seat 0 begins."""
    removed, lower, upper = _dragonwood_deck(components, seats, options, dice)
    state = State(
        options=options,
        number=1,
        in_turn=0,
        phase=Phase.TURN,
        players=(Player(hand=(), enhancements=(), creatures=()),) * seats,
        adventurers=tuple(dice.shuffle(range(components.adventurers))),
        discard=(),
        ran_out=0,
        final_turn=None,
        dragonwood=(),
        landscape=(),
        removed=removed,
        gone=(),
        attempt=None,
        event=None,
    )
    table = Table(components, state, dice)
    for _ in range(components.printed.hand_start):
        for seat in range(seats):
            draw(table, seat, 1)
    landscape, upper = _first_landscape(components, upper, dice)
    return replace(table.state, landscape=landscape, dragonwood=(*lower, *upper))


def lower_part(components: Components, seats: int, options: Options) -> int:
    """How many cards at the bottom of the full deck the dragons were shuffled into, the dragons included."""
    left = len(components.cards) - len(components.dragons) - components.printed.removed[seats]
    return (left // 2 if options.dragons is Dragons.BOTTOM_HALF else left) + len(components.dragons)


def _dragonwood_deck(
    components: Components, seats: int, options: Options, dice: Dice
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The removed cards, the lower part and the upper part of the deck; with `whole_deck` all of it is upper part."""
    shuffled = dice.shuffle(card for card in range(len(components.cards)) if card not in components.dragons)
    kept = len(shuffled) - components.printed.removed[seats]
    removed = tuple(shuffled[kept:])
    half = lower_part(components, seats, options) - len(components.dragons)
    with_dragons = tuple(dice.shuffle(sorted((*shuffled[:half], *components.dragons))))
    if options.dragons is Dragons.WHOLE_DECK:
        return removed, (), with_dragons
    return removed, with_dragons, tuple(shuffled[half:kept])


def _first_landscape(
    components: Components, upper: tuple[int, ...], dice: Dice
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first cards turned up, and what is left of the upper part; events go back into it (D1)."""
    landscape: tuple[int, ...] = ()
    while len(landscape) < components.printed.landscape:
        *rest, card = upper
        if components.event(card) is None:
            landscape, upper = (*landscape, card), tuple(rest)
        else:
            upper = tuple(dice.shuffle(sorted(upper)))
    return landscape, upper
