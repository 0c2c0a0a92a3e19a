"""Nodes that differ: in the version of the rules, in their hosts' clocks."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clients.bots.runner import Plan, play_game
from clients.connection import Connection
from clients.errors import Refused
from clients.lobby import Lobby
from tests.processes import PATIENCE
from tests.system.newer_rules import RULES
from tests.system.nodes import Nodes, nodes
from tests.system.wire import wired

GRACE = 500


async def refused(url: str, room: str) -> list[str]:
    """The codes with which a node refuses to look at a room, and to let somebody join."""
    codes = []
    with pytest.raises(Refused) as raised:
        await Lobby(url).look(room)
    codes.append(raised.value.code)
    async with Connection(url) as connection:
        with pytest.raises((Refused, TimeoutError)) as raised:
            async with asyncio.timeout(2):
                await connection.join(room)
        codes.append("unavailable" if isinstance(raised.value, TimeoutError) else raised.value.code)
    return codes


async def test_two_versions_of_the_rules_side_by_side(tmp_path: Path) -> None:
    """Each node plays what it has, leaves alone what it has not, and says so; other games are played on both."""
    with nodes(tmp_path, modules=("server", "tests.system.newer_rules")) as these:
        old, new = these.urls
        clock = {"clock": {"bank": 0, "per_turn": 300}}
        rooms = {url: await begun(url, clock) for url in these.urls}
        assert [(await Lobby(url).look(rooms[url]))["room"]["rules"] for url in these.urls] == ["1.0.0", RULES]
        assert await refused(old, rooms[new]) == await refused(new, rooms[old]) == ["unavailable"] * 2
        for server, other in zip(these.servers, (new, old), strict=True):
            assert [line["room"] for line in warnings(server.log, "room left alone")][-1] == rooms[other]
        # Their deadlines come although a node that can't play them sees them too.
        for url in these.urls:
            await until_turn(url, rooms[url], 3)
        for url in these.urls:
            played = await play_game(Plan(url, "dragonwood", 2, ["random"]))
            assert played.state["room"]["status"] == "finished"
        played = await play_game(Plan(old, "islet", 2, ["random"]))
        assert await Lobby(new).look(played.room) == await Lobby(old).look(played.room)
        assert these.errors() == []
        assert these.stop() == [0, 0]


async def begun(url: str, options: dict[str, Any]) -> str:
    """A room of Dragonwood that is played at, by nobody."""
    made = await Lobby(url).create("dragonwood", 2, options=options)
    await Lobby(url).take_seat(made["room"])
    return str(made["room"])


def warnings(log: list[dict[str, Any]], event: str) -> list[dict[str, Any]]:
    return [line for line in log if line["event"] == event]


async def until_turn(url: str, room: str, number: int) -> None:
    for _ in range(int(PATIENCE / 0.1)):
        if ((await Lobby(url).look(room))["turn"] or {"number": number})["number"] >= number:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"the turn {number} never came")


async def test_clocks_ten_seconds_apart_move_no_deadline(tmp_path: Path) -> None:
    """Store time rules: whichever node plays for a seat, it does so once, and not before the deadline and its grace."""
    with nodes(tmp_path, modules=("server", "tests.system.clock_ahead")) as these:
        per_turn = 700
        room = await begun(these.urls[0], {"clock": {"bank": 0, "per_turn": per_turn}})
        await told_the_time(these)
        async with Connection(these.urls[1]) as connection:
            watched = await connection.join(room)
            async with asyncio.timeout(PATIENCE):
                async for _ in watched:
                    if watched.over:
                        break
        entries = (await Lobby(these.urls[0]).replay(room))["entries"]
        turns = [entry for entry in entries if entry["kind"] in ("seated", "timeout")][1:]
        timeouts = [(before["at"], entry["at"]) for before, entry in pairwise(turns) if entry["kind"] == "timeout"]
        assert len(timeouts) >= 4
        assert all(at - before >= per_turn + GRACE for before, at in timeouts[:4])
        assert [entry["at"] for entry in entries] == sorted(entry["at"] for entry in entries)
        assert "paused" not in {entry["kind"] for entry in entries}
        assert these.errors() == []


async def told_the_time(these: Nodes) -> None:
    """Both nodes tell clients the store's time, not their own hosts'."""
    told = []
    for server in these.servers:
        async with wired(server, "json") as wire:
            told.append((await wire.ask("ping"))["now"])
    seconds, _ = these.redis.ask("TIME")
    assert all(abs(now - int(seconds) * 1000) < 5000 for now in told)
