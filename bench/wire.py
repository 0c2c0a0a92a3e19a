"""The client's side of a WebSocket with as little work as possible: the load must cost less than what it measures.

Frames of the client are masked with the key 0, which leaves the payload as it is. Server frames come whole: Pharos does
not fragment what it sends, nor does uvicorn.
"""

from __future__ import annotations

import asyncio
import base64
import os
from typing import cast

TEXT, BINARY, CLOSE, PING = 0x81, 0x82, 0x88, 0x89
PONG = b"\x8a\x80\0\0\0\0"
UNMASKED = b"\0\0\0\0"


def masked(first: int, payload: bytes) -> bytes:
    """One frame of a client."""
    length = len(payload)
    if length < 126:
        return bytes((first, 0x80 | length)) + UNMASKED + payload
    return bytes((first, 0xFE, length >> 8, length & 0xFF)) + UNMASKED + payload


class Wire(asyncio.Protocol):
    """One connection. A subclass says what to do with a payload."""

    def __init__(self, target: str, subprotocol: str | None = None, *, binary: bool = False) -> None:
        """`target`: path and query."""
        self._target = target
        self._subprotocol = subprotocol
        self._first = BINARY if binary else TEXT
        self._rest = b""
        self._open = False
        self.joined = asyncio.Event()
        """Set when the server is ready for what this connection is there for."""
        self.ended: str | None = None
        """Why the connection is over, if it is."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        self._transport = cast(asyncio.Transport, transport)
        offer = f"Sec-WebSocket-Protocol: {self._subprotocol}\r\n" if self._subprotocol else ""
        key = base64.b64encode(os.urandom(16)).decode()
        self._transport.write(
            f"GET {self._target} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n{offer}\r\n".encode()
        )

    def connection_lost(self, error: Exception | None) -> None:
        """Nothing more comes."""
        self.ended = self.ended or f"cut: {error}"

    def close(self) -> None:
        """Leave without ceremony."""
        self._transport.abort()

    def send(self, payload: bytes) -> None:
        """Send one message."""
        self._transport.write(masked(self._first, payload))

    def data_received(self, data: bytes) -> None:
        """Take the frames that are complete."""
        if self._rest:
            data = self._rest + data
        if not self._open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self._rest = head
                return
            if b" 101 " not in head[:16]:
                self.ended = f"refused: {head[:60]!r}"
                self.close()
                return
            self._open = True
            self.opened()
        self._rest = self._frames(data)

    def _frames(self, data: bytes) -> bytes:
        """Hand on every complete frame; what is left."""
        at, end = 0, len(data)
        while end - at >= 2:
            length, start = data[at + 1], at + 2
            if length == 126:
                length, start = int.from_bytes(data[start : start + 2], "big"), start + 2
            elif length == 127:
                length, start = int.from_bytes(data[start : start + 8], "big"), start + 8
            if start > end or start + length > end:
                break
            self._frame(data[at], data[start : start + length])
            at = start + length
        return data[at:]

    def _frame(self, first: int, payload: bytes) -> None:
        if first == self._first:
            self.received(payload)
        elif first == PING:
            self._transport.write(PONG)
        elif first == CLOSE:
            self.ended = f"closed: {int.from_bytes(payload[:2], 'big')}"

    def opened(self) -> None:
        """The upgrade is done."""

    def received(self, payload: bytes) -> None:
        """A message has come."""
        raise NotImplementedError
