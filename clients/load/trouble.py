"""Difficulties, on purpose: connections cut, clients that stop reading for a while, servers killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Sequence

from clients.connection import Connection
from clients.load.host import Host
from clients.load.ledger import Ledger
from clients.load.party import Party

SLEEPS = (2.0, 10.0)
"""For how many seconds a slow reader reads nothing, from and to."""

AWAKE = (0.5, 3.0)
"""For how many seconds it reads in between."""


async def cut(parties: Sequence[Party], a_minute: float, ledger: Ledger) -> None:
    """Cut any connection's TCP, so often a minute."""
    while True:
        await asyncio.sleep(random.expovariate(a_minute / 60))
        connections = [connection for party in parties for connection in party.connections]
        if connections and (transport := random.choice(connections).transport) is not None:
            transport.abort()
            ledger.trouble("cut")


async def dawdle(connection: Connection) -> None:
    """Read, stop reading, read on: a telephone in a pocket."""
    while True:
        await asyncio.sleep(random.uniform(*AWAKE))
        transport = connection.transport
        if transport is None or transport.is_closing():
            continue
        transport.pause_reading()
        try:
            await asyncio.sleep(random.uniform(*SLEEPS))
        finally:
            if not transport.is_closing():
                transport.resume_reading()


async def kill_host(host: Host, every: float, ledger: Ledger) -> None:
    """Kill the tool's own server every so many seconds; it starts again at once."""
    while True:
        await asyncio.sleep(every)
        ledger.trouble("kill")
        await host.kill()
        ledger.trouble("up")


async def kill_process(pid: int, after: float, ledger: Ledger) -> None:
    """Kill a process once; whoever looks after it may start it again."""
    await asyncio.sleep(after)
    os.kill(pid, signal.SIGKILL)
    ledger.trouble("kill")
