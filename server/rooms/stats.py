"""What the rooms count and measure, for whoever watches them: histograms for metrics, and spans where traces are on."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from types import TracebackType
from typing import Protocol, TypeAlias

from server.rooms.entries import Recorded, kind_of
from server.rooms.room import Room

BOUNDS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds in seconds of the histogram's buckets; one more holds the rest."""

About: TypeAlias = Mapping[str, str | int]


class Stage(StrEnum):
    """What is measured of an entry. ACTION: a seat's request, from its arrival to the reply; it holds the others.

    DECIDE: rules and refusals. APPEND: until the store has answered. COMMIT: the new state, told to every outbox.
    """

    DECIDE = "decide"
    APPEND = "append"
    COMMIT = "commit"
    ACTION = "action"


class Tracer(Protocol):
    """Where spans go."""

    def span(self, name: str, since: float, about: About) -> AbstractContextManager[object]:
        """A span around what is done within, a part of the span that is open here; begun at `since` (perf_counter)."""


class Histogram:
    """How long something took: a count per bucket, and the sum in seconds."""

    def __init__(self) -> None:
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """One more took this long."""
        self.buckets[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Timing:
    """Measures what is done within it, however it ends."""

    __slots__ = ("_histogram", "_since")

    def __init__(self, histogram: Histogram, since: float) -> None:
        self._histogram = histogram
        self._since = since

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._histogram.add(time.perf_counter() - self._since)


class Traced(Timing):
    """The same within a span."""

    __slots__ = ("_span",)

    def __init__(self, histogram: Histogram, since: float, span: AbstractContextManager[object]) -> None:
        super().__init__(histogram, since)
        self._span = span

    def __enter__(self) -> None:
        self._span.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        self._span.__exit__(kind, error, trace)


FAULTS = ("raised", "broken", "foreign", "another_way")
"""Named from the start, so that the first of a kind is seen as an increase."""


class HubStats:
    """Counters since the start of the process.

    `actions`: requests of seats by outcome (`ok` or the code of the error). `entries`: committed ones by game and kind.
    `resumes`: joins by kind (`patches`, `snapshot`). `faults`: rooms that `raised` (a bug of ours), whose journal is
    `broken`, whose rules are `foreign` to this version, or whose journal went `another_way`. `stages`: seconds.
    `tracer`: None where nobody wants traces.
    """

    def __init__(self, tracer: Tracer | None = None) -> None:
        self.actions: Counter[str] = Counter()
        self.entries: Counter[tuple[str, str]] = Counter()
        self.resumes: Counter[str] = Counter()
        self.faults: Counter[str] = Counter(dict.fromkeys(FAULTS, 0))
        self.store_errors = 0
        self.stages: Mapping[Stage, Histogram] = {stage: Histogram() for stage in Stage}
        self.tracer = tracer

    def timing(self, stage: Stage, since: float | None = None, about: About | None = None) -> Timing:
        """Measure a stage from now on, or from `since` (perf_counter)."""
        begun = time.perf_counter() if since is None else since
        if self.tracer is None:
            return Timing(self.stages[stage], begun)
        return Traced(self.stages[stage], begun, self.tracer.span(stage.value, begun, about or {}))

    def committed(self, room: Room, recorded: Recorded) -> None:
        """Count an entry."""
        self.entries[room.state.created.game, kind_of(recorded.entry)] += 1
