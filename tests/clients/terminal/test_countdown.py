"""Clocks between two entries."""

from __future__ import annotations

from typing import Any

import pytest

from clients.terminal.countdown import time_left


def state(deadline: int | None, banks: list[int]) -> dict[str, Any]:
    deciding = [] if deadline is None else [1]
    deadlines = [] if deadline is None else [deadline]
    return {"turn": {"seats": deciding, "clock": {"at": 0, "deadlines": deadlines, "banks": banks}}}


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        (0, "0:30+5:00"),
        (29_001, "0:01+5:00"),
        (30_000, "0:00+5:00"),
        (30_001, "0:00+5:00"),
        (31_000, "0:00+4:59"),
        (329_001, "0:00+0:01"),
        (330_000, "0:00"),
        (400_000, "0:00"),
    ],
)
def test_the_time_per_turn_runs_out_first_then_the_bank(now: int, shown: str) -> None:
    assert time_left(state(330_000, [10_000, 300_000]), 1, now) == shown


def test_who_does_not_decide_has_a_bank_that_stands_still() -> None:
    assert time_left(state(330_000, [3_600_000, 300_000]), 0, 99_999) == "1:00:00"
    assert time_left(state(None, [61_000, 0]), 0, 99_999) == "1:01"


def test_without_a_bank_there_is_only_the_time_per_turn() -> None:
    assert time_left(state(30_000, [0, 0]), 1, 500) == "0:30"


def test_a_room_without_a_clock_or_before_its_start_shows_none() -> None:
    assert time_left({"turn": {"seats": [0], "clock": None}}, 0, 5) == ""
    assert time_left({"turn": None}, 0, 5) == ""
