"""Games that are played at once by clients of ours while something happens to the servers, and what they witness."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from clients.bots.policies import policy
from clients.bots.runner import play
from clients.connection import Connection, Room
from clients.lobby import Lobby
from protocol.codec import JSON, MSGPACK
from tests.system.journals import check_result

CLOCK = {"bank": 120_000, "per_turn": 60_000}


@dataclass
class Table:
    """A room and what its clients know of it: every action that they sent, and the entry of every one that got `ok`."""

    room: str
    seats: int
    clock: bool
    sent: dict[tuple[int, str], Mapping[str, Any]] = field(default_factory=dict)
    acknowledged: dict[tuple[int, str], int] = field(default_factory=dict)
    results: list[Any] = field(default_factory=list)


@dataclass
class Evening:
    """Several tables, played at once, by clients that know all the nodes."""

    urls: Sequence[str]
    pause: float = 0.0
    """Seconds that everybody waits before a decision."""
    tables: list[Table] = field(default_factory=list)
    progress: asyncio.Event = field(default_factory=asyncio.Event)
    reconnects: int = 0

    @property
    def oks(self) -> int:
        return sum(len(table.acknowledged) for table in self.tables)

    async def play(self, game: str, seats: int, number: int) -> None:
        """One table, from the creation of its room to the end of its game."""
        lobby, clock = Lobby(self.urls[number % len(self.urls)]), number % 2 == 0
        made = await lobby.create(game, seats, options={"clock": CLOCK if clock else None})
        others = [await lobby.take_seat(made["room"]) for _ in range(seats - 1)]
        tokens = [made["token"], *(taken["token"] for taken in others)]
        table = Table(made["room"], seats, clock)
        self.tables.append(table)
        await asyncio.gather(*(self._seat(table, token, Random(number)) for token in tokens))

    async def _seat(self, table: Table, token: str, random: Random) -> None:
        codec, urls = random.choice((JSON, MSGPACK)), random.sample(self.urls, len(self.urls))
        async with Connection(*urls, codec=codec) as connection:
            room = await connection.join(table.room, token, legal=True)
            self._witness(table, room)
            await play(room, policy("random", ""), random)
            table.results.append(room.state["result"])
            self.reconnects += connection.reconnects

    def _witness(self, table: Table, room: Room) -> None:
        """Note every action of the room's seat, and its `ok`."""
        act, numbers = room.act, itertools.count()

        async def noted(action: Mapping[str, Any], *, seq: int) -> int:
            await asyncio.sleep(self.pause)
            key = f"key-{next(numbers)}"
            table.sent[room.seat or 0, key] = action
            table.acknowledged[room.seat or 0, key] = await act(action, seq=seq, key=key)
            self.progress.set()
            return seq

        room.act = noted  # type: ignore[method-assign]

    async def until(self, oks: int) -> None:
        """Until so many actions got their `ok`."""
        async with asyncio.timeout(120):
            while self.oks < oks:
                self.progress.clear()
                await self.progress.wait()


def check_table(table: Table, replay: Mapping[str, Any], kills: int) -> None:
    """Every `ok` is an entry of the journal, every action of the journal got its `ok`, and the engine agrees."""
    entries = {entry["seq"]: entry for entry in replay["entries"]}
    actions = {seq for seq, entry in entries.items() if entry["kind"] == "action"}
    assert sorted(table.acknowledged.values()) == sorted(actions)
    for (seat, key), seq in table.acknowledged.items():
        assert (entries[seq]["seat"], entries[seq]["action"]) == (seat, table.sent[seat, key])
    kinds = [entry["kind"] for entry in replay["entries"]]
    assert "timeout" not in kinds
    assert kinds.count("paused") >= (kills if table.clock else 0)
    if not table.clock:
        assert "paused" not in kinds
    assert all(entry["ms"] >= 1000 for entry in replay["entries"] if entry["kind"] == "paused")
    assert table.results == [replay["result"]] * table.seats
    check_result(replay)
