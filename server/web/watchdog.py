"""The last resort on the way down: a thread that ends the process when its time is up.

The event loop can cut sockets and cancel tasks, but not a thread that is stuck in a store's call, nor what waits for
such a thread when the loop is closed. The journal has all that was acknowledged, so nothing is lost by it.
"""

from __future__ import annotations

import os
import threading

import structlog

log = structlog.get_logger()


class Watchdog:
    """Ends the process with exit code 0, so many seconds after `start`, if it has not ended by itself."""

    def __init__(self) -> None:
        self._timer: threading.Timer | None = None

    def start(self, seconds: float) -> None:
        """The process may take so long from now on, whatever was said before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, _end)
        self._timer.daemon = True
        self._timer.start()


def _end() -> None:
    stuck = [thread.name for thread in threading.enumerate() if thread is not threading.current_thread()]
    log.error("the time to stop is up", threads=stuck)
    os._exit(0)
