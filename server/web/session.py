"""One connection's conversation: frames in, requests to the hub, replies out. No I/O.

1. `welcome` is the first frame.
2. Every request costs credits, also one that can't be read. Without enough, it is refused, not queued.
3. What is said here never closes a connection, but for: text that is not UTF-8, the third syntax error in a row, a
   flood that does not end.
4. An exception of the hub is a bug of ours: it is logged, answered with `internal`, and the conversation goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import structlog
from msgspec import UNSET

from protocol.codec import DEPTH, Codec
from protocol.codes import Close, Code, EncodingProtocolError, ProtocolError, SyntaxProtocolError
from protocol.messages import (
    PROTOCOL_VERSION,
    AnyClientMessage,
    Check,
    Closing,
    Error,
    Join,
    Leave,
    Legal,
    Limits,
    Ok,
    Ping,
    RoomId,
    Welcome,
)
from server.rooms.hub import Hub
from server.rooms.viewer import Connection, Outbox
from server.settings import Wire
from server.web.credits import Credits
from server.web.gate import Gate
from server.web.limits import LookUps, too_many
from server.web.traffic import Traffic

SYNTAX_ERRORS = 3
DEAR = 5
"""What `legal`, `check` and a `join` without a token that fits cost, in credits."""

log = structlog.get_logger()


def _version() -> str:
    try:
        return version("pharos-tables")
    except PackageNotFoundError:
        return "0"


SERVER_VERSION = _version()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the conversations of one process have in common."""

    hub: Hub
    wire: Wire
    traffic: Traffic
    gate: Gate


class Session:
    """The conversation with one connection."""

    __slots__ = ("_around", "_connection", "_credits", "_look_ups", "_settled", "_syntax_errors")

    def __init__(self, around: Surroundings, codec: Codec, outbox: Outbox, look_ups: LookUps, now: float) -> None:
        """`look_ups`: those of the connection's address. `now`: the event loop's time."""
        self._around = around
        self._connection = Connection(codec, outbox, failed_lookup=self._failed, max_rooms=around.wire.rooms)
        self._look_ups = look_ups
        self._credits = Credits(around.wire.credits_per_second, around.wire.credits_burst, now)
        self._syntax_errors = 0
        self._settled = False
        self._connection.heard = now

    @property
    def settled(self) -> bool:
        """Whether the connection has ever joined a room."""
        self._settled = self._settled or bool(self._connection.rooms)
        return self._settled

    def welcome(self) -> None:
        """Say what this server speaks."""
        wire = self._around.wire
        limits = Limits(wire.frame_bytes, DEPTH, wire.rooms, wire.credits_per_second, wire.credits_burst)
        codec = self._connection.codec
        welcome = Welcome(PROTOCOL_VERSION, SERVER_VERSION, codec.name, limits, self._around.hub.clock.now())
        self._connection.outbox.reply(codec.encode(welcome), None)

    def closing(self, reconnect_after: int) -> None:
        """Say that the server goes."""
        frame = self._connection.codec.encode(Closing("the server is going down", reconnect_after))
        self._connection.outbox.reply(frame, None)

    def message(self, payload: bytes, now: float) -> Close | None:
        """A frame has come. The code with which to close the connection, if that is what it deserves."""
        self._connection.heard = now
        try:
            request = self._connection.codec.decode(payload, self._around.wire.frame_bytes)
        except ProtocolError as error:
            return self._unreadable(error, now)
        self._syntax_errors = 0
        cost = _cost(request)
        if not self._credits.take(cost, now):
            return self._flood(request, cost, now)
        self._request(request)
        return None

    def control(self, now: float) -> Close | None:
        """A ping, a pong or a part of a message has come: it costs a credit like any frame, and gets no reply."""
        self._connection.heard = now
        return None if self._credits.take(1, now) else self._too_much(now)

    @property
    def refusing(self) -> bool:
        """Whether requests are being refused, so that to read on at full speed would only serve a flood."""
        return self._credits.refusing

    def gone(self) -> None:
        """The connection is closed, or is being closed."""
        self._around.hub.gone(self._connection)

    def resync(self, room: RoomId) -> None:
        """The outbox has room for a snapshot of this room again."""
        self._around.hub.resync(self._connection, (room,))

    def _request(self, request: AnyClientMessage) -> None:
        if isinstance(request, Ping):
            self._reply(Ok(id=request.id, time=request.time, now=self._around.hub.clock.now()))
        elif self._around.gate.draining:
            self._refuse(ProtocolError(Code.DRAINING, "the server is going down"), request)
        elif isinstance(request, Join) and (wait := self._look_ups.wait()):
            self._refuse(too_many("failed look-ups", wait), request)
        else:
            # A room joined and left between two looks at `settled` counts as joined.
            self._settled = self._settled or (isinstance(request, Leave) and bool(self._connection.rooms))
            self._hand_over(request)

    def _hand_over(self, request: AnyClientMessage) -> None:
        assert not isinstance(request, Ping)
        try:
            self._around.hub.request(self._connection, request)
        except Exception:
            name = type(request).__name__
            log.exception("a request raised", request=name, room=request.room, connection=self._connection.id)
            self._refuse(ProtocolError(Code.INTERNAL, "something went wrong in the server"), request)

    def _failed(self, join: Join) -> int:
        """This `join` named no room, or a token that fits nothing: it costs what one without a token does."""
        self._credits.owe(DEAR - _cost(join), self._connection.heard)
        return self._look_ups.failed()

    def _unreadable(self, error: ProtocolError, now: float) -> Close | None:
        if isinstance(error, EncodingProtocolError):
            return Close.INVALID_TEXT
        if isinstance(error, SyntaxProtocolError):
            self._syntax_errors += 1
        else:
            self._syntax_errors = 0
        self._around.traffic.refused[error.code] += 1
        self._say(error, error.id, error.room)
        if self._syntax_errors >= SYNTAX_ERRORS:
            return Close.INVALID_TEXT
        return None if self._credits.take(1, now) else self._too_much(now)

    def _flood(self, request: AnyClientMessage, cost: int, now: float) -> Close | None:
        wait = self._credits.wait(cost)
        self._refuse(ProtocolError(Code.RATE_LIMITED, "more requests than credits", retry_after=wait), request)
        return self._too_much(now)

    def _too_much(self, now: float) -> Close | None:
        return Close.FLOOD if self._credits.flooded(now) * 1000 >= self._around.wire.flood_after else None

    def _refuse(self, error: ProtocolError, request: AnyClientMessage) -> None:
        self._around.traffic.refused[error.code] += 1
        self._say(error, request.id, None if isinstance(request, Ping) else request.room)

    def _say(self, error: ProtocolError, id_: int | None, room: str | None) -> None:
        wait = UNSET if error.retry_after is None else error.retry_after
        message = Error(id_, error.code, error.message, UNSET if room is None else room, wait)
        self._connection.outbox.reply(self._connection.codec.encode(message), None if room is None else RoomId(room))

    def _reply(self, message: Ok) -> None:
        self._connection.outbox.reply(self._connection.codec.encode(message), None)


def _cost(request: AnyClientMessage) -> int:
    if isinstance(request, Join):
        return DEAR if request.token is UNSET else 1
    return DEAR if isinstance(request, Legal | Check) else 1
