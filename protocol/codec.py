"""JSON and MessagePack frames to messages and back, with the limits of the protocol.

What every codec guarantees: bytes are checked for size, depth and number of values before anything is built of them;
what comes out is a typed message or a `ProtocolError` that names the field and never repeats the value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Protocol

import msgspec

from protocol.checks import DEPTH, FRAME_BYTES, VALUES
from protocol.json_codec import JsonCodec, read_body
from protocol.messages import AnyClientMessage, ClientMessage, Json, ServerMessage
from protocol.msgpack_codec import MsgpackCodec

__all__ = ["CODECS", "DEPTH", "FRAME_BYTES", "JSON", "MSGPACK", "VALUES", "Codec", "read_body"]


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

    def decode(self, payload: bytes, limit: int = FRAME_BYTES) -> AnyClientMessage:
        """The request in a frame's payload of at most `limit` bytes.

        Raises:
            ProtocolError: `bad_message` (with the request's id and room as far as they could be read) or `too_large`;
                `SyntaxProtocolError` and `EncodingProtocolError` where the payload is not the codec at all.
        """

    def value(self, value: Json | msgspec.Struct | Sequence[msgspec.Struct]) -> bytes:
        """Any JSON-able value, structs included, encoded."""

    def encode_request(self, message: ClientMessage) -> bytes:
        """The payload of a frame that holds a client's request."""

    def decode_server(self, payload: bytes) -> ServerMessage | None:
        """The message in a server's frame; unknown fields are ignored, and an unknown type of frame is None.

        Raises:
            ProtocolError: `bad_message`, where the payload is no frame of this protocol.
        """


JSON: Codec = JsonCodec()
MSGPACK: Codec = MsgpackCodec()
CODECS: Mapping[str, Codec] = MappingProxyType(
    {key: codec for codec in (JSON, MSGPACK) for key in (codec.name, codec.subprotocol)}
)
"""The codecs by name and by subprotocol."""
