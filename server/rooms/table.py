"""One room in memory on this node: its turn-taking, its viewers, its recent past.

Rules that hold here:

1. Everything about a room happens in its jobs, one after the other, in the order they came. No two entries of a room
   are ever decided on the same head by one node.
2. A job that fails answers whoever asked for it; the table lives on. What is not a known failure is a bug of ours: it
   is logged with room and seq, and the room is loaded anew from its journal.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
import structlog

from protocol.codes import Code, ProtocolError
from protocol.messages import RoomId
from server import logs
from server.rooms import telling, writing
from server.rooms.chores import Chore, Task, next_chore
from server.rooms.clock import Alarm
from server.rooms.entries import BrokenJournal
from server.rooms.history import History
from server.rooms.jobs import Job
from server.rooms.loading import NoSuchRoom, load
from server.rooms.room import Room, UnknownRules
from server.rooms.talk import Talk
from server.rooms.viewers import Viewers
from server.store.store import NotInTime, Quarantined, StoreUnavailable, UnknownOutcome

if TYPE_CHECKING:
    from server.rooms.hub import Hub

log = structlog.get_logger("pharos.rooms")

PUT_OFF = 1000
"""ms before a chore that could not be done is tried again."""
PUT_OFF_LONG = 10_000
"""The same where the room raised: a fault of ours seldom mends itself."""
LOAD_AGAIN = 2000
"""ms before a room that could not be loaded, and at which somebody waits, is tried again."""


class Table:
    """A room, its viewers on this node, and the jobs that wait for it.

    `room`, `history`, `viewers` are there in every job. `current`: the journal was read in the present job already.
    `behind`: the journal may have more, which the next job takes first.
    `given_back`: the last outage for which the clocks were set right. `due`: when the next chore is, if known.
    """

    room: Room
    history: History
    viewers: Viewers

    def __init__(self, hub: Hub, room: RoomId) -> None:
        self.hub = hub
        self.id = room
        self.talk = Talk(self)
        self.loaded = False
        self.current = False
        self.behind = False
        self.saved_at = 0
        self.due: int | None = None
        self.compacted = False
        self.given_back: tuple[int, int] | None = None
        self.idle_since = hub.clock.monotonic()
        self._jobs: deque[Job] = deque()
        self._job: Job | None = None
        self._worker: asyncio.Task[None] | None = None
        self._chore = Alarm(hub.clock, self._time_for_chore)
        self._timers: list[asyncio.TimerHandle] = []
        self._put_off: dict[Task, int] = {}

    @property
    def busy(self) -> bool:
        """Whether jobs wait or run."""
        return self._worker is not None and not self._worker.done()

    @property
    def attended(self) -> bool:
        """Whether anybody is attached here."""
        return hasattr(self, "viewers") and len(self.viewers) > 0

    def submit(self, job: Job) -> None:
        """Do the job after those that wait already."""
        self._jobs.append(job)
        if not self.busy:
            self._worker = asyncio.get_running_loop().create_task(self._work())

    async def finished(self) -> None:
        """Until no job waits or runs."""
        while self.busy and self._worker is not None:
            await asyncio.wait([self._worker])

    async def _work(self) -> None:
        logs.about.set(self._about)
        while self._jobs:
            job = self._job = self._jobs.popleft()
            failure = await self._run(job)
            if failure is not None:
                self._tell_failure(job, failure)
        self._worker = self._job = None
        self.idle_since = self.hub.clock.monotonic()
        self._arrange()
        if not self.loaded and not self.attended:
            self.hub.drop(self)

    def _tell_failure(self, job: Job, failure: ProtocolError) -> None:
        try:
            job.fail(failure)
        except Exception:
            log.exception("telling a failure raised", code=failure.code.value)

    def _about(self) -> Mapping[str, object]:
        """What every line of the log says that is written in the present job."""
        found: dict[str, object] = {"room": self.id}
        if hasattr(self, "room"):
            found["seq"] = self.room.head.seq
        connection = self._job.connection if self._job is not None else None
        if connection is not None:
            found["connection"] = connection.id
            viewer = self.viewers.find(connection) if hasattr(self, "viewers") else None
            if viewer is not None and viewer.seat is not None:
                found["seat"] = viewer.seat
        return found

    async def _run(self, job: Job) -> ProtocolError | None:
        """Do one job; the failure to tell whoever asked."""
        was_loaded = self.loaded
        try:
            await self._be_loaded()
            await job.run(self)
        except ProtocolError as error:
            return error
        except Exception as error:
            return await self._failure(error, was_loaded=was_loaded)
        return None

    async def _be_loaded(self) -> None:
        self.current = False
        if not self.loaded:
            await self.load()
        elif self.behind:
            await writing.catch_up(self)
        self.behind = False

    async def _failure(self, error: Exception, *, was_loaded: bool) -> ProtocolError:
        match error:
            case UnknownOutcome() | StoreUnavailable() | NotInTime():
                return self._store_failure(error)
            case UnknownRules():
                self.hub.stats.faults["foreign"] += 1
                log.warning("room left alone", room=self.id, reason=str(error))
                return ProtocolError(Code.UNAVAILABLE, "this node does not play the room's version of the game")
            case NoSuchRoom():
                self._dismiss(Code.UNKNOWN_ROOM, "there is no such room")
                return ProtocolError(Code.UNKNOWN_ROOM, "there is no such room")
            case BrokenJournal() | Quarantined():
                await self._broken(error)
                return ProtocolError(Code.BROKEN_ROOM, "the room's journal can't be read")
        seq = self.room.head.seq if self.loaded else 0
        self.hub.stats.faults["raised"] += 1
        log.exception("a room raised; it is loaded anew", room=self.id, seq=seq)
        self.let_go()
        if was_loaded and self.attended:
            self.submit(RELOAD)
        if isinstance(error, writing.Untold):
            return ProtocolError(Code.UNKNOWN_OUTCOME, "a fault of the server came between; send the same key again")
        return ProtocolError(Code.INTERNAL, "a fault of the server; the room is loaded anew")

    def _store_failure(self, error: Exception) -> ProtocolError:
        self.hub.stats.store_errors += 1
        if isinstance(error, UnknownOutcome):
            self.behind = True
            return ProtocolError(Code.UNKNOWN_OUTCOME, "the store did not tell in time; send the same key again")
        log.warning("store unavailable", room=self.id, reason=str(error))
        return ProtocolError(Code.UNAVAILABLE, "the store can't be reached; nothing happened", retry_after=1000)

    async def load(self) -> None:
        """The room from its journal; whoever is attached already gets a fresh snapshot."""
        hub = self.hub
        await hub.follow(self.id)
        loaded = await load(hub.store, self.id, hub.keep, recent=hub.pace.history_changes, now=hub.clock.now())
        attached = self.viewers.all() if self.attended else ()
        history = History(loaded.before.head, hub.pace.history_changes, hub.pace.history_bytes)
        viewers = Viewers(self.id, loaded.room.rulebook.shared.spectators.delay, loaded.before)
        for change in loaded.changes:
            history.add(change)
            viewers.change(change)
        viewers.release(hub.clock.now())
        if attached:
            viewers.shown = self.viewers.shown
        for viewer in attached:
            viewers.add(viewer)
        self.room, self.history, self.viewers = loaded.room, history, viewers
        self.saved_at = loaded.saved_at
        self.due = self.given_back = None  # the store may have lost what was given back
        self.loaded = self.current = True
        self._tell_afresh()

    def _tell_afresh(self) -> None:
        """To whoever is attached while the room is loaded anew: all that it sees."""
        self.talk.begin_anew()
        for viewer in self.viewers.all():
            telling.check_holder(self, viewer)
        for viewer in self.viewers.all():
            telling.refresh(self, viewer)

    async def _broken(self, error: Exception) -> None:
        """The room can't be played by this version: say so loudly, keep others from writing it, let viewers go."""
        self.hub.stats.faults["broken"] += 1
        log.error("broken room", room=self.id, reason=str(error))
        if isinstance(error, BrokenJournal):
            try:
                await self.hub.store.quarantine(self.id, str(error))
            except StoreUnavailable as unavailable:
                log.warning("not quarantined", room=self.id, reason=str(unavailable))
        self._dismiss(Code.BROKEN_ROOM, "the room's journal can't be read")

    def _dismiss(self, code: Code, message: str) -> None:
        """Let go of the room and of everybody who is attached."""
        for viewer in self.viewers.all() if self.attended else ():
            telling.detach(self, viewer, code, message)
        self.let_go()

    def let_go(self) -> None:
        """Forget the room, not its viewers: the next job loads it anew."""
        self.loaded = False

    def close(self) -> None:
        """Stop all timers: the table goes out of memory."""
        self._chore.cancel()
        self._stop_timers()

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def release(self) -> int | None:
        """Tell delayed spectators what is old enough; the moment of the next release, if something waits."""
        return self.viewers.release(self.hub.clock.now())

    # What the room needs done by itself.

    def chore(self) -> Chore:
        """The first thing that the room needs done by itself."""
        found = next_chore(self.room.rulebook, self.room.state, self.hub.pace, compacted=self.compacted)
        later = self._put_off.get(found.task, 0)
        return found if found.at >= later else msgspec.structs.replace(found, at=later)

    def put_off(self, task: Task, at: int) -> None:
        """Do such a chore not before `at` (ms of store time)."""
        self._put_off[task] = at
        self.due = None

    def _arrange(self) -> None:
        """Set the timers: for the next chore, the next release to delayed spectators, the next word of who is there."""
        self._stop_timers()
        clock = self.hub.clock
        if not self.loaded:
            self._chore.cancel()
            if self.attended:
                self._timers.append(clock.call_at(clock.now() + LOAD_AGAIN, self._look_again))
            return
        self._chore.set(self.chore().at if self.due is None else self.due)
        release = self.release()
        if release is not None:
            self._timers.append(clock.call_at(release, self._look_again))
        if self.talk.due is not None:
            self._timers.append(clock.call_at(self.talk.due, self.talk.tell))

    def _look_again(self) -> None:
        """A job that does nothing: before and after every job the room is seen to.

        It is loaded for whoever is attached, and what is old enough is told; not within a job, in which a spectator who
        is just joining would be told out of order, or twice.
        """
        self.submit(Job(_nothing, lambda _: None))

    def _time_for_chore(self) -> None:
        self.due = None
        self.submit(Job(writing.do_chore, self._chore_failed))

    def _chore_failed(self, error: ProtocolError) -> None:
        log.info("chore put off", room=self.id, code=str(error.code))
        later = self.hub.clock.now() + (PUT_OFF_LONG if error.code is Code.INTERNAL else PUT_OFF)
        for task in Task:
            self.put_off(task, max(later, self._put_off.get(task, 0)))


async def _nothing(_: Table) -> None:
    """Whoever is attached gets a snapshot when the room is loaded for it."""


RELOAD = Job(_nothing, lambda _: None)
"""For a room that was let go of while people are attached."""
