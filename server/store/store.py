"""The contract of a store: what keeps rooms' journals, and what the hub needs to find them again.

Rules that hold for every store:

1. A room's journal grows only by `append`, which compares the journal's head with the one the caller decided on and
   does everything it names in one step, or nothing. What was acknowledged is durable.
2. Times are the store's: milliseconds since 1970. An entry's time is max(time of the entry before, now).
3. Nothing is sent again blindly. A reply that was lost is resolved by asking the journal for its head: if it is the
   caller's own new tag, the append had happened.
4. Appends and lines of one turn of the event loop travel together; one that fails does not undo its neighbours.
5. A store calls nobody back: changes made elsewhere are heard through `wakeups`, which may lose some.
6. Every call ends within a bounded time (3 s) with an answer or one of the errors below.
7. Concurrent calls happen in any order; a call that follows the reply of another sees what that one did.
8. A call about a room that does not exist finds nothing and leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

import msgspec

from protocol.messages import RoomId

ENDED = frozenset({"finished", "abandoned"})
LINES_KEPT = 200
PRESENCE_GOOD_FOR = 15_000


def wall_clock() -> int:
    """The host's time, in ms since 1970."""
    return time.time_ns() // 1_000_000


class StoreUnavailable(Exception):  # noqa: N818 - the style's own name for it
    """The store can't be reached or refuses writes; nothing happened. The text says why, without secrets."""


class StoreUnusable(StoreUnavailable):
    """Waiting will not help: a path that can't be created, a foreign file, one of a newer version."""


class UnknownOutcome(Exception):  # noqa: N818
    """The store took too long to tell whether the append happened."""


class Conflict(Exception):  # noqa: N818
    """The head is not the one named; `head` is the journal's present one.

    Somebody else's entry came first, or the room exists already, or it was removed or never was (`head` is `EMPTY`).
    """

    def __init__(self, head: Head) -> None:
        super().__init__(f"the journal stands at {head.seq}")
        self.head = head


class NotInTime(Exception):  # noqa: N818
    """Refused by the store's time: past `not_after`, or before `not_before`. `now` is the store's time."""

    def __init__(self, now: int) -> None:
        super().__init__(f"at {now}")
        self.now = now


class Quarantined(Exception):  # noqa: N818
    """The room was set aside; nobody may append to it. The text says why."""


class Head(msgspec.Struct, frozen=True):
    """The last entry of a journal. `seq` 0, empty `tag`: there is no journal yet."""

    seq: int
    tag: str
    at: int


EMPTY = Head(0, "", 0)


class Stored(msgspec.Struct, frozen=True):
    """One entry as it lies in the store."""

    seq: int
    tag: str
    at: int
    data: bytes


class Saved(msgspec.Struct, frozen=True):
    """A snapshot of a room at an entry; good only as long as the journal has that entry with that tag."""

    seq: int
    tag: str
    data: bytes


class Offer(msgspec.Struct, frozen=True):
    """A seat for a bot host. `taken`: one has it, and it waits only while it is attached nowhere."""

    seat: int
    policy: str
    taken: bool = False


class Index(msgspec.Struct, frozen=True):
    """What the store keeps of a room beside its journal, so that it can be found.

    `status` is `open` or `playing` or, ended, `finished` or `abandoned`.
    `due` is in ms after the time of the append's entries: when house-keeping has to look at the room (None: never).
    `listing` is what the list of rooms shows of it (the room part of its state, JSON). `clock` says that a clock
    is running. `offers` are the seats that bot hosts have to know of, in order.
    """

    game: str
    status: str
    public: bool
    created: int
    listing: bytes
    due: int | None = None
    clock: bool = False
    offers: tuple[Offer, ...] = ()


class Append(msgspec.Struct, frozen=True):
    """Entries to add to a journal after `after`; `tags` has one for each, chosen at random by the caller.

    All entries of one append have the same time. `not_after` and `not_before` are compared with the store's time; both
    ends are in time. A room keeps the `created` of its first append, whatever later ones say; 0 there stands for the
    entry's time.
    """

    room: RoomId
    after: Head
    entries: tuple[bytes, ...]
    tags: tuple[str, ...]
    index: Index
    not_after: int
    not_before: int = 0


class Listed(msgspec.Struct, frozen=True):
    """One room of a list. `created`: the time of its first entry."""

    room: RoomId
    listing: bytes
    connected: tuple[int, ...]
    created: int


class Page(msgspec.Struct, frozen=True):
    """Some rooms, newest first, and where the list goes on (None: it ends here)."""

    rooms: tuple[Listed, ...]
    cursor: str | None


class Waiting(msgspec.Struct, frozen=True):
    """A room of whose seats these wait for a bot host now; `listing` as in its index."""

    room: RoomId
    listing: bytes
    offers: tuple[Offer, ...]


class Line(msgspec.Struct, frozen=True):
    """One line of a room's chat, numbered from 1."""

    n: int
    data: bytes


class Attached(msgspec.Struct, frozen=True):
    """Who is attached to a room, over all nodes whose record is not void.

    `seats`: those with a connection, ascending. `seen`: the last time at which anybody was known to be attached
    (0: never): when a record was last renewed, or went while it was good.
    """

    seats: tuple[int, ...]
    spectators: int
    seen: int


class Sweep(msgspec.Struct, frozen=True):
    """What a look at the deadlines found: the time of the last sweep before (0: none), the time now, and the rooms."""

    last: int
    now: int
    due: tuple[RoomId, ...]


class News(StrEnum):
    """What a wake-up is about. LOST: wake-ups may have been missed; look at every followed room."""

    ENTRY = "entry"
    CHAT = "chat"
    PRESENCE = "presence"
    LOST = "lost"


class Wakeup(msgspec.Struct, frozen=True):
    """Something happened to a room (`room` is empty for LOST). For ENTRY, `seq` is the new head's."""

    room: RoomId
    news: News
    seq: int = 0


class Store(Protocol):
    """Where rooms are kept. Every call may raise `StoreUnavailable`."""

    async def open(self) -> None:
        """Connect or create what is needed."""

    async def close(self) -> None:
        """Finish what is in flight and let go of everything."""

    async def now(self) -> int:
        """The store's time."""

    async def append(self, append: Append) -> Head:
        """Add the entries and set the index, in one step.

        The head is compared first, so that whoever sends again learns that the entry is there, even when it is late.

        Raises:
            Conflict: the head is another one. Quarantined. NotInTime: see `Append`. UnknownOutcome.
        """

    async def head(self, room: RoomId) -> Head | None:
        """The room's head; None if there is no such room."""

    async def heads(self, rooms: Sequence[RoomId]) -> Mapping[RoomId, Head]:
        """The heads of those of the rooms that exist."""

    async def read(self, room: RoomId, after: int = 0) -> Sequence[Stored]:
        """The entries with a seq above `after`, in order; () if there is no such room."""

    async def save(self, room: RoomId, saved: Saved) -> None:
        """Keep a snapshot, instead of the last one; one that is older than the present one is ignored."""

    async def saved(self, room: RoomId) -> Saved | None:
        """The room's snapshot."""

    async def follow(self, room: RoomId) -> None:
        """Hear wake-ups about the room from now on."""

    async def unfollow(self, room: RoomId) -> None:
        """Hear no more of it."""

    def wakeups(self) -> AsyncIterator[Wakeup]:
        """What happens to followed rooms, by anybody's doing, one's own included; ends when the store is closed.

        One reader only. News of one kind about one room that nobody has read yet are merged. A presence record that
        is renewed unchanged, or becomes void, is no news.
        """

    async def rooms(self, game: str | None, status: str | None, cursor: str | None, limit: int) -> Page:
        """Public rooms, newest first, of any game or status where none is given, ended ones included.

        Rooms that appear meanwhile are not on later pages. An unknown or forged cursor is a ValueError.
        """

    async def count(self) -> int:
        """How many rooms there are that have not ended, private ones included."""

    async def ids(self) -> Sequence[RoomId]:
        """Every room, private and ended ones included, that is not set aside; in no order.

        One that never has any house-keeping due may be missing.
        """

    async def offers(self, limit: int) -> Sequence[Waiting]:
        """The seats that wait for a bot host: those that nobody has taken, and those whose host is attached nowhere.

        It looks only at rooms of which one may wait, however many have bots; where they are more than `limit`, at so
        many of them, drawn anew each time.
        """

    async def clocks(self) -> Sequence[RoomId]:
        """Rooms with a running clock."""

    async def sweep(self, limit: int) -> Sweep:
        """At most `limit` rooms whose `due` has come, longest due first, and when somebody last called `swept`.

        A room stays due until an append or `rearm` gives it another moment, whoever has seen it here.
        """

    async def swept(self, now: int) -> None:
        """Note that deadlines were looked after at `now`; the latest note counts, never as later than the present."""

    async def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        """Put the room's next house-keeping at the moment `due`, if its head is still this one."""

    async def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        """Add a line to the chat and return its number; the same key again: the first number, nothing added.

        Raises:
            LookupError: there is no such room. UnknownOutcome: send again with the same key.
        """

    async def lines(self, room: RoomId, after: int) -> Sequence[Line]:
        """The lines above `after`, in order; only the last 200 are kept."""

    async def attached(self, room: RoomId, node: str, seats: Sequence[int], spectators: int) -> None:
        """This node's presence record for the room, good for 15 s. Nobody attached: the record goes."""

    async def presence(self, room: RoomId) -> Attached:
        """Who is attached, by the records that are not void."""

    async def quarantine(self, room: RoomId, reason: str) -> None:
        """Set the room aside: every later append is refused. The first reason stays.

        It can be read, but is no longer listed, counted, due, or among the clocks and offers.
        """

    async def compact(self, room: RoomId) -> None:
        """Turn an ended room's journal into one compressed record; every reading call answers as before.

        A journal that is one already is not read for it.
        """

    async def forget(self, room: RoomId) -> None:
        """Remove every trace of the room, save that its id is never given to another."""
