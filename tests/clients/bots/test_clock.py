"""Bots that search where the room has a clock: in time, and with something left for later."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from clients.bots.clock import EARLY, SHARE, allowed, time_to_think
from clients.bots.offline import as_map, document, table
from clients.bots.policies import play_random
from clients.bots.runner import play
from clients.bots.search import Level, Search
from clients.bots.thinking import THINKERS
from clients.connection import Connection
from clients.lobby import Lobby
from protocol.messages import Patch
from server.engines import latest
from tests.processes import PATIENCE, ServerProcess, serving

NOW = 1_764_480_000_000
SLOW = Search(Level(10**9, 1800.0))
"""Searches half an hour, where nothing stops it."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://"}) as process:
        yield process


def clocked(left: int, bank: int) -> dict[str, Any]:
    """Seat 1 decides, with so many ms left in all, of which so many are its bank's."""
    clock = {"at": NOW - 5000, "deadlines": [NOW + left], "banks": [77_000, bank]}
    return {"turn": {"seats": [1], "clock": clock}}


@pytest.mark.parametrize(
    ("left", "bank", "seconds"),
    [
        (20_000, 0, 20.0),
        (20_000, 16_000, 4.0 + 16 * SHARE),
        (12_000, 16_000, 12 * SHARE),  # the time per turn is over, and some of the bank
        (0, 0, 0.0),
        (-300, 0, 0.0),
    ],
)
def test_a_decision_may_take_its_turn_and_a_part_of_the_bank(left: int, bank: int, seconds: float) -> None:
    assert allowed(clocked(left, bank), 1, NOW) == pytest.approx(seconds)


def test_without_a_clock_or_a_decision_there_is_no_limit() -> None:
    assert allowed({}, 1, NOW) is None
    assert allowed({"turn": None}, 1, NOW) is None
    assert allowed({"turn": {"seats": [1], "clock": None}}, 1, NOW) is None
    assert allowed(clocked(1000, 0), 0, NOW) is None


async def test_the_time_is_the_servers(server: ServerProcess) -> None:
    options = {"clock": {"bank": 0, "per_turn": 600_000}}
    made = await Lobby(server.url).create("dragonwood", 2, options=options)
    await Lobby(server.url).take_seat(made["room"])
    async with Connection(server.url) as connection:
        room = await connection.join(made["room"], made["token"], legal=True)
        before = asyncio.get_running_loop().time()
        until = await time_to_think(room)
        assert until is not None
        assert before < until < before + 600 - EARLY


async def test_a_bot_that_would_search_for_ever_never_times_out(server: ServerProcess) -> None:
    engine = latest("dragonwood")
    assert engine is not None
    place = table(engine, 2, 5)
    state = engine.new(2, place.options, place.dice())
    actions = [as_map(action) for action in engine.legal_actions(state, 0)]
    ready = Search(Level(1))
    made = await Lobby(server.url).create("dragonwood", 2, options={"clock": {"bank": 0, "per_turn": 3000}})
    kinds: list[str] = []
    try:
        await THINKERS.decide(ready, document(place, state, 0), actions, Random(1))  # the workers are there
        taken = await Lobby(server.url).take_seat(made["room"])
        async with Connection(server.url) as one, Connection(server.url) as other, Connection(server.url) as third:
            slow = await one.join(made["room"], made["token"], legal=True)
            quick = await other.join(made["room"], taken["token"], legal=True)
            watching = await third.join(made["room"])
            playing = asyncio.gather(play(slow, SLOW, Random(1)), play(quick, play_random, Random(2)))
            async with asyncio.timeout(PATIENCE):
                async for message in watching:
                    if isinstance(message, Patch) and message.events[0].get("seat") == 0:
                        kinds.append(message.events[0]["kind"])
                    if len(kinds) == 3:
                        break
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
    finally:
        THINKERS.stop()
    assert kinds == ["action"] * 3
