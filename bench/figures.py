"""Figures from samples: percentiles, and the middle of what was measured several times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median


def middle(values: Sequence[float]) -> float:
    """The median of what is a number; nan where nothing is."""
    known = [value for value in values if not math.isnan(value)]
    return median(known) if known else math.nan


def ratios(values: Sequence[float], of: Sequence[float]) -> float:
    """The middle of the ratios, round by round: what ran side by side is compared, whatever else the machine did."""
    pairs = zip(values, of, strict=False)
    return middle([value / other for value, other in pairs if other and not math.isnan(other)])


def written(value: float, digits: int = 0) -> str:
    """The figure for a table; a dash where there is none."""
    return "–" if math.isnan(value) else f"{value:,.{digits}f}"
