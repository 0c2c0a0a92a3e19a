"""The load on Pharos: tables whose seats play random legal actions, and spectators who only listen.

Rules that hold here:

1. A frame is decoded as far as the load needs it: type, id, seq, and the list of actions cut into raw pieces, one of
   which is sent back as it came.
2. A seat acts once for every `turn` it gets, under a key, as the Python client does.
3. When a game ends, the same connections go on in a new room.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from random import Random

import msgspec
from msgspec import UNSET, Raw, UnsetType

from bench.jobs import Job, Prepared
from bench.tally import Tally, now
from bench.wire import Wire

ENDED = b"finished"
LISTENERS = 8
"""One of so many spectators measures latency; the others only count what they get."""


class Heard(msgspec.Struct):
    """As much of a server's frame as the load wants to know."""

    t: str
    id: int | None = None
    seq: int = 0
    room: str = ""
    code: str = ""
    actions: list[Raw] | UnsetType = UNSET


class Join(msgspec.Struct, tag_field="t", tag="join", omit_defaults=True):
    """Attach to a room."""

    id: int
    room: str
    token: str | UnsetType = UNSET
    legal: bool = False


class Act(msgspec.Struct, tag_field="t", tag="act"):
    """An action as it stood in the list."""

    id: int
    room: str
    action: Raw
    seq: int
    key: str


class Leave(msgspec.Struct, tag_field="t", tag="leave"):
    """Detach from a room."""

    id: int
    room: str


class Coder:
    """One of the two codecs, for the few messages above."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.binary = name == "msgpack"
        self.encode: Callable[[object], bytes] = (msgspec.msgpack if self.binary else msgspec.json).Encoder().encode
        self.decode: Callable[[bytes], Heard] = (
            msgspec.msgpack.Decoder(Heard).decode if self.binary else msgspec.json.Decoder(Heard).decode
        )


class Viewer(Wire):
    """A spectator. Replies to requests are dealt with by `Seat`."""

    def __init__(self, table: Table, *, listens: bool = True) -> None:
        coder = table.load.coder
        super().__init__("/ws", f"pharos.v1+{coder.name}", binary=coder.binary)
        self.table = table
        self.listens = listens
        self._coder = coder

    def opened(self) -> None:
        """Attach at once."""
        self.send(self._coder.encode(Join(0, self.table.room)))

    def received(self, payload: bytes) -> None:
        """Note when an update comes."""
        if not self.listens and self.joined.is_set():
            return
        heard = self._coder.decode(payload)
        if heard.t == "patch":
            self.table.told(heard, len(payload))
        elif heard.t == "snapshot":
            self.joined.set()
        elif heard.t == "error":
            self.table.load.tally.errors[heard.code] += 1


class Seat(Viewer):
    """The connection of one seat."""

    def __init__(self, table: Table, number: int) -> None:
        super().__init__(table)
        self.number = number
        self._turn: Heard | None = None
        self._sent: dict[int, float] = {}

    def opened(self) -> None:
        """Sit down."""
        self.attach()

    def attach(self) -> None:
        """Join the table's present room."""
        self.joined.clear()
        self._turn = None
        self._sent.clear()
        self.send(self._coder.encode(Join(next(self.table.ids), self.table.room, self.table.tokens[self.number], True)))

    def leave(self, room: str) -> None:
        """Leave a room whose game is over."""
        self.send(self._coder.encode(Leave(next(self.table.ids), room)))

    def received(self, payload: bytes) -> None:
        """Act when it is this seat's turn."""
        heard = self._coder.decode(payload)
        table = self.table
        if heard.t == "patch":
            if heard.room == table.room:
                table.told(heard, len(payload))
                if self.number == 0 and ENDED in payload:
                    table.over()
        elif heard.t == "ok":
            sent = self._sent.pop(heard.id, None) if heard.id is not None else None
            if sent is not None:
                table.acted(heard.seq, sent)
        elif heard.t == "turn":
            if heard.room == table.room and heard.actions:
                self._turn = heard
                table.schedule(self)
        elif heard.t == "snapshot":
            if heard.room == table.room:
                self.joined.set()
        elif heard.t == "error":
            self._refused(heard)

    def _refused(self, error: Heard) -> None:
        # The last actions of a game cross with its end: that is no failure.
        self._sent.pop(error.id or 0, None)
        if error.code not in ("game_over", "not_joined"):
            self.table.load.tally.errors[error.code] += 1

    def act(self) -> None:
        """Play any of the actions of the last `turn`."""
        turn, self._turn = self._turn, None
        if turn is None or not turn.actions:
            return
        table = self.table
        number = next(table.ids)
        self._sent[number] = now()
        action = table.load.random.choice(turn.actions)
        self.send(self._coder.encode(Act(number, turn.room, action, turn.seq, f"k{number}")))


class Table:
    """One room after another, always with the same connections."""

    def __init__(self, load: Load, place: Prepared) -> None:
        self.load = load
        self.room, self.tokens = place.room, place.tokens
        self.ids = itertools.count(1)
        self.seats = [Seat(self, number) for number in range(len(place.tokens))]
        self.spectators = [Viewer(self, listens=not n % LISTENERS) for n in range(load.job.spectators)]
        self._told: dict[int, list[tuple[float, int]]] = {}
        self._sent: dict[int, float] = {}
        self._done = 0
        self.rested = asyncio.Event()
        """Set when the table has played as much as it should."""
        self._next = 0.0
        self._moving: asyncio.Task[None] | None = None

    def schedule(self, seat: Seat) -> None:
        """Let the seat act: at once, or at the table's pace."""
        load = self.load
        if not load.playing or self.rested.is_set():
            return
        self._done += 1
        if self._done == load.job.actions:
            self.rested.set()
        if not load.pause:
            seat.act()
            return
        self._next = max(load.loop.time(), self._next) + load.pause
        load.loop.call_at(self._next, seat.act)

    def begin(self) -> None:
        """Everybody whose turn it is by now may act."""
        self._next = self.load.loop.time() + self.load.random.random() * self.load.pause
        for seat in self.seats:
            self.schedule(seat)

    def told(self, patch: Heard, size: int) -> None:
        """A viewer has got the update of an entry."""
        sent = self._sent.get(patch.seq)
        if sent is not None:
            self.load.tally.told(now() - sent, size)
        else:
            self._told.setdefault(patch.seq, []).append((now(), size))

    def acted(self, seq: int, sent: float) -> None:
        """The action that was sent then became the entry `seq`."""
        self.load.tally.acted()
        for moment, size in self._told.pop(seq, ()):
            self.load.tally.told(moment - sent, size)
        self._sent[seq] = sent
        if len(self._sent) > 64:
            self._sent.pop(next(iter(self._sent)))
            for old in [known for known in self._told if known < seq - 64]:
                del self._told[old]

    def over(self) -> None:
        """The game has ended: go on in another room."""
        if self._moving is None or self._moving.done():
            self.load.tally.games += 1
            self._moving = asyncio.create_task(self._move())

    async def _move(self) -> None:
        place, ended = await self.load.place(), self.room
        self.room, self.tokens = place.room, place.tokens
        self._told.clear()
        self._sent.clear()
        for seat in self.seats:
            seat.leave(ended)
            seat.attach()


class Load:
    """What all tables of a job have in common."""

    def __init__(self, job: Job, place: Callable[[], asyncio.Future[Prepared]]) -> None:
        self.job = job
        self.place = place
        self.tally = Tally()
        self.coder = Coder(job.codec)
        self.loop = asyncio.get_running_loop()
        self.random = Random(1)
        self.playing = False
        self.pause = job.rooms / job.rate if job.rate else 0.0
        """Seconds between two actions of a table."""
