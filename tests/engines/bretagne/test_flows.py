"""What comes and goes: coins, points and pieces by the events; the lengths of lists; games at random.

Coins have no supply that could be counted: their flow is. Every seat's coins, points, engineers and materials are
booked from the events alone, and must be what the state says, at every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import (
    BargeEvent,
    Built,
    CityEntered,
    Closed,
    Crewed,
    Ended,
    Entered,
    Equipped,
    Evaluated,
    Gained,
    IncomeEvent,
    Loaded,
    Passed,
    Traded,
)
from server.engines.bretagne.box import MATERIALS
from server.engines.bretagne.possible import check
from server.engines.bretagne.state import Barges, Options, State
from server.engines.engine import EventBody
from tests.engines.bretagne.tables import BOX
from tests.engines.play import by_type, evenly, option_sets, walk

MOST_ACTIONS = 2_000
Book = dict[int, Counter[str]]


def held(state: State) -> Book:
    """What the seats have, by name."""
    books: Book = {}
    for seat, player in enumerate(state.players):
        books[seat] = Counter(coins=player.coins, points=player.points, engineers=player.engineers)
        books[seat]["equipment"] = len(player.hand)
        books[seat].update(dict(zip((each.value for each in MATERIALS), player.materials, strict=True)))
        books[seat].update(MATERIALS[load.material].value for load in player.loads if load for _ in range(load.amount))
    return books


Flow = list[tuple[int, dict[str, int]]]  # seat, what it got or, below 0, gave


def negative(counts: dict[str, int]) -> dict[str, int]:
    """What is given."""
    return {name: -n for name, n in counts.items()}


def no_flow(body: EventBody) -> Flow:
    """Most events move nothing."""
    return []


def of_built(body: Built) -> Flow:
    """The cost, the reward, the idle coins."""
    given = negative(body.paid | {"engineers": body.engineers})
    return [(body.seat, given), (body.seat, body.got), (body.seat, {"coins": body.idle_coins})]


def of_ended(body: Ended) -> Flow:
    """The points of the end."""
    parts = zip(body.order_points, body.harbour_points, body.coin_points, strict=True)
    return [(seat, {"points": sum(points)}) for seat, points in enumerate(parts)]


FLOWS: dict[type[EventBody], Callable[[Any], Flow]] = {
    BargeEvent: lambda body: [(body.seat, body.got)],
    IncomeEvent: lambda body: [(body.seat, body.got)],
    Gained: lambda body: [(body.seat, {body.material: 1})],
    Loaded: lambda body: [(body.seat, {body.material: body.amount} if body.material else {})],
    Built: of_built,
    Crewed: lambda body: [(body.seat, {"points": body.points})],
    Traded: lambda body: [(body.seat, negative(body.paid)), (body.seat, body.got)],
    Passed: lambda body: [(body.seat, negative(body.returned | {"engineers": body.engineers}))],
    Equipped: lambda body: [(body.seat, {"points": body.points, "equipment": -1})],
    Entered: lambda body: [(body.seat, {"coins": -body.paid})],
    Evaluated: lambda body: [(seat, {"points": points}) for seat, points in enumerate(body.points)],
    Ended: of_ended,
}


@pytest.mark.parametrize("barges", Barges)
@pytest.mark.parametrize("seats", ENGINE.seats)
def test_the_events_account_for_everything_that_the_seats_have(seats: int, barges: Barges) -> None:
    books: Book = {}
    idle = 0
    for each in walk(ENGINE, seats, Options(barges), seed=seats * 7, pick=by_type):
        books = books or held(each.before)
        for event in each.events:
            assert event.public is not None
            for seat, flow in FLOWS.get(type(event.public), no_flow)(event.public):
                for name, n in flow.items():
                    if name != "workers":
                        books[seat][str(name)] += n
            idle += len(event.public.idle_sites) * BOX.idle_coin if isinstance(event.public, Closed) else 0
            idle -= event.public.idle_coins if isinstance(event.public, Built) else 0
        assert {seat: +book for seat, book in books.items()} == {seat: +book for seat, book in held(each.after).items()}
        assert sum(lighthouse.coins for lighthouse in each.after.lighthouses) == idle
    assert any(book["coins"] for book in books.values())


@pytest.mark.parametrize("seats", ENGINE.seats)
def test_workers_move_as_the_events_say(seats: int) -> None:
    """A seat's workers at home change by crews, injuries, cities, cards, harbours, recruits and homecomings alone."""
    for each in walk(ENGINE, seats, Options(), seed=seats):
        home = [player.warehouse for player in each.before.players]
        for body in (event.public for event in each.events):
            match body:
                case Built():
                    home[body.seat] += body.got.get("workers", 0) - body.injured
                case IncomeEvent() | Traded():
                    home[body.seat] += body.got.get("workers", 0)
                case Crewed():
                    home[body.seat] -= body.workers
                case CityEntered():
                    home[body.seat] -= 1
                case Passed():
                    home[body.seat] += body.workers_home
                case Equipped():
                    home[body.seat] += 1
                case Evaluated() if body.step == "majority":
                    home = [a + b for a, b in zip(home, body.workers, strict=True)]
        assert home == [player.warehouse for player in each.after.players], each.action


def longest_list(seats: int, barges: Barges, seed: int) -> int:
    """Plays a random game through; the length of its longest list."""
    longest = 0
    for each in walk(ENGINE, seats, Options(barges), seed, pick=by_type if seed % 2 else evenly):
        actions = ENGINE.legal_actions(each.before, each.seat)
        longest = max(longest, len(actions))
        assert len(actions) < MOST_ACTIONS
        check(ENGINE.components, each.after)
    return longest


@pytest.mark.parametrize("seed", range(6))
def test_lists_are_short_and_states_possible_in_random_games(seed: int) -> None:
    seats = ENGINE.seats[seed % len(ENGINE.seats)]
    assert longest_list(seats, list(Barges)[seed % 2], seed) > 10


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300))
def test_lists_are_short_in_three_hundred_random_games(seed: int) -> None:
    seats = ENGINE.seats[seed % len(ENGINE.seats)]
    assert longest_list(seats, list(Barges)[seed // 3 % 2], 1000 + seed) > 10


def test_every_option_is_played() -> None:
    assert [options.barges for options in option_sets(ENGINE)] == list(Barges)
