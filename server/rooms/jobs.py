"""What is done with a room in memory, one job after the other."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import msgspec

from protocol.codes import ProtocolError
from server.rooms.viewer import Connection

if TYPE_CHECKING:
    from server.rooms.table import Table


class Job(msgspec.Struct, frozen=True):
    """Something to do with a room that is loaded, and whom to tell when it can't be done.

    `connection`: whose request it is, None for what the server does by itself.
    """

    run: Callable[[Table], Awaitable[None]]
    fail: Callable[[ProtocolError], None]
    connection: Connection | None = None
