"""JSON: depth and number of values are counted without parsing, and bodies of HTTP calls go by the same rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import checks
from protocol.codec import JSON, read_body
from protocol.codes import Code, EncodingProtocolError, ProtocolError, SyntaxProtocolError
from protocol.json_codec import _check_structure
from protocol.messages import CreateRoom, TakeSeat
from tests.protocol.strategies import scalars, values

awkward = st.text('"\\[]{},: a', max_size=6)


def depth_of(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def count_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(count_of, inner))


def refusal(payload: bytes) -> str | None:
    try:
        _check_structure(payload)
    except ProtocolError as error:
        return error.message
    return None


@given(value=values(st.one_of(scalars, awkward), awkward), wrapped=st.integers(0, 20), spaced=st.booleans())
def test_depth_is_counted_past_strings(value: Any, wrapped: int, spaced: bool) -> None:
    for _ in range(wrapped):
        value = [value]
    payload = json.dumps(value, indent=1 if spaced else None).encode()
    expected = checks.depth_error().message if depth_of(value) > checks.DEPTH else None
    assert refusal(payload) == expected


@given(value=values(st.one_of(scalars, awkward), awkward), spaced=st.booleans(), short=st.integers(-1, 1))
def test_values_are_counted_past_strings(value: Any, spaced: bool, short: int) -> None:
    room_left = checks.VALUES - count_of(value) - 1
    payload = json.dumps([value, *["[,]"] * (room_left + short)], indent=1 if spaced else None).encode()
    assert refusal(payload) == (checks.count_error().message if short > 0 else None)


@pytest.mark.parametrize(("levels", "accepted"), [(15, True), (16, False)])
def test_the_depth_of_a_whole_frame(levels: int, accepted: bool) -> None:
    payload = b'{"t":"act","id":1,"room":"R","seq":1,"action":' + b'{"x":' * levels + b"0" + b"}" * levels + b"}"
    if accepted:
        assert JSON.decode(payload).id == 1
    else:
        with pytest.raises(ProtocolError, match="nested deeper than 16"):
            JSON.decode(payload)


def test_many_brackets_in_a_string_are_no_depth() -> None:
    message = JSON.decode(json.dumps({"t": "chat", "id": 1, "room": "R", "text": '\\"[{' * 100}).encode())
    assert message.id == 1


def test_a_body_is_typed() -> None:
    body = read_body(b'{"game":"islet","seats":2,"options":{"clock":null}}', CreateRoom)
    assert body == CreateRoom("islet", 2, options={"clock": None})


@pytest.mark.parametrize(
    ("kind", "payload", "error", "message"),
    [
        (CreateRoom, b'{"game":"islet"}', ProtocolError, "seats: required, and not there"),
        (CreateRoom, b'{"game":"islet","seats":2,"kind":"cat"}', ProtocolError, "kind: not a value that the protocol"),
        (CreateRoom, b'{"game":"islet","seats":2,"options":{"a":[0.5]}}', ProtocolError, "options.a: not an integer"),
        (CreateRoom, b'{"game":"islet","seats":2.0}', ProtocolError, "seats: not an integer"),
        (CreateRoom, b"[]", ProtocolError, "a body is a map"),
        (CreateRoom, b"", SyntaxProtocolError, "not JSON"),
        (CreateRoom, b'"\xff"', EncodingProtocolError, "not UTF-8 at byte 1"),
        (TakeSeat, b'{"entropy":"00"}', ProtocolError, "entropy: expected 32 bytes in hex"),
        (TakeSeat, b'{"token":"short"}', ProtocolError, "token: expected 128 random bits in base64url"),
        (TakeSeat, b'{"seat":null}', ProtocolError, "seat: expected int, got null"),
    ],
)
def test_a_bad_body_is_refused(kind: type[Any], payload: bytes, error: type[ProtocolError], message: str) -> None:
    with pytest.raises(error) as caught:
        read_body(payload, kind)
    assert (type(caught.value), caught.value.code) == (error, Code.BAD_MESSAGE)
    assert caught.value.message.startswith(message)


def test_a_large_body_is_too_large() -> None:
    with pytest.raises(ProtocolError) as caught:
        read_body(b" " * 101, CreateRoom, limit=100)
    assert caught.value.code is Code.TOO_LARGE
