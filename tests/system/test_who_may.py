"""Who may do what: pages of other origins, seats that are shared, given up, taken over, and rooms that are private."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from tests.processes import ServerProcess, serving_well
from tests.system.calls import calling, code_of
from tests.system.party import party
from tests.system.wire import wired
from tests.web.raw import raw

PAGE = "https://play.example"
ROOM = {"game": "dragonwood", "seats": 2}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server of which nobody set the origins: its own loopback pages may, nobody else."""
    with serving_well({"PHAROS_STORE": "memory://"}) as process:
        yield process


@pytest.fixture(scope="module")
def public() -> Iterator[ServerProcess]:
    """A server for the pages of one origin."""
    with serving_well({"PHAROS_STORE": "memory://", "PHAROS_ORIGINS": PAGE}) as process:
        yield process


def rebound(server: ServerProcess) -> dict[str, str]:
    """What a browser sends for a page whose name was made to point here."""
    return {"Host": f"evil.example:{server.port}", "Origin": f"http://evil.example:{server.port}"}


async def test_a_page_whose_name_was_bound_to_this_address_gets_nothing_done(server: ServerProcess) -> None:
    async with raw(server.port) as socket:
        reply = await socket.handshake(headers=rebound(server))
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (403, "forbidden")
    async with calling(server) as client:
        made = (await client.post("/api/rooms", json=ROOM)).json()
    async with calling(server, **rebound(server), Authorization=f"Bearer {made['token']}") as client:
        room = f"/api/rooms/{made['room']}"
        for call in (
            client.post("/api/rooms", json=ROOM),
            client.post(f"{room}/seats", json={}),
            client.post(f"{room}/invites"),
            client.post(f"{room}/bots", json={"policy": "random"}),
            client.post("/api/match", json=ROOM),
            client.delete(f"{room}/seats/0"),
        ):
            response = await call
            assert (response.status_code, code_of(response)) == (403, "forbidden")
        looked = await client.get(room)
        assert "access-control-allow-origin" not in looked.headers
    async with calling(server) as client:
        assert (await client.get(room)).json()["room"]["seats"][0] is not None


FOREIGN = [
    "null",
    "https://play.example.evil.example",
    "http://play.example",
    "https://play.example:444",
    "https://PLAY.example",
]


@pytest.mark.parametrize(
    "origin", [*FOREIGN, "https://play.example/", "https://play.example, https://play.example", ""]
)
async def test_what_only_looks_like_the_origin_is_foreign(public: ServerProcess, origin: str) -> None:
    async with calling(public, Origin=origin) as client:
        assert code_of(await client.post("/api/rooms", json=ROOM)) == "forbidden"
        asked = {"Access-Control-Request-Method": "POST"}
        preflight = await client.options("/api/rooms", headers=asked)
        assert not [name for name in preflight.headers if name.startswith("access-control-")]
    if origin:
        async with raw(public.port) as socket:
            assert (await socket.handshake(headers={"Origin": origin})).status == 403


async def test_the_settings_say_whose_pages_may(public: ServerProcess) -> None:
    async with raw(public.port) as socket:
        assert (await socket.handshake(headers={"Origin": PAGE})).status == 101
    async with raw(public.port) as socket:
        own = f"http://127.0.0.1:{public.port}"
        assert (await socket.handshake(headers={"Origin": own})).status == 403
    async with calling(public, Origin=PAGE) as client:
        asked = {"Access-Control-Request-Method": "DELETE", "Access-Control-Request-Headers": "authorization"}
        preflight = await client.options("/api/rooms/ABCDEF/seats/0", headers=asked)
        assert preflight.headers["access-control-allow-origin"] == PAGE
        assert "DELETE" in preflight.headers["access-control-allow-methods"]
        assert "authorization" in preflight.headers["access-control-allow-headers"].lower()
        made = await client.post("/api/rooms", json=ROOM)
        assert (made.status_code, made.headers["access-control-allow-origin"]) == (201, PAGE)
        assert "access-control-allow-credentials" not in made.headers
        assert "Origin" in made.headers["vary"]


async def test_one_connection_too_many_displaces_the_one_that_was_silent_longest(server: ServerProcess) -> None:
    async with party(server) as found, AsyncExitStack() as stack:
        first, token = found.wires[0], found.tokens[0]
        wires = [first, *[await stack.enter_async_context(wired(server, "json")) for _ in range(3)]]
        for wire in wires[1:]:
            await wire.join(found.room, token)
        silent = wires[2]
        for wire in (wires[0], wires[1], wires[3]):
            await wire.ask("ping")
        newest = await stack.enter_async_context(wired(server, "msgpack"))
        assert (await newest.join(found.room, token))["t"] == "ok"
        while (told := await silent.hear())["t"] != "error":
            pass
        assert (told["id"], told["room"], told["code"]) == (None, found.room, "displaced")
        assert (await silent.of_room("legal"))["code"] == "not_joined"
        seq = await found.act()
        for wire in (wires[1], wires[3], newest):
            while wire.seq < seq:
                await wire.hear()
        assert (await silent.ask("ping"))["t"] == "ok"
        assert silent.seq < seq
        await found.wires[1].until_present([True, True], 0)


async def test_a_seat_that_is_given_up_and_taken_over_by_invite(server: ServerProcess) -> None:
    async with party(server, "dragonwood", 3) as found, calling(server) as client:
        seats, bearer = f"/api/rooms/{found.room}/seats", {"Authorization": f"Bearer {found.tokens[1]}"}
        invite = (await client.post(f"/api/rooms/{found.room}/invites", headers=bearer)).json()["invite"]
        assert code_of(await client.post(seats, json={"invite": invite})) == "room_full"
        assert code_of(await client.delete(f"{seats}/0", headers=bearer)) == "forbidden"
        assert (await client.delete(f"{seats}/1", headers=bearer)).status_code == 204
        gone = found.wires[1]
        while (told := await gone.hear())["t"] != "error":
            pass
        assert (told["id"], told["code"]) == (None, "revoked")
        assert (await gone.of_room("act", action={"type": "reload"}, seq=gone.seq))["code"] == "not_joined"
        assert (await gone.ask("join", room=found.room, token=found.tokens[1]))["code"] == "revoked"
        assert code_of(await client.post(seats, json={"token": found.tokens[1], "invite": invite})) == "revoked"
        assert code_of(await client.delete(f"{seats}/1", headers=bearer)) == "revoked"
        assert code_of(await client.post(seats, json={})) == "room_full"
        assert code_of(await client.post(seats, json={"invite": invite + "x"})) == "unauthorized"
        assert code_of(await client.post(seats, json={"invite": invite, "entropy": "0" * 64})) == "bad_message"
        taken = await client.post(seats, json={"invite": invite, "name": "Heir"})
        assert (taken.status_code, taken.json()["seat"]) == (201, 1)
        assert code_of(await client.post(seats, json={"invite": invite})) == "unauthorized"
        async with wired(server, "json") as heir:
            since = {"seq": 4, "tag": found.wires[0].tag}
            reply = await heir.join(found.room, taken.json()["token"], since=since)
            assert (reply["seat"], reply["resumed"]) == (1, False), "the seat's past is not the heir's to know"
            assert (await heir.of_room("back"))["t"] == "ok"


async def test_a_resigned_seat_is_nobodys_to_take_over(server: ServerProcess) -> None:
    async with party(server, "dragonwood", 3) as found, calling(server) as client:
        seats, bearer = f"/api/rooms/{found.room}/seats", {"Authorization": f"Bearer {found.tokens[1]}"}
        invite = (await client.post(f"/api/rooms/{found.room}/invites", headers=bearer)).json()["invite"]
        assert (await found.wires[1].of_room("resign"))["t"] == "ok"
        assert code_of(await client.post(seats, json={"invite": invite, "seat": 1})) == "forbidden"
        assert (await client.delete(f"{seats}/1", headers=bearer)).status_code == 204
        assert code_of(await client.post(seats, json={"invite": invite, "seat": 1})) == "forbidden"
        assert code_of(await client.post(seats, json={"invite": invite})) == "room_full"


async def test_a_private_room_and_none_at_all_can_not_be_told_apart_by_a_wrong_token(server: ServerProcess) -> None:
    async with calling(server) as client, wired(server, "json") as wire:
        made = (await client.post("/api/rooms", json={**ROOM, "private": True})).json()
        none = "23456789ABCDEFGH"
        assert len(made["room"]) == len(none)
        bearer = {"Authorization": "Bearer wrong"}
        for method, path, body in (
            ("DELETE", "/seats/0", None),
            ("POST", "/invites", None),
            ("POST", "/bots", {"policy": "random"}),
        ):
            answers = [
                await client.request(method, f"/api/rooms/{room}{path}", json=body, headers=bearer)
                for room in (made["room"], none)
            ]
            assert answers[0].status_code == answers[1].status_code == 404
            assert answers[0].content == answers[1].content
        told = [await wire.ask("join", room=room, token="wrong") for room in (made["room"], none)]
        assert [error["code"] for error in told] == ["unknown_room"] * 2
        assert told[0]["message"] == told[1]["message"]
        listed = (await client.get("/api/rooms")).json()["rooms"]
        assert made["room"] not in [room["id"] for room in listed]
