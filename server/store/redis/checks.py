"""What is looked at when the store is opened: the version, the format of what lies there, persistence, eviction."""

from __future__ import annotations

import structlog
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ResponseError

from server.store.redis.addresses import ask
from server.store.redis.keys import BUCKETS, in_bucket
from server.store.redis.servers import Servers
from server.store.store import StoreUnusable

log = structlog.get_logger("pharos.store")

FORMAT = 2
OLDEST = (6, 2)

EVICTS = "redis may drop rooms when it is full: set maxmemory-policy to noeviction"
FORGETS = "redis keeps its data in memory only: a restart may lose every room; set appendonly yes"
LAGS = "redis may lose the last second of acknowledged actions in a crash: set appendfsync always, or live with it"
HIDDEN = "redis does not tell its configuration: see to appendonly yes, appendfsync always, maxmemory-policy noeviction"


async def check(servers: Servers) -> None:
    """Refuse what can't work, and warn, in one line each, of what may lose rooms.

    Raises:
        StoreUnusable: too old, or written by another version. RedisError, OSError, Lost: it can't be looked at.
    """
    warnings: dict[str, dict[str, str]] = {}
    for server in servers.all():
        connection = await server.dial()
        try:
            await _check_version(connection)
            if server is servers.home(BUCKETS[0]):
                await _check_format(connection)
            for warning, settings in await _warnings(connection):
                warnings.setdefault(warning, settings)
        finally:
            await connection.disconnect(nowait=True)
    for warning, settings in warnings.items():
        log.warning(warning, **settings)


async def _check_version(connection: AbstractConnection) -> None:
    info = (await ask(connection, "INFO", "server")).decode()
    version = info.partition("redis_version:")[2].partition("\r")[0]
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST:
        raise StoreUnusable(f"Redis {version} is too old: 6.2 is the oldest that will do")


async def _check_format(connection: AbstractConnection) -> None:
    key = in_bucket(BUCKETS[0], "format")
    found = await ask(connection, "GET", key)
    if found is None:  # asked first, for a server that is full takes no SET, and has to be cleared up by somebody
        await ask(connection, "SET", key, FORMAT, "NX")
        found = await ask(connection, "GET", key)
    if found != b"%d" % FORMAT:
        raise StoreUnusable(f"written by another version of Pharos (format {found.decode()}, this one is {FORMAT})")


async def _warnings(connection: AbstractConnection) -> list[tuple[str, dict[str, str]]]:
    found: dict[str, str] = {}
    try:
        for name in ("appendonly", "appendfsync", "maxmemory-policy"):
            _, value = await ask(connection, "CONFIG GET", name)
            found[name] = value.decode()
    except (ResponseError, ValueError):
        return [(HIDDEN, {})]
    warnings = []
    if found["appendonly"] != "yes":
        warnings.append((FORGETS, {"appendonly": found["appendonly"]}))
    elif found["appendfsync"] != "always":
        warnings.append((LAGS, {"appendfsync": found["appendfsync"]}))
    if found["maxmemory-policy"] != "noeviction":
        warnings.append((EVICTS, {"maxmemory_policy": found["maxmemory-policy"]}))
    return warnings
