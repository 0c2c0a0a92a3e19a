"""The codec `msgpack`: binary frames, one MessagePack map each.

A frame's headers are walked before anything is built of them, so that a frame that announces, nests or repeats too
much costs nothing. The format is held to what JSON can say: string keys, no binary, no extension types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from protocol import checks
from protocol.codes import Code, EncodingProtocolError, ProtocolError, SyntaxProtocolError
from protocol.messages import AnyClientMessage, ClientMessage, Json, ServerMessage

_Place: TypeAlias = int

_RESERVED = 0xC1
_STR = {0xD9: 1, 0xDA: 2, 0xDB: 4}
"""Strings by how many bytes their length takes."""
_CONTAINERS = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
_NUMBERS = {0xCA: 5, 0xCB: 9, 0xCC: 2, 0xCD: 3, 0xCE: 5, 0xCF: 9, 0xD0: 2, 0xD1: 3, 0xD2: 5, 0xD3: 9}


def _step(head: int) -> int:
    """How many bytes a value that begins with this byte takes; 0 where the byte alone does not tell."""
    if head < 0x80 or head >= 0xE0 or head in (0xC0, 0xC2, 0xC3):
        return 1
    if 0xA0 <= head <= 0xBF:
        return head - 0x9F
    return _NUMBERS.get(head, 0)


_STEPS = tuple(_step(head) for head in range(256))
_KEY_STEPS = tuple(head - 0x9F if 0xA0 <= head <= 0xBF else 0 for head in range(256))


class MsgpackCodec:
    """MessagePack by the rules of the protocol."""

    name = "msgpack"
    subprotocol = "pharos.v1+msgpack"
    binary = True

    def decode(self, payload: bytes, limit: int = checks.FRAME_BYTES) -> AnyClientMessage:
        if len(payload) > limit:
            raise checks.size_error(limit)
        try:
            _walk(payload)
        except IndexError:
            raise _cut_short() from None
        return checks.request(_loads(payload))

    def encode(self, message: ServerMessage) -> bytes:
        return _encoder.encode(message)

    def value(self, value: Json | msgspec.Struct | Sequence[msgspec.Struct]) -> bytes:
        return _encoder.encode(value)

    def encode_request(self, message: ClientMessage) -> bytes:
        return _encoder.encode(message)

    def decode_server(self, payload: bytes) -> ServerMessage | None:
        return checks.server_frame(_loads(payload))


def _walk(data: bytes) -> None:
    """Goes over every header: what is there is well formed, and within the limits, and JSON could say it."""
    place, left, keyed, values = 0, 1, False, 1
    outer: list[tuple[int, bool]] = []
    while True:
        while not left:
            if not outer:
                return _check_end(place, len(data))
            left, keyed = outer.pop()
        left -= 1
        if keyed:
            place = place + _KEY_STEPS[data[place]] if _KEY_STEPS[data[place]] else _after_key(data, place)
        head = data[place]
        if step := _STEPS[head]:
            place += step
        elif head in _STR:
            place = _after_string(data, place)
        else:
            outer.append((left, keyed))
            place, left, keyed = _enter(data, place)
            values += left
            if values > checks.VALUES:
                raise checks.count_error()
            if len(outer) > checks.DEPTH:
                raise checks.depth_error()


def _check_end(place: int, end: int) -> None:
    if place > end:
        raise _cut_short()
    if place < end:
        raise SyntaxProtocolError(Code.BAD_MESSAGE, f"more follows after the value, from byte {place}")


def _after_key(data: bytes, place: int) -> _Place:
    if data[place] == _RESERVED:
        raise SyntaxProtocolError(Code.BAD_MESSAGE, f"not MessagePack at byte {place}")
    if data[place] not in _STR:
        raise ProtocolError(Code.BAD_MESSAGE, f"a key that is not a string, at byte {place}")
    return _after_string(data, place)


def _after_string(data: bytes, place: int) -> _Place:
    width = _STR[data[place]]
    start = place + 1 + width
    return start + int.from_bytes(data[place + 1 : start], "big")


def _enter(data: bytes, place: int) -> tuple[_Place, int, bool]:
    """The first item's place, the number of items, and whether they have keys, of the container at `place`."""
    head = data[place]
    if head < 0xA0:
        return place + 1, head & 0x0F, head < 0x90
    if head == _RESERVED:
        raise SyntaxProtocolError(Code.BAD_MESSAGE, f"not MessagePack at byte {place}")
    if head not in _CONTAINERS:
        raise ProtocolError(Code.BAD_MESSAGE, f"binary or an extension type, at byte {place}")
    start = place + 1 + _CONTAINERS[head]
    items, keyed = int.from_bytes(data[place + 1 : start], "big"), head >= 0xDE
    if items * (1 + keyed) > len(data) - start:
        raise _cut_short()
    return start, items, keyed


def _cut_short() -> ProtocolError:
    return SyntaxProtocolError(Code.BAD_MESSAGE, "not MessagePack: it ends before what it announces")


def _loads(payload: bytes) -> object:
    try:
        return _decoder.decode(payload)
    except msgspec.DecodeError as error:
        if "UTF-8" in str(error):
            raise EncodingProtocolError(Code.BAD_MESSAGE, "holds a string that is not UTF-8") from None
        raise SyntaxProtocolError(Code.BAD_MESSAGE, "not MessagePack") from None


_encoder = msgspec.msgpack.Encoder(enc_hook=dict)
_decoder = msgspec.msgpack.Decoder()
