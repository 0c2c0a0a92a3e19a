"""The way down of a real process: who is told what, in which order, and how it ends."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Mapping

import httpx
import pytest

from server.web.serving import CanNotListen, listening
from tests.processes import PATIENCE, ServerProcess, serving
from tests.web.raw import connected, raw

MODULE = "tests.web.echo_server"
QUICK = {"PHAROS_SHUTDOWN_WITHIN": "3000", "PHAROS_CLOSE_WITHIN": "1000", "PHAROS_BOT_KEY": "key"}


def echo(environment: Mapping[str, str] | None = None):
    """An echo server."""
    return serving({**QUICK, **(environment or {})}, module=MODULE)


async def ended(server: ServerProcess) -> int:
    """The exit code, waited for without stopping the test's event loop."""
    return await asyncio.to_thread(server.wait)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_every_client_is_told_and_closed_and_the_exit_code_is_0(number: signal.Signals) -> None:
    with echo() as server:
        async with connected(server.port) as first, connected(server.port) as second:
            await first.join("ROOM")
            server.signal(number)
            closings = [await first.until("closing"), await second.until("closing")]
            assert [set(closing) for closing in closings] == [{"t", "reason", "reconnect_after"}] * 2
            assert all(0 <= closing["reconnect_after"] <= 5000 for closing in closings)
            assert [await first.closed(), await second.closed()] == [1001, 1001]
            assert await first.ended()
        assert await ended(server) == 0
        assert [entry["event"] for entry in server.log] == ["serving", "stopping", "stopped"]
        assert server.noise == []


async def test_clients_are_told_to_come_back_at_different_moments() -> None:
    with echo() as server:
        async with asyncio.TaskGroup() as group:

            async def client() -> int:
                async with connected(server.port) as socket:
                    waiting.release()
                    return (await socket.until("closing"))["reconnect_after"]

            waiting = asyncio.Semaphore(0)
            clients = [group.create_task(client()) for _ in range(12)]
            for _ in clients:
                await waiting.acquire()
            server.signal()
        assert len({task.result() for task in clients}) > 6
        assert await ended(server) == 0


async def test_while_it_goes_down_it_is_not_ready_and_takes_nothing_new() -> None:
    with echo({"PHAROS_SHUTDOWN_DELAY": "1500"}) as server:
        async with connected(server.port) as socket, httpx.AsyncClient(base_url=server.url) as http:
            await socket.join("ROOM")
            server.signal()
            await socket.until("closing")
            assert (await http.get("/readyz")).status_code == 503
            assert (await http.get("/healthz")).status_code == 200
            refused = await http.post("/api/rooms", json={"game": "g", "seats": 2})
            assert refused.status_code == 503
            assert refused.json()["error"]["code"] == "draining"
            socket.say(t="act", id=5, room="ROOM", seq=0, action={"type": "pass"})
            assert (await socket.hear())["code"] == "draining"
            async with raw(server.port) as late:
                assert (await late.handshake()).status == 101
                assert [(await late.hear())["t"] for _ in range(2)] == ["welcome", "closing"]
                assert await late.closed() == 1001
            assert await socket.closed() == 1001
        assert await ended(server) == 0


async def test_who_reads_nothing_and_who_never_closes_does_not_hold_it_up() -> None:
    with echo({"PHAROS_SEND_BUFFER": "8192"}) as server:
        async with (
            connected(server.port) as deaf,
            connected(server.port) as actor,
            raw(server.port, buffer=1024) as stuck,
        ):
            await actor.join("ROOM")
            await stuck.handshake()
            await stuck.join("ROOM")
            for number in range(4):
                actor.say(t="act", id=number, room="ROOM", seq=0, action={"type": "big", "bytes": 500_000})
                await actor.until("ok")
            await deaf.join("ROOM")
            server.signal()
            assert await actor.closed() == 1001
            assert await ended(server) == 0
            assert await deaf.closed(answer=False) == 1001


@pytest.mark.parametrize("signals", [1, 2])
async def test_a_thread_that_is_stuck_does_not_hold_it_up(signals: int) -> None:
    within = "3000" if signals == 1 else "600000"
    with serving({**QUICK, "PHAROS_SHUTDOWN_WITHIN": within}, module="tests.web.stuck_server") as server:
        async with connected(server.port) as socket:
            server.signal()
            await socket.until("closing")
            if signals == 2:
                server.signal()
            else:
                assert await socket.closed() == 1001
            assert await ended(server) == 0
        told = server.log[-1]
        assert (told["event"], told["level"]) == ("the time to stop is up", "error")
        assert server.noise == []


async def test_calls_that_wait_are_answered_and_those_that_hang_are_cut() -> None:
    with echo() as server:
        async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as http, raw(server.port) as hanging:
            poll = asyncio.create_task(http.get("/api/bots?wait=20", headers={"Authorization": "Bearer key"}))
            head = (
                "POST /api/rooms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            hanging.send(head.encode())
            await hanging.writer.drain()
            assert (await http.get("/healthz")).status_code == 200
            server.signal()
            assert (await poll).json() == {"seats": []}
            assert await ended(server) == 0


async def test_a_second_signal_cuts_at_once() -> None:
    with echo({"PHAROS_SHUTDOWN_DELAY": "60000", "PHAROS_SHUTDOWN_WITHIN": "90000"}) as server:
        async with connected(server.port) as socket:
            server.signal()
            await socket.until("closing")
            server.signal()
            assert await ended(server) == 0


async def test_a_port_that_is_taken_can_not_be_had() -> None:
    with echo() as server:
        with pytest.raises(CanNotListen, match=f"127.0.0.1:{server.port} is taken"):
            await listening("127.0.0.1", server.port)
        assert server.get("/healthz")[0] == 200


async def test_a_name_is_listened_at_wherever_it_leads() -> None:
    sockets = await listening("localhost", 0)
    found = {each.getsockname()[0] for each in sockets}
    for each in sockets:
        each.close()
    assert "127.0.0.1" in found
    assert found <= {"127.0.0.1", "::1"}


async def test_an_endless_head_is_refused() -> None:
    with echo() as server:
        async with raw(server.port) as socket:
            socket.send(b"GET / HTTP/1.1\r\n")
            socket.send(b"".join(b"X-%04d: %s\r\n" % (number, b"x" * 50) for number in range(1100)))
            reply = await socket.reply()
            assert reply.status == 431
            assert json.loads(reply.body)["error"]["code"] == "too_large"


async def test_rubbish_is_refused_and_not_logged() -> None:
    with echo() as server:
        async with raw(server.port) as socket:
            socket.send(b"\x16\x03\x01 this is no HTTP\r\n\r\n")
            assert (await socket.reply()).status == 400
        async with httpx.AsyncClient(base_url=server.url) as http:
            upgrade = {"Connection": "Upgrade", "Upgrade": "h2c"}
            assert (await http.get("/healthz?token=a-secret", headers=upgrade)).status_code == 200
        server.signal()
        assert await ended(server) == 0
        assert "a-secret" not in server.text()
        assert [entry["event"] for entry in server.log] == ["serving", "stopping", "stopped"]
