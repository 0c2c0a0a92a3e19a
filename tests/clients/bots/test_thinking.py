"""Worker processes: the same choices as here, a loop that stays awake, and no worker that outlives who started it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import psutil
import pytest

from clients.bots.offline import as_map, document, table
from clients.bots.search import Level, Search
from clients.bots.thinking import Thinkers, processors, within
from server.engines import latest
from tests.clients.bots.hosts import workers_of
from tests.processes import PATIENCE, ROOT

ENGINE = latest("dragonwood")
assert ENGINE is not None
PLACE = table(ENGINE, 2, 5)
STATE = ENGINE.new(2, PLACE.options, PLACE.dice())
SEEN = document(PLACE, STATE, 0)
ACTIONS = [as_map(action) for action in ENGINE.legal_actions(STATE, 0)]


@pytest.fixture(scope="module")
def thinkers() -> Iterator[Thinkers]:
    found = Thinkers(1)
    yield found
    found.stop()


async def test_a_worker_chooses_as_this_process_would(thinkers: Thinkers) -> None:
    search = Search(Level(4))
    there = [await thinkers.decide(search, SEEN, ACTIONS, Random(seed)) for seed in range(3)]
    here = [search(SEEN, ACTIONS, Random(Random(seed).getrandbits(64))) for seed in range(3)]
    assert there == here


async def test_what_takes_no_time_is_asked_here(thinkers: Thinkers) -> None:
    asked: list[int] = []

    def choose(state: Any, actions: Any, random: Random) -> Any:
        asked.append(os.getpid())
        return actions[0]

    assert await thinkers.decide(choose, SEEN, ACTIONS, Random(1)) == ACTIONS[0]
    assert asked == [os.getpid()]


async def test_the_loop_is_awake_while_a_worker_thinks(thinkers: Thinkers) -> None:
    deciding = asyncio.create_task(thinkers.decide(Search(Level(10**9, 0.5)), SEEN, ACTIONS, Random(1)))
    for _ in range(1000):
        await asyncio.sleep(0)
    assert not deciding.done()
    assert await deciding in ACTIONS


async def test_a_search_ends_when_its_time_is_over_however_long_it_waited(thinkers: Thinkers) -> None:
    """It would go on for half an hour."""
    endless = Search(Level(10**9, 1800.0))
    until = time.monotonic() + 0.2
    chosen = await asyncio.gather(
        *(thinkers.decide(endless, SEEN, ACTIONS, Random(seed), until=until) for seed in range(3))
    )
    assert all(action in ACTIONS for action in chosen)


def test_a_clock_takes_time_and_never_gives_any() -> None:
    short, endless = Search(Level(9, 1.0)), Search(Level(9))
    assert within(short, None) == within(short, 2.0) == short
    assert within(short, 0.4) == within(endless, 0.4) == Search(Level(9, 0.4))
    assert within(short, -3.0) == Search(Level(9, 0.0))


def test_only_processors_that_it_may_use_get_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 5, 6}, raising=False)
    assert processors() == Thinkers().workers == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert processors() == Thinkers().workers == 7


async def test_a_crowd_shares_the_time(thinkers: Thinkers, monkeypatch: pytest.MonkeyPatch) -> None:
    factors: list[float] = []
    hurried = Search.hurried
    monkeypatch.setattr(Search, "hurried", lambda self, factor: (factors.append(factor), hurried(self, factor))[1])
    await asyncio.gather(*(thinkers.decide(Search(Level(1, 5.0)), SEEN, ACTIONS, Random(1)) for _ in range(4)))
    assert factors == [1.0, 2.0, 3.0, 4.0]


async def test_a_worker_that_is_killed_is_replaced_and_the_decision_made_again(thinkers: Thinkers) -> None:
    await thinkers.decide(Search(Level(1)), SEEN, ACTIONS, Random(1))
    (worker,) = workers_of()
    deciding = asyncio.create_task(thinkers.decide(Search(Level(10**9, 1.0)), SEEN, ACTIONS, Random(1)))
    await asyncio.sleep(0)
    worker.kill()
    assert await asyncio.wait_for(deciding, PATIENCE) in ACTIONS
    assert worker.pid not in [other.pid for other in workers_of()]


HOLDER = """
import asyncio, os, sys
from random import Random
from clients.bots.search import Level, Search
from tests.clients.bots.hosts import workers_of
from tests.clients.bots.test_thinking import ACTIONS, SEEN, Thinkers

async def main():
    thinkers = Thinkers(1)
    await thinkers.decide(Search(Level(1)), SEEN, ACTIONS, Random(1))
    print(*[worker.pid for worker in workers_of()], flush=True)
    await thinkers.decide(Search(Level(10**9, 600.0)), SEEN, ACTIONS, Random(1))

if __name__ == "__main__":
    asyncio.run(main())
"""


def test_no_worker_outlives_a_process_that_is_killed() -> None:
    """Also in the middle of a thought."""
    holder = subprocess.Popen([sys.executable, "-c", HOLDER], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    with holder.stdout as out:
        workers = [psutil.Process(int(pid)) for pid in out.readline().split()]
        assert workers
        holder.send_signal(signal.SIGKILL)
        holder.wait(PATIENCE)
    _, alive = psutil.wait_procs(workers, timeout=PATIENCE)
    assert alive == []
