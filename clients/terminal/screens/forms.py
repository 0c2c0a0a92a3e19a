"""The forms of the lobby: a new room with all its options, and the ways into one that is there.

A form asks the server itself and stays, with the server's words, until the server agrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, VerticalScroll
from textual.widget import Widget
from textual.widgets import Button, Input, Label, Select, Static

from clients.bots.policies import policies
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby
from clients.terminal.screens.dialogs import Dialog

CLOCKS: Sequence[tuple[str, str]] = (
    ("no limit", ""),
    ("30 s a decision and 5 min", "30+300"),
    ("10 s a decision and 1 min", "10+60"),
    ("2 min a decision and 30 min", "120+1800"),
    ("1 day a decision", "86400+0"),
)
"""The time control: seconds a decision, seconds of the bank."""
DELAYS = (("at once", "0"), ("30 s later", "30000"), ("5 min later", "300000"), ("not at all", ""))
CHAT = (("everybody", "all"), ("the seats", "seats"), ("nobody", "none"))
SHARED = frozenset({"clock", "spectators", "chat"})


class NewRoom(msgspec.Struct, frozen=True):
    """A room that was made: one's token, and the policies that are to take the other seats."""

    room: str
    token: str
    bots: Sequence[str]


class WayIn(msgspec.Struct, frozen=True):
    """How to enter a room: with a seat's token, or None to watch. `taken`: the seat was taken just now."""

    room: str
    token: str | None
    taken: bool = False


def field(label: str, widget: Widget) -> Horizontal:
    """A line of a form."""
    return Horizontal(Label(label), widget, classes="field -tallest")


def select(name: str, options: Sequence[tuple[str, str]], value: str) -> Select[str]:
    """A choice of words."""
    return Select(list(options), value=value, allow_blank=False, compact=True, id=name)


def yes_or_no(name: str, *, default: bool) -> Select[bool]:
    """A choice that can be read: a box that is ticked or not would differ by its colour alone."""
    return Select([("yes", True), ("no", False)], value=default, allow_blank=False, compact=True, id=name)


class CreateForm(Dialog[NewRoom]):
    """A new room."""

    BINDINGS: ClassVar[list[BindingType]] = [("ctrl+s", "create", "Open it")]

    def __init__(self, lobby: Lobby, games: Sequence[Mapping[str, Any]], name: str, game: str) -> None:
        super().__init__()
        self._lobby = lobby
        self._games = {str(each["game"]): each for each in games}
        self._player_name = name
        self._game = game or next(iter(self._games))

    def compose(self) -> ComposeResult:
        """Game and seats, then who and how; the game's own options last."""
        with Container(classes="dialog"):
            yield Static("A new room", classes="title")
            with VerticalScroll(classes="fields", can_focus=False):
                titles = [(str(each["title"]), game) for game, each in self._games.items()]
                yield field("Game", select("game", titles, self._game))
                yield field("Seats", select("seats", self._seat_counts(), self._usual_seats()))
                yield field("Your name", Input(self._player_name, compact=True, id="name"))
                bots = [("people", ""), *((f"{name} bots", name) for name in policies(self._game))]
                yield field("The other seats are for", select("bots", bots, ""))
                yield field("Clock", select("clock", CLOCKS, ""))
                yield field("Listed in the lobby", yes_or_no("public", default=True))
                yield field("Others may watch", select("delay", DELAYS, "0"))
                yield field("Talk is for", select("chat", CHAT, "all"))
                yield Container(*self._options(), id="own", classes="fields")
            yield Static("", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Open it", id="create", compact=True)
            yield Static("Tab goes on, Enter opens a list, Ctrl+S opens the room, Escape goes back.", classes="hint")

    def on_mount(self) -> None:
        """Begin with the game."""
        self.query_one("#game").focus()

    def _seat_counts(self) -> list[tuple[str, str]]:
        seats = self._games[self._game]["seats"]
        return [(str(count), str(count)) for count in range(seats["min"], seats["max"] + 1)]

    def _usual_seats(self) -> str:
        """As few as there may be, but somebody to play with."""
        return str(max(2, self._games[self._game]["seats"]["min"]))

    def _options(self) -> list[Widget]:
        schema = self._games[self._game]["options"]
        own = {name: rule for name, rule in schema["properties"].items() if name not in SHARED}
        return [_option(name, _resolved(schema, rule)) for name, rule in own.items()]

    async def on_select_changed(self, event: Select.Changed) -> None:
        """Another game has other seats and options."""
        if event.select.id != "game" or event.value == self._game:
            return
        self._game = str(event.value)
        seats = self.query_one("#seats", Select)
        seats.set_options(self._seat_counts())
        seats.value = self._usual_seats()
        own = self.query_one("#own")
        await own.remove_children()
        await own.mount(*self._options())

    def on_button_pressed(self) -> None:
        """Open it."""
        self.action_create()

    @work(exclusive=True)
    async def action_create(self) -> None:
        """Ask the server for the room."""
        bots = str(self.query_one("#bots", Select).value)
        count = int(str(self.query_one("#seats", Select).value))
        fields: dict[str, Any] = {
            "name": self.query_one("#name", Input).value or self._player_name,
            "private": self.query_one("#public", Select).value is False,
            "options": self._chosen_options(),
        }
        try:
            made = await self._lobby.create(self._game, count, **fields)
        except (Refused, Unreachable) as error:
            self.query_one(".problem", Static).update(getattr(error, "message", str(error)))
            return
        self.dismiss(NewRoom(made["room"], made["token"], [bots] if bots else []))

    def _chosen_options(self) -> dict[str, Any]:
        per_turn, _, bank = str(self.query_one("#clock", Select).value).partition("+")
        delay = str(self.query_one("#delay", Select).value)
        chosen: dict[str, Any] = {
            "clock": {"per_turn": int(per_turn) * 1000, "bank": int(bank) * 1000} if per_turn else None,
            "spectators": {"allowed": bool(delay), "delay": int(delay or 0)},
            "chat": str(self.query_one("#chat", Select).value),
        }
        for widget in self.query("#own Select").results(Select):
            chosen[str(widget.id).removeprefix("own-")] = widget.value
        return chosen


def _resolved(schema: Mapping[str, Any], rule: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = rule.get("$ref", "")
    return {**schema["$defs"][reference.rpartition("/")[2]], **rule} if reference else rule


def _option(name: str, rule: Mapping[str, Any]) -> Widget:
    """The line of one of the game's own options, a choice of words or a yes or no."""
    label, default = name.replace("_", " ").capitalize(), rule["default"]
    if "enum" in rule:
        words = [(str(word).replace("_", " "), str(word)) for word in rule["enum"]]
        return field(label, select(f"own-{name}", words, str(default)))
    return field(label, yes_or_no(f"own-{name}", default=bool(default)))


class JoinForm(Dialog[WayIn]):
    """Into a room that is there: take a seat, go back to one's own, use an invite, or watch."""

    def __init__(self, lobby: Lobby, room: str, name: str) -> None:
        super().__init__()
        self._lobby, self._room, self._player_name = lobby, room, name

    def compose(self) -> ComposeResult:
        """Room, name, and what one has."""
        with Container(classes="dialog"):
            yield Static("Join a room", classes="title")
            yield field("Room", Input(self._room, compact=True, id="room"))
            yield field("Your name", Input(self._player_name, compact=True, id="name"))
            yield field("Token of your seat", Input(placeholder="only to go back to it", compact=True, id="token"))
            yield field("Invite", Input(placeholder="only to a seat that was given up", compact=True, id="invite"))
            yield Static("", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Take a seat", id="sit", compact=True)
                yield Button("Watch", id="watch", compact=True)

    def on_mount(self) -> None:
        """Where the person goes on."""
        self.query_one("#sit" if self._room else "#room").focus()

    def on_input_submitted(self) -> None:
        """Enter goes on to the buttons."""
        self.query_one("#sit").focus()

    @work(exclusive=True)
    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """In."""
        room, token, invite = (self.query_one(f"#{name}", Input).value.strip() for name in ("room", "token", "invite"))
        room = room.upper()
        if event.button.id == "watch":
            self.dismiss(WayIn(room, None))
            return
        taken = not token
        try:
            if taken:
                name = self.query_one("#name", Input).value or self._player_name
                fields = {"name": name, "invite": invite} if invite else {"name": name}
                token = str((await self._lobby.take_seat(room, **fields))["token"])
        except (Refused, Unreachable) as error:
            self.query_one(".problem", Static).update(getattr(error, "message", str(error)))
            return
        self.dismiss(WayIn(room, token, taken))
