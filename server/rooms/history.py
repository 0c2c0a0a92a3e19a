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

PACK = 32
"""Changes that are packed together."""
OPEN = 40
"""Changes that may lie unpacked."""
LEVEL = 1


class _Pack(msgspec.Struct, frozen=True):
    """Some changes in order: their places, and all else compressed."""

    heads: tuple[Head, ...]
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
        content = msgspec.msgpack.encode([(change.codec.name, change.frames) for change in kept])
        pack = _Pack(tuple(change.head for change in kept), zlib.compress(content, LEVEL))
        self._packs.append(pack)
        self._bytes += len(pack.data) - sum(change.weight for change in kept)

    def _drop(self) -> None:
        """Let the oldest go: a pack as a whole."""
        if self._packs:
            pack = self._packs.popleft()
            self._bytes -= len(pack.data)
            self._base = pack.heads[-1]
        else:
            oldest = self._open.popleft()
            self._bytes -= oldest.weight
            self._base = oldest.head

    def since(self, seq: int, tag: str) -> Sequence[Kept] | None:
        """The changes after the entry `seq`; None if it is not kept, or is another entry than `tag` says."""
        place = seq - self._base.seq
        if not 0 <= place <= len(self) or self._head(place).tag != tag:
            return None
        whole, part = divmod(place, PACK)
        if whole >= len(self._packs):
            return tuple(self._open)[place - self._packed :]
        unpacked = [change for pack in list(self._packs)[whole:] for change in _unpack(pack)]
        return (*unpacked[part:], *self._open)

    def _head(self, place: int) -> Head:
        """The entry after which `place` changes have come since the base."""
        if place == 0:
            return self._base
        pack, at = divmod(place - 1, PACK)
        return self._packs[pack].heads[at] if pack < len(self._packs) else self._open[place - 1 - self._packed].head


def _unpack(pack: _Pack) -> list[Kept]:
    content = msgspec.msgpack.decode(zlib.decompress(pack.data), type=list[tuple[str, dict[int | None, bytes]]])
    return [Kept(head, CODECS[name], frames) for head, (name, frames) in zip(pack.heads, content, strict=True)]
