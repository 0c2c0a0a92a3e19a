"""What is asked of the file. Each function gets a transaction, and so sees one state of the rooms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import orjson

from protocol.messages import RoomId
from server.store.archive import unpack
from server.store.cursor import cursor_behind
from server.store.offering import decode, waiting
from server.store.sqlite.schema import LIVING
from server.store.sqlite.writes import Changes, Transaction
from server.store.store import (
    PRESENCE_GOOD_FOR,
    Attached,
    Head,
    Line,
    Listed,
    News,
    Page,
    Saved,
    Stored,
    Sweep,
    Waiting,
)

_AMONG = "room IN (SELECT value FROM json_each(?))"


def now(transaction: Transaction) -> int:
    """The time, if the file can be read."""
    transaction.connection.execute("SELECT at FROM swept").fetchone()
    return transaction.now


def heads(transaction: Transaction, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
    """The heads of those that exist."""
    rows = transaction.connection.execute(f"SELECT room, seq, tag, at FROM room WHERE {_AMONG}", (_json(rooms),))  # noqa: S608
    return {room: Head(seq, tag, at) for room, seq, tag, at in rows}


def journal(transaction: Transaction, room: RoomId, after: int) -> tuple[Stored, ...]:
    """The entries above `after`, compressed ones too."""
    execute = transaction.connection.execute
    record = execute(
        "SELECT data FROM room JOIN archive USING (id) WHERE room = ? AND archive.seq > ?", (room, after)
    ).fetchone()
    archived = tuple(entry for entry in unpack(record[0]) if entry.seq > after) if record else ()
    rows = execute(
        """SELECT seq, tag, at, data FROM entry
        WHERE id = (SELECT id FROM room WHERE room = ?) AND seq > ? ORDER BY seq""",
        (room, after),
    )
    return archived + tuple(Stored(*row) for row in rows.fetchall())


def grew(transaction: Transaction, room: RoomId) -> bool:
    """Whether the journal has entries that are not compressed."""
    row = transaction.connection.execute(
        "SELECT 1 FROM entry WHERE id = (SELECT id FROM room WHERE room = ?) LIMIT 1", (room,)
    ).fetchone()
    return row is not None


def saved(transaction: Transaction, room: RoomId) -> Saved | None:
    """The snapshot."""
    row = transaction.connection.execute(
        "SELECT snapshot.seq, snapshot.tag, data FROM room JOIN snapshot USING (id) WHERE room = ?", (room,)
    ).fetchone()
    return Saved(*row) if row else None


class Wanted(msgspec.Struct, frozen=True):
    """Which rooms a page shows: None is any game, any status, from the newest on."""

    game: str | None
    status: str | None
    below: tuple[int, RoomId] | None
    limit: int


def rooms(transaction: Transaction, wanted: Wanted) -> Page:
    """A page of public rooms, newest first."""
    where = ["public", "quarantined IS NULL"]
    values: list[str | int] = []
    for column, value in (("game", wanted.game), ("status", wanted.status)):
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    if wanted.below is not None:
        where.append("(created, room) < (?, ?)")
        values += wanted.below
    found = transaction.connection.execute(
        f"""SELECT created, room, data FROM room JOIN listing USING (id) WHERE {" AND ".join(where)}
        ORDER BY created DESC, room DESC LIMIT ?""",  # noqa: S608 - made of the words above
        (*values, wanted.limit + 1),
    ).fetchall()
    shown = found[: wanted.limit]
    more = cursor_behind(*shown[-1][:2]) if len(found) > len(shown) else None
    connected = _connected(transaction, [room for _, room, _ in shown])
    return Page(tuple(Listed(room, data, connected.get(room, ()), created) for created, room, data in shown), more)


def _connected(transaction: Transaction, rooms: Sequence[RoomId]) -> dict[RoomId, tuple[int, ...]]:
    rows = transaction.connection.execute(
        f"SELECT room, seats FROM room JOIN presence USING (id) WHERE abs(? - presence.at) < ? AND {_AMONG}",  # noqa: S608
        (transaction.now, PRESENCE_GOOD_FOR, _json(rooms)),
    )
    connected: dict[RoomId, set[int]] = {}
    for room, seats in rows:
        connected.setdefault(room, set()).update(orjson.loads(seats))
    return {room: tuple(sorted(seats)) for room, seats in connected.items()}


def presence(transaction: Transaction, room: RoomId) -> Attached:
    """Who is attached."""
    execute = transaction.connection.execute
    row = execute("SELECT seen FROM room WHERE room = ?", (room,)).fetchone()
    spectators = execute(
        "SELECT coalesce(sum(spectators), 0) FROM room JOIN presence USING (id) "
        "WHERE room = ? AND abs(? - presence.at) < ?",
        (room, transaction.now, PRESENCE_GOOD_FOR),
    ).fetchone()
    return Attached(_connected(transaction, (room,)).get(room, ()), spectators[0], row[0] if row else 0)


def count(transaction: Transaction) -> int:
    """The rooms that have not ended."""
    return int(transaction.connection.execute(f"SELECT count(*) FROM room WHERE {LIVING}").fetchone()[0])  # noqa: S608


def ids(transaction: Transaction) -> Sequence[RoomId]:
    """Every room that is not set aside."""
    rows = transaction.connection.execute("SELECT room FROM room WHERE quarantined IS NULL")
    return tuple(room for (room,) in rows)


def offers(transaction: Transaction, limit: int) -> Sequence[Waiting]:
    """The seats that wait for a bot host."""
    rows = transaction.connection.execute(
        """SELECT room, offers, data FROM room JOIN listing USING (id) WHERE id IN (
            SELECT id FROM room WHERE waits <= ? AND waits IS NOT NULL AND quarantined IS NULL
            ORDER BY random() LIMIT ?)""",
        (transaction.now, limit),
    ).fetchall()
    connected = _connected(transaction, [room for room, _, _ in rows])
    found = ((room, data, waiting(decode(offers), connected.get(room, ()))) for room, offers, data in rows)
    return tuple(Waiting(room, data, offers) for room, data, offers in found if offers)


def clocks(transaction: Transaction) -> Sequence[RoomId]:
    """Rooms with a running clock."""
    rows = transaction.connection.execute("SELECT room FROM room WHERE clock AND quarantined IS NULL")
    return tuple(room for (room,) in rows)


def sweep(transaction: Transaction, limit: int) -> Sweep:
    """Rooms whose house-keeping is due."""
    execute = transaction.connection.execute
    rows = execute(
        "SELECT room FROM room WHERE due <= ? AND quarantined IS NULL ORDER BY due, room LIMIT ?",
        (transaction.now, limit),
    )
    last = execute("SELECT at FROM swept").fetchone()[0]
    return Sweep(last, transaction.now, tuple(room for (room,) in rows))


def lines(transaction: Transaction, room: RoomId, after: int) -> Sequence[Line]:
    """The chat above `after`."""
    rows = transaction.connection.execute(
        "SELECT n, data FROM room JOIN line USING (id) WHERE room = ? AND n > ? ORDER BY n", (room, after)
    )
    return tuple(Line(*row) for row in rows)


def marks(transaction: Transaction, rooms: Sequence[RoomId]) -> Changes:
    """What tells the present state of each room from a later one (`Transaction`)."""
    rows = transaction.connection.execute(
        f"SELECT room, seq, tag, said, attendance FROM room WHERE {_AMONG}",  # noqa: S608
        (_json(rooms),),
    )
    found: Changes = {}
    for room, seq, tag, said, attendance in rows:
        found[room, News.ENTRY] = (seq, tag)
        found[room, News.CHAT] = said
        found[room, News.PRESENCE] = attendance
    return found


def _json(rooms: Sequence[RoomId]) -> str:
    return orjson.dumps(rooms).decode()
