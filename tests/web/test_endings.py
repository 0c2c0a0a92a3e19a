"""Connections that a real process ends, or bounds: the dead, the idle, the stuck, the flooding, the too many."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import psutil
import pytest

from tests.processes import ServerProcess, serving_well
from tests.web.raw import PING, TEXT, RawSocket, admitted, connected, frame, raw

HASTY = {
    "PHAROS_PING_EVERY": "200",
    "PHAROS_DEAD_AFTER": "2000",
    "PHAROS_JOIN_WITHIN": "2500",
    "PHAROS_STUCK_AFTER": "3000",
    "PHAROS_FLOOD_AFTER": "600",
    "PHAROS_CLOSE_WITHIN": "400",
    "PHAROS_SEND_BUFFER": "65536",
    "PHAROS_OUTBOX_BYTES": "65536",
    "PHAROS_LIMIT_LOOPBACK": "1",
    "PHAROS_CONNECTIONS": "3",
    "PHAROS_FAILED_LOOKUPS": "2",
    "PHAROS_TRUSTED_PROXIES": "127.0.0.1",
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving_well(HASTY, module="tests.web.echo_server") as process:
        yield process


@pytest.fixture
def small() -> Iterator[ServerProcess]:
    """A server for two connections."""
    with serving_well({"PHAROS_MAX_CONNECTIONS": "2"}, module="tests.web.echo_server") as process:
        yield process


def metric(server: ServerProcess, name: str) -> float:
    """A figure of `/metrics`, labels included in the name."""
    lines = server.get("/metrics")[1].decode().splitlines()
    return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} ")), 0.0)


async def test_the_server_pings_and_who_answers_lives(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        await socket.join("PINGED")
        for _ in range(15):  # longer than the dead live
            opcode, payload = await socket.frame()
            assert opcode == PING
            socket.send(frame(10, payload))
        socket.say(t="ping", id=1)
        assert (await socket.hear())["id"] == 1


async def test_who_answers_nothing_is_dead(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        await socket.join("DEAD")
        assert await socket.closed() == 4002
        assert await socket.ended()


async def test_who_joins_no_room_is_closed(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        codes = []
        while not codes:
            opcode, payload = await socket.frame()
            if opcode == PING:
                socket.send(frame(10, payload))
            elif opcode == 8:
                codes.append(int.from_bytes(payload[:2], "big"))
        assert codes == [4003]


async def test_who_does_not_close_is_cut(server: ServerProcess) -> None:
    async with connected(server.port) as socket:
        socket.send(frame(TEXT, b"{") * 3)
        assert await socket.closed(answer=False) == 1007
        assert await socket.ended()


async def flood(socket: RawSocket) -> None:
    """Ask for far more than there are credits for, for as long as the connection lasts."""
    try:
        while True:
            socket.send(frame(TEXT, b'{"t":"ping","id":1}') * 50)
            await socket.writer.drain()
    except ConnectionError:
        pass


async def test_a_flood_is_closed_and_nobody_else_notices(server: ServerProcess) -> None:
    async with connected(server.port) as loud, connected(server.port) as quiet:
        await loud.join("FLOOD")
        await quiet.join("FLOOD")
        flooding = asyncio.create_task(flood(loud))
        ending = asyncio.create_task(loud.closed())
        number = 0
        while not ending.done():
            number += 1
            quiet.say(t="ping", id=number)
            while (answer := await quiet.hear())["t"] != "ok":
                pass
            assert answer["id"] == number
            await asyncio.sleep(0.05)
        assert await ending == 1008
        flooding.cancel()
        await asyncio.gather(flooding, return_exceptions=True)


async def act(socket: RawSocket, room: str, size: int, number: int) -> None:
    """Make a patch of about this size, and wait until it is acknowledged."""
    socket.say(t="act", id=number, room=room, seq=0, action={"type": "big", "bytes": size})
    while (answer := await socket.hear()).get("id") != number:
        assert answer["t"] == "patch"


async def test_a_slow_reader_gets_a_snapshot_in_place_of_what_it_missed(server: ServerProcess) -> None:
    before = metric(server, "pharos_outbox_conflations_total")
    async with connected(server.port) as actor, raw(server.port, buffer=4096) as slow:
        await actor.join("SLOW")
        assert (await slow.handshake()).status == 101
        await slow.join("SLOW")
        for number in range(1, 11):  # reads nothing meanwhile
            await act(actor, "SLOW", 200_000, number)
            await asyncio.sleep(0.02)
        seen = 0
        while seen < 10:
            message = await slow.hear()
            if message["t"] == "patch":
                assert message["seq"] == seen + 1, "a gap"
            else:
                assert message["t"] == "snapshot"
                assert message["seq"] > seen
            seen = message["seq"]
    assert metric(server, "pharos_outbox_conflations_total") > before


async def test_who_takes_nothing_for_long_is_closed_and_holds_no_memory(server: ServerProcess) -> None:
    process = psutil.Process(server.process.pid)
    stuck_before = metric(server, 'pharos_connections_closed_total{code="4001"}')
    async with connected(server.port) as actor, raw(server.port, buffer=4096) as stuck:
        await actor.join("STUCK")
        assert (await stuck.handshake()).status == 101
        await stuck.join("STUCK")
        for number in range(1, 11):
            await act(actor, "STUCK", 200_000, number)
        before = process.memory_info().rss
        number = 10
        while metric(server, 'pharos_connections_closed_total{code="4001"}') == stuck_before:
            number += 1
            await act(actor, "STUCK", 200_000, number)
            await asyncio.sleep(0.02)
        assert process.memory_info().rss - before < 20_000_000
        while metric(server, "pharos_connections") > 1:
            actor.say(t="ping", id=0)
            await actor.hear()


async def test_too_many_connections_of_an_address_are_refused(server: ServerProcess) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.1"}
    async with connected(server.port, forwarded), connected(server.port, forwarded), connected(server.port, forwarded):
        async with raw(server.port) as fourth:
            reply = await fourth.handshake(headers=forwarded)
            assert reply.status == 429
            assert json.loads(reply.body)["error"]["code"] == "rate_limited"
            assert int(reply.headers["retry-after"]) > 0
        async with connected(server.port, {"X-Forwarded-For": "203.0.113.1, 203.0.113.2"}):
            pass
    await admitted(server.port, forwarded)


async def test_more_connections_than_a_server_may_have_are_refused_until_one_closes(small: ServerProcess) -> None:
    async with connected(small.port), connected(small.port), raw(small.port) as third:
        reply = await third.handshake()
        assert reply.status == 503
        assert json.loads(reply.body)["error"]["code"] == "unavailable"
        assert int(reply.headers["retry-after"]) > 0
        assert metric(small, 'pharos_requests_refused_total{code="unavailable"}') == 1
    await admitted(small.port, {})


async def test_failed_lookups_of_an_address_count_over_its_connections(server: ServerProcess) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.3"}
    codes = []
    for _ in range(3):
        async with connected(server.port, forwarded) as socket:
            socket.say(t="join", id=1, room="NOWHERE")
            codes.append((await socket.until("error"))["code"])
    assert codes == ["unknown_room", "unknown_room", "rate_limited"]
