"""Scoring lace at season's end: ready cubes for own workers, guilds, the dye house's joker (D5, D10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec.structs import replace

from server.engines.burano.actions import ScoreLace, Skip
from server.engines.burano.boards import Colour, Square
from server.engines.burano.box import Components, DyeHouse
from server.engines.burano.events import LaceScored, Skipped
from server.engines.burano.state import Phase, State
from server.engines.burano.steps.buildings import holds
from server.engines.burano.steps.play import Play, cubes_by_name
from server.engines.burano.steps.workshops import own_squares
from server.engines.engine import Action, IllegalAction


def colour_at(state: State, square: Square) -> Colour:
    """The colour of a workshop square."""
    workshop = state.workshops.squares[square]
    assert workshop is not None
    return workshop.colour


def jokers(state: State, box: Components, squares: Sequence[Square]) -> Iterator[Colour | None]:
    """The ways to pay for these squares: without the joker, or with it as a cube of one of their colours."""
    ready = state.acting.ready.counts
    needed = Counter(colour_at(state, square) for square in squares)
    lacking = {colour: number - ready[colour] for colour, number in needed.items() if number > ready[colour]}
    if not lacking:
        yield None
    if holds(box, state.acting, DyeHouse) and sum(lacking.values()) <= 1:
        yield from sorted(lacking or needed)


def choices(state: State, box: Components) -> Iterator[tuple[tuple[Square, ...], Colour | None]]:
    """Every choice of own squares that can be paid, with its joker."""
    own = own_squares(state.workshops, state.seat)
    most = state.acting.ready.total + holds(box, state.acting, DyeHouse)
    for size in range(1, most + 1):
        for squares in combinations(own, size):
            for joker in jokers(state, box, squares):
                yield squares, joker


def legal_lace_scoring(state: State, box: Components) -> list[Action]:
    """Every choice, or none."""
    ordered = sorted(choices(state, box), key=lambda choice: (choice[0], -1 if choice[1] is None else choice[1]))
    actions: list[Action] = [
        ScoreLace(squares, None if joker is None else box.colours[joker]) for squares, joker in ordered
    ]
    actions.append(Skip())
    return actions


def score_lace(play: Play, action: ScoreLace) -> None:
    """Return cubes, score the workers and their guilds."""
    box, family = play.box, play.family
    squares = tuple(Square(square) for square in action.squares)
    joker = None if action.joker is None else play.colour(action.joker)
    own = own_squares(play.state.workshops, play.seat)
    if not squares or list(squares) != sorted(set(squares)) or not set(squares) <= set(own):
        raise IllegalAction("own workers in the workshops are scored, their squares named once, ascending")
    if joker not in jokers(play.state, box, squares):
        raise IllegalAction("a ready cube of each square's colour is returned, or the dye house gives one of them")
    counts = [0] * len(box.colours)
    for square in squares:
        counts[colour_at(play.state, square)] += 1
    if joker is not None:
        counts[joker] -= 1
    groups = guilds(box, squares)
    points = worth(box, len(squares), groups)
    play.renew(replace(family, ready=family.ready.without(counts), points=family.points + points))
    play.change(supply=play.state.supply.with_all(counts))
    returned = cubes_by_name(box, tuple(counts))
    play.tell(LaceScored(play.seat, squares, action.joker, returned, groups, points))


def skip(play: Play, _action: Skip) -> None:
    """Score no lace."""
    play.tell(Skipped(play.seat, Phase.LACE_SCORING))


def guilds(box: Components, squares: Sequence[Square]) -> tuple[int, ...]:
    """The sizes of the groups of chosen squares that touch by sides, by their first square (D10)."""
    waiting = list(squares)
    sizes = []
    while waiting:
        group = [waiting.pop(0)]
        for square in group:
            beside = [other for other in waiting if other in box.workshops.beside[square]]
            group += beside
            waiting = [other for other in waiting if other not in beside]
        sizes.append(len(group))
    return tuple(sizes)


def worth(box: Components, workers: int, groups: Sequence[int]) -> int:
    """Points for that many workers in these guilds; a guild past the table counts as its last entry."""
    table = box.score.guild
    return workers * box.score.lace_cube + sum(table[min(size, len(table) - 1)] for size in groups)
