"""Which items of two sequences are the same ones, where some came and some went.

The greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986), for the
part between the common beginning and the common end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Run: TypeAlias = tuple[int, int, int]
"""Where equal items begin, in the old and in the new sequence, and how many follow one another there."""

_EDITS = 16
"""Past so many items that came or went, the middle counts as having nothing in common."""


def common_runs(old: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> list[Run]:
    """The runs of a longest common subsequence, in order."""
    shorter = min(len(old), len(new))
    start = _beginning(old, new, same)
    end = min(_beginning(old[::-1], new[::-1], same), shorter - start) if start < shorter else 0
    middle = _middle(old[start : len(old) - end], new[start : len(new) - end], same)
    shifted = [(before + start, after + start, length) for before, after, length in middle]
    return [(0, 0, start), *shifted, (len(old) - end, len(new) - end, end)]


def _beginning(old: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> int:
    """How many items are the same at the beginning."""
    length = 0
    for before, after in zip(old, new, strict=False):
        if before is not after and not same(before, after):
            break
        length += 1
    return length


def _middle(old: Sequence[T], new: Sequence[T], same: Callable[[T, T], bool]) -> list[Run]:
    """The runs on a path with the fewest edits; none where it would need more than `_EDITS`."""
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
                return _runs_back(rounds, len(old), len(new))
    return []


def _came_from(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """The diagonal from which this one is reached furthest with one edit more."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return diagonal + 1
    return diagonal - 1


def _runs_back(rounds: list[dict[int, int]], x: int, y: int) -> list[Run]:
    runs: list[Run] = []
    for edits, furthest in reversed(list(enumerate(rounds))):
        diagonal = _came_from(furthest, x - y, edits)
        before = furthest[diagonal]
        after = before - diagonal
        if length := min(x - before, y - after):
            runs.append((x - length, y - length, length))
        x, y = before, after
    return runs[::-1]
