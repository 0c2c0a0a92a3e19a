"""`python -m server`: serve until a signal; with a command, look after what is stored (`--help` names them)."""

from __future__ import annotations

import os
import signal
import sys

if __name__ == "__main__":
    if len(sys.argv) > 1:
        from server.support.cli import main as look_after

        sys.exit(look_after(sys.argv[1:]))
    # Until the server listens for it: nothing else ends the first process of a container. Nobody was served yet.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    from server.app import main

    sys.exit(main())
