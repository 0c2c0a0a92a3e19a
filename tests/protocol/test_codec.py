"""What holds of both codecs."""

from __future__ import annotations

import json
import tracemalloc
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codec import CODECS, FRAME_BYTES, JSON, MSGPACK, Codec
from protocol.codes import Code, ProtocolError
from protocol.messages import Act, ClientMessage, Error, Ok, Ping, SeatTaken, Snapshot
from tests.protocol.golden_frames import CLIENT, SERVER
from tests.protocol.strategies import requests, values

codecs = pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=lambda codec: codec.name)


def read(codec: Codec, data: bytes) -> Any:
    """The data as a library of its own makes of it."""
    return msgpack.unpackb(data) if codec.binary else json.loads(data)


def written(codec: Codec, value: Any) -> bytes:
    return msgpack.packb(value) if codec.binary else json.dumps(value).encode()


def test_codecs_are_found_by_name_and_by_subprotocol() -> None:
    assert {name: codec.binary for name, codec in CODECS.items()} == {
        "json": False,
        "pharos.v1+json": False,
        "msgpack": True,
        "pharos.v1+msgpack": True,
    }


@codecs
@given(message=requests())
def test_a_request_is_read_as_it_was_written(codec: Codec, message: ClientMessage) -> None:
    assert codec.decode(codec.encode_request(message), limit=1 << 20) == message


@codecs
@given(value=values())
def test_a_value_is_plain_in_the_codec(codec: Codec, value: Any) -> None:
    assert read(codec, codec.value(value)) == value


@codecs
def test_structs_tuples_and_views_of_maps_are_plain(codec: Codec) -> None:
    view = MappingProxyType({"seat": MappingProxyType({"n": (1, 2)}), "taken": SeatTaken(0, "t")})
    plain = {"seat": {"n": [1, 2]}, "taken": {"seat": 0, "token": "t"}}
    assert read(codec, codec.value(view)) == plain  # type: ignore[arg-type]
    snapshot = read(codec, codec.encode(Snapshot("R", 1, "00" * 8, view)))
    assert snapshot["state"] == plain


@codecs
def test_absent_fields_are_left_out_and_null_ones_are_not(codec: Codec) -> None:
    assert read(codec, codec.encode(Ok(1, seat=None))) == {"t": "ok", "id": 1, "seat": None}
    assert read(codec, codec.encode_request(Ping(1))) == {"t": "ping", "id": 1}


@codecs
def test_a_client_ignores_what_it_does_not_know(codec: Codec) -> None:
    assert codec.decode_server(written(codec, {"t": "fireworks", "rockets": 3})) is None
    assert codec.decode_server(written(codec, {"t": "ok", "id": 1, "seq": 2, "later": [1.5]})) == Ok(1, seq=2)


@codecs
@pytest.mark.parametrize("frame", [[], {"t": "ok"}, {"t": "error", "id": "1"}, {"t": "patch", "room": "R"}])
def test_a_client_refuses_what_no_server_of_this_version_sends(codec: Codec, frame: Any) -> None:
    with pytest.raises(ProtocolError):
        codec.decode_server(written(codec, frame))


@codecs
def test_the_limit_is_the_callers(codec: Codec) -> None:
    payload = codec.encode_request(Act(1, "R", {"type": "x" * FRAME_BYTES}, 1))
    with pytest.raises(ProtocolError) as caught:
        codec.decode(payload)
    assert caught.value.code is Code.TOO_LARGE
    assert codec.decode(payload, limit=len(payload)).id == 1


@codecs
@given(payload=st.binary(max_size=200))
def test_rubbish_is_refused_and_nothing_else_happens(codec: Codec, payload: bytes) -> None:
    with pytest.raises(ProtocolError):
        codec.decode(payload)


@codecs
@given(data=st.data())
def test_a_damaged_frame_is_read_or_refused(codec: Codec, data: st.DataObject) -> None:
    payload = bytearray(codec.encode_request(data.draw(st.sampled_from(list(CLIENT.values())))))
    for place, byte in data.draw(
        st.lists(st.tuples(st.integers(0, len(payload) - 1), st.integers(0, 255)), max_size=3)
    ):
        payload[place] = byte
    del payload[data.draw(st.integers(0, len(payload))) :]
    with suppress(ProtocolError):
        message = codec.decode(bytes(payload))
        assert read(codec, codec.encode_request(message)).keys() <= read(codec, bytes(payload)).keys()


SECRET = "s3cret"


@codecs
@pytest.mark.parametrize(
    "frame",
    [
        {"t": SECRET, "id": 1},
        {"t": "ping", "id": SECRET},
        {"t": "ping", "id": 1, "time": {SECRET: SECRET}},
        {"t": "ping", "id": 1, f"`{SECRET}`": 1},
        {"t": "ping", "id": 1, f"{SECRET} - at `$.x`": 1},
        {"t": "ping", "id": 1, SECRET * 4: 1},
        {"t": "act", "id": 1, "room": "R", "seq": 1, "action": {SECRET * 4: 1.5}},
        {"t": "join", "id": 1, "room": SECRET * 11},
        {"t": "join", "id": 1, "room": "R", "since": {"seq": 1, "tag": SECRET}},
        {"t": "resign", "id": 1, "room": "R", "key": SECRET + "\n"},
        {"t": "check", "id": 1, "room": "R", "seq": 1, "digest": SECRET},
        {"t": "act", "id": 1, "room": "R", "seq": 1, "action": SECRET},
        {"t": "act", "id": 1, "room": "R", "seq": 1, "action": {"a": [SECRET, 1.5]}},
        {"t": "act", "id": 1, "room": "R", "seq": 1, "action": {f"{SECRET}\n": 1.5}},
    ],
)
def test_a_refusal_never_repeats_what_the_client_sent(codec: Codec, frame: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError) as caught:
        codec.decode(written(codec, frame))
    assert SECRET not in str(caught.value)
    assert SECRET not in (caught.value.room or "")


BOMBS = {
    "empty maps": (JSON, b"[" + b"{}," * 5000 + b"{}]"),
    "empty arrays, nested": (JSON, b"[" * 16000),
    "brackets in a string": (JSON, b'{"t":"ping","id":1,"x":"' + b"[" * 16000 + b'"}'),
    "packed empty maps": (MSGPACK, b"\xdc\x3e\x80" + b"\x80" * 16000),
    "packed arrays, nested": (MSGPACK, b"\x91" * 16000),
    "billions announced": (MSGPACK, b"\xdd\xff\xff\xff\xff" * 3000),
    "many maps that announce what is there": (MSGPACK, b"\xde\x10\x00\xa0" * 4000),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_little_memory(name: str) -> None:
    codec, payload = BOMBS[name]
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError):
            codec.decode(payload)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 16 * FRAME_BYTES


def test_errors_go_out_in_both_codecs() -> None:
    for codec in (JSON, MSGPACK):
        for message in SERVER.values():
            if isinstance(message, Error):
                assert codec.decode_server(codec.encode(message)) == message
