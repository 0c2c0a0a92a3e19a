"""What the server's replies say, in the words of the contract."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.messages import RoomId
from server.store.offering import decode, waiting
from server.store.redis.link import Reply
from server.store.store import PRESENCE_GOOD_FOR, Attached, Head, Line, Stored, Waiting


def text_of(value: object) -> str:
    """A string of the server."""
    return value.decode() if isinstance(value, bytes) else str(value)


def head_of(fields: Sequence[bytes]) -> Head:
    """A head from seq, tag, at."""
    seq, tag, at = fields
    return Head(int(seq), tag.decode(), int(at))


def entries_of(rows: Reply) -> tuple[Stored, ...]:
    """The entries of a stretch of the journal."""
    return tuple(Stored(int(name[:-2]), tag.decode(), int(at), data) for name, (_, tag, _, at, _, data) in rows)


def lines_of(rows: Reply) -> tuple[Line, ...]:
    """The lines of a stretch of the chat."""
    return tuple(Line(int(name[:-2]), fields[1]) for name, fields in rows)


def present(look: Reply, seen: int) -> Attached:
    """Who is there, by the records that are good: the time, spectators, and seats of each node."""
    now = int(look[1])
    seats: set[int] = set()
    spectators = 0
    for record in look[2]:
        at, crowd, places = record.decode().split(" ")
        if abs(now - int(at)) < PRESENCE_GOOD_FOR:
            spectators += int(crowd)
            seats.update(int(seat) for seat in places.split(",") if seat)
    return Attached(tuple(sorted(seats)), spectators, seen)


def waiting_of(room: RoomId, look: Reply) -> Waiting:
    """The seats that wait for a bot host, by a room's listing and offers; of one that was removed, none."""
    if look is None or look[0][1] is None:
        return Waiting(room, b"", ())
    listing, offers = look[0]
    return Waiting(room, listing, waiting(decode(offers), present(look, 0).seats))
