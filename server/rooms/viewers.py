"""Who is attached to a room on this node, and how they are told: seats first, then spectators.

Where the room's spectators see everything `delay` ms late, what concerns them waits in a line here until then; so do
their presence and chat. No call blocks, and none knows a socket.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

import msgspec

from protocol.codec import Codec
from protocol.messages import ChatLine, Presence, RoomId, ServerMessage
from server.rooms.audience import Change
from server.rooms.document import Part
from server.rooms.viewer import Connection
from server.store.store import Head


class Viewer(msgspec.Struct):
    """One attached connection: a seat's holder (by the hash of its token), or a spectator (None)."""

    connection: Connection
    seat: int | None
    holder: bytes | None
    legal: bool
    presence: Presence | None = None
    """Who was there when it was last told so."""

    def notice(self, room: RoomId, message: Presence | ChatLine, frame: Callable[[Codec], bytes]) -> None:
        """Tell it what was said, or who is there, unless it knows."""
        if isinstance(message, Presence):
            if message == self.presence:
                return
            self.presence = message
        line = message.n if isinstance(message, ChatLine) else 0
        self.connection.outbox.notice(room, frame(self.connection.codec), line)


class Window(msgspec.Struct, frozen=True):
    """What a spectator sees now: an entry, and the public document after it."""

    head: Head
    public: Part


Told = Change | Presence | ChatLine


class Viewers:
    """All viewers of one room on this node."""

    def __init__(self, room: RoomId, delay: int, window: Window) -> None:
        """`delay`: ms that spectators are behind. `window`: what they see at first."""
        self.room = room
        self.delay = delay
        self.window = window
        self.shown: Presence | None = None
        """The presence that spectators were told last."""
        self.players: dict[Connection, Viewer] = {}
        self.spectators: dict[Connection, Viewer] = {}
        self.released = 0
        """Up to which moment spectators were told everything (ms of store time)."""
        self._line: deque[tuple[int, Told]] = deque()

    def __len__(self) -> int:
        return len(self.players) + len(self.spectators)

    def all(self) -> tuple[Viewer, ...]:
        """Every viewer, seats first."""
        return (*self.players.values(), *self.spectators.values())

    def find(self, connection: Connection) -> Viewer | None:
        """The connection's viewer, if it is attached."""
        return self.players.get(connection) or self.spectators.get(connection)

    def add(self, viewer: Viewer) -> None:
        """Attach a connection."""
        group = self.spectators if viewer.seat is None else self.players
        group[viewer.connection] = viewer
        viewer.connection.rooms.add(self.room)

    def remove(self, connection: Connection) -> Viewer | None:
        """Detach a connection; what still waits for it of this room is dropped."""
        viewer = self.players.pop(connection, None) or self.spectators.pop(connection, None)
        if viewer is not None:
            connection.rooms.discard(self.room)
            connection.outbox.forget(self.room)
        return viewer

    def holding(self, seat: int) -> list[Viewer]:
        """The seat's connections."""
        return [viewer for viewer in self.players.values() if viewer.seat == seat]

    def seats(self) -> tuple[int, ...]:
        """The seats that have a connection here, ascending."""
        return tuple(sorted({v.seat for v in self.players.values() if v.seat is not None}))

    def change(self, change: Change) -> None:
        """Tell everybody what an entry changed."""
        for viewer in self.players.values():
            frame = change.frame(viewer.seat, viewer.connection.codec)
            viewer.connection.outbox.update(self.room, frame)
        self._spectate(change.recorded.at, change)

    def notice(self, message: Presence | ChatLine, at: int, *, seats_only: bool = False) -> None:
        """Tell everybody who is there, or what was said, at the moment `at` (ms of store time)."""
        frame = _encoder(message)
        for viewer in self.players.values():
            viewer.notice(self.room, message, frame)
        if not seats_only:
            self._spectate(at, message)

    def _spectate(self, at: int, told: Told) -> None:
        if self.delay:
            self._line.append((at + self.delay, told))
        else:
            self._tell_spectators(told)

    def keep(self, lines: Iterable[ChatLine]) -> None:
        """Tell the spectators these lines in their time."""
        waiting = [*self._line, *((line.at + self.delay, line) for line in lines)]
        self._line = deque(sorted(waiting, key=lambda told: told[0]))

    def release(self, now: int) -> int | None:
        """Tell the spectators what is old enough; the moment of the next release, if something waits."""
        self.released = now
        while self._line and self._line[0][0] <= now:
            self._tell_spectators(self._line.popleft()[1])
        return self._line[0][0] if self._line else None

    def _tell_spectators(self, told: Told) -> None:
        if isinstance(told, Change):
            recorded = told.recorded
            self.window = Window(Head(recorded.seq, recorded.tag, recorded.at), told.documents.public)
            for viewer in self.spectators.values():
                viewer.connection.outbox.update(self.room, told.frame(None, viewer.connection.codec))
            return
        if isinstance(told, Presence):
            self.shown = told
        frame = _encoder(told)
        for viewer in self.spectators.values():
            viewer.notice(self.room, told, frame)


def _encoder(message: ServerMessage) -> Callable[[Codec], bytes]:
    """Encodes a message once a codec, however many get it."""
    frames: dict[str, bytes] = {}

    def encode(codec: Codec) -> bytes:
        if codec.name not in frames:
            frames[codec.name] = codec.encode(message)
        return frames[codec.name]

    return encode
