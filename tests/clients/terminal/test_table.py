"""A table on the screen, by its keys, against a real server."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from textual.widgets import Input

from clients.connection import Connection
from clients.lobby import Lobby
from clients.terminal.games import rules_of
from clients.terminal.screens.dialogs import BotsForm, Commands, Question, Rules
from clients.terminal.story import Story
from clients.terminal.widgets import ActionList, BoardPane, LogPane
from protocol.messages import ChatLine
from server.engines import ENGINES
from tests.clients.terminal.cable import Cable
from tests.clients.terminal.seats import (
    actions_shown,
    answered,
    idle_table,
    log_of,
    said,
    sit,
    table,
    terminal,
    typed,
    until,
)
from tests.processes import ServerProcess, serving_well

SMALL, WIDE = (80, 24), (140, 45)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    quick = {"PHAROS_CHAT_INTERVAL": "0", "PHAROS_BOT_WAIT": "200", "PHAROS_TIMEOUTS_TO_SERVE": "1"}
    with serving_well({"PHAROS_STORE": "memory://", **quick}) as process:
        yield process


@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_typing_narrows_the_actions_down_and_enter_plays_the_chosen_one(
    server: ServerProcess, size: tuple[int, int]
) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=size) as pilot:
        await until(pilot, lambda: len(actions_shown(pilot)) > 10, "the list of actions")
        assert "YOUR TURN" in said(pilot, "SeatsBar")
        assert ">Ana" in said(pilot, "SeatsBar")
        await pilot.press(*typed("stomp"))
        await until(pilot, lambda: all("Stomp on" in words for words in actions_shown(pilot)))
        assert len(actions_shown(pilot)) == 5
        await pilot.press("ctrl+u", *typed("RELOAD"))
        await until(pilot, lambda: actions_shown(pilot) == ["Reload: draw a card"])
        await pilot.press("enter")
        await until(pilot, lambda: any(line.startswith("  Ana draws ") for line in log_of(pilot)), "the draw")
        await until(pilot, lambda: "Ben to decide" in said(pilot, "SeatsBar"))
        assert table(pilot).has_class("-idle")
        assert table(pilot).query_one("#filter", Input).value == ""
    assert (await Lobby(server.url).look(room))["turn"]["seats"] == [1]


async def test_arrows_choose_and_tab_leaps_over_a_group(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: len(actions_shown(pilot)) > 10, "the list of actions")
        actions = table(pilot).query_one(ActionList)

        def chosen() -> str:
            assert actions.highlighted_option is not None
            return str(actions.highlighted_option.prompt).strip()

        assert chosen() == "Reload: draw a card"
        await pilot.press("down", "down")
        assert chosen() == actions_shown(pilot)[2]
        await pilot.press("up")
        assert chosen() == actions_shown(pilot)[1]
        await pilot.press("tab")
        assert chosen() == "Reload: draw a card"
        await pilot.press("tab")
        assert chosen() == actions_shown(pilot)[1]
        await pilot.press("shift+tab", "shift+tab")
        assert chosen() == actions_shown(pilot)[1]


async def test_an_action_is_taken_back(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "bretagne")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        before, seq = list(actions_shown(pilot)), table(pilot).story.seq
        assert "Load brick" in before
        await pilot.press(*typed("load brick"), "enter")
        await until(pilot, lambda: table(pilot).story.seq == seq + 1, "the action")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "* Ana takes the last action back." in log_of(pilot), "the undo")
        await until(pilot, lambda: actions_shown(pilot) == before, "the actions of before")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: len(pilot.app._notifications) > 0, "the refusal of another undo")


async def test_talk_goes_both_ways_and_is_not_taken_for_actions(server: ServerProcess) -> None:
    room, token, other = await idle_table(server.url, "dragonwood")
    async with Connection(server.url) as far, terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        ben = await sit(far, room, other)
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        await pilot.press("ctrl+t", *typed("reload"), "enter")
        await until(pilot, lambda: "> Ana: reload" in log_of(pilot), "what was said")
        assert (await Lobby(server.url).look(room))["turn"]["seats"] == [0]
        await ben.chat("well met")
        await until(pilot, lambda: "> Ben: well met" in log_of(pilot), "the answer")
        await pilot.press("escape", *typed("reload"), "enter")
        await until(pilot, lambda: "Ben to decide" in said(pilot, "SeatsBar"))


async def test_a_cut_loses_no_word_and_doubles_none(server: ServerProcess) -> None:
    room, token, other = await idle_table(server.url, "dragonwood")
    async with Cable(server.port) as cable, Connection(server.url) as far, Connection(server.url) as eyes:
        ben = await sit(far, room, other)
        witness = await eyes.join(room)
        async with terminal(cable.url, room, token).run_test(size=SMALL) as pilot:
            await until(pilot, lambda: actions_shown(pilot), "the list of actions")
            await pilot.press(*typed("reload"), "enter")
            await until(pilot, lambda: "Ben to decide" in said(pilot, "SeatsBar"))
            cable.cut()
            await until(pilot, lambda: "RECONNECTING" in said(pilot, "SeatsBar"), "word of the cut")
            await until(pilot, lambda: ben.deciding, "Ben's turn")
            for word in ("one", "two", "three"):
                await ben.chat(word)
            await ben.act({"type": "reload"})
            await ben.chat("four")
            await pilot.press("ctrl+t", *typed("still here"), "enter", "escape")
            before = len(log_of(pilot))
            cable.mend()
            await until(pilot, lambda: "> Ana: still here" in log_of(pilot), "what was said while cut off")
            await until(pilot, lambda: "YOUR TURN" in said(pilot, "SeatsBar"), "the turn")
            missed = log_of(pilot)[before:]
            talk = [line for line in missed if line.startswith(">")]
            assert talk == ["> Ben: one", "> Ben: two", "> Ben: three", "> Ben: four", "> Ana: still here"]
            story = Story()
            async for message in witness:
                story.take(message)
                if isinstance(message, ChatLine) and message.text == "still here":
                    break
            seen = [str(line) for line in story.lines]
            happened = [line for line in seen[seen.index("> Ben: one") :] if not line.startswith(">")]
            assert [line for line in missed if not line.startswith(">")] == happened
            assert any(line.startswith("  Ben draws") for line in happened)
            await pilot.press(*typed("reload"), "enter")
            await until(pilot, lambda: "Ben to decide" in said(pilot, "SeatsBar"), "that one can play on")


async def test_bots_of_this_program_take_the_free_seats_and_play(server: ServerProcess) -> None:
    made = await Lobby(server.url).create("dragonwood", 3, name="Ana")
    async with terminal(server.url, made["room"], made["token"]).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "WAITING for 2 more" in said(pilot, "SeatsBar"))
        assert f"join {made['room']}" in said(pilot, "#board")
        await answered(pilot, "ctrl+b", BotsForm, "enter")
        await until(pilot, lambda: actions_shown(pilot), "the game")
        assert "greedy-2" in said(pilot, "SeatsBar")
        await pilot.press(*typed("reload"), "enter")
        await until(pilot, lambda: any(line.startswith("  greedy-") for line in log_of(pilot)), "a bot's play")


async def test_seats_that_wait_for_a_bot_host_are_played_by_the_server(server: ServerProcess) -> None:
    made = await Lobby(server.url).create("dragonwood", 2, name="Ana")
    async with terminal(server.url, made["room"], made["token"]).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "WAITING for 1 more" in said(pilot, "SeatsBar"))
        await answered(pilot, "ctrl+b", BotsForm, "shift+tab", "enter", "down", "enter", "tab", "enter")
        await until(pilot, lambda: "* Seat 2 waits for a bot (greedy)." in log_of(pilot), "the offer")
        await until(pilot, lambda: actions_shown(pilot), "the game")
        assert "(server)" in said(pilot, "SeatsBar")


async def test_resigning_is_asked_twice(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        await answered(pilot, "ctrl+r", Question, "enter")
        await answered(pilot, "ctrl+r", Question, "escape")
        assert not (await Lobby(server.url).look(room))["room"]["seats"][0]["served"]
        await answered(pilot, "ctrl+r", Question, "tab", "enter")
        await until(pilot, lambda: any("Ana resigns" in line for line in log_of(pilot)), "the end of it")


async def test_a_seat_is_given_up_before_the_start(server: ServerProcess) -> None:
    made = await Lobby(server.url).create("dragonwood", 2, name="Ana")
    async with terminal(server.url, made["room"], made["token"]).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "WAITING" in said(pilot, "SeatsBar"))
        await answered(pilot, "ctrl+r", Question, "tab", "enter")
        await until(pilot, lambda: any("no longer at this table" in line for line in log_of(pilot)), "the end of it")
    assert (await Lobby(server.url).look(made["room"]))["room"]["seats"] == [None, None]


async def test_a_spectator_watches_and_talks_but_has_no_actions(server: ServerProcess) -> None:
    room, _, other = await idle_table(server.url, "dragonwood")
    async with Connection(server.url) as far, terminal(server.url, room).run_test(size=SMALL) as pilot:
        ben = await sit(far, room, other)
        await until(pilot, lambda: "(you watch)" in said(pilot, "SeatsBar"))
        await pilot.press(*typed("reload"), "enter", "ctrl+z")
        await ben.chat("hello")
        await until(pilot, lambda: "> Ben: hello" in log_of(pilot), "the talk")
        assert not table(pilot).query_one(ActionList).display
        await pilot.press("ctrl+t", *typed("nice"), "enter")
        await until(pilot, lambda: any(line.endswith(": nice") for line in log_of(pilot)), "the spectator's word")
    assert (await Lobby(server.url).look(room))["turn"]["seats"] == [0]


async def test_clocks_count_down_between_two_entries(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood", clock={"bank": 60_000, "per_turn": 50_000})
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:

        def left() -> int:
            shown = re.search(r">Ana 0:(\d\d)\+1:00 \|  Ben \(away\) 1:00$", said(pilot, "SeatsBar"))
            return int(shown[1]) if shown else 0

        await until(pilot, left, "the clock")
        first = left()
        await until(pilot, lambda: 0 < left() <= first - 2, "the seconds' going down")


async def test_whoever_the_server_plays_for_takes_over_again(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood", clock={"bank": 0, "per_turn": 3000})
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "THE SERVER PLAYS FOR YOU" in said(pilot, "SeatsBar"), "the time-out")
        assert "* Ana is played for by the server." in log_of(pilot)
        await pilot.press("ctrl+g")
        await until(pilot, lambda: "* Ana plays again." in log_of(pilot), "that she is back")


async def test_a_seat_that_was_given_up_is_offered_by_an_invite(server: ServerProcess) -> None:
    room, token, other = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        await Lobby(server.url).vacate(room, 1, other)
        await until(pilot, lambda: "* Seat 2 was given up." in log_of(pilot), "word of it")
        await pilot.press("ctrl+n")
        await until(pilot, lambda: any(line.startswith("! Invite: ") for line in log_of(pilot)), "the invite")
        invite = next(line for line in log_of(pilot) if line.startswith("! Invite: ")).removeprefix("! Invite: ")
        assert (await Lobby(server.url).take_seat(room, name="Eva", invite=invite))["seat"] == 1
        await until(pilot, lambda: "Eva" in said(pilot, "SeatsBar"), "who came")


async def test_log_and_board_change_places(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        screen = table(pilot)
        await pilot.press("ctrl+l")
        await until(pilot, lambda: screen.query_one("LogPane").size.height > 8, "the whole log")
        assert not screen.query_one("BoardPane").display
        await pilot.press("ctrl+o")
        await until(pilot, lambda: screen.query_one("BoardPane").size.height > 15, "the whole board")
        assert not screen.query_one(ActionList).display
        await pilot.press("r")
        await until(pilot, lambda: screen.query_one(ActionList).display, "the actions, as soon as one types")
        await pilot.resize_terminal(*WIDE)
        await until(pilot, lambda: screen.has_class("-wide") and screen.query_one("LogPane").display)
        assert screen.query_one("BoardPane").size.width >= 78


async def test_what_the_board_hides_is_said_with_the_key_that_shows_it(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "burano")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        board = table(pilot).query_one(BoardPane)
        await until(pilot, lambda: re.fullmatch(r"PageDown: \d\d more", str(board.border_subtitle)), "what is below")
        await pilot.press("pagedown")
        both = re.compile(r"PageUp: \d+ more  PageDown: \d+ more")
        await until(pilot, lambda: both.fullmatch(str(board.border_subtitle)), "what is above, and what below")
        await pilot.press(*["pagedown"] * 6)
        await until(pilot, lambda: re.fullmatch(r"PageUp: \d\d more", str(board.border_subtitle)), "the end")
        assert board.scroll_y == board.max_scroll_y


async def test_the_whole_log_has_room_while_others_decide(server: ServerProcess) -> None:
    room, _, other = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, other).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: "Ana to decide" in said(pilot, "SeatsBar"))
        log = table(pilot).query_one(LogPane)
        assert log.size.height == 4
        await pilot.press("ctrl+l")
        await until(pilot, lambda: log.size.height > 15, "the whole log")
        await pilot.press("ctrl+l", "ctrl+t")
        await until(pilot, lambda: log.size.height == 8, "room for talk")


async def test_the_rules_can_be_read_at_the_table(server: ServerProcess) -> None:
    assert all(str(rules_of(engine.name)).startswith(f"# {engine.title}") for engine in ENGINES.values())
    assert rules_of("chess") is None
    room, token, _ = await idle_table(server.url, "islet")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(pilot.app.screen, Rules), "the rules")
        pane = pilot.app.screen.query_one("#rules")
        await until(pilot, lambda: pane.max_scroll_y > 100, "all of the text")
        await pilot.press("pagedown")
        await until(pilot, lambda: pane.scroll_y > 0, "the next page")
        await pilot.press("escape", "ctrl+t")
        await until(pilot, lambda: table(pilot).has_class("-talking"), "the table again")


async def test_the_commands_can_be_read_and_chosen(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url, room, token).run_test(size=SMALL) as pilot:
        await until(pilot, lambda: actions_shown(pilot), "the list of actions")
        await answered(pilot, "f1", Commands, "down", "enter")
        await until(pilot, lambda: table(pilot).has_class("-talking"), "the line to talk")


async def test_a_token_that_fits_nothing_is_said_and_ends_the_program(server: ServerProcess) -> None:
    room, _, _ = await idle_table(server.url, "dragonwood")
    app = terminal(server.url, room, "A" * 22)
    async with app.run_test(size=SMALL) as pilot:
        await until(pilot, lambda: app.failure is not None, "the refusal")
    assert app.failure is not None
    assert room in app.failure
