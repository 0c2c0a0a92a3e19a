"""What the server tells of itself: its games, and the schemas of everything that it sends and takes.

All of it depends on the code alone, so it is made once, when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache, partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol.codes import Code, ProtocolError
from protocol.schemas import asyncapi, game_schema, messages_schema, openapi, options_schema
from server.engines import ENGINES, AnyEngine, latest
from server.rooms.options import RoomOptions
from server.web.answers import MEDIA_TYPE
from server.web.session import SERVER_VERSION

SCHEMA_TYPE = "application/schema+json"
MAX_AGE = 300
"""For how many seconds a browser may keep what was asked here."""


def routes() -> list[Route]:
    """Every path that is about the server itself."""
    return [
        Route("/api/games", _fixed(games)),
        Route("/schema/messages.json", _fixed(partial(_json, messages_schema), SCHEMA_TYPE)),
        Route("/schema/{game}.json", _schema_of_a_game),
        Route("/openapi.json", _fixed(partial(_json, partial(openapi, SERVER_VERSION)))),
        Route("/asyncapi.json", _fixed(partial(_json, partial(asyncapi, SERVER_VERSION)))),
    ]


def games() -> bytes:
    """The games that new rooms can have, with the rules they get."""
    names = dict.fromkeys(name for name, _ in ENGINES)
    engines = [engine for name in names if (engine := latest(name)) is not None]
    return msgspec.json.encode({"games": [_described(engine) for engine in engines]})


def _described(engine: AnyEngine) -> dict[str, object]:
    return {
        "game": engine.name,
        "title": engine.title,
        "rules": engine.rules,
        "seats": {"min": engine.seats.start, "max": engine.seats.stop - 1},
        "options": options_schema(RoomOptions, engine.options),
    }


@cache
def _game(name: str, rules: str) -> bytes:
    engine = ENGINES[name, rules]
    return msgspec.json.encode(game_schema(name, engine.actions, engine.events, engine.views, engine.options))


async def _schema_of_a_game(request: Request) -> Response:
    engine = latest(request.path_params["game"])
    if engine is None:
        raise ProtocolError(Code.UNKNOWN_GAME, "there is no such game here")
    return _answer(_game(engine.name, engine.rules), SCHEMA_TYPE)


def _json(make: Callable[[], object]) -> bytes:
    return msgspec.json.encode(make())


def _fixed(make: Callable[[], bytes], media_type: str = MEDIA_TYPE) -> Callable[[Request], Awaitable[Response]]:
    """A handler that always answers the same."""
    made = cache(make)

    async def handler(_: Request) -> Response:
        return _answer(made(), media_type)

    return handler


def _answer(body: bytes, media_type: str) -> Response:
    return Response(body, headers={"Cache-Control": f"public, max-age={MAX_AGE}"}, media_type=media_type)
