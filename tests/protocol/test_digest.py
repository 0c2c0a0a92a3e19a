"""The digest of a state does not depend on how the state is held."""

from __future__ import annotations

from types import MappingProxyType

import orjson
from hypothesis import given

from protocol.codec import JSON
from protocol.digest import digest
from tests.protocol.golden_frames import STATE
from tests.protocol.strategies import maps


def test_tuples_views_and_order_do_not_matter() -> None:
    held = MappingProxyType({key: MappingProxyType(part) if part else part for key, part in reversed(STATE.items())})
    held = MappingProxyType({**held, "turn": {**STATE["turn"], "seats": (1,), "since": (57,)}})
    assert digest(held) == digest(STATE)  # type: ignore[arg-type]
    assert digest({**STATE, "result": {}}) != digest(STATE)  # type: ignore[arg-type]


@given(state=maps())
def test_the_digest_survives_the_wire(state: dict[str, object]) -> None:
    assert digest(orjson.loads(JSON.value(state))) == digest(state)  # type: ignore[arg-type]
