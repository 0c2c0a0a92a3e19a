"""The workshop tiles on their area: the fixed layouts, and the random one."""

from __future__ import annotations

from server.engines.burano.boards import Cell, Colour, WorkshopTile, one_region
from server.engines.burano.box import Components
from server.engines.burano.state import Options, Workshop, Workshops
from server.engines.dice import Dice

ROTATIONS = 4


def lay(box: Components, seats: int, options: Options, dice: Dice) -> Workshops:
    """The workshops of a new game."""
    tiles = fixed(box, seats)
    return board(box, tiles if options.workshops == "first_game" else _at_random(box, tiles, dice))


def fixed(box: Components, seats: int) -> list[WorkshopTile]:
    """The tiles of the fixed layout, in the order of the letters."""
    rows, coins = box.workshops.fixed(seats)
    tiles = []
    for letter, colour in box.workshops.letters.items():
        squares = [(r, c) for r, row in enumerate(rows) for c, mark in enumerate(row) if mark == letter]
        coin = next(cell for cell in squares if cell in coins)
        tiles.append(WorkshopTile(box.colour_of[colour], tuple(squares), coin))
    return tiles


def board(box: Components, tiles: list[WorkshopTile]) -> Workshops:
    """The area with these tiles on it."""
    squares: list[Workshop | None] = [None] * (box.workshops.height * box.workshops.width)
    for tile in tiles:
        for row, column in tile.squares:
            square = row * box.workshops.width + column
            squares[square] = Workshop(Colour(tile.colour), (row, column) == tile.coin, ())
    return Workshops(tuple(squares))


def _at_random(box: Components, tiles: list[WorkshopTile], dice: Dice) -> list[WorkshopTile]:
    """Tiles in random order, each on one of its places chosen evenly; anew until all lie and are one region."""
    while True:
        laid: list[WorkshopTile] = []
        for tile in dice.shuffle(tiles):
            taken = {cell for other in laid for cell in other.squares}
            places = _places(box, tile, taken)
            if not places:
                break
            laid.append(places[dice.below(len(places))])
        else:
            if one_region({cell for tile in laid for cell in tile.squares}):
                return laid


def _places(box: Components, tile: WorkshopTile, taken: set[Cell]) -> list[WorkshopTile]:
    """Where the tile fits: rotation by rotation, then by row and column of its box's top left corner."""
    found = []
    for _ in range(ROTATIONS):
        top, left = min(r for r, _ in tile.squares), min(c for _, c in tile.squares)
        height = max(r for r, _ in tile.squares) - top + 1
        width = max(c for _, c in tile.squares) - left + 1
        for row in range(box.workshops.height - height + 1):
            for column in range(box.workshops.width - width + 1):
                moved = _moved(tile, row - top, column - left)
                if taken.isdisjoint(moved.squares):
                    found.append(moved)
        tile = _turned(tile)
    return found


def _moved(tile: WorkshopTile, rows: int, columns: int) -> WorkshopTile:
    squares = tuple((r + rows, c + columns) for r, c in tile.squares)
    return WorkshopTile(tile.colour, squares, (tile.coin[0] + rows, tile.coin[1] + columns))


def _turned(tile: WorkshopTile) -> WorkshopTile:
    """A quarter clockwise, about the origin."""
    return WorkshopTile(tile.colour, tuple((c, -r) for r, c in tile.squares), (tile.coin[1], -tile.coin[0]))


def is_turned(tile: WorkshopTile, squares: set[Cell], coin: Cell) -> bool:
    """Whether these squares are the tile's shape, turned and moved, with its coin in its place."""
    for _ in range(ROTATIONS):
        moved = _moved(tile, coin[0] - tile.coin[0], coin[1] - tile.coin[1])
        if set(moved.squares) == squares:
            return True
        tile = _turned(tile)
    return False
