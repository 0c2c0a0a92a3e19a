"""The WebSocket endpoint of a real process: handshakes, frames good and hostile, closes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import msgpack
import pytest
import websockets
from websockets.typing import Subprotocol

from tests.processes import ServerProcess, serving_well
from tests.web.raw import BINARY, CLOSE, CONT, PING, PONG, TEXT, connected, frame, raw


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving_well(module="tests.web.echo_server") as process:
        yield process
    assert "a-secret" not in process.text()


async def test_a_client_of_a_library_gets_along(server: ServerProcess) -> None:
    async with websockets.connect(server.ws, subprotocols=[Subprotocol("pharos.v1+json")]) as client:
        assert client.subprotocol == "pharos.v1+json"
        assert json.loads(await client.recv())["t"] == "welcome"
        await client.send('{"t":"join","id":1,"room":"R1","token":"x"}')
        assert json.loads(await client.recv())["t"] == "ok"
        assert json.loads(await client.recv())["t"] == "snapshot"
        await (await client.ping())
    assert client.close_code == 1000


async def test_messagepack_is_spoken_in_binary_frames(server: ServerProcess) -> None:
    async with websockets.connect(server.ws, subprotocols=[Subprotocol("pharos.v1+msgpack")]) as client:
        welcome = await client.recv()
        assert isinstance(welcome, bytes)
        assert msgpack.unpackb(welcome)["codec"] == "msgpack"
        await client.send(msgpack.packb({"t": "ping", "id": 1}))
        assert msgpack.unpackb(await client.recv())["t"] == "ok"


async def test_the_first_subprotocol_that_is_spoken_is_chosen(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(headers={"Sec-WebSocket-Protocol": "other, pharos.v1+msgpack, pharos.v1+json"})
        assert reply.headers["sec-websocket-protocol"] == "pharos.v1+msgpack"


async def test_without_a_subprotocol_json_is_spoken(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake()
        assert "sec-websocket-protocol" not in reply.headers
        assert (await socket.hear())["codec"] == "json"


async def test_unknown_subprotocols_only_are_told_and_closed(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(headers={"Sec-WebSocket-Protocol": "pharos.v2+json"})
        assert reply.status == 101
        assert "sec-websocket-protocol" not in reply.headers
        error = await socket.hear()
        assert (error["t"], error["id"], error["code"]) == ("error", None, "unsupported_protocol")
        assert await socket.closed() == 4000


async def test_compression_is_never_agreed_on(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(
            headers={"Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"}
        )
        assert reply.status == 101
        assert "sec-websocket-extensions" not in reply.headers
        socket.send(frame(TEXT, b"\xaaV*Q\xb2R*", rsv=4))
        assert await socket.closed() == 1002


@pytest.mark.parametrize("path", ["/", "/WS", "/ws/", "/api/rooms", "/ws%2f", "//ws"])
async def test_other_paths_are_not_there(server: ServerProcess, path: str) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(path)
        assert reply.status == 404
        assert json.loads(reply.body)["error"]["code"] == "not_found"
        assert await socket.ended()


async def test_a_query_is_ignored_and_never_logged(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        assert (await socket.handshake("/ws?token=a-secret")).status == 101


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-WebSocket-Key": "short"}, 400),
        ({"Sec-WebSocket-Key": ""}, 400),
        ({"Sec-WebSocket-Version": "12"}, 400),
        ({"Sec-WebSocket-Protocol": "a b;;,"}, 400),
    ],
)
async def test_a_broken_handshake_is_refused(server: ServerProcess, headers: dict[str, str], status: int) -> None:
    async with raw(server.port) as socket:
        assert (await socket.handshake(headers=headers)).status == status


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:1"])
async def test_pages_of_foreign_origins_are_refused(server: ServerProcess, origin: str) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(headers={"Origin": origin})
        assert reply.status == 403
        assert json.loads(reply.body)["error"]["code"] == "forbidden"


async def test_two_origins_are_refused(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        own = f"http://127.0.0.1:{server.port}"
        assert (await socket.handshake(headers={"Origin": f"{own}\nOrigin: {own}"})).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
async def test_its_own_pages_may_connect(server: ServerProcess, host: str) -> None:
    async with raw(server.port) as socket:
        assert (await socket.handshake(headers={"Origin": f"http://{host}:{server.port}"})).status == 101


HOSTILE = {
    "a binary frame on a text connection": (frame(BINARY, b"{}"), 1003),
    "text that is not UTF-8": (frame(TEXT, b'{"t":"\xff"}'), 1007),
    "text that is not UTF-8, cut": (frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"("), 1007),
    "a frame beyond the limit": (frame(TEXT, b" " * 16_385), 1009),
    "a frame that announces far more": (b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 1009),
    "fragments beyond the limit": (frame(TEXT, b" " * 9000, fin=False) + frame(CONT, b" " * 9000), 1009),
    "fragments without end": (frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 100, 1009),
    "three syntax errors": (frame(TEXT, b"{") * 3, 1007),
    "an unmasked frame": (frame(TEXT, b"{}", masked=False), 1002),
    "a reserved bit": (frame(TEXT, b"{}", rsv=1), 1002),
    "a reserved opcode": (frame(5, b"{}"), 1002),
    "a continuation of nothing": (frame(CONT, b"{}"), 1002),
    "a message within a message": (frame(TEXT, b"{", fin=False) + frame(TEXT, b"}"), 1002),
    "a fragmented ping": (frame(PING, b"", fin=False), 1002),
    "a long ping": (frame(PING, b"x" * 126), 1002),
    "a close frame with half a code": (frame(CLOSE, b"\x03"), 1002),
    "a close frame with a reserved code": (frame(CLOSE, b"\x03\xed"), 1002),
    "a close frame whose reason is not UTF-8": (frame(CLOSE, b"\x03\xe8\xff"), 1007),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("split", [False, True])
async def test_hostile_frames_close_with_the_right_code(server: ServerProcess, name: str, split: bool) -> None:
    data, code = HOSTILE[name]
    async with connected(server.port) as socket:
        if split:
            socket.send(data[:1])
            await socket.writer.drain()
            await asyncio.sleep(0)
        socket.send(data[1:] if split else data)
        assert await socket.closed() == code
        socket.writer.write_eof()
        assert await socket.ended()


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_came_before_a_hostile_frame_is_still_answered(server: ServerProcess, name: str) -> None:
    data, code = HOSTILE[name]
    async with connected(server.port) as socket:
        socket.send(frame(TEXT, b'{"t":"ping","id":5}') + data)
        assert (await socket.hear())["id"] == 5
        assert await socket.closed() == code


async def test_pings_are_answered_also_amid_a_message(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        socket.send(frame(TEXT, b'{"t":"ping",', fin=False) + frame(PING, b"beep") + frame(CONT, b'"id":1}'))
        answers = dict([await socket.frame(), await socket.frame()])
        assert answers[PONG] == b"beep"
        assert json.loads(answers[TEXT])["id"] == 1


async def test_a_pong_does_not_wait_for_what_came_after_its_ping(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        socket.send(frame(PING, b"beep") + frame(TEXT, b'{"t":"ping","id":1}'))
        assert await socket.frame() == (PONG, b"beep")
        assert (await socket.hear())["id"] == 1


async def test_what_was_asked_before_the_close_is_answered_before_it(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        socket.send(frame(TEXT, b'{"t":"ping","id":1}') + frame(CLOSE, b"\x03\xe8"))
        assert (await socket.hear())["id"] == 1
        assert await socket.closed() == 1000


async def test_a_close_is_answered_with_its_code_and_the_connection_ends(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        socket.send(frame(CLOSE, (1000).to_bytes(2, "big")))
        assert await socket.closed() == 1000
        assert await socket.ended()


async def test_whoever_vanishes_is_detached(server: ServerProcess) -> None:
    async with connected(server.port) as watcher:
        await watcher.join("VANISH")
        async with connected(server.port) as socket:
            await socket.join("VANISH")
        watcher.say(t="act", id=1, room="VANISH", seq=0, action={"type": "pass"})
        assert (await watcher.until("ok"))["id"] == 1


async def test_everybody_gets_the_same_bytes_and_the_actor_its_reply_after_them(server: ServerProcess) -> None:
    async with connected(server.port) as actor, connected(server.port) as other:
        await actor.join("SAME")
        await other.join("SAME")
        actor.say(t="act", id=7, room="SAME", seq=0, action={"type": "pass"})
        patch = await actor.frame()
        assert patch == await other.frame()
        assert json.loads(patch[1])["t"] == "patch"
        assert (await actor.hear())["id"] == 7


async def test_requests_may_be_pipelined_and_cut_anywhere(server: ServerProcess) -> None:
    data = b"".join(frame(TEXT, b'{"t":"ping","id":%d}' % number) for number in range(60))
    async with connected(server.port) as socket:
        for start in range(0, len(data), 7):
            socket.send(data[start : start + 7])
            await socket.writer.drain()
        assert [(await socket.hear())["id"] for _ in range(60)] == list(range(60))


async def test_a_burst_beyond_the_credits_is_refused_and_nobody_else_waits(server: ServerProcess) -> None:
    async with connected(server.port) as loud, connected(server.port) as quiet:
        loud.send(frame(PING) * 20_000 + frame(TEXT, b'{"t":"ping","id":1}'))
        for number in range(10):
            quiet.say(t="ping", id=number)
            assert (await quiet.hear())["id"] == number
