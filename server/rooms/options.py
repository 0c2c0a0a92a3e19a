"""A room's options: those of every room (clock, spectators, chat) and the game's own, in one flat map."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from protocol.checks import typed
from protocol.codes import Code, ProtocolError
from protocol.messages import Clock, Spectators
from server.engines import AnyEngine


class ChatRule(StrEnum):
    """Who may write and read the chat."""

    ALL = "all"
    SEATS = "seats"
    NONE = "none"


class RoomOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options that every room has, whatever its game."""

    clock: Clock | None = None
    spectators: Spectators = Spectators()
    chat: ChatRule = ChatRule.ALL


_ROOM_FIELDS = frozenset(RoomOptions.__struct_fields__)


def read_options(engine: AnyEngine, data: Mapping[str, Any]) -> tuple[RoomOptions, msgspec.Struct]:
    """The room's and the game's options from the flat map.

    Raises:
        ProtocolError: `bad_message`, naming the option.
    """
    shared = typed({k: v for k, v in data.items() if k in _ROOM_FIELDS}, RoomOptions, "options")
    if shared.clock is not None and not (shared.clock.bank or shared.clock.per_turn):
        raise ProtocolError(Code.BAD_MESSAGE, "options.clock: bank and per_turn are both 0")
    game = typed({k: v for k, v in data.items() if k not in _ROOM_FIELDS}, engine.options, "options")
    return shared, game


def flat(shared: RoomOptions, game: msgspec.Struct) -> dict[str, Any]:
    """Every option and its value, as the state document shows them."""
    return {**msgspec.to_builtins(shared), **msgspec.to_builtins(game)}
