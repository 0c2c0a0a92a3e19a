"""The composition root: the one place that knows every class. Reads the settings, builds the parts, serves."""

from __future__ import annotations

import os
import resource
import secrets
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import structlog

from server import logs
from server.rooms.hub import Hub
from server.settings import Settings, SettingsError, masked, read_settings
from server.store.memory import MemoryStore
from server.store.sqlite import SqliteStore
from server.store.store import Store, StoreUnusable
from server.traces import open_traces
from server.web.serving import CanNotListen, serve
from server.web.site import Site

CAN_NOT_START = 2
"""The exit code of a start that the settings, the address or the store make impossible."""


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Serve until a signal; the answer is the exit code."""
    try:
        settings = read_settings(environment)
        store, traces = open_store(settings), open_traces(settings)
    except SettingsError as error:
        print(f"pharos: {error}", file=sys.stderr)
        return CAN_NOT_START
    logs.configure(settings.log, settings.log_level)
    node = settings.node or secrets.token_hex(4)
    structlog.get_logger().info("starting", store=masked(settings.store), node=node)
    raise_file_limit()
    hub = Hub(store, settings.pace, node, traces)
    try:
        serve(Site(hub, settings))
    except CanNotListen as error:
        print(f"pharos: {error}", file=sys.stderr)
        return CAN_NOT_START
    except StoreUnusable as error:
        print(f"pharos: PHAROS_STORE: {error}", file=sys.stderr)
        return CAN_NOT_START
    finally:
        if traces is not None:
            traces.close()
    return 0


def raise_file_limit() -> None:
    """Take as many open files as the system gives: every connection is one, and the usual 1,024 are few."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def open_store(settings: Settings) -> Store:
    """The store that the settings name.

    Raises:
        SettingsError: there is no such kind of store.
    """
    scheme, separator, rest = settings.store.partition("://")
    opener = OPENERS.get(scheme) if separator else None
    if opener is None:
        kinds = ", ".join(f"{kind}://" for kind in OPENERS)
        raise SettingsError(f"PHAROS_STORE: must begin with one of {kinds}")
    return opener(settings, rest)


def _sqlite(_: Settings, rest: str) -> Store:
    """`sqlite:///file` lies in the working directory, `sqlite:////dir/file` anywhere."""
    path = rest.removeprefix("/")
    if not rest.startswith("/") or not path:
        raise SettingsError("PHAROS_STORE: a file's URL is sqlite:///name or sqlite:////path/name")
    if not Path(path).absolute().parent.is_dir():
        raise SettingsError("PHAROS_STORE: the directory of the file does not exist")
    return SqliteStore(path)


def _memory(_: Settings, rest: str) -> Store:
    if rest:
        raise SettingsError("PHAROS_STORE: memory:// takes nothing more")
    return MemoryStore()


def _redis(settings: Settings, _: str) -> Store:
    # Here, because redis-py takes an eighth of the whole start, which only those who use it should wait for.
    from server.store.redis import RedisStore, read_url

    try:
        return RedisStore(read_url(settings.store), settings.redis_replicas)
    except ValueError as error:
        raise SettingsError(f"PHAROS_STORE: {error}") from None


OPENERS: Mapping[str, Callable[[Settings, str], Store]] = {
    "sqlite": _sqlite,
    "memory": _memory,
    "redis": _redis,
    "redis+cluster": _redis,
    "redis+sentinel": _redis,
    "redis+unix": _redis,
    "rediss": _redis,
    "rediss+cluster": _redis,
    "rediss+sentinel": _redis,
}
