"""What is done in a write transaction. Each function refuses before it changes anything, or does all."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence

import msgspec
import orjson

from protocol.messages import RoomId
from server.store import offering
from server.store.acceptance import accept
from server.store.store import (
    EMPTY,
    LINES_KEPT,
    PRESENCE_GOOD_FOR,
    Append,
    Conflict,
    Head,
    News,
    Saved,
)

Changes = dict[tuple[RoomId, News], Hashable]


class Transaction(msgspec.Struct, frozen=True):
    """A transaction that is under way, its time, and a mark for everything that those who follow have to hear.

    The mark tells one state of the thing from another: for ENTRY it is (seq, tag), else a number that grows.
    """

    connection: sqlite3.Connection
    now: int
    changes: Changes


_ROOM = """SELECT seq, tag, at, quarantined, id, data, game, status, public, clock, offers
    FROM room JOIN listing USING (id) WHERE room = ?"""
_HEAD = "UPDATE room SET seq = ?, tag = ?, at = ?, due = ? WHERE id = ?"
_INDEX = """UPDATE room SET seq = ?, tag = ?, at = ?, due = ?,
    game = ?, status = ?, public = ?, clock = ?, offers = ?, waits = ? WHERE id = ?"""
_CREATE = """INSERT INTO room (seq, tag, at, due, game, status, public, clock, offers, waits, room, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_ENTRY = "INSERT INTO entry (id, seq, tag, at, data) VALUES (?, ?, ?, ?, ?)"
_OF_A_ROOM = ("listing", "entry", "archive", "snapshot", "line", "presence", "room")


def append(transaction: Transaction, append: Append) -> Head:
    """Add the entries and set the index, or refuse."""
    execute = transaction.connection.execute
    index = append.index
    row = execute(_ROOM, (append.room,)).fetchone()
    head, quarantined = (Head(*row[:3]), row[3]) if row else (EMPTY, None)
    entries = accept(append, head, quarantined, transaction.now)
    last = entries[-1]
    changed = (last.seq, last.tag, last.at, None if index.due is None else last.at + index.due)
    indexed = (index.game, index.status, index.public, index.clock, offering.encode(index.offers))
    waits = 0 if index.offers else None
    if row is None:
        _refuse_used(transaction, append.room)
        number = execute(_CREATE, (*changed, *indexed, waits, append.room, index.created or last.at)).lastrowid
        execute("INSERT INTO listing (id, data) VALUES (?, ?)", (number, index.listing))
    else:
        number = row[4]
        if row[6:] == indexed:
            execute(_HEAD, (*changed, number))
        else:
            execute(_INDEX, (*changed, *indexed, waits, number))
        if row[5] != index.listing:
            execute("UPDATE listing SET data = ? WHERE id = ?", (index.listing, number))
    for entry in entries:
        execute(_ENTRY, (number, entry.seq, entry.tag, entry.at, entry.data))
    transaction.changes[append.room, News.ENTRY] = (last.seq, last.tag)
    return Head(last.seq, last.tag, last.at)


def _refuse_used(transaction: Transaction, room: RoomId) -> None:
    if transaction.connection.execute("SELECT 1 FROM used WHERE room = ?", (room,)).fetchone():
        raise Conflict(EMPTY)


def save(transaction: Transaction, room: RoomId, saved: Saved) -> None:
    """Keep a snapshot unless there is a later one."""
    transaction.connection.execute(
        """INSERT INTO snapshot (id, seq, tag, data) SELECT id, ?, ?, ? FROM room WHERE room = ?
        ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, tag = excluded.tag, data = excluded.data
        WHERE excluded.seq >= seq""",
        (saved.seq, saved.tag, saved.data, room),
    )


def swept(transaction: Transaction, now: int) -> None:
    """Note the time of a sweep."""
    transaction.connection.execute("UPDATE swept SET at = min(max(at, ?), ?)", (now, transaction.now))


def rearm(transaction: Transaction, room: RoomId, head: Head, due: int | None) -> None:
    """Set the room's next house-keeping, if its head is still this one."""
    transaction.connection.execute(
        "UPDATE room SET due = ? WHERE room = ? AND seq = ? AND tag = ?", (due, room, head.seq, head.tag)
    )


def say(transaction: Transaction, room: RoomId, data: bytes, key: str | None) -> int:
    """Add a line, unless its key is known."""
    execute = transaction.connection.execute
    row = execute("SELECT id, said FROM room WHERE room = ?", (room,)).fetchone()
    if row is None:
        raise LookupError(room)
    number, said = row
    if key is not None:
        known = execute("SELECT n FROM line WHERE id = ? AND key = ?", (number, key)).fetchone()
        if known:
            return int(known[0])
    n = int(said) + 1
    execute("UPDATE room SET said = ? WHERE id = ?", (n, number))
    execute("INSERT INTO line (id, n, key, data) VALUES (?, ?, ?, ?)", (number, n, key, data))
    execute("DELETE FROM line WHERE id = ? AND n <= ?", (number, n - LINES_KEPT))
    transaction.changes[room, News.CHAT] = n
    return n


def attached(transaction: Transaction, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
    """Renew, change or take away a node's presence record."""
    execute, now = transaction.connection.execute, transaction.now
    row = execute(
        """SELECT room.id, attendance, seats, spectators, presence.at, offers
        FROM room LEFT JOIN presence ON presence.id = room.id AND node = ? WHERE room = ?""",
        (node, room),
    ).fetchone()
    if row is None:
        return
    number, attendance, known_seats, known_spectators, at, offers = row
    good = at is not None and now - at < PRESENCE_GOOD_FOR
    record = (orjson.dumps(sorted(seats)).decode(), spectators)
    if seats or spectators:
        execute("INSERT OR REPLACE INTO presence VALUES (?, ?, ?, ?, ?)", (number, node, *record, now))
        changed = not good or (known_seats, known_spectators) != record
    else:
        execute("DELETE FROM presence WHERE id = ? AND node = ?", (number, node))
        changed = good
    if changed or good:
        attendance += changed
        execute("UPDATE room SET seen = max(seen, ?), attendance = ? WHERE id = ?", (now, attendance, number))
    if offers != offering.NONE:
        records = execute("SELECT at, seats FROM presence WHERE id = ?", (number,)).fetchall()
        offered = offering.decode(offers)
        waits = offering.waits_from(offered, ((at, orjson.loads(seats)) for at, seats in records))
        execute("UPDATE room SET waits = ? WHERE id = ?", (waits, number))
    if changed:
        transaction.changes[room, News.PRESENCE] = attendance


def quarantine(transaction: Transaction, room: RoomId, reason: str) -> None:
    """Set the room aside; the first reason stays."""
    transaction.connection.execute(
        "UPDATE room SET quarantined = ? WHERE room = ? AND quarantined IS NULL", (reason, room)
    )


def archive(transaction: Transaction, room: RoomId, seq: int, record: bytes) -> None:
    """Put one record in the place of the entries up to `seq`, unless the room is gone or a longer record lies there."""
    execute = transaction.connection.execute
    row = execute(
        "SELECT room.id, archive.seq FROM room LEFT JOIN archive USING (id) WHERE room = ?", (room,)
    ).fetchone()
    if row is None or (row[1] or 0) >= seq:
        return
    execute("INSERT OR REPLACE INTO archive (id, seq, data) VALUES (?, ?, ?)", (row[0], seq, record))
    execute("DELETE FROM entry WHERE id = ? AND seq <= ?", (row[0], seq))


def forget(transaction: Transaction, room: RoomId) -> None:
    """Remove the room, and remember that its id was used."""
    execute = transaction.connection.execute
    row = execute("SELECT id FROM room WHERE room = ?", (room,)).fetchone()
    if row is None:
        return
    execute("INSERT INTO used (room) VALUES (?)", (room,))
    for table in _OF_A_ROOM:
        execute(f"DELETE FROM {table} WHERE id = ?", row)  # noqa: S608 - names from this file
