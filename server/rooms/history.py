"""The recent changes of a room, for viewers that come back: a bounded number, and bounded bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice

from server.rooms.audience import Change, Kept
from server.store.store import Head


class History:
    """The last changes in order, without gaps; `base` is the entry before the first of them."""

    def __init__(self, base: Head, max_changes: int, max_bytes: int) -> None:
        self._base = base
        self._kept: deque[Kept] = deque()
        self._bytes = 0
        self._max_changes = max_changes
        self._max_bytes = max_bytes

    def add(self, change: Change) -> None:
        """Keep the newest change; let the oldest go where the bounds ask for it."""
        kept = change.kept()
        self._kept.append(kept)
        self._bytes += kept.weight
        while len(self._kept) > self._max_changes or (self._bytes > self._max_bytes and len(self._kept) > 1):
            oldest = self._kept.popleft()
            self._bytes -= oldest.weight
            self._base = oldest.head

    def since(self, seq: int, tag: str) -> Sequence[Kept] | None:
        """The changes after the entry `seq`; None if it is not kept, or is another entry than `tag` says."""
        first = self._base.seq
        if not first <= seq <= first + len(self._kept):
            return None
        known = self._base if seq == first else self._kept[seq - first - 1].head
        return tuple(islice(self._kept, seq - first, None)) if known.tag == tag else None
