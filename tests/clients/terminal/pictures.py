"""`python -m tests.clients.terminal.pictures`: take the pictures in `docs/` anew, of real games on a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

from textual.pilot import Pilot

from clients.bots.policies import policy
from clients.bots.runner import Plan, play_game
from clients.connection import Connection
from clients.errors import Refused
from clients.lobby import Lobby
from clients.room import Room
from clients.terminal.app import Terminal
from clients.terminal.local_bots import LocalBots
from clients.terminal.local_server import own_server
from protocol.messages import Turn
from tests.clients.terminal.seats import actions_shown, said, terminal, until
from tests.processes import ROOT

DOCS = ROOT / "docs"


async def main() -> None:
    """Every picture."""
    DOCS.mkdir(exist_ok=True)
    async with own_server() as url:
        await table(url, "dragonwood", (132, 30), 24, DOCS / "terminal-dragonwood.svg")
        await table(url, "islet", (80, 24), 9, DOCS / "terminal-islet.svg")
        await table(url, "bretagne", (150, 54), 12, DOCS / "terminal-bretagne.svg")
        await lobby(url, DOCS / "terminal-lobby.svg")


async def table(url: str, game: str, size: tuple[int, int], moves: int, path: Path) -> None:
    """A game of three after some of the person's actions, played well, and some talk."""
    made = await Lobby(url).create(game, 3, name="Ana", options={"clock": {"bank": 600_000, "per_turn": 30_000}})
    room, token = made["room"], made["token"]
    bots, app = LocalBots(url, pause=0.0), terminal(url, room, token)
    async with Connection(url) as desk, app.run_test(size=size) as pilot:
        await bots.fill(room, ["greedy"], lambda _room, _token, _policy: None)
        ana = await desk.join(room, token, legal=True)
        await play_well(ana, game, moves)
        await ana.chat("Sorry, I was away for a moment.")
        await until(pilot, lambda: "YOUR TURN" in said(pilot, "SeatsBar") and actions_shown(pilot))
        await take(pilot, path)
    bots.close()


async def play_well(ana: Room, game: str, moves: int) -> None:
    """Play this many actions, and on until there is much to choose from."""
    choose, random = policy("greedy", game), Random(1)
    async for message in ana:
        if not isinstance(message, Turn) or not ana.deciding:
            continue
        if moves <= 0 and len(message.actions) > 8:
            return
        moves -= 1
        try:
            await ana.act(choose(ana.state, message.actions, random), seq=message.seq)
        except Refused:
            continue


async def lobby(url: str, path: Path) -> None:
    """The lobby with some rooms in it."""
    for game, seats, names in (("burano", 4, ["Ben", "Cleo"]), ("islet", 3, ["Dora"]), ("bretagne", 2, ["Emil"])):
        made = await Lobby(url).create(game, seats, name=names[0])
        for name in names[1:]:
            await Lobby(url).take_seat(made["room"], name=name)
    await play_game(Plan(url, "dragonwood", 4, ["greedy", "random"]))
    async with terminal(url).run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "rooms (all)" in said(pilot, "#title"))
        await take(pilot, path)


async def take(pilot: Pilot[None], path: Path) -> None:
    """Write the screen as it is."""
    await pilot.pause(0.5)
    assert isinstance(pilot.app, Terminal)
    await asyncio.to_thread(path.write_text, tidy(pilot.app.export_screenshot().splitlines()))


def tidy(lines: Sequence[str]) -> str:
    """The picture without spaces at the ends of its lines."""
    return "\n".join(line.rstrip() for line in lines) + "\n"


if __name__ == "__main__":
    asyncio.run(main())
