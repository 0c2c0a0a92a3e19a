"""What the hub does all the time: wake-ups, heads, presence, deadlines, and rooms that nobody looks at any more.

No node is chosen for anything: every node does all of this, and the journal's compare-and-set keeps it from being
done twice.

An outage is a gap between two looks at the deadlines, by any node. Before a room takes its next entry after one, the
time is given back to its clocks; so no clock runs out by it.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import structlog

from protocol.codes import Code, ProtocolError
from protocol.messages import RoomId
from server.rooms import writing
from server.rooms.jobs import Job
from server.store.store import News, StoreUnavailable, Sweep, UnknownOutcome, Wakeup

if TYPE_CHECKING:
    from server.rooms.hub import Hub
    from server.rooms.table import Table

log = structlog.get_logger("pharos.rooms")

DUE_AT_ONCE = 256
AT_ONCE = 64
FOREIGN_FOR = 10.0
"""Seconds for which a room whose chore failed here is left to other nodes."""


class Keeping:
    """The loops of one hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._tasks: list[asyncio.Task[None]] = []
        self._last_sweep: float | None = None
        self._gap: tuple[int, int] | None = None
        self._foreign: dict[RoomId, float] = {}
        self._given_back: tuple[int, int] | None = None
        self._noted = True
        """Whether the store took the note of the last sweep: one that can be read and not written serves nobody."""
        self._noted_at = 0
        """Of when the last note was that it took; one that is older there was lost, with what came after it."""
        self._looking: asyncio.Future[Sweep] | None = None

    @property
    def steady(self) -> bool:
        """Whether the deadlines were looked at lately, hence the store was there."""
        if self._last_sweep is None:
            return False
        return (self._hub.clock.monotonic() - self._last_sweep) * 1000 <= self._hub.pace.outage

    def start(self) -> None:
        """Begin all loops."""
        pace = self._hub.pace
        loops: list[tuple[Callable[[], Awaitable[None]], int]] = [
            (self.sweep, pace.sweep_every),
            (self._compare_heads, 1000),
            (self._renew_presence, pace.presence_renew),
            (self._evict, min(pace.evict_after, 5000)),
        ]
        self._tasks = [asyncio.create_task(self._forever(step, every)) for step, every in loops]
        self._tasks.append(asyncio.create_task(self._listen()))

    async def stop(self) -> None:
        """End all loops."""
        for task in self._tasks:
            task.cancel()
        looking = () if self._looking is None else (self._looking,)  # rooms may wait for it still: it ends by itself
        await asyncio.gather(*self._tasks, *looking, return_exceptions=True)
        self._tasks.clear()

    async def _forever(self, step: Callable[[], Awaitable[None]], every: int) -> None:
        while True:
            try:
                await step()
            except (StoreUnavailable, UnknownOutcome) as error:
                self._hub.stats.store_errors += 1
                log.warning("store unavailable", step=step.__name__, reason=str(error))
            except Exception:
                log.exception("house-keeping raised", step=step.__name__)
            await asyncio.sleep(every / 1000 * random.uniform(0.8, 1.2))  # noqa: S311 - jitter

    # Deadlines and outages.

    async def gap(self) -> tuple[int, int] | None:
        """The last outage (start and end, ms of store time); looks first if that was not done lately.

        Raises:
            StoreUnavailable: it can't be told.
        """
        if not self.steady:
            await self._look()
        return self._gap

    async def sweep(self) -> None:
        """Look after rooms whose time has come, loaded or not; give clocks back what an outage took."""
        sweep = await self._look()
        self._look_after(sweep.due)
        self._noted, at = False, sweep.now
        if self._gap != self._given_back:
            await self._hub.store.swept(sweep.last)  # changes nothing, and fails where nothing can be given back
            await self._give_back()
            at = self._hub.clock.now()
        await self._hub.store.swept(at)
        self._noted, self._noted_at = True, at

    def _look_after(self, due: Sequence[RoomId]) -> None:
        now = self._hub.clock.monotonic()
        self._foreign = {room: until for room, until in self._foreign.items() if until > now}
        for room in due:
            known = self._hub.known(room)
            # A room in memory has its own timer, if it knows of the last entry, or is being loaded.
            if room not in self._foreign and (known is None or known.behind or not (known.loaded or known.busy)):
                self._hub.table(room).submit(Job(writing.do_chore, partial(self._not_now, room)))

    def _not_now(self, room: RoomId, error: ProtocolError) -> None:
        """The room can't be looked after here: another node may, and this one looks again later."""
        log.info("chore put off", room=room, code=str(error.code))
        self._foreign[room] = self._hub.clock.monotonic() + FOREIGN_FOR

    async def _look(self) -> Sweep:
        """One look at the deadlines, however many ask for it at once: nobody waits for more than one answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._ask())
        return await asyncio.shield(self._looking)

    async def _ask(self) -> Sweep:
        """Look at the deadlines, and note an outage.

        It is not over for the other nodes before `swept`, hence only when every room has taken note. A look of this
        node before that makes it longer if the store was away again meanwhile.
        """
        hub, steady = self._hub, self.steady
        asked = hub.clock.monotonic()
        sweep = await hub.store.sweep(DUE_AT_ONCE + len(self._foreign))
        hub.clock.learn(sweep.now)
        self._last_sweep = asked
        known = steady and self._gap is not None and self._gap[0] == sweep.last and sweep.last >= self._noted_at
        if sweep.last and sweep.now - sweep.last > hub.pace.outage and not (known and self._noted):
            if not known:
                log.warning("outage", ms=sweep.now - sweep.last)
            self._gap = (sweep.last, sweep.now)
        return sweep

    async def _give_back(self) -> None:
        """Every room with a running clock takes note of the outage.

        Raises:
            StoreUnavailable: not every one could, and that may pass.
        """
        gap, rooms = self._gap, await self._hub.store.clocks()
        for first in range(0, len(rooms), AT_ONCE):
            noted = await asyncio.gather(*(self._note_gap(room) for room in rooms[first : first + AT_ONCE]))
            if not all(noted):
                raise StoreUnavailable("not every clock was given back its time")
            self._last_sweep = self._hub.clock.monotonic()
        self._given_back = gap

    async def _note_gap(self, room: RoomId) -> bool:
        """Whether the room took note, or never will: its rules are unknown here, or it raises."""
        try:
            await self._hub.on(room, writing.give_back)
        except ProtocolError as error:
            log.warning("a clock was not given back its time", room=room, code=str(error.code))
            return error.code is not Code.UNKNOWN_OUTCOME and error.retry_after is None
        return True

    # News from elsewhere.

    async def _listen(self) -> None:
        async for wakeup in self._hub.store.wakeups():
            self._hear(wakeup)

    def _hear(self, wakeup: Wakeup) -> None:
        if wakeup.news is News.LOST:
            for table in self._hub.loaded():
                _follow_up(table, Job(_catch_up, lambda _: None))
            return
        known = self._hub.known(wakeup.room)
        if known is None or not known.loaded:
            return
        if wakeup.news is News.ENTRY:
            if wakeup.seq != known.room.head.seq:
                _follow_up(known, Job(lambda table: _behind(table, wakeup.seq), lambda _: None))
        elif wakeup.news is News.CHAT:
            known.submit(Job(lambda table: table.talk.listen(), lambda _: None))
        else:
            known.talk.changed()

    async def _compare_heads(self) -> None:
        """Find wake-ups that were lost, and journals that went another way."""
        tables = {table.id: table for table in self._hub.loaded()}
        if not tables:
            return
        heads = await self._hub.store.heads(tuple(tables))
        for room, table in tables.items():
            head = heads.get(room)
            if not table.loaded or table.busy:
                continue
            if head is None or (head.seq, head.tag) != (table.room.head.seq, table.room.head.tag):
                _follow_up(table, Job(writing.catch_up, lambda _: None))

    async def _renew_presence(self) -> None:
        """Also loads rooms that were let go of and could not be loaded at once."""
        for table in self._hub.attended():
            table.talk.changed()

    async def _evict(self) -> None:
        """Let go of rooms at which nobody looks; whatever they need done by themselves, the sweep finds."""
        now, patience = self._hub.clock.monotonic(), self._hub.pace.evict_after / 1000
        for table in self._hub.loaded():
            if not table.attended and not table.busy and now - table.idle_since > patience:
                self._hub.drop(table)


def _follow_up(table: Table, job: Job) -> None:
    """Catch up with what happened elsewhere: at once for those who look on, else when somebody asks for the room."""
    if table.attended:
        table.submit(job)
    else:
        table.behind = True


async def _catch_up(table: Table) -> None:
    await writing.catch_up(table)
    await table.talk.listen()


async def _behind(table: Table, seq: int) -> None:
    """Catch up, unless an earlier job did."""
    if not table.current and table.room.head.seq != seq:
        await writing.catch_up(table)
