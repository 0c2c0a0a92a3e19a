"""Whether what a server says is what its own documents say.

Frames are held against `/schema/messages.json` and `/schema/<game>.json`, answers against `/openapi.json`: strictly, so
that also a field is a fault that the documents do not name. `tests/conftest.py` hooks this into every client that the
tests have, so that each frame and each answer of a run is checked.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import jsonschema_rs

from protocol.checks import FRAMES
from protocol.codes import HTTP_STATUS, Code
from protocol.openapi import openapi
from protocol.schemas import game_schema, messages_schema
from server.engines import latest

OPEN = ("You",)
"""Schemas that others complete: `you` holds what the game's own schema says."""

checked: Counter[str] = Counter()
"""How many frames (by type) and answers (by operation) were checked."""

_games: dict[str, str] = {}
_FRAMES = {tag: kind.__name__ for tag, kind in FRAMES.items()}


def strict(schema: Any) -> Any:
    """The schema, in which no object that has a name may have members that have none."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(part) for key, part in schema.items()}
    if schema.get("type") == "object" and "title" in schema and "properties" in schema and schema["title"] not in OPEN:
        made.setdefault("additionalProperties", False)
    return made


@cache
def _messages() -> Mapping[str, Any]:
    return strict(messages_schema())


@cache
def _message(name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for({"$ref": f"#/$defs/{name}", "$defs": _messages()["$defs"]})


@cache
def _part(game: str, part: str) -> jsonschema_rs.Validator | None:
    """One of a game's own schemas: `action`, `event`, `game`, `you`."""
    engine = latest(game)
    if engine is None:
        return None
    schema = strict(game_schema(game, engine.actions, engine.events, engine.views, engine.options))
    return jsonschema_rs.validator_for({**schema["properties"][part], "$defs": schema["$defs"]})


def frame(message: Any) -> None:
    """A frame that a server sent, decoded, is true to the schemas.

    Raises:
        jsonschema_rs.ValidationError, AssertionError: it is not.
    """
    kind, room = message["t"], message.get("room")
    _message(_FRAMES[kind]).validate(message)
    checked[kind] += 1
    if kind == "snapshot":
        state(message["state"])
    elif kind in ("turn", "ok") and message.get("actions"):
        _each(_games.get(room or "", ""), "action", message["actions"])
    elif kind == "patch":
        _message("RoomEvent").validate(message["events"][0])
        _each(_games.get(room, ""), "event", message["events"][1:])


def state(document: Mapping[str, Any]) -> None:
    """A state, from a snapshot or folded from patches, is true to the schemas.

    Raises:
        jsonschema_rs.ValidationError: it is not.
    """
    _message("State").validate(document)
    game, you = document["room"]["game"], document["you"]
    _games[document["room"]["id"]] = game
    if document["game"] is not None:
        _each(game, "game", [document["game"]])
        if you is not None:
            _each(game, "you", [{key: value for key, value in you.items() if key != "seat"}])


def _each(game: str, part: str, values: Any) -> None:
    validator = _part(game, part) if game else None
    for value in values if validator is not None else ():
        validator.validate(value)
        checked[f"{game} {part}"] += 1


@cache
def _calls() -> Mapping[str, Any]:
    return strict(openapi("0"))


@cache
def _answer(path: str, method: str, status: str) -> jsonschema_rs.Validator | None:
    """What the body of an answer must be; None where it has none, or is no JSON.

    Raises:
        AssertionError: the document knows no such answer.
    """
    responses = _calls()["paths"][path][method]["responses"]
    assert status in responses, f"{method} {path} may not answer {status}"
    content = responses[status].get("content", {})
    described = content.get("application/json") or content.get("application/schema+json")
    if described is None:
        return None
    return jsonschema_rs.validator_for({**described["schema"], "components": _calls()["components"]})


def _matching(path: str) -> Iterator[str]:
    for template in _calls()["paths"]:
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path):
            yield template


def answer(method: str, path: str, status: int, body: bytes) -> None:
    """An answer is one that the OpenAPI document has for the call.

    Raises:
        jsonschema_rs.ValidationError, AssertionError: it is not.
    """
    path, method = path.partition("?")[0], method.lower()
    templates = list(_matching(path))
    exact = [template for template in templates if "{" not in template]
    for template in (exact or templates)[:1]:
        if method in _calls()["paths"][template]:
            validator = _answer(template, method, str(status))
            if validator is not None:
                validator.validate(json.loads(body))
            checked[f"{method} {template}"] += 1
    if status >= 400 and path.startswith("/api/"):
        code = json.loads(body)["error"]["code"]
        assert HTTP_STATUS[Code(code)] == status
