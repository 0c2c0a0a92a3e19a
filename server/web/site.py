"""The web side of one process, put together: the HTTP application and the WebSocket endpoint around one hub."""

from __future__ import annotations

import time
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import ASGIApp

from protocol.codes import ProtocolError
from server.rooms.hub import Hub
from server.settings import Settings
from server.web import catalogue
from server.web.endpoint import Endpoint
from server.web.gate import Gate
from server.web.guard import Guard
from server.web.limits import Limits
from server.web.lobby import Counter, Lobby, broken, refused, unrouted
from server.web.ops import Lag, Ops
from server.web.origins import Origins
from server.web.session import Surroundings
from server.web.traffic import Traffic


class Site:
    """Everything that faces the clients of one process."""

    def __init__(self, hub: Hub, settings: Settings) -> None:
        limits = Limits(settings.per_address, time.monotonic)
        self.hub = hub
        self.settings = settings
        self.gate = Gate()
        self.origins = Origins(settings.origins)
        self.traffic = Traffic()
        self.lag = Lag()
        self.endpoint = Endpoint(
            settings, Surroundings(hub, settings.wire, self.traffic, self.gate), limits, self.origins
        )
        counter = Counter(limits, self.endpoint.proxies, self.gate)
        lobby = Lobby(hub, settings, counter)
        ops = Ops(hub, self.gate, self.traffic, self.lag)
        self.app = self._application([*lobby.routes(), *catalogue.routes(), *ops.routes()])

    def serve(self, port: int) -> None:
        """The process listens on this port now."""
        self.origins.serve(port)
        self.endpoint.start()
        self.lag.start()

    def _application(self, routes: list[Route]) -> ASGIApp:
        handlers: dict[Any, Any] = {ProtocolError: refused, HTTPException: unrouted, Exception: broken}
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False
        return Guard(app, self.origins, self.endpoint.limits, self.endpoint.proxies)
