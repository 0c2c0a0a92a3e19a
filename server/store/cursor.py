"""Where a list of rooms goes on: below (created, room), newest first.

A cursor is a position, not a secret; the check in it only tells what a client made up from what a store gave out.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from protocol.messages import MAX_INT, RoomId

_CHECK = 6


def cursor_behind(created: int, room: RoomId) -> str:
    """The cursor that stands behind this room."""
    body = f"{created}.{room}".encode()
    return base64.urlsafe_b64encode(_check(body) + body).decode().rstrip("=")


def position_of(cursor: str) -> tuple[int, RoomId]:
    """The `created` and the id of the last room before the cursor.

    Raises:
        ValueError: no store gave this cursor out.
    """
    try:
        raw = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        created, _, room = raw[_CHECK:].decode().partition(".")
        position = int(created), RoomId(room)
    except (binascii.Error, ValueError):
        raise ValueError("not a cursor") from None
    if raw[:_CHECK] != _check(raw[_CHECK:]) or cursor_behind(*position) != cursor or position[0] > MAX_INT:
        raise ValueError("not a cursor")
    return position


def _check(body: bytes) -> bytes:
    return hashlib.blake2s(body, digest_size=_CHECK, person=b"cursor").digest()
