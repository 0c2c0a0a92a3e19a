"""The form of every HTTP answer: JSON, errors as `{"error": {…}}` (protocol section 7)."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import UNSET
from starlette.responses import Response

from protocol.codec import JSON
from protocol.codes import HTTP_STATUS, Code, ProtocolError
from protocol.messages import Failure, FailureBody, Json

MEDIA_TYPE = "application/json"


def answer(body: Mapping[str, Json] | msgspec.Struct, status: int = 200, media_type: str = MEDIA_TYPE) -> Response:
    """An answer that nobody on the way may keep, for it may hold a token or be old in a second."""
    return Response(JSON.value(body), status, {"Cache-Control": "no-store"}, media_type)


def failure(error: ProtocolError, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that says what went wrong."""
    wait = UNSET if error.retry_after is None else error.retry_after
    response = answer(FailureBody(Failure(error.code, error.message, wait)), HTTP_STATUS[error.code])
    response.headers.update(headers or {})
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(-(-error.retry_after // 1000))
    if error.code is Code.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response
