"""`python -m clients.terminal`: rooms of a Pharos server at a terminal.

python -m clients.terminal                                        the lobby
python -m clients.terminal play dragonwood --against greedy,greedy
python -m clients.terminal join K7QF2M
python -m clients.terminal watch K7QF2M
python -m clients.terminal replay K7QF2M                          a finished game, from the server or from a file
python -m clients.terminal demo                                   four bots, a server of their own, and you watch
"""

from __future__ import annotations

import argparse
import asyncio
import getpass
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

from textual.screen import Screen

from clients.bots.policies import UnknownPolicy, policy
from clients.bots.thinking import THINKERS
from clients.errors import NoServer, Refused, Unreachable, in_words
from clients.lobby import Lobby, http_url, url_argument
from clients.terminal.app import Terminal
from clients.terminal.demo import WATCHED_PAUSE, demo
from clients.terminal.kept import Kept, default_path
from clients.terminal.local_bots import PAUSE
from clients.terminal.local_server import own_server
from clients.terminal.printing import print_replay
from clients.terminal.replaying import BadReplay, Replay
from clients.terminal.screens.lobby import LobbyScreen
from clients.terminal.screens.replay import ReplayScreen
from clients.terminal.screens.table import TableScreen

HUNG_UP = 10
"""Seconds in which the program ends after its terminal is gone."""
URL = "http://127.0.0.1:8000"


class NoTerminal(Exception):  # noqa: N818 - reads as the statement it makes
    """There is no terminal, and what was asked for needs one."""


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    shared = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared.add_argument("--url", type=url_argument, help=f"the server ({URL})")
    shared.add_argument("--name", help="your name at the table (your login)")
    parser = argparse.ArgumentParser(
        prog="python -m clients.terminal", description="Rooms of a Pharos server at a terminal.", parents=[shared]
    )
    commands = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND")
    play = commands.add_parser("play", parents=[shared], help="open a room with bots and play at once")
    play.add_argument("game", nargs="?", default="dragonwood")
    play.add_argument("--against", default="greedy", metavar="POLICIES", help="a bot each: greedy,greedy (%(default)s)")
    play.add_argument("--options", type=json.loads, default={}, metavar="JSON", help="options of the room")
    play.add_argument("--pause", type=float, default=PAUSE, help="seconds a bot takes for a decision (%(default)s)")
    play.add_argument("--serve", action="store_true", help="start a server for this game, and stop it afterwards")
    join = commands.add_parser("join", parents=[shared], help="take a seat, or go back to yours")
    join.add_argument("room")
    join.add_argument("--token", help="the token of your seat")
    join.add_argument("--invite", help="an invite to a seat that was given up")
    watch = commands.add_parser("watch", parents=[shared], help="watch a room")
    watch.add_argument("room")
    replay = commands.add_parser("replay", parents=[shared], help="step through a finished game")
    replay.add_argument("source", metavar="FILE|ROOM")
    show = commands.add_parser("demo", help="watch four bots; nothing needs to run")
    show.add_argument("game", nargs="?", default="dragonwood")
    show.add_argument("--policies", default="greedy", help="several with commas, a seat each (%(default)s)")
    show.add_argument("--pause", type=float, default=WATCHED_PAUSE, help="seconds of a decision (%(default)s)")
    asked = parser.parse_args(argv)
    asked.url = getattr(asked, "url", URL)
    asked.name = getattr(asked, "name", None) or login()
    return asked


def login() -> str:
    """The user's name, as far as the system knows it."""
    with suppress(OSError, KeyError):
        return getpass.getuser()[:24].capitalize()
    return "Guest"


def on_screen() -> bool:
    """Whether there is a terminal to draw on and to read keys from."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


async def run(asked: argparse.Namespace) -> int:
    """Do what was asked; the exit code."""
    if asked.command == "demo":
        return await demo(asked.game, known(asked.policies, asked.game), asked.pause if on_screen() else None)
    if asked.command == "replay" and not on_screen():
        print_replay(await load_replay(asked), print)
        return 0
    if not on_screen():
        raise NoTerminal("this needs a terminal; `replay` and `demo` also print")
    async with AsyncExitStack() as stack:
        if asked.command == "play":
            known(asked.against, asked.game)
        if asked.command == "play" and asked.serve:
            asked.url = await stack.enter_async_context(own_server())
        kept = Kept(http_url(asked.url), None if getattr(asked, "serve", False) else default_path())
        first = await first_screen(asked, kept)
        app = Terminal(asked.url, asked.name, kept, first=first, pause=getattr(asked, "pause", PAUSE))
        await app.run_async()
        if app.failure is not None:
            raise Unreachable(app.failure)
    return 0


def known(names: str, game: str) -> list[str]:
    """The policies that were asked for, one a seat.

    Raises:
        UnknownPolicy: one of them does not play the game, or there is no such game.
    """
    policies = [name.strip() for name in names.split(",")]
    for name in policies:
        policy(name, game)
    return policies


async def first_screen(asked: argparse.Namespace, kept: Kept) -> Callable[[], Screen[Any]]:
    """What the program begins with."""
    lobby = Lobby(asked.url)
    match asked.command:
        case "play":
            against = known(asked.against, asked.game)
            made = await lobby.create(asked.game, len(against) + 1, name=asked.name, options=asked.options)
            kept.keep(made["room"], made["token"])
            return partial(TableScreen, made["room"], made["token"], bots=against)
        case "join":
            room = asked.room.upper()
            return partial(TableScreen, room, await way_in(lobby, room, asked, kept))
        case "watch":
            return partial(TableScreen, asked.room.upper(), None)
        case "replay":
            return partial(ReplayScreen, await load_replay(asked))
    return LobbyScreen


async def way_in(lobby: Lobby, room: str, asked: argparse.Namespace, kept: Kept) -> str:
    """The token of one's seat: the one that was given or kept, else a seat is taken."""
    token: str | None = asked.token or (None if asked.invite else kept.own(room))
    if token is None:
        fields = {"invite": asked.invite} if asked.invite else {}
        token = str((await lobby.take_seat(room, name=asked.name, **fields))["token"])
        kept.keep(room, token)
    return token


async def load_replay(asked: argparse.Namespace) -> Replay:
    """The replay of a file, or, where there is no such file, of a room of the server.

    Raises:
        BadReplay: it is none, or there is nobody to ask.
    """
    replay = await asyncio.to_thread(read_replay, Path(asked.source))
    if replay is not None:
        return replay
    try:
        return Replay(await Lobby(asked.url).replay(asked.source.upper()))
    except NoServer as error:
        raise BadReplay(f"there is no file {asked.source}, and {error}") from None
    except Refused as refusal:
        if refusal.code != "unknown_room":
            raise
        raise BadReplay(f"there is no file {asked.source}, and no such room at {asked.url}") from None


def read_replay(path: Path) -> Replay | None:
    """The replay in a file; None if there is no such file."""
    try:
        return Replay(json.loads(path.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise BadReplay(f"{path}: {error}") from error


def let_go_of_terminal() -> None:
    """The terminal is gone: write into nothing, for writing to it would fail, and end soon in any case."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    signal.alarm(HUNG_UP)


async def until_stopped(asked: argparse.Namespace) -> int:
    """`run`, which a signal cancels, so that what was started is ended."""
    running = asyncio.ensure_future(run(asked))
    signals: list[int] = []

    def stop(number: int) -> None:
        signals.append(number)
        if number == signal.SIGHUP:
            let_go_of_terminal()
        running.cancel()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop, number)
    code = 0
    try:
        code = await running
    except asyncio.CancelledError:
        if not signals:  # Ctrl-C is asyncio's to tell
            raise
    return 128 + signals[0] if signals else code


def main() -> int:
    """The command."""
    try:
        return asyncio.run(until_stopped(arguments()))
    except (Refused, Unreachable, UnknownPolicy, BadReplay, NoTerminal) as error:
        print(f"pharos: {in_words(error)}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # Whoever read has read enough; what is still buffered must not be written at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        THINKERS.stop()


if __name__ == "__main__":
    sys.exit(main())
