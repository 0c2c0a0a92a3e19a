"""The load's WebSocket: frames however the stream is cut, and what it sends, read by the server's own parser."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.server import ServerConnection, serve

from bench.wire import BINARY, PONG, TEXT, Wire, masked
from server.web.frames import Assembly, Framing


class Listening(Wire):
    """Keeps what it hears."""

    def __init__(self) -> None:
        super().__init__("/ws")
        self.heard: list[bytes] = []

    def received(self, payload: bytes) -> None:
        self.heard.append(payload)


class Written(asyncio.Transport):
    """A transport that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.data: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.data.append(bytes(data))

    def abort(self) -> None:
        self.data.append(b"aborted")


ACCEPTED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
PAYLOADS = [b"", b"a", b"b" * 125, b"c" * 126, b"d" * 65535, b"e" * 65536]


async def _opened() -> tuple[Listening, Written]:
    wire, transport = Listening(), Written()
    wire.connection_made(transport)
    return wire, transport


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 4096, 10**6])
async def test_frames_are_found_however_the_stream_is_cut(piece: int) -> None:
    wire, _ = await _opened()
    framing = Framing(binary=False)
    stream = ACCEPTED + b"".join(map(framing.frame, PAYLOADS if piece > 7 else PAYLOADS[:4]))
    for at in range(0, len(stream), piece):
        wire.data_received(stream[at : at + piece])
    assert wire.heard == (PAYLOADS if piece > 7 else PAYLOADS[:4])


async def test_pings_are_answered_and_the_close_code_is_kept() -> None:
    wire, transport = await _opened()
    wire.data_received(ACCEPTED + b"\x89\x00" + b"\x88\x02" + (4001).to_bytes(2, "big"))
    assert transport.data[1:] == [PONG]
    assert wire.ended == "closed: 4001"


async def test_a_refused_upgrade_ends_the_connection() -> None:
    wire, transport = await _opened()
    wire.data_received(b"HTTP/1.1 403 Forbidden\r\n\r\n")
    assert wire.ended is not None
    assert wire.ended.startswith("refused: ")
    assert transport.data[-1] == b"aborted"


@pytest.mark.parametrize("length", [0, 1, 125, 126, 4096, 16384])
@pytest.mark.parametrize("first", [TEXT, BINARY])
def test_what_is_sent_is_one_whole_message_to_the_server(first: int, length: int) -> None:
    payload = b"x" * length
    assert Assembly(16384, binary=first == BINARY).whole(masked(first, payload)) == payload


async def test_another_library_understands_the_handshake_and_the_frames() -> None:
    async def repeat(connection: ServerConnection) -> None:
        async for message in connection:
            await connection.send(message)

    class Asking(Listening):
        def opened(self) -> None:
            self.send(b"hello" * 100)

        def received(self, payload: bytes) -> None:
            super().received(payload)
            self.joined.set()

    async with serve(repeat, "127.0.0.1", 0, compression=None) as server:
        port = server.sockets[0].getsockname()[1]
        wire = Asking()
        await asyncio.get_running_loop().create_connection(lambda: wire, "127.0.0.1", port)
        async with asyncio.timeout(20):
            await wire.joined.wait()
        wire.close()
    assert wire.heard == [b"hello" * 100]
