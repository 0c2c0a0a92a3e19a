"""The digest of a state, by which a client and the server find out whether they hold the same one (`check`)."""

from __future__ import annotations

import hashlib
from typing import cast

import msgspec
import rfc8785

from protocol.messages import Json


def digest(state: Json) -> str:
    """SHA-256, in hex, of the value as canonical JSON (RFC 8785)."""
    plain = msgspec.to_builtins(state, builtin_types=(), enc_hook=dict)
    return hashlib.sha256(rfc8785.dumps(cast("dict[str, str]", plain))).hexdigest()
