"""Pairs of equal items are a longest common subsequence, as long as few items came and went."""

from __future__ import annotations

import operator
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from protocol.align import common_runs


def common_pairs(old: list[int], new: list[int]) -> list[tuple[int, int]]:
    """The places of equal items, one by one."""
    runs = common_runs(old, new, operator.eq)
    return [(before + step, after + step) for before, after, length in runs for step in range(length)]


short = st.lists(st.integers(0, 3), max_size=8)


def longest(old: list[int], new: list[int]) -> int:
    """The length of a longest common subsequence, by the textbook."""
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            lengths[i + 1][j + 1] = lengths[i][j] + 1 if before == after else max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths[-1][-1]


@given(old=short, new=short)
def test_the_pairs_are_a_longest_common_subsequence(old: list[int], new: list[int]) -> None:
    pairs = common_pairs(old, new)
    assert all(old[before] == new[after] for before, after in pairs)
    assert all(a < b and c < d for (a, c), (b, d) in pairwise(pairs))
    assert len(pairs) == longest(old, new)


def test_where_much_came_and_went_only_both_ends_count() -> None:
    old, new = [*range(40), 99], [0, *range(100, 140), 39, 99]
    assert common_pairs(old, new) == [(0, 0), (39, 41), (40, 42)]
    assert common_pairs(list(range(40)), list(range(40))[::-1]) == []
