"""Games played straight on an engine, step by step, and actions that are almost right: material for laws and tests."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from random import Random
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from clients.bots.offline import ask, table
from clients.bots.policies import Choose
from server.engines import AnyEngine
from server.engines.dice import Dice, stream_key
from server.engines.engine import Action, Event

MOST_STEPS = 20_000  # a room holds no more entries
MOST_COMBINATIONS = 8  # of options that are all tried together; with more, one option at a time differs

BY_POLICY = 0.75  # of the actions of a game that a policy plays

Pick = Callable[[Sequence[Action], Random], Action]


class Step(NamedTuple):
    """One action: the states around it, what happened, and the dice's words taken before and after."""

    number: int
    before: Any
    seat: int
    action: Action
    after: Any
    events: Sequence[Event]
    words: tuple[int, int]


def dice(seed: int, seats: int, words: int = 0) -> Dice:
    """The stream of a room with this seed (as 32 bytes, big-endian) and no entropy from its seats, after `words`."""
    return Dice(stream_key(seed.to_bytes(32, "big"), (None,) * seats), words)


def digest(state: object) -> str:
    """The state's digest, as the journal's entries hold it: 16 hex characters."""
    return hashlib.sha256(msgspec.msgpack.encode(state)).hexdigest()[:16]


def as_map(action: object) -> dict[str, Any]:
    """The action, or the body of an event, as it travels."""
    return msgspec.json.decode(msgspec.json.encode(action))


def evenly(actions: Sequence[Action], random: Random) -> Action:
    """Any legal action, each as likely as the others."""
    return random.choice(actions)


def by_type(actions: Sequence[Action], random: Random) -> Action:
    """First a type of action, then one of it: reaches what a long list of another type would drown."""
    kind = random.choice(list(dict.fromkeys(type(action) for action in actions)))
    return random.choice([action for action in actions if type(action) is kind])


def walk(
    engine: AnyEngine,
    seats: int,
    options: msgspec.Struct,
    seed: int,
    *,
    pick: Pick = evenly,
    policy: Choose | None = None,
    most: int = MOST_STEPS,
) -> Iterator[Step]:
    """Plays a game at random and yields every step; who acts first of several that decide is random too.

    With a `policy` three actions of four are its choice (its games go further than those of chance), else `pick`'s.

    Raises:
        AssertionError: the game has not ended after `most` steps.
    """
    random = Random(seed)
    place = table(engine, seats, seed, options)
    stream = place.dice()
    state = engine.new(seats, options, stream)
    for number in range(1, most + 1):
        deciding = engine.deciding(state)
        if not deciding:
            return
        seat = random.choice(deciding)
        actions = engine.legal_actions(state, seat)
        if policy and random.random() < BY_POLICY:
            action = ask(policy, place, state, seat, random)
        else:
            action = pick(actions, random)
        words = stream.words
        after, events = engine.apply(state, seat, action, stream)
        yield Step(number, state, seat, action, after, events, (words, stream.words))
        state = after
    raise AssertionError(f"{engine.name} with {seats} seats, seed {seed}: no end after {most} steps")


def final(engine: AnyEngine, seats: int, options: msgspec.Struct, seed: int) -> Any:
    """The state at the end of a random game."""
    return list(walk(engine, seats, options, seed))[-1].after


def option_sets(engine: AnyEngine) -> list[msgspec.Struct]:
    """The defaults first, then every combination of the values of flags and enumerations, or one change at a time."""
    defaults = engine.options()
    choices = {name: _values(form) for name, form in get_type_hints(engine.options).items()}
    choices = {name: values for name, values in choices.items() if len(values) > 1}
    combinations = [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]
    if len(combinations) > MOST_COMBINATIONS:
        combinations = [{name: value} for name, values in choices.items() for value in values]
    sets = [defaults]
    for combination in combinations:
        changed = msgspec.structs.replace(defaults, **combination)
        if changed not in sets:
            sets.append(changed)
    return sets


def _values(form: Any) -> tuple[Any, ...]:
    if form is bool:
        return (False, True)
    if get_origin(form) is Literal:
        return get_args(form)
    return tuple(form) if isinstance(form, type) and hasattr(form, "__members__") else ()


def mutated(action: dict[str, Any], random: Random, pool: Sequence[Any]) -> dict[str, Any]:
    """The action's map with one thing changed, dropped, added or of another type; `pool`: values met elsewhere."""
    changed = dict(action)
    names = [name for name in changed if name != "type"]
    kind = random.choice(("value", "value", "value", "value", "drop", "add", "type"))
    if kind == "add" or not names:
        changed[random.choice(("seat", "x", "card", "cards", "use", "extra"))] = _other(0, random, pool)
        return changed
    name = random.choice(names)
    if kind == "drop":
        del changed[name]
    elif kind == "type":
        changed[name] = random.choice((None, True, 1.0, -1, "", [], {}, [[0]], 1 << 70, "0"))
    else:
        changed[name] = _other(changed[name], random, pool)
    return changed


def _other(value: Any, random: Random, pool: Sequence[Any]) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return random.choice((value + 1, value - 1, -value - 1, random.randrange(130), 1 << 40, -(1 << 62)))
    if isinstance(value, list) and value:
        item = random.randrange(len(value))
        return random.choice(
            (
                value[:item] + value[item + 1 :],
                value + value[:1],
                value[::-1],
                [*value[:item], _other(value[item], random, pool), *value[item + 1 :]],
                [*value, _other(value[item], random, pool)],
            )
        )
    if isinstance(value, dict) and value:
        name = random.choice(list(value))
        return {**value, name: _other(value[name], random, pool)}
    return random.choice(pool) if pool else "nothing"


def parts(action: dict[str, Any]) -> list[Any]:
    """The values of an action's parameters, for the pool of `mutated`."""
    return [value for name, value in action.items() if name != "type"]
