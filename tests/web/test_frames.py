"""Messages out of frames: the parser's way and the short way must agree."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

from protocol.codes import Close
from server.web.frames import FRAGMENTS, Assembly, BadFrame

MOST = 300


def masked(opcode: Opcode, payload: bytes, *, fin: bool = True) -> bytes:
    return Frame(opcode, payload, fin).serialize(mask=True)


def parsed(data: bytes, *, binary: bool) -> list[bytes | Close]:
    """What comes out of the data by way of the parser."""
    core = ServerProtocol(state=State.OPEN, max_size=MOST, extensions=None)
    core.receive_data(data)
    assembly = Assembly(MOST, binary=binary)
    out: list[bytes | Close] = []
    for frame in core.events_received():
        assert isinstance(frame, Frame)
        try:
            message = assembly.add(frame)
        except BadFrame as bad:
            return [*out, bad.close]
        if message is not None:
            out.append(message)
    if core.close_sent is not None:
        out.append(Close(core.close_sent.code))
    return out


@given(st.binary(max_size=MOST + 50), st.booleans(), st.booleans())
def test_the_short_way_says_what_the_parser_says(payload: bytes, frame_binary: bool, connection_binary: bool) -> None:
    data = masked(Opcode.BINARY if frame_binary else Opcode.TEXT, payload)
    found = parsed(data, binary=connection_binary)
    try:
        short: bytes | Close | None = Assembly(MOST, binary=connection_binary).whole(data)
    except BadFrame as bad:
        short = bad.close
    if short is not None:
        assert found == [short]
    else:
        assert frame_binary is not connection_binary or len(payload) > MOST


@given(st.binary(max_size=60))
def test_the_short_way_takes_nothing_that_is_not_one_whole_message(data: bytes) -> None:
    try:
        short = Assembly(MOST, binary=True).whole(data)
    except BadFrame:
        pytest.fail("binary messages are not text")
    if short is not None:
        assert parsed(data, binary=True) == [short]


NOT_WHOLE = {
    "a fragment": masked(Opcode.TEXT, b"{}", fin=False),
    "a continuation": masked(Opcode.CONT, b"{}"),
    "a ping": masked(Opcode.PING, b"{}"),
    "two frames": masked(Opcode.TEXT, b"{}") * 2,
    "less than a frame": masked(Opcode.TEXT, b"{}")[:-1],
    "no mask": Frame(Opcode.TEXT, b"{}").serialize(mask=False),
    "a reserved bit": b"\xc1" + masked(Opcode.TEXT, b"{}")[1:],
    "nothing": b"",
}


@pytest.mark.parametrize("name", NOT_WHOLE)
def test_everything_else_goes_to_the_parser(name: str) -> None:
    assert Assembly(MOST, binary=False).whole(NOT_WHOLE[name]) is None


def test_a_whole_frame_amid_fragments_goes_to_the_parser() -> None:
    assembly = Assembly(MOST, binary=False)
    assert assembly.add(Frame(Opcode.TEXT, b"{", False)) is None
    assert assembly.whole(masked(Opcode.TEXT, b"{}")) is None
    assert assembly.add(Frame(Opcode.CONT, b"}")) == b"{}"
    assert assembly.whole(masked(Opcode.TEXT, b"{}")) == b"{}"


@given(st.text(max_size=50), st.lists(st.integers(1, 200), max_size=6))
def test_text_is_checked_as_a_whole_however_it_is_cut(text: str, cuts: list[int]) -> None:
    payload = text.encode()
    bounds = sorted({0, len(payload), *(cut % (len(payload) + 1) for cut in cuts)})
    parts = [payload[a:b] for a, b in itertools.pairwise(bounds)] or [b""]
    data = b"".join(
        masked(Opcode.CONT if at else Opcode.TEXT, part, fin=at == len(parts) - 1) for at, part in enumerate(parts)
    )
    assert parsed(data, binary=False) == [payload]


@pytest.mark.parametrize("payload", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"ok \xf0\x9f"])
def test_text_that_is_not_utf8_is_refused(payload: bytes) -> None:
    cut = masked(Opcode.TEXT, payload[:1], fin=False) + masked(Opcode.CONT, payload[1:])
    assert parsed(cut, binary=False) == [Close.INVALID_TEXT]
    assert parsed(masked(Opcode.TEXT, payload), binary=False) == [Close.INVALID_TEXT]


def test_fragments_are_counted_empty_ones_too() -> None:
    start = masked(Opcode.TEXT, b"", fin=False)
    more = masked(Opcode.CONT, b"", fin=False)
    end = masked(Opcode.CONT, b"{}")
    assert parsed(start + more * (FRAGMENTS - 2) + end, binary=False) == [b"{}"]
    assert parsed(start + more * (FRAGMENTS - 1), binary=False) == [Close.TOO_BIG]


def test_fragments_are_bounded_together() -> None:
    half = bytes(MOST // 2)
    data = masked(Opcode.BINARY, half, fin=False) + masked(Opcode.CONT, half, fin=False) + masked(Opcode.CONT, b"x")
    assert parsed(data, binary=True) == [Close.TOO_BIG]
