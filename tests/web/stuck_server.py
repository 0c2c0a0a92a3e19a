"""An echo server whose store does not end: a thread of it is stuck for longer than anybody waits."""

from __future__ import annotations

import asyncio
import os
import threading

from server import logs
from server.settings import read_settings
from server.web.serving import serve
from server.web.site import Site
from tests.web.echo_hub import EchoHub


class StuckHub(EchoHub):
    """Stops only when a thread of the event loop's executor ends, which is too late for everybody."""

    async def stop(self) -> None:
        await asyncio.to_thread(threading.Event().wait, 600)


if __name__ == "__main__":
    settings = read_settings(os.environ)
    logs.configure(settings.log, settings.log_level)
    serve(Site(StuckHub(), settings))
