"""A finished game, stepped through forwards and backwards, by entries or by turns, through any eyes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.timer import Timer
from textual.widgets import Footer, Static

from clients.terminal.games import State, board_of, seat_name
from clients.terminal.replaying import BadReplay, Replay
from clients.terminal.screens.screen import TerminalScreen
from clients.terminal.telling import Line, end_lines, lines_of, turn_line
from clients.terminal.widgets import BoardPane, LogPane

SPEED = 0.5
"""Seconds between two entries when it plays by itself."""
LOG = 120
"""Entries that the log reaches back."""


class Eyes:
    """Through whose eyes a replay is seen: a spectator's, a seat's, or everybody's, following the turn."""

    def __init__(self, replay: Replay, *, everything: bool = False) -> None:
        self._replay = replay
        self._choice = replay.places + 1 if everything else 0

    def change(self) -> None:
        """The next: the public view, every seat, everything."""
        self._choice = (self._choice + 1) % (self._replay.places + 2)

    @property
    def everything(self) -> bool:
        """Whether nothing is hidden."""
        return self._choice == self._replay.places + 1

    def viewer(self, step: int) -> int | None:
        """The viewer at a step: a seat, or None for a spectator."""
        if self.everything:
            return self._replay.on_turn(step)
        return self._choice - 1 if self._choice else None

    def document(self, step: int) -> State:
        """What is seen at a step."""
        return self._replay.document(step, self.viewer(step))

    def lines(self, step: int) -> Iterator[Line]:
        """What a step's entry says."""
        state = self.document(step)
        before = self.document(step - 1) if step else None
        told = self._replay.events(step, self.viewer(step), everything=self.everything)
        yield from lines_of(board_of(str(state["room"]["game"])), state, told)
        heading = turn_line(before, state)
        if heading is not None:
            yield heading
        yield from end_lines(before, state)

    def __str__(self) -> str:
        if self.everything:
            return "all"
        return f"seat {self._choice}" if self._choice else "spectators"


class ReplayScreen(TerminalScreen):
    """One finished game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right", "step(1)", "Entry", key_display="←→"),
        Binding("left", "step(-1)", show=False),
        Binding("n,shift+right", "turn(1)", "Turn", key_display="p/n"),
        Binding("p,shift+left", "turn(-1)", show=False),
        Binding("home", "go(0)", "Start"),
        Binding("end", "go(-1)", "End"),
        Binding("space", "run", "Play"),
        Binding("v", "eyes", "View"),
        Binding("pageup", "scroll(-1)", show=False),
        Binding("pagedown", "scroll(1)", show=False),
        Binding("up", "line(-1)", show=False),
        Binding("down", "line(1)", show=False),
        Binding("q,escape", "leave", "Quit", key_display="q"),
    ]

    def __init__(self, replay: Replay) -> None:
        super().__init__()
        self._replay = replay
        self._eyes = Eyes(replay)
        self._at = 0
        self._player: Timer | None = None
        self._told: dict[tuple[str, int], list[Line]] = {}

    def compose(self) -> ComposeResult:
        """Where we are, the board, what happened."""
        yield Static(id="title", markup=False)
        with Container(id="middle"):
            yield BoardPane()
            with Container(id="side"):
                yield LogPane()
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin at the start of the game."""
        with suppress(BadReplay):  # shown with the first entry then
            self._at = self._started()
        self.call_after_refresh(self._show)

    def on_resize(self, _: events.Resize) -> None:
        """Draw for the new size."""
        self.call_after_refresh(self._show)

    def _started(self) -> int:
        return next((step for step in range(len(self._replay)) if self._replay.step(step).game is not None), 0)

    def _show(self) -> None:
        try:
            state = self._eyes.document(self._at)
            first = max(0, self._at - LOG)
            lines = [line for step in range(first, self._at + 1) for line in self._lines(step)]
        except BadReplay as error:
            self.query_one(BoardPane).put(Text(str(error), style="bold"))
            return
        pane = self.query_one(BoardPane)
        width = pane.scrollable_content_region.width
        if width > 0:
            pane.put(board_of(str(state["room"]["game"])).draw(state, width))
        log = self.query_one(LogPane)
        log.retell(lines)
        deciding = state["turn"]["seats"] if state["turn"] else ()
        who = ", ".join(seat_name(state, seat) for seat in deciding) or "nobody"
        game = str(state["room"]["game"]).capitalize()
        place = f"entry {self._at + 1} of {len(self._replay)}"
        title = f"{game} {self._replay.room}  {place}  {who} to decide  as seen by {self._eyes}"
        self.query_one("#title", Static).update(title)

    def _lines(self, step: int) -> list[Line]:
        place = (str(self._eyes), step)
        if place not in self._told:
            self._told[place] = list(self._eyes.lines(step))
        return self._told[place]

    def _go(self, step: int) -> None:
        self._at = max(0, min(len(self._replay) - 1, step))
        self._show()

    def action_step(self, by: int) -> None:
        """By entries."""
        self._go(self._at + by)

    def action_turn(self, by: int) -> None:
        """To where another turn begins."""
        step = self._at
        with suppress(BadReplay):  # as far as it can be followed: there it says why not further
            here = self._turn(step)
            while 0 <= step + by < len(self._replay) and self._turn(step) == here:
                step += by
            if by < 0:  # to that turn's own beginning
                while step > 0 and self._turn(step - 1) == self._turn(step):
                    step -= 1
        self._go(step)

    def _turn(self, step: int) -> int:
        game = self._replay.step(step).game
        return 0 if game is None else self._replay.engine.turn(game)[0]

    def action_go(self, step: int) -> None:
        """To the start or the end."""
        self._go(step if step >= 0 else len(self._replay) - 1)

    def action_run(self) -> None:
        """Play by itself, or stop."""
        if self._player is not None:
            self._player.stop()
            self._player = None
        else:
            self._player = self.set_interval(SPEED, self._run_on)

    def _run_on(self) -> None:
        if self._at + 1 >= len(self._replay):
            self.action_run()
        else:
            self._go(self._at + 1)

    def action_eyes(self) -> None:
        """Through other eyes."""
        self._eyes.change()
        self._show()

    def action_scroll(self, pages: int) -> None:
        """A page of the board."""
        pane = self.query_one(BoardPane)
        pane.scroll_relative(y=pages * max(1, pane.size.height - 2), animate=False)

    def action_line(self, lines: int) -> None:
        """A line of the board."""
        self.query_one(BoardPane).scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        """Back to where this came from."""
        if len(self.app.screen_stack) > 2:
            self.app.pop_screen()
        else:
            self.app.exit()
