"""Small dialogs over a screen: the commands there are, a question, bots for free seats.

Escape leaves a dialog without an answer (None).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, TypeVar

import msgspec
from rich.markdown import Markdown
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Container, Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

Answer = TypeVar("Answer")


class Dialog(ModalScreen[Answer | None]):
    """A dialog that Escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "leave", "Back")]

    def action_leave(self) -> None:
        """No answer."""
        self.dismiss(None)


class Command(msgspec.Struct, frozen=True):
    """Something that a key does: the key, the screen's action, a word for the footer, a sentence."""

    key: str
    action: str
    word: str
    meaning: str


class Commands(Dialog[str]):
    """Every command of a screen, to be read or chosen; the answer is its action."""

    def __init__(self, title: str, commands: Sequence[Command], hint: str) -> None:
        super().__init__()
        self._heading, self._commands, self._hint = title, commands, hint

    def compose(self) -> ComposeResult:
        """A list with the keys."""
        with Container(classes="dialog"):
            yield Static(self._heading, classes="title", markup=False)
            yield OptionList(*map(_option, self._commands), id="commands")
            yield Static(self._hint, classes="hint", markup=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """This command it is."""
        self.dismiss(event.option.id)


def _option(command: Command) -> Option:
    return Option(Content(f"{key_name(command.key):<10} {command.meaning}"), id=command.action)


def key_name(key: str) -> str:
    """The key as people call it: `ctrl+z` is Ctrl+Z; a letter alone stays small."""
    if len(key) == 1:
        return key
    return "/" if key == "slash" else "+".join(part.capitalize() for part in key.split("+"))


class Question(Dialog[bool]):
    """Yes or no."""

    def __init__(self, question: str, yes: str) -> None:
        super().__init__()
        self._question, self._yes = question, yes

    def compose(self) -> ComposeResult:
        """The question, and what one can answer."""
        with Container(classes="dialog"):
            yield Static(self._question, classes="title", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("No", id="no", compact=True)
                yield Button(self._yes, id="yes", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The answer."""
        self.dismiss(event.button.id == "yes")


class Rules(Dialog[None]):
    """A text to read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The text, which scrolls."""
        with Container(classes="dialog rules"):
            with VerticalScroll(id="rules"):
                yield Static(Markdown(self._text))
            yield Static("Up, Down, PageUp and PageDown scroll, Escape goes back.", classes="hint")


class BotsWanted(msgspec.Struct, frozen=True):
    """Bots for the free seats: which policy; of this program, or of the server's bot hosts."""

    policy: str
    here: bool


class BotsForm(Dialog[BotsWanted]):
    """Who is to play the free seats."""

    def __init__(self, policies: Sequence[str], free: int) -> None:
        super().__init__()
        self._policies, self._free = policies, free

    def _usual(self) -> str:
        """Good, and without a moment's thought, where the game has such a policy."""
        return "greedy" if "greedy" in self._policies else self._policies[-1]

    def compose(self) -> ComposeResult:
        """Policy and place."""
        where = [("this terminal, for as long as it runs", True), ("the server's bot hosts, if there are any", False)]
        with Container(classes="dialog"):
            yield Static(f"Bots for {self._free} free seat{'' if self._free == 1 else 's'}", classes="title")
            with Horizontal(classes="field"):
                yield Label("Policy")
                names = [(name, name) for name in self._policies]
                yield Select(names, value=self._usual(), allow_blank=False, compact=True, id="policy")
            with Horizontal(classes="field"):
                yield Label("Played by")
                yield Select(where, value=True, allow_blank=False, compact=True, id="where")
            yield Static(
                "Without a bot host the server plays a seat by itself after 15 seconds, simply.", classes="hint"
            )
            with Horizontal(classes="buttons"):
                yield Button("Seat them", id="seat", compact=True)

    def on_mount(self) -> None:
        """Enter is enough."""
        self.query_one("#seat").focus()

    def on_button_pressed(self) -> None:
        """Seat them."""
        policy, where = self.query_one("#policy", Select).value, self.query_one("#where", Select).value
        self.dismiss(BotsWanted(str(policy), where is True))
