"""Walks and payments once more, straight from the words of the rules and without a thought for speed.

Nothing here is taken from the steps of the engine but the state it looks at. A payment is a bag of twelve counts (six
kinds unguarded, six guarded); the prices are those of the game.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product

from server.engines.islet.state import State

Bag = tuple[int, ...]
Cell = tuple[int, int]
PAIRS = {3: (0, 2), 4: (0, 1), 5: (1, 2)}
WALK, EGG = 1, 3


def units(bag: Bag, kind: int) -> int | None:
    """How many cards of a kind the whole bag stands for, every card of it taking part; None when some can't."""
    items = [k % 6 for k, count in enumerate(bag) for _ in range(count)]
    return _match(tuple(sorted(items)), kind)


@cache
def _match(items: tuple[int, ...], kind: int) -> int | None:
    if not items:
        return 0
    first, rest = items[0], items[1:]
    if first == kind:
        after = _match(rest, kind)
        return None if after is None else after + 1
    for place, other in enumerate(rest):
        if _converts(first, other, kind):
            after = _match(rest[:place] + rest[place + 1 :], kind)
            if after is not None:
                return after + 1
    return None


def _converts(one: int, other: int, kind: int) -> bool:
    if kind < 3:
        return one == other and one < 3 and one != kind
    return tuple(sorted((one, other))) == PAIRS[kind]


def would_do(bag: Bag, kind: int, price: int, piles: Bag) -> bool:
    """Whether the bag pays the price exactly. A conversion takes a card from the pile, and it goes back (D9)."""
    if units(bag, kind) != price:
        return False
    pile = piles[kind] + bag[kind]
    direct = bag[kind] + bag[kind + 6]
    return all(pile > 0 for _ in range(price - direct))


def payments(have: Bag, piles: Bag, kind: int, price: int) -> list[Bag]:
    """Every bag of what one has that would do while no part of it alone would, in ascending order."""
    able = [bag for bag in product(*(range(count + 1) for count in have)) if would_do(bag, kind, price, piles)]
    return [bag for bag in able if not any(part != bag and _part(part, bag) for part in able)]


def _part(part: Bag, bag: Bag) -> bool:
    return all(a <= b for a, b in zip(part, bag, strict=True))


def adjacent(one: Cell, other: Cell) -> bool:
    """Whether two cells share an edge."""
    (x, y), (p, q) = one, other
    if y == q:
        return abs(x - p) == 1
    lower = one if y < q else other
    return x == p and abs(y - q) == 1 and sum(lower) % 2 == 1


class Table:
    """What walking depends on, in plain dicts."""

    def __init__(self, state: State, terrain_of: list[int]) -> None:
        self.terrain = {(s.x, s.y): terrain_of[s.tiles[-1]] for s in state.board.stacks}
        self.others = {p.bird for seat, p in enumerate(state.players) if seat != state.seat}

    def coast(self, cell: Cell) -> bool:
        """Three tiles beside it make a cell inland."""
        return sum(adjacent(cell, other) for other in self.terrain) < 3

    def walks(self, bird: Cell | None, trail: tuple[Cell, ...], have: Bag, piles: Bag) -> Iterator[tuple[Cell, Bag]]:
        """Every walk by D2 and D8, with every way to pay; D3 aside."""
        for cell in self.terrain:
            reach = self.coast(cell) if bird is None else adjacent(bird, cell)
            if reach and cell not in trail:
                if bird is not None and self.terrain[bird] == self.terrain[cell]:
                    yield cell, (0,) * 12
                else:
                    for bag in payments(have, piles, self.terrain[cell], WALK):
                        yield cell, bag

    def gets_off(self, bird: Cell, trail: tuple[Cell, ...], have: Bag, piles: Bag) -> bool:
        """D3, by trying everything: whether some row of walks ends on a tile without another bird."""
        ahead = [(bird, trail, have, piles)]
        while ahead:
            here = ahead.pop()
            if here[0] not in self.others:
                return True
            ahead += [step(here, cell, bag) for cell, bag in self.walks(*here)]
        return False

    def legal(self, bird: Cell | None, trail: tuple[Cell, ...], have: Bag, piles: Bag) -> list[tuple[Cell, Bag]]:
        """Every legal walk, by cell and then by payment."""
        here = (bird, trail, have, piles)
        return sorted((c, bag) for c, bag in self.walks(*here) if self.gets_off(*step(here, c, bag)))


Here = tuple[Cell | None, tuple[Cell, ...], Bag, Bag]


def step(here: Here, cell: Cell, bag: Bag) -> tuple[Cell, tuple[Cell, ...], Bag, Bag]:
    """Where a walk leads, and what is left after it."""
    _, trail, have, piles = here
    left = tuple(a - b for a, b in zip(have, bag, strict=True))
    full = tuple(a + b for a, b in zip(piles, bag[:6], strict=True))
    return cell, ((cell,) if any(bag) else (*trail, cell)), left, full
