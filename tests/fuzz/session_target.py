"""A whole connection, from its bytes to the rules of a real room and back: a reply or a clean close, nothing else.

The first byte of an input chooses the game, the codec, and how the rest is read: as the payloads of a client's frames,
each after its length in two bytes, or as the bytes of the TCP stream. What must hold:

- nothing raises, and nothing is logged as an error;
- every frame gets one reply, with its id where it could be read, until the connection is closed;
- what comes is frames of the protocol, and a close frame with a code of the protocol before the end.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import structlog

from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import Close
from server.settings import PerAddress, Settings, Wire
from server.web.endpoint import Endpoint
from server.web.gate import Gate
from server.web.limits import Limits
from server.web.origins import Origins
from server.web.session import Surroundings
from server.web.socket import Socket
from server.web.traffic import Traffic
from tests.fuzz.rule_hub import GAMES, RuleHub
from tests.web.raw import BINARY, CLOSE, PONG, TEXT, frame

VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"
HANDSHAKE = (
    "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: %s\r\n\r\n"
)
UNLIMITED = PerAddress(connections=10**9, calls_burst=10**9, failed_lookups=10**9)

TURNS = 1000
"""Turns of the loop after which everything must be done."""

CODES = {1000, 1002, *map(int, Close)}
"""What the server may close with: the protocol's codes, and WebSocket's own for what is no WebSocket."""


class Nowhere(asyncio.Transport):
    """A transport to nowhere, which keeps what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": ("192.0.2.1", 5000)})
        self.written = bytearray()
        self.ended = False
        self.aborted = False

    def write(self, data: Any) -> None:
        self.written += data

    def write_eof(self) -> None:
        self.ended = True

    def is_closing(self) -> bool:
        return self.aborted

    def get_write_buffer_size(self) -> int:
        return 0

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def close(self) -> None:
        self.aborted = True

    def abort(self) -> None:
        self.aborted = True


def _raise(_: Any, method: str, event: dict[str, Any]) -> dict[str, Any]:
    assert method in ("debug", "info"), event
    raise structlog.DropEvent


@contextmanager
def silence() -> Iterator[None]:
    """Nothing but what is of no interest may be logged meanwhile."""
    processors = structlog.get_config()["processors"]
    kept = processors.copy()
    processors[:] = [_raise]
    try:
        yield
    finally:
        processors[:] = kept


class World:
    """A server's web side around real rooms, on a loop that is turned by hand."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.hub = RuleHub()
        wire = Wire(credits_per_second=10**6, credits_burst=10**6)
        limits = Limits(UNLIMITED, self.loop.time)
        around = Surroundings(self.hub, wire, Traffic(), Gate())  # type: ignore[arg-type]
        self.endpoint = Endpoint(Settings(wire=wire), around, limits, Origins(()))

    def converse(self, codec: Codec, data: bytes) -> tuple[Nowhere, Sequence[tuple[int, bytes]]]:
        """Send the bytes on a fresh connection; what came back after the handshake."""
        return self.loop.run_until_complete(self._converse(codec, data))

    async def _converse(self, codec: Codec, data: bytes) -> tuple[Nowhere, Sequence[tuple[int, bytes]]]:
        transport = Nowhere()
        socket = Socket(self.endpoint, set())
        socket.connection_made(transport)
        socket.data_received((HANDSHAKE % codec.subprotocol).encode())
        socket.data_received(data)
        for _ in range(TURNS):
            if not (self.endpoint._waiting or self.endpoint._later or socket._backlog):
                break
            await asyncio.sleep(0)
        socket.connection_lost(None)
        written = bytes(transport.written)
        return transport, list(_frames(written[written.index(b"\r\n\r\n") + 4 :]))


def _frames(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The frames of a server, to the last byte."""
    while data:
        assert data[0] & 0xF0 == 0x80
        length, start = data[1], 2
        if length == 126:
            length, start = int.from_bytes(data[2:4], "big"), 4
        elif length == 127:
            length, start = int.from_bytes(data[2:10], "big"), 10
        assert len(data) >= start + length, "half a frame"
        yield data[0] & 0x0F, data[start : start + length]
        data = data[start + length :]


WORLD = World()


def one(data: bytes) -> None:
    """Hold a conversation."""
    if not data:
        return
    choice, rest = data[0], data[1:]
    WORLD.hub.reset(GAMES[choice // 4 % len(GAMES)])
    codec = MSGPACK if choice & 1 else JSON
    opcode = BINARY if codec.binary else TEXT
    payloads = [] if choice & 2 else list(_payloads(rest))
    stream = rest if choice & 2 else b"".join(frame(opcode, payload) for payload in payloads)
    with silence():
        transport, heard = WORLD.converse(codec, stream)
    closed = check(codec, heard, transport)
    if not choice & 2:
        replies = sum(_is_reply(codec, payload) for kind, payload in heard if kind == opcode)
        assert replies == len(payloads) or (closed and replies <= len(payloads)), "a frame without a reply"


def _payloads(data: bytes) -> Iterator[bytes]:
    while len(data) >= 2:
        length = int.from_bytes(data[:2], "big")
        yield data[2 : 2 + length]
        data = data[2 + length :]


def _is_reply(codec: Codec, payload: bytes) -> bool:
    return _decoded(codec, payload)["t"] in ("ok", "error")


def _decoded(codec: Codec, payload: bytes) -> Any:
    return msgspec.msgpack.decode(payload) if codec.binary else json.loads(payload)


def check(codec: Codec, heard: Sequence[tuple[int, bytes]], transport: Nowhere) -> bool:
    """What came is of the protocol; whether the connection was closed."""
    assert not transport.aborted, "a connection was cut"
    for number, (kind, payload) in enumerate(heard):
        if kind == CLOSE:
            assert number == len(heard) - 1, "a frame after the close frame"
            code = int.from_bytes(payload[:2], "big")
            assert not payload or code in CODES or 3000 <= code < 5000 or 1000 <= code <= 1014, code
            return True
        assert kind in (BINARY if codec.binary else TEXT, PONG)
        if kind != PONG:
            assert codec.decode_server(payload) is not None
    assert not transport.ended, "an end without a close frame"
    return False


def _seeds() -> list[bytes]:
    found = [bytes([4 * game + binary]) + stream for game, binary, stream in RuleHub.conversations()]
    for item in json.loads((VECTORS / "client_frames.json").read_text()):
        for binary, payload in enumerate((item["json"].encode(), bytes.fromhex(item["msgpack"]))):
            found.append(bytes([binary]) + len(payload).to_bytes(2, "big") + payload)
            found.append(bytes([binary + 2]) + frame(BINARY if binary else TEXT, payload))
    found.append(b"\x02" + frame(TEXT, b'{"t":"pi', fin=False) + frame(0, b'ng","id":1}') + frame(CLOSE, b"\x03\xe8"))
    return found


SEEDS = _seeds()
