"""What the rooms count, for whoever measures them."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from server.rooms.entries import Recorded, kind_of
from server.rooms.room import Room

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
"""Upper bounds in seconds of the histogram's buckets; one more holds the rest."""


class Histogram:
    """How long something took: a count per bucket, and the sum in seconds."""

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """One more took this long."""
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class HubStats:
    """Counters since the start of the process.

    `actions`: requests of seats by outcome (`ok` or the code of the error). `entries`: committed ones by game and kind.
    `resumes`: joins by kind (`patches`, `snapshot`). `append`: seconds an append took in the store.
    """

    def __init__(self) -> None:
        self.actions: Counter[str] = Counter()
        self.entries: Counter[tuple[str, str]] = Counter()
        self.resumes: Counter[str] = Counter()
        self.store_errors = 0
        self.append = Histogram()

    @contextmanager
    def appending(self) -> Iterator[None]:
        """Measure an append."""
        started = time.perf_counter()
        yield
        self.append.add(time.perf_counter() - started)

    def committed(self, room: Room, recorded: Recorded) -> None:
        """Count an entry."""
        self.entries[room.state.created.game, kind_of(recorded.entry)] += 1
