"""Laws of views: JSON of the published form, parts that did not change shared, patches that add up to the view."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import jsonpatch
import msgpack
import msgspec
import orjson

from protocol.patch import apply, diff
from tests.engines.laws import Broken, Game, demand
from tests.engines.play import Step

LARGEST = 2**53 - 1
SHARED = 0.9  # of the equal parts of a game's views; one may be equal though what lies behind it did change
TRIVIAL = 3  # items; a part with fewer need not be shared
ENOUGH = 20  # equal parts at one place, to say something of that place


def views(game: Game, state: Any) -> list[dict[str, Any]]:
    """The public view and the private view of each seat."""
    engine = game.engine
    return [dict(engine.public_view(state)), *(dict(engine.private_view(state, seat)) for seat in range(game.seats))]


def views_are_json(game: Game) -> None:
    """Views are made of what JSON has; keys are ASCII without / and ~, numbers integers of 53 bits."""
    for state in [game.first, *(step.after for step in game.few(40)), game.last]:
        for number, view in enumerate(views(game, state)):
            _json(view, "public view" if number == 0 else f"private view of {number - 1}")
            both = orjson.loads(orjson.dumps(view)), msgpack.unpackb(msgpack.packb(view))
            demand(both[0] == both[1], "a view differs between the codecs")


def _json(part: Any, place: str) -> None:
    if isinstance(part, Mapping):
        for key, value in part.items():
            demand(type(key) is str and key.isascii() and key, f"{place}: a key that is no ASCII string", repr(key))
            demand("/" not in key and "~" not in key, f"{place}: a key with / or ~", key)
            _json(value, f"{place}.{key}")
    elif isinstance(part, tuple | list):
        for number, item in enumerate(part):
            _json(item, f"{place}[{number}]")
    elif isinstance(part, int):
        demand(abs(part) <= LARGEST, f"{place}: an integer past 53 bits", part)
    else:
        demand(part is None or isinstance(part, str), f"{place}: a {type(part).__name__}", part)


def views_have_the_published_form(game: Game) -> None:
    """Every view converts to its TypedDict, and has nothing beside it; the seat's number is not the game's to add."""
    public, private = game.engine.views
    for state in [game.first, *(step.after for step in game.few(40)), game.last]:
        for number, view in enumerate(views(game, state)):
            plain = json.loads(json.dumps(view))
            try:
                typed = msgspec.to_builtins(msgspec.convert(plain, private if number else public))
            except msgspec.ValidationError as error:
                raise Broken(f"a view is not of its TypedDict: {error}") from error
            demand(json.loads(json.dumps(typed)) == plain, "a view has more than its TypedDict", plain, typed)
            demand("seat" not in plain or number == 0, "`seat` in a private view is the room's")


def unchanged_parts_are_the_same_objects(game: Game) -> None:
    """A part of a view of some size, to the second level, that is equal after an action is the same object as before.

    Where what lies behind the part changed unseen (a card of a hand for another, the number being public) it may be
    another object; that is rare, hence the bound on the share instead of every single one.
    """
    shared: Counter[str] = Counter()
    equal: Counter[str] = Counter()
    for step in game.few(200):
        for old, new in zip(views(game, step.before), views(game, step.after), strict=True):
            for place, same in _equal_parts(old, new):
                equal[place] += 1
                shared[place] += same
        _twice(game, step)
    for place, count in equal.items():
        seldom = count >= ENOUGH and shared[place] < count / 2
        demand(not seldom, f"{place}: {count} times equal after an action, {shared[place]} times the same object")
    total = sum(equal.values())
    demand(sum(shared.values()) >= SHARED * total, f"of {total} equal parts {sum(shared.values())} are the same object")


def _equal_parts(old: Any, new: Any, depth: int = 2, place: str = "view") -> Iterator[tuple[str, bool]]:
    """Where the two hold equal containers, and whether they are the same object; below the same object all is."""
    for key, a, b in _pairs(old, new):
        if isinstance(a, Mapping | tuple | list) and not _trivial(a) and type(a) is type(b):
            where = f"{place}.{key}" if isinstance(old, Mapping) else f"{place}[*]"
            if a == b:
                yield where, a is b
            if depth > 1 and a is not b:
                yield from _equal_parts(a, b, depth - 1, where)


def _trivial(part: Mapping[str, Any] | tuple[Any, ...] | list[Any]) -> bool:
    """Whether comparing the part costs no more than looking at it: one or two atoms, or nothing."""
    items = part.values() if isinstance(part, Mapping) else part
    return len(part) < TRIVIAL and not any(isinstance(item, Mapping | tuple | list) for item in items)


def _pairs(old: Any, new: Any) -> Iterator[tuple[Any, Any, Any]]:
    if isinstance(old, Mapping):
        yield from ((key, value, new[key]) for key, value in old.items() if key in new)
    else:
        yield from ((number, *pair) for number, pair in enumerate(zip(old, new, strict=False)))


def _twice(game: Game, step: Step) -> None:
    for old, new in zip(views(game, step.after), views(game, step.after), strict=True):
        other = [place for place, same in _equal_parts(old, new) if not same]
        demand(old == new, "a view changes by looking at it")
        demand(not other, "two views of one state do not share their parts", *other)


def patches_add_up_to_the_view(game: Game) -> None:
    """The patches between successive views, folded over the first as a client does, give each view in turn."""
    for number, view in enumerate(views(game, game.first)):
        told = json.loads(json.dumps(view))
        old: Any = view
        for step in game.few(50):
            new = views(game, step.after)[number]
            operations = json.loads(json.dumps(diff(old, new)))
            demand(jsonpatch.apply_patch(told, operations) == apply(told, operations), "the patch is read in two ways")
            told = apply(told, operations)
            demand(told == json.loads(json.dumps(new)), "the folded patches are not the view", step.action)
            old = new


LAWS = (
    views_are_json,
    views_have_the_published_form,
    unchanged_parts_are_the_same_objects,
    patches_add_up_to_the_view,
)
