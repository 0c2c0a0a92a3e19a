"""Differences between two JSON-like values as JSON Patch (RFC 6902), and their application.

The rules of the protocol (section 3) that `diff` keeps: only `add`, `remove` and `replace`; never the path `""`; never
the index `-`. It stops where two parts are the same object, so a view that shares what did not change costs what did.
Tuples and lists are both arrays; any `Mapping` is a map; `true` is not 1. Values are shared, never copied: neither
function changes what it is given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, TypeGuard, cast

import orjson

from protocol.align import common_runs
from protocol.messages import Json

Operation: TypeAlias = dict[str, Json]
Map: TypeAlias = Mapping[str, Json]
Array: TypeAlias = Sequence[Json]
_Gap: TypeAlias = tuple[int, int, int, int]
_Parts: TypeAlias = list[list[Operation]]
"""The operations of each member or item that comes, goes, is replaced or changes inside."""

_REPLACEMENT = 36
"""Bytes of a `replace` operation beside its path and value."""
_INDEX = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_AFTER_LAST = "-"
_ABSENT = "nothing is there"
_BAD_ESCAPE = re.compile(r"~(?![01])")


_SCALARS = frozenset((str, int, bool, type(None)))
_NO_MAPS = _SCALARS | {list, tuple}
_NO_ARRAYS = _SCALARS | {dict}


def diff(old: Map, new: Map) -> list[Operation]:
    """The operations that turn `old` into `new`: few and small, and the same for equal arguments."""
    return [operation for part in _map_changes(old, new, "") for operation in part]


def same(one: Json, other: Json) -> bool:
    """Whether two values are the same JSON."""
    if one is other:
        return True
    if type(one) in _SCALARS:
        return type(one) is type(other) and one == other
    if _is_map(one):
        return _is_map(other) and (_equal(one, other) or _same_members(one, other))
    if _is_array(one):
        return _is_array(other) and (_equal(one, other) or _same_items(one, other))
    return one == other and (one is True or one is False) == (other is True or other is False)


def _equal(one: Json, other: Json) -> bool:
    """Whether two values are equal, told fast; False also where it can't be told so."""
    if one != other:
        return False
    kind = type(one)
    return kind is type(other) if kind in _SCALARS else _encoded(one) == _encoded(other)


def _same_items(one: Array, other: Array) -> bool:
    return len(one) == len(other) and all(map(same, one, other))


def _same_members(one: Map, other: Map) -> bool:
    return len(one) == len(other) and all(key in other and same(value, other[key]) for key, value in one.items())


def _is_map(value: Json) -> TypeGuard[Map]:
    return type(value) is dict or (type(value) not in _NO_MAPS and isinstance(value, Mapping))


def _is_array(value: Json) -> TypeGuard[Array]:
    if type(value) is list or type(value) is tuple:
        return True
    return type(value) not in _NO_ARRAYS and isinstance(value, Sequence) and not isinstance(value, str)


def _changes(old: Json, new: Json, path: str) -> list[Operation]:
    """The operations at a path where another object stands than before."""
    if type(new) in _SCALARS:
        return [] if type(new) is type(old) and new == old else [{"op": "replace", "path": path, "value": new}]
    if _equal(old, new):
        return []
    if _is_map(new) and _is_map(old):
        return _or_replacement(_map_changes(old, new, path), new, path)
    if _is_array(new) and _is_array(old):
        return _or_replacement(_array_changes(old, new, path), new, path)
    return [] if same(old, new) else [{"op": "replace", "path": path, "value": new}]


def _or_replacement(parts: _Parts, new: Map | Array, path: str) -> list[Operation]:
    """One operation in the place of many, where most of the parts change and that is shorter."""
    operations = parts[0] if len(parts) == 1 else [operation for part in parts for operation in part]
    if len(operations) < 2 or len(parts) * 2 <= len(new):
        return operations
    if _size(operations) <= _REPLACEMENT + len(path) + _size(new):
        return operations
    return [{"op": "replace", "path": path, "value": new}]


def _map_changes(old: Map, new: Map, path: str) -> _Parts:
    parts: _Parts = []
    if old.keys() != new.keys():
        parts = [[{"op": "remove", "path": f"{path}/{_escaped(key)}"}] for key in old if key not in new]
    for key, value in new.items():
        if key not in old:
            parts.append([{"op": "add", "path": f"{path}/{_escaped(key)}", "value": value}])
        elif (before := old[key]) is not value and (changes := _changes(before, value, f"{path}/{_escaped(key)}")):
            parts.append(changes)
    return parts


def _array_changes(old: Array, new: Array, path: str) -> _Parts:
    if len(old) != len(new):
        return _moved_changes(old, new, _gaps(old, new), path)
    both = enumerate(zip(old, new, strict=True))
    changed = [at for at, (before, value) in both if before is not value and not _equal(before, value)]
    if len(changed) > 2 and (new[changed[0]] in old or new[changed[-1]] in old):
        gaps = _gaps(old, new)
        if sum(max(gone, come) for _, _, gone, come in gaps) < len(changed):
            return _moved_changes(old, new, gaps, path)
    return [changes for at in changed if (changes := _changes(old[at], new[at], f"{path}/{at}"))]


def _gaps(old: Array, new: Array) -> list[_Gap]:
    """Where items stand that have no equal: the places in `old` and `new`, and how many of each."""
    gaps, left, right = [], 0, 0
    for before, after, length in common_runs(old, new, same):
        if before > left or after > right:
            gaps.append((left, right, before - left, after - right))
        left, right = before + length, after + length
    return gaps


def _moved_changes(old: Array, new: Array, gaps: list[_Gap], path: str) -> _Parts:
    """Changes of an array in which items came and went: everything left of an operation's index is final."""
    parts: _Parts = []
    for start, place, gone, come in gaps:
        paired = min(gone, come)
        for step in range(paired):
            if changes := _changes(old[start + step], new[place + step], f"{path}/{place + step}"):
                parts.append(changes)
        parts += [[{"op": "remove", "path": f"{path}/{place + paired}"}] for _ in range(paired, gone)]
        added = range(place + paired, place + come)
        parts += [[{"op": "add", "path": f"{path}/{at}", "value": new[at]}] for at in added]
    return parts


def _encoded(value: Json | list[Operation]) -> bytes:
    return orjson.dumps(value, default=dict)


def _size(value: Json | list[Operation]) -> int:
    return len(_encoded(value))


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key


def apply(document: Json, operations: Sequence[Map]) -> Json:
    """A new document: this one after the operations; it shares with the old one what they do not touch.

    Raises:
        ValueError: an operation is not `add`, `remove` or `replace`, or does not fit the document (RFC 6902,
            section 4). It names the operation and its path.
    """
    own: set[int] = set()
    for operation in operations:
        try:
            document = _applied(document, operation, own)
        except ValueError as error:
            raise ValueError(f"{operation.get('op')} {operation.get('path')}: {error}") from None
    return document


def _applied(document: Json, operation: Map, own: set[int]) -> Json:
    """The document after one operation. `own`: the ids of containers made here, which may be changed in place."""
    op, tokens = operation.get("op"), _tokens(operation.get("path"))
    if op not in ("add", "remove", "replace"):
        raise ValueError("not an operation of the protocol")
    if op != "remove" and "value" not in operation:
        raise ValueError("has no value")
    if not tokens:
        if op == "remove":
            raise ValueError("would leave no document")
        return operation["value"]
    root = parent = _owned(document, own)
    for token in tokens[:-1]:
        parent = _enter(parent, token, own)
    if isinstance(parent, dict):
        _change_member(parent, tokens[-1], operation)
    else:
        _change_item(parent, tokens[-1], operation)
    return root


def _tokens(path: Json) -> list[str]:
    """The reference tokens of a JSON Pointer (RFC 6901)."""
    if not isinstance(path, str) or (path and not path.startswith("/")) or _BAD_ESCAPE.search(path):
        raise ValueError("not a JSON Pointer")
    tokens = path.split("/")[1:]
    return [token.replace("~1", "/").replace("~0", "~") for token in tokens] if "~" in path else tokens


def _owned(value: Json, own: set[int]) -> dict[str, Json] | list[Json]:
    if id(value) in own:
        return cast("dict[str, Json] | list[Json]", value)
    copy: dict[str, Json] | list[Json]
    if _is_map(value):
        copy = dict(value)
    elif _is_array(value):
        copy = list(value)
    else:
        raise ValueError("leads through what is neither map nor array")
    own.add(id(copy))
    return copy


def _enter(parent: dict[str, Json] | list[Json], token: str, own: set[int]) -> dict[str, Json] | list[Json]:
    if isinstance(parent, dict):
        if token not in parent:
            raise ValueError(_ABSENT)
        parent[token] = child = _owned(parent[token], own)
    else:
        place = _index(token, len(parent))
        parent[place] = child = _owned(parent[place], own)
    return child


def _change_member(parent: dict[str, Json], key: str, operation: Map) -> None:
    if operation["op"] != "add" and key not in parent:
        raise ValueError(_ABSENT)
    if operation["op"] == "remove":
        del parent[key]
    else:
        parent[key] = operation["value"]


def _change_item(parent: list[Json], token: str, operation: Map) -> None:
    if operation["op"] == "add":
        place = len(parent) if token == _AFTER_LAST else _index(token, len(parent) + 1)
        parent.insert(place, operation["value"])
        return
    place = _index(token, len(parent))
    if operation["op"] == "remove":
        del parent[place]
    else:
        parent[place] = operation["value"]


def _index(token: str, length: int) -> int:
    if not _INDEX.fullmatch(token) or len(token) > len(str(length)) or int(token) >= length:
        raise ValueError(_ABSENT)
    return int(token)
