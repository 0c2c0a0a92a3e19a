"""A table: the board, whose turn it is, the clocks, the log, the legal actions, talk.

Rules that hold here:

1. What is shown is what the story was told; keys only ask the server.
2. An action is sent for the entry that it was listed at: a list that is out of date is refused, not guessed at.
3. A request outlives a cut. The screen says that the connection is being mended, and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widgets import Footer, Input

from clients.bots.policies import UnknownPolicy, policies
from clients.connection import Connection
from clients.errors import Refused, Unreachable
from clients.room import Room
from clients.terminal.countdown import local_ms, server_ahead
from clients.terminal.games import rules_of
from clients.terminal.screens.dialogs import BotsForm, BotsWanted, Command, Commands, Question, Rules
from clients.terminal.screens.screen import TerminalScreen
from clients.terminal.story import Story
from clients.terminal.telling import Line, Sort
from clients.terminal.widgets import ActionList, BoardPane, LogPane, SeatsBar

COMMANDS = (
    Command("ctrl+z", "undo", "Undo", "Take your last action back"),
    Command("ctrl+t", "talk", "Talk", "Say something to the table"),
    Command("ctrl+l", "log", "Log", "Show the whole log, or the board again"),
    Command("ctrl+o", "whole", "Board", "Show the whole board, or the actions again"),
    Command("ctrl+b", "bots", "Bots", "Let bots take the free seats"),
    Command("ctrl+r", "resign", "Resign", "Give the game up"),
    Command("ctrl+g", "back", "", "Play again, when the server plays for you"),
    Command("ctrl+n", "invite", "", "Make an invite to a seat that was given up"),
    Command("f2", "rules", "", "Read the rules of the game"),
    Command("escape", "leave", "Leave", "Go away; your seat stays yours"),
)
SEATED = frozenset({"undo", "bots", "resign", "back", "invite"})
"""What only the holder of a seat can do."""
HINT = (
    "Type to narrow the actions down, Up and Down choose, Enter plays. Tab goes to the next group of actions. "
    "PageUp and PageDown scroll the board, or the log where it is shown instead."
)
REDRAW = 0.05
TICK = 0.5


class TableScreen(TerminalScreen):
    """One room, as the holder of a seat or as a spectator."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(c.key, c.action, c.word, show=bool(c.word), priority=c.key.startswith("ctrl+")) for c in COMMANDS),
        Binding("f1", "commands", "Help"),
        Binding("up", "choose(-1)", show=False),
        Binding("down", "choose(1)", show=False),
        Binding("tab", "leap(1)", show=False, priority=True),
        Binding("shift+tab", "leap(-1)", show=False, priority=True),
        Binding("pageup", "scroll(-1)", show=False, priority=True),
        Binding("pagedown", "scroll(1)", show=False, priority=True),
    ]

    def __init__(self, room: str, token: str | None, *, bots: Sequence[str] = (), linger: float | None = None) -> None:
        """`bots`: policies for the free seats. `linger`: how many seconds after the end the program ends by itself."""
        super().__init__()
        self._room_id, self._token, self._bots, self._linger = room, token, bots, linger
        self.story = Story(self._tell)
        self._connection: Connection | None = None
        self._room: Room | None = None
        self._ahead = 0
        self._offered = 0
        self._drawing = False
        self._sending = False

    def compose(self) -> ComposeResult:
        """Everything; what does not apply is hidden by the screen's classes."""
        yield SeatsBar()
        with Container(id="middle"):
            yield BoardPane()
            with Container(id="side"):
                yield LogPane()
                yield ActionList()
                yield Input(placeholder="type to find an action", id="filter", classes="line")
                yield Input(placeholder="say something; Enter sends, Escape goes back", id="talk", classes="line")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Enter the room."""
        self.add_class("-idle")
        self.set_class(self._token is None, "-watching")
        if self._token is None:
            self.set_focus(None)
        else:
            self.query_one("#filter").focus()
        self.set_interval(TICK, self._tick)
        self._attend()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002 - Textual's
        """Whether a key does anything: a spectator has no seat to act for."""
        return self._token is not None or action not in SEATED

    def on_resize(self, _: events.Resize) -> None:
        """Draw for the new size."""
        self._draw_soon()

    # ---------------------------------------------------------------------------------------------- what is told

    @work(group="attend", exit_on_error=True)
    async def _attend(self) -> None:
        """Hear everything, until the room is left."""
        try:
            self._connection = await self.terminal.connect()
            self._room = room = await self._connection.join(self._room_id, self._token, legal=self._token is not None)
            self._ahead = await server_ahead(self._connection)
        except (Refused, Unreachable) as error:
            self.terminal.table_failed(self, self._room_id, self._token, error)
            return
        if self._token is not None:
            self.terminal.kept.keep(self._room_id, self._token)
        if self._bots:
            self._seat_bots(BotsWanted(",".join(self._bots), here=True))
        self.terminal.resume_bots(self._room_id, self._game())
        async for message in room:
            self.story.take(message)
            self._draw_soon()
            if self.story.over:
                self._over()
        if room.ended is not None:
            why = room.ended.message
            told = bool(self.story.lines) and self.story.lines[-1].text == why
            self.story.say(Sort.NOTE, f"You are no longer at this table{'' if told else f': {why}'}.")

    def _game(self) -> str:
        return str(self._room.state["room"]["game"]) if self._room is not None and self._room.state else ""

    def _over(self) -> None:
        self.terminal.kept.drop(self._room_id)
        self.terminal.ended = self.story.state
        if self._linger is not None:
            self.set_timer(self._linger, self.terminal.exit)
            self._linger = None

    def _tell(self, line: Line) -> None:
        self.query_one(LogPane).tell(line)

    # ---------------------------------------------------------------------------------------------- what is shown

    def _draw_soon(self) -> None:
        if not self._drawing:
            self._drawing = True
            self.set_timer(REDRAW, self._draw)

    def _draw(self) -> None:
        self._drawing = False
        state, seat = self.story.state, self._seat()
        self._tick()
        if state is None:
            return
        deciding = self.story.asks(seat)
        self.set_class(not deciding, "-idle")
        if deciding and self.story.actions_seq != self._offered:
            self._offered = self.story.actions_seq
            line, actions = self.query_one("#filter", Input), self.query_one(ActionList)
            many = len(self.story.actions)
            line.placeholder = f"{many} actions: type to narrow down, Enter plays" if many > 1 else "Enter plays it"
            actions.offer(self.story)
            actions.narrow(line.value)
        elif not deciding:
            self._offered = 0
            why = "the game is over; Escape leaves" if self.story.over else "nothing to decide for you now"
            self.query_one("#filter", Input).placeholder = f"{why}, Ctrl+T talks"
        if state["game"] is None:
            self.query_one(BoardPane).put(self._waiting())
        else:
            self.call_after_refresh(self.query_one(BoardPane).show, self.story)

    def _tick(self) -> None:
        connected = self._connection is not None and self._connection.connected
        now = local_ms() + self._ahead
        self.query_one(SeatsBar).show(self.story, seat=self._seat(), connected=connected, now=now)

    def _seat(self) -> int | None:
        return self._room.seat if self._room is not None else None

    def _waiting(self) -> Text:
        """What one can do while seats are free."""
        state = self.story.state
        assert state is not None
        text = Text("The game starts by itself when the last seat is taken.\n\n")
        for seat, held in enumerate(state["room"]["seats"]):
            text.append(f"  Seat {seat + 1}: {held['name'] if held else '(free)'}\n")
        text.append("\nOthers come with:\n  ")
        text.append(f"python -m clients.terminal --url {self.terminal.url} join {self._room_id}\n", style="bold")
        return text if self._token is None else text.append("\nCtrl+B seats bots at once.")

    # ---------------------------------------------------------------------------------------------- what is asked

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the actions down."""
        if event.input.id == "filter":
            if event.value:
                self.remove_class("-whole")
            self.query_one(ActionList).narrow(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Play, or say."""
        if event.input.id == "filter":
            if not self.has_class("-idle"):
                self.query_one(ActionList).choose()
        elif event.value.strip() and self._room is not None:
            self._ask(self._room.chat(event.value.strip()))
            event.input.clear()

    def on_action_list_chosen(self, event: ActionList.Chosen) -> None:
        """Play the action."""
        if self._room is not None and not self._sending:
            self._sending = True
            self.query_one("#filter", Input).clear()
            self._play(self._room, event)

    @work(group="play")
    async def _play(self, room: Room, event: ActionList.Chosen) -> None:
        try:
            if room.state["room"]["seats"][room.seat]["served"]:
                await room.back()
            await room.act(event.choice.action, seq=self.story.actions_seq)
        except Refused as refusal:
            self.notify(refusal.message, title="Not played", severity="warning", timeout=4)
        finally:
            self._sending = False

    @work(group="ask")
    async def _ask(self, request: Awaitable[object]) -> None:
        try:
            await request
        except Refused as refusal:
            self.notify(refusal.message, severity="warning", timeout=4)
        except Unreachable as error:
            self.notify(str(error), severity="warning", timeout=4)

    def action_undo(self) -> None:
        """Take the last action back."""
        if self._room is not None and self._seat() is not None:
            self._ask(self._room.undo())

    def action_back(self) -> None:
        """Take the seat into one's own hands again."""
        if self._room is not None and self._seat() is not None:
            self._ask(self._room.back())

    @work
    async def action_resign(self) -> None:
        """Give up, if that is meant."""
        room, seat = self._room, self._seat()
        if room is None or seat is None or self._token is None or self.story.over:
            return
        if room.state["room"]["status"] == "open":
            if await self.app.push_screen_wait(Question("Give your seat up?", "Give it up")):
                self._ask(self._vacate(seat, self._token))
        elif await self.app.push_screen_wait(Question("Give this game up? There is no way back.", "Resign")):
            self._ask(room.resign())

    async def _vacate(self, seat: int, token: str) -> None:
        await self.terminal.lobby.vacate(self._room_id, seat, token)
        self.terminal.kept.drop(self._room_id, token)

    @work
    async def action_bots(self) -> None:
        """Let bots take the free seats."""
        state = self.story.state
        if state is None or self._token is None or state["room"]["status"] != "open":
            self.notify("There is no free seat for a bot.", timeout=3)
            return
        free = sum(held is None for held in state["room"]["seats"])
        wanted = await self.app.push_screen_wait(BotsForm(policies(self._game()), free))
        if wanted is not None:
            self._seat_bots(wanted)

    @work(group="bots")
    async def _seat_bots(self, wanted: BotsWanted) -> None:
        try:
            if wanted.here:
                await self.terminal.bots.fill(self._room_id, wanted.policy.split(","), self.terminal.kept.keep)
            else:
                await self.terminal.lobby.offer(self._room_id, wanted.policy, self._token or "")
        except (Refused, Unreachable, UnknownPolicy) as error:
            self.notify(str(error), title="No bots", severity="warning", timeout=6)

    @work
    async def action_invite(self) -> None:
        """An invite to a vacated seat, into the log."""
        if self._token is None:
            return
        try:
            invite = await self.terminal.lobby.invite(self._room_id, self._token)
        except (Refused, Unreachable) as error:
            self.notify(str(error), severity="warning", timeout=4)
        else:
            self.story.say(Sort.NOTE, f"Invite: {invite}")

    # ---------------------------------------------------------------------------------------------- moving about

    def action_choose(self, step: int) -> None:
        """The next action, or the one before; lines of the board or log where there are none."""
        if self.has_class("-idle") or self.has_class("-watching") or self.has_class("-talking"):
            self._scroll(step)
        elif step > 0:
            self.query_one(ActionList).action_cursor_down()
        else:
            self.query_one(ActionList).action_cursor_up()

    def action_leap(self, step: int) -> None:
        """The next group of actions, or the one before."""
        self.query_one(ActionList).leap(step)

    def action_scroll(self, pages: int) -> None:
        """A page of what is looked at."""
        self._scroll(pages * max(1, self._looked_at().size.height - 2))

    def _looked_at(self) -> BoardPane | LogPane:
        board = self.query_one(BoardPane)
        return board if board.display and not self.has_class("-talking") else self.query_one(LogPane)

    def _scroll(self, lines: int) -> None:
        pane = self._looked_at()
        if isinstance(pane, LogPane):
            pane.scroll_by(lines)
        else:
            pane.scroll_relative(y=lines, animate=False)

    def action_log(self) -> None:
        """The log instead of the board, where there is no room for both."""
        self.remove_class("-whole")
        self.toggle_class("-log")
        self._draw_soon()

    def action_whole(self) -> None:
        """The board alone."""
        self.remove_class("-log")
        self.toggle_class("-whole")
        self._draw_soon()

    def action_talk(self) -> None:
        """Say something, or go back to the actions; the next key counts there already."""
        self.remove_class("-whole")
        self.toggle_class("-talking")
        talking, talk, line = self.has_class("-talking"), self.query_one("#talk"), self.query_one("#filter")
        talk.display, line.display = talking, not talking and self._token is not None
        self.set_focus(talk if talk.display else line if line.display else None)

    @work
    async def action_commands(self) -> None:
        """Every command there is."""
        commands = [command for command in COMMANDS if self.check_action(command.action, ())]
        chosen = await self.app.push_screen_wait(Commands("What you can do here", commands, HINT))
        if chosen is not None:
            await self.run_action(chosen)

    def action_rules(self) -> None:
        """The rules of the game."""
        rules = rules_of(self._game())
        if rules is not None:
            self.app.push_screen(Rules(rules))

    def action_leave(self) -> None:
        """First out of talk, then out of the room."""
        if self.has_class("-talking"):
            self.action_talk()
            return
        self.workers.cancel_all()
        back = self.terminal.table_left(self)
        if back and self._room is not None and self._connection is not None:
            self.terminal.leave_room(self._connection, self._room)


async def leave_quietly(connection: Connection, room: Room) -> None:
    """Detach from a room; over a connection that is cut there is nobody to tell."""
    try:
        async with asyncio.timeout(2):
            await room.leave()
    except (Refused, TimeoutError):
        connection.forget(room)
