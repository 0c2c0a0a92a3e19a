"""Store time on this node, and what waits for a moment of it."""

from __future__ import annotations

import asyncio

from server.rooms.clock import Alarm, Clock
from tests.processes import PATIENCE


class Rung:
    """An alarm, and when it rang by its clock."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.at: list[int] = []
        self.happened = asyncio.Event()
        self.alarm = Alarm(self.clock, self._ring)

    def _ring(self) -> None:
        self.at.append(self.clock.now())
        self.happened.set()

    async def wait(self) -> int:
        async with asyncio.timeout(PATIENCE):
            await self.happened.wait()
        return self.at[-1]


async def test_an_alarm_rings_once_and_not_before_its_time() -> None:
    rung = Rung()
    at = rung.clock.now() + 20
    rung.alarm.set(at)
    assert await rung.wait() >= at
    again = Rung()
    again.alarm.set(at)  # its time is over: at once
    await again.wait()
    assert (len(rung.at), len(again.at)) == (1, 1)


async def test_an_alarm_that_is_put_off_rings_at_the_later_time_alone() -> None:
    rung = Rung()
    now = rung.clock.now()
    rung.alarm.set(now + 5)
    rung.alarm.set(now + 60)
    assert await rung.wait() >= now + 60
    assert len(rung.at) == 1


async def test_an_alarm_that_is_brought_forward_does_not_wait_for_its_first_time() -> None:
    rung = Rung()
    rung.alarm.set(rung.clock.now() + 3_600_000)
    rung.alarm.set(rung.clock.now() + 5)
    await rung.wait()


async def test_a_cancelled_alarm_is_silent_and_can_be_set_again() -> None:
    rung, other = Rung(), Rung()
    now = rung.clock.now()
    rung.alarm.set(now + 5)
    rung.alarm.cancel()
    other.alarm.set(now + 40)
    await other.wait()
    assert rung.at == []
    rung.alarm.set(now + 5)
    await rung.wait()
