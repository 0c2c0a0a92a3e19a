"""Games that are played at once over several connections, and what their clients were told."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, TypeVar

from clients.bots.policies import policy
from clients.bots.runner import play
from clients.connection import PATIENT, Connection, Room
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby, new_token
from protocol.codec import JSON, MSGPACK, Codec
from server.rooms.entries import AnyEntry
from tests.system.journals import check_result, keys_of

T = TypeVar("T")

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
    """Several tables, played at once, at one server or at any of several nodes."""

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
        """One table, from the creation of its room to the end of its game; its seats at different nodes."""
        clock = number % 2 == 0
        options = {"clock": CLOCK if clock else None}
        made = await self.ask(number, lambda lobby: lobby.create(game, seats, options=options))
        tokens = [made["token"], *(new_token() for _ in range(seats - 1))]
        for seat, token in enumerate(tokens[1:], start=1):
            await self.ask(number + seat, partial(_take, made["room"], token))
        table = Table(made["room"], seats, clock)
        self.tables.append(table)
        await asyncio.gather(*(self._seat(table, token, number + seat) for seat, token in enumerate(tokens)))

    async def play_on(self, games: Sequence[tuple[str, int]], number: int, late: asyncio.Event) -> None:
        """One game after the other, until it is late; the last is played out."""
        for game, seats in itertools.islice(itertools.cycle(games), number, None):
            await self.play(game, seats, number)
            number += 1
            if late.is_set():
                return

    async def ask(self, first: int, call: Callable[[Lobby], Awaitable[T]]) -> T:
        """Ask one node, and then the others, until one answers."""
        for number in itertools.count(first):
            try:
                return await call(Lobby(self.urls[number % len(self.urls)]))
            except Unreachable:
                await asyncio.sleep(0.1)
            except Refused as refusal:
                if refusal.code not in PATIENT:
                    raise
                await asyncio.sleep(0.1)
        raise AssertionError

    async def _seat(self, table: Table, token: str, number: int) -> None:
        random = Random(number)
        codec = random.choice((JSON, MSGPACK))
        async with AsyncExitStack() as stack:
            connection = await self._connected(stack, number, codec)
            room = await connection.join(table.room, token, legal=True)
            self._witness(table, room)
            await play(room, policy("random", ""), random)
            table.results.append(room.state["result"])
            self.reconnects += connection.reconnects

    async def _connected(self, stack: AsyncExitStack, first: int, codec: Codec) -> Connection:
        """A connection to one node, or to the next that is there; it goes round all of them when it is cut."""
        for number in itertools.count(first):
            turn = number % len(self.urls)
            connection = Connection(*self.urls[turn:], *self.urls[:turn], codec=codec)
            try:
                return await stack.enter_async_context(connection)
            except Unreachable:
                await asyncio.sleep(0.1)
        raise AssertionError

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


async def _take(room: str, token: str, lobby: Lobby) -> Mapping[str, Any]:
    return await lobby.take_seat(room, token=token)


def check_loss(table: Table, kept: Mapping[tuple[int, str], int], replay: Mapping[str, Any]) -> int:
    """What was told as `kept` is in the journal, once, and no action twice; all heard how it ended. How many are lost.

    For a store that may forget its last entries: whatever else got its `ok` may be gone.
    """
    entries = {entry["seq"]: entry for entry in replay["entries"]}

    def there(seat: int, key: str, seq: int) -> bool:
        entry = entries.get(seq, {"kind": ""})
        return entry["kind"] == "action" and (entry["seat"], entry["action"]) == (seat, table.sent[seat, key])

    assert all(there(seat, key, seq) for (seat, key), seq in kept.items())
    assert "timeout" not in {entry["kind"] for entry in replay["entries"]}
    assert table.results == [replay["result"]] * table.seats
    check_result(replay)
    return sum(not there(seat, key, seq) for (seat, key), seq in table.acknowledged.items())


def check_table(table: Table, replay: Mapping[str, Any], journal: Sequence[AnyEntry]) -> None:
    """Every `ok` is an entry of the journal, once; every action of the journal got its `ok`; the engine agrees."""
    entries = {entry["seq"]: entry for entry in replay["entries"]}
    actions = {seq for seq, entry in entries.items() if entry["kind"] == "action"}
    assert sorted(table.acknowledged.values()) == sorted(actions)
    for (seat, key), seq in table.acknowledged.items():
        assert (entries[seq]["seat"], entries[seq]["action"]) == (seat, table.sent[seat, key])
    assert "timeout" not in {entry["kind"] for entry in replay["entries"]}
    assert table.results == [replay["result"]] * table.seats
    check_result(replay)
    found = keys_of(journal)
    assert set(found.values()) == {1}, "a key is in the journal twice"
    assert found.keys() == table.sent.keys() == table.acknowledged.keys()
