"""A thread with a connection, which takes everything that waits for it as one transaction.

1. What one turn of the event loop asks for travels as one batch. The thread takes the batches that wait, does them in
   one transaction, and hands all answers back to the loop with one call. Very much at once is several batches and
   transactions, so that no transaction takes too long to be answered in time.
2. What is refused (a failed compare) refuses before it changes anything, so its neighbours stay. What fails in any
   other way undoes the transaction, and then each job is done in one of its own.
3. A batch that has not been begun in time is taken back: `StoreUnavailable`, nothing happened. One that was begun
   and does not end in time is in doubt: `overdue` says which error that is for this lane.
4. A connection that failed is closed; the next batch opens another.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from server.store.sqlite import schema
from server.store.sqlite.watch import Watch
from server.store.sqlite.writes import Changes, Transaction
from server.store.store import (
    Conflict,
    NotInTime,
    Quarantined,
    StoreUnavailable,
    Wakeup,
)

T = TypeVar("T")
BATCH = 256
TRANSACTION = 512
REFUSALS = (Conflict, NotInTime, Quarantined, LookupError)


class Manner(msgspec.Struct, frozen=True):
    """How a lane begins a transaction, and what is raised for one that does not end within `limit` seconds."""

    begin: str
    overdue: type[Exception]
    limit: float


class _Job(Generic[T]):
    """One thing to do, and who waits for it."""

    __slots__ = ("_error", "_future", "_result", "_work")

    def __init__(self, work: Callable[[Transaction], T], future: asyncio.Future[T]) -> None:
        self._work = work
        self._future = future
        self._result: T
        self._error: Exception | None = None

    def do(self, transaction: Transaction) -> None:
        """Do it, in the lane's thread; once more if a transaction with others failed."""
        self._error = None
        try:
            self._result = self._work(transaction)
        except REFUSALS as error:
            self._error = error

    def fail(self, error: Exception) -> None:
        """Note that it failed; what was refused stays refused."""
        self._error = self._error or error

    def answer(self) -> None:
        """Tell who waits, in the loop."""
        if self._future.done():
            return
        if self._error is not None:
            self._future.set_exception(self._error)
        else:
            self._future.set_result(self._result)

    def abandon(self, error: Exception) -> None:
        """Tell who waits that there is no answer, in the loop."""
        if not self._future.done():
            self._future.set_exception(error)


class _Batch:
    """What one turn of the loop asked for."""

    def __init__(self, jobs: Sequence[_Job[object]], limit: float) -> None:
        self.jobs = jobs
        self._until = time.monotonic() + limit
        self.timer: asyncio.TimerHandle | None = None
        self._lock = threading.Lock()
        self._taken = False

    def take(self) -> bool:
        """Begin it or take it back: true for whoever comes first."""
        with self._lock:
            first, self._taken = not self._taken, True
        return first

    @property
    def waiting(self) -> bool:
        """Nobody has taken it, and somebody waits for it."""
        return not self._taken and time.monotonic() < self._until


class Lane:
    """One connection and its thread. The public part is for the loop's thread, the rest runs in the lane's own."""

    def __init__(
        self, path: Path, clock: Callable[[], int], manner: Manner, hear: Callable[[Sequence[Wakeup]], None]
    ) -> None:
        self.watch = Watch()
        self._path = path
        self._clock = clock
        self._manner = manner
        self._hear = hear
        self._queue: queue.SimpleQueue[_Batch | None] = queue.SimpleQueue()
        self._turn: list[_Job[object]] = []
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._closing = False
        self._connection: sqlite3.Connection | None = None
        self._thread = threading.Thread(target=self._main, name=f"sqlite {manner.begin.lower()}", daemon=True)
        self._thread.start()

    def call(self, work: Callable[[Transaction], T]) -> asyncio.Future[T]:
        """Have the work done in a transaction; refusals and `StoreUnavailable` come through the future."""
        if self._closing:
            raise StoreUnavailable("the store is closed")
        future: asyncio.Future[T] = self._loop.create_future()
        if not self._turn:
            self._loop.call_soon(self._send)
        self._turn.append(_Job(work, future))  # type: ignore[arg-type]  # a job answers its own future only
        return future

    async def close(self, patience: float) -> None:
        """Do what waits, end the thread, and give up waiting for it after so many seconds."""
        self._send()
        self._closing = True
        self._queue.put(None)
        await asyncio.wait((self._ended,), timeout=patience)

    def _send(self) -> None:
        jobs, self._turn = self._turn, []
        for first in range(0, len(jobs), BATCH):
            batch = _Batch(jobs[first : first + BATCH], self._manner.limit)
            batch.timer = self._loop.call_later(self._manner.limit, self._expire, batch)
            self._queue.put(batch)

    def _expire(self, batch: _Batch) -> None:
        never = batch.take()
        text = f"{self._path}: locked or too slow"
        for job in batch.jobs:
            job.abandon(StoreUnavailable(text) if never else self._manner.overdue(text))

    def _settle(self, batches: Sequence[_Batch], wakeups: Sequence[Wakeup]) -> None:
        # Who asked goes on before the wake-ups are heard: news of one's own doing is old news then.
        for batch in batches:
            if batch.timer:
                batch.timer.cancel()
            for job in batch.jobs:
                job.answer()
        if wakeups:
            self._hear(wakeups)

    def _main(self) -> None:
        more = True
        while more:
            batches, more = self._take()
            if batches:
                self._run(batches)
            self._look()
        self._disconnect()
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._ended.set_result, None)

    def _take(self) -> tuple[list[_Batch], bool]:
        """What waits, after waiting for something, and whether the lane goes on."""
        batches: list[_Batch] = []
        try:
            item = self._queue.get(timeout=self.watch.pause())
            while item is not None:
                batches.append(item)
                if sum(len(batch.jobs) for batch in batches) >= TRANSACTION:
                    return batches, True
                item = self._queue.get_nowait()
        except queue.Empty:
            return batches, True
        return batches, False

    def _run(self, batches: Sequence[_Batch]) -> None:
        changes: Changes = {}
        try:
            self._begin(lambda: any(batch.waiting for batch in batches))
        except (sqlite3.Error, StoreUnavailable) as error:
            self._disconnect()
            batches = [batch for batch in batches if batch.take()]
            for batch in batches:
                for job in batch.jobs:
                    job.fail(schema.unavailable(self._path, error))
        else:
            batches = [batch for batch in batches if batch.take()]
            self._do([job for batch in batches for job in batch.jobs], changes)
        self._tell(batches, self.watch.committed(changes))

    def _begin(self, wanted: Callable[[], bool]) -> None:
        """Open a transaction, however long another process holds the lock, while it is wanted."""
        while True:
            try:
                self._connected().execute(self._manner.begin)
            except sqlite3.OperationalError as error:
                if not schema.is_busy(error) or not wanted():
                    raise
                # SQLite's own waiting backs off to 100 ms; a busy neighbour leaves gaps far shorter than that.
                time.sleep(random.uniform(0.0002, 0.002))  # noqa: S311 - a pause, no secret
            else:
                return

    def _do(self, jobs: Sequence[_Job[object]], changes: Changes) -> None:
        """Do all in the open transaction, or else each in its own."""
        transaction = Transaction(self._connected(), self._clock(), {})
        try:
            for job in jobs:
                job.do(transaction)
        except Exception:
            self._rollback()
            for job in jobs:
                self._do_alone(job, changes)
        else:
            self._commit(transaction, jobs, changes)

    def _do_alone(self, job: _Job[object], changes: Changes) -> None:
        until = time.monotonic() + schema.LOCK_WAIT
        try:
            self._begin(lambda: time.monotonic() < until)
            transaction = Transaction(self._connected(), self._clock(), {})
            job.do(transaction)
        except sqlite3.Error as error:
            self._disconnect()
            job.fail(schema.unavailable(self._path, error))
        except Exception as error:  # a bug of the caller's or ours: raised where the call was made
            self._rollback()
            job.fail(error)
        else:
            self._commit(transaction, (job,), changes)

    def _commit(self, transaction: Transaction, jobs: Sequence[_Job[object]], changes: Changes) -> None:
        try:
            transaction.connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._spoilt(jobs, error)
        else:
            changes.update(transaction.changes)

    def _spoilt(self, jobs: Sequence[_Job[object]], error: sqlite3.Error) -> None:
        """The commit failed. After an error of the device a restart might still find it done."""
        self._rollback()
        doubtful = schema.is_doubtful(error)
        if doubtful:
            self._disconnect()
        for job in jobs:
            job.fail(
                self._manner.overdue(f"{self._path}: {error}") if doubtful else schema.unavailable(self._path, error)
            )

    def _look(self) -> None:
        if self.watch.pause() != 0:
            return
        try:
            wakeups = self.watch.look(Transaction(self._connected(), 0, {}))
        except (sqlite3.Error, StoreUnavailable):
            self.watch.put_off(0.0)
            self._disconnect()
        else:
            if wakeups:
                self._tell((), wakeups)

    def _tell(self, batches: Sequence[_Batch], wakeups: Sequence[Wakeup]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone, and everybody who waited with it
            self._loop.call_soon_threadsafe(self._settle, batches, wakeups)

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = schema.connect(self._path)
            self._connection.execute("PRAGMA busy_timeout = 0")
            self.watch.forget_version()
        return self._connection

    def _rollback(self) -> None:
        if self._connection and self._connection.in_transaction:
            try:
                self._connection.execute("ROLLBACK")
            except sqlite3.Error:
                self._disconnect()

    def _disconnect(self) -> None:
        if self._connection:
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None
