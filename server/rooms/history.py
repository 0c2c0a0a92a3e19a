"""The recent changes of a room, for viewers that come back: a bounded number, and bounded bytes.

The newest lie there as they were sent. Older ones are packed together, since they are much alike and seldom asked for.
"""

from __future__ import annotations

import zlib
from collections import deque
from collections.abc import Sequence

import msgspec

from protocol.codec import CODECS
from server.rooms.audience import Change, Kept
from server.store.store import Head

PACK = 16
"""Changes that are packed together."""
OPEN = 20
"""Changes that may lie unpacked."""
LEVEL = 1


class _Pack(msgspec.Struct, frozen=True):
    """Some changes in order, compressed; `last` is the place of the last of them."""

    last: Head
    data: bytes


class History:
    """The last changes in order, without gaps; `base` is the entry before the first of them."""

    def __init__(self, base: Head, max_changes: int, max_bytes: int) -> None:
        self._base = base
        self._packs: deque[_Pack] = deque()
        self._open: deque[Kept] = deque()
        self._max_changes = max_changes
        self._max_bytes = max_bytes
        self._bytes = 0

    def __len__(self) -> int:
        return self._packed + len(self._open)

    @property
    def _packed(self) -> int:
        return len(self._packs) * PACK

    def add(self, change: Change) -> None:
        """Keep the newest change; let the oldest go where the bounds ask for it."""
        kept = change.kept()
        self._open.append(kept)
        self._bytes += kept.weight
        if len(self._open) >= OPEN:
            self._pack()
        while len(self) > self._max_changes or (self._bytes > self._max_bytes and len(self) > 1):
            self._drop()

    def _pack(self) -> None:
        kept = [self._open.popleft() for _ in range(PACK)]
        content = msgspec.msgpack.encode([(change.head, change.codec.name, change.frames) for change in kept])
        pack = _Pack(kept[-1].head, zlib.compress(content, LEVEL))
        self._packs.append(pack)
        self._bytes += len(pack.data) - sum(change.weight for change in kept)

    def _drop(self) -> None:
        """Let the oldest go: a pack as a whole."""
        if self._packs:
            pack = self._packs.popleft()
            self._bytes -= len(pack.data)
            self._base = pack.last
        else:
            oldest = self._open.popleft()
            self._bytes -= oldest.weight
            self._base = oldest.head

    def since(self, seq: int, tag: str) -> Sequence[Kept] | None:
        """The changes after the entry `seq`; None if it is not kept, or is another entry than `tag` says."""
        place = seq - self._base.seq
        if not 0 <= place <= len(self):
            return None
        whole = min(place // PACK, len(self._packs))
        kept = [*(change for pack in list(self._packs)[whole:] for change in _unpack(pack)), *self._open]
        begun = self._packs[whole - 1].last if whole else self._base
        seen = place - whole * PACK
        last = kept[seen - 1].head if seen else begun
        return tuple(kept[seen:]) if last.tag == tag else None


def _unpack(pack: _Pack) -> list[Kept]:
    content = msgspec.msgpack.decode(zlib.decompress(pack.data), type=list[tuple[Head, str, dict[int | None, bytes]]])
    return [Kept(head, CODECS[name], frames) for head, name, frames in content]
