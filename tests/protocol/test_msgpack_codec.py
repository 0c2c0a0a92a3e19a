"""MessagePack: the walk over a frame's headers accepts what the format says, and of that only what JSON could say."""

from __future__ import annotations

from typing import Any

import msgpack
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol.codec import MSGPACK
from protocol.codes import ProtocolError, SyntaxProtocolError
from protocol.messages import Act, Chat
from protocol.msgpack_codec import _walk
from tests.protocol.strategies import values


def walks(payload: bytes) -> bool:
    try:
        _walk(payload)
    except (ProtocolError, IndexError):
        return False
    return True


@given(value=values())
def test_the_walk_passes_what_json_can_say(value: Any) -> None:
    assert walks(msgpack.packb(value))


@given(value=values(), cut=st.integers(1, 40))
def test_the_walk_stops_at_whatever_is_cut_short(value: Any, cut: int) -> None:
    payload = msgpack.packb(value)
    assert not walks(payload[: max(0, len(payload) - cut)])
    assert not walks(payload + payload[:1])


class Pairs(list[Any]):
    """A map as it stands in the bytes, equal keys and all."""


def plain(value: Any) -> bool:
    if isinstance(value, Pairs):
        return all(isinstance(key, str) and plain(part) for key, part in value)
    if isinstance(value, list):
        return all(map(plain, value))
    return value is None or isinstance(value, bool | int | float | str)


@given(payload=st.binary(min_size=1, max_size=16))
@example(b"\x82\xa1a\xc4\x00\xa1a\x00")
@example(b"\xd6\xff\x00\x00\x00\x00")
@example(b"\x81\x80\x00")
def test_the_walk_and_a_library_agree_on_what_is_messagepack(payload: bytes) -> None:
    try:
        value = msgpack.unpackb(payload, strict_map_key=False, unicode_errors="replace", object_pairs_hook=Pairs)
    except ValueError:
        assert not walks(payload)
    else:
        assert walks(payload) == plain(value)


WIDTHS = {
    "str 8": b"\xd9\x03abc",
    "str 16": b"\xda\x00\x03abc",
    "str 32": b"\xdb\x00\x00\x00\x03abc",
}


@pytest.mark.parametrize("name", WIDTHS)
def test_strings_of_every_width_are_read(name: str) -> None:
    text = WIDTHS[name]
    payload = b"\x84\xa1t\xa4chat\xd9\x02id\x01\xa4room\xa1R\xda\x00\x04text" + text
    assert MSGPACK.decode(payload) == Chat(1, "R", "abc")


@pytest.mark.parametrize("head", [b"\x93", b"\xdc\x00\x03", b"\xdd\x00\x00\x00\x03"])
def test_arrays_of_every_width_are_read(head: bytes) -> None:
    payload = MSGPACK.encode_request(Act(1, "R", {"x": 0}, 1)).replace(b"\xa1x\x00", b"\xa1x" + head + b"\x01\x02\x03")
    assert MSGPACK.decode(payload) == Act(1, "R", {"x": [1, 2, 3]}, 1)


@pytest.mark.parametrize("head", [b"\x82", b"\xde\x00\x02", b"\xdf\x00\x00\x00\x02"])
def test_maps_of_every_width_are_read(head: bytes) -> None:
    payload = MSGPACK.encode_request(Act(1, "R", {"x": 0}, 1)).replace(
        b"\xa1x\x00", b"\xa1x" + head + b"\xa1a\x01\xa1b\x02"
    )
    assert MSGPACK.decode(payload) == Act(1, "R", {"x": {"a": 1, "b": 2}}, 1)


@pytest.mark.parametrize(
    "number",
    [0, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**53 - 1, -1, -32, -33, -129, -32769, -(2**31) - 1],
)
def test_integers_of_every_width_are_read(number: int) -> None:
    for packed in {msgpack.packb(number), b"\xd3" + number.to_bytes(8, "big", signed=True)}:
        payload = MSGPACK.encode_request(Act(1, "R", {"x": None}, 1)).replace(b"\xa1x\xc0", b"\xa1x" + packed)
        assert MSGPACK.decode(payload) == Act(1, "R", {"x": number}, 1)


@pytest.mark.parametrize(("levels", "accepted"), [(15, True), (16, False)])
def test_the_depth_of_a_whole_frame(levels: int, accepted: bool) -> None:
    action: Any = 0
    for _ in range(levels):
        action = {"x": action}
    payload = msgpack.packb({"t": "act", "id": 1, "room": "R", "seq": 1, "action": action})
    if accepted:
        assert MSGPACK.decode(payload).id == 1
    else:
        with pytest.raises(ProtocolError, match="nested deeper than 16"):
            MSGPACK.decode(payload)


def test_what_follows_a_frame_is_a_syntax_error() -> None:
    with pytest.raises(SyntaxProtocolError, match="from byte 1"):
        MSGPACK.decode(b"\x80\x80")
