"""The HTTP interface, without a socket: what is checked of a call, and the form of every answer."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from tests.web.desk import OWN, Desk

TOKEN = "A" * 22
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def desk() -> Desk:
    return Desk(PHAROS_BOT_KEY="the-key")


def error_of(response: httpx.Response) -> tuple[int, str]:
    """Status and code of a failure, whose form is checked."""
    body = response.json()
    assert set(body) == {"error"}
    assert set(body["error"]) <= {"code", "message", "retry_after"}
    assert response.headers["content-type"] == "application/json"
    assert ("retry_after" in body["error"]) == ("retry-after" in response.headers)
    return response.status_code, body["error"]["code"]


async def test_a_room_is_created_with_a_token_of_the_server_or_of_the_client(desk: Desk) -> None:
    created = await desk.post("/api/rooms", {"game": "g", "seats": 2})
    assert created.status_code == 201
    assert re.fullmatch("[A-Za-z0-9_-]{22}", created.json()["token"])
    assert created.headers["cache-control"] == "no-store"
    again = await desk.post("/api/rooms", {"game": "g", "seats": 2, "token": TOKEN})
    assert again.json()["token"] == TOKEN
    assert created.json()["token"] != (await desk.post("/api/rooms", {"game": "g", "seats": 2})).json()["token"]


async def test_a_room_without_a_seat_says_so(desk: Desk) -> None:
    created = await desk.post("/api/rooms", {"game": "g", "seats": 2, "seat": False})
    assert created.json()["seat"] is None


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"game":"g"}',
        b'{"game":"g","seats":2.0}',
        b'{"game":"g","seats":true}',
        b'{"game":"g","seats":"2"}',
        b'{"game":"g","seats":-1}',
        b'{"game":"g","seats":9007199254740992}',
        b'{"game":"g","seats":2,"options":null}',
        b'{"game":"g","seats":2,"colour":"red"}',
        b'{"game":"g","seats":2,"token":"short"}',
        b'{"game":"g","seats":2,"options":{"a":1.5}}',
        b'{"game":"g","seats":2,"options":{"a":NaN}}',
        b'{"game":"g","seats":2,"options":' + b'{"a":' * 20 + b"1" + b"}" * 20 + b"}",
        b'{"game":"\xff","seats":2}',
    ],
)
async def test_a_body_that_is_wrong_is_refused(desk: Desk, body: bytes) -> None:
    response = await desk.call("POST", "/api/rooms", content=body, headers=JSON)
    assert error_of(response) == (400, "bad_message")


@pytest.mark.parametrize(
    "media_type", ["", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1"]
)
async def test_a_body_of_another_kind_is_refused(desk: Desk, media_type: str) -> None:
    headers = {"Content-Type": media_type} if media_type else {}
    response = await desk.call("POST", "/api/rooms", content=b'{"game":"g","seats":2}', headers=headers)
    assert error_of(response) == (415, "unsupported_media")


async def test_the_media_type_may_name_its_charset(desk: Desk) -> None:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    response = await desk.call("POST", "/api/rooms", content=b'{"game":"g","seats":2}', headers=headers)
    assert response.status_code == 201


async def test_a_body_that_is_too_long_is_refused_also_when_it_does_not_say_how_long_it_is(desk: Desk) -> None:
    read = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal read
        while read < 10_000_000:
            read += 4096
            yield b" " * 4096

    announced = await desk.call("POST", "/api/rooms", content=b" " * 16_385, headers=JSON)
    assert error_of(announced) == (413, "too_large")
    chunked = await desk.call("POST", "/api/rooms", content=endless(), headers=JSON)
    assert error_of(chunked) == (413, "too_large")
    assert chunked.headers["connection"] == "close"


async def test_refusals_of_the_hub_become_answers(desk: Desk) -> None:
    assert error_of(await desk.post("/api/rooms", {"game": "none", "seats": 2})) == (404, "unknown_game")
    away = await desk.call("GET", "/api/rooms/ABCDEF/replay")
    assert error_of(away) == (503, "unavailable")
    assert away.json()["error"]["retry_after"] == 1500
    assert away.headers["retry-after"] == "2"


async def test_a_bug_is_internal_and_tells_nothing(desk: Desk) -> None:
    response = await desk.post("/api/rooms", {"game": "bug", "seats": 2, "token": TOKEN})
    assert error_of(response) == (500, "internal")
    assert TOKEN not in response.text


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "not_found"),
        ("GET", "/api/rooms/", 404, "not_found"),
        ("GET", "/api/rooms/A/seats/0/more", 404, "not_found"),
        ("PUT", "/api/rooms", 405, "method_not_allowed"),
        ("GET", "/api/match", 405, "method_not_allowed"),
        ("DELETE", "/healthz", 405, "method_not_allowed"),
        ("DELETE", "/api/rooms/A/seats/x", 404, "not_found"),
        ("DELETE", "/api/rooms/A/seats/-1", 404, "not_found"),
        ("DELETE", "/api/rooms/A/seats/99999999999999999999", 404, "not_found"),
        ("GET", "/api/rooms?page=2", 400, "bad_message"),
        ("GET", "/api/rooms/NOROOM", 404, "unknown_room"),
    ],
)
async def test_what_is_not_there_has_the_same_form(desk: Desk, method: str, path: str, status: int, code: str) -> None:
    response = await desk.call(method, path)
    assert error_of(response) == (status, code)
    if status == 405:
        assert response.headers["allow"]


async def test_seats_are_taken_and_given_up(desk: Desk) -> None:
    taken = await desk.post("/api/rooms/ABCDEF/seats", {"name": "Ana"})
    assert (taken.status_code, taken.json()["seat"]) == (201, 1)
    again = await desk.post("/api/rooms/ABCDEF/seats", {"name": "again", "token": TOKEN})
    assert (again.status_code, again.json()) == (200, {"seat": 1, "token": TOKEN})
    path = "/api/rooms/ABCDEF/seats/1"
    assert error_of(await desk.call("DELETE", path, headers={"Authorization": "Bearer wrong"})) == (401, "unauthorized")
    gone = await desk.call("DELETE", path, headers={"Authorization": "bearer  right"})
    assert (gone.status_code, gone.content) == (204, b"")


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "right", "Bearer " + "x" * 300])
async def test_what_is_no_bearer_token_is_unauthorized(desk: Desk, header: str) -> None:
    response = await desk.call("DELETE", "/api/rooms/ABCDEF/seats/1", headers={"Authorization": header})
    assert error_of(response) == (401, "unauthorized")
    assert response.headers["www-authenticate"] == "Bearer"


async def test_invites_offers_and_lists_reach_the_hub(desk: Desk) -> None:
    bearer = {"Authorization": "Bearer mine"}
    invite = await desk.call("POST", "/api/rooms/ABCDEF/invites", headers=bearer)
    assert (invite.status_code, invite.json()) == (201, {"invite": "invite-by-mine"})
    offered = await desk.post("/api/rooms/ABCDEF/bots", {"policy": "greedy"}, headers=bearer)
    assert offered.status_code == 202
    page = await desk.call("GET", "/api/rooms?game=g&status=open&cursor=c")
    assert page.json() == {"rooms": [{"game": "g", "status": "open"}], "cursor": "c"}
    assert (await desk.call("GET", "/api/rooms/ABCDEF")).json()["room"] == {"id": "ABCDEF"}


async def test_bot_hosts_prove_themselves_with_the_key(desk: Desk) -> None:
    key = {"Authorization": "Bearer the-key"}
    desk.hub.offered = [{"room": "ABCDEF", "seat": 0, "game": "g", "policy": "p"}]
    assert (await desk.call("GET", "/api/bots?wait=20", headers=key)).json() == {"seats": desk.hub.offered}
    assert (await desk.post("/api/rooms/ABCDEF/seats", {}, headers=key)).json()["seat"] == 7
    assert (await desk.post("/api/rooms/ABCDEF/seats", {}, headers={"Authorization": "Bearer not"})).json()["seat"] == 1
    for headers in ({}, {"Authorization": "Bearer not"}):
        assert error_of(await desk.call("GET", "/api/bots", headers=headers)) == (401, "unauthorized")
    assert error_of(await desk.call("GET", "/api/bots?wait=x", headers=key)) == (400, "bad_message")
    assert error_of(await desk.call("GET", "/api/bots?wait=26", headers=key)) == (400, "bad_message")


@pytest.mark.parametrize("wait", ["26", "0026", "00099999", "-1", "1.5", "", "\u0663"])
async def test_a_bot_host_waits_no_longer_than_it_may(desk: Desk, wait: str) -> None:
    key = {"Authorization": "Bearer the-key"}
    assert error_of(await desk.call("GET", f"/api/bots?wait={wait}", headers=key)) == (400, "bad_message")


async def test_without_a_key_nobody_is_a_bot_host() -> None:
    desk = Desk()
    for header in ("Bearer x", "Bearer", ""):
        response = await desk.call("GET", "/api/bots", headers={"Authorization": header} if header else {})
        assert error_of(response) == (401, "unauthorized")


async def test_ten_new_rooms_a_minute(desk: Desk) -> None:
    body = {"game": "g", "seats": 2}
    statuses = [(await desk.post("/api/rooms", body)).status_code for _ in range(5)]
    statuses += [(await desk.post("/api/rooms", {"game": "none", "seats": 2})).status_code for _ in range(5)]
    statuses += [(await desk.post("/api/match", {"game": "found", "seats": 2})).status_code for _ in range(5)]
    statuses += [(await desk.post("/api/match", body)).status_code for _ in range(5)]
    assert statuses == [201] * 5 + [404] * 5 + [201] * 10
    refused = await desk.post("/api/rooms", body)
    assert error_of(refused) == (429, "rate_limited")
    assert 50_000 < refused.json()["error"]["retry_after"] <= 60_000
    assert error_of(await desk.post("/api/match", body)) == (429, "rate_limited")
    assert (await desk.post("/api/match", {"game": "found", "seats": 2})).status_code == 201, "no room is made for it"
    assert (await desk.post("/api/rooms", body, host="192.0.2.2")).status_code == 201


async def test_an_empty_filter_is_none(desk: Desk) -> None:
    listed = await desk.call("GET", "/api/rooms?game=&status=&cursor=")
    assert listed.json() == {"rooms": [{"game": None, "status": None}], "cursor": None}


async def test_twenty_failed_lookups_a_minute(desk: Desk) -> None:
    for _ in range(10):
        assert error_of(await desk.call("GET", "/api/rooms/NOROOM")) == (404, "unknown_room")
        wrong = {"Authorization": "Bearer wrong"}
        assert error_of(await desk.call("DELETE", "/api/rooms/A/seats/1", headers=wrong)) == (401, "unauthorized")
    assert error_of(await desk.call("GET", "/api/rooms/ABCDEF")) == (429, "rate_limited")
    assert (await desk.call("GET", "/api/rooms/ABCDEF", host="192.0.2.2")).status_code == 200


async def test_forwarded_addresses_count_from_trusted_proxies_only() -> None:
    desk = Desk(PHAROS_TRUSTED_PROXIES="10.0.0.0/8", PHAROS_FAILED_LOOKUPS="1")

    async def look(host: str, forwarded: str) -> int:
        headers = {"X-Forwarded-For": forwarded}
        return (await desk.call("GET", "/api/rooms/NOROOM", host=host, headers=headers)).status_code

    assert [await look("10.0.0.1", f"203.0.113.{number}") for number in range(3)] == [404, 404, 404]
    assert [await look("192.0.2.9", f"203.0.113.{number}") for number in (7, 8)] == [404, 429]


async def test_nothing_new_while_going_down(desk: Desk) -> None:
    desk.site.gate.shut()
    assert error_of(await desk.post("/api/rooms", {"game": "g", "seats": 2})) == (503, "draining")
    assert error_of(await desk.call("DELETE", "/api/rooms/A/seats/1")) == (503, "draining")
    assert (await desk.call("GET", "/api/rooms/ABCDEF")).status_code == 200
    key = {"Authorization": "Bearer the-key"}
    assert (await desk.call("GET", "/api/bots?wait=20", headers=key)).json() == {"seats": []}


CHANGES: tuple[Callable[[Desk, dict[str, str]], Any], ...] = (
    lambda desk, headers: desk.post("/api/rooms", {"game": "g", "seats": 2}, headers=headers),
    lambda desk, headers: desk.call(
        "DELETE", "/api/rooms/A/seats/1", headers={**headers, "Authorization": "Bearer right"}
    ),
)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:8001", "https://127.0.0.1:8000"])
async def test_foreign_pages_may_change_nothing(desk: Desk, change: Any, origin: str) -> None:
    response = await change(desk, {"Origin": origin})
    assert error_of(response) == (403, "forbidden")
    assert "access-control-allow-origin" not in response.headers


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("origin", [None, OWN, "http://localhost:8000", "http://[::1]:8000"])
async def test_its_own_pages_and_programs_may(desk: Desk, change: Any, origin: str | None) -> None:
    response = await change(desk, {"Origin": origin} if origin else {})
    assert response.status_code in (201, 204)
    assert response.headers.get("access-control-allow-origin") == origin
    assert "origin" in response.headers["vary"].lower()


async def test_preflights_are_answered_for_allowed_origins() -> None:
    desk = Desk(PHAROS_ORIGINS="https://play.example")
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    allowed = await desk.call("OPTIONS", "/api/rooms", headers={"Origin": "https://play.example", **asked})
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == "https://play.example"
    assert "Authorization" in allowed.headers["access-control-allow-headers"]
    assert "DELETE" in allowed.headers["access-control-allow-methods"]
    assert "access-control-allow-credentials" not in allowed.headers
    foreign = await desk.call("OPTIONS", "/api/rooms", headers={"Origin": OWN, **asked})
    assert not [name for name in foreign.headers if name.startswith("access-control")]


async def test_browsers_are_told_to_be_careful(desk: Desk) -> None:
    for path in ("/api/rooms", "/nowhere", "/healthz"):
        headers = (await desk.call("GET", path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
