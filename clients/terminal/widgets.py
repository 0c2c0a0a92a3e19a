"""The parts of a table on the screen: who sits there, the board, the log, the legal actions.

None of them knows the connection: a screen hands them what there is to show.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from rich.console import RenderableType
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, RichLog, Static
from textual.widgets.option_list import Option

from clients.terminal.choosing import Choice, choices_of, grouped, narrowed
from clients.terminal.countdown import time_left
from clients.terminal.games import State, seat_name
from clients.terminal.story import Story
from clients.terminal.telling import Line, Sort

MOST_LINES = 5000
BRIEF = 4
"""Lines of a log that has no room for headings."""
INDENT = "  "
LINE_STYLES = {Sort.TURN: "bold", Sort.ROOM: "italic", Sort.CHAT: "bold cyan", Sort.NOTE: "bold yellow", Sort.GAME: ""}


class BoardPane(VerticalScroll, can_focus=False):
    """The board, drawn for the width there is; it scrolls."""

    drawn: tuple[State, int] | None = None
    _story: Story | None = None

    def compose(self) -> ComposeResult:
        """The one thing that scrolls."""
        yield Static(id="board")

    def show(self, story: Story) -> None:
        """Draw the story's state, unless it is drawn already."""
        self._story = story
        width = self.scrollable_content_region.width
        if story.state is None or width <= 0:
            return
        if self.drawn is None or self.drawn[0] is not story.state or self.drawn[1] != width:
            self.drawn = (story.state, width)
            self.put(story.board.draw(story.state, width))

    def put(self, board: RenderableType) -> None:
        """Put something in the board's place."""
        self.query_one("#board", Static).update(board)
        self.call_after_refresh(self._say_what_is_hidden)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Scrolled: other lines are hidden."""
        super().watch_scroll_y(old_value, new_value)
        self._say_what_is_hidden()

    def on_resize(self) -> None:
        """Draw for the new width: a scroll bar alone may have taken some of it. Other lines are hidden, too."""
        if self._story is not None:
            self.show(self._story)
        self.call_after_refresh(self._say_what_is_hidden)

    def _say_what_is_hidden(self) -> None:
        above = round(self.scroll_y)
        below = self.max_scroll_y - above
        words = [f"PageUp: {above} more" if above else "", f"PageDown: {below} more" if below > 0 else ""]
        self.border_subtitle = "  ".join(filter(None, words))


class LogPane(RichLog, can_focus=False):
    """The log: wrapped anew when the width changes, at its end unless one scrolls back.

    With room for few lines it leaves out the headings of turns, for the sake of what was done in them.
    """

    def __init__(self, **more: Any) -> None:
        super().__init__(wrap=True, min_width=1, max_lines=MOST_LINES, auto_scroll=False, **more)
        self.told: list[Line] = []
        self._wrapped_for = 0
        self._brief = False
        self._following = True

    def tell(self, line: Line) -> None:
        """Add a line."""
        self.told.append(line)
        if self._wrapped_for:
            self._put(line)
            self._follow()

    def retell(self, lines: Sequence[Line]) -> None:
        """Show these lines and no others."""
        self.told = list(lines)
        self.clear()
        if self._wrapped_for:
            for line in self.told:
                self._put(line)
            self._follow()

    def scroll_by(self, lines: int) -> None:
        """Scroll; at the end the log follows again."""
        self.scroll_relative(y=lines, animate=False)
        self._following = self.scroll_target_y >= self.max_scroll_y

    def on_resize(self, event: events.Resize) -> None:
        """Wrap for the new width."""
        width, brief = self.scrollable_content_region.width or event.size.width, event.size.height <= BRIEF
        if width > 0 and (width, brief) != (self._wrapped_for, self._brief):
            self._wrapped_for, self._brief = width, brief
            self.retell(self.told)
        self._follow()

    def _follow(self) -> None:
        if self._following:
            self.call_after_refresh(self.scroll_end, animate=False, immediate=True)

    def _put(self, line: Line) -> None:
        if self._brief and line.sort is Sort.TURN:
            return
        style = LINE_STYLES[line.sort]
        for number, part in enumerate(Text(line.text, style).wrap(self.app.console, max(10, self._wrapped_for - 2))):
            sign = line.sort.value if number == 0 else " "
            self.write(Text.assemble((f"{sign} ", style), part))


class SeatsBar(Static):
    """Two lines: what is played and who has to decide; every seat with its clock and who is connected."""

    _said = Text()

    def show(self, story: Story, *, seat: int | None, connected: bool, now: int) -> None:
        """Say how things stand at the server's time `now`."""
        width = max(20, self.size.width)
        text = headline(story, seat=seat, connected=connected)
        if story.state is not None:
            text.append("\n").append_text(seats_line(story, width, now))
        if text != self._said:
            self._said = text
            self.update(text, layout=False)


def headline(story: Story, *, seat: int | None, connected: bool) -> Text:
    """Room and turn, and what the viewer should know first."""
    state, text = story.state, Text()
    if not connected:
        text.append(" RECONNECTING... ", style="bold reverse").append(" ")
    if state is None:
        return text.append("Entering the room...")
    room, turn = state["room"], state["turn"]
    if room["status"] == "open":
        free = sum(held is None for held in room["seats"])
        text.append(f" WAITING for {free} more ", style="bold reverse")
    elif story.over:
        text.append(f" {str(room['status']).upper()} ", style="bold reverse")
    elif seat is not None and room["seats"][seat]["served"]:
        text.append(" THE SERVER PLAYS FOR YOU ", style="bold reverse")
    elif seat is not None and seat in turn["seats"]:
        text.append(" YOUR TURN ", style="bold reverse")
    else:
        text.append(f"{', '.join(seat_name(state, each) for each in turn['seats'])} to decide", style="bold")
    text.append(f"  {str(room['game']).capitalize()} {room['id']}")
    if turn is not None:
        text.append(f", turn {turn['number']}")
    return text.append("  (you watch)" if seat is None else "")


def seats_line(story: Story, width: int, now: int) -> Text:
    """Every seat: `>` decides, `(away)` is not connected, its clock."""
    state = story.state
    assert state is not None
    parts = [_seat(story, state, seat, now) for seat in range(len(state["room"]["seats"]))]
    spare = width - 3 * (len(parts) - 1) - sum(len(mark) + len(rest) for mark, _, rest in parts)
    room = max(4, spare // len(parts))
    text = Text()
    for number, (mark, name, rest) in enumerate(parts):
        text.append(" | " if number else "")
        text.append(
            f"{mark}{name if len(name) <= room else name[: room - 1] + '~'}", style="bold" if mark == ">" else ""
        )
        text.append(rest)
    return text


def _seat(story: Story, state: State, seat: int, now: int) -> tuple[str, str, str]:
    held = state["room"]["seats"][seat]
    decides = state["turn"] is not None and seat in state["turn"]["seats"]
    rest = ""
    if held is None:
        return " ", "(free)", rest
    away = story.presence is not None and not story.presence.connected[seat] and not story.over
    if held["served"]:
        rest = " (server)"
    elif away:
        rest = " (away)"
    clock = time_left(state, seat, now)
    return (">" if decides else " "), str(held["name"]), f"{rest} {clock}" if clock else rest


class ActionList(OptionList, can_focus=False):
    """The legal actions under headings; the keys come from the input line below it."""

    class Chosen(Message):
        """The person wants this action."""

        def __init__(self, choice: Choice) -> None:
            super().__init__()
            self.choice = choice

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self._choices: list[Choice] = []
        self._shown: dict[str, Choice] = {}
        self._starts: list[int] = []

    def offer(self, story: Story) -> None:
        """Show the actions of the story's decision, all of them."""
        self._choices = choices_of(story.actions, partial(story.board.describe, story.actions_state))
        self.narrow("")

    def narrow(self, typed: str) -> None:
        """Show the actions that have the typed words."""
        groups = grouped(narrowed(self._choices, typed))
        self._shown = {}
        options: list[Option] = []
        self._starts = []
        for group in groups:
            self._starts.append(len(options))
            many = len(groups) > 1 and len(group.choices) > 1
            if many:
                options.append(Option(f"{group.title} ({len(group.choices)})", disabled=True))
            for choice in group.choices:
                name = f"a{len(self._shown)}"
                self._shown[name] = choice
                options.append(Option(Content(f"{INDENT if many else ''}{choice.words}"), id=name))
        self.set_options(options)
        self.highlighted = self._first(0)

    def choose(self) -> None:
        """Take the highlighted action."""
        option = self.highlighted_option
        if option is not None and option.id is not None:
            self.post_message(self.Chosen(self._shown[option.id]))

    def leap(self, step: int) -> None:
        """Go to the first action of the next group (1), or of the one before (-1)."""
        if self._starts:
            here = sum(start <= (self.highlighted or 0) for start in self._starts) - 1
            self.highlighted = self._first(self._starts[(here + step) % len(self._starts)])
            self.scroll_to_highlight(top=True)

    def _first(self, start: int) -> int | None:
        """The first action at or after an index."""
        return next((i for i in range(start, self.option_count) if not self.options[i].disabled), None)
