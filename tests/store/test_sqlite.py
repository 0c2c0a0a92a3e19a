"""What only the store on SQLite has to show: kill -9, other processes, foreign files, locks, full disks."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from protocol.messages import RoomId
from server.store.sqlite import SqliteStore, lane, schema, writes
from server.store.sqlite import store as sqlite_store
from server.store.store import (
    EMPTY,
    Conflict,
    Head,
    News,
    StoreUnavailable,
    StoreUnusable,
    UnknownOutcome,
    Wakeup,
)
from tests.store.contract import FINISHED, OTHER, ROOM, grown, of

ROOMS = tuple(RoomId(f"ROOM{n}") for n in range(8))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pharos.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    await store.open()
    yield store
    await store.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores that wait a fifth of a second where they would wait two and a half."""
    monkeypatch.setattr(sqlite_store, "WRITES", lane.Manner("BEGIN IMMEDIATE", overdue=UnknownOutcome, limit=0.2))


class Acknowledged:
    """A process that appends to rooms, and what it said was acknowledged: tags by room and seq."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.tags: dict[tuple[RoomId, int], str] = {}

    @classmethod
    async def start(cls, path: Path, *rooms: RoomId) -> Acknowledged:
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable, "-m", "tests.store.appender", str(path), *rooms, stdout=asyncio.subprocess.PIPE
            )
        )

    async def hear(self, count: int) -> None:
        """Wait until so many more appends are acknowledged."""
        for _ in range(count):
            await self._line()

    async def kill(self) -> None:
        """Kill it, and hear what it still said."""
        self._process.kill()
        while await self._line():
            pass
        await self._process.wait()

    async def _line(self) -> bool:
        assert self._process.stdout
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            return False
        room, seq, tags = line.decode().split()
        entries = tags.split(",")
        for n, tag in enumerate(entries):
            self.tags[RoomId(room), int(seq) - len(entries) + 1 + n] = tag
        return True


async def journals(store: SqliteStore, *rooms: RoomId) -> dict[tuple[RoomId, int], str]:
    """The tags of all entries; each journal is checked to be whole."""
    found = {}
    for room in rooms:
        entries = await store.read(room)
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        assert [entry.data for entry in entries] == [b"%d" % n for n in range(1, len(entries) + 1)]
        head = await store.head(room)
        assert head == Head(entries[-1].seq, entries[-1].tag, entries[-1].at)
        found |= {(room, entry.seq): entry.tag for entry in entries}
    return found


async def test_a_killed_process_loses_nothing_that_was_acknowledged(path: Path) -> None:
    for _ in range(3):
        process = await Acknowledged.start(path, *ROOMS)
        await process.hear(200)
        await process.kill()
        store = SqliteStore(path)
        await store.open()
        stored = await journals(store, *ROOMS)
        assert len(process.tags) >= 200
        assert process.tags.items() <= stored.items()
        await store.close()


async def test_two_processes_have_one_order_and_hear_of_each_other(path: Path, store: SqliteStore) -> None:
    await store.follow(ROOM)
    process = await Acknowledged.start(path, ROOM)
    mine: dict[tuple[RoomId, int], str] = {}
    wakeups = store.wakeups()
    await process.hear(20)
    while len(mine) < 8:
        assert (await anext(wakeups)).room == ROOM
        head = await store.head(ROOM) or EMPTY
        try:
            head = await store.append(of(ROOM, head, b"%d" % (head.seq + 1)))
            mine[ROOM, head.seq] = head.tag
        except Conflict:
            continue
    await process.hear(20)
    await process.kill()
    stored = await journals(store, ROOM)
    assert not process.tags.keys() & mine.keys()
    assert len(stored) >= 48
    assert (process.tags | mine).items() <= stored.items()


async def test_neither_of_two_busy_processes_starves(path: Path, store: SqliteStore) -> None:
    process = await Acknowledged.start(path, *ROOMS)
    await process.hear(10)
    for room in ("MINE01", "MINE02", "MINE03"):
        await grown(store, RoomId(room), 10)
    await process.hear(10)
    await process.kill()


async def test_everything_is_there_after_opening_again(path: Path, store: SqliteStore) -> None:
    head = await grown(store, ROOM, 3)
    entries, page = await store.read(ROOM), await store.rooms(None, None, None, 10)
    await store.close()
    again = SqliteStore(path)
    await again.open()
    await again.open()
    assert await again.head(ROOM) == head
    assert await again.read(ROOM) == entries
    assert await again.rooms(None, None, None, 10) == page
    await again.close()


async def test_several_may_open_a_new_file_at_once(path: Path) -> None:
    stores = [SqliteStore(path) for _ in range(8)]
    await asyncio.gather(*(store.open() for store in stores))
    heads = await asyncio.gather(*(grown(store, RoomId(f"ROOM{n}"), 1) for n, store in enumerate(stores)))
    assert len(await stores[0].heads([RoomId(f"ROOM{n}") for n in range(8)])) == len(heads)
    for store in stores:
        await store.close()


async def test_only_its_owner_can_read_the_file(path: Path, store: SqliteStore) -> None:
    assert {file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {0o600}


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "what?.db", "a#b.db", "žluť.db", "file:x.db"])
async def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    store = SqliteStore(tmp_path / name)
    await store.open()
    await grown(store, ROOM, 1)
    await store.close()
    assert (tmp_path / name).stat().st_size > 0


# Files that are not ours.


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE room (x)")
    connection.close()


def newer(path: Path) -> None:
    schema.prepare(path)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()


def no_database(path: Path) -> None:
    path.write_bytes(b"journal of a lighthouse keeper\n" * 100)


def folder(path: Path) -> None:
    path.mkdir()


def content(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (foreign, "a database of another program"),
        (newer, rf"another version of Pharos \(format {schema.VERSION + 1}, this one is {schema.VERSION}\)"),
        (no_database, "not a database"),
        (folder, "can't be opened or created"),
    ],
)
async def test_a_file_that_is_not_ours_is_left_alone(path: Path, make: Callable[[Path], None], text: str) -> None:
    make(path)
    before = content(path)
    store = SqliteStore(path)
    with pytest.raises(StoreUnusable, match=text) as raised:
        await store.open()
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)
    assert content(path) == before
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.head(ROOM)
    await store.close()


async def test_a_path_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "no" / "such" / "pharos.db", tmp_path / "file" / "pharos.db"):
        with pytest.raises(StoreUnusable, match="there is no folder"):
            await SqliteStore(path).open()
    with pytest.raises(StoreUnusable, match="can't be created"):
        await SqliteStore(tmp_path / ("x" * 300)).open()


# Locks, and threads that are stuck.


@pytest.mark.usefixtures("impatient")
async def test_while_another_process_locks_the_file_nothing_happens(path: Path) -> None:
    store = SqliteStore(path)
    await store.open()
    head = await grown(store, ROOM, 1)
    await store.follow(ROOM)
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    results = await asyncio.gather(
        store.append(of(ROOM, head)), store.say(ROOM, b"x", None), store.unfollow(ROOM), return_exceptions=True
    )
    assert [type(result) for result in results] == [StoreUnavailable, StoreUnavailable, type(None)]
    assert await store.head(ROOM) == head
    lock.execute("ROLLBACK")
    lock.close()
    assert (await grown(store, ROOM, 1)).seq == 2
    assert await store.lines(ROOM, 0) == ()
    await store.close()
    assert [wakeup async for wakeup in store.wakeups()] == []


async def test_a_short_lock_is_waited_for(path: Path, store: SqliteStore) -> None:
    lock = sqlite3.connect(path, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    waiting = asyncio.ensure_future(grown(store, ROOM, 1))
    assert await store.head(ROOM) is None
    assert not waiting.done()
    lock.execute("ROLLBACK")
    lock.close()
    assert (await waiting).seq == 1


async def test_what_was_refused_beside_a_failure_and_then_done_is_told_as_done(path: Path) -> None:
    """A neighbour fails the transaction, each is done alone, and by then it is late enough."""
    moments = iter(range(1_764_480_000_000, 1_764_490_000_000, 10))
    latest = [0]

    def clock() -> int:
        latest[0] = next(moments)
        return latest[0]

    store = SqliteStore(path, clock)
    await store.open()
    head = await grown(store, ROOM, 1)
    soon = replace(of(ROOM, head), not_before=latest[0] + 15)
    broken = replace(of(OTHER), entries=(object(),))
    told, failed = await asyncio.gather(store.append(soon), store.append(broken), return_exceptions=True)
    assert isinstance(failed, Exception)
    assert told == await store.head(ROOM)
    assert isinstance(told, Head)
    assert told.seq == 2
    await store.close()


class StuckClock:
    """A clock that stops the writer's thread inside its transaction, until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.go.set()

    def __call__(self) -> int:
        if "immediate" in threading.current_thread().name:
            self.go.wait()
        return 1_764_480_000_000


@pytest.mark.usefixtures("impatient")
async def test_what_was_begun_and_does_not_end_is_unknown(path: Path) -> None:
    clock = StuckClock()
    store = SqliteStore(path, clock)
    await store.open()
    head = await grown(store, ROOM, 1)
    clock.go.clear()
    append = of(ROOM, head)
    with pytest.raises(UnknownOutcome):
        await store.append(append)
    with pytest.raises(StoreUnavailable):
        await store.append(of(OTHER))
    clock.go.set()
    await store.close()
    await store.close()
    again = SqliteStore(path)
    await again.open()
    late = await again.head(ROOM)
    assert late
    assert (late.seq, late.tag) == (2, append.tags[0])
    assert await again.head(OTHER) is None
    await again.close()


@pytest.mark.usefixtures("impatient")
async def test_a_reply_that_is_late_is_found_in_the_journal(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(path)
    await store.open()
    head = await grown(store, ROOM, 1)
    go, tell = threading.Event(), lane.Lane._tell

    def late(self: lane.Lane, *args: object) -> None:
        if "immediate" in threading.current_thread().name:
            go.wait()
        tell(self, *args)

    monkeypatch.setattr(lane.Lane, "_tell", late)
    append = of(ROOM, head)
    found = await store.append(append)
    assert (found.seq, found.tag) == (2, append.tags[0])
    go.set()
    await store.close()


# Disks.


class Device(sqlite3.Connection):
    """A connection whose device can fail."""

    broken = False

    def execute(self, sql: str, *args: object) -> sqlite3.Cursor:
        if Device.broken and sql == "COMMIT" and self.total_changes:
            super().execute("ROLLBACK")
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            raise error
        return super().execute(sql, *args)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> type[Device]:
    def connect(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, factory=Device, isolation_level=None, check_same_thread=False)

    monkeypatch.setattr(schema, "connect", connect)
    monkeypatch.setattr(Device, "broken", False)
    return Device


async def test_a_commit_that_the_device_failed_is_unknown(path: Path, device: type[Device]) -> None:
    store = SqliteStore(path)
    await store.open()
    head = await grown(store, ROOM, 1)
    device.broken = True
    with pytest.raises(UnknownOutcome, match="disk I/O error"):
        await store.append(of(ROOM, head))
    with pytest.raises(UnknownOutcome):
        await store.say(ROOM, b"x", "key")
    with pytest.raises(StoreUnavailable):
        await store.attached(ROOM, "node", (0,), 0)
    device.broken = False
    assert await store.head(ROOM) == head
    assert (await grown(store, ROOM, 1)).seq == 2
    await store.close()


@pytest.mark.parametrize(("pragma", "text"), [("max_page_count = 1", "full"), ("query_only = ON", "readonly")])
async def test_a_full_or_read_only_disk_refuses_and_recovers(
    path: Path, monkeypatch: pytest.MonkeyPatch, pragma: str, text: str
) -> None:
    ills: list[str] = []
    opened: dict[str, sqlite3.Connection] = {}
    connect = schema.connect

    def ill(path: Path) -> sqlite3.Connection:
        connection = opened[threading.current_thread().name] = connect(path)
        for pragma in ills:
            connection.execute(f"PRAGMA {pragma}")
        return connection

    monkeypatch.setattr(schema, "connect", ill)
    store = SqliteStore(path)
    await store.open()
    head = await grown(store, ROOM, 1)
    ills.append(pragma)
    opened["sqlite begin immediate"].execute(f"PRAGMA {pragma}")
    big = [of(room, EMPTY, *(b"x" * 500 for _ in range(100))) for room in ROOMS]
    for _ in range(2):
        results = await asyncio.gather(*(store.append(append) for append in big), return_exceptions=True)
        assert {type(result) for result in results} == {StoreUnavailable}
        assert all(text in str(result) for result in results)
    assert await store.heads((ROOM, *ROOMS)) == {ROOM: head}
    ills.clear()
    assert {head.seq for head in await asyncio.gather(*(store.append(append) for append in big))} == {100}
    await store.close()


async def test_a_compression_that_another_overtook_takes_nothing_away(store: SqliteStore) -> None:
    await grown(store, ROOM, 3, index=FINISHED)
    packed = await store._read(sqlite_store._packed, ROOM)
    assert packed
    await grown(store, ROOM, 2, index=FINISHED)
    await store.compact(ROOM)
    entries = await store.read(ROOM)
    await store._write(writes.archive, ROOM, *packed)
    assert await store.read(ROOM) == entries
    await store.forget(ROOM)
    await store._write(writes.archive, ROOM, *packed)
    assert await store.read(ROOM) == ()


async def test_a_broken_record_spoils_its_room_only(path: Path, store: SqliteStore) -> None:
    await grown(store, ROOM, 3, index=FINISHED)
    await grown(store, OTHER, 3, index=FINISHED)
    await store.compact(ROOM)
    other = sqlite3.connect(path)
    other.execute("UPDATE archive SET data = x'00112233'")
    other.commit()
    other.close()
    await store.compact(ROOM)  # what is compressed is not read to be compressed again
    results = await asyncio.gather(store.read(ROOM), store.read(OTHER), return_exceptions=True)
    assert isinstance(results[0], ValueError)
    assert len(results[1]) == 3


async def test_wakeups_come_again_after_the_device_failed(path: Path, device: type[Device]) -> None:
    store, neighbour = SqliteStore(path), SqliteStore(path)
    await store.open()
    await neighbour.open()
    await store.follow(ROOM)
    device.broken = True
    with pytest.raises(UnknownOutcome):
        await store.append(of(OTHER))
    device.broken = False
    head = await grown(neighbour, ROOM, 1)
    assert await anext(store.wakeups()) == Wakeup(ROOM, News.ENTRY, head.seq)
    await store.close()
    await neighbour.close()


# Speed, as far as it can be told without a watch.


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that is done from now on."""
    found: list[str] = []
    connect = schema.connect

    def traced(path: Path) -> sqlite3.Connection:
        connection = connect(path)
        connection.set_trace_callback(found.append)
        return connection

    monkeypatch.setattr(schema, "connect", traced)
    return found


async def test_what_one_turn_asks_for_is_one_commit(path: Path, statements: list[str]) -> None:
    store = SqliteStore(path)
    await store.open()
    await grown(store, ROOM, 1)
    statements.clear()
    await asyncio.gather(
        *(store.append(of(RoomId(f"ROOM{n:02}"))) for n in range(50)),
        *(store.say(ROOM, b"line %d" % n, None) for n in range(10)),
        *(store.attached(ROOM, f"node {n}", (0,), 0) for n in range(10)),
        store.append(of(ROOM)),
        return_exceptions=True,
    )
    assert statements.count("COMMIT") == 1
    await store.close()


async def test_very_much_at_once_is_several_commits(path: Path, statements: list[str]) -> None:
    store = SqliteStore(path)
    await store.open()
    rooms = [RoomId(f"ROOM{n:04}") for n in range(2 * lane.TRANSACTION)]
    heads = await asyncio.gather(*(store.append(of(room)) for room in rooms))
    assert {head.seq for head in heads} == {1}
    assert 2 <= statements.count("COMMIT") <= 2 * lane.TRANSACTION // lane.BATCH
    await store.close()


async def test_a_neighbour_s_news_is_heard_while_one_does_nothing(path: Path, store: SqliteStore) -> None:
    neighbour = SqliteStore(path)
    await neighbour.open()
    await store.follow(ROOM)
    waiting = asyncio.ensure_future(anext(store.wakeups()))
    head = await grown(neighbour, ROOM, 1)
    assert await waiting == Wakeup(ROOM, News.ENTRY, head.seq)
    await neighbour.close()
