"""The codecs: whatever bytes they get, a typed request comes out that says the same again, or a `ProtocolError`.

The error is of the codes that the protocol has for it, and its text holds nothing of what was sent: its words are the
server's own, or names of fields that are harmless.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from protocol.codec import JSON, MSGPACK, read_body
from protocol.codes import Code, ProtocolError
from protocol.messages import MAX_INT, CreateRoom, FindMatch, OfferSeats, TakeSeat
from protocol.texts import LINE_LENGTH, NAME_LENGTH, clean_line, clean_name

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
BODIES = (CreateRoom, TakeSeat, OfferSeats, FindMatch)
REFUSALS = (Code.BAD_MESSAGE, Code.TOO_LARGE)
PLAIN = re.compile(r"[ -~±]{1,160}")
"""What an error's text may be made of."""


def _seeds() -> list[bytes]:
    frames = json.loads((VECTORS / "client_frames.json").read_text())
    wrong = json.loads((VECTORS / "invalid_frames.json").read_text())
    found = [part for frame in frames for part in (frame["json"].encode(), bytes.fromhex(frame["msgpack"]))]
    found += [bytes.fromhex(item["hex"]) if "hex" in item else item["text"].encode() for item in wrong]
    found += [
        b'{"game":"dragonwood","seats":2,"options":{"clock":{"bank":0,"per_turn":5}},"token":"AAAAAAAAAAAAAAAAAAAAAA"}'
    ]
    return found


SEEDS = _seeds()


def one(data: bytes) -> None:
    """Read the bytes as a frame in both codecs, as a body, as a name, as a line."""
    for codec in (JSON, MSGPACK):
        try:
            request = codec.decode(data)
        except ProtocolError as error:
            check(error)
        else:
            for other in (JSON, MSGPACK):
                assert other.decode(other.encode_request(request)) == request
    try:
        read_body(data, BODIES[len(data) % len(BODIES)])
    except ProtocolError as error:
        check(error)
    text = data.decode(errors="surrogatepass") if _is_text(data) else data.decode("latin-1")
    for clean, most in ((clean_name, 2 * NAME_LENGTH), (clean_line, LINE_LENGTH + 8)):
        try:
            kept = clean(text[:most])
        except ProtocolError as error:
            check(error)
        else:
            assert clean(kept) == kept, "what is kept is not kept as it is"
            assert kept.encode()


def _is_text(data: bytes) -> bool:
    try:
        data.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def check(error: ProtocolError) -> None:
    """The refusal is one that the protocol has."""
    assert error.code in REFUSALS
    assert PLAIN.fullmatch(error.message), "an error's text"
    assert error.id is None or 0 <= error.id <= MAX_INT
    assert error.room is None or len(error.room) <= 64
