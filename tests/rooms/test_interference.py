"""No viewer's frames depend on what the viewer may not know: every registered game, by `tests.rooms.twins`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from clients.bots.policies import policies, policy
from server.engines import ENGINES, AnyEngine
from server.engines.engine import Event
from tests.engines.play import by_type, digest, walk
from tests.rooms.twins import Count, Leak, begun, compare

GAMES = {engine.name: engine for engine in ENGINES.values()}
MOST_EXCUSED = 0.35
FEWEST_COMPARED = 0.3


def look(engine: AnyEngine, seats: int, seed: int, most: int, rules: AnyEngine | None = None) -> Count:
    """A random game, looked at in at most `most` moments by everybody; `rules`: an engine to put in the place of it.

    Raises:
        Leak: somebody's frames depend on what is hidden.
    """
    options = engine.options()
    greedy = policy("greedy", engine.name) if seed % 2 and "greedy" in policies(engine.name) else None
    steps = list(walk(engine, seats, options, seed, pick=by_type, policy=greedy))
    base, random, count = begun(engine, seats, options), Random(seed), Count()
    if rules is not None:
        base.rulebook = replace(base.rulebook, engine=rules)
    chosen = steps if len(steps) <= most else sorted(random.sample(steps, most))
    for step in chosen:
        tries = [other.action for other in random.sample(steps, min(4, len(steps)))]
        for viewer in (*range(seats), None):
            compare(base, step, viewer, tries, count)
    return count


def check_shares(count: Count) -> None:
    """Enough was compared, and not too much excused."""
    tried, compared, excused = (sum(kind.values()) for kind in (count.tried, count.compared, count.excused))
    assert compared >= FEWEST_COMPARED * tried, count
    assert excused <= MOST_EXCUSED * compared, count
    assert count.compared["action"] > 20
    assert count.compared["undo"] > 20
    assert count.compared["timeout"] > 5
    assert count.compared["resign"] > 5
    assert count.errors > 20


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", GAMES)
def test_frames_do_not_depend_on_what_is_hidden(name: str, seed: int) -> None:
    seats = min(GAMES[name].seats.stop - 1, 2 + seed % 2)
    check_shares(look(GAMES[name], seats, seed, most=30))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 106))
@pytest.mark.parametrize("name", GAMES)
def test_frames_do_not_depend_on_what_is_hidden_in_many_games(name: str, seed: int) -> None:
    seats = GAMES[name].seats
    check_shares(look(GAMES[name], max(2, seats[seed % len(seats)]), seed, most=150))


class Leaky:
    """An engine like another, but for one method."""

    def __init__(self, engine: AnyEngine, **instead: Callable[..., Any]) -> None:
        self._engine = engine
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        return self._instead.get(name) or getattr(self._engine, name)


def public_digest(engine: AnyEngine) -> Leaky:
    """Everybody is told something of the whole state."""
    return Leaky(engine, public_view=lambda state: {**engine.public_view(state), "leak": digest(state)})


def key_of_a_card(engine: AnyEngine) -> Leaky:
    """What is hidden decides only which keys there are."""

    def view(state: Any) -> Mapping[str, Any]:
        return {**engine.public_view(state), **({"odd": 0} if int(digest(state), 16) % 2 else {})}

    return Leaky(engine, public_view=view)


def private_view_of_others(engine: AnyEngine) -> Leaky:
    """A seat sees what the next one sees."""

    def view(state: Any, seat: int) -> Mapping[str, Any]:
        return {**engine.private_view(state, seat), "next": engine.private_view(state, (seat + 1) % 2)}

    return Leaky(engine, private_view=view)


def talkative_event(engine: AnyEngine) -> Leaky:
    """An event says more than it should, and does not say that it reveals."""

    def apply(state: Any, seat: int, action: Any, dice: Any) -> tuple[Any, list[Event]]:
        after, events = engine.apply(state, seat, action, dice)
        quiet = [replace(event, reveals=False) for event in events]
        body = msgspec.defstruct("Told", [("digest", str)], tag_field="kind", tag="told", frozen=True)(digest(after))
        return after, [*quiet, Event(body)]

    return Leaky(engine, apply=apply)


def order_of_actions(engine: AnyEngine) -> Leaky:
    """The order in which the legal actions are listed depends on what is hidden."""

    def actions(state: Any, seat: int) -> list[Any]:
        listed = list(engine.legal_actions(state, seat))
        return listed[::-1] if int(digest(state), 16) % 2 else listed

    return Leaky(engine, legal_actions=actions)


LEAKS = (public_digest, key_of_a_card, private_view_of_others, talkative_event, order_of_actions)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
@pytest.mark.parametrize("name", GAMES)
def test_a_leak_is_found(name: str, leak: Callable[[AnyEngine], Any]) -> None:
    with pytest.raises(Leak):
        look_long(GAMES[name], leak(GAMES[name]))


def look_long(engine: AnyEngine, rules: Any) -> None:
    """Look until something is found, within reason."""
    for seed in range(5):
        look(engine, 2, seed, 20, rules=rules)
