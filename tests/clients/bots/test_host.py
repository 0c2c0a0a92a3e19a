"""The bot host against a real server: it takes the seats that are offered, and no kill ends a game."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from clients.bots.host import seat_token
from clients.bots.policies import play_random
from clients.bots.runner import play
from clients.connection import Connection, Room
from clients.lobby import Lobby
from protocol.messages import Turn
from tests.processes import PATIENCE, ROOT, ServerProcess, serving

KEY = "a key that the server and its hosts share"


def settings(folder: Path) -> dict[str, str]:
    return {"PHAROS_STORE": f"sqlite:///{folder / 'rooms.db'}", "PHAROS_BOT_KEY": KEY}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(settings(tmp_path_factory.mktemp("hosted"))) as process:
        yield process


class HostProcess:
    """One bot host."""

    def __init__(self, url: str, **environment: str) -> None:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clients.bots.host", "--url", url],
            env={**clean, "PYTHONPATH": str(ROOT), **environment},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Send the signal; the exit code, and everything it wrote."""
        self.process.send_signal(number)
        out, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode()


@contextlib.contextmanager
def hosting(url: str) -> Iterator[HostProcess]:
    host = HostProcess(url, PHAROS_BOT_KEY=KEY)
    try:
        yield host
        if host.process.poll() is None:
            code, out = host.end()
            assert code == 0, out
            assert "Traceback" not in out
    finally:
        if host.process.poll() is None:
            host.end(signal.SIGKILL)


class Evening:
    """A room with one seat of our own; bots were asked to take the rest."""

    def __init__(self, url: str, connection: Connection) -> None:
        self.lobby = Lobby(url)
        self.connection = connection
        self.token = ""
        self.room: Room

    async def begin(self, seats: int = 2, policy: str = "random", options: dict[str, Any] | None = None) -> Evening:
        made = await self.lobby.create("dragonwood", seats, options=options or {})
        self.token = made["token"]
        await self.lobby.offer(made["room"], policy, self.token)
        self.room = await self.connection.join(made["room"], self.token, legal=True)
        return self

    async def go_on(self, entries: int) -> None:
        """Play our seat until the journal has so many entries more: without the bots' own it would not get there."""
        until = self.room.seq + entries
        async with asyncio.timeout(PATIENCE):
            async for message in self.room:
                if isinstance(message, Turn) and self.room.deciding:
                    await self.room.act(Random(message.seq).choice(self.room.actions), seq=message.seq)
                if self.room.seq >= until or self.room.over:
                    return

    async def finish(self) -> dict[str, Any]:
        """Play to the end; the last state."""
        async with asyncio.timeout(3 * PATIENCE):
            await play(self.room, play_random, Random(1))
        return dict(self.room.state)

    async def kinds(self) -> list[str]:
        """What each action of the bots' seats was: their own (`action`), or the server's (`timeout`)."""
        entries = (await self.lobby.replay(self.room.id))["entries"]
        return [entry["kind"] for entry in entries if entry.get("seat") and entry["kind"] in ("action", "timeout")]


@contextlib.asynccontextmanager
async def evening(url: str) -> AsyncIterator[Evening]:
    async with Connection(url) as connection:
        yield Evening(url, connection)


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
    with hosting(server.url):
        async with evening(server.url) as games:
            await games.begin(2, "clairvoyant")
            await games.go_on(4)
            assert games.room.state["room"]["seats"][1]["kind"] == "bot"


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
