"""kill -9 of a real server in the middle of games: no `ok` is lost or doubled, and all goes on by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from clients.connection import Connection
from clients.lobby import Lobby
from server.store.sqlite import SqliteStore
from tests.processes import ServerProcess, serving
from tests.system.evening import Evening, Table, check_table
from tests.system.journals import stored

DOWN = 2.5
"""Seconds for which nobody serves: more than the outage that the server is told to take note of."""


def environment(folder: Path, port: int = 0) -> dict[str, str]:
    """Settings of every server of a test: the same file, and from the second on the same port."""
    return {
        "PHAROS_STORE": f"sqlite:///{folder}/rooms.db",
        "PHAROS_PORT": str(port),
        "PHAROS_OUTAGE": "2000",
        "PHAROS_SWEEP_EVERY": "100",
    }


async def kill_and_restart(server: ServerProcess, folder: Path) -> ServerProcess:
    """The server dies, nobody serves for a while, another one starts at the same place."""
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(DOWN)
    again = ServerProcess(environment(folder, server.port))
    await asyncio.to_thread(again.wait_ready)
    return again


async def survive(folder: Path, games: list[tuple[str, int]], kills: int, oks_between: int) -> None:
    """Play the games while the server is killed; check every journal against what the clients were told."""
    server = ServerProcess(environment(folder))
    try:
        await asyncio.to_thread(server.wait_ready)
        evening = Evening([server.url])
        playing = asyncio.gather(*(evening.play(game, seats, n) for n, (game, seats) in enumerate(games)))
        try:
            for _ in range(kills):
                await evening.until(evening.oks + oks_between * len(games))
                assert not any(table.results for table in evening.tables), "the kill must come amid all games"
                server = await kill_and_restart(server, folder)
            async with asyncio.timeout(600):
                await playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
        assert evening.reconnects >= kills * sum(seats for _, seats in games)
        replays = [await Lobby(server.url).replay(table.room) for table in evening.tables]
        assert [entry for entry in server.log if entry["level"] == "error"] == []
        assert server.noise == []
        assert await asyncio.to_thread(server.stop) == 0
    finally:
        if server.process.poll() is None:
            server.kill()
    journals = await stored(SqliteStore(folder / "rooms.db"), [table.room for table in evening.tables])
    for table, replay in zip(evening.tables, replays, strict=True):
        check_table(table, replay, journals[table.room])
        check_pauses(table, replay, kills)


def check_pauses(table: Table, replay: Mapping[str, Any], kills: int) -> None:
    """Every time in which nobody served is given back to the clock, where there is one."""
    pauses = [entry for entry in replay["entries"] if entry["kind"] == "paused"]
    assert len(pauses) >= (kills if table.clock else 0)
    if not table.clock:
        assert pauses == []
    assert all(entry["ms"] >= 1000 for entry in pauses)


async def test_a_kill_in_the_middle_of_six_games(tmp_path: Path) -> None:
    games = [("dragonwood", 2), ("islet", 2), ("dragonwood", 3), ("burano", 2), ("dragonwood", 2), ("bretagne", 2)]
    await survive(tmp_path, games, kills=1, oks_between=15)


@pytest.mark.soak
async def test_kills_in_the_middle_of_twenty_games(tmp_path: Path) -> None:
    games = [("dragonwood", 4)] * 14 + [("islet", 2), ("islet", 4), ("burano", 2), ("burano", 4), ("bretagne", 2)]
    await survive(tmp_path, [*games, ("bretagne", 4)], kills=3, oks_between=8)


async def end_after_time_out(url: str, room: str, tokens: list[str]) -> None:
    """Let the first time-out come, then resign everybody's seat, which ends the room."""
    async with AsyncExitStack() as stack:
        connections = [await stack.enter_async_context(Connection(url)) for _ in tokens]
        rooms = [await connection.join(room, token) for connection, token in zip(connections, tokens, strict=True)]
        async with asyncio.timeout(20):
            async for _ in rooms[0]:
                if rooms[0].seq >= 5:
                    break
        for each in rooms:
            await each.resign()
        async with asyncio.timeout(20):
            async for _ in rooms[0]:
                if rooms[0].over:
                    break


async def test_a_clock_whose_time_is_up_while_nobody_serves_goes_on_after_it(tmp_path: Path) -> None:
    """The deadline passes while the server is down; the seat gets that time back before the server plays for it."""
    with serving(environment(tmp_path)) as server:
        lobby = Lobby(server.url)
        options = {"clock": {"bank": 0, "per_turn": 2000}}
        made = await lobby.create("dragonwood", 2, options=options)
        taken = await lobby.take_seat(made["room"])
        begun = (await lobby.look(made["room"]))["turn"]["clock"]
        server.kill()
        await asyncio.sleep(4)
        again = ServerProcess(environment(tmp_path, server.port))
        try:
            await asyncio.to_thread(again.wait_ready)
            await end_after_time_out(server.url, made["room"], [made["token"], taken["token"]])
        finally:
            replay = await Lobby(server.url).replay(made["room"])
            assert again.stop() == 0
    kinds = [entry["kind"] for entry in replay["entries"]]
    assert kinds[:5] == ["created", "seated", "seated", "paused", "timeout"]
    paused, timeout = replay["entries"][3:5]
    assert paused["ms"] >= 2500
    assert begun["deadlines"] == [replay["entries"][2]["at"] + 2000]
    assert paused["at"] > begun["deadlines"][0]
    assert timeout["at"] >= begun["deadlines"][0] + paused["ms"] + 500
