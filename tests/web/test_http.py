"""HTTP connections that are there to be a burden, against a real process: each is bounded, and nothing is logged."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpx
import pytest

from tests.processes import PATIENCE, ServerProcess, serving, serving_well
from tests.web.raw import HANDSHAKE, RawSocket, connected, raw

GET = b"GET /healthz HTTP/1.1\r\nHost: pharos.test\r\n\r\n"
BIG = b"GET /openapi.json HTTP/1.1\r\nHost: pharos.test\r\n\r\n"
CALL_WITHIN = 1500
BOUNDS = {
    "PHAROS_CALL_WITHIN": str(CALL_WITHIN),
    "PHAROS_LIMIT_LOOPBACK": "1",
    "PHAROS_HTTP_CONNECTIONS": "6",
    "PHAROS_CALLS_PER_SECOND": "1",
    "PHAROS_CALLS_BURST": "1000",
    "PHAROS_BOT_KEY": "the-key",
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving_well(BOUNDS, module="tests.web.echo_server") as process:
        yield process


@asynccontextmanager
async def answered(server: ServerProcess, call: bytes = GET) -> AsyncIterator[RawSocket]:
    """A connection on which a call was answered."""
    async with raw(server.port) as socket:
        socket.send(call)
        assert (await socket.reply()).status == 200
        yield socket


async def cut(socket: RawSocket) -> None:
    """Until the server cuts the connection, with whatever it still says."""
    async with asyncio.timeout(PATIENCE):
        try:
            await socket.reader.read()
        except ConnectionError:
            return


async def test_line_breaks_after_a_call_keep_no_connection(server: ServerProcess) -> None:
    async with answered(server) as socket:
        socket.send(b"\r\n")
        await cut(socket)


async def test_a_body_that_nobody_asked_for_and_never_ends_keeps_no_connection(server: ServerProcess) -> None:
    async with answered(server, GET[:-2] + b"Content-Length: 1000\r\n\r\n") as socket:
        socket.send(b"x")
        await cut(socket)


async def test_whoever_reads_no_answer_is_cut(server: ServerProcess) -> None:
    async with raw(server.port, buffer=1024, kernel=4096) as socket:
        async with asyncio.timeout(PATIENCE):
            while not socket.writer.is_closing():
                socket.send(BIG)
                with suppress(ConnectionError):
                    await socket.writer.drain()
                await asyncio.sleep(0.01)


async def test_calls_that_come_one_after_the_other_keep_their_connection(server: ServerProcess) -> None:
    loop = asyncio.get_running_loop()
    async with answered(server) as socket:
        ends = loop.time() + 2 * CALL_WITHIN / 1000
        while loop.time() < ends:
            await asyncio.sleep(0.1)
            socket.send(GET)
            assert (await socket.reply()).status == 200


async def test_some_calls_may_be_sent_at_once_and_not_hundreds(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        socket.send(GET * 10)
        assert [(await socket.reply()).status for _ in range(10)] == [200] * 10
        socket.send(GET * 200)
        async with asyncio.timeout(PATIENCE):
            told = await socket.reader.read()
        assert told.count(b"HTTP/1.1 ") <= 20
        assert b"HTTP/1.1 400 " in told


async def test_a_websocket_does_not_begin_while_a_call_is_answered(server: ServerProcess) -> None:
    poll = b"GET /api/bots?wait=20 HTTP/1.1\r\nHost: pharos.test\r\nAuthorization: Bearer the-key\r\n\r\n"
    upgrade = "\r\n".join(["GET /ws HTTP/1.1", *(f"{name}: {value}" for name, value in HANDSHAKE.items()), "", ""])
    async with raw(server.port) as socket:
        socket.send(poll + upgrade.encode())
        assert (await socket.reply()).status == 400
        assert await socket.ended()


@pytest.mark.parametrize(
    "first",
    ["POST /ws HTTP/1.1", "GET /ws HTTP/1.0", "GET /ws HTTP/1.1\r\nContent-Length: 0"],
)
async def test_what_can_not_become_a_websocket_is_told_so(server: ServerProcess, first: str) -> None:
    asked = "\r\n".join([first, *(f"{name}: {value}" for name, value in HANDSHAKE.items()), "", ""])
    async with raw(server.port) as socket:
        socket.send(asked.encode())
        assert (await socket.reply()).status == 400
        assert await socket.ended()


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\n" + b"a:b\r\n" * 4000,
        b"GET /healthz HTTP/1.1\r\nx: " + b"y" * 17_000 + b"\r\n",
        b"GET /healthz?" + b"a&" * 9000 + b" HTTP/1.1\r\n",
    ],
    ids=["headers", "header", "url"],
)
async def test_a_long_head_is_refused_though_it_comes_at_once(server: ServerProcess, head: bytes) -> None:
    async with raw(server.port) as socket:
        socket.send(head + b"\r\n")
        refused = await socket.reply()
        assert (refused.status, json.loads(refused.body)["error"]["code"]) == (431, "too_large")
        assert await socket.ended()


async def test_a_long_query_is_not_taken_apart(server: ServerProcess) -> None:
    async with httpx.AsyncClient(base_url=server.url) as http:
        refused = await http.get("/api/rooms?" + "game&" * 300)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "bad_message")
    assert "1024" in refused.json()["error"]["message"]


async def test_a_peer_has_so_many_connections(server: ServerProcess) -> None:
    async with AsyncExitStack() as stack:
        sockets = [await stack.enter_async_context(connected(server.port)) for _ in range(4)]
        for _ in range(6):  # those that became WebSockets do not count as calls any more
            await stack.enter_async_context(answered(server))
        async with raw(server.port) as seventh:
            refused = await seventh.reply()
            assert await seventh.ended()
        assert (refused.status, json.loads(refused.body)["error"]["code"]) == (429, "rate_limited")
        assert refused.headers["retry-after"] == "10"
        assert len(sockets) == 4
    async with asyncio.timeout(PATIENCE):
        while True:
            async with raw(server.port) as again:
                again.send(GET)
                if (await again.reply()).status == 200:
                    return


async def test_a_flood_of_calls_is_refused_with_a_time_to_wait() -> None:
    with serving({**BOUNDS, "PHAROS_CALLS_BURST": "5"}, module="tests.web.echo_server") as process:
        async with httpx.AsyncClient(base_url=process.url) as http:
            answers = await until_refused(http, "/api/rooms")
            assert len(answers) > 5
            assert answers[-1].status_code == 429
            error = answers[-1].json()["error"]
            assert error["code"] == "rate_limited"
            assert 0 < error["retry_after"] <= 1000
            assert answers[-1].headers["Retry-After"] == "1"
            await until_refused(http, "/openapi.json")
            assert [(await http.get(path)).status_code for path in ("/healthz", "/readyz")] == [200, 200]
        async with asyncio.timeout(PATIENCE):
            while True:
                async with raw(process.port) as socket:
                    if (refused := await socket.handshake()).status != 101:
                        break
        assert (refused.status, json.loads(refused.body)["error"]["code"]) == (429, "rate_limited")


async def until_refused(http: httpx.AsyncClient, path: str) -> list[httpx.Response]:
    """Call until there is one call too many: all answers. Who is slow may make one more each second."""
    answers = [await http.get(path)]
    async with asyncio.timeout(PATIENCE):
        while answers[-1].status_code == 200:
            answers.append(await http.get(path))
    return answers
