"""The HTTP side of a site on the echo hub, called without a socket."""

from __future__ import annotations

from typing import Any

import httpx

from server.settings import read_settings
from server.web.site import Site
from tests.web.echo_hub import EchoHub

OWN = "http://127.0.0.1:8000"


class Desk:
    """A site on the echo hub, and calls to it."""

    def __init__(self, **environment: str) -> None:
        self.hub = EchoHub()
        self.site = Site(self.hub, read_settings(environment))  # type: ignore[arg-type]
        self.site.origins.serve(8000)

    async def call(self, method: str, path: str, *, host: str = "192.0.2.1", **more: Any) -> httpx.Response:
        transport = httpx.ASGITransport(self.site.app, client=(host, 5000))
        async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
            return await client.request(method, path, **more)

    async def post(self, path: str, body: Any, **more: Any) -> httpx.Response:
        return await self.call("POST", path, json=body, **more)
