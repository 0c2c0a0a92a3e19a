"""Reading the box: `components.toml`, refused with file, key and reason where the game can't be played with it.

The types of the fields are checked by their forms (`box.py`); here stands what the rules rely on besides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from math import comb
from pathlib import Path

from server.engines.burano.boards import SEATS, Cell, one_region
from server.engines.burano.box import (
    LEAVE_AT_START,
    Components,
    Fishmonger,
    LaceSchool,
    Painter,
    RoofKind,
    Scaffolder,
    Scheme,
    Ship,
)
from server.engines.components import BrokenComponents, read_components

__all__ = ["PATH", "BrokenComponents", "Components", "load"]

PATH = Path(__file__).with_name("components.toml")
WORKS = 3  # fish, lace, earn: what the colour markers are dealt to
LONGEST_LIST = 2_000  # actions of one decision, as the protocol promises
KEY_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz_ ")  # colours are keys of views

Refuse = Callable[[str, str], BrokenComponents]


def load(path: Path = PATH) -> Components:
    """The box from its file.

    Raises:
        BrokenComponents: the game can't be played with this file; says which key and why.
    """
    box = read_components(path, Components)

    def refuse(key: str, reason: str) -> BrokenComponents:
        return BrokenComponents(path.name, key, reason)

    for constraint in (_cubes, _pace, _pyramid, _wheel, _island, _sea, _fish, _workshops, _roofs, _buildings, _scores):
        constraint(box, refuse)
    return box


def _distinct(names: Sequence[str], key: str, refuse: Refuse) -> None:
    if len(set(names)) < len(names):
        raise refuse(key, "a name stands there twice")


def _known(names: Iterable[str], known: Collection[str], key: str, refuse: Refuse) -> None:
    for name in names:
        if name not in known:
            raise refuse(key, f"{name!r} is not one of {', '.join(known)}")


def _cubes(box: Components, refuse: Refuse) -> None:
    _distinct(box.colours, "colours", refuse)
    if any(not name or not KEY_LETTERS.issuperset(name) for name in box.colours):
        raise refuse("colours", "a colour is named in lower-case letters")
    if len(box.colours) % WORKS:
        raise refuse("colours", "as many colour markers for each of fish, lace and earn")
    if box.cubes_per_colour < box.cubes_to_start * SEATS[-1] + 1:
        raise refuse("cubes_per_colour", "four seats' first cubes and the one beside the fountain must be there")


def _pace(box: Components, refuse: Refuse) -> None:
    if box.action_coins[0] < 0:
        raise refuse("action_coins", "the first action of a turn costs nothing")
    if box.privilege_to_start > box.privilege_limit:
        raise refuse("privilege_to_start", "more than the track's limit")
    workers = box.workers_in_play - box.stay_on_wheel
    if sum(comb(workers, size) * (size + 1) for size in range(1, box.ready_limit + 2)) >= LONGEST_LIST:
        raise refuse("ready_limit", "more than 2,000 ways to score lace")


def _pyramid(box: Components, refuse: Refuse) -> None:
    if box.pyramid != tuple(range(len(box.pyramid), 0, -1)):
        raise refuse("pyramid", "every layer is one smaller than the one beneath, up to a single cube")


def _wheel(box: Components, refuse: Refuse) -> None:
    if len(box.wheel) < SEATS[-1]:
        raise refuse("wheel", "a letter for each of four seats")
    for letter, piece in box.wheel.items():
        if len(piece) != LEAVE_AT_START:
            raise refuse(f"wheel.{letter}", "a ring piece has three sectors")
        _known((colour for colour, _ in piece), box.colours, f"wheel.{letter}", refuse)
    sectors = sum(len(piece) for piece in box.wheel.values())
    if box.workers.wheel != sectors:
        raise refuse("workers.wheel", f"a worker for each of the {sectors} sectors")
    if box.stay_on_wheel > box.workers.wheel - LEAVE_AT_START:
        raise refuse("stay_on_wheel", "more than there are at the start")
    most = min(LEAVE_AT_START, box.sea.dock_houses)
    if len(box.crew) <= most:
        raise refuse("crew", f"an entry for each number of matches from 0 to {most}")


def _island(box: Components, refuse: Refuse) -> None:
    grid = box.island.grid
    if len({len(row) for row in grid}) > 1:
        raise refuse("island.grid", "every row is equally long")
    if not set("".join(grid)) <= set(".F#") or "".join(grid).count("F") != 1:
        raise refuse("island.grid", "made of '.', '#' and one 'F'")
    if box.island.square_at(*box.island.first_cube) is None:
        raise refuse("island.first_cube", "no house square")


def _sea(box: Components, refuse: Refuse) -> None:
    sea = box.sea
    _distinct(sea.nodes, "sea.islands", refuse)
    if list(sea.letters) != list(box.wheel):
        raise refuse("sea.letters", "the letters of the ring pieces, in their order")
    _known(sea.letters.values(), sea.islands, "sea.letters", refuse)
    if len(sea.islands) * sea.dock_houses % len(box.colours):
        raise refuse("sea.dock_houses", "equally many of each colour on all islands together")
    enterable = (*sea.islands, *sea.harbours)
    for one, other in sea.routes:
        _known((one, other), sea.nodes, "sea.routes", refuse)
        if one == other or (one not in enterable and other not in enterable):
            raise refuse("sea.routes", f"no route leads from {one!r} to {other!r}")
    ends = [frozenset(route) for route in sea.routes]
    if len(set(ends)) < len(ends):
        raise refuse("sea.routes", "a route stands there twice")
    stuck = [name for name, ways in zip(sea.nodes, sea.ways, strict=True) if not ways]
    if stuck:
        raise refuse("sea.routes", f"no boat can leave {stuck[0]!r}")


def _sets_at_most(ship: Ship, kinds: int) -> int:
    sizes = range(1, len(ship.points) + 1)
    match ship.sells:
        case Scheme.DIFFERENT:
            return sum(comb(kinds, size) for size in sizes)
        case Scheme.SAME:
            return kinds * len(ship.points)
        case Scheme.PAIRS | Scheme.ANY:
            return sum(comb(kinds + size - 1, size) for size in sizes)


def _fish(box: Components, refuse: Refuse) -> None:
    _distinct(box.fish.kinds, "fish.kinds", refuse)
    if len(box.ships) % len(box.sea.harbours):
        raise refuse("ships", "equally many in each harbour")
    if sum(_sets_at_most(ship, len(box.fish.kinds)) for ship in box.ships) >= LONGEST_LIST:
        raise refuse("ships", "more than 2,000 ways to sell in one harbour")


def _workshops(box: Components, refuse: Refuse) -> None:
    boards = box.workshops
    if sorted(boards.letters.values()) != sorted(box.colours):
        raise refuse("workshops.letters", "one letter for each colour")
    for key, rows, coins, size in (
        ("three", boards.three, boards.three_coins, 3),
        ("four", boards.four, boards.four_coins, 4),
    ):
        _layout(rows, (boards.height, boards.width), boards.letters, f"workshops.{key}", refuse)
        cells = {(r, c): letter for r, row in enumerate(rows) for c, letter in enumerate(row) if letter != "."}
        for letter in boards.letters:
            tile = [cell for cell, owner in cells.items() if owner == letter]
            if len(tile) != size or not one_region(tile):
                raise refuse(f"workshops.{key}", f"tile {letter} is not {size} squares that touch")
        if not one_region(cells):
            raise refuse(f"workshops.{key}", "the tiles are not one region")
        if Counter(cells.get(coin) for coin in coins) != Counter(list(boards.letters)):
            raise refuse(f"workshops.{key}_coins", "one square on each tile")


def _layout(rows: Sequence[str], area: Cell, letters: Collection[str], key: str, refuse: Refuse) -> None:
    if len(rows) != area[0] or any(len(row) != area[1] for row in rows):
        raise refuse(key, f"{area[0]} rows of {area[1]} squares")
    _known("".join(rows).replace(".", ""), letters, key, refuse)


def _roofs(box: Components, refuse: Refuse) -> None:
    if list(box.roofs) != list(RoofKind):
        raise refuse("roofs", f"the kinds {', '.join(RoofKind)}, in this order")
    if box.roofs_in_hand > len(box.roofs):
        raise refuse("roofs_in_hand", "more than there are kinds")
    for kind, tiles in box.roofs.items():
        if len(tiles) < SEATS[-1]:
            raise refuse(f"roofs.{kind}", "fewer than one for each of four seats")
        for one, other in tiles:
            _known((one, other), box.colours, f"roofs.{kind}", refuse)
            if one == other:
                raise refuse(f"roofs.{kind}", f"a roof with {one} at both ends")


def _buildings(box: Components, refuse: Refuse) -> None:
    for number, card in enumerate(box.buildings):
        if isinstance(card, Painter | Scaffolder | LaceSchool):
            _known(card.colours, box.colours, f"buildings[{number}].colours", refuse)
            _distinct(card.colours, f"buildings[{number}].colours", refuse)
        if isinstance(card, Fishmonger):
            _known(card.fish, box.fish.kinds, f"buildings[{number}].fish", refuse)
            _distinct(card.fish, f"buildings[{number}].fish", refuse)


def _scores(box: Components, refuse: Refuse) -> None:
    if sorted(box.score.islands_at_season_end) != list(SEATS):
        raise refuse("score.islands_at_season_end", "an entry for 2, 3 and 4 players")
