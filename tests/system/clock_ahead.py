"""A server on a host whose clock is ten seconds ahead: `python -m tests.system.clock_ahead`."""

from __future__ import annotations

import sys
import time

AHEAD = 10

_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + AHEAD
time.time_ns = lambda: _time_ns() + AHEAD * 1_000_000_000

if __name__ == "__main__":
    from server.app import main

    sys.exit(main())
