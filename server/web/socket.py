"""The WebSocket endpoint: an `asyncio.Protocol` on the core of `websockets`, which uvicorn hands its transports to.

1. No task and no timer belongs to a connection, save while it floods: it lives on callbacks of its transport and on
   looks of the wheel.
2. What is to be sent in one turn of the event loop goes to the transport in one call, at the end of the turn or, where
   many connections have something to send, a few turns later.
3. A peer that does not take what it is sent is not read from. One that takes nothing for long is closed.
4. A large piece of input is worked on a slice a turn, so that nobody's burst stops the others; who is being refused
   for want of credits is read slowly.
5. After the close frame nothing is sent; input is thrown away until the peer closes, for a limited time.
"""

from __future__ import annotations

import asyncio
import logging
import socket as sockets
from typing import cast

import structlog
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from protocol.codec import JSON
from protocol.codes import Close, Code, ProtocolError
from protocol.messages import Error
from server.web import frames, handshake
from server.web.endpoint import Endpoint
from server.web.limits import Address, LookUps, too_many
from server.web.outbox import BoundedOutbox
from server.web.session import Session

SLICE = 4096
"""How many bytes of input are worked on at a time: at most some hundred frames, a few ms."""

LINGER = 65_536
"""How many bytes are looked at after the close frame, to find the peer's own."""

SLICES, WRITING, FLOOD = 1, 2, 4
"""Why nothing is read from a peer, as bits of `_hold`: input waits, the peer does not read, it is out of credits."""

REST = 0.1
"""For how many seconds nothing is read from who is out of credits."""

TOO_MANY_CONNECTIONS = 10_000
"""What is said where there are too many connections, in ms: come back when some are closed."""

log = structlog.get_logger()
_quiet = logging.getLogger("pharos.websockets")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False
_quiet.setLevel(logging.CRITICAL)


class Socket(asyncio.Protocol):
    """One WebSocket connection."""

    def __init__(self, endpoint: Endpoint, known: set[asyncio.Protocol]) -> None:
        """`known`: where uvicorn keeps the connections that it asks to `shutdown`."""
        self._endpoint = endpoint
        self._known = known
        self._loop = asyncio.get_running_loop()
        self._core = ServerProtocol(
            extensions=None,
            select_subprotocol=handshake.select_subprotocol,
            max_size=endpoint.wire.frame_bytes,
            logger=_quiet,
        )
        self._session: Session | None = None
        self._hold = 0
        self._backlog = b""
        self._address: Address | None = None
        self._opened = self._heard = self._pinged = self._loop.time()
        self._stuck_since = 0.0
        self._stuck_at = 0
        self._closing_since: float | None = None
        self._after_close = 0

    # The transport's callbacks

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """uvicorn hands its transport over; the request follows as data."""
        self._transport = cast(asyncio.Transport, transport)
        self._slot = self._endpoint.wheel.add(self)
        self._endpoint.sockets.add(self)
        self._endpoint.traffic.connections += 1
        self._known.add(self)
        raw = transport.get_extra_info("socket")
        if raw is not None:
            raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, self._endpoint.wire.send_buffer)

    def connection_lost(self, _: Exception | None) -> None:
        """The TCP connection is gone."""
        self._endpoint.wheel.remove(self, self._slot)
        self._endpoint.leave(self)
        self._endpoint.traffic.connections -= 1
        self._known.discard(self)
        self._backlog = b""
        self._end_session()
        if self._address is not None:
            self._endpoint.limits.disconnect(self._address)
            self._address = None

    def eof_received(self) -> bool:
        """The peer sends nothing more: close."""
        return False

    def pause_writing(self) -> None:
        """The peer does not read as fast as it is written to."""
        self._stuck_since = self._loop.time()
        self._stuck_at = self._transport.get_write_buffer_size()
        self._stop_reading(WRITING)

    def resume_writing(self) -> None:
        """The peer has read what was written."""
        self._heard = self._loop.time()
        self._read_on(WRITING)
        self.flush()

    def data_received(self, data: bytes) -> None:
        """Bytes from the peer."""
        self._heard = self._loop.time()
        if self._closing_since is not None:
            self._throw_away(data)
        elif len(data) <= SLICE and not self._backlog:
            if self._session is None or self._core.reader.buffer or not self._whole(data):
                self._feed(data)
        else:
            self._backlog += data
            if not self._hold & SLICES:
                self._stop_reading(SLICES)
                self._next_slice()

    # Input

    def _next_slice(self) -> None:
        """Work on a part of what has come, and on the rest in later turns."""
        if self._hold & ~SLICES:
            return  # `_read_on` comes back here
        self._heard = self._loop.time()
        data, self._backlog = self._backlog[:SLICE], self._backlog[SLICE:]
        self._feed(data)
        if not self._backlog:
            self._read_on(SLICES)
        else:
            self._loop.call_soon(self._next_slice)

    def _whole(self, data: bytes) -> bool:
        """Take the short way for data that is exactly one message; whether it was."""
        try:
            payload = self._assembly.whole(data)
        except frames.BadFrame as bad:
            self._close(bad.close, bad.reason)
            return True
        if payload is None:
            return False
        self._message(payload)
        return True

    def _feed(self, data: bytes) -> None:
        core = self._core
        core.receive_data(data)
        if core.writes and core.state is State.OPEN:
            self._write_core()  # pongs go first; a close frame after the answers to what came before it
        for event in core.events_received():
            if isinstance(event, Frame):
                self._frame(event)
            elif isinstance(event, Request):
                self._request(event)
        if core.writes:
            if self._session is not None:
                self.flush()  # what was asked before is answered before a close frame
            self._write_core()

    def _frame(self, frame: Frame) -> None:
        if self._session is None or self._closing_since is not None:
            return
        if frame.opcode is Opcode.CLOSE:
            self.flush()
            self._end_session()
            return
        try:
            payload = self._assembly.add(frame) if frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT) else None
        except frames.BadFrame as bad:
            self._close(bad.close, bad.reason)
        else:
            self._message(payload)

    def _message(self, payload: bytes | None) -> None:
        """A message, or (None) a frame that is none, has come."""
        session = self._session
        assert session is not None
        self._endpoint.traffic.frames_in += 1
        close = session.control(self._heard) if payload is None else session.message(payload, self._heard)
        if close is not None:
            self._close(close)
        elif session.refusing:
            self._rest()

    def _throw_away(self, data: bytes) -> None:
        """Look for the peer's close frame, but not for long: who goes on sending waits for the end."""
        self._after_close += len(data)
        if self._after_close <= LINGER:
            self._feed(data)
        else:
            self._transport.pause_reading()

    def _rest(self) -> None:
        """Read nothing for a while from who asks for more than its credits."""
        if not self._hold & FLOOD:
            self._stop_reading(FLOOD)
            self._loop.call_later(REST, self._read_on, FLOOD)

    def _stop_reading(self, hold: int) -> None:
        if not self._hold and self._closing_since is None:
            self._transport.pause_reading()
        self._hold |= hold

    def _read_on(self, hold: int) -> None:
        if not self._hold & hold:
            return
        self._hold &= ~hold
        if self._hold == SLICES and hold is not SLICES:
            self._next_slice()
        elif not self._hold and not self._transport.is_closing():
            self._transport.resume_reading()

    # The handshake

    def _request(self, request: Request) -> None:
        try:
            handshake.check(request, self._endpoint.origins)
            self._check_space()
            self._count_address(request)
        except ProtocolError as error:
            self._endpoint.traffic.refused[error.code] += 1
            self._core.send_response(handshake.refusal(error))
            return
        response = self._core.accept(request)
        self._core.send_response(response)
        if response.status_code == 101:
            self._open(request, response)

    def _check_space(self) -> None:
        if self._endpoint.traffic.connections > self._endpoint.wire.max_connections:
            message = "this server has as many connections as it may"
            raise ProtocolError(Code.UNAVAILABLE, message, retry_after=TOO_MANY_CONNECTIONS)

    def _count_address(self, request: Request) -> None:
        peer = self._transport.get_extra_info("peername")
        forwarded = request.headers.get_all("X-Forwarded-For")
        address = self._endpoint.proxies.client(peer[0] if isinstance(peer, tuple) else None, forwarded)
        if wait := self._endpoint.limits.call(address):
            raise too_many("calls", wait)
        if not self._endpoint.limits.connect(address):
            raise too_many("connections", TOO_MANY_CONNECTIONS)
        self._address = address

    def _open(self, request: Request, response: Response) -> None:
        codec = handshake.codec_of(request, response.headers.get("Sec-WebSocket-Protocol"))
        self._write_core()
        wire = self._endpoint.wire
        self._outbox = BoundedOutbox(
            self._endpoint.framings[codec is not None and codec.binary],
            self._endpoint.traffic,
            max_frames=wire.outbox_frames,
            max_bytes=wire.outbox_bytes,
        )
        self._outbox.on_waiting = self._wake
        self._outbox.on_full = self.flush
        if codec is None:
            error = Error(None, Code.UNSUPPORTED_PROTOCOL, "none of the subprotocols offered is spoken here")
            self._outbox.reply(JSON.encode(error), None)
            self._close(Close.UNSUPPORTED)
            return
        address = self._address
        assert address is not None
        self._assembly = frames.Assembly(wire.frame_bytes, binary=codec.binary)
        look_ups = LookUps(self._endpoint.limits, address)
        self._session = Session(self._endpoint.around, codec, self._outbox, look_ups, self._heard)
        self._session.welcome()
        if self._endpoint.gate.draining:
            self.warn()
            self._close(Close.GOING_AWAY)

    # Output

    def _wake(self) -> None:
        if not self._hold & WRITING:
            self._endpoint.wake(self)

    def flush(self) -> None:
        """Give what waits to the transport, unless the peer does not take it."""
        transport = self._transport
        if self._hold & WRITING or self._closing_since is not None or transport.is_closing():
            return
        waiting = self._outbox.take()
        if waiting:
            self._endpoint.traffic.frames_out += len(waiting)
            if len(waiting) == 1:
                transport.write(waiting[0])
            else:
                transport.writelines(waiting)
        if self._outbox.behind and self._session is not None and not self._hold & WRITING:
            self._outbox.catch_up(self._session.resync)

    def _write_core(self) -> None:
        """Send what the core says: the response, pongs, the close frame and the end of the stream."""
        for data in self._core.data_to_send():
            if self._transport.is_closing():
                return
            if data:
                self._transport.write(data)
            else:
                self._hang_up()

    def _hang_up(self) -> None:
        """Nothing more is sent. Wait for the peer to close, or what it was sent last might not reach it."""
        if self._closing_since is None:
            self._begin_closing()
        self._transport.write_eof()

    def _begin_closing(self) -> None:
        sent = self._core.close_sent
        if sent is not None and self._core.close_rcvd is None:
            self._endpoint.traffic.closed[sent.code] += 1
        self._closing_since = self._loop.time()
        self._backlog = b""
        self._end_session()
        self._hold &= WRITING
        self._transport.resume_reading()

    # The end

    def _close(self, code: Close, reason: str = "") -> None:
        """Send what waits, then the close frame."""
        if self._core.state is not State.OPEN or self._closing_since is not None:
            return
        self.flush()
        self._core.send_close(code, reason)
        self._write_core()
        self._begin_closing()

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.gone()
            self._session = None

    def warn(self) -> None:
        """Tell the client that the server is going down."""
        if self._session is not None:
            self._session.closing(self._endpoint.reconnect_after())

    def shutdown(self) -> None:
        """The server goes down: end the connection. Also called by uvicorn."""
        if self._core.state is State.OPEN:
            self._close(Close.GOING_AWAY)
        elif self._closing_since is None:
            self._transport.close()

    def abort(self) -> None:
        """Cut the connection."""
        self._transport.abort()

    # The wheel

    def visit(self, now: float) -> None:
        """Look after the connection: ping it, and end it if it is dead, idle, stuck or slow to close."""
        wire = self._endpoint.wire
        if self._closing_since is not None or self._core.state is not State.OPEN:
            if (now - (self._closing_since or self._opened)) * 1000 >= wire.close_within:
                self.abort()
            return
        if self._hold & WRITING:
            self._look_if_stuck(now)
        elif (now - self._heard) * 1000 >= wire.dead_after:
            self._close(Close.DEAD)
        elif self._session is not None and not self._session.settled and self._idle(now):
            self._close(Close.IDLE)
        elif (now - self._pinged) * 1000 >= wire.ping_every:
            self._pinged = now
            self._core.send_ping(b"")
            self._write_core()

    def _idle(self, now: float) -> bool:
        return (now - self._opened) * 1000 >= self._endpoint.wire.join_within

    def _look_if_stuck(self, now: float) -> None:
        """A peer that takes anything at all is slow, not stuck."""
        left = self._transport.get_write_buffer_size()
        if left < self._stuck_at:
            self._stuck_at = left
            self._stuck_since = self._heard = now
        elif (now - self._stuck_since) * 1000 >= self._endpoint.wire.stuck_after:
            self._close(Close.TOO_SLOW)
