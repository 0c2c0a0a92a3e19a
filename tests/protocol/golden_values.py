"""Dice, digests and patches that any client in any language can be checked against."""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.digest import digest
from server.engines.dice import Dice, commitment, stream_key

CANONICAL: dict[str, tuple[Any, str]] = {
    "nothing": ({}, "{}"),
    "keys are sorted": ({"b": 1, "a": [True, None], "A": {}}, '{"A":{},"a":[true,null],"b":1}'),
    "by UTF-16, not by code point": ({"\ufb33": 1, "😀": 2}, '{"😀":2,"\ufb33":1}'),
    "escapes": ({"text": 'a"b\\c/\n\u0007é€'}, '{"text":"a\\"b\\\\c/\\n\\u0007é€"}'),
    "the widest integers": ({"n": [-(2**53 - 1), 2**53 - 1, 0]}, '{"n":[-9007199254740991,9007199254740991,0]}'),
}


def digests() -> list[dict[str, Any]]:
    """States, their canonical JSON (RFC 8785), and its SHA-256."""
    return [
        {"name": name, "state": state, "canonical": text, "digest": digest(state)}
        for name, (state, text) in CANONICAL.items()
    ]


SEEDS: dict[str, tuple[str, list[str | None]]] = {
    "nobody added entropy": ("00" * 32, [None, None]),
    "one seat did": ("11" * 32, [None, "22" * 32, None]),
    "all did": (bytes(range(32)).hex(), ["aa" * 32, "bb" * 32]),
    "zeros are as no entropy": ("00" * 32, ["00" * 32, None]),
}
BOUNDS = (1, 2, 6, 52, 3_000_000_000, 2**32)
"""3,000,000,000 makes many words be passed over."""
SHUFFLED = (0, 1, 2, 10, 54)


def dice() -> list[dict[str, Any]]:
    """Streams: key, first words, draws one after the other, shuffles one after the other on a fresh stream."""
    return [_stream(name, seed, entropy) for name, (seed, entropy) in SEEDS.items()]


def _stream(name: str, seed: str, entropy: list[str | None]) -> dict[str, Any]:
    raw = bytes.fromhex(seed)
    key = stream_key(raw, [bytes.fromhex(item) if item else None for item in entropy])
    words, draws, shuffles = Dice(key), Dice(key), Dice(key)
    return {
        "name": name,
        "seed": seed,
        "entropy": entropy,
        "commitment": commitment(raw).hex(),
        "key": key.hex(),
        "words": [words.below(2**32) for _ in range(20)],
        "below": [{"n": n, "value": draws.below(n), "words": draws.words} for n in BOUNDS * 3],
        "shuffles": [{"n": n, "items": shuffles.shuffle(range(n)), "words": shuffles.words} for n in SHUFFLED],
    }


class Change(msgspec.Struct, frozen=True):
    """Two documents, and the operations that Pharos writes between them."""

    name: str
    old: dict[str, Any]
    new: dict[str, Any]
    ops: list[dict[str, Any]]


def _op(op: str, path: str, *value: Any) -> dict[str, Any]:
    return {"op": op, "path": path, **({"value": value[0]} if value else {})}


def _cards(*numbers: int) -> list[dict[str, Any]]:
    return [{"id": number, "name": f"card {number}", "tokens": [number, 0]} for number in numbers]


PATCHES = (
    Change("nothing", {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}, []),
    Change("a member changes", {"a": 1, "b": {"c": "x"}}, {"a": 1, "b": {"c": "y"}}, [_op("replace", "/b/c", "y")]),
    Change("a member comes", {"a": 1}, {"a": 1, "b": None}, [_op("add", "/b", None)]),
    Change("a member goes", {"a": 1, "b": 2}, {"a": 1}, [_op("remove", "/b")]),
    Change("true is not 1", {"a": 1, "b": [0]}, {"a": True, "b": [False]},
           [_op("replace", "/a", True), _op("replace", "/b/0", False)]),
    Change("null to a map", {"turn": None}, {"turn": {"seats": []}}, [_op("replace", "/turn", {"seats": []})]),
    Change("a card comes", {"row": _cards(1, 2, 3)}, {"row": _cards(1, 4, 2, 3)},
           [_op("add", "/row/1", _cards(4)[0])]),
    Change("a card goes", {"row": _cards(1, 2, 3)}, {"row": _cards(1, 3)}, [_op("remove", "/row/1")]),
    Change("the last card goes", {"row": [7]}, {"row": []}, [_op("remove", "/row/0")]),
    Change("the first card comes", {"row": []}, {"row": [7]}, [_op("add", "/row/0", 7)]),
    Change("a card goes, the rest moves up, one comes at the end", {"row": _cards(1, 2, 3, 4, 5)},
           {"row": _cards(2, 3, 4, 5, 6)}, [_op("remove", "/row/0"), _op("add", "/row/4", _cards(6)[0])]),
    Change("two cards go, one comes", {"row": _cards(1, 2, 3, 4, 5)}, {"row": _cards(1, 3, 5, 6)},
           [_op("remove", "/row/1"), _op("remove", "/row/2"), _op("add", "/row/3", _cards(6)[0])]),
    Change("something in a card changes", {"row": _cards(1, 2, 3)},
           {"row": [*_cards(1), {**_cards(2)[0], "tokens": [2, 9]}, *_cards(3)]},
           [_op("replace", "/row/1/tokens/1", 9)]),
    Change("a card is another one", {"row": _cards(1, 2, 3)}, {"row": _cards(1, 9, 3)},
           [_op("replace", "/row/1", _cards(9)[0])]),
    Change("two seats change", {"seats": [{"gold": 1, "cards": 4}, {"gold": 2, "cards": 5}, {"gold": 3, "cards": 6}]},
           {"seats": [{"gold": 0, "cards": 4}, {"gold": 2, "cards": 5}, {"gold": 3, "cards": 7}]},
           [_op("replace", "/seats/0/gold", 0), _op("replace", "/seats/2/cards", 7)]),
    Change("a short list is replaced when that is shorter", {"since": [1, 2, 3]}, {"since": [7, 8, 9]},
           [_op("replace", "/since", [7, 8, 9])]),
    Change("one of a short list", {"since": [57]}, {"since": [60]}, [_op("replace", "/since/0", 60)]),
    Change("a small map is replaced when that is shorter", {"at": {"x": 1, "y": 2}}, {"at": {"x": 3, "y": 4}},
           [_op("replace", "/at", {"x": 3, "y": 4})]),
    Change("a list becomes empty", {"hand": [1, 2, 3]}, {"hand": []}, [_op("replace", "/hand", [])]),
)  # fmt: skip
