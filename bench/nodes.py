"""What a second node on the same Redis brings: `python -m bench.nodes [rounds]`.

The same load on one node and on two, turn by turn in one run. Nodes, Redis and the load share all cores, as nothing is
pinned: with two cores the load and Redis take what the second node would have. Hence the CPU of an action beside the
rate: it is the same on one node and on two, or a node costs the others something.
"""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from bench import machine, servers
from bench.jobs import Job, Outcome
from bench.runner import run_job

ROOMS = 50
SEATS = 4
ROUNDS = 3
WAYS = ("one node", "two nodes, each room at one of them", "two nodes, each room at both")


@contextlib.contextmanager
def started(way: str) -> Iterator[tuple[Job, int]]:
    """The job on fresh nodes and a fresh Redis; Redis' process."""
    everywhere = os.sched_getaffinity(0)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pharos-bench-")))
        redis = stack.enter_context(servers.redis(folder, everywhere))
        url = f"redis://127.0.0.1:{redis.port}"
        nodes = [stack.enter_context(servers.node(url, everywhere)) for _ in range(1 if way == WAYS[0] else 2)]
        ports = [node.port for node in nodes]
        job = Job(nodes[0].pid, nodes[0].port, rooms=ROOMS, seats=SEATS, stock=ROOMS, seconds=4.0)
        spread = ports if way == WAYS[2] else [port for port in ports for _ in range(SEATS)]
        yield replace(job, nodes=tuple(node.pid for node in nodes[1:]), ports=tuple(spread)), redis.pid


def measured(way: str) -> tuple[Outcome, float]:
    """What the load found, and the CPU that Redis took in all, set-up included."""
    with started(way) as (job, redis):
        before = machine.cpu_seconds(redis)
        return run_job(job), machine.cpu_seconds(redis) - before


def main(rounds: int) -> None:
    """Measure all ways, round by round; tell the middle of the rounds."""
    print(machine.description())
    found: dict[str, list[tuple[Outcome, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            found[way].append(measured(way))
    for way, outcomes in found.items():
        rate = statistics.median(outcome.rate for outcome, _ in outcomes)
        nodes = statistics.median(outcome.cpu for outcome, _ in outcomes)
        load = statistics.median(outcome.load_cpu / outcome.actions for outcome, _ in outcomes)
        redis = statistics.median(spent / outcome.actions for outcome, spent in outcomes)
        p50 = statistics.median(outcome.p50 for outcome, _ in outcomes)
        print(
            f"{way:36} {rate:6.0f} durable actions/s   CPU an action: nodes {nodes * 1e6:5.0f} µs, "
            f"load {load * 1e6:4.0f} µs, redis {redis * 1e6:4.0f} µs   p50 {p50 * 1e3:5.1f} ms"
        )
        for outcome, _ in outcomes:
            if outcome.errors:
                print(f"    {outcome.errors}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
