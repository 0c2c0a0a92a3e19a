"""Bretagne at a terminal: random games drawn whole, every action and event in words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random
from typing import Any

import msgspec
import pytest

from clients.bots.offline import as_map, document, moves, plain, table
from clients.bots.policies import play_random
from clients.terminal.boards.bretagne import board, describe, narrate
from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import Build, EnterCity
from server.engines.bretagne.box import City, Equipment
from server.engines.bretagne.state import State
from tests.clients.terminal.boards.printed import printed
from tests.engines.bretagne.tables import STORM, acting, deal, give, in_harbour, levels, passing
from tests.engines.bretagne.tables import play as played

SILENT = {"trade_done", "equip_done", "skipped", "evaluated", "opened"}


def drawn(state: dict[str, Any], width: int = 80) -> str:
    """The board as plain text."""
    return printed(board, state, width)


def seen(state: State, seat: int | None = 0) -> dict[str, Any]:
    """The state document of a table laid out by hand."""
    return document(table(ENGINE, len(state.players)), state, seat)


@lru_cache(maxsize=4)
def game(seats: int) -> tuple[tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]], ...]:
    """A random game: before each action the decider's document and list, and the events as it gets them."""
    return tuple(_game(seats))


def _game(seats: int) -> Iterator[tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]]:
    place = table(ENGINE, seats, seats, {"barges": "chosen"})
    state = ENGINE.new(seats, place.options, place.dice())
    for move in moves(place, [play_random] * seats, Random(seats)):
        actions = [as_map(action) for action in ENGINE.legal_actions(state, move.seat)]
        events = [plain(msgspec.to_builtins(event.form_for(move.seat))) for event in move.events]
        yield document(place, state, move.seat), actions, events
        state = move.state
    yield document(place, state, None), [], []


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("seats", ENGINE.seats)
def test_the_board_of_any_moment_fits_its_width(seats: int, width: int) -> None:
    for state, _, _ in game(seats)[::29]:
        lines = drawn(state, width).splitlines()
        assert max(map(len, lines)) <= width
        assert not any("…" in line for line in lines)


def test_every_action_is_described_and_no_two_alike() -> None:
    kinds = set()
    for state, actions, _ in (step for seats in ENGINE.seats for step in game(seats)):
        words = [describe(state, action) for action in actions]
        assert len(set(words)) == len(words)
        assert all(len(line) <= 79 and "{" not in line for line in words)
        kinds.update(action["type"] for action in actions)
    assert len(kinds) == 20


def test_every_event_has_a_line_or_needs_none() -> None:
    told = set()
    for state, _, events in (step for seats in ENGINE.seats for step in game(seats)):
        for event in events:
            line = narrate(state, event)
            assert line is None or (line and "{" not in line)
            assert line is not None or event["kind"] in SILENT, event
            told.add(event["kind"])
    assert told >= {"built", "crewed", "traded", "evaluated", "equipped", "entered", "income", "gained", "ended"}
    assert narrate(game(2)[0][0], {"kind": "seated", "seat": 0}) is None


def test_levels_show_builder_and_workers_and_finished_ones_a_word() -> None:
    state = levels(acting(2), 5, (0, 2), (1, 3))
    rows = [line.split() for line in drawn(seen(state)).splitlines()]
    [at_sea] = [row for row in rows if row[:2] == ["5", "hell"]]
    assert "A2" in at_sea
    assert "B3" in at_sea
    [standing] = [row for row in rows if row[:2] == ["1", "heaven"]]
    assert "STANDS" in standing


def test_the_headline_warns_of_the_storm() -> None:
    text = drawn(seen(acting(2, weather=STORM)))
    assert "Weather: STORM" in text
    assert "purgatory 3 and an injury" in text


def test_a_hand_is_on_its_owners_board_alone() -> None:
    state = deal(acting(2), 0, Equipment.SIREN, Equipment.SIREN)
    assert "Your equipment: 2 siren" in drawn(seen(state, 0))
    assert "Your equipment: none" in drawn(seen(state, 1))
    assert "Your equipment" not in drawn(seen(state, None))


def test_actions_name_what_the_board_names() -> None:
    state = give(acting(2), 0, "4 brick 4 stone 4 sand", engineers=2, coins=4)
    build = next(action for action in ENGINE.legal_actions(state, 0) if isinstance(action, Build))
    name = ENGINE.components.box.lighthouses[state.lighthouses[build.site - 1].tile].name
    words = describe(seen(state), as_map(build))
    assert f"{name} (site {build.site})" in words
    assert f"tile {build.tile} " in words
    city = played(state, EnterCity(City.BREST))
    assert describe(seen(city), {"type": "buy", "materials": ["brick", "sand"]}) == "Buy brick and sand for 2 coins"
    assert describe(seen(city), {"type": "hire"}) == "Hire 1 engineer for 2 coins"


def test_entering_a_harbour_names_its_price() -> None:
    state = in_harbour(levels(acting(2), 5, (0, 1), (1, 0), (1, 0)), 2, 1)
    state = passing(give(state, 0, coins=1), 0, 1)
    [done] = ENGINE.legal_actions(state, 0)
    state = played(state, done)
    assert describe(seen(state), {"type": "enter"}) == "Move a worker into harbour 2 for 1 coin"


def test_before_the_start_there_is_no_board() -> None:
    assert "not started" in drawn({**seen(acting(2)), "game": None})
