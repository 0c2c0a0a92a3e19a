"""What an append costs: `python -m bench.store [sqlite|memory] [seconds]`.

Rooms append one entry after another, each as fast as its own replies come, through one store object. Told are appends
a second, the CPU of an append in the event loop's thread and in all others together, and how long one takes.
"""

from __future__ import annotations

import asyncio
import resource
import secrets
import sys
import tempfile
import time
from pathlib import Path

from protocol.messages import RoomId
from server.store.memory import MemoryStore
from server.store.sqlite import SqliteStore
from server.store.store import EMPTY, Append, Index, Store, wall_clock

ENTRY = b"x" * 150
LISTING = b"l" * 700


async def play(store: Store, room: RoomId, until: float, took: list[float]) -> None:
    """Append to one room until the time is over."""
    head = EMPTY
    while (begun := time.perf_counter()) < until:
        index = Index("dragonwood", "playing", True, 0, LISTING, due=30_000, clock=True)
        append = Append(room, head, (ENTRY,), (secrets.token_hex(8),), index, wall_clock() + 3_000)
        head = await store.append(append)
        took.append(time.perf_counter() - begun)


async def measure(store: Store, rooms: int, seconds: float) -> None:
    """Measure with so many rooms at a time."""
    took: list[float] = []
    loop, process, begun = time.thread_time(), _cpu(), time.perf_counter()
    until = begun + seconds
    await asyncio.gather(*(play(store, RoomId(secrets.token_hex(4)), until, took) for _ in range(rooms)))
    wall = time.perf_counter() - begun
    loop, process = time.thread_time() - loop, _cpu() - process
    took.sort()
    print(
        f"{rooms:5} rooms {len(took) / wall:8.0f} appends/s   CPU an append: loop {loop / len(took) * 1e6:6.1f} µs, "
        f"other threads {(process - loop) / len(took) * 1e6:6.1f} µs   "
        f"p50 {took[len(took) // 2] * 1e3:6.2f} ms, p99 {took[len(took) * 99 // 100] * 1e3:6.2f} ms"
    )


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main(kind: str, seconds: float) -> None:
    """Measure one kind of store."""
    with tempfile.TemporaryDirectory() as folder:
        store: Store = MemoryStore() if kind == "memory" else SqliteStore(Path(folder) / "bench.db")
        await store.open()
        for rooms in (1, 10, 50, 200, 1000):
            await measure(store, rooms, seconds)
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "sqlite", float(sys.argv[2]) if len(sys.argv) > 2 else 3.0))
