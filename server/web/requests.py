"""What is read of an HTTP request: its address, its token, its body, each checked before it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TypeVar

from starlette.requests import Request

from protocol.codes import Code, ProtocolError
from protocol.json_codec import read_body
from server.settings import Settings
from server.web.limits import Address, Proxies

T = TypeVar("T")

TOKEN_LENGTH = 256
QUERY_LENGTH = 1024
"""Bytes of a query: to take a long one apart costs more than anything that is asked for so."""


def address_of(request: Request, proxies: Proxies) -> Address:
    """Where the request comes from."""
    peer = request.client.host if request.client is not None else None
    return proxies.client(peer, request.headers.getlist("x-forwarded-for"))


def query_of(request: Request, *names: str) -> Mapping[str, str]:
    """The request's query, in which each of these may be once, and nothing else.

    Raises:
        ProtocolError: `bad_message`.
    """
    if len(request.scope["query_string"]) > QUERY_LENGTH:
        raise ProtocolError(Code.BAD_MESSAGE, f"the query may have {QUERY_LENGTH} bytes")
    given = request.query_params.multi_items()
    if any(name not in names for name, _ in given):
        raise ProtocolError(Code.BAD_MESSAGE, f"the query may hold {', '.join(names)} only")
    if len(given) != len(dict(given)):
        raise ProtocolError(Code.BAD_MESSAGE, "the query holds something twice")
    return dict(given)


def token_of(request: Request) -> str:
    """The token in `Authorization: Bearer`; empty, if there is none.

    Raises:
        ProtocolError: `unauthorized`, if the header is there and holds no token.
    """
    header = request.headers.get("authorization")
    if header is None:
        return ""
    scheme, _, token = header.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > TOKEN_LENGTH or not token.isascii():
        raise ProtocolError(Code.UNAUTHORIZED, "Authorization must be Bearer and a token")
    return token


async def body_of(request: Request, kind: type[T], settings: Settings) -> T:
    """The request's body, a JSON map of this kind.

    Raises:
        ProtocolError: `unsupported_media`, `too_large`, `bad_message`.
    """
    media_type, _, parameters = request.headers.get("content-type", "").lower().partition(";")
    if media_type.strip() != "application/json" or parameters.strip() not in ("", "charset=utf-8", 'charset="utf-8"'):
        raise ProtocolError(Code.UNSUPPORTED_MEDIA, "Content-Type must be application/json")
    return read_body(await _bytes_of(request, settings), kind, settings.body_bytes)


async def _bytes_of(request: Request, settings: Settings) -> bytes:
    """The body, of which no more is read than may be there."""
    most = settings.body_bytes
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise ProtocolError(Code.TOO_LARGE, f"a body may have {most} bytes")
    parts = bytearray()
    try:
        async with asyncio.timeout(settings.body_within / 1000):
            async for part in request.stream():
                parts += part
                if len(parts) > most:
                    raise ProtocolError(Code.TOO_LARGE, f"a body may have {most} bytes")
    except TimeoutError:
        raise ProtocolError(Code.BAD_MESSAGE, "the body took too long to come") from None
    return bytes(parts)
