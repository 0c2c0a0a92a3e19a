"""What every socket of a process shares: the hub, the limits, the wheel, and the way down.

Going down: `drain` tells every client and refuses new ones; `close` ends every connection with 1001; `abort` cuts what
is still there.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

from server.settings import Settings
from server.web.hub import Attached
from server.web.limits import Limits, Proxies
from server.web.origins import Origins
from server.web.session import Surroundings
from server.web.traffic import Traffic
from server.web.wheel import Wheel

if TYPE_CHECKING:
    from server.web.socket import Socket

TURNS = 4
"""How often the wheel looks at a connection within the shortest of its times."""


class Endpoint:
    """The WebSocket endpoint of one process."""

    def __init__(self, hub: Attached, settings: Settings, limits: Limits, origins: Origins, traffic: Traffic) -> None:
        self.wire = settings.wire
        self.limits = limits
        self.origins = origins
        self.traffic = traffic
        self.proxies = Proxies(settings.trusted_proxies)
        self.around = Surroundings(hub, settings.wire, traffic, lambda: self.draining)
        self.draining = False
        self.sockets: set[Socket] = set()
        self._spread = settings.reconnect_spread
        wire = settings.wire
        shortest = min(wire.ping_every, wire.dead_after, wire.join_within, wire.stuck_after, wire.close_within)
        self.wheel = Wheel(shortest / TURNS / 1000)

    def start(self) -> None:
        """Look after connections from now on."""
        self.wheel.start()

    def reconnect_after(self) -> int:
        """When a client is to come back, in ms: another moment for each."""
        return random.randint(0, self._spread)  # noqa: S311 - spreads load, guards nothing

    def drain(self) -> None:
        """Tell every client that the server goes; who comes from now on is told, too, and sent away."""
        self.draining = True
        for socket in tuple(self.sockets):
            socket.warn()

    def close(self) -> None:
        """End every connection with 1001, what waits for it first."""
        for socket in tuple(self.sockets):
            socket.shutdown()

    async def closed(self, within: float) -> bool:
        """Wait until no connection is left, at most so many seconds; whether none is."""
        ends = asyncio.get_running_loop().time() + within
        while self.sockets and asyncio.get_running_loop().time() < ends:
            await asyncio.sleep(0.02)
        return not self.sockets

    def abort(self) -> None:
        """Cut every connection that is left, and look after none any more."""
        for socket in tuple(self.sockets):
            socket.abort()
        self.wheel.stop()
