"""The limits of a real server: what is too much is refused, says when to come back, and hits nobody else."""

from __future__ import annotations

import itertools
import json
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import httpx
import pytest

from tests.processes import ServerProcess, serving, serving_well
from tests.system.calls import calling, code_of
from tests.system.party import seated
from tests.system.wire import wired
from tests.web.raw import TEXT, RawSocket, admitted, connected, frame, raw

LIMITS = {
    "PHAROS_STORE": "memory://",
    "PHAROS_LIMIT_LOOPBACK": "1",
    "PHAROS_CONNECTIONS": "5",
    "PHAROS_NEW_ROOMS": "3",
    "PHAROS_FAILED_LOOKUPS": "4",
    "PHAROS_ROOMS": "2",
    "PHAROS_CREDITS_PER_SECOND": "20",
    "PHAROS_CREDITS_BURST": "40",
}
ROOM = {"game": "dragonwood", "seats": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server behind a proxy that it trusts, so that every test has addresses of its own."""
    with serving_well({**LIMITS, "PHAROS_TRUSTED_PROXIES": "127.0.0.1"}) as process:
        yield process


_addresses = (f"203.0.113.{number}" for number in itertools.count(1))


@pytest.fixture
def address() -> dict[str, str]:
    return {"X-Forwarded-For": next(_addresses)}


@pytest.fixture
async def caller(server: ServerProcess, address: dict[str, str]) -> AsyncIterator[httpx.AsyncClient]:
    async with calling(server, **address) as client:
        yield client


def waits(response: httpx.Response) -> int:
    """For how many ms a refused call is told to wait, in both places."""
    assert (response.status_code, code_of(response)) == (429, "rate_limited")
    wait = int(response.json()["error"]["retry_after"])
    assert int(response.headers["Retry-After"]) == -(-wait // 1000)
    assert wait > 0
    return wait


async def test_new_rooms_of_an_address(server: ServerProcess, caller: httpx.AsyncClient) -> None:
    for _ in range(5):
        assert code_of(await caller.post("/api/rooms", json={**ROOM, "game": "none"})) == "unknown_game"
    for _ in range(3):
        assert (await caller.post("/api/rooms", json=ROOM)).status_code == 201
    assert 0 < waits(await caller.post("/api/rooms", json=ROOM)) <= 60_000
    waits(await caller.post("/api/match", json={"game": "islet", "seats": 3}))
    async with calling(server, **{"X-Forwarded-For": next(_addresses)}) as other:
        assert (await other.post("/api/rooms", json=ROOM)).status_code == 201


async def test_failed_look_ups_count_together_by_http_and_by_socket(
    server: ServerProcess, caller: httpx.AsyncClient, address: dict[str, str]
) -> None:
    room = (await caller.post("/api/rooms", json=ROOM)).json()["room"]
    seats = f"/api/rooms/{room}/seats"
    assert code_of(await caller.get("/api/rooms/ABCDEF")) == "unknown_room"
    wrong = {"Authorization": f"Bearer {secrets.token_urlsafe(16)}"}
    assert code_of(await caller.delete(f"{seats}/0", headers=wrong)) == "unauthorized"
    async with connected(server.port, address) as socket:
        socket.say(t="join", id=1, room=room, token="x" * 22)
        assert (await socket.until("error"))["code"] == "unauthorized"
        socket.say(t="join", id=2, room="ABCDEF" * 3)
        assert (await socket.until("error"))["code"] == "unknown_room"
        socket.say(t="join", id=3, room=room)
        refused = await socket.until("error")
        assert (refused["id"], refused["code"], refused["room"]) == (3, "rate_limited", room)
        assert 0 < refused["retry_after"] <= 60_000
    for call in (caller.get(f"/api/rooms/{room}"), caller.get("/api/rooms"), caller.post(seats, json={})):
        waits(await call)
    async with calling(server, **{"X-Forwarded-For": next(_addresses)}) as other:
        assert (await other.get(f"/api/rooms/{room}")).status_code == 200


async def answers(socket: RawSocket, count: int) -> list[str]:
    """The codes of so many errors."""
    return [(await socket.until("error"))["code"] for _ in range(count)]


async def test_look_ups_that_fail_together_tell_no_more_than_one_by_one(
    server: ServerProcess, address: dict[str, str]
) -> None:
    """A guesser that sends all its guesses at once learns as little."""
    alphabet = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
    guesses = ["".join(secrets.choice(alphabet) for _ in range(6)) for _ in range(10)]
    async with connected(server.port, address) as socket:
        joins = [{"t": "join", "id": n, "room": room, "token": "x" * 22} for n, room in enumerate(guesses)]
        socket.send(b"".join(frame(TEXT, json.dumps(join).encode()) for join in joins))
        told = await answers(socket, 10)
    assert sorted(told) == ["rate_limited"] * 6 + ["unknown_room"] * 4


async def test_connections_of_an_address(server: ServerProcess, address: dict[str, str]) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(5):
            await stack.enter_async_context(connected(server.port, address))
        async with raw(server.port) as sixth:
            reply = await sixth.handshake(headers=address)
        assert (reply.status, json.loads(reply.body)["error"]["code"]) == (429, "rate_limited")
        assert int(reply.headers["retry-after"]) > 0
        async with connected(server.port, {"X-Forwarded-For": next(_addresses)}):
            pass
    await admitted(server.port, address)


async def test_requests_of_a_connection(server: ServerProcess, address: dict[str, str]) -> None:
    async with connected(server.port, address) as socket:
        socket.send(b"".join(frame(TEXT, b'{"t":"ping","id":%d}' % number) for number in range(60)))
        heard = [await socket.hear() for _ in range(60)]
        assert [message["id"] for message in heard] == list(range(60))
        refused = [message for message in heard if message["t"] == "error"]
        assert {message["code"] for message in refused} == {"rate_limited"}
        assert 10 <= len(refused) <= 20
        assert all(0 < message["retry_after"] <= 50 for message in refused)


async def test_rooms_of_a_connection(server: ServerProcess, address: dict[str, str]) -> None:
    async with calling(server, **address) as caller:
        rooms = [(await caller.post("/api/rooms", json=ROOM)).json()["room"] for _ in range(3)]
    async with connected(server.port, address) as socket:
        for number, room in enumerate(rooms):
            socket.say(t="join", id=number, room=room)
        assert (await socket.until("error"))["code"] == "too_many"
        socket.say(t="leave", id=8, room=rooms[0])
        socket.say(t="join", id=9, room=rooms[2])
        while (message := await socket.hear()).get("id") != 9:
            pass
        assert message["t"] == "ok"


async def test_who_is_not_trusted_may_not_say_where_it_comes_from() -> None:
    with serving(LIMITS) as process:
        for number in range(3):
            async with calling(process, **{"X-Forwarded-For": f"198.51.100.{number}"}) as client:
                assert (await client.post("/api/rooms", json=ROOM)).status_code == 201
        async with calling(process, **{"X-Forwarded-For": "198.51.100.99"}) as client:
            waits(await client.post("/api/rooms", json=ROOM))


async def test_rooms_in_all() -> None:
    """Rooms that have ended make place for others."""
    with serving({"PHAROS_STORE": "memory://", "PHAROS_MAX_ROOMS": "2"}) as process:
        room, tokens = await seated(process)
        async with calling(process) as client:
            assert (await client.post("/api/rooms", json=ROOM)).status_code == 201
            waits(await client.post("/api/rooms", json=ROOM))
            waits(await client.post("/api/match", json={"game": "islet", "seats": 3}))
            async with wired(process, "json") as first, wired(process, "json") as second:
                for wire, token in zip((first, second), tokens, strict=True):
                    await wire.join(room, token)
                    await wire.of_room("resign")
                while first.state["room"]["status"] == "playing":
                    await first.hear()
            assert (await client.post("/api/rooms", json=ROOM)).status_code == 201
