"""A room full of clients: its seats play at random with time to think, its spectators watch, one game after another.

Rules that hold here:

1. Every seat and every spectator has a connection of its own, and keeps it when a game ends and the next begins.
2. Whoever reads never waits for whoever thinks, so an update's latency is that of the server and the wire.
3. In a party that is checked every client compares its state with the server's: now and then, and at the end.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any, TypeVar

import msgspec

from clients.connection import Connection, Room
from clients.errors import Refused, Unreachable
from clients.load.ledger import Ledger, Watch
from clients.lobby import Lobby
from protocol.codec import JSON, MSGPACK, Codec
from protocol.digest import digest
from protocol.messages import Patch, Snapshot, Turn

T = TypeVar("T")

CODECS: Mapping[str, Sequence[Codec]] = {"json": (JSON,), "msgpack": (MSGPACK,), "both": (JSON, MSGPACK)}
CHECK_EVERY = 25
"""Updates between two checks of one client."""

ATTEMPTS = 20
"""How often a check is tried again because another entry came in between."""

AGAIN = 0.2
"""Seconds before a call to a server that is away is tried again."""

PATIENCE = 15.0
"""For how long a party that is to end waits for what it has asked for."""


class Wish(msgspec.Struct, frozen=True):
    """What a party is to be. `think`: seconds of thinking in the mean (exponential), 0: none."""

    url: str
    game: str = "dragonwood"
    seats: int = 4
    spectators: int = 0
    think: float = 0.5
    codec: str = "json"
    options: Mapping[str, Any] = {}


async def insist(call: Callable[[], Awaitable[T]]) -> T:
    """The answer of a call that is made again as long as the server is away or asks for patience."""
    while True:
        try:
            return await call()
        except Unreachable:
            await asyncio.sleep(AGAIN)
        except Refused as refusal:
            if refusal.retry_after is None:
                raise
            await asyncio.sleep(refusal.retry_after / 1000)


class Party:
    """The clients of one room after another."""

    def __init__(self, wish: Wish, ledger: Ledger, *, checked: bool, slow: int = 0) -> None:
        """`slow`: how many of the spectators are slow readers, whose latencies tell nothing of the server's."""
        self._slow = slow
        self._wish = wish
        self._ledger = ledger
        self._checked = checked
        self._lobby = Lobby(wish.url)
        self._closing = asyncio.Event()
        self._acting: set[asyncio.Task[None]] = set()
        self.seated = asyncio.Event()
        """Set when all connections are there."""
        self.connections: list[Connection] = []
        """The seats' first, then the spectators'."""

    @property
    def slow_readers(self) -> Sequence[Connection]:
        """The connections of those who are to stop reading now and then."""
        return self.connections[len(self.connections) - self._slow :]

    async def run(self) -> None:
        """Play until `finish`."""
        codecs = CODECS[self._wish.codec]
        async with AsyncExitStack() as stack:
            for number in range(self._wish.seats + self._wish.spectators):
                connection = Connection(self._wish.url, codec=codecs[number % len(codecs)])
                self.connections.append(await stack.enter_async_context(connection))
            self.seated.set()
            while not self._closing.is_set():
                await self._game()

    def finish(self) -> None:
        """Let nobody begin to think any more; `run` ends when what was asked for is answered and checked."""
        self._closing.set()

    async def _game(self) -> None:
        room, tokens = await self._seats()
        attached = await asyncio.gather(
            *(
                insist(partial(connection.join, room, token, legal=token is not None))
                for connection, token in zip(self.connections, tokens, strict=True)
            )
        )
        watch = Watch(self._ledger)
        over = asyncio.create_task(self._view_all(attached, watch))
        closing = asyncio.create_task(self._closing.wait())
        try:
            await asyncio.wait((over, closing), return_when=asyncio.FIRST_COMPLETED)
            if self._acting:
                await asyncio.wait(self._acting, timeout=PATIENCE)
            await self._look_back(attached, watch)
            if over.done():
                over.result()
                self._ledger.games += 1
                await asyncio.gather(*(each.leave() for each in attached))
        except TimeoutError:
            self._ledger.failures["a room that did not come to rest"] += 1
        finally:
            left = (over, closing, *self._acting)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    async def _seats(self) -> tuple[str, list[str | None]]:
        """A new room: its id, and the tokens of those who join it, None for a spectator's."""
        wish = self._wish
        made = await insist(
            lambda: self._lobby.create(wish.game, wish.seats, kind="bot", options=dict(wish.options)),
        )
        tokens: list[str | None] = [made["token"]]
        for _ in range(1, wish.seats):
            taken = await insist(lambda: self._lobby.take_seat(made["room"], kind="bot"))
            tokens.append(taken["token"])
        return made["room"], [*tokens, *(None for _ in range(wish.spectators))]

    async def _view_all(self, rooms: Sequence[Room], watch: Watch) -> None:
        prompt = len(rooms) - self._slow
        unseen = Watch(Ledger())
        await asyncio.gather(*(self._view(room, watch if n < prompt else unseen) for n, room in enumerate(rooms)))

    async def _view(self, room: Room, watch: Watch) -> None:
        """One client, until the game is over."""
        updates, last = random.randrange(CHECK_EVERY), 0
        async for message in room:
            if isinstance(message, Snapshot) and message.seq < last:
                self._ledger.failures["entries lost that a client had seen"] += last - message.seq
            if isinstance(message, Patch | Snapshot):
                last = message.seq
            if isinstance(message, Patch):
                watch.seen(message.seq)
                updates += 1
                if self._checked and not updates % CHECK_EVERY:
                    self._start(self._check(room))
            elif isinstance(message, Turn) and not self._closing.is_set():
                self._start(self._think(room, message, watch))
            if isinstance(message, Patch | Snapshot) and room.over:
                return
        room.check_attached()

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)

    async def _think(self, room: Room, turn: Turn, watch: Watch) -> None:
        """Think, then act, unless the decision has become another."""
        if self._wish.think:
            await asyncio.sleep(random.expovariate(1 / self._wish.think))
        if room.actions is not turn.actions or self._closing.is_set():
            return
        asked = time.monotonic()
        try:
            watch.acted(await room.act(random.choice(turn.actions), seq=turn.seq), asked)
        except Refused as refusal:
            self._ledger.refusal(refusal.code)

    async def _check(self, room: Room) -> None:
        """Compare a client's state with the server's, when it is the newest that this client has been told."""
        for _ in range(ATTEMPTS):
            try:
                self._ledger.checked(same=await room.check(digest(room.state)))
            except Refused as refusal:
                if refusal.code != "stale":
                    self._ledger.failures[f"a check refused: {refusal.code}"] += 1
                    return
            else:
                return

    async def _look_back(self, rooms: Sequence[Room], watch: Watch) -> None:
        """Nobody acts any more: every client comes to hold every entry that was acknowledged, and the same state."""
        await asyncio.gather(*(self._caught_up(room, watch.acknowledged) for room in rooms))
        if self._checked:
            await asyncio.gather(*(self._check(room) for room in rooms))

    async def _caught_up(self, room: Room, seq: int) -> None:
        for _ in range(int(PATIENCE / AGAIN)):
            if room.seq >= seq:
                return
            await asyncio.sleep(AGAIN)
        raise TimeoutError
