"""The file: its tables, how it is opened, and what its errors mean.

1. WAL and `synchronous=FULL`: what was committed survives a power cut; readers never wait for the writer.
2. What an append changes lies in small rows (`room`, `entry`), under a number that rooms get one after another: rooms
   that are played at the same time share pages. The bulky listing lies apart, written only when it is another one.
3. The indices of `room` hold only columns that seldom change; `room_due` is the exception, and, where bots play,
   `room_waits`: the moment from which a seat may wait for a bot host, which every renewed presence record puts off.
4. The file says whose it is (`application_id`) and in which version (`user_version`); any other is left alone.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from server.store.store import StoreUnavailable, StoreUnusable

APPLICATION: Final = int.from_bytes(b"Phar", "big")
VERSION: Final = 2
LOCK_WAIT: Final = 2.0

LIVING: Final = "quarantined IS NULL AND status NOT IN ('finished', 'abandoned')"

TABLES: Final = """
CREATE TABLE room (
    id INTEGER PRIMARY KEY, room TEXT NOT NULL UNIQUE, seq INTEGER NOT NULL, tag TEXT NOT NULL, at INTEGER NOT NULL,
    game TEXT NOT NULL, status TEXT NOT NULL, public INTEGER NOT NULL, created INTEGER NOT NULL,
    due INTEGER, clock INTEGER NOT NULL, offers BLOB NOT NULL, waits INTEGER,
    said INTEGER NOT NULL DEFAULT 0, seen INTEGER NOT NULL DEFAULT 0, attendance INTEGER NOT NULL DEFAULT 0,
    quarantined TEXT
);
CREATE INDEX room_due ON room (due) WHERE due IS NOT NULL AND quarantined IS NULL;
CREATE INDEX room_clock ON room (room) WHERE clock AND quarantined IS NULL;
CREATE INDEX room_waits ON room (waits) WHERE waits IS NOT NULL AND quarantined IS NULL;
CREATE INDEX room_living ON room (room) WHERE quarantined IS NULL AND status NOT IN ('finished', 'abandoned');
CREATE INDEX room_listed ON room (created, room) WHERE public AND quarantined IS NULL;
CREATE INDEX room_listed_status ON room (status, created, room) WHERE public AND quarantined IS NULL;
CREATE INDEX room_listed_game ON room (game, created, room) WHERE public AND quarantined IS NULL;
CREATE INDEX room_listed_both ON room (game, status, created, room) WHERE public AND quarantined IS NULL;
CREATE TABLE listing (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE entry (
    id INTEGER NOT NULL, seq INTEGER NOT NULL, tag TEXT NOT NULL, at INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (id, seq)
) WITHOUT ROWID;
CREATE TABLE archive (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE snapshot (id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, tag TEXT NOT NULL, data BLOB NOT NULL);
CREATE TABLE line (
    id INTEGER NOT NULL, n INTEGER NOT NULL, key TEXT, data BLOB NOT NULL, PRIMARY KEY (id, n)
) WITHOUT ROWID;
CREATE UNIQUE INDEX line_key ON line (id, key) WHERE key IS NOT NULL;
CREATE TABLE presence (
    id INTEGER NOT NULL, node TEXT NOT NULL, seats TEXT NOT NULL, spectators INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (id, node)
) WITHOUT ROWID;
CREATE TABLE used (room TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE swept (at INTEGER NOT NULL);
INSERT INTO swept VALUES (0);
"""


def prepare(path: Path) -> None:
    """Create the file if there is none, and see that it is one of ours.

    Raises:
        StoreUnusable: it can't be created, or is not ours. StoreUnavailable: it is locked, or the disk is full.
    """
    _create(path)
    until = time.monotonic() + LOCK_WAIT
    while True:
        try:
            _open(path, "rwc", lambda connection: _prepare(connection, path)).close()
        except sqlite3.Error as error:
            # Several that open a new file at once can be in each other's way beyond what SQLite waits for by itself.
            if not is_busy(error) or time.monotonic() > until:
                raise unavailable(path, error) from error
            time.sleep(0.01)
        else:
            return


def _create(path: Path) -> None:
    """An empty file that only its owner can read: journals hold seeds. An existing one is not even opened here, for
    closing it would drop the locks of every other connection of this process."""
    if not path.parent.is_dir():
        raise StoreUnusable(f"{path}: there is no folder {path.parent}")
    try:
        path.touch(mode=0o600, exist_ok=False)
    except FileExistsError:
        return
    except OSError as error:
        raise StoreUnusable(f"{path}: can't be created: {error.strerror}") from None


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        for statement in TABLES.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    _check(connection, path)
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise StoreUnusable(f"{path}: the file system does not allow SQLite's WAL")


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that `prepare` has seen.

    Raises:
        sqlite3.Error: it can't be opened. StoreUnusable: it is no longer ours.
    """
    return _open(path, "rw", lambda connection: _check(connection, path))


def _open(path: Path, mode: str, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """A connection that was prepared; none is left open where that fails."""
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}",
        uri=True,
        timeout=LOCK_WAIT,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -16384")
        prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application != APPLICATION:
        raise StoreUnusable(f"{path}: a database of another program")
    if version != VERSION:
        raise StoreUnusable(f"{path}: written by another version of Pharos (format {version}, this one is {VERSION})")


def is_busy(error: sqlite3.Error) -> bool:
    """Another process holds the lock."""
    return _code(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def is_doubtful(error: sqlite3.Error) -> bool:
    """A commit that failed like this may be found done after a crash."""
    return _code(error) == sqlite3.SQLITE_IOERR


def unavailable(path: Path, error: Exception) -> StoreUnavailable:
    """What to tell of an error of the database."""
    if isinstance(error, StoreUnavailable):
        return error
    code = _code(error) if isinstance(error, sqlite3.Error) else 0
    if code == sqlite3.SQLITE_NOTADB:
        return StoreUnusable(f"{path}: not a database")
    if code == sqlite3.SQLITE_CANTOPEN:
        return StoreUnusable(f"{path}: can't be opened or created")
    return StoreUnavailable(f"{path}: {error}")


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
