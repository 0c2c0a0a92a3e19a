"""The boards of the games at a terminal, by the game's name; one that nobody drew is shown as plain data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any, TypeAlias

import msgspec
from rich.console import RenderableType
from rich.text import Text

from server.engines import latest

State: TypeAlias = Mapping[str, Any]
Action: TypeAlias = Mapping[str, Any]
Event: TypeAlias = Mapping[str, Any]


class Board(msgspec.Struct, frozen=True):
    """A game as text. `draw`: state and width in columns; `describe`: an action; `narrate`: an event, or None."""

    draw: Callable[[State, int], RenderableType]
    describe: Callable[[State, Action], str]
    narrate: Callable[[State, Event], str | None]


def board_of(game: str) -> Board:
    """The board of this game."""
    place = f"clients.terminal.boards.{game}"
    if not game.isidentifier() or find_spec(place) is None:
        return Board(_draw_plainly, _describe_plainly, _narrate_plainly)
    module = import_module(place)
    return Board(module.board, module.describe, module.narrate)


def seat_name(state: State, seat: int) -> str:
    """The name of who holds the seat."""
    held = state["room"]["seats"][seat]
    return str(held["name"]) if held else f"Seat {seat + 1}"


def rules_of(game: str) -> str | None:
    """The rules of this game as they are played, in Markdown; None where they are not known here."""
    engine = latest(game)
    return None if engine is None else (resources.files(f"server.engines.{engine.name}") / "RULES.md").read_text()


def _draw_plainly(state: State, _width: int) -> RenderableType:
    return Text(json.dumps({"game": state["game"], "you": state["you"]}, indent=1))


def _describe_plainly(_state: State, action: Action) -> str:
    parameters = (f"{name} {json.dumps(value)}" for name, value in action.items() if name != "type")
    return " ".join([str(action["type"]), *parameters])


def _narrate_plainly(state: State, event: Event) -> str | None:
    who = seat_name(state, event["seat"]) if isinstance(event.get("seat"), int) else ""
    rest = (f"{name} {json.dumps(value)}" for name, value in event.items() if name not in ("kind", "seat"))
    return " ".join(filter(None, [who, str(event["kind"]), *rest]))
