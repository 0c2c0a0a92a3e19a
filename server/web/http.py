"""uvicorn's HTTP protocol with the bounds that it lacks, so that a connection can't be held for nothing.

1. A peer that is no trusted proxy has only so many connections.
2. A request's head may be only so long, and take only so long from its first byte.
3. From the connection, or the last answer, to the next one only so much time may pass, whatever the peer does: sends a
   body that never ends, line breaks between requests, or reads nothing of what it is answered.
4. Only so many requests may wait behind the one that is being answered, and none that wants to become a WebSocket.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from server.web.limits import Address, Limits, Proxies

HEAD_BYTES = 16_384
"""Bytes of a request's line and headers."""
HEAD_WITHIN = 10.0
"""Seconds from the connection, or from a request's first byte, to the end of its head."""

PIPELINED = 16
"""How many requests may wait behind the one that is being answered."""


def _refusal(status: str, body: bytes, more: bytes = b"") -> bytes:
    head = b"HTTP/1.1 %s\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%sconnection: close\r\n\r\n"
    return head % (status.encode(), len(body), more) + body


TOO_LARGE = _refusal(
    "431 Request Header Fields Too Large",
    b'{"error":{"code":"too_large","message":"the request\'s head is long"}}',
)
TOO_MANY = _refusal(
    "429 Too Many Requests",
    b'{"error":{"code":"rate_limited","message":"too many connections from this address","retry_after":10000}}',
    b"retry-after: 10\r\n",
)


class TooMuch(Exception):  # noqa: N818 - reads as the statement it makes
    """Raised in a callback of the parser, which makes a refusal of it."""


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection."""

    def __init__(self, limits: Limits, proxies: Proxies, call_within: int, **uvicorn: Any) -> None:
        """`call_within`: how long a call may take, in ms; `uvicorn`: what that gives to its own protocol."""
        super().__init__(**uvicorn)
        self._limits = limits
        self._proxies = proxies
        self._call_within = call_within / 1000
        self._peer: Address | None = None  # whose connection this is, while it is counted
        self._running: RequestResponseCycle | None = None
        self._answered = True
        self._unparsed = 0  # bytes since a head began, as far as it has not ended
        self._head_bytes = 0
        self._in_head = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connected, and should say something soon."""
        super().connection_made(transport)
        self._late = self.loop.call_later(HEAD_WITHIN, self._cut)
        self._deadline = self.loop.call_later(self._call_within, self._cut)
        peer = self._proxies.peer(None if self.client is None else self.client[0])
        if self._limits.arrive(peer):
            self._peer = peer
        else:
            self._refuse(TOO_MANY)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._let_go()
        self._nobody_there()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        self._unparsed += len(data)
        super().data_received(data)
        if self._in_head and self._unparsed > HEAD_BYTES and not self.transport.is_closing():
            self._refuse(TOO_LARGE)

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        if len(self.pipeline) >= PIPELINED:
            raise TooMuch
        super().on_message_begin()
        self._head_bytes = 0
        self._late.cancel()
        self._late = self.loop.call_later(HEAD_WITHIN, self._cut)

    def on_url(self, url: bytes) -> None:
        """A part of what is asked for."""
        self._more_of_head(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header."""
        self._more_of_head(len(name) + len(value) + len(b": \r\n"))
        super().on_header(name, value)

    def _more_of_head(self, count: int) -> None:
        self._head_bytes += count
        if self._head_bytes > HEAD_BYTES:
            raise TooMuch

    def send_400_response(self, msg: str) -> None:
        """The parser does not go on."""
        if self._head_bytes > HEAD_BYTES:
            self._refuse(TOO_LARGE)
        else:
            super().send_400_response(msg)

    def _refuse(self, response: bytes) -> None:
        self.transport.write(response)
        self.transport.close()

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._late.cancel()
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there; another head may follow."""
        self._unparsed = 0
        self._in_head = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """An answer is given, as far as it is the server's to do."""
        self._answered = not self.pipeline
        super().on_response_complete()
        if self._peer is not None:
            self._deadline.cancel()
            self._deadline = self.loop.call_later(self._call_within, self._cut)

    def handle_websocket_upgrade(self) -> None:
        """The connection becomes a WebSocket's, which counts it anew."""
        if (
            not self._answered
            or self.scope["method"] != "GET"
            or self.scope["http_version"] != "1.1"
            or self._has_body()
        ):
            self.send_400_response("This can't become a WebSocket.")
            return
        self._let_go()
        super().handle_websocket_upgrade()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._running = cycle
        self._answered = False
        super()._start_asgi_task(cycle, app)

    def _has_body(self) -> bool:
        return any(name in (b"content-length", b"transfer-encoding") for name, _ in self.headers)

    def _let_go(self) -> None:
        self._late.cancel()
        self._deadline.cancel()
        self._unset_keepalive_if_required()
        if self._peer is not None:
            self._limits.depart(self._peer)
            self._peer = None

    def _nobody_there(self) -> None:
        """Whoever still answers need not: uvicorn tells only the request that came last."""
        if self._running is not None:
            self._running.disconnected = True
            self._running.message_event.set()

    def _cut(self) -> None:
        """The time is up."""
        self._nobody_there()
        self.transport.abort()
