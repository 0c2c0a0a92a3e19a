"""Random games in which eggs are laid: what even chances between a hundred tiles and one egg hardly ever reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from server.engines.engine import Action
from server.engines.islet import ENGINE
from server.engines.islet.actions import LayEgg, LayTile, Walk
from tests.engines.play import Step, walk


def eager(actions: Sequence[Action], random: Random) -> Action:
    """Lays an egg when it can, else rather moves than explores, and lays on where it can."""
    eggs = [action for action in actions if isinstance(action, LayEgg)]
    walks = [action for action in actions if isinstance(action, Walk)]
    tiles = [action for action in actions if isinstance(action, LayTile)]
    for some, often in ((eggs, 0.9), (walks, 0.35), (tiles, 0.8)):
        if some and random.random() < often:
            return random.choice(some)
    return random.choice(actions)


def steps(seats: int, seed: int) -> Iterator[Step]:
    """An eager game, step by step."""
    return walk(ENGINE, seats, ENGINE.options(), seed, pick=eager)
