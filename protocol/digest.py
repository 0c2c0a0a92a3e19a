"""Temporary."""
import hashlib
import msgspec
import rfc8785
from protocol.messages import Json

def digest(state: Json) -> str:
    return hashlib.sha256(rfc8785.dumps(msgspec.to_builtins(state))).hexdigest()
