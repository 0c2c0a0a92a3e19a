"""The same by properties: good requests that are spoilt in one place, in both codecs; and what must cost no memory."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import ProtocolError
from tests.fuzz.codec_target import check, one
from tests.fuzz.session_target import one as converse
from tests.protocol.golden_frames import CLIENT

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
GOOD = [msgspec.to_builtins(message) for message in CLIENT.values()]


@st.composite
def spoilt(draw: st.DrawFn) -> dict[str, Any]:
    """A good request with a member changed, added or taken away, there or further in."""
    request: dict[str, Any] = json.loads(json.dumps(draw(st.sampled_from(GOOD))))
    inner = request
    while (maps := [part for part in inner.values() if isinstance(part, dict)]) and draw(st.booleans()):
        inner = draw(st.sampled_from(maps))
    name = draw(st.sampled_from(sorted(inner)) | st.text(max_size=10)) if inner else draw(st.text(max_size=10))
    if draw(st.booleans()):
        inner.pop(name, None)
    else:
        inner[name] = draw(JSON_VALUES)
    return request


def payload(codec: Codec, value: Any) -> bytes:
    return msgpack.packb(value) if codec.binary else json.dumps(value).encode(errors="surrogatepass")


@given(spoilt(), st.sampled_from([JSON, MSGPACK]))
def test_a_spoilt_request_is_read_or_refused(request: dict[str, Any], codec: Codec) -> None:
    try:
        read = codec.decode(payload(codec, request))
    except ProtocolError as error:
        check(error)
    else:
        assert codec.decode(codec.encode_request(read)) == read


@given(spoilt(), st.booleans(), st.integers(0, 3))
def test_a_spoilt_request_gets_one_reply(request: dict[str, Any], binary: bool, game: int) -> None:
    codec = MSGPACK if binary else JSON
    join = {"t": "join", "id": 0, "room": "ABCDEF", "token": "T" * 22}
    parts = [payload(codec, message) for message in (join, request)]
    converse(bytes([4 * game + binary]) + b"".join(len(part).to_bytes(2, "big") + part for part in parts))


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    one(data)
    converse(data)


@given(st.text(max_size=40))
def test_any_text_for_a_name_or_a_line(text: str) -> None:
    one(text.encode(errors="surrogatepass"))


def nested(opening: bytes, times: int, closing: bytes = b"") -> bytes:
    return opening * times + closing * times


BOMBS = {
    "a map of four billion": b"\xdf\xff\xff\xff\xff",
    "an array of four billion": b"\xdd\xff\xff\xff\xff",
    "arrays of four billion in one another": b"\xdd\xff\xff\xff\xff" * 3000,
    "a string of four billion": b"\xdb\xff\xff\xff\xff",
    "a binary of four billion": b"\xc6\xff\xff\xff\xff",
    "an extension of four billion": b"\xc9\xff\xff\xff\xff\x01",
    "an array of empty maps": b"\xdc\x3f\xf0" + b"\x80" * 16_368,
    "arrays in arrays": b"\x91" * 16_000,
    "maps in maps": b"\x81\xa0" * 8000,
    "a map that announces as many members as it has bytes": b"\xde\x3f\xf0" + b"\xa0" * 16_368,
}
JSON_BOMBS = {
    "arrays in arrays": nested(b"[", 8000, b"]"),
    "arrays never closed": b"[" * 16_000,
    "maps in maps": nested(b'{"":', 3000, b"}"),
    "an array of empty maps": b"[" + b"{}," * 5000 + b"{}]",
    "an array of numbers": b"[" + b"0," * 8000 + b"0]",
    "a string never closed": b'"' + b"\\" * 16_000,
    "quotes and brackets": b'"[' * 8000,
    "empty strings": b"[" + b'"",' * 5000 + b'""]',
}


def cost(read: Callable[[], object]) -> int:
    """How many bytes were allocated at most while it ran, and was refused."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        with pytest.raises(ProtocolError):
            read()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", BOMBS)
def test_a_messagepack_bomb_costs_no_memory_to_speak_of(name: str) -> None:
    bomb = BOMBS[name]
    with pytest.raises(ProtocolError):
        MSGPACK.decode(bomb)  # what is made once and kept is not the bomb's
    assert cost(lambda: MSGPACK.decode(bomb)) < 32_768


@pytest.mark.parametrize("name", JSON_BOMBS)
def test_a_json_bomb_costs_little_for_a_moment(name: str) -> None:
    bomb = JSON_BOMBS[name]
    with pytest.raises(ProtocolError):
        JSON.decode(bomb)
    assert cost(lambda: JSON.decode(bomb)) < 1_500_000
