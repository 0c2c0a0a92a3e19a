"""What every socket of a process shares: the hub, the limits, the wheel, and the way down.

Going down: while the gate is shut, who comes is told so and sent away; `drain` tells those who are there; `close` ends
every connection with 1001; `abort` cuts what is left.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog

from server.settings import Settings
from server.web.frames import Framing
from server.web.limits import Limits, Proxies
from server.web.origins import Origins
from server.web.session import Surroundings
from server.web.wheel import Wheel

if TYPE_CHECKING:
    from server.web.socket import Socket

log = structlog.get_logger()

AT_ONCE = 32
"""To how many connections is written in one turn of the loop, and to how many of those who wait already: a crowd's
frames must not hold up its players' next."""

TURNS = 4
"""How often the wheel looks at a connection within the shortest of its times."""


class Endpoint:
    """The WebSocket endpoint of one process."""

    def __init__(self, settings: Settings, around: Surroundings, limits: Limits, origins: Origins) -> None:
        self.wire = settings.wire
        self.around = around
        self.gate = around.gate
        self.traffic = around.traffic
        self.limits = limits
        self.origins = origins
        self.proxies = Proxies(settings.trusted_proxies)
        self.sockets: set[Socket] = set()
        self._empty: asyncio.Event | None = None
        self.framings = {binary: Framing(binary=binary) for binary in (False, True)}
        self._waiting: list[Socket] = []
        self._later: deque[Socket] = deque()
        self._spread = settings.reconnect_spread
        wire = settings.wire
        shortest = min(wire.ping_every, wire.dead_after, wire.join_within, wire.stuck_after, wire.close_within)
        self.wheel = Wheel(shortest / TURNS / 1000)

    def start(self) -> None:
        """Look after connections from now on."""
        self.wheel.start()

    def wake(self, socket: Socket) -> None:
        """Something waits in this socket's outbox: let it write at the end of this turn of the loop, or soon after."""
        if not self._waiting and not self._later:
            asyncio.get_running_loop().call_soon(self._flush)
        self._waiting.append(socket)

    def _flush(self) -> None:
        """Let some write: the first who were woken since the last time, and those who have been waiting for longest.

        Among the first are a room's players, among the rest hardly; and no stream of newcomers keeps the rest waiting.
        """
        fresh, self._waiting = self._waiting, []
        longest = [self._later.popleft() for _ in range(min(AT_ONCE, len(self._later)))]
        self._later.extend(fresh[AT_ONCE:])
        if self._later:
            asyncio.get_running_loop().call_soon(self._flush)
        for socket in (*fresh[:AT_ONCE], *longest):
            try:
                socket.flush()
            except Exception:
                log.exception("a connection could not be written to")
                socket.abort()

    def reconnect_after(self) -> int:
        """When a client is to come back, in ms: another moment for each."""
        return random.randint(0, self._spread)  # noqa: S311 - spreads load, guards nothing

    def drain(self) -> None:
        """Tell every client that the server goes."""
        for socket in tuple(self.sockets):
            socket.warn()

    def close(self) -> None:
        """End every connection with 1001, what waits for it first."""
        for socket in tuple(self.sockets):
            socket.shutdown()

    def leave(self, socket: Socket) -> None:
        """A connection is gone."""
        self.sockets.discard(socket)
        if not self.sockets and self._empty is not None:
            self._empty.set()

    async def closed(self, within: float) -> bool:
        """Wait until no connection is left, at most so many seconds; whether none is."""
        self._empty = asyncio.Event()
        if self.sockets:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._empty.wait(), within)
        return not self.sockets

    def abort(self) -> None:
        """Cut every connection that is left, and look after none any more."""
        for socket in tuple(self.sockets):
            socket.abort()
        self.wheel.stop()
