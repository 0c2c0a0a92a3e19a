"""What a request with `Upgrade: websocket` gets, before it is a connection (protocol sections 1 and 7). No I/O."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus

from websockets.datastructures import Headers, MultipleValuesError
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.codes import HTTP_STATUS, Code, ProtocolError
from server.web.answers import MEDIA_TYPE, retry_after, told
from server.web.origins import Origins

PATH = "/ws"
SUBPROTOCOLS = frozenset({JSON.subprotocol, MSGPACK.subprotocol})


def select_subprotocol(_: ServerProtocol, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first of the offered subprotocols that this server speaks; None if it speaks none of them."""
    return next((name for name in offered if name in SUBPROTOCOLS), None)


def codec_of(request: Request, chosen: str | None) -> Codec | None:
    """The codec of the connection; None if only unknown subprotocols were offered."""
    if chosen is not None:
        return CODECS[chosen]
    return None if request.headers.get_all("Sec-WebSocket-Protocol") else JSON


def check(request: Request, origins: Origins) -> None:
    """Whether the request may become a connection.

    Raises:
        ProtocolError: `not_found` for any path but `/ws`, `forbidden` for a foreign page.
    """
    if request.path.partition("?")[0] != PATH:
        raise ProtocolError(Code.NOT_FOUND, "there is nothing at this path")
    try:
        origin = request.headers.get("Origin")
    except MultipleValuesError:
        raise ProtocolError(Code.FORBIDDEN, "more than one Origin") from None
    if not origins.allow(origin):
        raise ProtocolError(Code.FORBIDDEN, "pages of this Origin may not connect")


def refusal(error: ProtocolError) -> Response:
    """The HTTP response that says no."""
    status, body = HTTPStatus(HTTP_STATUS[error.code]), JSON.value(told(error))
    headers = {"Connection": "close", "Content-Type": MEDIA_TYPE, "Content-Length": str(len(body))}
    return Response(status.value, status.phrase, Headers({**headers, **retry_after(error)}), body)
