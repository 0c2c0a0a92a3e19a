"""Credits: how many requests one connection may make (protocol sections 1 and 3).

A bucket of `burst` credits refills at `rate` a second. A flood is a series of refusals in which the bucket never
comes back to half; one that goes on for longer than the deployment allows ends the connection.
"""

from __future__ import annotations

import math


class Credits:
    """The bucket of one connection. Times are seconds on any steady clock."""

    __slots__ = ("_burst", "_flood_since", "_left", "_rate", "_when")

    def __init__(self, rate: int, burst: int, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left = float(burst)
        self._when = now
        self._flood_since: float | None = None

    def take(self, cost: int, now: float) -> bool:
        """Pay for a request, if there are credits enough."""
        left = min(self._burst, self._left + (now - self._when) * self._rate)
        self._when = now
        if left * 2 >= self._burst:
            self._flood_since = None
        if left >= cost:
            self._left = left - cost
            return True
        self._left = left
        if self._flood_since is None:
            self._flood_since = now
        return False

    def owe(self, cost: int, now: float) -> None:
        """A request that was paid for has cost so much more: paid before anything else is."""
        self._left = min(self._burst, self._left + (now - self._when) * self._rate) - cost
        self._when = now

    @property
    def refusing(self) -> bool:
        """Whether a request was refused since the bucket was last at half."""
        return self._flood_since is not None

    def wait(self, cost: int) -> int:
        """In how many milliseconds a request that was just refused could be paid for."""
        return max(1, math.ceil((cost - self._left) / self._rate * 1000))

    def flooded(self, now: float) -> float:
        """For how many seconds the flood, if there is one, has gone on."""
        return 0.0 if self._flood_since is None else now - self._flood_since
