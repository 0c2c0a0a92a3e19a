"""JSON and MessagePack frames to messages and back, with the limits of the protocol.

What every codec guarantees: bytes are checked for size and depth before anything is built of them; what comes out is a
typed message or a `ProtocolError` that names the field and never repeats the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from protocol.messages import AnyClientMessage, Json, ServerMessage


class Codec(Protocol):
    """One way to write the protocol."""

    @property
    def name(self) -> str:
        """`json` or `msgpack`."""

    @property
    def subprotocol(self) -> str:
        """The WebSocket subprotocol, e.g. `pharos.v1+json`."""

    @property
    def binary(self) -> bool:
        """Whether frames are binary ones."""

    def encode(self, message: ServerMessage) -> bytes:
        """The payload of a frame that holds the message."""

    def decode(self, payload: bytes) -> AnyClientMessage:
        """The request in a frame's payload.

        Raises:
            ProtocolError: `bad_message` (with the request's id and room as far as they could be read) or `too_large`.
        """

    def value(self, value: Json) -> bytes:
        """Any JSON-able value, structs included, encoded alone; to be joined by `array` and `map`."""

    def array(self, items: Sequence[bytes]) -> bytes:
        """An array of items that are encoded already."""

    def map(self, members: Sequence[tuple[str, bytes]]) -> bytes:
        """A map of members whose values are encoded already, in this order."""
