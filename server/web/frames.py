"""WebSocket frames (RFC 6455): the header of what the server sends, and one message out of the fragments that come in.

Server frames are neither masked nor compressed, so that a frame is the same for everybody who gets it.
"""

from __future__ import annotations

from websockets.frames import Frame, Opcode

try:
    from websockets.speedups import apply_mask
except ImportError:  # a platform without the compiled part
    from websockets.utils import apply_mask

from protocol.codes import Close

FRAGMENTS = 64
"""Into how many frames a message may be cut, empty ones included."""

_TEXT = 0x81
_BINARY = 0x82


class Framing:
    """Puts headers before payloads. A payload that many connections get is framed once, in one turn of the loop."""

    def __init__(self, *, binary: bool) -> None:
        self._first = _BINARY if binary else _TEXT
        self._payload = b""
        self._framed = self.frame(b"")

    def frame(self, payload: bytes) -> bytes:
        """The one frame of a message."""
        length = len(payload)
        if length < 126:
            return bytes((self._first, length)) + payload
        if length < 65536:
            return bytes((self._first, 126, length >> 8, length & 0xFF)) + payload
        return bytes((self._first, 127)) + length.to_bytes(8, "big") + payload

    def shared(self, payload: bytes) -> bytes:
        """The same: if this payload was the last one that was asked for, the same object again."""
        if payload is not self._payload:
            self._framed = self.frame(payload)
            self._payload = payload
        return self._framed


class BadFrame(Exception):  # noqa: N818 - as websockets and the protocol name what a peer did
    """The peer sent what closes the connection; `close` is the code to close with."""

    def __init__(self, close: Close, reason: str) -> None:
        super().__init__(reason)
        self.close = close
        self.reason = reason


class Assembly:
    """Puts the fragments of messages together; their total size is bounded by the parser below it."""

    __slots__ = ("_binary", "_first", "_most", "_parts")

    def __init__(self, most: int, *, binary: bool) -> None:
        """`binary`: whether messages of this connection are binary ones. `most`: how many bytes one may have."""
        self._binary = binary
        self._first = _BINARY if binary else _TEXT
        self._most = most
        self._parts: list[bytes] = []

    def whole(self, data: bytes) -> bytes | None:
        """The message, if the data, which begins between two frames, is exactly one frame and that a whole message.

        Nearly everything that clients send comes so; it need not go through the parser, which takes the rest.

        Raises:
            BadFrame: 1007 for text that is not UTF-8.
        """
        if len(data) < 6 or data[0] != self._first or not data[1] & 0x80 or self._parts:
            return None
        length, start = data[1] & 0x7F, 6
        if length == 126 and len(data) > 8:
            length, start = data[2] << 8 | data[3], 8
        if len(data) != start + length or length > self._most:
            return None
        payload = apply_mask(data[start:], data[start - 4 : start])
        if not self._binary and not payload.isascii():
            _check_utf8(payload)
        return payload

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
