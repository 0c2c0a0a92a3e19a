"""Bots of this program: they play over the wire like anybody, from a thread of their own.

A thread, because a policy may think for longer than a screen may stand still.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import redirect_stderr
from multiprocessing import resource_tracker
from random import Random
from typing import Any

from clients.bots.policies import policy
from clients.bots.runner import Plan, Seat, play_seat
from clients.bots.search import Search
from clients.errors import Refused
from clients.lobby import Lobby

PAUSE = 0.6
"""Seconds that a bot waits before a decision, for the sake of whoever watches."""


class LocalBots:
    """Bots for rooms of one server. `failed` is called, in their thread, with what a bot could not go on for."""

    def __init__(self, url: str, pause: float = PAUSE, failed: Callable[[str], None] = lambda _reason: None) -> None:
        self._url = url
        self._pause = pause
        self._failed = failed
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._playing: dict[str, Future[Any]] = {}

    async def fill(self, room: str, policies: Sequence[str], kept: Callable[[str, str, str], None]) -> int:
        """Take free seats, a policy each (the last one for the rest), and play them; how many were taken.

        `kept` hears of each seat: room, token, policy.

        Raises:
            UnknownPolicy: a policy does not play this game; no seat is taken then.
        """
        lobby = Lobby(self._url)
        part = (await lobby.look(room))["room"]
        game, free = str(part["game"]), [seat for seat, held in enumerate(part["seats"]) if held is None]
        chosen = [policies[min(place, len(policies) - 1)] for place in range(len(free))]
        for name in chosen:
            policy(name, game)
        taken = 0
        for seat, name in zip(free, chosen, strict=True):
            try:
                token = str((await lobby.take_seat(room, kind="bot", name=f"{name}-{seat + 1}", seat=seat))["token"])
            except Refused as refusal:
                if refusal.code in ("room_full", "seat_taken"):  # somebody else was faster
                    continue
                raise
            kept(room, token, name)
            self.play(game, Seat(room, token, name))
            taken += 1
        return taken

    def play(self, game: str, seat: Seat) -> None:
        """Play a seat to the end, in the background; once, however often it is asked for."""
        if seat.token in self._playing:
            return
        if isinstance(policy(seat.policy, game), Search):
            _make_ready_to_think()
        plan = Plan(self._url, game, 0, [seat.policy], pause=self._pause)
        playing = asyncio.run_coroutine_threadsafe(play_seat(plan, seat, Random()), self._running())  # noqa: S311 - play
        self._playing[seat.token] = playing
        playing.add_done_callback(self._ended)

    def close(self) -> None:
        """Leave the tables."""
        if self._loop is None or self._thread is None:
            return
        for playing in self._playing.values():
            playing.cancel()
        asyncio.run_coroutine_threadsafe(_settled(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._loop = self._thread = None

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="bots", daemon=True)
            self._thread.start()
        return self._loop

    def _ended(self, playing: Future[Any]) -> None:
        try:
            playing.result()
        except CancelledError:
            return
        except Exception as error:  # whatever stopped a bot is told to the person
            self._failed(f"A bot left the table: {error}")


def _make_ready_to_think() -> None:
    """Start what watches over worker processes: it hands its standard error on, and Textual's stand-in has no file."""
    with redirect_stderr(sys.__stderr__):
        resource_tracker.ensure_running()


async def _settled() -> None:
    """Wait for what was cancelled to end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    await asyncio.gather(*others, return_exceptions=True)
