"""How long a bot may think where the room has a clock (protocol section 6).

Rules that hold here:

1. A decision may take its time per turn, and a part of the bank: other decisions will want the rest.
2. It is over a moment early: the action has to get there, and a busy machine is late.
3. It is by the server's time that a decision runs out, so the server is asked what time it is.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from clients.room import Room

SHARE = 1 / 16
"""What a decision may take of the bank that is left."""
EARLY = 0.3
"""Seconds by which it is over before the time is, besides the way there and back; but half of a short time."""


async def time_to_think(room: Room) -> float | None:
    """Until when the room's seat may think about its decision, by `time.monotonic`; None without a clock."""
    if not _clock(room.state):
        return None
    asked = time.monotonic()
    now = await room.server_time()
    answered = time.monotonic()
    seconds = allowed(room.state, room.seat, now)
    return None if seconds is None else answered + max(seconds / 2, seconds - EARLY - (answered - asked))


def allowed(state: Mapping[str, Any], seat: int | None, now: int) -> float | None:
    """Seconds that the seat may spend on its decision at the server's time `now` (ms); None: as many as it likes."""
    clock = _clock(state)
    if not clock or seat not in state["turn"]["seats"]:
        return None
    left = max(0, clock["deadlines"][state["turn"]["seats"].index(seat)] - now)
    bank = min(left, clock["banks"][seat])
    seconds: float = (left - bank + bank * SHARE) / 1000
    return seconds


def _clock(state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    turn = state["turn"] if state else None
    clock: Mapping[str, Any] | None = turn["clock"] if turn else None
    return clock
