"""The AsyncAPI document: valid by the official schema, complete, and closed in itself.

The schema lies beside this file: AsyncAPI 3.0.0 of npm's `@asyncapi/specs` 6.11.1 (Apache-2.0), its descriptions and
examples left out.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from jsonschema import Draft7Validator

from protocol.asyncapi import REPLIES, asyncapi
from protocol.messages import AnyClientMessage, AnyServerMessage
from tests.protocol.golden_frames import CLIENT, SERVER
from tests.protocol.test_schemas import plain

DOCUMENT = asyncapi("1.2.3")


def references(part: Any) -> Iterator[str]:
    """Every `$ref` below."""
    if isinstance(part, dict):
        if "$ref" in part:
            yield part["$ref"]
        for inner in part.values():
            yield from references(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from references(inner)


def resolved(document: dict[str, Any], reference: str) -> Any:
    """What the reference leads to, within the document."""
    assert reference.startswith("#/")
    for token in reference[2:].split("/"):
        document = document[token]
    return document


def test_the_document_is_valid() -> None:
    schema = json.loads(lzma.decompress((Path(__file__).parent / "asyncapi-3.0.0.json.xz").read_bytes()))
    Draft7Validator(schema).validate(DOCUMENT)
    spoilt = {**DOCUMENT, "channels": {"socket": {**DOCUMENT["channels"]["socket"], "messages": 5}}}
    assert not Draft7Validator(schema).is_valid(spoilt)


def test_every_reference_leads_somewhere() -> None:
    found = set(references(DOCUMENT))
    assert len(found) > 40
    for reference in found:
        assert resolved(DOCUMENT, reference)


def test_every_message_is_in_the_channel_and_in_an_operation() -> None:
    names = {kind.__name__ for union in (AnyClientMessage, AnyServerMessage) for kind in get_args(union)}
    assert set(DOCUMENT["channels"]["socket"]["messages"]) == names == set(DOCUMENT["components"]["messages"])
    used = {reference.rpartition("/")[2] for reference in references(DOCUMENT["operations"])} - {"socket"}
    assert used == names


def test_a_request_is_received_and_replied_to() -> None:
    received = {name: part for name, part in DOCUMENT["operations"].items() if part["action"] == "receive"}
    assert set(received) == set(REPLIES) == {str(kind.__struct_config__.tag) for kind in get_args(AnyClientMessage)}
    for operation in received.values():
        assert [message["$ref"].rpartition("/")[2] for message in operation["reply"]["messages"]] == ["Ok", "Error"]


@pytest.mark.parametrize("name", [*CLIENT, *SERVER])
def test_every_frame_fits_its_payload(name: str) -> None:
    message = CLIENT.get(name) or SERVER[name]
    described = DOCUMENT["components"]["messages"][type(message).__name__]
    assert described["name"] == message.__struct_config__.tag
    Draft7Validator({**described["payload"], "components": DOCUMENT["components"]}).validate(
        plain(msgspec.to_builtins(message))
    )


def test_the_version_is_the_servers() -> None:
    assert DOCUMENT["info"]["version"] == "1.2.3"
