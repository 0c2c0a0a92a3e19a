"""Values and messages for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from protocol.messages import (
    MAX_INT,
    Act,
    Back,
    Chat,
    Check,
    ClientMessage,
    Join,
    Leave,
    Legal,
    Ping,
    Resign,
    Since,
    Undo,
)

texts = st.text(st.characters(codec="utf-8"), max_size=8)
integers = st.one_of(st.integers(-3, 300), st.integers(-MAX_INT, MAX_INT))
scalars = st.one_of(st.none(), st.booleans(), integers, texts)


def values(leaves: SearchStrategy[Any] = scalars, keys: SearchStrategy[str] = texts) -> SearchStrategy[Any]:
    """Anything that JSON can say within the protocol."""
    return st.recursive(
        leaves,
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=4)),
        max_leaves=12,
    )


def maps() -> SearchStrategy[dict[str, Any]]:
    """A map of anything."""
    return st.dictionaries(texts, values(), max_size=4)


_counts = st.integers(0, MAX_INT)
_rooms = st.text(st.characters(codec="utf-8"), max_size=64)
_tags = st.text("0123456789abcdef", min_size=16, max_size=16)
_keys = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=64)


def _maybe(kind: type[ClientMessage], *required: SearchStrategy[Any], **optional: SearchStrategy[Any]) -> Any:
    given = st.fixed_dictionaries({}, optional=optional)
    return st.builds(lambda values, more: kind(*values, **more), st.tuples(_counts, *required), given)


def requests() -> SearchStrategy[ClientMessage]:
    """Any request that a server accepts."""
    return st.one_of(
        _maybe(
            Join,
            _rooms,
            token=st.text(max_size=30).filter(lambda text: text.isascii()),
            since=st.builds(Since, _counts, _tags),
            legal=st.booleans(),
            chat_since=_counts,
        ),
        _maybe(Act, _rooms, maps(), _counts, key=_keys),
        _maybe(Undo, _rooms, _counts, key=_keys),
        _maybe(Resign, _rooms, key=_keys),
        _maybe(Back, _rooms, key=_keys),
        _maybe(Legal, _rooms),
        _maybe(Check, _rooms, _counts, st.text("0123456789abcdef", min_size=64, max_size=64)),
        _maybe(Chat, _rooms, st.text(st.characters(codec="utf-8"), min_size=1), key=_keys),
        _maybe(Leave, _rooms),
        _maybe(Ping, time=integers),
    )
