"""Seats policies at rooms and plays the games out, as clients like any other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from clients.bots.clock import time_to_think
from clients.bots.policies import Choose, policy
from clients.bots.search import Search
from clients.bots.thinking import THINKERS
from clients.connection import Connection, Room
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby
from protocol.codec import CODECS
from protocol.messages import Patch, Snapshot, Turn

OVERTAKEN = frozenset({"stale", "not_your_turn"})
"""Somebody else was faster: the server, another connection of the seat. Not a mistake of the bot."""


class Plan(msgspec.Struct, frozen=True):
    """What to play: which game, at how many seats, by which policies (seat by seat, the last one for the rest)."""

    url: str
    game: str
    seats: int
    policies: Sequence[str]
    options: Mapping[str, Any] = {}
    codec: str = "json"
    seed: int | None = None
    pause: float = 0.0
    """Seconds that a bot waits before a decision, where people watch."""

    def policy(self, seat: int) -> str:
        """The name of the seat's policy."""
        return self.policies[min(seat, len(self.policies) - 1)]


class Seat(msgspec.Struct, frozen=True):
    """A seat that a bot holds."""

    room: str
    token: str
    policy: str


class Played(msgspec.Struct, frozen=True):
    """A game that was played: the room, and its last state as the first bot saw it."""

    room: str
    state: Mapping[str, Any]


async def play_game(plan: Plan, number: int = 0) -> Played:
    """Create a room, take all its seats, and play to the end.

    Raises:
        Refused, Unreachable: the server does not let us.
    """
    lobby = Lobby(plan.url)
    made = await lobby.create(plan.game, plan.seats, kind="bot", name=f"{plan.policy(0)}-1", options=dict(plan.options))
    seats = [Seat(made["room"], made["token"], plan.policy(0))]
    for place in range(1, plan.seats):
        name = f"{plan.policy(place)}-{place + 1}"
        taken = await lobby.take_seat(made["room"], kind="bot", name=name)
        seats.append(Seat(made["room"], taken["token"], plan.policy(place)))
    states = await asyncio.gather(*(play_seat(plan, seat, _random(plan, number, n)) for n, seat in enumerate(seats)))
    return Played(made["room"], states[0])


async def join_room(plan: Plan, room: str) -> Played:
    """Take every free seat of a room that is there already, and play it to the end.

    Raises:
        Refused: no seat is free, or there is no such room.
    """
    lobby = Lobby(plan.url)
    seats: list[Seat] = []
    for number in itertools.count(1):
        name = f"{plan.policy(len(seats))}-{number}"
        try:
            taken = await lobby.take_seat(room, kind="bot", name=name)
        except Refused as refusal:
            if refusal.code == "name_taken":
                continue
            if refusal.code == "room_full" and seats:
                break
            raise
        seats.append(Seat(room, taken["token"], plan.policy(len(seats))))
    states = await asyncio.gather(*(play_seat(plan, seat, _random(plan, 0, n)) for n, seat in enumerate(seats)))
    return Played(room, states[0])


def _random(plan: Plan, game: int, seat: int) -> Random:
    return Random() if plan.seed is None else Random(f"{plan.seed}:{game}:{seat}")  # noqa: S311 - play, not secrets


async def play_seat(plan: Plan, seat: Seat, random: Random) -> Mapping[str, Any]:
    """Play one seat on a connection of its own until the game is over; the last state."""
    async with Connection(plan.url, codec=CODECS[plan.codec]) as connection:
        room = await connection.join(seat.room, seat.token, legal=True)
        await play(room, policy(seat.policy, plan.game), random, plan.pause)
        return room.state


async def play(room: Room, choose: Choose, random: Random, pause: float = 0.0) -> None:
    """Decide whenever the room asks, until the game is over or the seat is lost.

    Raises:
        Refused: the server refuses what it listed as legal, or the seat was given up.
        Unreachable: the connection was closed before the end.
    """
    async for message in room:
        if isinstance(message, Turn) and room.deciding:
            await _return(room)
            if pause:
                await asyncio.sleep(pause)
            searches = isinstance(choose, Search) and len(message.actions) > 1
            until = await time_to_think(room) if searches else None
            if room.actions is message.actions:
                action = await THINKERS.decide(choose, room.state, message.actions, random, until=until)
                await _decide(room, action, message)
        elif isinstance(message, Patch | Snapshot) and room.over:
            return
    room.check_attached()
    if not room.over:
        raise Unreachable("the connection was closed")


async def _return(room: Room) -> None:
    """Take the seat back into one's own hands where the server plays it."""
    if room.state["room"]["seats"][room.seat]["served"]:
        try:
            await room.back()
        except Refused:
            if not room.over:
                raise


async def _decide(room: Room, action: Mapping[str, Any], turn: Turn) -> None:
    try:
        await room.act(action, seq=turn.seq)
    except Refused as refusal:
        # With another `turn` meanwhile, the store may have lost the entries that this one stood on.
        if refusal.code not in OVERTAKEN and not room.over and room.actions is turn.actions:
            raise
