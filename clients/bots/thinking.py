"""Where policies that look ahead do their work: in worker processes, so that connections stay alive meanwhile.

Rules that hold here:

1. A policy that needs no time is asked at once, in the event loop. Only a `Search` goes to a worker.
2. Workers are started when they are first needed, one a processor, and end with the process that started them, however
   it ends.
3. When more decisions wait than there are workers, each has so much less time: nobody waits for a crowd. Where there
   is a clock, what counts is when the decision has to be made, however long it waited for a worker.
4. A worker that was killed costs nothing but time: the others are replaced with it, and the decision is made again.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from random import Random
from typing import Any

from clients.bots.policies import Choose
from clients.bots.search import Level, Search

ATTEMPTS = 3
"""How often a decision is made whose worker dies, before that is an error."""


class Thinkers:
    """The worker processes of this process."""

    def __init__(self, workers: int | None = None) -> None:
        """`workers`: how many (None: one a processor)."""
        self.workers = workers or processors()
        self._pool: ProcessPoolExecutor | None = None
        self._waiting = 0

    async def decide(
        self,
        choose: Choose,
        state: Mapping[str, Any],
        actions: Sequence[Mapping[str, Any]],
        random: Random,
        *,
        until: float | None = None,
    ) -> Mapping[str, Any]:
        """What the policy chooses; a search has to end by `until`, a moment of `time.monotonic`.

        Raises:
            BrokenProcessPool: worker after worker was killed.
        """
        if not isinstance(choose, Search) or len(actions) == 1:
            return choose(state, actions, random)
        own = Random(random.getrandbits(64))  # noqa: S311 - the same whether the work is done here or there
        self._waiting += 1
        try:
            hurried = choose.hurried(max(1.0, self._waiting / self.workers))
            return await self._ask(lambda pool: pool.submit(_search, hurried, until, state, actions, own))
        finally:
            self._waiting -= 1

    async def _ask(self, submit: Callable[[ProcessPoolExecutor], Any]) -> Mapping[str, Any]:
        for attempt in range(1, ATTEMPTS + 1):
            pool = self._pool = self._pool or start(self.workers)
            try:
                chosen: Mapping[str, Any] = await asyncio.wrap_future(submit(pool))
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = None
                if attempt == ATTEMPTS:
                    raise
            else:
                return chosen
        raise AssertionError("an attempt returns or raises")

    def stop(self) -> None:
        """End the workers at once, whatever they are at. Nobody may wait for them any more."""
        if self._pool is not None:
            end(self._pool)
            self._pool = None


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _search(
    search: Search,
    until: float | None,
    state: Mapping[str, Any],
    actions: Sequence[Mapping[str, Any]],
    random: Random,
) -> Mapping[str, Any]:
    """In a worker: what the search finds in the time that is left. The system's processes have one monotonic clock."""
    return within(search, None if until is None else until - time.monotonic())(state, actions, random)


def within(search: Search, seconds: float | None) -> Search:
    """The search with no more than so many seconds; one iteration it has always."""
    own = search.level.seconds
    if seconds is None or (own is not None and own <= seconds):
        return search
    return Search(Level(search.level.iterations, max(0.0, seconds)))


def start(workers: int) -> ProcessPoolExecutor:
    """Workers that think for this process, and do not outlive it."""
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"), initializer=_begin)


def end(pool: ProcessPoolExecutor) -> None:
    """End the workers at once, and wait until they have."""
    for worker in multiprocessing.active_children():
        worker.terminate()
    pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """In a worker: leave Ctrl-C to the process that started it, and end when that has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(5)
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


THINKERS = Thinkers()
"""The workers that all games of this process share."""
