"""Percentiles, middles and ratios."""

from __future__ import annotations

import math

import pytest

from bench.figures import middle, ratios, written
from clients.load.ledger import percentile


@pytest.mark.parametrize(("share", "expected"), [(0.0, 1.0), (0.5, 50.0), (0.99, 99.0), (0.991, 100.0), (1.0, 100.0)])
def test_a_percentile_is_the_sample_that_so_many_do_not_exceed(share: float, expected: float) -> None:
    assert percentile([float(n) for n in range(1, 101)], share) == expected


def test_no_samples_no_figure() -> None:
    assert math.isnan(percentile([], 0.5))
    assert math.isnan(middle([]))
    assert math.isnan(middle([math.nan]))
    assert written(math.nan) == "–"


def test_the_middle_passes_over_what_is_no_number() -> None:
    assert middle([3.0, math.nan, 1.0, 2.0]) == 2.0


def test_ratios_are_taken_round_by_round() -> None:
    # A machine that was three times as slow in the second round: both cases were.
    assert ratios([10.0, 30.0, 12.0], [2.0, 6.0, 2.0]) == 5.0
    assert math.isnan(ratios([1.0], [0.0]))


def test_figures_are_written_for_people() -> None:
    assert (written(1234.56), written(1234.56, 1)) == ("1,235", "1,234.6")
