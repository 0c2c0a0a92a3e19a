"""JSON Schemas (draft 2020-12) of the messages and of the games, generated from the types.

`asyncapi` and `openapi` describe the socket and the HTTP interface as a whole.
"""

from __future__ import annotations

from typing import Any

import msgspec

from protocol import documents, messages
from protocol.asyncapi import asyncapi
from protocol.components import Schema, components
from protocol.messages import AnyClientMessage, AnyServerMessage
from protocol.openapi import openapi

__all__ = ["asyncapi", "game_schema", "messages_schema", "openapi", "options_schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_BODIES = (messages.CreateRoom, messages.TakeSeat, messages.OfferSeats, messages.FindMatch)
_ANSWERS = (
    messages.RoomCreated,
    messages.SeatTaken,
    messages.MatchFound,
    messages.Invite,
    messages.FailureBody,
    documents.GameList,
    documents.RoomPage,
    documents.RoomLook,
    documents.WaitingSeats,
    documents.Replay,
    documents.RoomEvent,
)


def messages_schema() -> Schema:
    """Any frame of the protocol. `$defs` holds each message by its name, the two unions, and the HTTP bodies."""
    (client, server, *_), found = components((AnyClientMessage, AnyServerMessage, *_BODIES, *_ANSWERS), "#/$defs")
    for union in (client, server):
        del union["discriminator"]  # OpenAPI's, not JSON Schema's
    return {
        "$schema": DIALECT,
        "title": "Pharos, protocol version 1",
        "anyOf": [{"$ref": "#/$defs/ClientMessage"}, {"$ref": "#/$defs/ServerMessage"}],
        "$defs": {"ClientMessage": client, "ServerMessage": server, **found},
    }


def game_schema(name: str, actions: Any, events: Any, views: tuple[Any, Any], options: type[msgspec.Struct]) -> Schema:
    """One game's own parts of the protocol, each a property: an action, an event, `game`, `you`, the options.

    `actions` and `events` are tagged unions, `views` the types of the public and the private view.
    """
    public, private = views
    kinds = {"action": actions, "event": events, "game": public, "you": private, "options": options}
    schemas, found = msgspec.json.schema_components(kinds.values(), ref_template="#/$defs/{name}")
    parts = dict(zip(kinds, schemas, strict=True))
    for schema in parts.values():
        schema.pop("discriminator", None)
    return {
        "$schema": DIALECT,
        "title": f"The game {name} in the protocol of Pharos",
        "type": "object",
        "properties": parts,
        "$defs": found,
    }


def options_schema(shared: type[msgspec.Struct], game: type[msgspec.Struct]) -> Schema:
    """The flat map of a room's options: those of every room, and the game's."""
    (every, own), found = msgspec.json.schema_components((shared, game), ref_template="#/$defs/{name}")
    properties: Schema = {}
    for schema in (every, own):
        properties |= found.pop(schema["$ref"].rpartition("/")[2]).get("properties", {})
    return {
        "$schema": DIALECT,
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"$defs": found} if found else {}),
    }
