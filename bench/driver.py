"""The load, in a process of its own: `python -m bench.driver` takes a job on standard input and tells the outcome.

The driver reads the server's CPU and memory itself, at the moments at which its own clock starts and stops.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import Sequence

import msgspec
import uvloop
from msgspec.structs import replace

from bench.jobs import Job, Outcome
from bench.machine import cpu_seconds, resident_bytes
from bench.peers.wires import ROOMS
from bench.rooms import Rooms
from bench.tables import Load, Table
from bench.tally import Tally
from bench.turns import TurnRoom
from bench.wire import Wire
from clients.load.ledger import percentile

AT_A_TIME = 50
"""Connections opened at a time."""

PATIENCE = 30.0
"""Seconds for what must come: a driver that waits longer has found a fault."""

WARMING_UP = 200
"""Actions played before anything is measured, so that what the first room costs is not counted as a connection's."""


async def connect(wires: Sequence[Wire], job: Job) -> None:
    """Open the connections, some at a time, and wait until all have joined."""
    ways = list(zip(wires, itertools.cycle(job.ports or (job.port,)), strict=False))
    try:
        async with asyncio.timeout(PATIENCE):
            for first in range(0, len(wires), AT_A_TIME):
                await asyncio.gather(*(_connect(*way) for way in ways[first : first + AT_A_TIME]))
    except TimeoutError:
        missing = sum(not wire.joined.is_set() for wire in wires)
        ended = {wire.ended for wire in wires if wire.ended}
        sys.exit(f"{missing} of {len(wires)} connections had not joined after {PATIENCE:.0f} s: {ended or 'no reason'}")


async def _connect(wire: Wire, port: int) -> None:
    await asyncio.get_running_loop().create_connection(lambda: wire, "127.0.0.1", port)
    await wire.joined.wait()


async def measure(job: Job, tally: Tally, before: int, joined: int, tables: Sequence[Table] = ()) -> Outcome:
    """Let the clock run over what is going on; where tables have only so many actions, not after they rest.

    `before`, `joined`: the server's memory without these connections, and when all had joined.
    """
    connections = job.rooms * (job.seats + job.spectators)
    await asyncio.sleep(job.warm)
    loop = asyncio.get_running_loop()
    server, load, begun = _servers_cpu(job), cpu_seconds(os.getpid()), loop.time()
    tally.start()
    if job.actions and tables:
        await asyncio.wait([asyncio.ensure_future(table.rested.wait()) for table in tables], timeout=job.seconds)
    else:
        await asyncio.sleep(job.seconds)
    tally.stop()
    server, load, took = _servers_cpu(job) - server, cpu_seconds(os.getpid()) - load, loop.time() - begun
    return Outcome(
        actions=tally.actions,
        seconds=took,
        server_cpu=server,
        load_cpu=load,
        p50=percentile(ordered := sorted(tally.latencies), 0.5),
        p99=percentile(ordered, 0.99),
        update_bytes=percentile(sorted(tally.sizes), 0.5),
        joined_bytes=(joined - before) / connections,
        played_bytes=(resident_bytes(job.pid) - before) / connections,
        games=tally.games,
        errors=dict(tally.errors),
    )


def _servers_cpu(job: Job) -> float:
    return sum(map(cpu_seconds, (job.pid, *job.nodes)))


async def turns(job: Job) -> Outcome:
    """The bare echo, or another server."""
    tally, make = Tally(), ROOMS[job.kind]
    warm = TurnRoom(job, tally, make(job, -1))
    await connect(warm.peers, job)
    warm.begin()
    await asyncio.sleep(0.2)
    warm.playing = False
    before = resident_bytes(job.pid)
    rooms = [TurnRoom(job, tally, make(job, number)) for number in range(job.rooms)]
    peers = [peer for room in rooms for peer in room.peers]
    await connect(peers, job)
    joined = resident_bytes(job.pid)
    for room in rooms:
        room.begin()
    outcome = await measure(job, tally, before, joined)
    return _checked(outcome, peers)


async def pharos(job: Job) -> Outcome:
    """Tables that play."""
    async with Rooms(job) as rooms:
        if not job.prepared:
            await _warm_up(job, rooms)
        before = resident_bytes(job.pid)
        load = Load(job, rooms.take)
        tables = [Table(load, await rooms.take()) for _ in range(job.rooms)]
        wires = [wire for table in tables for wire in (*table.seats, *table.spectators)]
        await connect(wires, job)
        joined = resident_bytes(job.pid)
        await rooms.fill(job.stock)
        load.playing = True
        for table in tables:
            table.begin()
        outcome = await measure(job, load.tally, before, joined, tables)
        load.playing = False
    return _checked(outcome, wires)


async def _warm_up(job: Job, rooms: Rooms) -> None:
    load = Load(replace(job, rate=0.0, actions=WARMING_UP, spectators=0), rooms.take)
    table = Table(load, await rooms.take())
    await connect(table.seats, job)
    load.playing = True
    table.begin()
    async with asyncio.timeout(PATIENCE):
        await table.rested.wait()
    for seat in table.seats:
        seat.close()
    await rooms.fill(job.rooms)


def _checked(outcome: Outcome, wires: Sequence[Wire]) -> Outcome:
    """Connections that were lost are errors, and so is a server that did nothing."""
    errors = dict(outcome.errors)
    for wire in wires:
        if wire.ended:
            errors[wire.ended] = errors.get(wire.ended, 0) + 1
    if not outcome.actions:
        errors["no action in all the time"] = 1
    return replace(outcome, errors=errors)


def main() -> None:
    """Do one job."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=Job)
    if job.cores:
        os.sched_setaffinity(0, job.cores)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        outcome = runner.run(turns(job) if job.kind in ROOMS else pharos(job))
    sys.stdout.buffer.write(msgspec.json.encode(outcome))


if __name__ == "__main__":
    main()
