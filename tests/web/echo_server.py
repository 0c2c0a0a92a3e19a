"""A server process on the echo hub: the whole web layer, and nothing behind it."""

from __future__ import annotations

import os

from server import logs
from server.settings import read_settings
from server.web.serving import serve
from server.web.site import Site
from tests.web.echo_hub import EchoHub

if __name__ == "__main__":
    settings = read_settings(os.environ)
    logs.configure(settings.log, settings.log_level)
    serve(Site(EchoHub(), settings))
