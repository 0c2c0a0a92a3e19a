"""The codec `json`: text frames, one JSON object each.

Depth and the number of values are counted in the bytes, strings set aside, before anything is built of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

import msgspec
import orjson

from protocol import checks
from protocol.codes import Code, EncodingProtocolError, ProtocolError, SyntaxProtocolError
from protocol.messages import AnyClientMessage, ClientMessage, Json, ServerMessage

T = TypeVar("T")

_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_SPACE = b" \t\r\n"
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


class JsonCodec:
    """JSON by the rules of the protocol."""

    name = "json"
    subprotocol = "pharos.v1+json"
    binary = False

    def decode(self, payload: bytes, limit: int = checks.FRAME_BYTES) -> AnyClientMessage:
        return checks.request(_parse(payload, limit))

    def encode(self, message: ServerMessage) -> bytes:
        return _encoder.encode(message)

    def value(self, value: Json | msgspec.Struct | Sequence[msgspec.Struct]) -> bytes:
        return orjson.dumps(value, default=_plain)

    def encode_request(self, message: ClientMessage) -> bytes:
        return _encoder.encode(message)

    def decode_server(self, payload: bytes) -> ServerMessage | None:
        return checks.server_frame(_loads(payload))


def read_body(payload: bytes, kind: type[T], limit: int = checks.FRAME_BYTES) -> T:
    """The body of an HTTP call, by the same rules as a frame.

    Raises:
        ProtocolError: `bad_message` or `too_large`.
    """
    return checks.body(_parse(payload, limit), kind)


def _parse(payload: bytes, limit: int) -> object:
    if len(payload) > limit:
        raise checks.size_error(limit)
    opened = payload.count(b"{") + payload.count(b"[")
    if opened > checks.DEPTH or len(payload) > checks.VALUES:
        _check_structure(payload)
    return _loads(payload)


def _check_structure(payload: bytes) -> None:
    bare = _STRING.sub(b'"', payload).translate(None, _SPACE)
    values = 1 + bare.count(b",") + sum(map(bare.count, (b"{", b"["))) - bare.count(b"{}") - bare.count(b"[]")
    if values > checks.VALUES:
        raise checks.count_error()
    depth = 0
    for bracket in bare.translate(None, _NO_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        if depth > checks.DEPTH:
            raise checks.depth_error()


def _loads(payload: bytes) -> object:
    try:
        return orjson.loads(payload)
    except orjson.JSONDecodeError as error:
        raise _unreadable(payload, error.pos) from None


def _unreadable(payload: bytes, place: int) -> ProtocolError:
    try:
        payload.decode()
    except UnicodeDecodeError as error:
        return EncodingProtocolError(Code.BAD_MESSAGE, f"not UTF-8 at byte {error.start}")
    return SyntaxProtocolError(Code.BAD_MESSAGE, f"not JSON at character {place}")


def _plain(value: object) -> object:
    return msgspec.to_builtins(value, enc_hook=dict)


_encoder = msgspec.json.Encoder(enc_hook=dict)
