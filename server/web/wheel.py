"""One timer for every connection: each is looked at once in every turn of the wheel, a part of them at each tick.

So ten thousand idle connections cost no timers and no tasks, and never wake up all at once.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import structlog

SLOTS = 5

log = structlog.get_logger()


class Visited(Protocol):
    """What the wheel looks at."""

    def visit(self, now: float) -> None:
        """It is a turn of the wheel later; `now` is the event loop's time."""


class Wheel:
    """Looks at everything that was added once in `turn` seconds."""

    def __init__(self, turn: float) -> None:
        self._tick = turn / SLOTS
        self._slots: list[set[Visited]] = [set() for _ in range(SLOTS)]
        self._filled = 0
        self._at = 0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Turn, on the running event loop, until `stop`."""
        self._timer = asyncio.get_running_loop().call_later(self._tick, self._turn)

    def stop(self) -> None:
        """Turn no more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def add(self, item: Visited) -> int:
        """Look at the item from now on; the answer is for `remove`."""
        self._filled = (self._filled + 1) % SLOTS
        self._slots[self._filled].add(item)
        return self._filled

    def remove(self, item: Visited, slot: int) -> None:
        """Look at the item no more."""
        self._slots[slot].discard(item)

    def _turn(self) -> None:
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._at = (self._at + 1) % SLOTS
        for item in tuple(self._slots[self._at]):
            try:
                item.visit(now)
            except Exception:
                log.exception("a connection could not be looked after")
        self._timer = loop.call_later(self._tick, self._turn)
