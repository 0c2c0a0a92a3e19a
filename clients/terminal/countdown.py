"""The clocks, counted down here between two entries (protocol section 6).

A decision first uses its time per turn, then the seat's bank; the state says when both will have run out. The server's
time is known from a ping: half of the way there and back is taken for the way.
"""

from __future__ import annotations

import time

from clients.connection import Connection
from clients.terminal.games import State
from protocol.messages import Ping


def local_ms() -> int:
    """This machine's time in ms."""
    return time.time_ns() // 1_000_000


async def server_ahead(connection: Connection) -> int:
    """By how many ms the server's time is ahead of this machine's."""
    asked = local_ms()
    ok = await connection.ask(lambda number: Ping(id=number))
    answered = local_ms()
    return ok.now - (asked + answered) // 2 if isinstance(ok.now, int) else 0


def time_left(state: State, seat: int, now: int) -> str:
    """What the seat has left at the server's time `now`: `turn+bank` where it decides, else its bank; "" unclocked."""
    clock = state["turn"]["clock"] if state["turn"] else None
    if clock is None:
        return ""
    bank = int(clock["banks"][seat])
    deciding = state["turn"]["seats"]
    if seat not in deciding:
        return _minutes(bank)
    left = max(0, clock["deadlines"][deciding.index(seat)] - now)
    turn, bank = max(0, left - bank), min(left, bank)
    return f"{_minutes(turn)}+{_minutes(bank)}" if bank else _minutes(turn)


def _minutes(ms: int) -> str:
    seconds = -(-ms // 1000)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
