"""What an append costs: `python -m bench.store [memory|sqlite|redis]… [seconds]`.

Rooms append one entry after another, each as fast as its own replies come, through one store object. Told are appends
a second, the CPU of an append in the event loop's thread, in all others together, and in a server of the store's own,
and how long one takes. Both SQLite and Redis are on the disc before they answer (`appendfsync always`).
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench import servers
from bench.machine import cpu_seconds
from clients.load.ledger import percentile
from protocol.messages import RoomId
from server.store.memory import MemoryStore
from server.store.redis import RedisStore, read_url
from server.store.sqlite import SqliteStore
from server.store.store import EMPTY, Append, Index, Store, wall_clock

ENTRY = b"x" * 150
KINDS = ("memory", "sqlite", "redis")
LISTING = b"l" * 700


async def play(store: Store, room: RoomId, until: float, took: list[float]) -> None:
    """Append to one room until the time is over."""
    head = EMPTY
    while (begun := time.perf_counter()) < until:
        index = Index("dragonwood", "playing", True, 0, LISTING, due=30_000, clock=True)
        append = Append(room, head, (ENTRY,), (secrets.token_hex(8),), index, wall_clock() + 3_000)
        head = await store.append(append)
        took.append(time.perf_counter() - begun)


async def measure(store: Store, rooms: int, seconds: float, server_cpu: Callable[[], float]) -> None:
    """Measure with so many rooms at a time."""
    took: list[float] = []
    server, loop, process, begun = server_cpu(), time.thread_time(), cpu_seconds(os.getpid()), time.perf_counter()
    until = begun + seconds
    await asyncio.gather(*(play(store, RoomId(secrets.token_hex(4)), until, took) for _ in range(rooms)))
    wall = time.perf_counter() - begun
    loop, process, server = time.thread_time() - loop, cpu_seconds(os.getpid()) - process, server_cpu() - server
    took.sort()
    print(
        f"{rooms:5} rooms {len(took) / wall:8.0f} appends/s   CPU an append: loop {loop / len(took) * 1e6:6.1f} µs, "
        f"other threads {(process - loop) / len(took) * 1e6:6.1f} µs, server {server / len(took) * 1e6:6.1f} µs   "
        f"p50 {percentile(took, 0.5) * 1e3:6.2f} ms, p99 {percentile(took, 0.99) * 1e3:6.2f} ms"
    )


@contextmanager
def made(kind: str, folder: Path) -> Iterator[tuple[Store, Callable[[], float]]]:
    """A store of the kind, and the CPU that a server of its own has used so far."""
    if kind == "redis":
        with servers.redis(folder, os.sched_getaffinity(0)) as server:
            yield RedisStore(read_url(f"redis://127.0.0.1:{server.port}")), lambda: cpu_seconds(server.pid)
    else:
        yield MemoryStore() if kind == "memory" else SqliteStore(folder / "bench.db"), lambda: 0.0


async def main(kinds: Sequence[str], seconds: float) -> None:
    """Measure each kind of store."""
    for kind in kinds:
        with tempfile.TemporaryDirectory() as folder, made(kind, Path(folder)) as (store, server_cpu):
            print(kind)
            await store.open()
            for rooms in (1, 10, 50, 200, 1000):
                await measure(store, rooms, seconds, server_cpu)
            await store.close()


if __name__ == "__main__":
    words = sys.argv[1:]
    named = [word for word in words if word in KINDS] or KINDS
    asyncio.run(main(named, float(words[-1]) if words and words[-1] not in KINDS else 3.0))
