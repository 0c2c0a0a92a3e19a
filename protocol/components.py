"""JSON Schemas of the protocol's types, as named components that refer to one another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec

from protocol.documents import State
from protocol.messages import Snapshot

Schema: TypeAlias = dict[str, Any]  # JSON Schema, whose own shape is open


def components(types: Iterable[Any], place: str) -> tuple[list[Schema], dict[str, Schema]]:
    """A schema for each type, and the components that they refer to under `place`, e.g. `#/$defs`."""
    schemas, found = msgspec.json.schema_components([*types, State], ref_template=f"{place}/{{name}}")
    if snapshot := found.get(Snapshot.__name__):
        snapshot["properties"]["state"] = {"$ref": f"{place}/{State.__name__}"}
    return list(schemas)[:-1], found
