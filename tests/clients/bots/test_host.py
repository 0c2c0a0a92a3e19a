"""The bot host against a real server: it takes the seats that are offered, and no kill ends a game."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from clients.bots.host import seat_token
from tests.clients.bots.hosts import HostProcess, evening, hosting, settings
from tests.processes import PATIENCE, ServerProcess, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(settings(tmp_path_factory.mktemp("hosted"))) as process:
        yield process


async def test_it_takes_every_seat_that_is_offered_and_plays_it_to_the_end(server: ServerProcess) -> None:
    with hosting(server.url):
        async with evening(server.url) as games:
            await games.begin(4, "greedy")
            state = await games.finish()
            seats = state["room"]["seats"]
            assert [(seat["kind"], seat["served"]) for seat in seats] == [("human", False)] + [("bot", False)] * 3
            assert [seat["name"] for seat in seats[1:]] == ["greedy-2", "greedy-3", "greedy-4"]
            assert sum(state["result"]["scores"][1:]) > 0
            assert set(await games.kinds()) == {"action"}


async def test_a_host_that_is_killed_is_replaced_by_the_next_in_the_same_game(server: ServerProcess) -> None:
    async with evening(server.url) as games:
        with hosting(server.url) as first:
            await games.begin(3)
            await games.go_on(20)
            first.end(signal.SIGKILL)
        with hosting(server.url):
            await games.go_on(40)
            seats = games.room.state["room"]["seats"]
            assert [(seat["kind"], seat["served"]) for seat in seats] == [("human", False)] + [("bot", False)] * 2


async def test_the_server_is_killed_and_the_bots_play_on_with_the_next(tmp_path: Path) -> None:
    store = settings(tmp_path)
    async with AsyncExitStack() as stack:
        first = stack.enter_context(serving(store))
        stack.enter_context(hosting(first.url))
        games = await stack.enter_async_context(evening(first.url))
        await games.begin(3)
        await games.go_on(20)
        first.kill()
        second = stack.enter_context(serving({**store, "PHAROS_PORT": str(first.port)}))
        assert second.url == first.url
        await games.go_on(40)
        seats = games.room.state["room"]["seats"]
        assert [(seat["kind"], seat["served"]) for seat in seats] == [("human", False)] + [("bot", False)] * 2


async def test_told_to_stop_it_leaves_its_seats_to_the_next_host(server: ServerProcess) -> None:
    async with evening(server.url) as games:
        with hosting(server.url) as first:
            await games.begin(2)
            await games.go_on(10)
            code, out = first.end(signal.SIGTERM)
            assert code == 0
            assert "leaving the seats to the next host" in out
            assert "Traceback" not in out
        with hosting(server.url):
            await games.go_on(10)
            assert games.room.state["room"]["seats"][1]["kind"] == "bot"


async def test_a_bot_that_looks_ahead_is_told_to_stop_in_the_middle_of_a_thought(server: ServerProcess) -> None:
    with hosting(server.url) as host:
        async with evening(server.url) as games:
            await games.begin(2, "hard")
            while not games.room.state["turn"] or games.room.state["turn"]["seats"] != [1]:
                await games.go_on(1)
            code, out = host.end(signal.SIGTERM)
    assert code == 0
    assert "Traceback" not in out


async def test_many_rooms_share_the_connections_of_one_host(server: ServerProcess) -> None:
    with hosting(server.url):
        async with AsyncExitStack() as stack:
            rooms = [await stack.enter_async_context(evening(server.url)) for _ in range(12)]
            await asyncio.gather(*(each.begin(2) for each in rooms))
            await asyncio.gather(*(each.go_on(6) for each in rooms))
            served = [seat["served"] for each in rooms for seat in each.room.state["room"]["seats"]]
            assert not any(served)


async def test_an_unknown_policy_is_played_by_another_and_ends_no_game(server: ServerProcess) -> None:
    with hosting(server.url) as host:
        async with evening(server.url) as games:
            await games.begin(2, "clairvoyant")
            await games.go_on(4)
            assert games.room.state["room"]["seats"][1]["kind"] == "bot"
        _, out = host.end()
    warned = [line for line in out.splitlines() if "another policy plays" in line]
    assert len(warned) == 1
    assert "clairvoyant" in warned[0]
    assert "hard" in warned[0]


def test_without_a_key_it_says_what_is_missing() -> None:
    host = HostProcess("http://127.0.0.1:9")
    out, _ = host.process.communicate(timeout=PATIENCE)
    assert host.process.returncode == 2
    assert b"PHAROS_BOT_KEY is not set" in out


def test_a_seat_has_one_token_and_no_other_seat_has_it() -> None:
    tokens = [seat_token(key, room, seat) for key in ("a", "b") for room in ("K7QF2M", "222222") for seat in range(4)]
    assert len(set(tokens)) == len(tokens)
    assert seat_token("a", "K7QF2M", 0) == tokens[0]
    assert {len(token) for token in tokens} == {22}
