"""Runs cases: a fresh server and a fresh load process for each, all cases of a round one after another.

Cases are interleaved and repeated, not repeated one by one: what else the machine does then hits all alike.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from bench import journals, servers
from bench.jobs import Job, Outcome, Prepared
from bench.machine import cores
from bench.plan import ECHO, Case, Plan

SETTING_UP = 120.0
"""Seconds that a load may take besides those that it measures."""


class LoadFailed(Exception):  # noqa: N818 - reads as the statement it makes
    """The load process ended without an outcome; the text is what it said."""


def run_job(job: Job) -> Outcome:
    """One load process.

    Raises:
        LoadFailed.
    """
    done = subprocess.run(
        [sys.executable, "-m", "bench.driver"],
        input=msgspec.json.encode(job),
        capture_output=True,
        cwd=servers.ROOT,
        timeout=job.warm + job.seconds + SETTING_UP,
        check=False,
    )
    if done.returncode:
        raise LoadFailed(done.stderr.decode(errors="replace")[-2000:])
    return msgspec.json.decode(done.stdout, type=Outcome)


class Runner:
    """Runs the cases of a plan; `outcomes` has those of each case, a round each."""

    def __init__(self, plan: Plan, tell: Callable[[str], None]) -> None:
        self._plan = plan
        self._tell = tell
        self._core, self._others = cores()
        self._stack = contextlib.ExitStack()
        self._journals: dict[int, tuple[Path, tuple[Prepared, ...]]] = {}
        self.outcomes: dict[str, list[Outcome]] = {case.name: [] for case in plan.cases}

    def run(self) -> None:
        """Everything."""
        with self._stack:
            for number in range(self._plan.rounds):
                for case in self._plan.cases:
                    self._tell(f"round {number + 1} of {self._plan.rounds}: {case.name}")
                    try:
                        outcome = self._run(case)
                    except (LoadFailed, servers.NotStarted) as error:
                        outcome = nothing(str(error))
                    self.outcomes[case.name].append(outcome)

    def _run(self, case: Case) -> Outcome:
        job = replace(case.job, cores=tuple(self._others))
        if case.half_of:
            whole = self.outcomes[case.half_of][-1]
            if not whole.actions:
                raise LoadFailed(f"{case.half_of} has no rate to take half of")
            job = replace(job, rate=whole.rate / 2)
        database = None
        if case.journal:
            database, prepared = self._journal(case)
            job = replace(job, prepared=prepared)
        with self._server(case, database) as server:
            return run_job(replace(job, pid=server.pid, port=server.port))

    def _server(self, case: Case, database: Path | None) -> contextlib.AbstractContextManager[servers.Running]:
        if case.peer:
            file, *arguments = case.peer
            return servers.peer(file, arguments, self._core)
        if case.store == ECHO:
            return servers.echo(self._core)
        return servers.pharos(case.store, self._core, self._others, database)

    def _journal(self, case: Case) -> tuple[Path, tuple[Prepared, ...]]:
        if case.journal not in self._journals:
            folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="pharos-bench-")))
            path = folder / "journals.db"
            self._journals[case.journal] = (path, asyncio.run(journals.write(path, case.journal, case.job.rooms)))
        return self._journals[case.journal]


def nothing(error: str) -> Outcome:
    """The outcome of a case that could not be measured."""
    none = math.nan
    return Outcome(0, none, none, none, none, none, none, none, none, errors={error: 1})


def failures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """What went wrong, over all rounds."""
    found: dict[str, int] = {}
    for outcome in outcomes:
        for what, count in outcome.errors.items():
            found[what] = found.get(what, 0) + count
    return found
