"""What people do with rooms from outside: create, sit down, leave, invite, match, look, replay (protocol section 7)."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import orjson
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from protocol.codes import Code, ProtocolError
from protocol.messages import (
    CreateRoom,
    FindMatch,
    Invite,
    Json,
    MatchFound,
    OfferSeats,
    RoomCreated,
    RoomId,
    SeatTaken,
    TakeSeat,
)
from protocol.texts import clean_name
from server.engines import ENGINES, AnyEngine, latest
from server.engines.dice import commitment
from server.rooms import intents
from server.rooms.deciding import refuse
from server.rooms.entries import FORMAT, MAX_ENTRY, Created, Recorded, pack
from server.rooms.ids import new_id
from server.rooms.listing import index_of
from server.rooms.options import flat, read_options
from server.rooms.replaying import replay_of
from server.rooms.requests import given, hashed
from server.rooms.room import Keep, Room
from server.rooms.state import Status
from server.rooms.telling import window_now
from server.rooms.writing import carry_out, catch_up
from server.settings import Pace
from server.store.store import EMPTY, Append, Conflict, Listed, NotInTime, Store, StoreUnavailable, UnknownOutcome

if TYPE_CHECKING:
    from server.rooms.clock import Clock
    from server.rooms.matching import Matching, NewRoom
    from server.rooms.stats import HubStats
    from server.rooms.table import Table

T = TypeVar("T")

PAGE = 50
WAITING_AT_ONCE = 256
"""Rooms of which bot hosts are told with one answer."""
KINDS = ("human", "bot")


class Desk:
    """The HTTP side of a hub."""

    store: Store
    pace: Pace
    keep: Keep
    clock: Clock
    stats: HubStats
    matching: Matching

    async def on(self, room: RoomId, work: Callable[[Table], Awaitable[T]]) -> T:
        """Do something in the room's turn."""
        raise NotImplementedError

    async def create(self, body: CreateRoom, token: str) -> RoomCreated:
        """A new room; its creator sits on seat 0 unless the body says otherwise.

        Raises:
            ProtocolError: `unknown_game`, `bad_message`, `rate_limited` (too many rooms), `unavailable`.
        """
        engine = latest(body.game)
        if engine is None:
            refuse(Code.UNKNOWN_GAME, "game: there is no such game here")
        if body.seats not in engine.seats:
            refuse(Code.BAD_MESSAGE, f"seats: {engine.title} is for {engine.seats.start} to {engine.seats.stop - 1}")
        sits = body.seat is not False
        intent = _take(hashed(token), body.name, body.kind) if sits else None
        if not sits and (body.name is not UNSET or body.kind is not UNSET):
            refuse(Code.BAD_MESSAGE, "name, kind: no seat is taken")
        created = _created(engine, body, token)
        room = await self._store_new(created, intent)
        return RoomCreated(room, 0 if sits else None, token, commitment(created.seed).hex())

    async def _store_new(self, created: Created, first: intents.TakeSeat | None) -> RoomId:
        """Put a new journal into the store, under an id that nobody had; who sits down first is in it."""
        if len(pack(created)) > MAX_ENTRY:
            refuse(Code.TOO_LARGE, f"options: the room's first entry would have more than {MAX_ENTRY} bytes")
        try:
            if await self.store.count() >= self.pace.max_rooms:
                raise ProtocolError(Code.RATE_LIMITED, "there are as many rooms as may be", retry_after=60_000)
            while True:
                room, now = new_id(private=created.private), self.clock.now()
                entries = [Recorded(1, secrets.token_hex(8), now, created)]
                begun = Room.begin(room, entries[0], self.keep)
                if first is not None:
                    entries.append(Recorded(2, secrets.token_hex(8), now, begun.decide(first).entry))
                    begun.advance(entries[1])
                try:
                    await self.store.append(self._beginning(begun, entries, now + self.pace.append_timeout))
                except Conflict:
                    continue
                for entry in entries:
                    self.stats.committed(begun, entry)
                return room
        except UnknownOutcome:
            refuse(Code.UNKNOWN_OUTCOME, "the store did not tell in time whether the room exists")
        except (StoreUnavailable, NotInTime):
            raise unavailable() from None

    def _beginning(self, room: Room, entries: Sequence[Recorded], not_after: int) -> Append:
        """The first append of a room, which stands at the last of these entries."""
        # The store's time of the entry counts as the room's in lists, too.
        index = replace(index_of(room, room.state, self.pace), created=0)
        packed, tags = tuple(pack(entry.entry) for entry in entries), tuple(entry.tag for entry in entries)
        return Append(room.state.id, EMPTY, packed, tags, index, not_after)

    async def take_seat(self, room: RoomId, body: TakeSeat, token: str, *, bot_host: bool) -> tuple[SeatTaken, bool]:
        """A seat for the holder of the token; whether it was taken just now."""
        intent = intents.TakeSeat(
            hashed(token),
            _name(body.name),
            _kind(body.kind, "bot" if bot_host else "human"),
            given(body.seat),
            None if isinstance(body.entropy, UnsetType) else bytes.fromhex(body.entropy),
            None if isinstance(body.invite, UnsetType) else hashed(body.invite),
            bot_host,
        )

        async def work(table: Table) -> tuple[SeatTaken, bool]:
            held = table.room.state.holder(intent.holder)
            await carry_out(table, intent)
            seat = table.room.state.holder(intent.holder)
            if seat is None:
                refuse(Code.REVOKED, "the seat was given up meanwhile")
            return SeatTaken(seat, token), held is None

        return await self._on(room, work)

    async def vacate(self, room: RoomId, seat: int, token: str) -> None:
        """Give a seat up."""
        await self._on(room, lambda table: carry_out(table, intents.Vacate(hashed(token), seat)))

    async def invite(self, room: RoomId, token: str) -> Invite:
        """An invite to a vacated seat."""
        invite = secrets.token_urlsafe(16)
        intent = intents.MakeInvite(hashed(token), hashed(invite))
        await self._on(room, lambda table: carry_out(table, intent))
        return Invite(invite)

    async def offer(self, room: RoomId, body: OfferSeats, token: str) -> None:
        """Let free seats wait for a bot host: as many as asked for, or all."""
        intent, wanted = intents.OfferSeat(hashed(token), body.policy), given(body.seats)

        async def work(table: Table) -> None:
            table.room.decide(intent)  # who may not ask for it learns nothing of the seats
            state = table.room.state
            free = sum(s is None and o is None for s, o in zip(state.seats, state.offers, strict=True))
            if wanted is not None and wanted > free:
                refuse(Code.ROOM_FULL, "seats: not that many are free")
            for _ in range(free if wanted is None else wanted):
                await carry_out(table, intent)

        await self._on(room, work)

    async def waiting_seats(self) -> Sequence[Mapping[str, Json]]:
        """The seats that wait for a bot host, by the store's index: no room is read for it.

        Those offered, and those that a host took and is not attached to; of games that this node can play.
        """
        waiting: list[Mapping[str, Json]] = []
        for room in await self.stored(self.store.offers(WAITING_AT_ONCE)):
            part = orjson.loads(room.listing)
            game = part["game"]
            if (game, part["rules"]) in ENGINES:
                waiting += [{"room": room.room, "seat": o.seat, "game": game, "policy": o.policy} for o in room.offers]
        return waiting

    async def match(self, body: FindMatch, token: str, new_room: NewRoom) -> MatchFound:
        """A seat where somebody waits, or in a new room."""
        return await self.matching.match(body, token, new_room)

    async def rooms(self, game: str | None, status: str | None, cursor: str | None) -> Mapping[str, Json]:
        """A page of public rooms, newest first."""
        try:
            page = await self.stored(self.store.rooms(game, status, cursor, PAGE))
        except ValueError:
            refuse(Code.BAD_MESSAGE, "cursor: not one that this server gave")
        rooms = [await self._listed(listed, status) for listed in page.rooms]
        return {"rooms": [room for room in rooms if room is not None], "cursor": page.cursor}

    async def _listed(self, listed: Listed, status: str | None) -> Mapping[str, Json] | None:
        """What the list says of a room; None where its place in the list would say more."""
        part: dict[str, Any] = orjson.loads(listed.listing)
        connected: Sequence[bool] = [seat in listed.connected for seat in range(len(part["seats"]))]
        if part["options"]["spectators"]["delay"]:
            try:
                part, connected = await self._behind(listed.room)
            except ProtocolError:
                return None
            if status is not None and (status != Status.OPEN or part["status"] != status):
                return None
        return {**part, "created": listed.created, "connected": list[Json](connected)}

    async def _behind(self, room: RoomId) -> tuple[dict[str, Any], Sequence[bool]]:
        """The room part and who is connected as spectators see it, who are behind.

        Such a room is in no list of running or ended ones: that it came into one, or left it, would be news.
        """

        async def work(table: Table) -> tuple[dict[str, Any], Sequence[bool]]:
            part: Any = window_now(table).public["room"]
            shown = table.viewers.shown
            return part, [False] * len(part["seats"]) if shown is None else shown.connected

        return await self._on(room, work)

    async def look(self, room: RoomId) -> Mapping[str, Json]:
        """What anybody may see of a room besides the game itself."""

        async def work(table: Table) -> Mapping[str, Json]:
            public = window_now(table).public
            return {key: public[key] for key in ("room", "turn", "result")}

        return await self._on(room, work)

    async def replay(self, room: RoomId) -> Mapping[str, Json]:
        """The journal of a room that has ended, for spectators to know as well."""

        async def work(table: Table) -> Mapping[str, Json]:
            shown: Any = window_now(table).public["room"]
            if shown["status"] not in (Status.FINISHED.value, Status.ABANDONED.value):
                refuse(Code.NOT_FINISHED, "the game goes on")
            return replay_of(table.room, await self.store.read(room))

        return await self._on(room, work)

    async def _on(self, room: RoomId, work: Callable[[Table], Awaitable[T]]) -> T:
        """Do it on a room that is up to date with its journal."""

        async def current(table: Table) -> T:
            if not table.current:
                await catch_up(table)
            try:
                return await work(table)
            except ProtocolError as error:
                if table.room.state.created.private and error.code is Code.UNAUTHORIZED:
                    refuse(Code.UNKNOWN_ROOM, "there is no such room")
                raise

        return await self.on(room, current)

    async def stored(self, asked: Awaitable[T]) -> T:
        """What the store says; `unavailable` where it can't."""
        try:
            return await asked
        except StoreUnavailable:
            raise unavailable() from None


def unavailable() -> ProtocolError:
    """The store is away."""
    return ProtocolError(Code.UNAVAILABLE, "the store can't be reached; nothing happened", retry_after=1000)


def _created(engine: AnyEngine, body: CreateRoom, token: str) -> Created:
    shared, game = read_options(engine, given(body.options) or {})
    return Created(
        FORMAT,
        engine.name,
        engine.rules,
        flat(shared, game),
        body.seats,
        body.private is True,
        secrets.token_bytes(32),
        hashed(token),
    )


def _take(holder: bytes, name: str | UnsetType, kind: str | UnsetType) -> intents.TakeSeat:
    return intents.TakeSeat(holder, _name(name), _kind(kind), 0)


def _name(name: str | UnsetType) -> str | None:
    return None if isinstance(name, UnsetType) else clean_name(name)


def _kind(kind: str | UnsetType, otherwise: str = "human") -> str:
    if kind is UNSET:
        return otherwise
    return kind if kind in KINDS else refuse(Code.BAD_MESSAGE, "kind: human or bot")
