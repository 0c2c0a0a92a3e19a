"""Logs: key = value for people, JSON for machines, all through structlog, the libraries' own included.

No secrets: what is logged of a request is its method and path, never a query, a header or a body.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Mapping
from contextvars import ContextVar

import structlog
from structlog.types import EventDict, Processor

about: ContextVar[Callable[[], Mapping[str, object]] | None] = ContextVar("about", default=None)
"""What is being done here: asked only when a line is written, so that an action costs nothing that logs nothing."""


def _bind(_: object, __: str, event: EventDict) -> EventDict:
    """Say of every line what it is about; what the line itself says counts more."""
    told = about.get()
    return event if told is None else {**told(), **event}


OURS = ("event", "exception", "stack")
"""What is in no part a client's."""

_SHARED: tuple[Processor, ...] = (
    _bind,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


def configure(style: str, level: str) -> None:
    """Write logs of this level and above to the standard error; `style` is `console` or `json`."""
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(style)],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(number)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        library = logging.getLogger(name)
        library.handlers.clear()
        library.propagate = True
    # Below this, uvicorn tells of every malformed request, so that anybody could fill the log.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)
    logging.getLogger("websockets").setLevel(logging.CRITICAL)


def _harmless(_: object, __: str, event: EventDict) -> EventDict:
    """What clients said is not to be obeyed by the terminal that shows it: control characters are written out."""
    return {
        key: repr(value)[1:-1] if isinstance(value, str) and not value.isprintable() and key not in OURS else value
        for key, value in event.items()
    }


def _rendering(style: str) -> list[Processor]:
    """How a line is written. Tracebacks never show local variables: there may be tokens among them."""
    if style == "json":
        transformer = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [structlog.processors.ExceptionRenderer(transformer), structlog.processors.JSONRenderer()]
    plain = structlog.dev.plain_traceback
    return [_harmless, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
