"""A store as simple as can be: what every store has to agree with, call by call. No concurrency, no durability."""

from __future__ import annotations

from dataclasses import dataclass, field

from protocol.messages import RoomId
from server.store.store import EMPTY, Append, Attached, Head, Index, Line, Listed, Saved, Stored, Sweep, Waiting


@dataclass
class ModelRoom:
    """Everything known of a room."""

    index: Index
    created: int
    entries: list[Stored] = field(default_factory=list)
    due: int | None = None
    saved: Saved | None = None
    lines: list[tuple[bytes, str | None]] = field(default_factory=list)
    records: dict[str, tuple[frozenset[int], int, int]] = field(default_factory=dict)
    seen: int = 0
    aside: bool = False

    @property
    def head(self) -> Head:
        last = self.entries[-1]
        return Head(last.seq, last.tag, last.at)

    def good(self, now: int) -> list[tuple[frozenset[int], int, int]]:
        return [record for record in self.records.values() if now - record[2] < 15_000]

    def seats(self, now: int) -> tuple[int, ...]:
        return tuple(sorted(frozenset().union(*(seats for seats, _, _ in self.good(now)))))


class Model:
    """The rooms, and the time, which the test moves."""

    def __init__(self) -> None:
        self.now = 1_764_480_000_000
        self.rooms: dict[RoomId, ModelRoom] = {}
        self.forgotten: set[RoomId] = set()
        self.last_sweep = 0

    def head(self, room: RoomId) -> Head:
        return self.rooms[room].head if room in self.rooms else EMPTY

    def append(self, append: Append) -> Head | str:
        """The new head, or the name of the error."""
        room, head = self.rooms.get(append.room), self.head(append.room)
        if (head.seq, head.tag) != (append.after.seq, append.after.tag):
            return "Conflict"
        if room and room.aside:
            return "Quarantined"
        if not append.not_before <= self.now <= append.not_after:
            return "NotInTime"
        if room is None and append.room in self.forgotten:
            return "Conflict"
        at = max(head.at, self.now)
        room = self.rooms.setdefault(append.room, ModelRoom(append.index, append.index.created or at))
        for tag, data in zip(append.tags, append.entries, strict=True):
            room.entries.append(Stored(len(room.entries) + 1, tag, at, data))
        room.index = append.index
        room.due = None if append.index.due is None else at + append.index.due
        return room.head

    def say(self, room: RoomId, data: bytes, key: str | None) -> int:
        lines = self.rooms[room].lines
        kept = range(max(0, len(lines) - 200), len(lines))
        known = [n + 1 for n in kept if key is not None and lines[n][1] == key]
        if known:
            return known[0]
        lines.append((data, key))
        return len(lines)

    def lines(self, room: RoomId) -> tuple[Line, ...]:
        lines = self.rooms[room].lines if room in self.rooms else []
        return tuple(Line(n, data) for n, (data, _) in enumerate(lines, start=1) if n > len(lines) - 200)

    def attached(self, room: RoomId, node: str, seats: tuple[int, ...], spectators: int) -> None:
        if (found := self.rooms.get(room)) is None:
            return
        before = found.records.pop(node, None)
        if seats or spectators:
            found.records[node] = frozenset(seats), spectators, self.now
        if seats or spectators or (before and self.now - before[2] < 15_000):
            found.seen = max(found.seen, self.now)

    def presence(self, room: RoomId) -> Attached:
        if (found := self.rooms.get(room)) is None:
            return Attached((), 0, 0)
        spectators = sum(spectators for _, spectators, _ in found.good(self.now))
        return Attached(found.seats(self.now), spectators, found.seen)

    def forget(self, room: RoomId) -> None:
        if self.rooms.pop(room, None):
            self.forgotten.add(room)

    def rearm(self, room: RoomId, head: Head, due: int | None) -> None:
        if room in self.rooms and self.rooms[room].head == head:
            self.rooms[room].due = due

    def swept(self, now: int) -> None:
        self.last_sweep = min(max(self.last_sweep, now), self.now)

    def living(self) -> dict[RoomId, ModelRoom]:
        return {name: room for name, room in self.rooms.items() if not room.aside}

    def listed(self, game: str | None, status: str | None) -> tuple[Listed, ...]:
        found = sorted(((room.created, name) for name, room in self.living().items()), reverse=True)
        return tuple(
            Listed(name, room.index.listing, room.seats(self.now), room.created)
            for name, room in ((name, self.rooms[name]) for _, name in found)
            if room.index.public and game in (None, room.index.game) and status in (None, room.index.status)
        )

    def waiting(self) -> set[Waiting]:
        found = set()
        for name, room in self.living().items():
            here = room.seats(self.now)
            offers = tuple(o for o in room.index.offers if not o.taken or o.seat not in here)
            if offers:
                found.add(Waiting(name, room.index.listing, offers))
        return found

    def sweep(self) -> Sweep:
        due = sorted(
            (room.due, name) for name, room in self.living().items() if room.due is not None and room.due <= self.now
        )
        return Sweep(self.last_sweep, self.now, tuple(name for _, name in due))
