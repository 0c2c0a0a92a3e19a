"""The terminal program: one server, one connection to it, and the screens.

Colours are the theme's; with NO_COLOR set not one is written, and what is selected is still seen, for it is reversed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual import work
from textual.app import App
from textual.color import Color
from textual.filter import LineFilter
from textual.screen import Screen

from clients.bots.runner import Seat
from clients.connection import Connection
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby, http_url
from clients.room import Room
from clients.terminal.kept import Kept
from clients.terminal.local_bots import PAUSE, LocalBots
from clients.terminal.replaying import BadReplay, Replay
from clients.terminal.screens.lobby import LobbyScreen
from clients.terminal.screens.replay import ReplayScreen
from clients.terminal.screens.table import TableScreen, leave_quietly


class NoColour(LineFilter):
    """Takes every colour away; what was dark on light is reversed."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002 - Textual's signature
        """The segments without colours."""
        return [Segment(text, _colourless(style) if style else style, control) for text, style, control in segments]


@lru_cache(4096)
def _colourless(style: Style) -> Style:
    light = style.color is not None and style.bgcolor is not None and _light(style.bgcolor) > _light(style.color)
    return style.without_color + Style(dim=False, reverse=style.reverse or light)


def _light(colour: RichColor) -> float:
    return Color.from_rich_color(colour).brightness


class Terminal(App[None]):
    """Rooms of one server, for one person."""

    CSS_PATH = "terminal.tcss"
    TITLE = "Pharos"
    ENABLE_COMMAND_PALETTE = False

    def __init__(
        self,
        url: str,
        name: str,
        kept: Kept,
        *,
        first: Callable[[], Screen[Any]] = LobbyScreen,
        pause: float = PAUSE,
    ) -> None:
        """`first`: the screen to begin with. `pause`: seconds that this program's bots take for a decision."""
        super().__init__()
        self.url = http_url(url)
        self.player = name
        self.kept = kept
        self.bots = LocalBots(self.url, pause, self._bot_failed)
        self.failure: str | None = None
        """Why the program ended, if it was not the person's wish."""
        self.ended: Mapping[str, Any] | None = None
        """The last state of the game that ended last."""
        self._first = first
        self._connection: Connection | None = None

    @property
    def lobby(self) -> Lobby:
        """The server's HTTP side."""
        return Lobby(self.url)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's, and no colour at all where the user wants none."""
        return [*super().get_line_filters(), NoColour()] if self.no_color else super().get_line_filters()

    def on_mount(self) -> None:
        """Begin."""
        self.push_screen(self._first())

    async def on_unmount(self) -> None:
        """Hang up."""
        self.bots.close()
        if self._connection is not None:
            await self._connection.__aexit__(None, None, None)

    async def connect(self) -> Connection:
        """The one connection, made when it is first needed.

        Raises:
            Unreachable: there is no server.
        """
        if self._connection is None:
            connection = Connection(self.url)
            await connection.__aenter__()
            self._connection = connection
        return self._connection

    def resume_bots(self, room: str, game: str) -> None:
        """Play on for the bots that an earlier run of this program seated in a room."""
        for seat in self.kept.bots(room):
            self.bots.play(game, Seat(room, seat.token, seat.policy or "random"))

    def notify(self, message: str, **how: Any) -> None:
        """Say something for a moment, as it stands: what others wrote may look like markup."""
        super().notify(message, **{**how, "markup": False})

    def enter(self, room: str, token: str | None, bots: Sequence[str] = ()) -> None:
        """Go to a table. A token that was typed is kept once it has proved to be a seat's."""
        self.push_screen(TableScreen(room, token, bots=bots))

    @work(group="replay")
    async def replay(self, room: str) -> None:
        """Step through a game that has ended."""
        try:
            self.push_screen(ReplayScreen(Replay(await self.lobby.replay(room))))
        except (Refused, Unreachable, BadReplay) as error:
            self.notify(str(error), severity="warning")

    def table_failed(self, screen: Screen[None], room: str, token: str | None, error: Refused | Unreachable) -> None:
        """A room could not be entered: a token that does not fit is forgotten, and no other one of the room."""
        if isinstance(error, Refused) and error.code in ("unauthorized", "revoked"):
            self.kept.drop(room, token)
        elif isinstance(error, Refused) and error.code == "unknown_room":
            self.kept.drop(room)
        self.failure = f"{room}: {error.message if isinstance(error, Refused) else error}"
        self.notify(self.failure, severity="error")
        self.table_left(screen)

    def table_left(self, screen: Screen[None]) -> bool:
        """Back to the lobby (True), or out of the program where there was none."""
        if len(self.screen_stack) > 2 and self.screen is screen:
            self.failure = None
            self.pop_screen()
            return True
        self.exit()
        return False

    def leave_room(self, connection: Connection, room: Room) -> None:
        """Detach from a room in the background."""
        self.run_worker(leave_quietly(connection, room), group="leave")

    def _bot_failed(self, reason: str) -> None:
        self.call_from_thread(self.notify, reason, severity="warning")
