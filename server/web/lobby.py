"""The HTTP interface (protocol section 7): rooms, seats, invitations, bots, replays, schemas.

1. A handler reads and checks the request, asks the hub, and turns its answer into JSON. It decides nothing of rooms.
2. What may be wrong is a `ProtocolError`, from here or from the hub; one place turns it into an answer.
3. Every look-up that fails counts for its address, and none is made for an address that has failed too often.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from msgspec import UnsetType
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol.codes import Code, ProtocolError
from protocol.messages import CreateRoom, FindMatch, OfferSeats, RoomId, TakeSeat
from server.rooms.hub import Hub
from server.rooms.state import Status
from server.settings import Settings
from server.web.answers import answer, failure
from server.web.gate import Gate
from server.web.limits import Address, Limits, Proxies, too_many
from server.web.requests import address_of, body_of, query_of, token_of

LONGEST_WAIT = 25
"""How many seconds a bot host may wait for seats in one call."""

POLL = 0.5

STATUSES = tuple(Status)
LOOK_UPS_FAILED = (Code.UNKNOWN_ROOM, Code.UNAUTHORIZED)

Handler = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Counter:
    """What every call passes: who calls, and how often it may."""

    limits: Limits
    proxies: Proxies
    gate: Gate

    def address(self, request: Request) -> Address:
        """Where the call comes from."""
        return address_of(request, self.proxies)

    @contextmanager
    def new_room(self, request: Request) -> Iterator[None]:
        """Count a new room, unless it is refused.

        Raises:
            ProtocolError: `rate_limited`.
        """
        address = self.address(request)
        if wait := self.limits.new_room(address):
            raise too_many("new rooms", wait)
        try:
            yield
        except ProtocolError:
            self.limits.no_room(address)
            raise

    def guarded(self, handler: Handler) -> Handler:
        """The handler, refused to whoever failed too often, and while the server is going down."""

        async def checked(request: Request) -> Response:
            if self.gate.draining and request.method not in ("GET", "HEAD"):
                raise ProtocolError(Code.DRAINING, "the server is going down")
            address = self.address(request)
            if wait := self.limits.look_up(address):
                raise too_many("failed look-ups", wait)
            try:
                return await handler(request)
            except ProtocolError as error:
                if error.code in LOOK_UPS_FAILED and (wait := self.limits.failed(address)):
                    raise too_many("failed look-ups", wait) from None
                raise

        return checked


class Lobby:
    """The handlers of the HTTP interface."""

    def __init__(self, hub: Hub, settings: Settings, counter: Counter) -> None:
        self._hub = hub
        self._settings = settings
        self._counter = counter

    def routes(self) -> list[Route]:
        """Every path that is about rooms."""
        calls: tuple[tuple[str, str, Handler], ...] = (
            ("POST", "/api/rooms", self.create),
            ("GET", "/api/rooms", self.rooms),
            ("GET", "/api/rooms/{room}", self.look),
            ("POST", "/api/rooms/{room}/seats", self.take_seat),
            ("DELETE", "/api/rooms/{room}/seats/{seat}", self.vacate),
            ("POST", "/api/rooms/{room}/invites", self.invite),
            ("POST", "/api/rooms/{room}/bots", self.offer),
            ("GET", "/api/rooms/{room}/replay", self.replay),
            ("GET", "/api/bots", self.waiting_seats),
            ("POST", "/api/match", self.match),
        )
        by_path: dict[str, dict[str, Handler]] = {}
        for method, path, handler in calls:
            by_path.setdefault(path, {})[method] = self._counter.guarded(handler)
        return [Route(path, _by_method(handlers), methods=list(handlers)) for path, handlers in by_path.items()]

    async def create(self, request: Request) -> Response:
        """`POST /api/rooms`."""
        body = await body_of(request, CreateRoom, self._settings)
        with self._counter.new_room(request):
            return answer(await self._hub.create(body, _chosen(body.token)), 201)

    async def rooms(self, request: Request) -> Response:
        """`GET /api/rooms`."""
        query = query_of(request, "game", "status", "cursor")
        game, status, cursor = (query.get(name) or None for name in ("game", "status", "cursor"))
        if status is not None and status not in STATUSES:
            raise ProtocolError(Code.BAD_MESSAGE, f"status: must be one of {', '.join(STATUSES)}")
        return answer(await self._hub.rooms(game, status, cursor))

    async def look(self, request: Request) -> Response:
        """`GET /api/rooms/{room}`."""
        return answer(await self._hub.look(_room(request)))

    async def replay(self, request: Request) -> Response:
        """`GET /api/rooms/{room}/replay`."""
        return answer(await self._hub.replay(_room(request)))

    async def take_seat(self, request: Request) -> Response:
        """`POST /api/rooms/{room}/seats`."""
        body = await body_of(request, TakeSeat, self._settings)
        bot_host = self._is_bot_host(token_of(request))
        taken, now = await self._hub.take_seat(_room(request), body, _chosen(body.token), bot_host=bot_host)
        return answer(taken, 201 if now else 200)

    async def vacate(self, request: Request) -> Response:
        """`DELETE /api/rooms/{room}/seats/{seat}`."""
        await self._hub.vacate(_room(request), _seat(request), token_of(request))
        return Response(status_code=204)

    async def invite(self, request: Request) -> Response:
        """`POST /api/rooms/{room}/invites`."""
        return answer(await self._hub.invite(_room(request), token_of(request)), 201)

    async def offer(self, request: Request) -> Response:
        """`POST /api/rooms/{room}/bots`."""
        body = await body_of(request, OfferSeats, self._settings)
        await self._hub.offer(_room(request), body, token_of(request))
        return answer({}, 202)

    async def waiting_seats(self, request: Request) -> Response:
        """`GET /api/bots`: answers as soon as a seat waits, the time is over, or the server goes down."""
        if not self._is_bot_host(token_of(request)):
            raise ProtocolError(Code.UNAUTHORIZED, "this is for bot hosts, by the deployment's key")
        left = _wait(request)
        seats = await self._hub.waiting_seats()
        while not seats and left > 0 and not await self._counter.gate.wait(POLL):
            left -= POLL
            seats = await self._hub.waiting_seats()
        return answer({"seats": seats})

    async def match(self, request: Request) -> Response:
        """`POST /api/match`."""
        body = await body_of(request, FindMatch, self._settings)
        found = await self._hub.match(body, _chosen(body.token), partial(self._counter.new_room, request))
        return answer(found, 201)

    def _is_bot_host(self, token: str) -> bool:
        key = self._settings.bot_key
        return bool(key) and hmac.compare_digest(token.encode(), key.encode())


def _by_method(handlers: Mapping[str, Handler]) -> Handler:
    async def chosen(request: Request) -> Response:
        return await handlers["GET" if request.method == "HEAD" else request.method](request)

    return chosen


def _chosen(token: str | UnsetType) -> str:
    """The token that the client chose, or a new one of 128 random bits."""
    return secrets.token_urlsafe(16) if isinstance(token, UnsetType) else token


def _room(request: Request) -> RoomId:
    return RoomId(request.path_params["room"])


def _seat(request: Request) -> int:
    text: str = request.path_params["seat"]
    if not (text.isascii() and text.isdecimal() and len(text) <= 4):
        raise ProtocolError(Code.NOT_FOUND, "there is no such seat")
    return int(text)


def _wait(request: Request) -> float:
    text = query_of(request, "wait").get("wait", "0")
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) <= LONGEST_WAIT):
        raise ProtocolError(Code.BAD_MESSAGE, f"wait: must be from 0 to {LONGEST_WAIT}")
    return float(text)


async def refused(_: Request, error: Exception) -> Response:
    """The answer to a call that can't be carried out."""
    assert isinstance(error, ProtocolError)
    headers = {"Connection": "close"} if error.code is Code.TOO_LARGE else None
    return failure(error, headers)


async def unrouted(_: Request, error: Exception) -> Response:
    """The answer to a path or a method that is not there."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return failure(ProtocolError(Code.METHOD_NOT_ALLOWED, "not with this method"), error.headers)
    if error.status_code == 404:
        return failure(ProtocolError(Code.NOT_FOUND, "there is nothing at this path"))
    return failure(ProtocolError(Code.BAD_MESSAGE, "this request can't be read"))


async def broken(_: Request, __: Exception) -> Response:
    """The answer where a bug of ours showed."""
    return failure(ProtocolError(Code.INTERNAL, "something went wrong in the server"))
