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


def told(error: ProtocolError) -> FailureBody:
    """What the body says of an error."""
    return FailureBody(Failure(error.code, error.message, UNSET if error.retry_after is None else error.retry_after))


def retry_after(error: ProtocolError) -> Mapping[str, str]:
    """The header that says when to try again, where that helps."""
    return {} if error.retry_after is None else {"Retry-After": str(-(-error.retry_after // 1000))}


def failure(error: ProtocolError, headers: Mapping[str, str] | None = None) -> Response:
    """The answer that says what went wrong."""
    response = answer(told(error), HTTP_STATUS[error.code])
    response.headers.update({**(headers or {}), **retry_after(error)})
    if error.code is Code.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response
