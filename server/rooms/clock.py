"""The store's time as this node knows it, and timers by it.

Deadlines are store time; this node counts on its own monotonic clock from the last moment at which it asked, so that
a wall clock that steps, or differs from the store's, moves nothing. The store has the last word in every append.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

SLOW = 0.25
"""Seconds that an answer of the store may take before it counts as another time."""
DRIFT = 0.00005
"""Seconds by which the estimate goes down at each slow answer, since clocks drift."""
MAX_TIMER = 24 * 3600.0


class Clock:
    """Store time, estimated between two times that the store told."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def learn(self, now: int) -> None:
        """The store said that it is `now` (ms). Its answer took a while, so what it says is never too late.

        Hence an earlier moment than expected counts as a slow answer, as long as it is not much earlier.
        """
        told = now / 1000 - self.monotonic()
        slow = self._offset - told
        self._offset = self._offset - min(slow, DRIFT) if 0 < slow < SLOW else told

    def now(self) -> int:
        """ms of store time."""
        return int((self.monotonic() + self._offset) * 1000)

    def monotonic(self) -> float:
        """Seconds on a clock of this node that never steps."""
        return time.monotonic()

    def call_at(self, at: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Call back at the moment `at` (ms of store time), or earlier where that is more than a day away."""
        delay = max(0.0, at / 1000 - self._offset - self.monotonic())
        return asyncio.get_running_loop().call_later(min(delay, MAX_TIMER), callback)


class Alarm:
    """Calls back at a moment of store time. One that is put off keeps its timer, and looks again when that runs out."""

    __slots__ = ("_at", "_callback", "_clock", "_rings", "_timer")

    def __init__(self, clock: Clock, callback: Callable[[], None]) -> None:
        self._clock = clock
        self._callback = callback
        self._at = self._rings = 0
        self._timer: asyncio.TimerHandle | None = None

    def set(self, at: int) -> None:
        """Call back at the moment `at` (ms), and at no other."""
        self._at = at
        if self._timer is None or at < self._rings:
            self.cancel()
            self._rings = at
            self._timer = self._clock.call_at(at, self._ring)

    def cancel(self) -> None:
        """Do not call back."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        if self._at > self._clock.now():
            self.set(self._at)
        else:
            self._callback()
