"""A process of its own that appends: `python -m tests.store.appender FILE ROOM… `.

It appends to all the rooms at once, one, two or three entries at a time, and prints a line `room seq tag,tag,…` for
every append that was acknowledged, until it is ended. Where another process was faster it goes on from there.
"""

from __future__ import annotations

import asyncio
import random
import sys

from protocol.messages import RoomId
from server.store.sqlite import SqliteStore
from server.store.store import EMPTY, Conflict, Store
from tests.store.contract import of


async def append_to(store: Store, room: RoomId) -> None:
    """Append for ever."""
    head = await store.head(room) or EMPTY
    while True:
        entries = [b"%d" % (head.seq + n) for n in range(1, random.randint(2, 4))]
        append = of(room, head, *entries)
        try:
            head = await store.append(append)
        except Conflict as conflict:
            head = conflict.head
        else:
            print(room, head.seq, ",".join(append.tags), flush=True)


async def main() -> None:
    """Append to every room named."""
    store = SqliteStore(sys.argv[1])
    await store.open()
    await asyncio.gather(*(append_to(store, RoomId(room)) for room in sys.argv[2:]))


asyncio.run(main())
