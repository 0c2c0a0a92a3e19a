"""What a finished game takes in Redis: `python -m bench.redis_sizes [games]`.

So many games of each kind are played out by random bots on a server process; then Redis is asked for the memory of
every key of their rooms, as they lie when the game is over, and once they are compressed.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from clients.bots.runner import Plan, play_game
from protocol.messages import RoomId
from server.store.redis import RedisStore, read_url
from server.store.redis.keys import RoomKeys
from tests.processes import serving
from tests.redis_server import RedisServer, redis_server

GAMES = (("dragonwood", 3), ("islet", 3), ("burano", 3), ("bretagne", 3))
PARTS = ("journal", "archive", "snapshot", "lines", "said", "here")


def sizes(redis: RedisServer, room: RoomId) -> dict[str, int]:
    """The bytes of each of the room's keys."""
    where = RoomKeys(room)
    keys = {"room": where.room, **{part: getattr(where, part) for part in PARTS}}
    found = {part: redis.ask("MEMORY", "USAGE", key, "SAMPLES", 0) for part, key in keys.items()}
    return {part: size for part, size in found.items() if size}


def told(found: dict[str, int]) -> str:
    """All together, and each."""
    return f"{sum(found.values()):7}  ({', '.join(f'{part} {size}' for part, size in found.items())})"


async def measure(redis: RedisServer, store: RedisStore, plan: Plan) -> None:
    """Play one game and look at what it left."""
    room = RoomId((await play_game(plan)).room)
    entries = await store.read(room)
    mean = sum(len(entry.data) for entry in entries) / len(entries)
    before = sizes(redis, room)
    await store.compact(room)
    after = sizes(redis, room)
    print(f"{plan.game:11} {len(entries):4} entries of {mean:4.0f} bytes   over: {told(before)}")
    print(f"{'':33}compressed: {told(after)}   {sum(after.values()) / len(entries):.0f} bytes an entry", flush=True)


async def main(games: int) -> None:
    """Play so many games of each kind."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        redis = stack.enter_context(redis_server(folder))
        server = stack.enter_context(serving({"PHAROS_STORE": redis.url}))
        store = RedisStore(read_url(redis.url))
        await store.open()
        for game, seats in GAMES:
            for seed in range(games):
                await measure(redis, store, Plan(server.url, game, seats, ["random"], seed=seed))
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
