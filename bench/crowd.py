"""What a crowd costs: `python -m bench.crowd`.

Two things are told. How much memory of the server an idle connection takes that is attached to a room; and what 500
spectators on one room do to its four players: how long an action takes from its sending to its `ok`, with and without
the crowd, turn by turn in one run, so that whatever else the machine does falls on both alike.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bench import machine, servers
from bench.wire import PONG, Wire
from clients.load.ledger import percentile
from clients.lobby import Lobby

IDLE = 2000
CROWD = 500
SEATS = 4
BLOCKS = 5
ACTIONS = 100
PACE = 0.1
"""Seconds between an action's `ok` and the next action."""

REST = random.Random(3)


class Viewer(Wire):
    """A connection that is attached to a room and listens."""

    def __init__(self, room: str, token: str | None = None, *, legal: bool = False) -> None:
        super().__init__("/ws", "pharos.v1+json")
        self._join = {"t": "join", "id": 0, "room": room, "legal": legal, **({} if token is None else {"token": token})}

    def say(self, message: Mapping[str, Any]) -> None:
        """Send a request."""
        self.send(json.dumps(message).encode())

    def opened(self) -> None:
        """Join."""
        self.say(self._join)

    def received(self, payload: bytes) -> None:
        """The first thing after the join's `ok` shows that it is done."""
        if payload.startswith(b'{"t":"presence"'):
            self.joined.set()


class Listener(Viewer):
    """A spectator that costs the machine as little as it can: it throws away what it hears, once it is attached."""

    def data_received(self, data: bytes) -> None:
        """Take it, and answer a ping that comes alone."""
        if not self.joined.is_set():
            super().data_received(data)
        elif data == b"\x89\x00":
            self._transport.write(PONG)


class Player(Viewer):
    """A seat that plays at random, and measures."""

    def __init__(self, room: str, token: str, table: Table) -> None:
        super().__init__(room, token, legal=True)
        self._room = room
        self._table = table
        self._sent = 0.0
        self._turn: Mapping[str, Any] | None = None

    def received(self, payload: bytes) -> None:
        """A turn is answered by an action, when the last one has its `ok`."""
        super().received(payload)
        if payload.startswith(b'{"t":"turn"'):
            self._turn = json.loads(payload)
        elif payload.startswith(b'{"t":"ok","id":1,') and self._sent:
            self._table.took(time.perf_counter() - self._sent)
            self._sent = 0.0
        elif payload.startswith(b'{"t":"error"'):
            self._sent = 0.0
        if self._turn is not None and not self._sent:
            turn, self._turn = self._turn, None
            asyncio.get_running_loop().call_later(PACE, self._act, turn)

    def _act(self, turn: Mapping[str, Any]) -> None:
        if self._table.over.is_set() or self.ended:
            return
        action = REST.choice(turn["actions"])
        self._sent = time.perf_counter()
        self.say({"t": "act", "id": 1, "room": self._room, "action": action, "seq": turn["seq"]})


class Table:
    """The actions of one block."""

    def __init__(self) -> None:
        self.samples: list[float] = []
        self.over = asyncio.Event()

    def took(self, seconds: float) -> None:
        """An action got its `ok`."""
        self.samples.append(seconds)
        if len(self.samples) >= ACTIONS:
            self.over.set()


async def connect(port: int, viewer: Viewer) -> Viewer:
    """Connect, and wait until it is attached."""
    await asyncio.get_running_loop().create_connection(lambda: viewer, "127.0.0.1", port)
    async with asyncio.timeout(60):
        await viewer.joined.wait()
    return viewer


async def seated(port: int) -> tuple[str, list[str]]:
    """A room whose game has started, and the tokens of its seats."""
    lobby = Lobby(f"127.0.0.1:{port}")
    made = await lobby.create("dragonwood", SEATS)
    return made["room"], [made["token"], *[(await lobby.take_seat(made["room"]))["token"] for _ in range(SEATS - 1)]]


async def watch(port: int, room: str, viewers: int) -> None:
    """So many spectators, in a process of their own, until the standard input ends.

    It gives way to the players' process, which has to share a core with it: what spectators do with what they are sent
    is their own affair.
    """
    os.nice(10)
    await asyncio.gather(*(connect(port, Listener(room)) for _ in range(viewers)))
    print("there", flush=True)
    await asyncio.to_thread(sys.stdin.read)


@contextmanager
def crowd(port: int, room: str, viewers: int) -> Iterator[None]:
    """So many spectators in the room."""
    if not viewers:
        yield
        return
    command = [sys.executable, "-m", "bench.crowd", "watch", str(port), room, str(viewers)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=servers.ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        yield
        process.stdin.close()


async def block(port: int, viewers: int) -> list[float]:
    """How long each action took, with so many spectators."""
    room, tokens = await seated(port)
    table = Table()
    with crowd(port, room, viewers):
        players = [await connect(port, Player(room, token, table)) for token in tokens]
        async with asyncio.timeout(120):
            await table.over.wait()
        for player in players:
            player.close()
    return table.samples


async def spectators(port: int) -> None:
    """The players' times with and without a crowd, block by block."""
    samples: dict[int, list[float]] = {0: [], CROWD: []}
    for number in range(BLOCKS):
        for viewers in (0, CROWD) if number % 2 else (CROWD, 0):
            samples[viewers] += await block(port, viewers)
    for viewers, taken in samples.items():
        taken.sort()
        print(
            f"{viewers:5} spectators: {len(taken)} actions, p50 {percentile(taken, 0.5) * 1e3:.1f} ms, "
            f"p99 {percentile(taken, 0.99) * 1e3:.1f} ms"
        )
    rise = percentile(samples[CROWD], 0.99) - percentile(samples[0], 0.99)
    print(f"the players' p99 rises by {rise * 1e3:.1f} ms")


async def idle(port: int, pid: int, *, seats: bool) -> None:
    """Memory of the server for each connection: one on every seat of 500 rooms, or spectators, 50 a room."""
    rooms = [await seated(port) for _ in range(IDLE // (SEATS if seats else 50))]
    empty = [await connect(port, Viewer(room)) for room, _ in rooms]  # the rooms are in memory by now
    before = machine.resident_bytes(pid)
    for number in range(IDLE):
        room, tokens = rooms[number % len(rooms)]
        await connect(port, Viewer(room, tokens[number // len(rooms)] if seats else None))
    await asyncio.sleep(1)
    each = (machine.resident_bytes(pid) - before) / IDLE
    who = f"one on every seat of {len(rooms)} rooms" if seats else f"spectators of {len(rooms)} rooms"
    print(f"{IDLE} idle connections, {who}: {each / 1024:.1f} KB each")
    assert len(empty) == len(rooms)


async def main() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    core, others = machine.cores()
    print(machine.description())
    for seats in (True, False):
        with servers.pharos("memory", core, others) as server:
            await idle(server.port, server.pid, seats=seats)
    with servers.pharos("sqlite", core, others) as server:
        await spectators(server.port)


if __name__ == "__main__":
    if sys.argv[1:2] == ["watch"]:
        asyncio.run(watch(int(sys.argv[2]), sys.argv[3], int(sys.argv[4])))
    else:
        asyncio.run(main())
