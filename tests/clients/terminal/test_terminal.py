"""The whole program as a person starts it: in a pseudo-terminal, or with its output in a pipe."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from clients.bots.runner import Plan, play_game
from clients.lobby import Lobby
from clients.terminal.__main__ import arguments, read_replay
from clients.terminal.replaying import BadReplay
from tests.clients.terminal.screen import TerminalProcess
from tests.processes import PATIENCE, ROOT, ServerProcess, serving

NOWHERE = "http://127.0.0.1:9"
COLOUR = re.compile(rb"\x1b\[[0-9;]*\b(?:38|48|3[0-7]|4[0-7]|9[0-7]|10[0-7])\b[0-9;]*m")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://"}) as process:
        yield process


def piped(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """The program without a terminal."""
    return subprocess.run(
        [sys.executable, "-m", "clients.terminal", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
        **more,
    )


def test_one_plays_from_the_lobby_on_by_keys_alone_at_80_by_24(server: ServerProcess, tmp_path: Path) -> None:
    with TerminalProcess(["--url", server.url, "--name", "Ana"], tmp_path) as person:
        person.wait_for("No room here yet", "n New")
        person.press("n")
        person.wait_for("A new room", "Dragonwood")
        person.press("tab", "tab", "tab", "enter")
        person.wait_for("greedy bots")
        person.press("down", "down", "enter")
        person.wait_for("greedy bots", gone="random bots")
        person.press("ctrl+s")
        text = person.wait_for("YOUR TURN", "Your hand:", "Reload: draw a card", "Attack (15)")
        assert max(map(len, text.splitlines())) <= 80
        person.press("reload")
        person.wait_for("Reload: draw a card", gone="Attack (15)")
        person.press("enter")
        person.wait_for("Ana draws ")
        # The bot's turn may bring an event, which asks Ana before her own turn comes.
        person.wait_until(
            lambda text: "YOUR TURN" in text and ", turn 1\n" not in text, "a decision after the bot's turn"
        )
        person.press("ctrl+t", "hello there")
        person.wait_for("hello there")
        person.press("enter")
        person.wait_for("> Ana: hello there")
        person.press("escape")
        person.wait_for("actions: type to narrow down")
        person.press("escape")
        listed = re.compile(r"^ ?\* ([2-9A-Z]{6}) +dragonwood +playing", re.MULTILINE)
        room = listed.search(person.wait_until(lambda text: listed.search(text) is not None))
        assert room is not None
        person.press("enter")
        person.wait_for("YOUR TURN", f"Dragonwood {room[1]}", "> Ana: hello there")
        person.press("escape")
        person.wait_for("n New")
        person.press("q")
        assert person.end() == 0


def test_play_begins_at_once_and_without_colours_where_none_are_wanted(server: ServerProcess, tmp_path: Path) -> None:
    command = ["play", "islet", "--against", "random", "--url", server.url, "--name", "Ana", "--pause", "0"]
    with TerminalProcess(command, tmp_path, size=(140, 40), NO_COLOR="1") as person:
        person.wait_for("YOUR TURN", "Lay tile", "random-2")
        person.press("down", "enter")
        person.wait_for("Ana lays")
        person.press("escape")
        assert person.end() == 0
        assert COLOUR.findall(person.raw) == []
        assert b"\x1b[1;7m" in person.raw
    with TerminalProcess(command, tmp_path, size=(140, 40)) as person:
        person.wait_for("YOUR TURN")
        assert COLOUR.findall(person.raw) != []


def test_play_with_a_server_of_its_own_leaves_nothing_behind(tmp_path: Path) -> None:
    with TerminalProcess(["play", "burano", "--against", "greedy", "--serve"], tmp_path) as person:
        person.wait_for("YOUR TURN", "Draw a roof")
        started = psutil.Process(person.process.pid).children(recursive=True)
        assert len(started) == 1
        person.press("escape")
        assert person.end() == 0
        assert psutil.wait_procs(started, PATIENCE)[1] == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything_that_was_started(tmp_path: Path, number: signal.Signals) -> None:
    with TerminalProcess(["demo"], tmp_path) as person:
        person.wait_for("to decide", "(you watch)")
        started = psutil.Process(person.process.pid).children(recursive=True)
        assert len(started) == 1
        os.kill(person.process.pid, number)
        assert person.end() == 128 + number
        assert psutil.wait_procs(started, PATIENCE)[1] == []


def test_ctrl_c_while_its_server_starts_ends_it_without_a_word_of_python(tmp_path: Path) -> None:
    with TerminalProcess(["play", "--serve"], tmp_path) as person:
        program = psutil.Process(person.process.pid)
        person.wait_until(lambda _: bool(program.children()), "a server")
        started = program.children()
        os.kill(person.process.pid, signal.SIGINT)
        assert person.end() == 128 + signal.SIGINT
        assert psutil.wait_procs(started, PATIENCE)[1] == []
    assert b"Traceback" not in person.raw


def test_its_own_server_does_not_outlive_a_program_that_is_killed(tmp_path: Path) -> None:
    with TerminalProcess(["play", "--against", "easy", "--pause", "0", "--serve"], tmp_path) as person:
        person.wait_for("YOUR TURN", "Reload: draw a card")
        person.press("reload", "enter")
        program = psutil.Process(person.process.pid)
        person.wait_until(
            lambda _: len(program.children(recursive=True)) > 1, "a process that thinks, beside the server"
        )
        started = program.children(recursive=True)
        os.kill(person.process.pid, signal.SIGKILL)
        assert psutil.wait_procs(started, PATIENCE)[1] == []


def test_the_demo_goes_to_the_end_of_a_game_on_the_screen_and_ends(tmp_path: Path) -> None:
    with TerminalProcess(["demo", "--pause", "0"], tmp_path) as person:
        person.wait_for("FINISHED", "Final scores", "*   1. greedy-")
        assert person.end() == 0


def test_the_demo_prints_the_log_where_there_is_no_terminal() -> None:
    done = piped("demo")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "* greedy-1 takes seat 1."
    assert sum(line.startswith("- Turn ") for line in lines) > 20
    assert re.fullmatch(r"\* The game has ended \(\w+\)\.", lines[-5])
    assert lines[-4].startswith("*   1.")
    assert all(re.fullmatch(r"\*   [1-4]\. greedy-[1-4] +-?\d+", line) for line in lines[-4:])


def test_a_replay_is_printed_from_the_server_and_from_a_file(server: ServerProcess, tmp_path: Path) -> None:
    room = asyncio.run(play_game(Plan(server.url, "dragonwood", 2, ["greedy"]))).room
    told = piped("replay", room.lower(), "--url", server.url)
    assert told.returncode == 0, told.stderr
    assert told.stdout.startswith("* The room is open.\n")
    assert "draws 1 card: " in told.stdout
    saved = tmp_path / "game.json"
    saved.write_text(json.dumps(asyncio.run(Lobby(server.url).replay(room))))
    again = piped("replay", str(saved), "--url", "http://127.0.0.1:9")
    assert (again.returncode, again.stdout) == (0, told.stdout)
    with TerminalProcess(["replay", str(saved)], tmp_path) as person:
        person.wait_for("entry 3 of", "as seen by spectators")
        person.press("v")
        person.wait_for("as seen by seat 1", "Your hand:")
        person.press("q")
        assert person.end() == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("play", "chess", "--serve"), "no game 'chess' is known here; there are: dragonwood, islet, burano, bretagne"),
        (("play", "--against", "greedy, clever"), "no policy 'clever' for 'dragonwood'"),
        (("play", "--url", NOWHERE), f"no server answers at {NOWHERE} (connection refused); `make run` starts one"),
        (("watch", "ZZZZZZ", "--url", NOWHERE), f"ZZZZZZ: no server answers at {NOWHERE} (connection refused)"),
    ],
)
def test_what_can_not_be_is_said_at_a_terminal_too(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    with TerminalProcess(arguments, tmp_path, size=(200, 24)) as person:
        assert person.end() == 1
        assert says in person.text


def test_a_table_is_refused_in_the_servers_words(server: ServerProcess, tmp_path: Path) -> None:
    command = ["play", "islet", "--against", "greedy,greedy,greedy,greedy", "--url", server.url]
    with TerminalProcess(command, tmp_path) as person:
        assert person.end() == 1
        assert person.text.strip() == "pharos: seats: Islet is for 1 to 4"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "needs a terminal"),
        (("play",), "needs a terminal"),
        (("demo", "chess"), "no game 'chess' is known here; there are: dragonwood, islet, burano, bretagne"),
        (("demo", "--policies", "clever"), "no policy 'clever'"),
        (("replay", "game.json", "--url", NOWHERE), f"no file game.json, and no server answers at {NOWHERE} ("),
    ],
)
def test_what_can_not_be_is_said_in_one_line(arguments: tuple[str, ...], says: str) -> None:
    done = piped(*arguments)
    assert done.returncode == 1
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["{}", "no json", '{"game": "dragonwood", "rules": "1.0.0", "entries": []}', "[]"])
def test_a_file_that_is_no_replay_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(BadReplay):
        read_replay(tmp_path / "bad.json")
    assert read_replay(tmp_path / "none.json") is None


def made_of(folder: Path, target: str, *settings: str) -> list[str]:
    """The arguments that a target of the Makefile gives to the terminal."""
    (folder / "python").write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    (folder / "python").chmod(0o755)
    command = ["make", "--no-print-directory", "-o", ".venv/installed", f"BIN={folder}", target, *settings]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    module, name, *words = run.stdout.split("\0")[:-1]
    assert (module, name) == ("-m", "clients.terminal")
    return words


def test_the_makefile_hands_on_what_it_is_given_as_it_is(tmp_path: Path) -> None:
    odd = 'greedy, it\'s "$(id)"; `id`'
    asked = arguments(made_of(tmp_path, "play", "GAME=is let", f"AGAINST={odd.replace('$', '$$')}"))
    assert (asked.game, asked.against, asked.serve) == ("is let", odd, True)
    assert arguments(made_of(tmp_path, "demo", "GAME='")).game == "'"


def test_the_commands_that_the_readme_shows_are_there(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text()
    shown = re.findall(r"^\.venv/bin/python -m clients\.terminal *([^#\n]*)", readme, re.MULTILINE)
    assert [arguments(line.split()).command for line in shown] == [None, "join", "watch", "replay"]
    made = re.findall(r"^make (play|demo)([^#\n]*)", readme, re.MULTILINE)
    assert [target for target, _ in made] == ["play", "demo", "play"]
    for target, settings in made:
        asked = arguments(made_of(tmp_path, target, *settings.split()))
        assert asked.command == target
        assert asked.game == dict(pair.split("=") for pair in settings.split()).get("GAME", "dragonwood")
    pictures = re.findall(r"\((docs/[^)]+\.svg)\)", readme)
    assert len(pictures) == 4
    assert all((ROOT / picture).is_file() for picture in pictures)
