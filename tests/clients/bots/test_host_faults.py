"""What goes wrong around a bot host, and what becomes of its seats: each of them is played on."""

from __future__ import annotations

import asyncio
import signal
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest
from structlog.testing import capture_logs

from clients.bots import host as hosting_bots
from clients.bots import offers, policies
from clients.bots.host import arguments, local_url
from clients.bots.offers import Waiting, names
from clients.lobby import Lobby
from tests.clients.bots.hosts import Evening, evening, hosted_here, hosting, settings
from tests.processes import PATIENCE, ServerProcess, serving

OPEN = urllib.request.OpenerDirector.open
"""As it is, where the answers are no server's, and are not held against the documents."""
GRACE = 10.0
"""Seconds that compose gives a container to end in."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(settings(tmp_path_factory.mktemp("faults"))) as process:
        yield process


class Failing:
    """A policy that fails so many times, then plays at random."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, state: Any, actions: Any, random: Random) -> Any:
        if self.left:
            self.left -= 1
            raise RuntimeError("what nobody foresaw")
        return policies.play_random(state, actions, random)


@pytest.mark.parametrize(("times", "players"), [(1, ["greedy", "greedy"]), (10**6, ["greedy", "greedy", "random"])])
async def test_a_policy_that_raises_costs_no_game(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch, times: int, players: list[str]
) -> None:
    """It is asked once more; then the plainest one plays on."""
    failing = Failing(times)
    monkeypatch.setattr(
        offers, "policy", lambda name, game: failing if name == "greedy" else policies.policy(name, game)
    )
    with capture_logs() as logs:
        async with hosted_here(server.url), evening(server.url) as games:
            await games.begin(2, "greedy")
            await games.go_on(8)
            assert games.room.state["room"]["seats"][1] == {"name": "greedy-2", "kind": "bot", "served": False}
    here = [line for line in logs if line.get("room") == games.room.id]
    assert [line["played_by"] for line in here if line["event"] == "playing"] == players
    assert len([line for line in here if line["event"] == "a game raised"]) == len(players) - 1


async def test_an_action_that_is_refused_costs_no_game(server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers, "policy", lambda name, _: policies.play_random if name == "random" else invent)
    async with hosted_here(server.url), evening(server.url) as games:
        await games.begin(2, "greedy")
        await games.go_on(6)
        assert games.room.state["room"]["seats"][1] == {"name": "greedy-2", "kind": "bot", "served": False}


def invent(state: Any, actions: Any, random: Random) -> Any:
    """No action of any game."""
    return {"type": "capture_the_dragon_by_kindness"}


@pytest.mark.parametrize(
    ("policy", "called"),
    [
        ("greedy", ["greedy-2 (bot)", "greedy-3"]),
        ("a policy of far too many letters", ["a policy of far too ma-2", "a policy of far too ma-3"]),
        ("a  b", ["a b-2", "a b-3"]),
        ("ding\u0007dong", ["Seat 2", "Seat 3"]),
    ],
)
async def test_a_name_that_can_not_be_had_costs_no_seat(server: ServerProcess, policy: str, called: list[str]) -> None:
    async with hosted_here(server.url), evening(server.url) as games:
        await games.begin(3, policy, name="Greedy-2")
        await games.go_on(6)
        seats = games.room.state["room"]["seats"]
    assert [seat["name"] for seat in seats[1:]] == called
    assert not any(seat["served"] for seat in seats)


@pytest.mark.parametrize("policy", ["greedy", "p" * 64, " ", "a" * 21 + " bcd"])
def test_names_fit_and_differ_by_seat(policy: str) -> None:
    by_seat = [[name for name in names(Waiting("ROOM", seat, "islet", policy)) if name] for seat in range(4)]
    every = [name for own in by_seat for name in own]
    assert len(set(every)) == len(every) == 8
    assert all(1 < len(name) <= 24 and name == " ".join(name.split()) for name in every)


async def test_a_wrong_key_is_told_once_as_what_it_is(server: ServerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, enough = 0, asyncio.Event()
    original = Lobby.waiting_seats

    async def counted(self: Lobby, key: str, wait: int) -> Any:
        nonlocal asked
        asked += 1
        if asked > 3:
            enough.set()
        return await original(self, key, wait)

    monkeypatch.setattr(Lobby, "waiting_seats", counted)
    monkeypatch.setattr(hosting_bots, "PAUSE", 0.01)
    with capture_logs() as logs:
        async with hosted_here(server.url, "another key"):
            await asyncio.wait_for(enough.wait(), PATIENCE)
    told = [line for line in logs if line["event"] != "waiting for seats"]
    assert [(line["event"], line["log_level"]) for line in told] == [("no seats to be had", "warning")]
    assert "key" in told[0]["reason"]


@asynccontextmanager
async def saying(answer: bytes) -> AsyncIterator[tuple[str, asyncio.Semaphore]]:
    """Something that answers every call with this body: its address, and a semaphore that each call releases."""
    calls = asyncio.Semaphore(0)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        calls.release()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(answer), answer))
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}", calls


@pytest.mark.parametrize("answer", [b"<html>", b"{}", b'{"seats": 3}', b'{"seats": [{"room": 1}]}'])
async def test_an_answer_of_something_else_does_not_end_the_host(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting_bots, "PAUSE", 0.01)
    monkeypatch.setattr(urllib.request.OpenerDirector, "open", OPEN)
    with capture_logs() as logs:
        async with saying(answer) as (url, calls), hosted_here(url):
            for _ in range(3):
                await asyncio.wait_for(calls.acquire(), PATIENCE)
    (told,) = [line for line in logs if line["event"] != "waiting for seats"]
    assert told["event"] == "waiting for the server"
    assert "what answers there is" in told["reason"]


@pytest.mark.parametrize("url", ["127.0.0.1:abc", "http://[::1", "ftp://127.0.0.1", "http://"])
def test_an_address_that_is_none_is_refused_at_the_start(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        arguments(["--url", url])
    assert stopped.value.code == 2
    assert f"--url: {url!r}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"PHAROS_HOST": "0.0.0.0", "PHAROS_PORT": "81"}, "http://127.0.0.1:81"),
        ({"PHAROS_HOST": "::"}, "http://[::1]:8000"),
        ({"PHAROS_HOST": "fe80::1"}, "http://[fe80::1]:8000"),
        ({"PHAROS_HOST": "games.example", "PHAROS_PORT": ""}, "http://games.example:8000"),
    ],
)
def test_the_server_beside_it_is_found_by_its_settings(
    settings: dict[str, str], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert local_url(settings) == url
    for name in ("PHAROS_HOST", "PHAROS_PORT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert arguments([]).url == url


async def test_a_connection_that_has_ended_costs_no_game(server: ServerProcess) -> None:
    with capture_logs() as logs:
        async with hosted_here(server.url) as host, evening(server.url) as games:
            await games.begin(2)
            await games.go_on(4)
            before = list(host._connections)
            for connection in before:
                await connection.close()
            await games.go_on(8)
            assert not set(before) & set(host._connections)
            assert not [line for line in logs if line["event"] == "played"]


async def test_it_goes_in_time_though_its_server_says_nothing_any_more(server: ServerProcess) -> None:
    with hosting(server.url) as host:
        async with evening(server.url) as games:
            await games.begin(2, "greedy")
            await games.go_on(4)
            server.signal(signal.SIGSTOP)
            try:
                code, out = await asyncio.to_thread(host.end, within=GRACE)
            finally:
                server.signal(signal.SIGCONT)
    assert code == 0
    assert "Traceback" not in out


async def test_it_goes_in_time_though_what_it_asked_is_never_answered() -> None:
    asking: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
    async with await asyncio.start_server(lambda _, writer: asking.put_nowait(writer), "127.0.0.1", 0) as listening:
        with hosting(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}") as host:
            writer = await asyncio.wait_for(asking.get(), PATIENCE)
            code, _ = await asyncio.to_thread(host.end, within=GRACE)
        writer.close()
        await writer.wait_closed()
    assert code == 0


async def test_workers_that_are_killed_cost_no_game(server: ServerProcess) -> None:
    with hosting(server.url) as host:
        async with evening(server.url) as games:
            await games.begin(2, "easy")
            for _ in range(2):
                await games.go_on(6)
                assert host.workers()
                for worker in host.workers():
                    worker.kill()
            await games.go_on(6)
            assert not games.room.state["room"]["seats"][1]["served"]
        _, out = host.end()
    assert out.count(games.room.id) == 1, out


DEAD_AFTER = 4.0
"""Seconds of silence after which this server closes a connection."""
CROWD = 24


async def test_dozens_of_bots_that_search_keep_their_connections_alive(tmp_path: Path) -> None:
    """Were the searches done where the connections are, their pings would not be answered for longer than that."""
    quick = {"PHAROS_PING_EVERY": "500", "PHAROS_DEAD_AFTER": str(int(DEAD_AFTER * 1000))}
    with serving({**settings(tmp_path), **quick}) as crowded, hosting(crowded.url) as host:
        async with evening(crowded.url) as first, evening(crowded.url) as second:
            rooms = [Evening(crowded.url, each.connection) for each in (first, second) for _ in range(CROWD // 2)]
            await asyncio.gather(*(each.begin(2, "hard", game="bretagne") for each in rooms))
            await asyncio.gather(*(each.hear_the_bot() for each in rooms))
            assert first.connection.reconnects == second.connection.reconnects == 0
            assert not any(seat["served"] for each in rooms for seat in each.room.state["room"]["seats"])
        metrics = crowded.get("/metrics")[1].decode()
        assert 'pharos_connections_closed_total{code="' not in metrics, metrics
        _, out = host.end()
    assert out.count("playing") == CROWD
    assert "seat given up" not in out
