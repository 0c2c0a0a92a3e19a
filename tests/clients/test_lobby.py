"""The client's HTTP side against a real server: what it gives, and how it says that it can't."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from clients.errors import Refused, Unreachable
from clients.lobby import Lobby, http_url, new_token, socket_url
from tests.clients.proxy import proxied
from tests.processes import ServerProcess, serving


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
