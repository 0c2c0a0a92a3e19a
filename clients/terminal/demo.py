"""The demo: a server of its own, four bots, and one spectator who sees the game to its end.

Everything that it starts ends with it. Without a terminal to draw on, the spectator prints the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from clients.connection import Connection
from clients.lobby import Lobby
from clients.terminal.app import Terminal
from clients.terminal.kept import Kept
from clients.terminal.local_bots import LocalBots
from clients.terminal.local_server import own_server
from clients.terminal.printing import print_room
from clients.terminal.screens.table import TableScreen
from clients.terminal.telling import ranking

SEATS = 4
WATCHED_PAUSE = 0.25
"""Seconds that a bot takes for a decision when somebody watches, unless told otherwise."""
LINGER = 8.0
"""Seconds that the end stays on the screen."""


async def demo(game: str, policies: Sequence[str], pause: float | None) -> int:
    """Play one game before the spectator's eyes; the exit code.

    `pause`: seconds that a bot takes for a decision; None: there is no screen, the game is printed.
    """
    async with own_server() as url:
        made = await Lobby(url).create(game, SEATS, seat=False)
        room = str(made["room"])
        if pause is None:
            return await _printed(url, room, policies)
        first = partial(TableScreen, room, None, bots=policies, linger=LINGER)
        app = Terminal(url, "Spectator", Kept(url, None), first=first, pause=pause)
        await app.run_async()
        return _end(app)


async def _printed(url: str, room: str, policies: Sequence[str]) -> int:
    bots = LocalBots(url, pause=0.0)
    try:
        async with Connection(url) as connection:
            watched = await connection.join(room)
            await bots.fill(room, policies, lambda _room, _token, _policy: None)
            story = await print_room(watched, lambda line: print(line, flush=True))
    finally:
        bots.close()
    return 0 if story.state is not None and story.state["result"] is not None else 1


def _end(app: Terminal) -> int:
    """Say on the plain terminal how it ended; a spectator who left early is fine."""
    if app.failure is not None:
        print(app.failure)
        return 1
    for line in ranking(app.ended) if app.ended is not None else ():
        print(line)
    return 0
