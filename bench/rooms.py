"""Rooms for the load, made over HTTP by a client that keeps its connections."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

import msgspec

from bench.jobs import Job, Prepared

LINES = 4
"""How many rooms are made at a time."""

IDLE = 1.0
"""Seconds after which a connection is not used again: servers close those that are idle for some seconds."""


class _Answer(msgspec.Struct):
    token: str
    room: str = ""


class _Line:
    """One connection for calls, one after another."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._used = 0.0

    async def post(self, path: str, body: object) -> _Answer:
        """A call that makes something.

        Raises:
            RuntimeError: the server did not make it.
        """
        now = asyncio.get_running_loop().time()
        if self._reader is None or self._writer is None or now - self._used > IDLE:
            self.close()
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        content = msgspec.json.encode(body)
        head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
        self._writer.write(f"{head}{len(content)}\r\n\r\n".encode() + content)
        status, *headers = (await self._reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
        lengths = [int(line.partition(b":")[2]) for line in headers if line.startswith(b"content-length:")]
        answer = await self._reader.readexactly(lengths[0])
        self._used = asyncio.get_running_loop().time()
        if b" 201 " not in status + b" ":
            raise RuntimeError(f"POST {path}: {status.decode()} {answer.decode()}")
        return msgspec.json.decode(answer, type=_Answer)

    def close(self) -> None:
        """No more calls."""
        if self._writer is not None:
            self._writer.close()


class Rooms:
    """Makes rooms as the job wants them, and keeps a stock."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._stock: deque[Prepared] = deque(job.prepared)
        self._lines: asyncio.Queue[_Line] = asyncio.Queue()
        for _ in range(LINES):
            self._lines.put_nowait(_Line(job.port))

    async def __aenter__(self) -> Rooms:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while not self._lines.empty():
            self._lines.get_nowait().close()

    async def fill(self, count: int) -> None:
        """Have at least so many in stock."""
        made = await asyncio.gather(*(self._make() for _ in range(count - len(self._stock))))
        self._stock.extend(made)

    def take(self) -> asyncio.Future[Prepared]:
        """One of the stock, or a new one."""
        if not self._stock:
            return asyncio.ensure_future(self._make())
        ready: asyncio.Future[Prepared] = asyncio.get_running_loop().create_future()
        ready.set_result(self._stock.popleft())
        return ready

    async def _make(self) -> Prepared:
        line = await self._lines.get()
        try:
            made = await line.post("/api/rooms", {"game": self._job.game, "seats": self._job.seats, "kind": "bot"})
            path = f"/api/rooms/{made.room}/seats"
            others = [(await line.post(path, {"kind": "bot"})).token for _ in range(1, self._job.seats)]
        finally:
            self._lines.put_nowait(line)
        return Prepared(made.room, (made.token, *others))
