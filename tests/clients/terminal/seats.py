"""A terminal under test beside a real server: the program without a terminal, and other people at its tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from clients.connection import Connection
from clients.lobby import Lobby
from clients.room import Room
from clients.terminal.app import Terminal
from clients.terminal.kept import Kept
from clients.terminal.screens.table import TableScreen
from clients.terminal.widgets import ActionList
from tests.processes import PATIENCE

STEP = 0.05


def terminal(url: str, room: str | None = None, token: str | None = None, **more: Any) -> Terminal:
    """The program: in the lobby, or at a table."""
    kept = more.pop("kept", None) or Kept(url, None)
    if room is None:
        return Terminal(url, "Ana", kept, pause=0.0, **more)
    return Terminal(url, "Ana", kept, first=partial(TableScreen, room, token, **more), pause=0.0)


def typed(text: str) -> list[str]:
    """The keys that type a text."""
    return ["space" if sign == " " else sign for sign in text]


async def until(pilot: Pilot[None], holds: Callable[[], object], wanted: str = "it") -> None:
    """Go on until something holds.

    Raises:
        AssertionError: it never did.
    """
    for _ in range(int(PATIENCE / STEP)):
        if holds():
            return
        await pilot.pause(STEP)
    raise AssertionError(f"{wanted} never came; log: {[str(line) for line in log_of(pilot)]}")


async def answered(pilot: Pilot[None], key: str, dialog: type[Screen[Any]], *keys: str) -> None:
    """Press a key that opens a dialog, and keys in it once it is there; then wait until it is gone."""
    await pilot.press(key)
    await until(pilot, lambda: isinstance(pilot.app.screen, dialog), f"the {dialog.__name__}")
    await pilot.press(*keys)
    await until(pilot, lambda: not isinstance(pilot.app.screen, dialog), "an end of the dialog")


def table(pilot: Pilot[None]) -> TableScreen:
    """The table on the screen."""
    found = [screen for screen in pilot.app.screen_stack if isinstance(screen, TableScreen)]
    assert found
    return found[-1]


def log_of(pilot: Pilot[None]) -> list[str]:
    """The lines of the log."""
    tables = [screen for screen in pilot.app.screen_stack if isinstance(screen, TableScreen)]
    return [str(line) for line in tables[-1].story.lines] if tables else []


def said(pilot: Pilot[None], selector: str) -> str:
    """What a part of the screen says."""
    return str(pilot.app.screen.query_one(selector, Static).content)


async def idle_table(url: str, game: str, **options: Any) -> tuple[str, str, str]:
    """A game of two that has begun: the room, and both tokens."""
    lobby = Lobby(url)
    made = await lobby.create(game, 2, name="Ana", options=options)
    other = await lobby.take_seat(made["room"], name="Ben")
    return made["room"], made["token"], other["token"]


async def sit(connection: Connection, room: str, token: str) -> Room:
    """Somebody else at the table."""
    return await connection.join(room, token, legal=True)


def actions_shown(pilot: Pilot[None]) -> Sequence[str]:
    """The actions on the screen, without their headings."""
    actions = table(pilot).query_one(ActionList)
    return [str(option.prompt).strip() for option in actions.options if not option.disabled]
