"""The journal of an ended room as one compressed record."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from server.store.store import Stored

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(tuple[tuple[int, str, int, bytes], ...])


def pack(entries: Sequence[Stored]) -> bytes:
    """The entries as zlib over MessagePack: a list of (seq, tag, at, data)."""
    return zlib.compress(_encoder.encode([(entry.seq, entry.tag, entry.at, entry.data) for entry in entries]), 6)


def unpack(record: bytes) -> tuple[Stored, ...]:
    """The entries of a record that `pack` made.

    Raises:
        ValueError: it is not one.
    """
    try:
        return tuple(Stored(*fields) for fields in _decoder.decode(zlib.decompress(record)))
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"not a compressed journal: {error}") from None
