"""Error codes and close codes: the tables of protocol section 3, in one place."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Code(StrEnum):
    """What went wrong, for programs; the text beside it is for people."""

    BAD_MESSAGE = "bad_message"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    UNSUPPORTED_PROTOCOL = "unsupported_protocol"
    UNKNOWN_ROOM = "unknown_room"
    BROKEN_ROOM = "broken_room"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    REVOKED = "revoked"
    NOT_JOINED = "not_joined"
    NOT_SEATED = "not_seated"
    TOO_MANY = "too_many"
    NOT_STARTED = "not_started"
    NOT_YOUR_TURN = "not_your_turn"
    ILLEGAL_ACTION = "illegal_action"
    STALE = "stale"
    KEY_REUSED = "key_reused"
    CANNOT_UNDO = "cannot_undo"
    GAME_OVER = "game_over"
    DISPLACED = "displaced"
    ROOM_FULL = "room_full"
    SEAT_TAKEN = "seat_taken"
    NAME_TAKEN = "name_taken"
    NOT_FINISHED = "not_finished"
    UNKNOWN_GAME = "unknown_game"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    UNSUPPORTED_MEDIA = "unsupported_media"
    DRAINING = "draining"
    UNAVAILABLE = "unavailable"
    UNKNOWN_OUTCOME = "unknown_outcome"
    INTERNAL = "internal"


HTTP_STATUS: dict[Code, int] = {
    Code.BAD_MESSAGE: 400,
    Code.TOO_LARGE: 413,
    Code.RATE_LIMITED: 429,
    Code.UNKNOWN_ROOM: 404,
    Code.BROKEN_ROOM: 500,
    Code.UNAUTHORIZED: 401,
    Code.FORBIDDEN: 403,
    Code.REVOKED: 403,
    Code.NOT_STARTED: 409,
    Code.ILLEGAL_ACTION: 422,
    Code.KEY_REUSED: 409,
    Code.GAME_OVER: 409,
    Code.ROOM_FULL: 409,
    Code.SEAT_TAKEN: 409,
    Code.NAME_TAKEN: 409,
    Code.NOT_FINISHED: 409,
    Code.UNKNOWN_GAME: 404,
    Code.NOT_FOUND: 404,
    Code.METHOD_NOT_ALLOWED: 405,
    Code.UNSUPPORTED_MEDIA: 415,
    Code.DRAINING: 503,
    Code.UNAVAILABLE: 503,
    Code.UNKNOWN_OUTCOME: 503,
    Code.INTERNAL: 500,
}


class Close(IntEnum):
    """WebSocket close codes that the server sends."""

    GOING_AWAY = 1001
    PROTOCOL = 1002
    WRONG_DATA = 1003
    INVALID_TEXT = 1007
    FLOOD = 1008
    TOO_BIG = 1009
    UNSUPPORTED = 4000
    TOO_SLOW = 4001
    DEAD = 4002
    IDLE = 4003


class ProtocolError(Exception):
    """A request that can't be carried out: what the client's program, or its person, did wrong or must wait for.

    `id` and `room` are those of the request, as far as it could be read. `retry_after` is in milliseconds.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        id: int | None = None,  # noqa: A002 - the field's name
        room: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.id = id
        self.room = room
        self.retry_after = retry_after


class SyntaxProtocolError(ProtocolError):
    """The frame is not the codec at all; the third in a row closes the connection (`Close.INVALID_TEXT`)."""


class EncodingProtocolError(ProtocolError):
    """The frame holds text that is not UTF-8, which closes the connection at once (`Close.INVALID_TEXT`)."""
