"""Where the servers are: what `PHAROS_STORE` says, and how to open a connection to one of them.

`redis://[user:password@]host[:port][/db]`, `redis+cluster://host[:port],host…`, and
`redis+sentinel://host[:port],host…/service[/db]`; with `rediss` in place of `redis`, over TLS; `redis+unix:///path`.
A query sets more of redis-py's own connection settings (`ssl_ca_certs`, `socket_keepalive`, …), and for Sentinels
`sentinel_username` and `sentinel_password`. TLS and its settings hold for Sentinels, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from enum import StrEnum
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    RedisSSLContext,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from server.store.redis.link import Lost

CONNECT_LIMIT = 1.5
"""Seconds for opening a connection, its handshake included."""
PORT, SENTINEL_PORT = 6379, 26379

Address = tuple[str, int]


class Shape(StrEnum):
    """How the servers stand to each other."""

    SINGLE = "single"
    CLUSTER = "cluster"
    SENTINEL = "sentinel"


class Place(msgspec.Struct, frozen=True):
    """What a URL says. `options` are redis-py's for a connection; `service` is the name that Sentinels know.

    `tls` is made once for all connections: it reads the system's certificates, which takes longer than connecting.
    """

    shape: Shape
    seeds: tuple[Address, ...]
    options: Mapping[str, Any]
    kind: type[AbstractConnection] = Connection
    service: str = ""
    sentinel_options: Mapping[str, Any] = {}
    tls: RedisSSLContext | None = None


def read_url(url: str) -> Place:
    """What the URL says.

    Raises:
        ValueError: it can't be read; the text has no secrets.
    """
    scheme, _, rest = url.partition("://")
    base, _, shape = scheme.partition("+")
    if scheme == "redis+unix":
        return _unix(rest)
    if base not in ("redis", "rediss") or shape not in ("", "cluster", "sentinel"):
        raise ValueError("must be redis://, redis+cluster://, redis+sentinel:// (or rediss…), or redis+unix://")
    parts = urlsplit(f"//{rest}")
    user, at, hosts = parts.netloc.rpartition("@")
    seeds = tuple(_address(host, SENTINEL_PORT if shape == "sentinel" else PORT) for host in hosts.split(","))
    path = parts.path.removeprefix("/")
    service, _, db = path.partition("/") if shape == "sentinel" else ("", "", path)
    if (shape == "sentinel") != bool(service) or (db and (shape == "cluster" or not db.isdecimal())):
        raise ValueError("must end with /service for Sentinels, and with a number or nothing otherwise")
    if not shape and len(seeds) > 1:
        raise ValueError("several hosts are for redis+cluster:// or redis+sentinel://")
    options = dict(parse_url(f"{base}://{user}{at}{hosts.split(',')[0]}/{db or 0}?{parts.query}"))
    sentinel = {
        name.removeprefix("sentinel_"): options.pop(name)
        for name in ("sentinel_username", "sentinel_password")
        if name in options
    }
    for name in ("host", "port", "connection_class"):
        options.pop(name, None)
    kind = SSLConnection if base == "rediss" else Connection
    tls = _try_out(kind, options)
    return Place(Shape(shape or "single"), seeds, options, kind, unquote(service), sentinel, tls)


def _try_out(kind: type[AbstractConnection], options: Mapping[str, Any]) -> RedisSSLContext | None:
    """The TLS of a connection with these options, if it is one with TLS.

    Raises:
        ValueError: what waiting would not mend: a setting that redis-py does not have, an unreadable certificate.
    """
    try:
        connection = kind(**options)
        if not isinstance(connection, SSLConnection):
            return None
        connection.ssl_context.get()
        return connection.ssl_context
    except TypeError:
        raise ValueError("has a setting that redis-py's connections do not have") from None
    except (RedisError, OSError) as error:
        raise ValueError(f"its TLS can't be set up: {error}") from None


def _unix(rest: str) -> Place:
    options = dict(parse_url(f"unix://{rest}"))
    path = str(options.pop("path", ""))
    options.pop("connection_class", None)
    if not path:
        raise ValueError("redis+unix:// needs the path of a socket")
    _try_out(UnixDomainSocketConnection, options)
    return Place(Shape.SINGLE, ((path, 0),), options, UnixDomainSocketConnection)


def _address(text: str, port: int) -> Address:
    try:
        parts = urlsplit(f"//{text}")
        return parts.hostname or "127.0.0.1", parts.port or port
    except ValueError:
        raise ValueError("must name hosts as host or host:port") from None


async def connect(place: Place, address: Address, *, sentinel: bool = False) -> AbstractConnection:
    """An open connection, within `CONNECT_LIMIT`; its replies are waited for without end, by whoever asks.

    Raises:
        RedisError, OSError: as redis-py says. Lost: it took too long.
    """
    where = (
        {"path": address[0]} if place.kind is UnixDomainSocketConnection else dict(zip(_WHERE, address, strict=True))
    )
    options = {**place.options, **_OWN} if not sentinel else {**place.sentinel_options, **_OWN}
    connection = place.kind(**where, **options)
    if isinstance(connection, SSLConnection) and place.tls is not None:
        connection.ssl_context = place.tls
    try:
        async with asyncio.timeout(CONNECT_LIMIT):
            await connection.connect()  # type: ignore[no-untyped-call]
    except TimeoutError:
        await _drop(connection)
        raise Lost(f"{address[0]}:{address[1]} does not answer", sent=False) from None
    except BaseException:
        await _drop(connection)
        raise
    return connection


_WHERE = ("host", "port")
_OWN: Mapping[str, Any] = {
    "socket_timeout": None,
    "socket_connect_timeout": CONNECT_LIMIT,
    "retry": Retry(NoBackoff(), 0),
    "protocol": 2,
    "health_check_interval": 0,
}


async def _drop(connection: AbstractConnection) -> None:
    try:
        await connection.disconnect(nowait=True)
    except (RedisError, OSError):
        return


async def ask(connection: AbstractConnection, *command: str | int) -> Any:
    """One command and its reply, within `CONNECT_LIMIT`.

    Raises:
        RedisError, OSError: as redis-py says. Lost: it took too long.
    """
    try:
        async with asyncio.timeout(CONNECT_LIMIT):
            await connection.send_command(*command, check_health=False)
            return await connection.read_response(disable_decoding=True)
    except TimeoutError:
        raise Lost("no reply in time", sent=True) from None
