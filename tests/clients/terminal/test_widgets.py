"""The parts of a table by themselves: hundreds of actions, long logs, narrow screens, no colours."""

from __future__ import annotations

from typing import Any

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.color import Color

from clients.terminal.app import NoColour
from clients.terminal.story import Story
from clients.terminal.telling import Line, Sort
from clients.terminal.widgets import ActionList, LogPane, seats_line
from protocol.messages import Presence, Snapshot, Turn

TAG = "0" * 16


def story(actions: list[dict[str, Any]] | None = None, names: tuple[str, ...] = ("Ana", "Ben")) -> Story:
    told = Story()
    seats = [{"name": name, "kind": "human", "served": False} for name in names]
    turn = {"number": 1, "phase": "turn", "seats": [0], "since": [3], "clock": None}
    room = {"id": "K7QF2M", "game": "nim", "status": "playing", "seats": seats}
    told.take(Snapshot("K7QF2M", 3, TAG, {"room": room, "turn": turn, "game": {}, "you": None, "result": None}))
    told.take(Turn("K7QF2M", 3, actions or []))
    return told


class Parts(App[None]):
    def compose(self) -> ComposeResult:
        yield LogPane()
        yield ActionList()


async def test_every_one_of_two_thousand_actions_can_be_reached() -> None:
    actions = [{"type": f"kind_{n % 4}", "n": n} for n in range(2000)]
    async with Parts().run_test(size=(80, 24)) as pilot:
        shown = pilot.app.query_one(ActionList)
        shown.offer(story(actions))
        await pilot.pause()
        assert [option.disabled for option in shown.options].count(True) == 4
        assert shown.option_count == 2004
        seen = []
        for n in (0, 777, 1999):
            shown.narrow(f"kind {n % 4} n {n}")
            option = shown.highlighted_option
            assert option is not None
            seen.append(str(option.prompt).strip())
        assert seen == ["kind_0 n 0", "kind_1 n 777", "kind_3 n 1999"]
        shown.narrow("nothing has this")
        assert shown.highlighted_option is None
        shown.narrow("")
        for _ in range(3):
            shown.leap(1)
        assert shown.highlighted == 1504
        shown.leap(1)
        assert shown.highlighted == 1


async def test_the_log_stays_at_its_end_unless_one_scrolls_back_and_wraps_anew() -> None:
    async with Parts().run_test(size=(80, 24)) as pilot:
        log = pilot.app.query_one(LogPane)
        for n in range(100):
            log.tell(Line(Sort.GAME, f"line {n} " + "word " * 20))
        await pilot.pause()
        assert log.scroll_y == log.max_scroll_y > 0
        log.scroll_by(-20)
        place = log.scroll_y
        log.tell(Line(Sort.CHAT, "new"))
        await pilot.pause()
        assert log.scroll_y == place
        log.scroll_by(1000)
        log.tell(Line(Sort.CHAT, "newer"))
        await pilot.pause()
        assert log.scroll_y == log.max_scroll_y
        lines = len(log.lines)
        await pilot.resize_terminal(50, 24)
        await pilot.pause()
        assert len(log.lines) > lines
        assert all(strip.cell_length <= 50 for strip in log.lines)
        assert log.scroll_y == log.max_scroll_y


async def test_a_log_with_little_room_leaves_the_headings_out() -> None:
    async with Parts().run_test(size=(80, 24)) as pilot:
        log = pilot.app.query_one(LogPane)
        for n in range(3):
            log.tell(Line(Sort.TURN, f"Turn {n}"))
            log.tell(Line(Sort.GAME, f"deed {n}"))
        await pilot.pause()
        assert [strip.text.strip() for strip in log.lines[:2]] == ["- Turn 0", "deed 0"]
        log.styles.height = 3
        await pilot.pause()
        assert [strip.text.strip() for strip in log.lines] == ["deed 0", "deed 1", "deed 2"]
        log.tell(Line(Sort.TURN, "Turn 3"))
        assert len(log.lines) == 3


def test_the_seats_fit_into_a_line_however_long_the_names_are() -> None:
    long = story(names=("A" * 24, "B" * 24, "C" * 24, "D" * 24))
    long.take(Presence("K7QF2M", [True, False, True, True], 0))
    line = seats_line(long, 80, 0)
    assert len(line) <= 80
    assert line.plain.startswith(">AAAA")
    assert "~ (away)" in line.plain
    assert line.plain.count("|") == 3


def test_no_colour_leaves_none_and_reverses_what_was_dark_on_light() -> None:
    dark, light = RichColor.from_rgb(10, 10, 10), RichColor.from_rgb(240, 240, 240)
    segments = [
        Segment("plain", Style(color=light, bgcolor=dark, bold=True)),
        Segment("chosen", Style(color=dark, bgcolor=light)),
        Segment("bare", None),
    ]
    plain, chosen, bare = NoColour().apply(segments, Color(0, 0, 0))
    assert plain.style is not None
    assert chosen.style is not None
    assert (plain.style.color, plain.style.bgcolor, plain.style.bold, bool(plain.style.reverse)) == (
        None,
        None,
        True,
        False,
    )
    assert (chosen.style.color, chosen.style.bgcolor, chosen.style.reverse) == (None, None, True)
    assert bare.style is None
