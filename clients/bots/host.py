"""`python -m clients.bots.host`: a host of bots, which takes the seats that rooms offer and plays them.

A client like any other. It proves itself with the deployment's key (`PHAROS_BOT_KEY`) when it takes a seat. Rules that
hold here:

1. The token of a seat is derived from that key, the room and the seat: a host that was restarted, or another one with
   the same key, finds its seats again.
2. Many games share one connection, and none of them harms another: whatever a game raises ends that game here alone.
3. A seat that is not played to its end is left, so that the server offers it again. A policy that has failed twice at
   a seat is not asked a third time: the plainest one plays on.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random

import msgspec
import structlog

from clients.bots import offers
from clients.bots.offers import Waiting, seat_token
from clients.bots.policies import Choose
from clients.bots.runner import play
from clients.bots.thinking import THINKERS
from clients.connection import Connection, Room
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby, url_argument
from protocol.codec import CODECS

log = structlog.get_logger("pharos.bots")

ROOMS_EACH = 32
"""Rooms on one connection: fewer than it may hold, since all of them share its credits."""
POLL = 5
"""Seconds that a request for waiting seats may stay open."""
PAUSE = 1.0
"""Seconds before the server is asked again when it could not be reached, or gave nothing new."""
TAKEN_AT_ONCE = 8
"""Seats that are being taken at once: each of these calls has a thread."""
LEAVE_WITHIN = 5.0
"""Seconds that leaving a room may take; a connection that is cut leaves all its rooms."""
ATTEMPTS = 2
"""How often a policy may fail at a seat."""
NOT_THIS_NAME = frozenset({"name_taken", "bad_message"})


class Host:
    """Takes seats and plays them until it is cancelled."""

    def __init__(self, url: str, key: str, codec: str) -> None:
        self._url = url
        self._lobby = Lobby(url, hasty=True)
        self._taking = asyncio.Semaphore(TAKEN_AT_ONCE)
        self._codec = CODECS[codec]
        self._key = key
        self._connections: list[Connection] = []
        self._opening = asyncio.Lock()
        self._reached = False
        self._told: set[str] = set()
        self._games: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._failures: Counter[tuple[str, int]] = Counter()

    async def run(self) -> None:
        """Serve waiting seats for ever."""
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
            await asyncio.gather(*(connection.close() for connection in self._connections))

    async def _take_waiting(self) -> bool:
        """Ask for seats once, and start on those that are new; whether there were any."""
        try:
            found = msgspec.convert(await self._lobby.waiting_seats(self._key, POLL), list[Waiting])
        except (Refused, Unreachable) as error:
            self._without(error)
            return False
        except (LookupError, msgspec.ValidationError):
            self._without(Unreachable("what answers there is no server of this kind"))
            return False
        self._reached = True
        self._told.clear()
        new = [seat for seat in found if (seat.room, seat.seat) not in self._games]
        for seat in new:
            self._games[seat.room, seat.seat] = asyncio.create_task(self._serve(seat))
        return bool(new)

    def _without(self, error: Refused | Unreachable) -> None:
        """Say why there are no seats, each reason once: a server that is not there yet may come up any moment."""
        reason = error.code if isinstance(error, Refused) else "unreachable"
        if reason in self._told:
            return
        self._told.add(reason)
        if isinstance(error, Unreachable) and not self._reached:
            log.info("waiting for the server", url=self._url, reason=str(error))
        else:
            log.warning("no seats to be had", url=self._url, reason=str(error))

    async def _serve(self, waiting: Waiting) -> None:
        """Play a seat, and let nothing out that goes wrong there."""
        place = (waiting.room, waiting.seat)
        bound = log.bind(room=waiting.room, seat=waiting.seat, policy=waiting.policy)
        try:
            await self._play(waiting, bound)
            del self._failures[place]
        except (Refused, Unreachable) as error:
            bound.warning("seat given up", reason=str(error))
            await asyncio.sleep(PAUSE)  # it may be offered again at once
        except Exception:
            bound.exception("a game raised")
            await asyncio.sleep(PAUSE)
        finally:
            del self._games[place]

    async def _play(self, waiting: Waiting, bound: structlog.typing.FilteringBoundLogger) -> None:
        await self._take(waiting)
        connection = await self._connection(waiting.room)
        room = await connection.join(waiting.room, seat_token(self._key, waiting.room, waiting.seat), legal=True)
        name, choose = self._policy(waiting)
        bound.info("playing", played_by=name)
        try:
            await play(room, choose, Random())  # noqa: S311 - play, not secrets
        except Exception as error:
            if room.ended is None and not isinstance(error, Unreachable):
                self._failures[waiting.room, waiting.seat] += 1
            await _leave(connection, room)
            raise
        bound.info("played")
        await _leave(connection, room)

    async def _take(self, waiting: Waiting) -> None:
        """Take the seat, by the first name that is allowed and nobody else has.

        Raises:
            Refused: it is not to be had. Unreachable.
        """
        for name in offers.names(waiting):
            wish = _wish(waiting, self._key, name)
            try:
                async with self._taking:
                    await self._lobby.take_seat(waiting.room, bearer=self._key, **wish)
            except Refused as refusal:
                if name is None or refusal.code not in NOT_THIS_NAME:
                    del self._failures[waiting.room, waiting.seat]
                    raise
            else:
                return

    def _policy(self, waiting: Waiting) -> tuple[str, Choose]:
        """Who plays the seat; says so if that is not who was asked for."""
        failed = self._failures[waiting.room, waiting.seat] >= ATTEMPTS
        name, choose = offers.plain(waiting) if failed else offers.chosen(waiting)
        if name != waiting.policy:
            why = "it failed" if failed else "there is none of this name"
            log.warning("another policy plays", asked_for=waiting.policy, game=waiting.game, plays=name, why=why)
        return name, choose

    async def _connection(self, room: str) -> Connection:
        """A connection with a place for the room; one connection holds a room only once, for one seat."""
        async with self._opening:
            self._connections = [connection for connection in self._connections if not connection.closed]
            for connection in self._connections:
                if room not in connection.rooms and len(connection.rooms) < ROOMS_EACH:
                    return connection
            opened = await Connection(self._url, codec=self._codec).open()
            self._connections.append(opened)
            return opened


async def _leave(connection: Connection, room: Room) -> None:
    """Let go of the room, also at the server, which offers no seat that somebody is attached to."""
    with suppress(Refused, Unreachable, TimeoutError):
        if connection.connected and connection.knows(room):
            async with asyncio.timeout(LEAVE_WITHIN):
                await room.leave()
    connection.forget(room)


def _wish(waiting: Waiting, key: str, name: str | None) -> Mapping[str, str | int]:
    named = {} if name is None else {"name": name}
    return {**named, "seat": waiting.seat, "kind": "bot", "token": seat_token(key, waiting.room, waiting.seat)}


def local_url(environment: Mapping[str, str]) -> str:
    """Where a server listens that was started with the same settings on this machine."""
    host = environment.get("PHAROS_HOST") or "127.0.0.1"
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - to connect to, not to listen on
    return f"http://{f'[{here}]' if ':' in here else here}:{environment.get('PHAROS_PORT') or 8000}"


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients.bots.host", description="Host bots for a Pharos server.")
    at = "the server (%(default)s, by PHAROS_HOST and PHAROS_PORT)"
    parser.add_argument("--url", type=url_argument, default=local_url(os.environ), help=at)
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
