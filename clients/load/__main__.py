"""`python -m clients.load`: put load on a server, make difficulties, and see whether every client's state stays right.

python -m clients.load --rooms 20 --think 0.2 --duration 60                   a server of its own
python -m clients.load --kill-every 15 --drops 30 --slow 5 --png latency.png  and everything that can go wrong
python -m clients.load --url https://pharos.example --rooms 10                yours

The exit code is 0 if every state compared was the server's, and nothing was refused or lost that should not be.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live

from clients.errors import Refused, Unreachable, in_words
from clients.load import report, trouble
from clients.load.host import Host
from clients.load.ledger import Ledger
from clients.load.party import CODECS, Party, Wish
from clients.lobby import url_argument

CHECKED = 20
"""Every client of one room in so many compares its states with the server's."""

REFRESH = 0.5


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients.load", description="Put load on a Pharos server.")
    own = "the server (default: one of its own, on SQLite, for as long as it takes)"
    parser.add_argument("--url", type=url_argument, help=own)
    parser.add_argument("--store", help="where its own server keeps rooms, as PHAROS_STORE")
    parser.add_argument("--game", default="dragonwood", help="(%(default)s)")
    parser.add_argument("--rooms", type=int, default=20, help="rooms at once (%(default)s)")
    parser.add_argument("--seats", type=int, default=4, help="of each room (%(default)s)")
    parser.add_argument("--spectators", type=int, default=1, help="of each room (%(default)s)")
    parser.add_argument("--think", type=float, default=0.5, metavar="S", help="seconds in the mean (%(default)s)")
    parser.add_argument("--codec", choices=tuple(CODECS), default="both", help="(%(default)s)")
    parser.add_argument("--drops", type=float, default=0.0, metavar="N", help="connections cut a minute")
    parser.add_argument("--slow", type=int, default=0, metavar="N", help="spectators that stop reading for a while")
    parser.add_argument("--kill-every", type=float, default=0.0, metavar="S", help="kill -9 its own server")
    parser.add_argument("--kill", type=int, metavar="PID", help="kill -9 this process at half-time")
    parser.add_argument("--duration", type=float, default=30.0, metavar="S", help="(%(default)s)")
    parser.add_argument(
        "--check-all", action="store_true", help=f"compare states in every room, not in one of {CHECKED}"
    )
    parser.add_argument("--png", type=Path, metavar="FILE", help="draw latency over time")
    asked = parser.parse_args(argv)
    if asked.url and (asked.kill_every or asked.store):
        parser.error("--kill-every and --store are about a server of the tool's own, without --url")
    if asked.slow > asked.rooms * asked.spectators:
        parser.error("--slow: there are not so many spectators")
    return asked


@asynccontextmanager
async def _server(asked: argparse.Namespace) -> AsyncIterator[Host | None]:
    if asked.url:
        yield None
        return
    async with Host({"PHAROS_STORE": asked.store} if asked.store else {}) as host:
        yield host


def _troubles(
    asked: argparse.Namespace, parties: Sequence[Party], host: Host | None, ledger: Ledger
) -> list[Coroutine[None, None, None]]:
    """Everything that is to be done to clients and server."""
    found: list[Coroutine[None, None, None]] = []
    if asked.drops:
        found.append(trouble.cut(parties, asked.drops, ledger))
    found += [trouble.dawdle(connection) for party in parties for connection in party.slow_readers]
    if asked.kill_every and host is not None:
        found.append(trouble.kill_host(host, asked.kill_every, ledger))
    if asked.kill is not None:
        found.append(trouble.kill_process(asked.kill, asked.duration / 2, ledger))
    return found


async def _play(asked: argparse.Namespace, host: Host | None, console: Console) -> int:
    ledger = Ledger()
    url = asked.url or (host.url if host is not None else "")
    wish = Wish(url, asked.game, asked.seats, asked.spectators, asked.think, asked.codec)
    parties = [
        Party(wish, ledger, checked=asked.check_all or not n % CHECKED, slow=len(range(n, asked.slow, asked.rooms)))
        for n in range(asked.rooms)
    ]
    playing = [asyncio.create_task(party.run()) for party in parties]
    try:
        await _last(asked, parties, playing, host=host, ledger=ledger, console=console)
    finally:
        for task in playing:
            task.cancel()
        results = await asyncio.gather(*playing, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            ledger.failures[f"a party that ended: {result}"] += 1
    report.show(console, ledger, ledger.elapsed, _reconnects(parties))
    if asked.png:
        report.picture(ledger, asked.png)
        console.print(f"latency over time: {asked.png}")
    return 0 if ledger.sound else 1


async def _last(
    asked: argparse.Namespace,
    parties: Sequence[Party],
    playing: Sequence[asyncio.Task[None]],
    *,
    host: Host | None,
    ledger: Ledger,
    console: Console,
) -> None:
    """For the time asked for: show how it goes, and make trouble; then let everybody come to rest."""
    expected = asked.rooms * (asked.seats + asked.spectators)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        waiting: list[asyncio.Future[Any]] = [asyncio.gather(*(party.seated.wait() for party in parties)), *playing]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        troubles = [asyncio.create_task(each) for each in _troubles(asked, parties, host, ledger)]
        while ledger.elapsed < asked.duration:
            await asyncio.sleep(REFRESH)
            live.update(report.progress(ledger, expected, _reconnects(parties)), refresh=True)
        if host is not None and troubles:
            await host.steady()
        for task in troubles:
            task.cancel()
        for outcome in await asyncio.gather(*troubles, return_exceptions=True):
            if isinstance(outcome, Exception):
                ledger.failures[f"trouble that failed: {outcome}"] += 1
    for party in parties:
        party.finish()
    await asyncio.wait(playing, timeout=2 * asked.think + 60)


def _reconnects(parties: Sequence[Party]) -> int:
    return sum(connection.reconnects for party in parties for connection in party.connections)


async def run(asked: argparse.Namespace, console: Console) -> int:
    """Play, and report; the exit code."""
    async with _server(asked) as host:
        return await _play(asked, host, console)


def main() -> int:
    """The command."""
    asked = arguments()
    try:
        if asked.png:
            report.check_pictures()
        return asyncio.run(run(asked, Console()))
    except (Refused, Unreachable, report.NoPictures) as error:
        print(f"pharos load: {in_words(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
