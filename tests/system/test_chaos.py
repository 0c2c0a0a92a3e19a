"""Games over a network that does its worst: nothing is lost, nothing is done twice, and all see the same in the end."""

from __future__ import annotations

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from clients.lobby import Lobby
from server.store.sqlite import SqliteStore
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
    return [Player(url, made["room"], who, next(codecs), Random(random.random())) for who in (*tokens, None)]


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


@dataclass
class Evening:
    """Tables behind the proxy, at which one game follows the other until it is to end."""

    server: ServerProcess
    proxy: Chaos
    random: Random
    games: list[list[Player]] = field(default_factory=list)
    ending: asyncio.Event = field(default_factory=asyncio.Event)

    async def table(self, game: tuple[str, int]) -> None:
        """Game after game; each comes to rest in the end, and all its viewers are equal then."""
        while not self.ending.is_set():
            players = await seat_players(self.server, self.proxy.port, game, self.random)
            self.games.append(players)
            async with asyncio.TaskGroup() as group:
                running = [group.create_task(player.run()) for player in players]
                await self._end_of(players)
                for player in players:
                    player.playing = False
                await asyncio.gather(*(player.until_settled() for player in players))
                await all_equal(self.server, players)
                for task in running:
                    task.cancel()

    async def _end_of(self, players: list[Player]) -> None:
        """Until the game, or the evening, has ended."""
        ends = [
            asyncio.ensure_future(self.ending.wait()),
            asyncio.gather(*(player.until_over() for player in players)),
        ]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        for end in ends:
            end.cancel()

    async def strike(self, faults: int) -> None:
        """So many faults, one after the other: no faster than is played, and until many players have come back."""
        while self.proxy.done.total() < faults or self.played <= faults or self.resumed <= faults / 10:
            await asyncio.sleep(BETWEEN)
            if self.proxy.done.total() < min(faults, self.played):
                self.proxy.strike()

    @property
    def played(self) -> int:
        return self.total(lambda player: len(player.acts))

    @property
    def resumed(self) -> int:
        return self.total(lambda player: player.resumed)

    def total(self, count: Callable[[Player], int]) -> int:
        return sum(count(player) for players in self.games for player in players)


async def play_through(folder: Path, faults: int, seed: int) -> Counter[str]:
    """Play while faults strike, then let all come to rest; check every viewer and every journal. What was done."""
    path = folder / "rooms.db"
    with serving({"PHAROS_STORE": f"sqlite:///{path}"}) as server:
        async with chaos(server.port, Random(seed)) as proxy, asyncio.timeout(180 + faults):
            evening = Evening(server, proxy, Random(seed))
            async with asyncio.TaskGroup() as group:
                for game in GAMES:
                    group.create_task(evening.table(game))
                await evening.strike(faults)
                evening.ending.set()
        assert server.complaints() == []
    await check_journals(path, evening.games)
    assert evening.total(lambda player: player.gaps) <= proxy.done["drop one reply"], "a gap that no network made"
    return proxy.done


async def check_journals(path: Path, tables: list[list[Player]]) -> None:
    """What got its `ok` is in the journal once, at that entry; what was refused is not; nothing else is."""
    journals = await stored(SqliteStore(path), [table[0].room for table in tables])
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
