"""Islet at a terminal: fits, tells every action apart, and shows without colour what matters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from clients.bots.offline import Table, as_map, document, plain, table
from clients.terminal.boards.islet import board, cell_name, describe, narrate
from server.engines.islet import ENGINE
from server.engines.islet.state import SoloDeck, State
from tests.clients.terminal.boards.printed import printed
from tests.engines.islet.games import steps
from tests.engines.islet.tables import Play, pay, scene, seat
from tests.engines.play import Step
from tests.engines.play import as_map as form_map


def text(state: dict[str, Any], width: int = 80) -> str:
    """The board as a terminal without colours shows it."""
    return printed(board, state, width)


def seen(state: State, viewer: int | None = 0) -> dict[str, Any]:
    """The state document of a viewer."""
    return document(table(ENGINE, len(state.players)), state, viewer)


def games() -> Iterator[tuple[Table, Step]]:
    for seats in (1, 2, 4):
        for step in steps(seats, 20 + seats):
            yield table(ENGINE, seats), step


def test_boards_fit_and_actions_are_told_apart_in_random_games() -> None:
    for place, step in games():
        state = document(place, step.before, step.seat)
        if step.number % 13 == 0:
            assert max(map(len, text(state).splitlines())) <= 80
            assert max(map(len, text(document(place, step.before, None), 60).splitlines())) <= 60
        actions = [as_map(action) for action in ENGINE.legal_actions(step.before, step.seat)]
        described = [describe(state, action) for action in actions]
        assert len(set(described)) == len(actions)


def test_every_event_of_random_games_has_a_line() -> None:
    kinds = set()
    for place, step in games():
        for viewer in (0, None):
            state = document(place, step.after, viewer)
            for event in step.events:
                form = event.form_for(viewer)
                if form is not None:
                    line = narrate(state, form_map(form))
                    assert line
                    assert "\n" not in line
                    kinds.add(form_map(form)["kind"])
    assert {"tile_laid", "resource_gained", "tiles_drawn", "walked", "egg_laid", "guarded", "night", "ended"} <= kinds


def test_events_of_the_room_need_no_line_of_the_game() -> None:
    state = seen(scene({(0, 0): "wl"}, seat(), seat()))
    assert narrate(state, {"kind": "seated", "seat": 0}) is None


def test_a_room_that_is_open_has_no_board_yet() -> None:
    state = seen(scene({(0, 0): "wl"}, seat(), seat())) | {"game": None}
    assert "not started" in text(state)


def test_a_stack_shows_name_terrain_nest_level_egg_and_birds_without_colour() -> None:
    state = scene({(0, 0): "wl", (1, 0): "sl ct", (2, 0): "sf"}, seat((1, 0)), seat((2, 0)), eggs={(1, 0): 0})
    shown = text(seen(state))
    lines = shown.splitlines()
    row = next(number for number, line in enumerate(lines) if " 1,0 " in line)
    assert "\\ 1,0  /" in lines[row]
    assert "\\#t2w/" in lines[row + 1]
    assert "\\W /" in lines[row + 2]
    assert "/Y \\" in lines[row + 1]
    assert "/:f1 \\" in lines[row + 2]
    assert "/_2,0__\\" in lines[row + 3]
    assert "/_0,0__\\" in lines[row + 3]


def test_two_birds_on_a_tile_both_show() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "wl", (2, 0): "wl"}, seat((0, 0)), seat((1, 0))))
    play.do("walk", x=1, y=0, pay=pay())
    assert "\\WY/" in text(seen(play.state))


def test_every_cell_that_an_action_names_is_on_the_board() -> None:
    for place, step in games():
        if step.number % 7 == 0:
            state = document(place, step.before, step.seat)
            shown = text(state).replace("_", " ").replace("/", " ").replace("\\", " ").split()
            for action in map(as_map, ENGINE.legal_actions(step.before, step.seat)):
                if "x" in action:
                    assert cell_name(action["x"], action["y"]) in shown
                    assert f" {cell_name(action['x'], action['y'])}" in describe(state, action)


def test_names_are_short_and_all_different() -> None:
    names = {cell_name(x, y) for x, y in product(range(-45, 46), repeat=2)}
    assert len(names) == 91 * 91
    assert max(map(len, names)) <= 6


def test_a_wide_island_is_cut_into_strips_that_fit() -> None:
    tiles = [terrain + nest for terrain in "wsc" for nest in "ltf"]
    row = {(x, 0): tiles[(x + 30) % 9] for x in range(-30, 30)}
    shown = text(seen(scene(row, seat((0, 0)), seat())))
    assert max(map(len, shown.splitlines())) <= 80
    for x, _ in row:
        assert f"{x},0" in shown
    assert "-- x from -31 to -13 --" in shown
    assert "-- x from" not in text(seen(scene({(0, 0): "wl"}, seat(), seat())))


def test_a_level_without_a_digit_is_told_below() -> None:
    shown = text(seen(scene({(0, 0): " ".join(["wl"] * 10), (1, 0): "sl"}, seat(), seat())))
    assert "~l+" in shown
    assert "+ is 10 on 0,0" in shown


def test_seats_show_eggs_cards_and_guarded_resources() -> None:
    board_ = {(0, 0): "wl", (1, 0): "sl"}
    play = Play(scene(board_, seat((0, 0), {"clay": 2}, {"sand": 1, "leaf": 1}, hand="wt sf cl cl"), seat()))
    play.do("walk", x=1, y=0, pay=pay(guarded={"sand": 1}))
    shown = text(seen(play.state), 100)
    assert "leaf, sand*" in shown
    assert "2 clay" in shown
    assert f"#{play.me.hand[0]} water twig" in shown
    assert "Your cards: 2 clay\n" in shown
    assert "Your tiles" not in text(seen(play.state, None))


def test_the_solo_board_shows_cards_and_tide() -> None:
    state = scene({(0, 0): "wl"}, seat((0, 0)), solo=SoloDeck(1, tuple(range(13)), ()))
    assert "7 day and 6 night cards left" in text(seen(state))


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"type": "walk", "x": 1, "y": 0, "pay": pay({"sand": 1})}, "Walk to 1,0 (sand, leaf, level 1), paying 1 sand"),
        ({"type": "lay_egg", "pay": pay({"leaf": 3})}, "Lay an egg on 0,0, paying 3 leaf"),
        ({"type": "guard", "resource": "leaf"}, "Guard a leaf with the second egg"),
        ({"type": "unguard", "resource": "leaf", "used": True}, "Lay the egg of the guarded leaf (used this turn)"),
        ({"type": "return", "resource": "clay"}, "Return a clay card"),
        ({"type": "pass"}, "Pass: there is nothing that can be done"),
        ({"type": "stop"}, "End the move here"),
    ],
)
def test_actions_in_words(action: dict[str, Any], words: str) -> None:
    state = seen(scene({(0, 0): "wl", (1, 0): "sl"}, seat((0, 0)), seat()))
    assert describe(state, plain(action)) == words
