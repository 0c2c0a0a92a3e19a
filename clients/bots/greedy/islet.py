"""A greedy player of Islet: of all that its turn can come to, the end that its own measure likes best.

It imagines a state behind its views, looks through the moves and explores of this one turn, and takes the first
action of the best; then it decides anew. It never asks what the others will do.

The measure, in eggs on the island: an egg is worth most, a higher one a little more; a guarded resource is an income,
so nearly half an egg; a card about a tenth; and it likes to stand where the next egg is nearly paid for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import permutations
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

import msgspec

from server.engines.dice import Dice
from server.engines.engine import Action, with_turn
from server.engines.islet import ENGINE
from server.engines.islet.actions import LayEgg, LayTile, Pay, Stop, Walk, payment_of
from server.engines.islet.components import NESTS, TERRAINS, Counts
from server.engines.islet.grid import Cell, neighbours
from server.engines.islet.state import Board, Phase, State
from server.engines.islet.steps.explore import gain_of

C = ENGINE.components
EGG = 12.0
LEVEL = 0.3
GUARDED = 4.5
FARE_CARD, NEST_CARD, TERRAIN_CARD = 1.3, 1.2, 0.8
FARES = 2  # terrain cards that it likes to have for walks
FAR = 0.03  # for each step that a tile is laid away from its bird
ASHORE = 2.0
MISSING = 1.3  # a nest card short of the next egg
STEP = 0.8  # a paid walk to get there
SIGHT = 3  # walks that it looks ahead for a nest
LOOK = 90  # positions of a move that it looks at
PAYMENTS = 2  # ways to pay for one thing that it looks at
NO_DICE = Dice(bytes(32))
NESTS_OF = range(len(TERRAINS), len(TERRAINS) + len(NESTS))


def choose(state: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], random: Random) -> Mapping[str, Any]:
    """The first action of the best turn that it finds."""
    if len(actions) == 1:
        return actions[0]
    dice = Dice(random.randbytes(32))
    game, turn = state["game"], state["turn"]
    public = with_turn(game, (turn["number"], turn["phase"]))
    table = ENGINE.imagine(public, state["you"], len(game["seats"]), ENGINE.options(), dice)
    best = best_turn(table, dice).line[0]
    wanted = msgspec.to_builtins(best)
    return wanted if wanted in actions else random.choice(actions)


class Turn(NamedTuple):
    """A way for a turn to go on: how its end is liked, and its actions."""

    liking: float
    line: tuple[Action, ...]

    def order(self) -> tuple[float, int]:
        """By this the better turn is greater: of equal ones the shorter."""
        return self.liking, -len(self.line)


def best_turn(state: State, dice: Dice) -> Turn:
    """The best turn that it finds."""
    return max(turns(state, dice), key=Turn.order)


def turns(state: State, dice: Dice) -> Sequence[Turn]:
    """For each first action the best turn, of those that `LOOK` positions of a move show."""
    match state.phase:
        case Phase.TURN:
            found = [*_moves(Position.of(state)), *_explores(state)]
        case Phase.EXPLORE:
            return _explores(state) or [Turn(0.0, (Stop(),))]
        case Phase.RETURN:
            return _after(state, dice)
        case _:
            found = list(_moves(Position.of(state)))
    return found or [Turn(0.0, (ENGINE.default_action(state, state.seat),))]


def _after(state: State, dice: Dice) -> list[Turn]:
    seat = state.seat
    ends = ((action, ENGINE.apply(state, seat, action, dice.fork())[0]) for action in ENGINE.legal_actions(state, seat))
    return [Turn(measure(end, seat), (action,)) for action, end in ends]


def measure(state: State, seat: int) -> float:
    """How much the seat likes this state, egg by egg."""
    player = state.players[seat]
    laid = C.eggs_of(len(state.players)) - player.eggs - player.guards
    heights = sum(stack.level for stack in state.board.stacks if stack.egg == seat)
    kept = tuple(map(int.__add__, player.guarded, player.used))
    liked = EGG * laid + LEVEL * heights + GUARDED * sum(kept) + _cards(player.cards)
    if player.eggs or player.guards:
        means = tuple(map(int.__add__, player.cards, kept))
        liked += _outlook(state.board, player.bird, means)
    return liked


def _cards(cards: Counts) -> float:
    """Some terrain is for walking; then nests count most; what would have to go back is worth nothing."""
    terrains, nests = sum(cards[: len(TERRAINS)]), sum(cards[len(TERRAINS) :])
    fares = min(terrains, FARES)
    nests = min(nests, C.unguarded_limit - fares)
    terrains = min(terrains, C.unguarded_limit - nests) - fares
    return FARE_CARD * fares + NEST_CARD * nests + TERRAIN_CARD * terrains


def _missing(means: Counts) -> dict[int, int]:
    """By nest: how many more cards an egg on it would take."""
    made = {nest: means[nest] + min(means[one], means[other]) for nest, (one, other) in C.pairs.items()}
    return {nest: max(0, C.nest_price - count) for nest, count in made.items()}


def _outlook(board: Board, bird: Cell | None, means: Counts) -> float:
    """How near the next egg is: what it lacks in cards and paid walks, on the best tile within sight."""
    missing = _missing(means)
    step = STEP if sum(means[: len(TERRAINS)]) >= FARES else MISSING
    best = max((way - MISSING * missing[nest] for nest, way in _ways(board, bird, step)), default=None)
    return (ASHORE if bird is not None else 0.0) + (-MISSING * C.nest_price if best is None else best)


@lru_cache(maxsize=1 << 10)
def _ways(board: Board, bird: Cell | None, step: float) -> tuple[tuple[int, float], ...]:
    """By nest the best free tile within sight: its height, less the walks to it."""
    ahead = dict.fromkeys(board.coast, step) if bird is None else {bird: 0.0}
    reached: dict[Cell, float] = {}
    for _ in range(SIGHT):
        reached |= ahead
        further: dict[Cell, float] = {}
        for cell, cost in ahead.items():
            for beside in neighbours(cell):
                if beside in board.at and beside not in reached:
                    paid = cost + (0.1 if _terrain(board, beside) == _terrain(board, cell) else step)
                    further[beside] = min(paid, further.get(beside, paid))
        ahead = further
    best: dict[int, float] = {}
    for cell, cost in reached.items():
        stack = board.at[cell]
        if stack.egg is None:
            nest, way = C.tile_kinds[stack.top].nest, LEVEL * stack.level - cost
            best[nest] = max(way, best.get(nest, way))
    return tuple(best.items())


def _terrain(board: Board, cell: Cell) -> int:
    return C.tile_kinds[board.at[cell].top].terrain


class Node(NamedTuple):
    """A position within a move: the state, and the actions that led to it."""

    state: State
    line: tuple[Action, ...]


class Position:
    """A state from which a move starts, equal to all that differ only in what moves have nothing to do with."""

    def __init__(self, state: State, key: tuple[object, ...]) -> None:
        self.state = state
        self._key = key
        self._hash = hash(key)

    @classmethod
    def of(cls, state: State) -> Position:
        """This state's."""
        players = tuple((each.bird, each.cards, each.guarded, each.used, each.eggs) for each in state.players)
        key = state.seat, state.phase, state.board, players, state.piles, state.trail, state.paid, state.ending
        return cls(state, key)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key


@lru_cache(maxsize=1 << 10)
def _moves(start: Position) -> tuple[Turn, ...]:
    """By its first action the best end of a move within `LOOK` positions, nearest first. It never throws dice."""
    state, seat = start.state, start.state.seat
    ahead = [Node(state, ())]
    known = {state.player}
    best: dict[Action, Turn] = {}
    for looked in range(LOOK):
        if looked == len(ahead):
            break
        node = ahead[looked]
        for action in _few(ENGINE.legal_actions(node.state, seat)):
            after = node.state if isinstance(action, Stop) else ENGINE.apply(node.state, seat, action, NO_DICE)[0]
            line = (*node.line, action)
            if not isinstance(action, Stop) and after.phase is not Phase.OVER:
                if after.phase is not Phase.MOVE or after.players[seat] not in known:
                    known.add(after.players[seat])
                    ahead.append(Node(after, line))
                continue
            liking = measure(after, seat)
            if line[0] not in best or liking > best[line[0]].liking:
                best[line[0]] = Turn(liking, line)
    return tuple(best.values())


def _few(actions: Sequence[Action]) -> Iterator[Action]:
    """Of the ways to pay for one thing those that cost least: cards of terrain first, and what is guarded is free."""
    groups: dict[tuple[int, int] | None, list[tuple[float, Walk | LayEgg]]] = {}
    for action in actions:
        if isinstance(action, Walk | LayEgg):
            target = (action.x, action.y) if isinstance(action, Walk) else None
            groups.setdefault(target, []).append((_cost(action.pay), action))
        elif not isinstance(action, LayTile):
            yield action
    for ways in groups.values():
        for _, action in sorted(ways, key=itemgetter(0))[:PAYMENTS]:
            yield action


def _cost(pay: Pay) -> float:
    payment = payment_of(pay)
    return _cards(payment.cards) + 0.01 * sum(payment.guarded)


def _explores(state: State) -> list[Turn]:
    """By the first tile the best way to lay tiles from here on; empty when it is best to stop, or nothing fits."""
    player, seat = state.player, state.seat
    likings: dict[Counts, float] = {}
    so_far = tuple(gain_of(C, state.board.at[cell]) for cell in state.trail)
    stop = _liking(state, seat, so_far, likings) if so_far else float("-inf")
    best: dict[tuple[int, Cell], tuple[float, tuple[int, ...], tuple[Cell, ...]]] = {}
    for path in _paths(state, len(player.hand)):
        far = FAR * sum(map(abs, map(int.__sub__, path[0], player.bird or (0, 0))))
        seen: set[tuple[int, ...]] = set()
        for tiles in permutations(player.hand, len(path)):
            over = tuple(C.tile_kinds[tile].terrain for tile in tiles)
            if over in seen:
                continue
            seen.add(over)
            gained = tuple(_gain(state.board, cell, terrain) for cell, terrain in zip(path, over, strict=True))
            liking = _liking(state, seat, so_far + gained, likings) - far
            first = tiles[0], path[0]
            if liking > (best[first][0] if first in best else stop):
                best[first] = liking, tiles, path
    laid = ((liking, zip(tiles, path, strict=True)) for liking, tiles, path in best.values())
    return [Turn(liking, (*(LayTile(tile, *cell) for tile, cell in each), Stop())) for liking, each in laid]


def _paths(state: State, tiles: int) -> Iterator[tuple[Cell, ...]]:
    """Every row of cells that the next tiles could go on."""
    barred = {player.bird for player in state.players}
    most = min(C.lay_at_most - len(state.trail), tiles)
    ahead: list[tuple[tuple[Cell, ...], int]]
    if state.trail:
        ahead = [((state.trail[-1],), state.board.at[state.trail[-1]].level)]
    elif most:
        ahead = [((cell,), 1) for cell in state.board.shallows]
        yield from (path for path, _ in ahead)
    else:
        ahead = []
    skip = 1 if state.trail else 0
    while ahead:
        path, level = ahead.pop()
        if len(path) - skip == most:
            continue
        for cell in neighbours(path[-1]):
            stack = state.board.at.get(cell)
            if stack and stack.level >= level and stack.egg is None and cell not in barred:
                longer = (*path, cell)
                yield longer[skip:]
                ahead.append((longer, stack.level + 1))


def _gain(board: Board, cell: Cell, terrain: int) -> int:
    stack = board.at.get(cell)
    return terrain if stack is None else C.gains[C.tile_kinds[stack.top].terrain][terrain]


def _liking(state: State, seat: int, gained: tuple[int, ...], likings: dict[Counts, float]) -> float:
    """The measure with these cards more, as far as the piles have them."""
    key = tuple(sorted(gained))
    if key not in likings:
        counts = tuple(min(gained.count(kind), pile) for kind, pile in enumerate(state.piles))
        player = state.players[seat]
        richer = msgspec.structs.replace(player, cards=tuple(map(int.__add__, player.cards, counts)))
        players = (*state.players[:seat], richer, *state.players[seat + 1 :])
        likings[key] = measure(msgspec.structs.replace(state, players=players), seat)
    return likings[key]
