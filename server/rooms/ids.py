"""Ids of rooms: short for public ones, long for private ones, so that nobody finds one by trying."""

from __future__ import annotations

import re
import secrets

from protocol.messages import RoomId

ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"
PUBLIC = 6
PRIVATE = 16

_SHAPE = re.compile(f"[{ALPHABET}]{{{PUBLIC}}}|[{ALPHABET}]{{{PRIVATE}}}")


def new_id(*, private: bool) -> RoomId:
    """A random id."""
    return RoomId("".join(secrets.choice(ALPHABET) for _ in range(PRIVATE if private else PUBLIC)))


def possible(room: str) -> bool:
    """Whether a room could have this id; what could not is not looked up."""
    return _SHAPE.fullmatch(room) is not None
