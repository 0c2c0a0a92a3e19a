"""The bot on Node, with nothing but a WebSocket and a JSON Patch library, against a real server and itself."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.connection import Connection
from clients.lobby import Lobby
from tests.clients.proxy import proxied
from tests.processes import PATIENCE, ROOT, ServerProcess, serving

SOURCE = ROOT / "clients" / "javascript"
QUICK = {"dragons": "whole_deck", "last_turn_each": False}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    store: Path = tmp_path_factory.mktemp("node") / "rooms.db"
    with serving({"PHAROS_STORE": f"sqlite:///{store}"}) as process:
        yield process


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bot with what it needs beside it, installed from npm."""
    folder = tmp_path_factory.mktemp("bot")
    for name in ("package.json", "example-bot.mjs"):
        shutil.copy(SOURCE / name, folder)
    npm = shutil.which("npm")
    assert npm, "node is on PATH, but npm is not: it is needed to install ws and fast-json-patch"
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    done = subprocess.run(
        [npm, "install", *quiet], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "example-bot.mjs"


async def bot(program: Path, url: str, room: str) -> object:
    """What the program prints."""
    process = await asyncio.create_subprocess_exec(
        *("node", str(program), url, room), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    out, err = await asyncio.wait_for(process.communicate(), 3 * PATIENCE)
    assert (process.returncode, err) == (0, b"")
    return json.loads(out)


@pytest.mark.parametrize(("game", "options"), [("dragonwood", QUICK), ("bretagne", {})])
async def test_two_of_them_play_a_game_to_its_end(
    server: ServerProcess, program: Path, game: str, options: dict[str, object]
) -> None:
    """What they print is at the end of a state that was kept by patches alone."""
    lobby = Lobby(server.url)
    room = (await lobby.create(game, 2, seat=False, options=options))["room"]
    printed = await asyncio.gather(bot(program, server.url, room), bot(program, server.url, room))
    looked = await lobby.look(room)
    assert looked["room"]["status"] == "finished"
    assert printed == [looked["result"]] * 2


async def test_cut_off_it_comes_back_to_where_its_state_stands(server: ServerProcess, program: Path) -> None:
    lobby = Lobby(server.url)
    room = (await lobby.create("dragonwood", 2, seat=False, options=QUICK))["room"]
    async with proxied(server.port) as proxy, Connection(server.url) as watching:
        table = await watching.join(room)
        playing = [asyncio.create_task(bot(program, url, room)) for url in (proxy.url, server.url)]
        async with asyncio.timeout(PATIENCE):
            async for _ in table:
                if table.seq >= 12:
                    break
        proxy.cut()
        printed = await asyncio.gather(*playing)
    looked = await lobby.look(room)
    assert printed == [looked["result"]] * 2
    assert len(proxy.accepted) > 2


def test_it_needs_two_packages_and_no_more() -> None:
    package = json.loads((SOURCE / "package.json").read_text())
    assert sorted(package["dependencies"]) == ["fast-json-patch", "ws"]
    assert "devDependencies" not in package
