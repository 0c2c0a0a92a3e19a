"""The commands of `python -m server` besides serving. Exit codes: 0 all well, 1 something found, 2 it can't be done."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from protocol.messages import RoomId
from server import logs
from server.app import CAN_NOT_START, open_store
from server.rooms.room import Keep
from server.settings import Settings, SettingsError, read_settings
from server.store.store import Store, StoreUnavailable
from server.support.inspecting import inspect
from server.support.printing import room_text, summary_text, verdict_text
from server.support.verifying import Verdict, verified

FOUND = 1
"""The exit code when there is no such room, or a journal is not as it should be."""

Command = Callable[[Store, Settings, argparse.Namespace], Awaitable[int]]


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Do what the arguments ask for; the answer is the exit code."""
    asked = _parser().parse_args(arguments)
    command: Command = asked.command
    try:
        settings = read_settings(environment)
        logs.configure(settings.log, "error")
        store = _existing(settings)
        return asyncio.run(_on_store(store, settings, asked, command))
    except (SettingsError, StoreUnavailable, ValueError) as error:
        print(f"pharos: {error}", file=sys.stderr)
        return CAN_NOT_START
    except BrokenPipeError:
        # Whoever read has read enough; what is still buffered must not be written at the exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m server",
        description="Without a command: serve until a signal. The store is the one that PHAROS_STORE names.",
    )
    commands = parser.add_subparsers(required=True)
    look = commands.add_parser("inspect", help="print a room's journal and state")
    look.add_argument("room", type=str.upper)
    look.add_argument("--secrets", action="store_true", help="also the seed, hands, hashes of tokens, hidden actions")
    look.add_argument("--json", action="store_true", help="one JSON document")
    look.set_defaults(command=_inspect)
    prove = commands.add_parser("verify", help="play journals again by this version's rules and compare digests")
    which = prove.add_mutually_exclusive_group(required=True)
    which.add_argument("room", nargs="?", type=str.upper)
    which.add_argument("--all", action="store_true", help="every room that is not set aside")
    prove.add_argument("--quiet", action="store_true", help="name only rooms that are not good")
    prove.set_defaults(command=_verify)
    return parser


def _existing(settings: Settings) -> Store:
    """The store that the settings name, which these commands must not create.

    Raises:
        SettingsError: there is nothing there.
    """
    scheme, _, rest = settings.store.partition(":///")
    if scheme == "sqlite" and not Path(rest).is_file():
        raise SettingsError(f"PHAROS_STORE: there is no file {Path(rest).absolute()}")
    return open_store(settings)


async def _on_store(store: Store, settings: Settings, asked: argparse.Namespace, command: Command) -> int:
    await store.open()
    try:
        return await command(store, settings, asked)
    finally:
        await store.close()


async def _inspect(store: Store, settings: Settings, asked: argparse.Namespace) -> int:
    found = await inspect(store, RoomId(asked.room), settings.pace, secrets=asked.secrets)
    if found is None:
        print(f"pharos: {asked.room}: there is no such room", file=sys.stderr)
        return FOUND
    if asked.json:
        print(msgspec.json.format(msgspec.json.encode(found), indent=2).decode())
    else:
        print(room_text(found))
    return 0


async def _verify(store: Store, settings: Settings, asked: argparse.Namespace) -> int:
    keep = Keep(settings.pace.timeouts_to_serve, settings.pace.undo_limit)
    rooms = sorted(await store.ids()) if asked.all else [RoomId(asked.room)]
    counts = dict.fromkeys(Verdict, 0)
    async for room in verified(store, rooms, keep):
        if asked.all and room.verdict is Verdict.MISSING:
            continue  # its time came while the others were looked at
        counts[room.verdict] += 1
        if room.verdict is not Verdict.GOOD or not asked.quiet:
            print(verdict_text(room), flush=True)
    print(summary_text(counts))
    return 0 if counts[Verdict.GOOD] == sum(counts.values()) else FOUND
