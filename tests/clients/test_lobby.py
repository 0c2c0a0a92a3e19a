"""The client's HTTP side against a real server: what it gives, and how it says that it can't."""

from __future__ import annotations

import asyncio
import urllib.request
from argparse import ArgumentTypeError
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from clients.connection import Connection
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby, http_url, new_token, on_this_machine, socket_url, url_argument
from tests.clients.proxy import proxied
from tests.processes import ServerProcess, serving

OPEN = urllib.request.OpenerDirector.open
"""As it is, where the answers are no server's, and are not held against the documents."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://"}) as process:
        yield process


@pytest.mark.parametrize(
    ("given", "http", "socket"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "ws://127.0.0.1:8000/ws"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000", "ws://127.0.0.1:8000/ws"),
        ("https://example.org/", "https://example.org", "wss://example.org/ws"),
        ("ws://example.org/ws", "http://example.org", "ws://example.org/ws"),
        ("wss://example.org/games/ws", "https://example.org/games", "wss://example.org/games/ws"),
    ],
)
def test_addresses(given: str, http: str, socket: str) -> None:
    assert (http_url(given), socket_url(given)) == (http, socket)


async def test_a_room_from_its_making_to_its_end(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    assert "dragonwood" in {game["game"] for game in await lobby.games()}
    made = await lobby.create("dragonwood", 2, name="Ana")
    room = made["room"]
    assert (await lobby.look(room))["room"]["seats"] == [{"name": "Ana", "kind": "human", "served": False}, None]
    token = new_token()
    for _ in range(2):
        assert await lobby.take_seat(room, name="Ben", token=token) == {"seat": 1, "token": token}
    assert room in {listed["id"] for listed in (await lobby.rooms(game="dragonwood", status="playing"))["rooms"]}
    invite = await lobby.invite(room, made["token"])
    await lobby.vacate(room, 1, token)
    taken = await lobby.take_seat(room, name="Cleo", invite=invite)
    assert taken["seat"] == 1
    for seat, holder in enumerate((made["token"], taken["token"])):
        await lobby.vacate(room, seat, holder)
    async with asyncio.timeout(20):
        while (await lobby.look(room))["room"]["status"] == "playing":  # noqa: ASYNC110 - HTTP tells nobody
            await asyncio.sleep(0.05)
    assert (await lobby.replay(room))["entries"][-1]["reason"] == "all_served"


Call = Callable[[Lobby, dict[str, Any]], Awaitable[Any]]
REFUSED: dict[str, Call] = {
    "unknown_room": lambda lobby, _: lobby.look("222222"),
    "unknown_game": lambda lobby, _: lobby.create("chess", 2),
    "bad_message": lambda lobby, _: lobby.create("dragonwood", 99),
    "unauthorized": lambda lobby, made: lobby.invite(made["room"], "x" * 22),
    "not_found": lambda lobby, made: lobby.vacate(made["room"], 9, made["token"]),
    "not_finished": lambda lobby, made: lobby.replay(made["room"]),
    "name_taken": lambda lobby, made: lobby.take_seat(made["room"], name="ANA"),
    "not_started": lambda lobby, made: lobby.invite(made["room"], made["token"]),
    "room_full": lambda lobby, made: lobby.offer(made["room"], "random", made["token"], seats=5),
}


@pytest.mark.parametrize("code", REFUSED)
async def test_a_refusal_has_its_code_and_a_text(server: ServerProcess, code: str) -> None:
    lobby = Lobby(server.url)
    made = dict(await lobby.create("dragonwood", 3, name="Ana"))
    with pytest.raises(Refused) as refusal:
        await REFUSED[code](lobby, made)
    assert refusal.value.code == code
    assert refusal.value.message


async def test_a_server_that_is_not_there() -> None:
    async with proxied(1) as proxy:
        with pytest.raises(Unreachable) as missing:
            await Lobby(proxy.url).games()
    assert str(missing.value).startswith(f"no server answers at {proxy.url} (")


BROKEN = {
    "another protocol": b"SSH-2.0-OpenSSH_9.2\r\n",
    "nothing": b"",
    "cut short": b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
    "a page": b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
    "no map": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("wait", [0, 1])
async def test_an_answer_that_is_none_is_no_server(answer: bytes, wait: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request.OpenerDirector, "open", OPEN)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        with pytest.raises(Unreachable, match=f"no server answers at {url} "):
            await Lobby(url).call("GET", "/api/bots", wait=wait)


async def test_an_error_that_is_none_of_ours_has_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urllib.request.OpenerDirector, "open", OPEN)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 500\r\n\r\n[]")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        with pytest.raises(Refused, match="HTTP 502"):
            await Lobby(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}").games()


@pytest.mark.parametrize("text", ["127.0.0.1:abc", "http://[::1", "ftp://127.0.0.1", "http://", "127.0.0.1:99999"])
def test_what_is_no_address_is_none_on_a_command_line(text: str) -> None:
    with pytest.raises(ArgumentTypeError):
        url_argument(text)


@pytest.mark.parametrize("text", ["127.0.0.1:8000", "wss://example.org/games/ws", "http://[::1]:8000/"])
def test_an_address_on_a_command_line(text: str) -> None:
    assert url_argument(text) == http_url(text)


@pytest.mark.parametrize("variable", ["http_proxy", "https_proxy", "all_proxy"])
async def test_no_proxy_stands_before_a_server_on_this_machine(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    with serving({"PHAROS_STORE": "memory://"}) as server:
        assert await Lobby(server.url).games()
        async with Connection(server.url) as connection:
            assert connection.connected


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("127.0.0.1:1", True),
        ("http://[::1]:1", True),
        ("ws://localhost", True),
        ("https://example.org", False),
        ("http://192.0.2.1:8000", False),
    ],
)
def test_what_is_on_this_machine(url: str, *, here: bool) -> None:
    assert on_this_machine(url) is here
