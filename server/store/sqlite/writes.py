"""What is done in a write transaction. Each function refuses before it changes anything, or does all."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable, Sequence

import msgspec
import orjson

from protocol.messages import RoomId
from server.store.acceptance import accept
from server.store.store import (
    EMPTY,
    LINES_KEPT,
    PRESENCE_GOOD_FOR,
    Append,
    Conflict,
    Head,
    Index,
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


_ROOM = """SELECT seq, tag, at, quarantined, game, status, public, clock, offers, listing.data
    FROM room LEFT JOIN listing USING (room) WHERE room = ?"""
_HEAD = "UPDATE room SET seq = ?, tag = ?, at = ?, due = ? WHERE room = ?"
_INDEX = """UPDATE room SET seq = ?, tag = ?, at = ?, due = ?,
    game = ?, status = ?, public = ?, clock = ?, offers = ? WHERE room = ?"""
_CREATE = """INSERT INTO room (seq, tag, at, due, game, status, public, clock, offers, room, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_ENTRY = "INSERT INTO entry (room, seq, tag, at, data) VALUES (?, ?, ?, ?, ?)"
_OF_A_ROOM = ("room", "listing", "entry", "archive", "snapshot", "line", "presence")


def append(transaction: Transaction, append: Append) -> Head:
    """Add the entries and set the index, or refuse."""
    execute = transaction.connection.execute
    room = append.room
    row = execute(_ROOM, (room,)).fetchone()
    head, quarantined = (Head(*row[:3]), row[3]) if row else (EMPTY, None)
    entries = accept(append, head, quarantined, transaction.now)
    index = append.index
    indexed = _indexed(index)
    last = entries[-1]
    changed = (last.seq, last.tag, last.at, None if index.due is None else last.at + index.due)
    if row is None:
        _refuse_used(transaction, room)
        execute(_CREATE, (*changed, *indexed, room, index.created or last.at))
        execute("INSERT INTO listing (room, data) VALUES (?, ?)", (room, index.listing))
    else:
        if row[4:9] == indexed:
            execute(_HEAD, (*changed, room))
        else:
            execute(_INDEX, (*changed, *indexed, room))
        if row[9] != index.listing:
            execute("UPDATE listing SET data = ? WHERE room = ?", (index.listing, room))
    for entry in entries:
        execute(_ENTRY, (room, entry.seq, entry.tag, entry.at, entry.data))
    transaction.changes[room, News.ENTRY] = (last.seq, last.tag)
    return Head(last.seq, last.tag, last.at)


def _indexed(index: Index) -> tuple[str, str, bool, bool, bool]:
    return index.game, index.status, index.public, index.clock, index.offers


def _refuse_used(transaction: Transaction, room: RoomId) -> None:
    if transaction.connection.execute("SELECT 1 FROM used WHERE room = ?", (room,)).fetchone():
        raise Conflict(EMPTY)


def save(transaction: Transaction, room: RoomId, saved: Saved) -> None:
    """Keep a snapshot unless there is a later one."""
    transaction.connection.execute(
        """INSERT INTO snapshot (room, seq, tag, data) SELECT room, ?, ?, ? FROM room WHERE room = ?
        ON CONFLICT (room) DO UPDATE SET seq = excluded.seq, tag = excluded.tag, data = excluded.data
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
    if key is not None:
        known = execute("SELECT n FROM line WHERE room = ? AND key = ?", (room, key)).fetchone()
        if known:
            return int(known[0])
    row = execute("SELECT said FROM room WHERE room = ?", (room,)).fetchone()
    if row is None:
        raise LookupError(room)
    n = int(row[0]) + 1
    execute("UPDATE room SET said = ? WHERE room = ?", (n, room))
    execute("INSERT INTO line (room, n, key, data) VALUES (?, ?, ?, ?)", (room, n, key, data))
    execute("DELETE FROM line WHERE room = ? AND n <= ?", (room, n - LINES_KEPT))
    transaction.changes[room, News.CHAT] = n
    return n


def attached(transaction: Transaction, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
    """Renew, change or take away a node's presence record."""
    execute, now = transaction.connection.execute, transaction.now
    row = execute(
        """SELECT attendance, seats, spectators, presence.at
        FROM room LEFT JOIN presence ON presence.room = room.room AND node = ? WHERE room.room = ?""",
        (node, room),
    ).fetchone()
    if row is None:
        return
    attendance, known_seats, known_spectators, at = row
    good = at is not None and now - at < PRESENCE_GOOD_FOR
    record = (orjson.dumps(sorted(seats)).decode(), spectators)
    if seats or spectators:
        execute("INSERT OR REPLACE INTO presence VALUES (?, ?, ?, ?, ?)", (room, node, *record, now))
        changed = not good or (known_seats, known_spectators) != record
    else:
        execute("DELETE FROM presence WHERE room = ? AND node = ?", (room, node))
        changed = good
    if changed or good:
        attendance += changed
        execute("UPDATE room SET seen = max(seen, ?), attendance = ? WHERE room = ?", (now, attendance, room))
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
        "SELECT coalesce(archive.seq, 0) FROM room LEFT JOIN archive USING (room) WHERE room = ?", (room,)
    ).fetchone()
    if row is None or row[0] > seq:
        return
    execute("INSERT OR REPLACE INTO archive (room, seq, data) VALUES (?, ?, ?)", (room, seq, record))
    execute("DELETE FROM entry WHERE room = ? AND seq <= ?", (room, seq))


def forget(transaction: Transaction, room: RoomId) -> None:
    """Remove the room, and remember that its id was used."""
    execute = transaction.connection.execute
    execute("INSERT OR IGNORE INTO used SELECT room FROM room WHERE room = ?", (room,))
    for table in _OF_A_ROOM:
        execute(f"DELETE FROM {table} WHERE room = ?", (room,))  # noqa: S608 - names from this file
