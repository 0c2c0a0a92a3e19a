"""What the load counts while the clock runs."""

from __future__ import annotations

import time
from array import array
from collections import Counter

now = time.perf_counter


class Tally:
    """Counts and samples of one measurement; only what falls between `start` and `stop` is in it."""

    def __init__(self) -> None:
        self.errors: Counter[str] = Counter()
        self.running = False
        self._clear()

    def _clear(self) -> None:
        self.actions = 0
        self.games = 0
        self.latencies = array("d")
        self.sizes = array("L")

    def start(self) -> None:
        """From now on it counts."""
        self._clear()
        self.running = True

    def stop(self) -> None:
        """From now on it doesn't."""
        self.running = False

    def acted(self) -> None:
        """The server has answered an action."""
        if self.running:
            self.actions += 1

    def told(self, seconds: float, size: int) -> None:
        """A viewer has the update of an action, so long after it was sent; its payload has so many bytes."""
        if self.running:
            self.latencies.append(seconds)
            self.sizes.append(size)
