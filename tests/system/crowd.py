"""A crowd of spectators that costs next to nothing: each reads what comes, and goes elsewhere when it is sent away."""

from __future__ import annotations

import asyncio
import json
import struct
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from tests.web.raw import CLOSE, PING, PONG, RawSocket, frame, raw

AGAIN = 0.1
"""Seconds before another node is tried when one does not answer at all."""


@dataclass
class Crowd:
    """Spectators over all nodes and rooms. `attached`: how many got a snapshot of their room in their last place."""

    ports: Sequence[int]
    rooms: Sequence[str]
    attached: set[int] = field(default_factory=set)
    sent_away: int = 0
    pauses: list[int] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """Every end of a connection that was not: `closing`, then 1001."""
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def watch(self, number: int) -> None:
        """One spectator, until it is cancelled."""
        place = number
        while True:
            port = self.ports[place % len(self.ports)]
            try:
                async with raw(port) as socket:
                    pause = await self._once(number, socket)
            except (ConnectionError, TimeoutError, asyncio.IncompleteReadError) as error:
                if number in self.attached:
                    self.wrong.append(repr(error))
                pause = AGAIN
            self.attached.discard(number)
            place += 1
            await asyncio.sleep(pause)

    async def _once(self, number: int, socket: RawSocket) -> float:
        """One connection, to its end; after how many seconds to come back."""
        await socket.handshake()
        socket.say(t="join", id=1, room=self.rooms[number % len(self.rooms)])
        closing: int | None = None
        while True:
            opcode, payload = await socket.frame()
            if opcode == PING:
                socket.send(frame(PONG, payload))
            elif opcode == CLOSE:
                code = struct.unpack("!H", payload[:2])[0]
                socket.send(frame(CLOSE, payload[:2]))
                await socket.writer.drain()
                return self._sent_away(code, closing)
            elif payload.startswith(b'{"t":"closing"'):
                closing = json.loads(payload)["reconnect_after"]
            elif payload.startswith(b'{"t":"snapshot"'):
                self.attached.add(number)
                self.news.set()

    def _sent_away(self, code: int, closing: int | None) -> float:
        if code != 1001 or closing is None:
            self.wrong.append(f"{code} after {closing}")
            return AGAIN
        self.sent_away += 1
        self.pauses.append(closing)
        return closing / 1000

    async def until_attached(self, count: int) -> None:
        """Until so many watch their rooms at once."""
        while len(self.attached) < count:
            self.news.clear()
            await self.news.wait()


async def stick(stack: AsyncExitStack, port: int, room: str) -> None:
    """A spectator that joins, and then never reads a byte, while the stack is open."""
    socket = await stack.enter_async_context(raw(port, buffer=256, kernel=4096))
    await socket.handshake()
    socket.say(t="join", id=1, room=room)
    await socket.writer.drain()
