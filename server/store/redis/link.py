"""One connection that everybody shares: what a turn of the event loop asks for travels as one write.

It is redis-py's connection (address, TLS, authentication, hiredis), used without its client, pool and pipeline: those
cost several times what the rest does, and they send again by themselves. Rules that hold here:

1. Replies come in the order of the commands. Nothing is ever sent twice.
2. Whoever calls gets a reply, an error of the server, or `Lost`, within `limit` seconds; however many call at once,
   they share the connection and nobody is turned away.
3. A reply that is overdue ends the connection: what comes later is nobody's. The next call opens another.
4. With `replicas`, a turn's commands that are to be durable are answered once so many replicas have them: WAIT counts
   what its own connection wrote.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

import hiredis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from server.store.redis.scripts import Command

Reply: TypeAlias = Any
"""What a server says: numbers, bytes, None, and lists of such; `replies` gives it a form."""
Dial = Callable[[], Awaitable[AbstractConnection]]


class Lost(Exception):  # noqa: N818
    """The connection can't be had, or ended, or the reply is overdue. `sent`: the command may have arrived."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


class TooFewReplicas(Exception):  # noqa: N818
    """It is done, but too few replicas said in time that they have it."""


class _Call:
    """A command, when its reply is due (on the loop's clock), and who waits for it."""

    __slots__ = ("durable", "future", "packed", "reply", "until")

    def __init__(self, packed: bytes, until: float, *, durable: bool) -> None:
        self.packed = packed
        self.until = until
        self.durable = durable
        self.future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self.reply: Reply = None

    def succeed(self, reply: Reply) -> None:
        if not self.future.done():
            self.future.set_result(reply)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class _Wait(_Call):
    """The end of a turn: how many replicas have all before it."""

    __slots__ = ("calls", "replicas")

    def __init__(self, calls: Sequence[_Call], replicas: int, milliseconds: int) -> None:
        super().__init__(_packed(("WAIT", replicas, milliseconds)), calls[0].until, durable=False)
        self.calls = calls
        self.replicas = replicas

    def succeed(self, reply: Reply) -> None:
        if isinstance(reply, int) and reply >= self.replicas:
            super().succeed(reply)
            for call in self.calls:
                call.succeed(call.reply)  # but for what was refused
        else:
            self.fail(TooFewReplicas(f"{reply} of {self.replicas} replicas"))

    def fail(self, error: Exception) -> None:
        """The calls before it are done, whatever the server has against waiting for its replicas."""
        super().succeed(None)
        told = TooFewReplicas(str(error)) if isinstance(error, ResponseError) else error
        for call in self.calls:
            call.fail(told)


class Link:
    """One connection, opened when somebody calls. `dial` opens it; the text of its errors has no secrets."""

    def __init__(self, dial: Dial, limit: float, replicas: int = 0) -> None:
        self._dial = dial
        self._limit = limit
        self._replicas = replicas
        self._waiting: list[_Call] = []
        self._sent: deque[_Call] = deque()
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._wake = asyncio.Event()
        self._runner: asyncio.Task[None] | None = None
        self._loop = asyncio.get_running_loop()

    def call(self, command: Command, *, durable: bool = False) -> asyncio.Future[Reply]:
        """Send a command with the others of this turn; its reply, a ResponseError, Lost or TooFewReplicas."""
        packed = _packed(command)
        if not self._waiting:
            self._until = self._loop.time() + self._limit
            self._wake.set()
            if self._timer is None:
                self._timer = self._loop.call_at(self._until, self._watch)
        call = _Call(packed, self._until, durable=durable and self._replicas > 0)
        self._waiting.append(call)
        if self._runner is None:
            self._runner = self._loop.create_task(self._run())
        return call.future

    def call_after(self, first: Command, command: Command) -> asyncio.Future[Reply]:
        """Two commands that nothing may come between; the reply of the second."""
        self.call(first).add_done_callback(heard)
        return self.call(command)

    def cut(self, reason: str) -> None:
        """End the connection; whoever waits for it is told so."""
        if self._runner is not None:
            self._runner.cancel()
        self._abandon(reason)

    async def close(self) -> None:
        """Wait for what is under way, and end."""
        while pending := [call.future for call in (*self._sent, *self._waiting) if not call.future.done()]:
            await asyncio.wait(pending)
        if self._timer is not None:
            self._timer.cancel()
        if self._runner is not None:
            self._runner.cancel()
            await asyncio.gather(self._runner, return_exceptions=True)

    def _watch(self) -> None:
        """See that no reply is overdue, the oldest first."""
        self._timer = None
        oldest = self._sent[0] if self._sent else self._waiting[0] if self._waiting else None
        if oldest is None:
            return
        if oldest.until > self._loop.time():
            self._timer = self._loop.call_at(oldest.until, self._watch)
        else:
            self.cut("no reply in time")

    def _abandon(self, reason: str) -> None:
        """Tell all who wait. What was not written at all did not happen."""
        self._runner = None
        sent, self._sent = self._sent, deque()
        waiting, self._waiting = self._waiting, []
        for call in sent:
            call.fail(Lost(reason, sent=True))
        for call in waiting:
            call.fail(Lost(reason, sent=False))

    async def _run(self) -> None:
        """Open the connection, and write and read until it ends."""
        connection: AbstractConnection | None = None
        me = asyncio.current_task()
        try:
            connection = await self._dial()
            reading = self._loop.create_task(self._read(connection))
            try:
                await self._write(connection, reading)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
        except Exception as error:
            if self._runner is me:
                self._abandon(str(error))
        finally:
            if connection is not None:
                with contextlib.suppress(Exception):
                    await connection.disconnect(nowait=True)

    async def _write(self, connection: AbstractConnection, reading: asyncio.Task[None]) -> None:
        """Write what waits, turn by turn, until the reader ends."""
        reading.add_done_callback(lambda _: self._wake.set())
        while not reading.done():
            if not self._waiting:
                self._wake.clear()
                await self._wake.wait()
                continue
            calls, self._waiting = self._waiting, []
            durable = [call for call in calls if call.durable]
            if durable:
                calls.append(_Wait(durable, self._replicas, int(self._limit * 500)))
            self._sent.extend(calls)
            await connection.send_packed_command([call.packed for call in calls], check_health=False)
        await reading

    async def _read(self, connection: AbstractConnection) -> None:
        """Give each reply to whoever asked for it."""
        while True:
            try:
                reply: Reply = await connection.read_response(disable_decoding=True)
            except ResponseError as error:
                self._next().fail(error)
                continue
            call = self._next()
            if call.durable:
                call.reply = reply
            else:
                call.succeed(reply)

    def _next(self) -> _Call:
        if not self._sent:
            raise Lost("a reply that nobody asked for", sent=False)
        return self._sent.popleft()


def _packed(command: Command) -> bytes:
    packed: bytes = hiredis.pack_command(command)  # type: ignore[arg-type]  # its stub has a tuple of one argument
    return packed


def heard(future: asyncio.Future[Reply]) -> None:
    """Nobody else asks how it ended."""
    if not future.cancelled():
        future.exception()
