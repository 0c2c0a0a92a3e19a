"""What a connection asks of a room: each request of protocol section 2 that names one, done in the room's turn."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import structlog
from msgspec import UNSET, UnsetType

from protocol.codes import Code, ProtocolError
from protocol.digest import digest
from protocol.messages import (
    Act,
    Back,
    Chat,
    Check,
    Error,
    Join,
    Leave,
    Legal,
    Ok,
    Resign,
    RoomMessage,
    Snapshot,
    Undo,
)
from server.rooms import telling
from server.rooms.audience import Kept
from server.rooms.deciding import refuse, seat_of
from server.rooms.intents import ComeBack, GiveUp, Play, TakeBack
from server.rooms.jobs import Job
from server.rooms.stats import About, HubStats, Stage
from server.rooms.viewer import Connection
from server.rooms.viewers import Viewer
from server.rooms.writing import carry_out, catch_up
from server.store.store import Head

if TYPE_CHECKING:
    from server.rooms.table import Table

T = TypeVar("T")

log = structlog.get_logger("pharos.rooms")

FAILED_LOOK_UPS = (Code.UNKNOWN_ROOM, Code.UNAUTHORIZED, Code.REVOKED)
"""What a `join` gets whose room or token is none."""


def hashed(token: str) -> bytes:
    """What the server keeps of a token."""
    return hashlib.sha256(token.encode()).digest()


def given(value: T | UnsetType) -> T | None:
    """The value of an optional field, None where it is absent."""
    return None if isinstance(value, UnsetType) else value


def job(connection: Connection, message: RoomMessage, stats: HubStats) -> Job:
    """The request as a job of its room."""
    received = time.perf_counter()
    return Job(
        lambda table: _answer(table, connection, message, received),
        lambda error: _failed(connection, message, error, stats),
        connection,
    )


def _failed(connection: Connection, message: RoomMessage, error: ProtocolError, stats: HubStats) -> None:
    """Count and tell that a request did nothing, or that nobody knows what it did."""
    if isinstance(message, Act | Undo | Resign | Back):
        stats.actions[error.code] += 1
    log.debug("refused", request=type(message).__name__, code=error.code.value)
    fail(connection, message, error)


def fail(connection: Connection, message: RoomMessage, error: ProtocolError) -> None:
    """Tell the connection that its request did nothing."""
    if isinstance(message, Join) and error.code in FAILED_LOOK_UPS and (wait := connection.failed_lookup(message)):
        error = ProtocolError(Code.RATE_LIMITED, "too many failed look-ups from this address", retry_after=wait)
    retry = UNSET if error.retry_after is None else error.retry_after
    answer = Error(message.id, error.code, error.message, room=message.room, retry_after=retry)
    connection.outbox.reply(connection.codec.encode(answer), None)


async def _answer(table: Table, connection: Connection, message: RoomMessage, received: float) -> None:
    if connection.closed and isinstance(message, Join):
        return
    if isinstance(message, Join):
        await _join(table, connection, message)
        return
    viewer = table.viewers.find(connection)
    if viewer is None:
        refuse(Code.NOT_JOINED, "this connection is not attached to the room")
    if isinstance(message, Act | Undo | Resign | Back):
        await _counted(table, viewer, message, received)
    else:
        await _ANSWERS[type(message)](table, viewer, message)


def _reply(table: Table, viewer: Viewer, ok: Ok) -> None:
    viewer.connection.outbox.reply(viewer.connection.codec.encode(ok), table.id)


async def _counted(table: Table, viewer: Viewer, message: Act | Undo | Resign | Back, received: float) -> None:
    """Carry out what a seat wants; measure how long it took since it was received."""
    stats = table.hub.stats
    about = None if stats.tracer is None else _about(table, viewer, message)
    with stats.timing(Stage.ACTION, received, about):
        seq = await _carry_out(table, viewer, message)
        stats.actions["ok"] += 1
        _reply(table, viewer, Ok(message.id, seq=seq))


def _about(table: Table, viewer: Viewer, message: Act | Undo | Resign | Back) -> About:
    """What a trace says of a request."""
    seat = -1 if viewer.seat is None else viewer.seat
    place: About = {"room": table.id, "seq": table.room.head.seq, "seat": seat}
    return {**place, "connection": viewer.connection.id, "request": type(message).__name__}


async def _carry_out(table: Table, viewer: Viewer, message: Act | Undo | Resign | Back) -> int:
    if viewer.holder is None:
        refuse(Code.NOT_SEATED, "a spectator does not play")
    holder, key = viewer.holder, given(message.key)
    if isinstance(message, Act | Undo) and message.seq > table.room.head.seq:
        await catch_up(table)
    match message:
        case Act():
            return await carry_out(table, Play(holder, message.action, message.seq, key))
        case Undo():
            return await carry_out(table, TakeBack(holder, message.seq, key, table.hub.clock.now()))
        case Resign():
            return await carry_out(table, GiveUp(holder, key))
        case Back():
            return await carry_out(table, ComeBack(holder, key))


async def _join(table: Table, connection: Connection, message: Join) -> None:
    if not table.current:
        await catch_up(table)
    await table.talk.listen()
    if connection.closed:
        return
    table.release()
    seat, holder = _who(table, given(message.token))
    if table.viewers.find(connection) is None and len(connection.rooms) >= connection.max_rooms:
        refuse(Code.TOO_MANY, f"{connection.max_rooms} rooms on one connection")
    viewer = Viewer(connection, seat, holder, legal=message.legal is True)
    # Whatever may raise does so before the `ok`, so that there is one reply, and no frame before it.
    first, turns = _first(table, viewer, message), telling.turn_frames(table, viewer)
    table.viewers.remove(connection)
    if seat is not None:
        _make_place(table, seat)
    table.viewers.add(viewer)
    _begin(table, connection, first)
    await table.talk.announce()
    if viewer.presence is None:
        table.talk.greet(viewer)
    table.talk.recent(viewer, given(message.chat_since))
    for frame in turns:
        connection.outbox.update(table.id, frame)


def _who(table: Table, token: str | None) -> tuple[int | None, bytes | None]:
    """The seat that the token holds; without one, a spectator."""
    state = table.room.state
    if token is None:
        if not table.room.rulebook.shared.spectators.allowed:
            refuse(Code.FORBIDDEN, "this room takes no spectators")
        return None, None
    holder = hashed(token)
    try:
        return seat_of(state, holder), holder
    except ProtocolError as error:
        if state.created.private and error.code is Code.UNAUTHORIZED:
            refuse(Code.UNKNOWN_ROOM, "there is no such room")
        raise


def _make_place(table: Table, seat: int) -> None:
    """A seat has only so many connections on a node: the one least recently heard from goes."""
    holding = table.viewers.holding(seat)
    if len(holding) >= table.hub.pace.holders_per_seat:
        oldest = min(holding, key=lambda viewer: viewer.connection.heard)
        telling.detach(table, oldest, Code.DISPLACED, "this seat has newer connections")


class _First(msgspec.Struct, frozen=True):
    """What a viewer is told first: the `ok`, then the snapshot or, resuming, the missing patches."""

    ok: bytes
    snapshot: bytes | None
    patches: Sequence[bytes] = ()


def _first(table: Table, viewer: Viewer, message: Join) -> _First:
    codec = viewer.connection.codec
    head, state = telling.view(table, viewer)
    missed = _missed(table, viewer, message, head)
    ok = Ok(message.id, room=table.id, seat=viewer.seat, seq=head.seq, tag=head.tag, resumed=missed is not None)
    if missed is None:
        return _First(codec.encode(ok), codec.encode(Snapshot(table.id, head.seq, head.tag, state)))
    return _First(codec.encode(ok), None, [change.frame(viewer.seat, codec) for change in missed])


def _begin(table: Table, connection: Connection, first: _First) -> None:
    table.hub.stats.resumes["patches" if first.snapshot is None else "snapshot"] += 1
    connection.outbox.reply(first.ok, table.id)
    if first.snapshot is not None:
        connection.outbox.fresh(table.id, (first.snapshot,))
    for frame in first.patches:
        connection.outbox.update(table.id, frame)


def _missed(table: Table, viewer: Viewer, message: Join, head: Head) -> Sequence[Kept] | None:
    """The changes after the entry that the client has seen, up to `head`, the last that the viewer may see.

    What a seat was told before its present holder took it is not the holder's to know; and what somebody saw as
    another viewer is not what patches for this one go by.
    """
    since, before = given(message.since), table.viewers.find(viewer.connection)
    if since is None or since.seq > head.seq or (before is not None and before.holder != viewer.holder):
        return None
    taken = None if viewer.seat is None else table.room.state.seats[viewer.seat]
    if taken is not None and since.seq <= taken.taken:
        return None
    changes = table.history.since(since.seq, since.tag)
    return None if changes is None else [change for change in changes if change.head.seq <= head.seq]


async def _legal(table: Table, viewer: Viewer, message: Legal) -> None:
    if viewer.seat is None:
        refuse(Code.NOT_SEATED, "a spectator has no actions")
    _reply(table, viewer, Ok(message.id, seq=table.room.head.seq, actions=telling.actions(table, viewer.seat)))


async def _check(table: Table, viewer: Viewer, message: Check) -> None:
    table.release()
    head, state = telling.view(table, viewer)
    if message.seq != head.seq:
        refuse(Code.STALE, "this seq is not the viewer's last")
    match = digest(state) == message.digest
    _reply(table, viewer, Ok(message.id, seq=head.seq, match=match))
    if not match:  # behind the `ok`, and behind what waits already: it may have been asked for with more requests
        for frame in telling.anew(table, viewer):
            viewer.connection.outbox.update(table.id, frame)


async def _chat(table: Table, viewer: Viewer, message: Chat) -> None:
    n = await table.talk.say(viewer, message)
    _reply(table, viewer, Ok(message.id, n=n))


async def _leave(table: Table, viewer: Viewer, message: Leave) -> None:
    table.viewers.remove(viewer.connection)
    _reply(table, viewer, Ok(message.id))
    table.talk.changed()


_ANSWERS: dict[type[RoomMessage], Callable[[Table, Viewer, Any], Awaitable[None]]] = {
    Legal: _legal,
    Check: _check,
    Chat: _chat,
    Leave: _leave,
}
