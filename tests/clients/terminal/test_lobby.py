"""The lobby on the screen, by its keys, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Select, Static

from clients.bots.runner import Plan, play_game
from clients.connection import Connection
from clients.lobby import Lobby
from clients.terminal.kept import Kept
from clients.terminal.replaying import Replay
from clients.terminal.screens.forms import CreateForm, JoinForm
from clients.terminal.screens.lobby import LobbyScreen
from clients.terminal.screens.replay import ReplayScreen
from clients.terminal.screens.table import TableScreen
from clients.terminal.widgets import LogPane
from tests.clients.terminal.seats import idle_table, log_of, said, terminal, typed, until
from tests.processes import ServerProcess, serving

SIZE = (80, 24)


@pytest.fixture
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://"}) as process:
        yield process


def rows(pilot: Pilot[None]) -> list[list[str]]:
    found = pilot.app.screen.query_one(DataTable)
    return [[str(cell) for cell in found.get_row_at(n)] for n in range(found.row_count)]


async def focus_on(pilot: Pilot[None], name: str) -> None:
    """Go on with Tab until the part of the form has the focus."""
    for _ in range(20):
        if pilot.app.focused is not None and pilot.app.focused.id == name:
            return
        await pilot.press("tab")
    raise AssertionError(f"no Tab leads to {name}")


async def choose(pilot: Pilot[None], name: str, value: Any) -> None:
    """Choose from a list of a form, by keys."""
    await focus_on(pilot, name)
    select = pilot.app.screen.query_one(f"#{name}", Select)
    above = [option for _, option in select._options].index(value)
    await pilot.press("enter")
    await until(pilot, lambda: select.expanded, "the list")
    await pilot.press("home", *["down"] * above, "enter")
    await until(pilot, lambda: select.value == value and not select.expanded, f"{name} {value}")


async def fill_in(pilot: Pilot[None], button: str, **fields: str) -> None:
    """Open the form for joining by id, fill it in, and press a button of it."""
    await pilot.press("j")
    await until(pilot, lambda: isinstance(pilot.app.screen, JoinForm), "the form")
    for name, value in fields.items():
        pilot.app.screen.query_one(f"#{name}", Input).value = value
    await focus_on(pilot, button)
    await pilot.press("enter")


async def test_rooms_are_listed_found_by_typing_and_filtered(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    clock = {"clock": {"bank": 300_000, "per_turn": 30_000}}
    first = await lobby.create("dragonwood", 3, name="Zoe", options=clock)
    second = await lobby.create("islet", 2, name="Ben")
    room, _, _ = await idle_table(server.url, "dragonwood")
    await lobby.create("burano", 2, private=True)
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 3, "the rooms")
        assert rows(pilot) == [
            [room, "dragonwood", "playing", "2/2", "none", "Ana, Ben"],
            [second["room"], "islet", "open", "1/2", "none", "Ben"],
            [first["room"], "dragonwood", "open", "1/3", "30s+5min", "Zoe"],
        ]
        await pilot.press("slash", *typed("dragon open"))
        await until(pilot, lambda: [row[0] for row in rows(pilot)] == [first["room"]], "what was typed")
        pilot.app.screen.query_one("#search", Input).clear()
        await pilot.press("escape", "s")
        await until(pilot, lambda: [row[2] for row in rows(pilot)] == ["open", "open"], "the open ones")
        await pilot.press("g")
        await until(pilot, lambda: [row[0] for row in rows(pilot)] == [first["room"]], "those of a game")
        assert "1 room (dragonwood, open)" in said(pilot, "#title")


async def test_names_are_shown_as_they_are(server: ServerProcess) -> None:
    """Also those that look like markup, of which a wrong one would end the program."""
    lobby = Lobby(server.url)
    await lobby.create("dragonwood", 3, name="a[/]")
    await lobby.create("dragonwood", 3, name="Bo [bot]")
    async with terminal(server.url).run_test(size=(120, 24)) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 2, "the rooms")
        await pilot.pause()
        assert [row[-1] for row in rows(pilot)] == ["Bo [bot]", "a[/]"]
        pilot.app.notify("[/b] is nobody")
        await fill_in(pilot, "watch", room="[/B]")
        await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen), "the lobby")
        await pilot.pause()
        assert rows(pilot)


async def test_a_wrong_token_costs_no_seat(server: ServerProcess, tmp_path: Path) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    kept = Kept(server.url, tmp_path / "seats.json")
    kept.keep(room, token)
    async with terminal(server.url, kept=kept).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
        await fill_in(pilot, "sit", room=room, token="mistyped")
        await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen) and len(rows(pilot)) == 1, "the lobby")
        assert kept.own(room) == token
        assert Kept(server.url, tmp_path / "seats.json").own(room) == token


async def test_a_room_is_made_as_the_form_says(server: ServerProcess) -> None:
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "n opens one" in said(pilot, "#about"), "word that there is none")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(pilot.app.screen, CreateForm), "the form")
        await choose(pilot, "seats", "3")
        await choose(pilot, "clock", "10+60")
        await choose(pilot, "public", False)
        await choose(pilot, "chat", "seats")
        await choose(pilot, "own-dragon_spell", False)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "WAITING for 2 more" in said(pilot, "SeatsBar"), "the table")
        room = pilot.app.screen.story.state["room"]
        assert room["private"] is True
        assert len(room["seats"]) == 3
        assert room["options"] == {
            "clock": {"bank": 60_000, "per_turn": 10_000},
            "spectators": {"allowed": True, "delay": 0},
            "chat": "seats",
            "dragons": "bottom_half",
            "dragon_spell": False,
            "last_turn_each": True,
        }


async def test_another_game_brings_its_own_seats_and_options_and_bots_begin_at_once(server: ServerProcess) -> None:
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "n opens one" in said(pilot, "#about"), "word that there is none")
        await pilot.press("n")
        await until(pilot, lambda: isinstance(pilot.app.screen, CreateForm), "the form")
        await choose(pilot, "game", "burano")
        await until(pilot, lambda: pilot.app.screen.query("#own-workshops"), "Burano's option")
        assert not pilot.app.screen.query("#own-dragons")
        await choose(pilot, "bots", "random")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "random-2" in said(pilot, "SeatsBar"), "the bot")
        await until(pilot, lambda: "YOUR TURN" in said(pilot, "SeatsBar"), "the game")


async def test_the_servers_refusal_stays_on_the_form(server: ServerProcess) -> None:
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "n opens one" in said(pilot, "#about"), "word that there is none")
        await pilot.press("j")
        await until(pilot, lambda: isinstance(pilot.app.screen, JoinForm), "the form")
        await pilot.press(*typed("ZZZZZZ"), "enter", "enter")
        await until(pilot, lambda: str(pilot.app.screen.query_one(".problem", Static).content), "the refusal")
        assert isinstance(pilot.app.screen, JoinForm)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen), "the lobby")


async def test_enter_takes_a_free_seat_and_a_kept_seat_is_gone_back_to(server: ServerProcess, tmp_path: Path) -> None:
    made = await Lobby(server.url).create("dragonwood", 2, name="Ben")
    seats = tmp_path / "seats.json"
    for run in (1, 2):
        async with terminal(server.url, kept=Kept(server.url, seats)).run_test(size=SIZE) as pilot:
            await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
            assert rows(pilot)[0][0] == (made["room"] if run == 1 else f"* {made['room']}")
            await pilot.press("enter")
            if run == 1:
                await until(pilot, lambda: isinstance(pilot.app.screen, JoinForm), "the form")
                await pilot.press("enter")
            await until(pilot, lambda: isinstance(pilot.app.screen, TableScreen), "the table")
            await until(pilot, lambda: "Ana" in said(pilot, "SeatsBar"), "the seat")
            assert "(you watch)" not in said(pilot, "SeatsBar")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen), "the lobby")
    seats_there = (await Lobby(server.url).look(made["room"]))["room"]["seats"]
    assert [seat["name"] for seat in seats_there] == ["Ben", "Ana"]


async def test_a_running_game_is_watched_and_a_token_leads_to_its_seat(server: ServerProcess) -> None:
    room, token, _ = await idle_table(server.url, "dragonwood")
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TableScreen), "the table")
        await until(pilot, lambda: "(you watch)" in said(pilot, "SeatsBar"), "the game")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen), "the lobby")
        await pilot.press("j")
        await until(pilot, lambda: isinstance(pilot.app.screen, JoinForm), "the form")
        await pilot.press(*typed(room.lower()))
        await focus_on(pilot, "token")
        pilot.app.screen.query_one("#token", Input).value = token
        await pilot.press("enter", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, TableScreen), "the table")
        await until(pilot, lambda: "YOUR TURN" in said(pilot, "SeatsBar"), "the seat")


async def test_an_invite_leads_to_a_seat_that_was_given_up(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    room, token, other = await idle_table(server.url, "dragonwood")
    await lobby.vacate(room, 1, other)
    invite = await lobby.invite(room, token)
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
        await fill_in(pilot, "sit", room=room, name="Eva", invite=invite)
        await until(pilot, lambda: isinstance(pilot.app.screen, TableScreen), "the table")
        await until(pilot, lambda: "Eva" in said(pilot, "SeatsBar"), "the seat")


async def test_a_finished_game_is_stepped_through(server: ServerProcess) -> None:
    played = await play_game(Plan(server.url, "dragonwood", 2, ["greedy"]))
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, ReplayScreen), "the replay")
        await until(pilot, lambda: "entry 3 of" in said(pilot, "#title"), "the start of the game")
        assert played.room in said(pilot, "#title")
        last = int(said(pilot, "#title").split(" of ")[1].split()[0])
        await pilot.press("right", "right", "left")
        await until(pilot, lambda: f"entry 4 of {last}" in said(pilot, "#title"), "one step on")
        await pilot.press("n")
        await until(pilot, lambda: "entry 4 of" not in said(pilot, "#title"), "the next turn")
        await pilot.press("end")
        await until(pilot, lambda: f"entry {last} of {last}" in said(pilot, "#title"), "the end")
        assert "nobody to decide" in said(pilot, "#title")
        log = pilot.app.screen.query_one(LogPane)
        await until(pilot, lambda: "1. greedy-" in "".join(strip.text for strip in log.lines), "the ranking")
        await until(pilot, lambda: log.scroll_y == log.max_scroll_y > 0, "the log's own end")
        await pilot.press("v", "v", "v")
        await until(pilot, lambda: "as seen by all" in said(pilot, "#title"), "everybody's eyes")
        await pilot.press("home", "space")
        await until(pilot, lambda: "entry 2 of" in said(pilot, "#title"), "that it plays by itself")
        await pilot.press("space", "q")
        await until(pilot, lambda: isinstance(pilot.app.screen, LobbyScreen), "the lobby")


async def test_a_replay_that_leads_elsewhere_says_so_wherever_one_goes(server: ServerProcess) -> None:
    played = await play_game(Plan(server.url, "dragonwood", 2, ["greedy"]))
    journal = await Lobby(server.url).replay(played.room)
    turns = [entry for entry in journal["entries"] if entry["kind"] == "action"]
    async with terminal(server.url).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: len(rows(pilot)) == 1, "the room")
        for wrong in (turns[4], turns[0]):
            wrong["words"] += 1
            await pilot.app.push_screen(ReplayScreen(Replay(journal)))
            await until(pilot, lambda: "entry 3 of" in said(pilot, "#title"), "the start of the game")
            await pilot.press(*["n"] * 8, "end", "p", "home")
            await until(pilot, lambda: "entry 1 of" in said(pilot, "#title"), "the first entry")


async def test_a_server_that_is_not_there_is_named_with_what_to_do() -> None:
    async with terminal("http://127.0.0.1:9").run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "make run" in said(pilot, "#about"), "advice")
        assert "127.0.0.1:9" in said(pilot, "#about")


async def test_bots_of_an_earlier_run_are_played_on_for(server: ServerProcess, tmp_path: Path) -> None:
    made = await Lobby(server.url).create("dragonwood", 2, name="Ana")
    seats = tmp_path / "seats.json"
    Kept(server.url, seats).keep(made["room"], made["token"])
    first = terminal(server.url, made["room"], made["token"], kept=Kept(server.url, seats), bots=["random"])
    async with first.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "YOUR TURN" in said(pilot, "SeatsBar"), "the game")
    async with Connection(server.url) as desk:
        ana = await desk.join(made["room"], made["token"], legal=True)
        await ana.act({"type": "reload"})
        assert ana.state["turn"]["seats"] == [1]
        again = terminal(server.url, made["room"], made["token"], kept=Kept(server.url, seats))
        async with again.run_test(size=SIZE) as pilot:
            await until(pilot, lambda: any(line.startswith("  random-2") for line in log_of(pilot)), "the bot's turn")
