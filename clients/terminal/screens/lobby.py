"""The lobby: the rooms of the server, found by typing; ways into them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, Footer, Input, Static

from clients.errors import Refused, Unreachable
from clients.terminal.screens.dialogs import Command, Commands
from clients.terminal.screens.forms import CreateForm, JoinForm, NewRoom, WayIn
from clients.terminal.screens.screen import TerminalScreen

RoomPart: TypeAlias = Mapping[str, Any]

COLUMNS = ("Room", "Game", "Status", "Seats", "Clock", "Who")
REFRESH = 3.0
PAGES = 4
"""Pages of 50 rooms that are shown at most; `status` and `game` are asked of the server."""
STATUSES = ("", "open", "playing", "finished", "abandoned")
COMMANDS = (
    Command("n", "create", "New", "Open a new room"),
    Command("enter", "go", "Enter", "Go to your seat, take a free one, or else watch"),
    Command("w", "watch", "Watch", "Watch the room"),
    Command("r", "replay", "Replay", "Step through the finished game"),
    Command("j", "join", "Join", "Join by the room's id, with a token or an invite"),
    Command("slash", "search", "Find", "Find rooms: type any part of a line"),
    Command("s", "status", "Status", "Only open rooms, only running ones, ..."),
    Command("g", "game", "Game", "Only the rooms of one game"),
    Command("q", "quit", "Quit", "Leave the program"),
)


class LobbyScreen(TerminalScreen):
    """Public rooms, newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(c.key, c.action, c.word, key_display="/" if c.key == "slash" else None)
            for c in COMMANDS
            if c.key not in ("enter", "q")
        ),
        Binding("f1", "commands", "Help"),
        Binding("q", "app.quit", "Quit"),
        Binding("escape", "rooms", show=False),
        Binding("down", "rooms", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._games: Sequence[Mapping[str, Any]] = ()
        self._rooms: dict[str, RoomPart] = {}
        self._status = 0
        self._game = 0

    def compose(self) -> ComposeResult:
        """A line to search, and the table."""
        yield Static("Pharos", id="title", markup=False)
        yield Input(placeholder="/ to find a room", id="search")
        yield DataTable(cursor_type="row", id="rooms", zebra_stripes=False)
        yield Static(id="about", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Load, and go on loading."""
        table = self.query_one(DataTable)
        table.add_columns(*COLUMNS)
        table.focus()
        self.set_interval(REFRESH, self._load)
        self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        if self.app.screen is not self:
            return
        try:
            if not self._games:
                self._games = await self.terminal.lobby.games()
            self._rooms = {str(room["id"]): room for room in await self._listed()}
        except (Refused, Unreachable) as error:
            self._say(f"{error}\nStart a server with `make run`, or play with `make play`.")
            return
        self._show()

    async def _listed(self) -> list[RoomPart]:
        filters = {"status": STATUSES[self._status], "game": self._game_name()}
        filters = {name: value for name, value in filters.items() if value}
        rooms: list[RoomPart] = []
        for _ in range(PAGES):
            page = await self.terminal.lobby.rooms(**filters)
            rooms += page["rooms"]
            if page["cursor"] is None:
                break
            filters["cursor"] = page["cursor"]
        return rooms

    def _game_name(self) -> str:
        return str(self._games[self._game - 1]["game"]) if self._game else ""

    def _show(self) -> None:
        table, typed = self.query_one(DataTable), self.query_one("#search", Input).value.casefold().split()
        chosen = self._chosen()
        rows = [(room, self._row(part)) for room, part in self._rooms.items()]
        rows = [(room, row) for room, row in rows if all(word in " ".join(row).casefold() for word in typed)]
        table.clear()
        for room, row in rows:
            table.add_row(*map(Text, row), key=room)
        if chosen is not None and chosen in [room for room, _ in rows]:
            table.move_cursor(row=[room for room, _ in rows].index(chosen), animate=False)
        shown = [word for word in (self._game_name(), STATUSES[self._status]) if word] or ["all"]
        rooms = "room" if len(rows) == 1 else "rooms"
        self.query_one("#title", Static).update(
            f"Pharos at {self.terminal.url}   {self.terminal.player}   {len(rows)} {rooms} ({', '.join(shown)})"
        )
        self._say("" if rows else "No room here yet: n opens one.")

    def _row(self, part: RoomPart) -> list[str]:
        seats = part["seats"]
        taken = sum(held is not None for held in seats)
        who = ", ".join(f"{held['name']}" for held in seats if held)
        clock = part["options"]["clock"]
        words = f"{clock['per_turn'] // 1000}s+{clock['bank'] // 60000}min" if clock else "none"
        mine = "* " if self.terminal.kept.own(part["id"]) else ""
        return [f"{mine}{part['id']}", part["game"], part["status"], f"{taken}/{len(seats)}", words, who]

    def _chosen(self) -> str | None:
        table = self.query_one(DataTable)
        if not table.row_count or table.cursor_row >= table.row_count:
            return None
        return table.coordinate_to_cell_key(table.cursor_coordinate).row_key.value

    def _say(self, text: str) -> None:
        self.query_one("#about", Static).update(text)

    # ---------------------------------------------------------------------------------------------------- keys

    def on_input_changed(self) -> None:
        """Find while typing."""
        self._show()

    def on_input_submitted(self) -> None:
        """Found: on to the rooms."""
        self.action_rooms()

    def on_screen_resume(self) -> None:
        """Back from a table: things have changed."""
        self._load()

    def action_search(self) -> None:
        """To the line where one types."""
        self.query_one("#search").focus()

    def action_rooms(self) -> None:
        """Back to the table of rooms."""
        self.query_one(DataTable).focus()

    def action_status(self) -> None:
        """The next status to show."""
        self._status = (self._status + 1) % len(STATUSES)
        self._load()

    def action_game(self) -> None:
        """The next game to show."""
        self._game = (self._game + 1) % (len(self._games) + 1)
        self._load()

    def on_data_table_row_selected(self) -> None:
        """Enter was pressed on a room."""
        self.action_go()

    def action_go(self) -> None:
        """To one's seat, to a free one, or to watch."""
        room = self._chosen()
        if room is None:
            return
        token = self.terminal.kept.own(room)
        if token is not None:
            self.terminal.enter(room, token)
        elif self._rooms[room]["status"] == "open":
            self._join(room)
        elif self._rooms[room]["status"] == "playing":
            self.terminal.enter(room, None)
        else:
            self.action_replay()

    def action_watch(self) -> None:
        """Watch the room."""
        room = self._chosen()
        if room is not None:
            self.terminal.enter(room, None)

    def action_replay(self) -> None:
        """Step through a finished game."""
        room = self._chosen()
        if room is None or self._rooms[room]["status"] not in ("finished", "abandoned"):
            self.notify("A game can be replayed when it has ended.", timeout=3)
        else:
            self.terminal.replay(room)

    def action_join(self) -> None:
        """Join by id."""
        self._join("")

    @work
    async def _join(self, room: str) -> None:
        way: WayIn | None = await self.app.push_screen_wait(JoinForm(self.terminal.lobby, room, self.terminal.player))
        if way is not None:
            if way.taken and way.token is not None:
                self.terminal.kept.keep(way.room, way.token)
            self.terminal.enter(way.room, way.token)

    @work
    async def action_create(self) -> None:
        """A new room."""
        if not self._games:
            return
        made: NewRoom | None = await self.app.push_screen_wait(
            CreateForm(self.terminal.lobby, self._games, self.terminal.player, self._game_name())
        )
        if made is not None:
            self.terminal.kept.keep(made.room, made.token)
            self.terminal.enter(made.room, made.token, made.bots)

    @work
    async def action_commands(self) -> None:
        """Every command there is."""
        hint = "A star marks a room in which you hold a seat."
        chosen = await self.app.push_screen_wait(Commands("What you can do here", COMMANDS, hint))
        if chosen is not None:
            await self.run_action("app.quit" if chosen == "quit" else chosen)
