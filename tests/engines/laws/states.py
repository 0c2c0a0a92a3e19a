"""Laws of states: values of the allowed kinds, conserved, written and read without loss, refused when they can't be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from random import Random
from typing import Any

import msgspec

from tests.engines.laws import Broken, Game, demand
from tests.engines.play import digest

WRONG = ({"?": 0}, [[[]]], 0.5, "no such thing")  # values that fit nowhere but where their like stood
ATOMS = (bool, int, str, bytes, type(None))


def states_are_values(game: Game) -> None:
    """A state is made of frozen structs, tuples and plain atoms (maps only in the order of their keys)."""
    for state in [game.first, *(step.after for step in game.few(60))]:
        for place, part in _walk(state, "state"):
            demand(_allowed(part), f"{place} is a {type(part).__name__}", part)


def _allowed(part: Any) -> bool:
    if isinstance(part, msgspec.Struct):
        return part.__struct_config__.frozen
    if isinstance(part, dict):
        return list(part) == sorted(part)
    return type(part) in ATOMS or isinstance(part, tuple | Enum)


def _walk(part: Any, place: str) -> Iterator[tuple[str, Any]]:
    yield place, part
    if isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from _walk(getattr(part, name), f"{place}.{name}")
    elif isinstance(part, dict):
        for key, value in part.items():
            yield from _walk(key, f"{place} key")
            yield from _walk(value, f"{place}[{key!r}]")
    elif isinstance(part, tuple | list | set | frozenset):
        for number, item in enumerate(part):
            yield from _walk(item, f"{place}[{number}]")


def nothing_is_changed_in_place(game: Game) -> None:
    """Looking at a state and acting on it leaves it as it was."""
    engine = game.engine
    for step in game.few(40):
        before = digest(step.before)
        engine.public_view(step.before)
        for seat in range(game.seats):
            engine.private_view(step.before, seat)
            engine.legal_actions(step.before, seat)
        engine.apply(step.before, step.seat, step.action, game.dice(step))
        engine.resample(step.before, step.seat, game.dice(step))
        engine.dump(step.before)
        demand(digest(step.before) == before, f"step {step.number}: a state was changed in place", step.action)


def dumps_are_read_back(game: Game) -> None:
    """A dump is JSON, and read back it is the same state, with the same digest and the same dump."""
    engine = game.engine
    for state in [game.first, *(step.after for step in game.few(60))]:
        text = json.dumps(engine.dump(state), allow_nan=False)
        again = engine.load(json.loads(text))
        demand(again == state and type(again) is type(state), "a dump read back is another state")
        demand(digest(again) == digest(state), "a dump read back has another digest")
        demand(json.dumps(engine.dump(again)) == text, "a dump read back is dumped in another way")


def impossible_states_are_refused(game: Game) -> None:
    """A corrupted dump is a ValueError, or a state that can be looked at, played and counted like any other.

    Of a key dropped or of a value of another kind only the first will do.
    """
    random = Random(game.seed)
    for step in game.few(14):
        data = json.loads(json.dumps(game.engine.dump(step.before)))
        for _ in range(8):
            _must_be_refused(game, data, random)
            _may_be_taken(game, data, random)


def _load(game: Game, data: dict[str, Any]) -> tuple[Any, bool]:
    try:
        return game.engine.load(data), True
    except ValueError as error:
        demand(str(error), "a refusal to load that says nothing")
        return None, False
    except Exception as error:
        raise Broken(f"load raises {error!r}, not ValueError") from error


def _must_be_refused(game: Game, data: dict[str, Any], random: Random) -> None:
    places = [place for place in _places(data) if place]
    place = random.choice(places)
    old = _at(data, place)
    if len(place) == 1 and random.random() < 0.3:  # a field of the state itself: maps further in may lack keys
        changed, what = _without(data, place), "dropped"
    else:
        value = random.choice([wrong for wrong in WRONG if type(wrong) is not type(old)])
        changed, what = _with(data, place, value), f"replaced by {value!r}"
    _, taken = _load(game, changed)
    demand(not taken, f"a dump with {'.'.join(map(str, place))} {what} is loaded", old)


def _may_be_taken(game: Game, data: dict[str, Any], random: Random) -> None:
    changed = _with(data, *_changed(data, random))
    state, taken = _load(game, changed)
    if not taken:
        return
    try:
        game.engine.public_view(state)
        for seat in range(game.seats):
            game.engine.private_view(state, seat)
            for action in game.engine.legal_actions(state, seat)[:3]:
                game.engine.apply(state, seat, action, game.dice(game.steps[0]))
        game.engine.result(state)
        if game.conservation:
            game.conservation.check(state)
    except Exception as error:
        changes = [f"{place}: {_at(data, place)!r}" for place in _places(data) if not _same(data, changed, place)]
        raise Broken(f"a dump is loaded that can't be a state: {error!r}", *changes[:3]) from error


def _same(data: Any, changed: Any, place: tuple[Any, ...]) -> bool:
    try:
        return _at(data, place) == _at(changed, place)
    except (LookupError, TypeError):
        return False


def _changed(data: dict[str, Any], random: Random) -> tuple[tuple[Any, ...], Any]:
    """A place of the dump and another value of the same kind for it."""
    while True:
        place = random.choice([place for place in _places(data) if place])
        old = _at(data, place)
        if isinstance(old, bool):
            return place, not old
        if isinstance(old, int):
            return place, random.choice((old + 1, old - 1, -old - 1, 1 << 40))
        if isinstance(old, list) and old:
            item = random.randrange(len(old))
            return place, random.choice((old[:item] + old[item + 1 :], [*old, old[item]], old[::-1]))
        if old is None:
            return place, random.choice((0, 1, 5))


def _places(data: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _places(value, (*place, key))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            yield from _places(item, (*place, number))


def _at(data: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        data = data[key]
    return data


def _with(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    changed = json.loads(json.dumps(data))
    _at(changed, place[:-1])[place[-1]] = value
    return changed


def _without(data: Any, place: tuple[Any, ...]) -> Any:
    changed = json.loads(json.dumps(data))
    del _at(changed, place[:-1])[place[-1]]
    return changed


def nothing_is_lost(game: Game) -> None:
    """What the game says must be conserved is, at every step: `tests/engines/<game>/conservation.py`."""
    if game.conservation is None:
        raise Broken(f"there is no tests/engines/{game.engine.name}/conservation.py")
    try:
        game.conservation.check(game.first)
        for step in game.steps:
            game.conservation.check(step.after)
            game.conservation.check_step(step.before, step.after)
    except AssertionError as error:
        raise Broken(f"not conserved: {error}") from error


LAWS = (
    states_are_values,
    nothing_is_changed_in_place,
    dumps_are_read_back,
    impossible_states_are_refused,
    nothing_is_lost,
)
