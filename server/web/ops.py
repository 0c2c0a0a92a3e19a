"""For those who run the server: `/healthz`, `/readyz`, `/metrics`.

The figures are read when they are asked for; nothing is kept in a registry that outlives the server.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from resource import getpagesize
from typing import TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.rooms.hub import Hub
from server.rooms.stats import BOUNDS, Histogram, Stage
from server.web.gate import Gate
from server.web.session import SERVER_VERSION
from server.web.traffic import Traffic

Family = TypeVar("Family", GaugeMetricFamily, CounterMetricFamily)

STAGES = {
    Stage.DECIDE: "How long the rules took to decide on an intent",
    Stage.APPEND: "How long the store took to answer an append",
    Stage.COMMIT: "How long an entry took from the store's answer to every outbox",
    Stage.ACTION: "How long a seat's request took from its arrival to the reply",
}

STATM = Path("/proc/self/statm")

LOOK = 0.25
"""How often the event loop's lag is measured, in seconds."""


class Lag:
    """How late the event loop calls back: the worst since the figures were last read, and its smoothed mean."""

    def __init__(self) -> None:
        self.worst = 0.0
        self.mean = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Measure, on the running event loop, until `stop`."""
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(LOOK, self._look, loop.time() + LOOK)

    def stop(self) -> None:
        """Measure no more."""
        if self._timer is not None:
            self._timer.cancel()

    def _look(self, due: float) -> None:
        late = max(0.0, asyncio.get_running_loop().time() - due)
        self.worst = max(self.worst, late)
        self.mean += (late - self.mean) / 16
        self.start()


class Ops:
    """The handlers for those who run the server."""

    def __init__(self, hub: Hub, gate: Gate, traffic: Traffic, lag: Lag) -> None:
        self._hub = hub
        self._gate = gate
        self._registry = CollectorRegistry()
        self._registry.register(_Figures(hub, gate, traffic, lag))

    def routes(self) -> list[Route]:
        """The three paths."""
        return [
            Route("/healthz", self.healthz),
            Route("/readyz", self.readyz),
            Route("/metrics", self.metrics),
        ]

    async def healthz(self, _: Request) -> Response:
        """Alive: the event loop turns."""
        return PlainTextResponse("ok\n")

    async def readyz(self, _: Request) -> Response:
        """Able to serve: the store can be reached, and the process is not to stop."""
        if self._gate.draining:
            return PlainTextResponse("draining\n", 503)
        return PlainTextResponse("ready\n") if self._hub.ready else PlainTextResponse("the store is away\n", 503)

    async def metrics(self, _: Request) -> Response:
        """The figures, as Prometheus reads them."""
        return Response(generate_latest(self._registry), media_type=None, headers={"Content-Type": CONTENT_TYPE_LATEST})


class _Figures(Collector):
    """Turns what the parts count into metrics."""

    def __init__(self, hub: Hub, gate: Gate, traffic: Traffic, lag: Lag) -> None:
        self._hub = hub
        self._gate = gate
        self._traffic = traffic
        self._lag = lag

    def collect(self) -> Iterable[Metric]:
        """Every metric."""
        yield from self._of_the_web()
        yield from self._of_the_rooms()
        worst, self._lag.worst = self._lag.worst, 0.0
        yield _gauge("pharos_event_loop_lag_seconds", "How late the event loop calls back, smoothed", self._lag.mean)
        yield _gauge("pharos_event_loop_lag_worst_seconds", "The worst of it since the last scrape", worst)
        yield _gauge("pharos_ready", "Whether the process serves: 1, or 0 as /readyz says", self._ready())
        if STATM.exists():
            resident = int(STATM.read_text().split()[1]) * getpagesize()
            yield _gauge("pharos_resident_memory_bytes", "Memory of the process", resident)
        yield InfoMetricFamily("pharos_build", "What runs here", value={"version": SERVER_VERSION})

    def _of_the_web(self) -> Iterable[Metric]:
        traffic = self._traffic
        yield _gauge("pharos_connections", "Open WebSocket connections", traffic.connections)
        yield _counter("pharos_frames_in", "Frames received", traffic.frames_in)
        yield _counter("pharos_frames_out", "Frames sent", traffic.frames_out)
        yield _counter("pharos_outbox_dropped_frames", "Frames dropped for slow readers", traffic.displaced_frames)
        yield _counter("pharos_outbox_conflations", "Snapshots sent in place of dropped frames", traffic.resyncs)
        yield _counters("pharos_requests_refused", "Requests refused before any room", "code", traffic.refused)
        closed = {str(int(code)): count for code, count in traffic.closed.items()}
        yield _counters("pharos_connections_closed", "Connections closed by the server", "code", closed)

    def _of_the_rooms(self) -> Iterable[Metric]:
        stats = self._hub.stats
        yield _by_two(GaugeMetricFamily("pharos_rooms", "Rooms in memory", labels=("game", "status")), self._rooms())
        yield _counters("pharos_actions", "Actions by outcome", "outcome", stats.actions)
        yield _counters("pharos_resumes", "Joins by what they were answered with", "kind", stats.resumes)
        yield _counters("pharos_room_faults", "Rooms that were let go of, by why", "kind", stats.faults)
        yield _counter("pharos_store_errors", "Calls of the store that failed", stats.store_errors)
        entries = CounterMetricFamily("pharos_entries", "Entries of journals", labels=("game", "kind"))
        yield _by_two(entries, stats.entries)
        for stage, histogram in stats.stages.items():
            yield _histogram(f"pharos_{stage}_seconds", STAGES[stage], histogram)

    def _ready(self) -> bool:
        return self._hub.ready and not self._gate.draining

    def _rooms(self) -> Mapping[tuple[str, str], int]:
        """How many rooms there are in memory, by game and status."""
        states = (table.room.state for table in self._hub.loaded())
        return Counter((state.created.game, state.status) for state in states)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(name, text, value=value)


def _histogram(name: str, text: str, found: Histogram) -> Metric:
    family = HistogramMetricFamily(name, text)
    bounds = [*map(str, BOUNDS), "+Inf"]
    family.add_metric((), list(zip(bounds, accumulate(found.buckets), strict=True)), found.sum)
    return family


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(name, text, value=value)


def _by_two(family: Family, values: Mapping[tuple[str, str], int]) -> Family:
    for labels, value in values.items():
        family.add_metric(labels, value)
    return family


def _counters(name: str, text: str, label: str, values: Mapping[str, int]) -> Metric:
    family = CounterMetricFamily(name, text, labels=(label,))
    for key, value in values.items():
        family.add_metric((key,), value)
    return family
