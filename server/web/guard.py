"""What surrounds every HTTP call: how many there may be, `Origin`, CORS, careful headers, the last resort.

1. A call is counted for its address before anything else is looked at, and refused if it is one too many; only whether
   the server is well may be asked at any time.
2. A call that changes anything is refused to pages of a foreign origin before its body is read.
3. Allowed origins get CORS headers, and answers to their preflights; nobody gets them with credentials.
4. An exception that nothing else caught is a bug of ours: it is logged here, with the path and without the query.
"""

from __future__ import annotations

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from protocol.codes import Code, ProtocolError
from server.web.answers import failure
from server.web.limits import Limits, Proxies, too_many
from server.web.origins import Origins
from server.web.requests import address_of

PROBES = ("/healthz", "/readyz")
SAFE = ("GET", "HEAD", "OPTIONS")

CAREFUL = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-site",
}

PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, DELETE",
    "Access-Control-Allow-Headers": "Authorization, Content-Type",
    "Access-Control-Max-Age": "600",
}

log = structlog.get_logger()


class Guard:
    """The outermost layer of the HTTP side."""

    def __init__(self, app: ASGIApp, origins: Origins, limits: Limits, proxies: Proxies) -> None:
        self._app = app
        self._origins = origins
        self._limits = limits
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            return
        call = _Call(scope, send, self._origins)
        early = self._too_many(scope) or call.early()
        if early is not None:
            await early(scope, receive, call.send)
            return
        try:
            await self._app(scope, receive, call.send)
        except ClientDisconnect:
            return
        except Exception:  # the application has answered `internal` before it let this through
            log.exception("a call raised", method=scope["method"], path=scope["path"])

    def _too_many(self, scope: Scope) -> Response | None:
        if scope["path"] in PROBES:
            return None
        wait = self._limits.call(address_of(Request(scope), self._proxies))
        return failure(too_many("calls", wait)) if wait else None


class _Call:
    """One request, and what its answer's headers depend on."""

    def __init__(self, scope: Scope, send: Send, origins: Origins) -> None:
        self._send = send
        self._method: str = scope["method"]
        self._headers = Headers(scope=scope)
        self._origin = self._headers.get("origin")
        self._allowed = origins.allow(self._origin)

    def early(self) -> Response | None:
        """The answer to a preflight, or to a foreign page that wants to change something."""
        if self._method == "OPTIONS" and "access-control-request-method" in self._headers:
            return Response(status_code=204, headers=PREFLIGHT if self._allowed else None)
        if self._method not in SAFE and not self._allowed:
            return failure(ProtocolError(Code.FORBIDDEN, "pages of this Origin may change nothing here"))
        return None

    async def send(self, message: Message) -> None:
        """Send a part of the answer, its headers completed."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in CAREFUL.items():
                headers.setdefault(name, value)
            headers.add_vary_header("Origin")
            if self._origin is not None and self._allowed:
                headers["Access-Control-Allow-Origin"] = self._origin
                headers["Access-Control-Expose-Headers"] = "Retry-After"
                headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        await self._send(message)
