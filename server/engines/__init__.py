"""The registry of games: a line a game, keyed by its name and the version of its rules."""

from __future__ import annotations

from typing import Any, TypeAlias

from server.engines import bretagne, burano, dragonwood, islet
from server.engines.engine import Engine

AnyEngine: TypeAlias = Engine[Any]  # a room holds its engine's states without looking into them

_GAMES: tuple[AnyEngine, ...] = (
    dragonwood.ENGINE,
    islet.ENGINE,
    burano.ENGINE,
    bretagne.ENGINE,
)

ENGINES: dict[tuple[str, str], AnyEngine] = {(game.name, game.rules): game for game in _GAMES}


def latest(name: str) -> AnyEngine | None:
    """The engine that new rooms of this game get: the last one registered under the name."""
    return next((engine for (game, _), engine in reversed(ENGINES.items()) if game == name), None)
