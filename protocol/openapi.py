"""The HTTP interface as an OpenAPI 3.1 document (protocol section 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from inspect import cleandoc
from typing import Any

import msgspec

from protocol import documents, messages
from protocol.codes import HTTP_STATUS, Code
from protocol.components import Schema, components

_SCHEMAS = "#/components/schemas"

_ANY_CALL = (Code.RATE_LIMITED, Code.INTERNAL)
_STORE = (Code.UNAVAILABLE,)
_ROOM = (*_STORE, Code.UNKNOWN_ROOM, Code.BROKEN_ROOM)
_WRITE = (Code.FORBIDDEN, Code.DRAINING, Code.UNKNOWN_OUTCOME)
_BODY = (Code.BAD_MESSAGE, Code.TOO_LARGE, Code.UNSUPPORTED_MEDIA)
_HOLDER = (Code.UNAUTHORIZED, Code.REVOKED)


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One method of one path. `answers`: by status, what comes back (None: nothing)."""

    method: str
    path: str
    name: str
    summary: str
    answers: dict[int, Any]
    body: type | None = None
    refusals: tuple[Code, ...] = ()
    security: tuple[str, ...] = ()
    query: tuple[tuple[str, str, Schema], ...] = ()
    media_type: str = "application/json"


_TEXT: Schema = {"type": "string"}
_JSON: Schema = {"type": "object"}

CALLS: tuple[Call, ...] = (
    Call(
        method="get",
        path="/api/games",
        name="listGames",
        summary="The games that this server plays.",
        answers={200: documents.GameList},
    ),
    Call(
        method="post",
        path="/api/rooms",
        name="createRoom",
        summary="A new room, and the first seat in it unless `seat` is false; the token then administers the room.",
        body=messages.CreateRoom,
        answers={201: messages.RoomCreated},
        refusals=(*_WRITE, *_BODY, *_STORE, Code.UNKNOWN_GAME),
    ),
    Call(
        method="get",
        path="/api/rooms",
        name="listRooms",
        summary="Public rooms, newest first, 50 a page.",
        query=(
            ("game", "Only rooms of this game.", _TEXT),
            ("status", "Only rooms that stand so.", {"enum": ["open", "playing", "finished", "abandoned"]}),
            ("cursor", "Where the page before ended.", _TEXT),
        ),
        answers={200: documents.RoomPage},
        refusals=(*_STORE, Code.BAD_MESSAGE),
    ),
    Call(
        method="get",
        path="/api/rooms/{room}",
        name="lookAtRoom",
        summary="What anybody may see of a room besides the game itself.",
        answers={200: documents.RoomLook},
        refusals=_ROOM,
    ),
    Call(
        method="post",
        path="/api/rooms/{room}/seats",
        name="takeSeat",
        summary="Take a seat. The same `token` again: 200 and the seat that it holds. A bot host sends its key.",
        body=messages.TakeSeat,
        answers={201: messages.SeatTaken, 200: messages.SeatTaken},
        security=("", "botKey"),
        refusals=(
            *_WRITE,
            *_BODY,
            *_ROOM,
            *_HOLDER,
            Code.ROOM_FULL,
            Code.SEAT_TAKEN,
            Code.NAME_TAKEN,
            Code.GAME_OVER,
        ),
    ),
    Call(
        method="delete",
        path="/api/rooms/{room}/seats/{seat}",
        name="vacateSeat",
        summary="Give a seat up: by its token, before the start also by the creator's. The token is dead at once.",
        answers={204: None},
        security=("token",),
        refusals=(*_WRITE, *_ROOM, *_HOLDER, Code.NOT_FOUND, Code.GAME_OVER),
    ),
    Call(
        method="post",
        path="/api/rooms/{room}/invites",
        name="invite",
        summary="An invite: whoever has it may take a vacated seat of the running game, once.",
        answers={201: messages.Invite},
        security=("token",),
        refusals=(*_WRITE, *_ROOM, *_HOLDER, Code.NOT_STARTED, Code.GAME_OVER),
    ),
    Call(
        method="post",
        path="/api/rooms/{room}/bots",
        name="offerSeats",
        summary="Free seats wait for a bot host that plays the policy; after 15 s the server plays them.",
        body=messages.OfferSeats,
        answers={202: _JSON},
        security=("token",),
        refusals=(*_WRITE, *_BODY, *_ROOM, *_HOLDER, Code.ROOM_FULL, Code.GAME_OVER),
    ),
    Call(
        method="get",
        path="/api/rooms/{room}/replay",
        name="replay",
        summary="The journal of a room that has ended, for anybody to play again and check.",
        answers={200: documents.Replay},
        refusals=(*_ROOM, Code.NOT_FINISHED),
    ),
    Call(
        method="get",
        path="/api/bots",
        name="waitingSeats",
        summary="The seats that wait for a bot host; answers as soon as there is one, or after `wait` seconds.",
        query=(("wait", "Seconds.", {"type": "integer", "minimum": 0, "maximum": 25, "default": 0}),),
        answers={200: documents.WaitingSeats},
        security=("botKey",),
        refusals=(*_STORE, Code.BAD_MESSAGE, Code.UNAUTHORIZED),
    ),
    Call(
        method="post",
        path="/api/match",
        name="findMatch",
        summary="A seat in the oldest public room with default options where somebody is connected, or in a new one.",
        body=messages.FindMatch,
        answers={201: messages.MatchFound},
        refusals=(*_WRITE, *_BODY, *_STORE, Code.UNKNOWN_GAME),
    ),
    Call(
        method="get",
        path="/schema/messages.json",
        name="messagesSchema",
        summary="The JSON Schema of every frame and body.",
        answers={200: _JSON},
        media_type="application/schema+json",
    ),
    Call(
        method="get",
        path="/schema/{game}.json",
        name="gameSchema",
        summary="The JSON Schema of a game's actions, events, views and options.",
        answers={200: _JSON},
        refusals=(Code.NOT_FOUND,),
        media_type="application/schema+json",
    ),
    Call(method="get", path="/openapi.json", name="openapi", summary="This document.", answers={200: _JSON}),
    Call(
        method="get", path="/asyncapi.json", name="asyncapi", summary="The socket, as AsyncAPI.", answers={200: _JSON}
    ),
    Call(
        method="get",
        path="/healthz",
        name="alive",
        summary="Whether the process is alive.",
        answers={200: _TEXT},
        media_type="text/plain",
    ),
    Call(
        method="get",
        path="/readyz",
        name="ready",
        summary="Whether the server can serve: the store is reachable, and it is not going down.",
        answers={200: _TEXT, 503: _TEXT},
        media_type="text/plain",
    ),
    Call(
        method="get",
        path="/metrics",
        name="metrics",
        summary="Figures for Prometheus.",
        answers={200: _TEXT},
        media_type="text/plain",
    ),
)


def openapi(version: str) -> Schema:
    """The document for a server of this version."""
    kinds = {kind for call in CALLS for kind in (call.body, *call.answers.values()) if isinstance(kind, type)}
    ordered = sorted(kinds | {messages.FailureBody}, key=lambda kind: kind.__name__)
    _, found = components(ordered, _SCHEMAS)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pharos: rooms of board games",
            "version": version,
            "description": cleandoc(_DESCRIPTION),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "paths": _paths(),
        "components": {"schemas": found, "securitySchemes": _SECURITY},
    }


_DESCRIPTION = """
    JSON in and out. What can't be done is answered with `{"error": {"code", "message", "retry_after"?}}`; `code` is
    for programs, `message` for people, `retry_after` in milliseconds (and, rounded up, in `Retry-After`). A call that
    changes anything is `forbidden` to pages of a foreign `Origin`. The game itself is played over the socket
    (`/asyncapi.json`).
    """

_SECURITY: Schema = {
    "token": {"type": "http", "scheme": "bearer", "description": "The token of a seat, or of the room's creator."},
    "botKey": {"type": "http", "scheme": "bearer", "description": "The deployment's key for bot hosts."},
}


def _paths() -> dict[str, Schema]:
    paths: dict[str, Schema] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method] = _operation(call)
    return paths


def _operation(call: Call) -> Schema:
    operation: Schema = {"operationId": call.name, "summary": call.summary, "responses": _responses(call)}
    if parameters := [*_in_path(call.path), *_in_query(call)]:
        operation["parameters"] = parameters
    if call.body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": _schema(call.body)}}}
    if call.security:
        operation["security"] = [{scheme: []} if scheme else {} for scheme in call.security]
    return operation


def _in_path(path: str) -> Iterable[Schema]:
    for name in ("room", "seat", "game"):
        if f"{{{name}}}" in path:
            kind = {"type": "integer", "minimum": 0} if name == "seat" else _TEXT
            yield {"name": name, "in": "path", "required": True, "schema": kind}


def _in_query(call: Call) -> Iterable[Schema]:
    for name, text, kind in call.query:
        yield {"name": name, "in": "query", "description": text, "schema": kind}


def _schema(kind: Any) -> Schema:
    return {"$ref": f"{_SCHEMAS}/{kind.__name__}"} if isinstance(kind, type) else kind


def _responses(call: Call) -> dict[str, Schema]:
    responses: dict[str, Schema] = {}
    for status, kind in call.answers.items():
        responses[str(status)] = {"description": _MEANING[status]}
        if kind is not None:
            responses[str(status)]["content"] = {call.media_type: {"schema": _schema(kind)}}
        if kind in (messages.RoomCreated, messages.MatchFound):
            responses[str(status)]["links"] = _links()
    return {**responses, **_refusals(call)}


def _links() -> dict[str, Schema]:
    """What can be done with a room that an answer tells of."""
    return {
        call.name: {
            "operationId": call.name,
            "parameters": {part["name"]: f"$response.body#/{part['name']}" for part in _in_path(call.path)},
        }
        for call in CALLS
        if "{room}" in call.path
    }


_MEANING = {
    200: "Done, or as it was already.",
    201: "Made just now.",
    202: "Accepted.",
    204: "Done; nothing to say.",
    503: "Not able to.",
}


def _of_any(path: str) -> Sequence[Code]:
    """What any call may be refused with; only whether the server is well may be asked at any time."""
    if path.startswith("/api/"):
        return _ANY_CALL
    return () if path in ("/healthz", "/readyz") else (Code.RATE_LIMITED,)


def _refusals(call: Call) -> dict[str, Schema]:
    by_status: dict[int, list[Code]] = {}
    for code in (*call.refusals, *_of_any(call.path)):
        by_status.setdefault(HTTP_STATUS[code], []).append(code)
    body = {"application/json": {"schema": {"$ref": f"{_SCHEMAS}/{messages.FailureBody.__name__}"}}}
    return {
        str(status): {"description": "Refused: " + ", ".join(f"`{code}`" for code in codes), "content": body}
        for status, codes in sorted(by_status.items())
    }
