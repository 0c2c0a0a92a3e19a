"""Which items of two sequences are the same ones, where some came and some went.

The greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), for the
part between the common beginning and the common end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Pairs: TypeAlias = list[tuple[int, int]]

_EDITS = 16
"""Past so many items that came or went, the middle counts as having nothing in common."""


def common_pairs(old: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> Pairs:
    """The places (in `old`, in `new`) of a longest common subsequence, ascending."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and same(old[start], new[start]):
        start += 1
    end = 0
    while end < shorter - start and same(old[-1 - end], new[-1 - end]):
        end += 1
    middle = _middle(old[start : len(old) - end], new[start : len(new) - end], same)
    return [
        *((place, place) for place in range(start)),
        *((before + start, after + start) for before, after in middle),
        *((len(old) - place, len(new) - place) for place in range(end, 0, -1)),
    ]


def _middle(old: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> Pairs:
    """The pairs on a path with the fewest edits; none where it would need more than `_EDITS`."""
    if not old or not new:
        return []
    furthest, rounds = {1: 0}, []
    for edits in range(min(len(old) + len(new), _EDITS) + 1):
        rounds.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            came_from = _came_from(furthest, diagonal, edits)
            x = furthest[came_from] + (came_from < diagonal)
            while x < len(old) and x - diagonal < len(new) and same(old[x], new[x - diagonal]):
                x += 1
            furthest[diagonal] = x
            if x >= len(old) and x - diagonal >= len(new):
                return _pairs_back(rounds, len(old), len(new))
    return []


def _came_from(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """The diagonal from which this one is reached furthest with one edit more."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return diagonal + 1
    return diagonal - 1


def _pairs_back(rounds: list[dict[int, int]], x: int, y: int) -> Pairs:
    pairs: Pairs = []
    for edits, furthest in reversed(list(enumerate(rounds))):
        diagonal = _came_from(furthest, x - y, edits)
        before = furthest[diagonal]
        while x > before and y > before - diagonal:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = before, before - diagonal
    return pairs[::-1]
