"""The bot of twenty lines: as the README shows it, against a real server."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.lobby import Lobby
from tests.processes import PATIENCE, ROOT, ServerProcess, serving

EXAMPLE = ROOT / "clients" / "bots" / "example.py"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    store: Path = tmp_path_factory.mktemp("example") / "rooms.db"
    with serving({"PHAROS_STORE": f"sqlite:///{store}"}) as process:
        yield process


async def bot(url: str, room: str) -> str:
    """What the program prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "clients.bots.example", url, room),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 3 * PATIENCE)
    assert (process.returncode, err) == (0, b"")
    return out.decode()


async def test_two_of_them_play_a_game_to_its_end(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    options = {"dragons": "whole_deck", "last_turn_each": False}
    room = (await lobby.create("dragonwood", 2, seat=False, options=options))["room"]
    printed = await asyncio.gather(bot(server.url, room), bot(server.url, room))
    looked = await lobby.look(room)
    assert looked["room"]["status"] == "finished"
    assert [ast.literal_eval(each) for each in printed] == [looked["result"]] * 2


def test_the_readme_shows_the_file() -> None:
    code = EXAMPLE.read_text().split('"""\n\n', 1)[1]
    assert f"```python\n{code}```\n" in (ROOT / "README.md").read_text()


def test_it_has_twenty_lines() -> None:
    code = EXAMPLE.read_text().split('"""\n\n', 1)[1]
    lines = [line for line in code.splitlines() if line.strip()]
    assert len(lines) - sum(line.startswith(("import", "from")) for line in lines) <= 20
