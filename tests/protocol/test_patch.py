"""Differences: right, small, and worth reading; their application: strict, and to a new document."""

from __future__ import annotations

import copy
import json
import re
from random import Random
from types import MappingProxyType
from typing import Any

import jsonpatch
import jsonpointer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.patch import apply, diff, same
from tests.protocol.strategies import values

leaves = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from(["", "a", "/", "~", "~1"]))
keys = st.sampled_from(["a", "b", "c", "/", "~", "~1", "0", "-"])
documents = st.dictionaries(keys, values(leaves, keys), max_size=4)


def changed(value: Any, random: Random, spare: list[Any]) -> Any:
    """The value, with some of its parts changed, moved, added or gone."""
    if random.random() < 0.1:
        return random.choice(spare)
    if isinstance(value, dict):
        kept = {key: changed(part, random, spare) for key, part in value.items() if random.random() < 0.9}
        return {**kept, "new": random.choice(spare)} if random.random() < 0.1 else kept
    if isinstance(value, list):
        parts = [changed(part, random, spare) for part in value if random.random() < 0.9]
        if random.random() < 0.2:
            parts.insert(random.randint(0, len(parts)), random.choice(spare))
        return random.sample(parts, len(parts)) if random.random() < 0.1 else parts
    return value


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """A document, and another one made of it."""
    old = {"board": draw(st.lists(values(leaves, keys), max_size=8)), **draw(documents)}
    random, spare = Random(draw(st.integers(0, 2**32))), [*old.values(), True, 1, 0, [], {}, "a"]
    new = changed(old, random, spare)
    return old, new if isinstance(new, dict) else {"board": new}


def exact(value: Any) -> str:
    """A text by which true and 1 differ."""
    return json.dumps(value, sort_keys=True)


@given(pair=pairs())
@settings(max_examples=300)
def test_the_difference_leads_from_the_old_to_the_new(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    old, new = pair
    before = exact(old), exact(new)
    operations = diff(old, new)
    assert exact(apply(old, operations)) == exact(new)
    assert exact(jsonpatch.apply_patch(copy.deepcopy(old), copy.deepcopy(operations))) == exact(new)
    assert (exact(old), exact(new)) == before
    assert diff(copy.deepcopy(old), copy.deepcopy(new)) == operations


@given(pair=pairs())
def test_operations_are_those_that_the_protocol_allows(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    for operation in diff(*pair):
        assert operation["op"] in ("add", "remove", "replace")
        assert ("value" in operation) == (operation["op"] != "remove")
        assert operation["path"].startswith("/")


def test_the_end_of_a_list_is_named_by_its_index() -> None:
    assert diff({"a": list("word")}, {"a": list("words!")}) == [
        {"op": "add", "path": "/a/4", "value": "s"},
        {"op": "add", "path": "/a/5", "value": "!"},
    ]


@given(pair=pairs())
def test_equal_documents_have_no_difference(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    old, new = pair
    assert diff(old, copy.deepcopy(old)) == []
    assert same(old, new) == (exact(old) == exact(new)) == (diff(old, new) == [])


@given(row=st.lists(st.integers(0, 200), min_size=1, max_size=60, unique=True), data=st.data())
def test_one_item_that_came_or_went_is_one_operation(row: list[int], data: st.DataObject) -> None:
    cards = [{"id": number, "face": str(number)} for number in row]
    place = data.draw(st.integers(0, len(cards) - 1))
    without = copy.deepcopy(cards[:place] + cards[place + 1 :])
    assert diff({"row": cards}, {"row": without}) == [{"op": "remove", "path": f"/row/{place}"}]
    assert diff({"row": without}, {"row": cards}) == [{"op": "add", "path": f"/row/{place}", "value": cards[place]}]


@given(row=st.lists(st.integers(0, 200), min_size=4, max_size=60, unique=True), data=st.data())
def test_a_card_that_moved_is_two_operations(row: list[int], data: st.DataObject) -> None:
    cards = [{"id": number, "face": str(number)} for number in row]
    start, end = data.draw(st.permutations(range(len(cards))))[:2]
    moved = copy.deepcopy(cards)
    moved.insert(end, moved.pop(start))
    assert len(diff({"row": cards}, {"row": moved})) <= 2


@given(one=values(leaves, keys), number=st.integers(2, 30))
def test_a_list_with_nothing_in_common_is_replaced_whole(one: Any, number: int) -> None:
    old, new = [{"old": n} for n in range(number)], [[one, n] for n in range(number + 5)]
    assert diff({"a": old}, {"a": new}) == [{"op": "replace", "path": "/a", "value": new}]


def test_tuples_are_lists_and_views_of_maps_are_maps() -> None:
    old = {"a": (1, {"b": (2, 3)}), "c": [4]}
    new = MappingProxyType({"a": [1, MappingProxyType({"b": [2, 3]})], "c": (4, 5)})
    assert diff(old, new) == [{"op": "add", "path": "/c/1", "value": 5}]
    assert apply(MappingProxyType({"a": (1, 2)}), [{"op": "remove", "path": "/a/0"}]) == {"a": [2]}


class Untouchable(dict[str, Any]):
    """A map that must not be looked into."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    __hash__ = None  # type: ignore[assignment]

    def items(self) -> Any:
        raise AssertionError("read")


def test_the_difference_stops_at_what_is_the_same_object() -> None:
    part = Untouchable(a=1)
    old = {"kept": part, "list": [part, {"n": 1}], "n": 1}
    new = {"kept": part, "list": [part, {"n": 2}], "n": 2}
    assert diff(old, new) == [
        {"op": "replace", "path": "/list/1/n", "value": 2},
        {"op": "replace", "path": "/n", "value": 2},
    ]


def test_what_is_not_touched_is_shared_and_what_is_touched_is_new() -> None:
    document = {"kept": {"x": [1]}, "touched": {"x": [1], "y": {}}}
    value = {"z": [1]}
    after: Any = apply(
        document,
        [
            {"op": "add", "path": "/touched/y/new", "value": value},
            {"op": "add", "path": "/touched/y/new/z/0", "value": 0},
        ],
    )
    assert after == {"kept": {"x": [1]}, "touched": {"x": [1], "y": {"new": {"z": [0, 1]}}}}
    assert document == {"kept": {"x": [1]}, "touched": {"x": [1], "y": {}}}
    assert value == {"z": [1]}
    assert after["kept"] is document["kept"]
    assert after["touched"]["x"] is document["touched"]["x"]


DOCUMENT = {"map": {"a": 1, "~": 2, "/": 3, "0": 4}, "list": [1, [2, 3]], "none": None}
OPERATIONS = [
    {"op": op, "path": path, "value": "new"}
    for op in ("add", "remove", "replace")
    for path in (
        "/map/a", "/map/b", "/map/~0", "/map/~1", "/map/0", "/map/a/b", "/nowhere/a", "/list/0", "/list/1", "/list/2",
        "/list/3", "/list/-", "/list/1/0", "/list/1/2", "/list/1/3", "/list/2/0", "/list/00", "/list/01", "/list/-1",
        "/list/+1", "/list/1.0", "/list/a", "/list/", "/list/٢", "/none/0", "/", "/none", "map",
        "/map/~", "/map/~2", "/list/99999999999999999999",
    )
]  # fmt: skip


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda o: f"{o['op']} {o['path']}")
def test_an_operation_is_applied_or_refused_as_the_standard_says(operation: dict[str, Any]) -> None:
    try:
        expected = jsonpatch.apply_patch(DOCUMENT, [operation])
    except (jsonpatch.JsonPatchException, jsonpointer.JsonPointerException, TypeError, KeyError):
        with pytest.raises(ValueError, match=f"^{operation['op']} "):
            apply(DOCUMENT, [operation])
    else:
        assert apply(DOCUMENT, [operation]) == expected


@pytest.mark.parametrize("op", ["add", "replace"])
def test_the_whole_document_may_be_put(op: str) -> None:
    assert apply({"a": 1}, [{"op": op, "path": "", "value": [2]}]) == [2]


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ({"op": "move", "from": "/a", "path": "/b"}, "move /b: not an operation of the protocol"),
        ({"path": "/a", "value": 1}, "None /a: not an operation of the protocol"),
        ({"op": "add", "path": "/a"}, "add /a: has no value"),
        ({"op": "remove", "path": ""}, "remove : would leave no document"),
        ({"op": "add", "path": 1, "value": 1}, "add 1: not a JSON Pointer"),
        ({"op": "replace", "path": "/a/b", "value": 1}, "replace /a/b: leads through what is neither map nor array"),
    ],
)
def test_what_is_no_operation_is_refused_by_name(operation: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        apply({"a": 1}, [operation])


def test_a_patch_that_fails_changes_nothing() -> None:
    document = {"a": [1, 2]}
    with pytest.raises(ValueError, match="remove /a/7"):
        apply(document, [{"op": "remove", "path": "/a/0"}, {"op": "remove", "path": "/a/7"}])
    assert document == {"a": [1, 2]}
