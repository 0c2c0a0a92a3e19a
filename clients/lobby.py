"""The HTTP side of a Pharos server, for programs: create rooms, take seats, look, replay (protocol section 7)."""

from __future__ import annotations

import asyncio
import http.client
import ipaddress
import json
import secrets
import threading
import urllib.error
import urllib.request
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from clients.errors import NoServer, Refused

TIMEOUT = 10.0
"""Seconds that one call may take."""


def new_token() -> str:
    """A token for a seat, chosen by the client: a lost answer then costs no seat."""
    return secrets.token_urlsafe(16)


def http_url(url: str) -> str:
    """The server's HTTP address, given it or its WebSocket's."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    scheme = {"ws": "http", "wss": "https"}.get(parts.scheme, parts.scheme)
    path = parts.path.rstrip("/").removesuffix("/ws")
    return urlunsplit((scheme, parts.netloc, path, "", ""))


def url_argument(text: str) -> str:
    """The server's HTTP address, given it or its WebSocket's on a command line; a `type` for argparse.

    Raises:
        ArgumentTypeError: no server can have it.
    """
    try:
        parts = urlsplit(http_url(text))
        _ = parts.port  # raises where it is none
        if parts.scheme in ("http", "https") and parts.hostname:
            return parts.geturl()
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r}: {error}") from None
    raise ArgumentTypeError(f"{text!r} is no address of a server, as http://127.0.0.1:8000 is one")


def socket_url(url: str) -> str:
    """The server's WebSocket address, given it or its HTTP one."""
    base = http_url(url)
    return "ws" + base.removeprefix("http") + "/ws"


def on_this_machine(url: str) -> bool:
    """Whether the server has a loopback address: no proxy leads there, whatever the environment says."""
    host = urlsplit(http_url(url)).hostname or ""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


class Lobby:
    """Calls to one server. Every call may raise `Refused` (the server said no) or `Unreachable`."""

    def __init__(self, url: str, *, hasty: bool = False) -> None:
        """`hasty`: whoever uses it waits for no answer once it is told to stop, and limits its calls by itself."""
        self._base = http_url(url)
        self._hasty = hasty
        proxies: dict[str, str] | None = {} if on_this_machine(url) else None  # None: those of the environment
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler(proxies))

    async def games(self) -> Sequence[Mapping[str, Any]]:
        """What can be played."""
        games: Sequence[Mapping[str, Any]] = (await self.call("GET", "/api/games"))["games"]
        return games

    async def rooms(self, **filters: str) -> Mapping[str, Any]:
        """A page of public rooms: `rooms` and `cursor`. Filters: `game`, `status`, `cursor`."""
        return await self.call("GET", f"/api/rooms?{urlencode(filters)}" if filters else "/api/rooms")

    async def create(self, game: str, seats: int, **fields: Any) -> Mapping[str, Any]:
        """A new room: `room`, `seat`, `token`, `commitment`. Fields: `options`, `name`, `kind`, `private`, `seat`."""
        body = {"game": game, "seats": seats, "token": new_token(), **fields}
        return await self.call("POST", "/api/rooms", body=body)

    async def take_seat(self, room: str, *, bearer: str | None = None, **fields: Any) -> Mapping[str, Any]:
        """A seat: `seat` and `token`. Fields: `name`, `kind`, `seat`, `entropy`, `token`, `invite`."""
        body = {"token": new_token(), **fields}
        return await self.call("POST", f"/api/rooms/{quote(room)}/seats", body=body, bearer=bearer)

    async def vacate(self, room: str, seat: int, token: str) -> None:
        """Give a seat up."""
        await self.call("DELETE", f"/api/rooms/{quote(room)}/seats/{seat}", bearer=token)

    async def invite(self, room: str, token: str) -> str:
        """An invite to a vacated seat."""
        return str((await self.call("POST", f"/api/rooms/{quote(room)}/invites", bearer=token))["invite"])

    async def offer(self, room: str, policy: str, token: str, seats: int | None = None) -> None:
        """Let free seats wait for a bot host."""
        body = {"policy": policy} if seats is None else {"policy": policy, "seats": seats}
        await self.call("POST", f"/api/rooms/{quote(room)}/bots", body=body, bearer=token)

    async def look(self, room: str) -> Mapping[str, Any]:
        """What anybody may see of a room: `room`, `turn`, `result`."""
        return await self.call("GET", f"/api/rooms/{quote(room)}")

    async def replay(self, room: str) -> Mapping[str, Any]:
        """The journal of a room that has ended."""
        return await self.call("GET", f"/api/rooms/{quote(room)}/replay")

    async def waiting_seats(self, key: str, wait: int) -> Sequence[Mapping[str, Any]]:
        """The seats that wait for a bot host, by the deployment's key; waits up to `wait` seconds for one."""
        seats: Sequence[Mapping[str, Any]] = (await self.call("GET", f"/api/bots?wait={wait}", bearer=key, wait=wait))[
            "seats"
        ]
        return seats

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        bearer: str | None = None,
        wait: float = 0.0,
    ) -> Mapping[str, Any]:
        """One call; its answer, empty where there is none. `wait`: seconds that the server may take on purpose."""
        headers = {"Content-Type": "application/json"} if method == "POST" else {}
        if bearer is not None:
            headers["Authorization"] = f"Bearer {bearer}"
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self._base + path, data, headers, method=method)  # noqa: S310 - the user's own URL
        if wait or self._hasty:
            return await _apart(lambda: self._call(request, TIMEOUT + wait))
        return await asyncio.to_thread(self._call, request, TIMEOUT)

    def _call(self, request: urllib.request.Request, timeout: float) -> Mapping[str, Any]:
        try:
            with self._opener.open(request, timeout=timeout) as answer:
                content = answer.read()
            found = json.loads(content) if content else {}
        except urllib.error.HTTPError as error:
            raise _refused(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise NoServer(self._base, error) from None
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise NoServer(self._base, ValueError("what answers there is something else"))
        return found


async def _apart(call: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """The call in a thread of its own, for which no program waits that is told to stop meanwhile."""
    answered: Future[Mapping[str, Any]] = Future()
    answered.set_running_or_notify_cancel()

    def run() -> None:
        try:
            answered.set_result(call())
        except Exception as error:  # for whoever waits
            answered.set_exception(error)

    threading.Thread(target=run, name="call", daemon=True).start()
    return await asyncio.wrap_future(answered)


def _refused(error: urllib.error.HTTPError) -> Refused:
    try:
        told = json.loads(error.read())["error"]
        return Refused(str(told["code"]), str(told["message"]), told.get("retry_after"))
    except (ValueError, LookupError, TypeError, AttributeError, OSError, http.client.HTTPException):
        return Refused("internal", f"HTTP {error.code}", None)
