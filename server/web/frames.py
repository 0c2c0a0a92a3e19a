"""WebSocket frames (RFC 6455): the header of what the server sends, and one message out of the fragments that come in.

Server frames are neither masked nor compressed, so that a frame is the same for everybody who gets it.
"""

from __future__ import annotations

from websockets.frames import Frame, Opcode

from protocol.codes import Close

FRAGMENTS = 64
"""Into how many frames a message may be cut, empty ones included."""

TEXT = 0x81
BINARY = 0x82
"""First byte of a header: the last, and here the only, frame of a message."""

_SHORT = {first: tuple(bytes((first, length)) for length in range(126)) for first in (TEXT, BINARY)}


def header(length: int, first: int) -> bytes:
    """The header of a frame with a payload of `length` bytes; `first` is TEXT or BINARY."""
    if length < 126:
        return _SHORT[first][length]
    if length < 65536:
        return bytes((first, 126, length >> 8, length & 0xFF))
    return bytes((first, 127)) + length.to_bytes(8, "big")


class BadFrame(Exception):  # noqa: N818 - as websockets and the protocol name what a peer did
    """The peer sent what closes the connection; `close` is the code to close with."""

    def __init__(self, close: Close, reason: str) -> None:
        super().__init__(reason)
        self.close = close
        self.reason = reason


class Assembly:
    """Puts the fragments of messages together; their total size is bounded by the parser below it."""

    __slots__ = ("_binary", "_parts")

    def __init__(self, *, binary: bool) -> None:
        """`binary`: whether messages of this connection are binary ones."""
        self._binary = binary
        self._parts: list[bytes] = []

    def add(self, frame: Frame) -> bytes | None:
        """The message that this text, binary or continuation frame completes; None if more is to come.

        Raises:
            BadFrame: 1003 for the wrong kind of message, 1007 for text that is not UTF-8, 1009 for too many fragments.
        """
        if frame.opcode is not Opcode.CONT and (frame.opcode is Opcode.BINARY) is not self._binary:
            raise BadFrame(Close.WRONG_DATA, f"this connection takes {'binary' if self._binary else 'text'} frames")
        if not frame.fin:
            self._parts.append(bytes(frame.data))
            if len(self._parts) >= FRAGMENTS:
                raise BadFrame(Close.TOO_BIG, f"more than {FRAGMENTS} fragments")
            return None
        payload = bytes(frame.data)
        if self._parts:
            payload = b"".join([*self._parts, payload])
            self._parts = []
        if not self._binary and not payload.isascii():
            _check_utf8(payload)
        return payload


def _check_utf8(payload: bytes) -> None:
    try:
        payload.decode()
    except UnicodeDecodeError:
        raise BadFrame(Close.INVALID_TEXT, "text is not UTF-8") from None
