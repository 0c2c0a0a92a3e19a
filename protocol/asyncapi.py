"""The socket as an AsyncAPI 3.0 document (protocol sections 1 to 3), seen from the server."""

from __future__ import annotations

from inspect import cleandoc

from protocol.checks import FRAMES, REQUESTS
from protocol.components import Schema, components
from protocol.messages import ClientMessage, ServerMessage

_SCHEMAS = "#/components/schemas"
_KINDS: tuple[type[ClientMessage | ServerMessage], ...] = (*REQUESTS.values(), *FRAMES.values())
_CHANNEL: Schema = {"$ref": "#/channels/socket"}

REPLIES: dict[str, str] = {
    "join": "`room`, `seat` (or null), `seq`, `tag`, `resumed`",
    "act": "`seq`: the action's entry",
    "undo": "`seq`: the undo's entry",
    "resign": "`seq`: the resignation's entry",
    "back": "`seq`: the entry, or the present one where the seat was not served",
    "legal": "`seq`, `actions`",
    "check": "`seq`, `match`; where it is false, a `snapshot` follows",
    "chat": "`n`: the line's number",
    "leave": "nothing more",
    "ping": "`time`, if it was sent, and `now`",
}
"""What the `ok` to each request carries (protocol section 2)."""


def asyncapi(version: str) -> Schema:
    """The document for a server of this version."""
    _, found = components(_KINDS, _SCHEMAS)
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Pharos: rooms of board games",
            "version": version,
            "description": cleandoc(_DESCRIPTION),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {
            "node": {
                "host": "{host}",
                "protocol": "ws",
                "description": "Any node; behind TLS the protocol is `wss`.",
                "variables": {"host": {"default": "127.0.0.1:8000", "description": "Host and port of the server."}},
            }
        },
        "channels": {"socket": _channel()},
        "operations": {**_received(), **_sent()},
        "components": {"messages": _messages(), "schemas": found},
    }


_DESCRIPTION = """
    One JSON object a text frame (subprotocol `pharos.v1+json`), or one MessagePack map a binary frame
    (`pharos.v1+msgpack`), with the same fields. A request gets exactly one reply, `ok` or `error`, with its `id`;
    requests about one room are handled in the order sent. What the document can't say, such as the order of frames
    and the close codes, stands in PROTOCOL.md.
    """


def _name(message: type) -> str:
    return message.__name__


def _channel() -> Schema:
    return {
        "address": "/ws",
        "title": "The socket",
        "description": "A connection may be attached to many rooms, and to each as one viewer.",
        "messages": {_name(kind): {"$ref": f"#/components/messages/{_name(kind)}"} for kind in _KINDS},
        "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
    }


def _in_channel(name: str) -> Schema:
    return {"$ref": f"#/channels/socket/messages/{name}"}


def _received() -> dict[str, Schema]:
    """A request is one operation, with its reply."""
    return {
        tag: {
            "action": "receive",
            "channel": _CHANNEL,
            "summary": cleandoc(kind.__doc__ or ""),
            "description": f"Answered by `error`, or by `ok` with {REPLIES[tag]}.",
            "messages": [_in_channel(_name(kind))],
            "reply": {"channel": _CHANNEL, "messages": [_in_channel("Ok"), _in_channel("Error")]},
        }
        for tag, kind in REQUESTS.items()
    }


def _sent() -> dict[str, Schema]:
    """What comes without having been asked for; `error` also does, with a null `id`."""
    return {
        f"on_{tag}": {
            "action": "send",
            "channel": _CHANNEL,
            "summary": cleandoc(kind.__doc__ or ""),
            "messages": [_in_channel(_name(kind))],
        }
        for tag, kind in FRAMES.items()
        if tag != "ok"
    }


def _messages() -> dict[str, Schema]:
    return {
        _name(kind): {
            "name": str(kind.__struct_config__.tag),
            "title": _name(kind),
            "summary": cleandoc(kind.__doc__ or ""),
            "payload": {"$ref": f"{_SCHEMAS}/{_name(kind)}"},
        }
        for kind in _KINDS
    }
