"""Traces of actions with OpenTelemetry: an extra (`otel`), on with `PHAROS_TRACES=1`.

A span `action` from the arrival of a seat's request to its reply, and in it `decide`, `append`, `commit`; entries that
the server makes by itself have spans of their own. Where spans go and how many, OpenTelemetry's own variables say
(`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_TRACES_SAMPLER`, …). A span names room, seat, seq and connection, no secrets: of
an exception only the code or the kind is told, never its text.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from protocol.codes import ProtocolError
from server.rooms.stats import About
from server.settings import Settings, SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

FLUSH = 1.0
"""Seconds that the last spans may take to be sent at the end."""


class Traces:
    """Makes spans of a provider's tracer."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("pharos")

    def span(self, name: str, since: float, about: About) -> AbstractContextManager[object]:
        """See `Tracer`."""
        return self._around(name, since, about)

    @contextmanager
    def _around(self, name: str, since: float, about: About) -> Iterator[None]:
        begun = time.time_ns() - int((time.perf_counter() - since) * 1e9)
        attributes = {f"pharos.{key}": value for key, value in about.items()}
        with self._tracer.start_as_current_span(
            f"pharos.{name}",
            start_time=begun,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except Exception as error:
                _fail(span, error)
                raise

    def close(self) -> None:
        """Send what waits, but hold nobody up."""
        sending = threading.Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(FLUSH)


def open_traces(settings: Settings) -> Traces | None:
    """Where spans go, None where they are not wanted.

    Raises:
        SettingsError: they are, but OpenTelemetry is not installed.
    """
    if not settings.traces:
        return None
    # Here, because only those who want traces have it.
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError("PHAROS_TRACES: needs OpenTelemetry: pip install 'pharos-tables[otel]'") from None
    resource = Resource.create({SERVICE_NAME: "pharos"})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Traces(provider)


def _fail(span: Span, error: Exception) -> None:
    """A player's mistake is an outcome, anything else an error."""
    from opentelemetry.trace import StatusCode

    if isinstance(error, ProtocolError):
        span.set_attribute("pharos.outcome", error.code.value)
    else:
        span.set_attribute("pharos.outcome", type(error).__name__)
        span.set_status(StatusCode.ERROR)
