"""Games and schemas: whole, true to the routes that there are, and never out of reach."""

from __future__ import annotations

import re

import jsonschema
import pytest

from protocol.openapi import CALLS
from server.engines import ENGINES
from tests.web.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_every_game_is_listed_with_options_that_are_a_schema(desk: Desk) -> None:
    games = (await desk.call("GET", "/api/games")).json()["games"]
    assert {game["game"] for game in games} == {name for name, _ in ENGINES}
    for game in games:
        assert set(game) == {"game", "title", "rules", "seats", "options"}
        assert 1 <= game["seats"]["min"] <= game["seats"]["max"]
        jsonschema.Draft202012Validator.check_schema(game["options"])
        jsonschema.validate(
            {"clock": None, "spectators": {"allowed": True, "delay": 0}, "chat": "all"}, game["options"]
        )
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"no such option": 1}, game["options"])


async def test_every_game_has_a_schema_and_no_other_has(desk: Desk) -> None:
    for name, _ in ENGINES:
        response = await desk.call("GET", f"/schema/{name}.json")
        jsonschema.Draft202012Validator.check_schema(response.json())
        assert {"action", "event", "game", "you"} <= set(response.json()["properties"])
        assert "max-age" in response.headers["cache-control"]
    missing = await desk.call("GET", "/schema/chess.json")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "unknown_game")


async def test_the_messages_have_a_schema(desk: Desk) -> None:
    schema = (await desk.call("GET", "/schema/messages.json")).json()
    jsonschema.validate({"t": "ping", "id": 1}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"t": "ping"}, schema)


async def test_openapi_and_asyncapi_are_served(desk: Desk) -> None:
    assert (await desk.call("GET", "/openapi.json")).json()["openapi"] == "3.1.0"
    assert (await desk.call("GET", "/asyncapi.json")).json()["asyncapi"] == "3.0.0"


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
async def test_every_call_of_the_openapi_document_is_there(desk: Desk, call: object) -> None:
    path = re.sub(r"\{seat\}", "0", call.path)  # type: ignore[attr-defined]
    path = path.replace("{room}", "ABCDEF").replace("{game}", "dragonwood")
    response = await desk.call(call.method.upper(), path)  # type: ignore[attr-defined]
    code = (
        response.json()["error"]["code"]
        if response.status_code >= 400 and "json" in response.headers["content-type"]
        else ""
    )
    assert code not in ("not_found", "method_not_allowed", "internal")
