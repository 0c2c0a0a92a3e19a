"""The recent changes of a room, for viewers that come back: a bounded number, and bounded bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice

from server.rooms.audience import Change
from server.store.store import Head


class History:
    """The last changes in order, without gaps; `base` is the entry before the first of them."""

    def __init__(self, base: Head, max_changes: int, max_bytes: int) -> None:
        self._base = base
        self._changes: deque[Change] = deque()
        self._weights: deque[int] = deque()
        self._bytes = 0
        self._max_changes = max_changes
        self._max_bytes = max_bytes

    def add(self, change: Change) -> None:
        """Keep the newest change; let the oldest go where the bounds ask for it."""
        weight = change.weight()
        self._changes.append(change)
        self._weights.append(weight)
        self._bytes += weight
        while len(self._changes) > self._max_changes or (self._bytes > self._max_bytes and len(self._changes) > 1):
            oldest = self._changes.popleft()
            self._bytes -= self._weights.popleft()
            self._base = Head(oldest.recorded.seq, oldest.recorded.tag, oldest.recorded.at)

    def since(self, seq: int, tag: str) -> Sequence[Change] | None:
        """The changes after the entry `seq`; None if it is not kept, or is another entry than `tag` says."""
        first = self._base.seq
        if not first <= seq <= first + len(self._changes):
            return None
        known = self._base.tag if seq == first else self._changes[seq - first - 1].recorded.tag
        return tuple(islice(self._changes, seq - first, None)) if known == tag else None
