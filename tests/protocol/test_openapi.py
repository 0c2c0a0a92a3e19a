"""The OpenAPI document: valid by the official schema, and true of the routes that there are."""

from __future__ import annotations

import re
from time import monotonic

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from protocol.openapi import CALLS, openapi
from protocol.schemas import messages_schema
from server.rooms.hub import Hub
from server.settings import Pace, PerAddress, Settings
from server.store.memory import MemoryStore
from server.web.gate import Gate
from server.web.limits import Limits, Proxies
from server.web.lobby import Counter, Lobby
from tests.protocol.test_asyncapi import references, resolved

DOCUMENT = openapi("1.2.3")


def test_the_document_is_valid() -> None:
    validate(DOCUMENT)
    assert DOCUMENT["info"]["version"] == "1.2.3"


def test_every_reference_leads_somewhere() -> None:
    for reference in set(references(DOCUMENT)):
        assert resolved(DOCUMENT, reference)


def test_every_component_is_a_schema_that_the_messages_share() -> None:
    shared = messages_schema()["$defs"]
    for name, schema in DOCUMENT["components"]["schemas"].items():
        Draft202012Validator.check_schema(schema)
        assert set(schema) == set(shared[name])


@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call.method} {call.path}")
def test_every_call_says_what_it_takes_and_answers(call: object) -> None:
    operation = DOCUMENT["paths"][call.path][call.method]  # type: ignore[attr-defined]
    named = {part["name"] for part in operation.get("parameters", ()) if part["in"] == "path"}
    assert named == set(re.findall(r"{(\w+)}", call.path))  # type: ignore[attr-defined]
    assert min(operation["responses"]) < "300"
    if call.method == "post" and "requestBody" in operation:  # type: ignore[attr-defined]
        assert {"400", "413", "415"} <= set(operation["responses"])


def test_every_route_about_rooms_is_described() -> None:
    counter = Counter(Limits(PerAddress(), monotonic), Proxies(()), Gate())
    routes = Lobby(Hub(MemoryStore(), Pace(), "node-0"), Settings(), counter).routes()
    assert len(routes) > 7
    for route in routes:
        described = DOCUMENT["paths"][re.sub(r":\w+}", "}", route.path)]
        assert {method.lower() for method in route.methods or ()} - {"head"} == set(described), route.path
