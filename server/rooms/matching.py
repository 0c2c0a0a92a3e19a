"""Finding a table for whoever wants to play (`POST /api/match`, protocol section 7).

The answer to such a call may be lost, so the call may be sent again: who sits at a table by a token already, or is on
the way to one, gets that seat and no second one. This node remembers as many matches as it may; what another node
found it knows only where the room is still open.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import orjson

from protocol.codes import Code, ProtocolError
from protocol.messages import CreateRoom, FindMatch, MatchFound, RoomId, TakeSeat
from server.engines import AnyEngine, latest
from server.rooms.deciding import refuse
from server.rooms.options import flat, read_options
from server.rooms.requests import hashed
from server.rooms.state import Status

if TYPE_CHECKING:
    from server.rooms.desk import Desk
    from server.rooms.table import Table

PAGE = 50
PAGES = 20
REMEMBERED = 10_000
"""How many matches are remembered, the last ones."""

NOT_NOW = (Code.BAD_MESSAGE, Code.UNAVAILABLE, Code.UNKNOWN_OUTCOME)
"""Refusals of a seat after which no other room is tried."""

NewRoom = Callable[[], AbstractContextManager[None]]
"""Within its value a new room is made."""

Wish = tuple[bytes, str, int]
"""Who wants to play (the hash of the token), which game, and with how many seats."""


class Matching:
    """The matches of one node."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._found: OrderedDict[Wish, RoomId] = OrderedDict()
        self._looking: WeakValueDictionary[Wish, asyncio.Lock] = WeakValueDictionary()

    async def match(self, body: FindMatch, token: str, new_room: NewRoom) -> MatchFound:
        """A seat in the oldest public room with default options where somebody waits, or in a new one.

        `new_room`: within it a new room is made; it may refuse that.

        Raises:
            ProtocolError: see `Desk.create`.
        """
        engine = latest(body.game)
        if engine is None:
            refuse(Code.UNKNOWN_GAME, "game: there is no such game here")
        wish = (hashed(token), body.game, body.seats)
        lock = self._looking.setdefault(wish, asyncio.Lock())
        async with lock:
            found = await self._again(wish, token) or await self._find(engine, body, token)
            if found is None:
                with new_room():
                    made = await self._desk.create(CreateRoom(body.game, body.seats, name=body.name), token)
                found = MatchFound(RoomId(made.room), 0, token)
            self._remember(wish, RoomId(found.room))
        return found

    def _remember(self, wish: Wish, room: RoomId) -> None:
        self._found.pop(wish, None)
        self._found[wish] = room
        if len(self._found) > REMEMBERED:
            self._found.popitem(last=False)

    async def _again(self, wish: Wish, token: str) -> MatchFound | None:
        """The seat that this token was given before, while its game has not ended and it has not given it up."""
        room = self._found.get(wish)
        if room is None:
            return None

        async def held(table: Table) -> int | None:
            return None if table.room.state.ended else table.room.state.holder(wish[0])

        try:
            seat = await self._desk.on(room, held)
        except ProtocolError as error:
            if error.code in NOT_NOW:
                raise
            return None
        return None if seat is None else MatchFound(room, seat, token)

    async def _find(self, engine: AnyEngine, body: FindMatch, token: str) -> MatchFound | None:
        """A seat where somebody waits, if there is one."""
        take = TakeSeat(name=body.name)
        for room in reversed(await self._waiting_rooms(engine, body.seats)):
            try:
                taken, _ = await self._desk.take_seat(room, take, token, bot_host=False)
            except ProtocolError as error:
                if error.code in NOT_NOW:
                    raise
                continue
            return MatchFound(room, taken.seat, token)
        return None

    async def _waiting_rooms(self, engine: AnyEngine, seats: int) -> list[RoomId]:
        """Open rooms as a match wants them, newest first."""
        plain, found, cursor = flat(*read_options(engine, {})), [], None
        for _ in range(PAGES):
            page = await self._desk.stored(self._desk.store.rooms(engine.name, Status.OPEN.value, cursor, PAGE))
            for listed in page.rooms:
                part = orjson.loads(listed.listing)
                free = None in part["seats"]
                if listed.connected and free and len(part["seats"]) == seats and part["options"] == plain:
                    found.append(listed.room)
            cursor = page.cursor
            if cursor is None:
                break
        return found
