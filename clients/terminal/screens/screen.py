"""What the screens of the terminal have in common: the program that they belong to."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.screen import Screen

if TYPE_CHECKING:
    from clients.terminal.app import Terminal


class TerminalScreen(Screen[None]):
    """A screen of the terminal program. Its classes say how much room there is."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (118, "-wide")]  # noqa: RUF012 - as Textual has it
    VERTICAL_BREAKPOINTS = [(0, "-short"), (34, "-tall")]  # noqa: RUF012

    @property
    def terminal(self) -> Terminal:
        """The program."""
        return cast("Terminal", self.app)
