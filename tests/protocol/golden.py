"""The golden files in `protocol/vectors/`: what they hold. `python -m tests.protocol.golden` writes them anew."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

import protocol
from protocol.codec import JSON, MSGPACK, Codec
from protocol.messages import ClientMessage, ServerMessage
from tests.protocol.golden_frames import CLIENT, SERVER
from tests.protocol.golden_invalid import INVALID
from tests.protocol.golden_values import PATCHES, dice, digests

VECTORS = Path(protocol.__file__).parent / "vectors"


def frames(messages: Mapping[str, ClientMessage | ServerMessage]) -> list[dict[str, str]]:
    """Each message as the two codecs write it: JSON as text, MessagePack in hex."""
    return [
        {"name": name, "json": _encoded(JSON, message).decode(), "msgpack": _encoded(MSGPACK, message).hex()}
        for name, message in messages.items()
    ]


def _encoded(codec: Codec, message: ClientMessage | ServerMessage) -> bytes:
    return codec.encode_request(message) if isinstance(message, ClientMessage) else codec.encode(message)


def contents() -> dict[str, Any]:
    """Every golden file by its name."""
    return {
        "client_frames.json": frames(CLIENT),
        "server_frames.json": frames(SERVER),
        "invalid_frames.json": msgspec.to_builtins(INVALID),
        "dice.json": dice(),
        "digests.json": digests(),
        "patches.json": msgspec.to_builtins(PATCHES),
    }


def text(content: Any) -> str:
    """The content as it stands in the file: an item a line, so that a change is seen."""
    lines = ",\n".join(json.dumps(item, ensure_ascii=True, separators=(", ", ": ")) for item in content)
    return f"[\n{lines}\n]\n"


if __name__ == "__main__":
    VECTORS.mkdir(exist_ok=True)
    for name, content in contents().items():
        (VECTORS / name).write_text(text(content))
