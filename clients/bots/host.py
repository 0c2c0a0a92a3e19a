"""`python -m clients.bots.host`: a host of bots, which takes the seats that rooms offer and plays them.

A client like any other. It proves itself with the deployment's key (`PHAROS_BOT_KEY`) when it takes a seat. The token
of a seat is derived from that key, the room and the seat: a host that was restarted, or another one with the same
key, finds its seats again. Many games share one connection.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import hashlib
import hmac
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from random import Random
from typing import Any

import msgspec
import structlog

from clients.bots.policies import Choose, UnknownPolicy, policies, policy
from clients.bots.runner import play
from clients.bots.thinking import THINKERS
from clients.connection import Connection
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby
from protocol.codec import CODECS

log = structlog.get_logger("pharos.bots")

ROOMS_EACH = 32
"""Rooms on one connection: fewer than it may hold, since all of them share its credits."""
POLL = 5
"""Seconds that a request for waiting seats may stay open, and so how long a host takes to go that is told to."""
PAUSE = 1.0
"""Seconds before the server is asked again when it could not be reached, or gave nothing new."""


class Waiting(msgspec.Struct, frozen=True):
    """A seat that waits for a bot host, as the server tells it."""

    room: str
    seat: int
    game: str
    policy: str


def seat_token(key: str, room: str, seat: int) -> str:
    """The token of a host's seat: 128 bits of HMAC-SHA-256 over room and seat, in base64url."""
    digest = hmac.digest(key.encode(), f"{room}/{seat}".encode(), hashlib.sha256)
    return base64.urlsafe_b64encode(digest[:16]).rstrip(b"=").decode()


class Host:
    """Takes seats and plays them until it is cancelled."""

    def __init__(self, url: str, key: str, codec: str) -> None:
        self._url = url
        self._lobby = Lobby(url)
        self._codec = CODECS[codec]
        self._key = key
        self._connections: list[Connection] = []
        self._open = AsyncExitStack()
        self._reached: bool | None = None
        self._games: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def run(self) -> None:
        """Serve waiting seats for ever."""
        async with self._open:
            log.info("waiting for seats", url=self._url)
            try:
                while True:
                    if not await self._take_waiting():
                        await asyncio.sleep(PAUSE)
            finally:
                games = list(self._games.values())
                for game in games:
                    game.cancel()
                await asyncio.gather(*games, return_exceptions=True)

    async def _take_waiting(self) -> bool:
        """Ask for seats once, and start on those that are new; whether there were any."""
        try:
            found = msgspec.convert(await self._lobby.waiting_seats(self._key, POLL), list[Waiting])
        except (Refused, Unreachable) as error:
            self._without(error)
            return False
        self._reached = True
        new = [seat for seat in found if (seat.room, seat.seat) not in self._games]
        for seat in new:
            self._games[seat.room, seat.seat] = asyncio.create_task(self._play(seat))
        return bool(new)

    def _without(self, error: Exception) -> None:
        """Say once that the server is not there: at the start it may come up any moment."""
        if self._reached is None:
            log.info("waiting for the server", url=self._url)
        elif self._reached:
            log.warning("no seats to be had", reason=str(error))
        self._reached = False

    async def _play(self, waiting: Waiting) -> None:
        bound = log.bind(room=waiting.room, seat=waiting.seat, policy=waiting.policy)
        try:
            await self._lobby.take_seat(waiting.room, bearer=self._key, **_wish(waiting, self._key))
            connection = await self._connection(waiting.room)
            room = await connection.join(waiting.room, seat_token(self._key, waiting.room, waiting.seat), legal=True)
            bound.info("playing")
            await play(room, chosen(waiting), Random())  # noqa: S311 - play, not secrets
            bound.info("played")
            await room.leave()
        except (Refused, Unreachable) as error:
            bound.warning("seat given up", reason=str(error))
            await asyncio.sleep(PAUSE)  # it may be offered again at once
        except Exception:
            bound.exception("a game raised")
        finally:
            del self._games[waiting.room, waiting.seat]

    async def _connection(self, room: str) -> Connection:
        """A connection with a place for the room; one connection holds a room only once, for one seat."""
        for connection in self._connections:
            if room not in connection.rooms and len(connection.rooms) < ROOMS_EACH:
                return connection
        opened = await self._open.enter_async_context(Connection(self._url, codec=self._codec))
        self._connections.append(opened)
        return opened


def _wish(waiting: Waiting, key: str) -> Mapping[str, Any]:
    name = f"{waiting.policy}-{waiting.seat + 1}"[:24]
    return {"seat": waiting.seat, "kind": "bot", "name": name, "token": seat_token(key, waiting.room, waiting.seat)}


def chosen(waiting: Waiting) -> Choose:
    """The policy that was asked for; one that this host does not have is played by its best instead."""
    try:
        return policy(waiting.policy, waiting.game)
    except UnknownPolicy:
        return policy(policies(waiting.game)[-1], waiting.game)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients.bots.host", description="Host bots for a Pharos server.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the server (%(default)s)")
    parser.add_argument("--codec", choices=("json", "msgpack"), default="msgpack")
    return parser.parse_args(argv)


async def host(asked: argparse.Namespace, key: str) -> None:
    """Serve until SIGTERM or SIGINT."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    serving = asyncio.create_task(Host(asked.url, key, asked.codec).run())
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait([serving, stopping], return_when=asyncio.FIRST_COMPLETED)
    log.info("leaving the seats to the next host")
    for task in (serving, stopping):
        task.cancel()
    results = await asyncio.gather(serving, stopping, return_exceptions=True)
    THINKERS.stop()
    for result in results:
        if isinstance(result, Exception):
            raise result


def main() -> int:
    """The command."""
    asked = arguments()
    key = os.environ.get("PHAROS_BOT_KEY", "")
    if not key:
        print("pharos bots: PHAROS_BOT_KEY is not set: the server and its bot hosts share it", file=sys.stderr)
        return 2
    asyncio.run(host(asked, key))
    return 0


if __name__ == "__main__":
    sys.exit(main())
