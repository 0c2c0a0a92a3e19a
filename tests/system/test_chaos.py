"""Games over a network that does its worst: nothing is lost, nothing is done twice, and all see the same in the end."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from clients.lobby import Lobby
from tests.processes import ServerProcess, serving
from tests.system.chaos import FAULTS, Chaos, chaos
from tests.system.journals import keys_of, stored
from tests.system.player import Player
from tests.system.wire import wired

GAMES = (("dragonwood", 2), ("islet", 2), ("burano", 3), ("bretagne", 2), ("dragonwood", 4))
BETWEEN = 0.1
"""Seconds between two faults."""


async def seat_players(server: ServerProcess, port: int, game: tuple[str, int], random: Random) -> list[Player]:
    """A room with a player on every seat and a spectator, all behind the proxy."""
    lobby = Lobby(server.url)
    made = await lobby.create(*game)
    tokens: list[str | None] = [made["token"]]
    tokens += [(await lobby.take_seat(made["room"]))["token"] for _ in range(game[1] - 1)]
    url, codecs = f"ws://127.0.0.1:{port}/ws", itertools.cycle(("json", "msgpack"))
    return [
        Player(url, made["room"], token, next(codecs), Random(random.random())) for token in (*tokens, None)
    ]  # fmt: skip


async def strike(proxy: Chaos, faults: int) -> None:
    """So many faults, one after the other."""
    while proxy.done.total() < faults:
        await asyncio.sleep(BETWEEN)
        proxy.strike()


async def all_equal(server: ServerProcess, players: list[Player]) -> None:
    """Every viewer's state is the one that a newcomer in its place gets, by the server's own digest, too."""
    newest = max(player.seq for player in players)
    for player in players:
        async with asyncio.timeout(30):
            await player.until(newest)
        async with wired(server, player.codec) as fresh:
            await fresh.join(player.room, player.token)
            assert (fresh.seq, fresh.tag, fresh.state) == (player.seq, player.tag, player.state)
            answer = await fresh.of_room("check", seq=player.seq, digest=player.digest())
            assert answer["match"] is True


async def play_through(folder: Path, faults: int, seed: int) -> Counter[str]:
    """Play while faults strike, then let all come to rest; check every viewer and every journal. What was done."""
    random = Random(seed)
    path = folder / "rooms.db"
    with serving({"PHAROS_STORE": f"sqlite:///{path}"}) as server:
        async with chaos(server.port, random) as proxy, asyncio.TaskGroup() as group, asyncio.timeout(60 + faults):
            tables = [await seat_players(server, proxy.port, game, random) for game in GAMES]
            players = list(itertools.chain(*tables))
            running = [group.create_task(player.run()) for player in players]
            await strike(proxy, faults)
            for player in players:
                player.playing = False
            await asyncio.gather(*(player.until_settled() for player in players))
            for table in tables:
                await all_equal(server, table)
            for task in running:
                task.cancel()
        assert [entry for entry in server.log if entry["level"] in ("warning", "error")] == []
        assert server.noise == []
    await check_journals(path, tables)
    assert sum(player.gaps for player in players) <= proxy.done["drop one reply"], "a gap that no network made"
    assert sum(player.resumed for player in players) > faults / 5, "hardly anybody had to come back"
    assert sum(len(player.acts) for player in players) > faults, "hardly anything was played"
    return proxy.done


async def check_journals(path: Path, tables: list[list[Player]]) -> None:
    """What got its `ok` is in the journal once, at that entry; what was refused is not; nothing else is."""
    journals = await stored(path, [table[0].room for table in tables])
    for table in tables:
        journal = journals[table[0].room]
        acts = {(seat, act.key): act for seat, player in enumerate(table) for act in player.acts}
        found = keys_of(journal)
        assert set(found.values()) <= {1}, "an action is in the journal twice"
        assert found.keys() == {key for key, act in acts.items() if act.entry is not None}
        for (seat, key), act in acts.items():
            if act.entry is not None:
                entry = journal[act.entry - 1]
                assert (entry.seat, entry.key, entry.action) == (seat, key, act.action)  # type: ignore[union-attr]
        for player in table:
            seqs = [seq for seq, _ in player.patches]
            assert len(seqs) == len(set(seqs)), "an entry was applied twice"


async def test_a_hundred_faults(tmp_path: Path) -> None:
    done = await play_through(tmp_path, 100, seed=7)
    assert set(done) == set(FAULTS), "not every kind of fault was tried"


@pytest.mark.soak
async def test_a_thousand_faults(tmp_path: Path) -> None:
    done = await play_through(tmp_path, 1000, seed=11)
    assert min(done[fault] for fault in FAULTS) > 100
