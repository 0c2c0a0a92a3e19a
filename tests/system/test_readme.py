"""What the README shows is run as it stands there, against a real server: its commands, its client, its dice."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.engines.dragonwood.actions import Attempted, Drew, LadybugDrawn, Rerolled, Reshuffled
from tests.processes import ROOT, ServerProcess, serving_well
from tests.system.journals import Replayed, check_result, play_again

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
PATIENCE = 120
BOT_KEY = "the-key-of-the-hosts"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    store = tmp_path_factory.mktemp("readme") / "rooms.db"
    with serving_well({"PHAROS_STORE": f"sqlite:///{store}", "PHAROS_BOT_KEY": BOT_KEY}) as process:
        yield process


@pytest.fixture(scope="module")
def played(server: ServerProcess) -> str:
    """What the README's command for bots prints, with two games for five."""
    command = block("sh", "--games 5")
    assert command.strip() == ".venv/bin/python -m clients.bots --game dragonwood --seats 4 --games 5"
    words = command.replace("--games 5", "--games 2").split()[1:]
    done = run([sys.executable, *words, "--url", server.url, "--seed", "11"])
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.fixture(scope="module")
def room(played: str) -> str:
    """A room whose game has ended."""
    return played.split()[0]


def block(language: str, holds: str) -> str:
    """The one code block of this language that holds the text."""
    (found,) = [text for kind, text in BLOCKS if kind == language and holds in text]
    return found


def run(command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    """Run a command as a user of the README does."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, env=environment, check=False, **{"cwd": ROOT, **more}
    )


def get(server: ServerProcess, path: str) -> Any:
    status, body = server.get(path)
    assert status == 200, body
    return json.loads(body)


def test_the_bots_print_how_each_game_ended(played: str) -> None:
    shown = block("", "ended by")
    form = re.compile(r"[2-9A-Z]{6}  dragonwood, \d+ turns, ended by (deck|dragons)\n(  \d\. random-\d +-?\d+\n){4}")
    assert form.fullmatch(shown)
    assert re.fullmatch(f"({form.pattern}){{2}}", played)
    for game in form.finditer(played):
        ranks = [int(line.split(".")[0]) for line in game.group().splitlines()[1:]]
        assert ranks[0] == 1
        assert ranks == sorted(ranks)


def test_curl_shows_the_rooms_and_a_replay(server: ServerProcess, room: str) -> None:
    addresses = re.findall(r"^curl -s http://127.0.0.1:8000(\S+)$", block("sh", "curl"), re.MULTILINE)
    assert addresses == ["/api/rooms", "/api/rooms/ROOM/replay"]
    listed = {found["id"]: found for found in get(server, addresses[0])["rooms"]}
    assert listed[room]["status"] == "finished"
    assert listed[room]["connected"] == [False] * 4
    replay = get(server, addresses[1].replace("ROOM", room))
    assert replay["room"] == room
    check_result(replay)


def test_what_curl_prints_is_json(server: ServerProcess, room: str) -> None:
    done = run(["curl", "-s", f"{server.url}/api/rooms/{room}"])
    assert json.loads(done.stdout)["room"]["id"] == room


def test_the_dice_script_agrees_with_the_engine(server: ServerProcess, room: str, tmp_path: Path) -> None:
    script = tmp_path / "dice.py"
    script.write_text(block("python", "pharos-v1-commit"))
    done = run([sys.executable, "-I", str(script), server.url, room], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    first, *lines = done.stdout.splitlines()
    replay = get(server, f"/api/rooms/{room}/replay")
    replayed = play_again(replay)
    deck = json.loads(first.removeprefix("adventurers, top last: "))
    assert sorted(deck) == list(range(64))
    start = next(state for state in replayed.states.values() if state is not None)
    left = len(start.adventurers)
    assert deck[:left] == list(start.adventurers)
    assert sorted(deck[left:]) == sorted([*start.discard, *(card for player in start.players for card in player.hand)])
    draws = first_draws(replayed)
    assert len(draws) > 10
    for cards in draws:
        assert sorted(deck[left - len(cards) : left]) == cards
        left -= len(cards)
    assert lines == rolls(replayed)
    assert len(lines) > 10
    kinds = {entry.get("action", {}).get("type") for entry in replay["entries"]}
    assert any("rolls again" in line for line in lines) is ("reroll" in kinds)


def test_the_dice_script_is_short_and_uses_nothing_of_ours() -> None:
    script = block("python", "pharos-v1-commit")
    assert len([line for line in script.splitlines() if line.strip()]) <= 40
    modules = re.findall(r"^(?:import|from) (.+)$", script, re.MULTILINE)
    assert modules == ["hashlib, hmac, json, sys, urllib.request"]


def test_the_dice_script_notices_a_seed_that_was_not_committed_to(
    server: ServerProcess, room: str, tmp_path: Path
) -> None:
    replay = get(server, f"/api/rooms/{room}/replay")
    replay["seed"] = "00" * 32
    folder = tmp_path / "api" / "rooms" / room
    folder.mkdir(parents=True)
    (folder / "replay").write_text(json.dumps(replay))
    script = tmp_path / "dice.py"
    script.write_text(block("python", "pharos-v1-commit"))
    done = run([sys.executable, "-I", str(script), tmp_path.as_uri(), room])
    assert done.returncode == 1
    assert "AssertionError" in done.stderr


def first_draws(replayed: Replayed) -> list[list[int]]:
    """What came off the deck with each action until it was shuffled anew, as the engine tells the seat that drew."""
    draws: list[list[int]] = []
    for events in replayed.events.values():
        if any(isinstance(event.public, Reshuffled) for event in events):
            break
        taken: list[int] = []
        for event in events:
            if isinstance(event.public, Drew | LadybugDrawn):
                body = event.form_for(event.public.seat)
                taken.extend(body.cards if isinstance(body, Drew) else (body.card,))  # type: ignore[union-attr, arg-type]
        if taken:
            draws.append(sorted(taken))
    return draws


def rolls(replayed: Replayed) -> list[str]:
    """What the script prints of each roll, made of the engine's own events."""
    lines = []
    for seq, events in replayed.events.items():
        for body in (event.public for event in events):
            if isinstance(body, Attempted):
                lines.append(f"{seq} seat {body.seat} rolls {list(body.dice)}")
            elif isinstance(body, Rerolled):
                lines.append(f"{seq} seat {body.seat} rolls again {body.dice[body.die]}")
    return lines


@pytest.fixture
def bot_host(server: ServerProcess) -> Iterator[None]:
    """What `make run` starts beside the server."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PHAROS_BOT_KEY": BOT_KEY}
    command = [sys.executable, "-m", "clients.bots.host", "--url", server.url]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        yield
        process.terminate()


@pytest.mark.usefixtures("bot_host")
def test_the_client_of_ten_lines(server: ServerProcess, tmp_path: Path) -> None:
    script = tmp_path / "ten.py"
    text = block("python", "Connection(url) as connection:\n        room")
    assert "http://127.0.0.1:8000" in text
    body = text[text.index("async def main") : text.index("asyncio.run")]
    assert len([line for line in body.splitlines() if line.strip()]) == 10
    script.write_text(text.replace("http://127.0.0.1:8000", server.url))
    done = run([sys.executable, str(script)], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    result = ast.literal_eval(done.stdout)
    assert result.keys() == ast.literal_eval(block("", "'reason'")).keys()
    listed = get(server, "/api/rooms?status=finished")["rooms"][0]
    assert [seat["kind"] for seat in listed["seats"]] == ["human", "bot"]
    assert not any(seat["served"] for seat in listed["seats"]), "a bot host took the seat"
