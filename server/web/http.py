"""uvicorn's HTTP protocol with the bounds that it lacks: how long a request's head may be, and how long it may take."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 65_536
HEAD_WITHIN = 10.0
"""Seconds from the connection, or from a request's first byte, to the end of its head."""

TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: application/json\r\ncontent-length: 69\r\nconnection: close\r\n\r\n"
    b'{"error":{"code":"too_large","message":"the request\'s head is long"}}'
)


class BoundedHttp(HttpToolsProtocol):
    """One HTTP connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connected, and should say something soon."""
        super().connection_made(transport)
        self._head_bytes = 0
        self._in_head = True
        self._late = self.loop.call_later(HEAD_WITHIN, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._late.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """A part of a request."""
        self._head_bytes += len(data)
        super().data_received(data)
        if self._in_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.transport.write(TOO_LARGE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        super().on_message_begin()
        self._late.cancel()
        self._late = self.loop.call_later(HEAD_WITHIN, self.transport.abort)

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._late.cancel()
        self._in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request is there; another head may follow."""
        self._head_bytes = 0
        self._in_head = True
        super().on_message_complete()
