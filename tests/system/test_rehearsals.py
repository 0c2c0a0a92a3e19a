"""What the runbook says of a store is done as it stands there: back it up while it serves, restore it, look inside."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.processes import PATIENCE, ROOT, ServerProcess
from tests.redis_server import SAFE, RedisServer
from tests.system.party import Party, party
from tests.system.wire import wired

T = TypeVar("T")

RUNBOOK = (ROOT / "docs" / "operations.md").read_text()
BACK_UP = re.search(r"### SQLite\n\n```sh\n(.*?)```", RUNBOOK, re.DOTALL)
assert BACK_UP is not None
BY_PYTHON, BY_SQLITE = (
    next(line for line in BACK_UP[1].splitlines() if line.startswith(tool)) for tool in ("python", "sqlite3")
)
COMMANDS = [BY_PYTHON, *([BY_SQLITE] if shutil.which("sqlite3") else [])]


def command(settings: Mapping[str, str], *words: str) -> str:
    """What `python -m server` prints when it is asked to look after a store, and all is well."""
    done = subprocess.run(
        [sys.executable, "-m", "server", *words],
        env={"PYTHONPATH": str(ROOT), **settings},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return done.stdout


def verified(settings: Mapping[str, str]) -> bool:
    """Whether every journal of the one room that there is plays as it was written."""
    return command(settings, "verify", "--all", "--quiet") == "1 rooms: 1 good\n"


class Before:
    """What was there when the copy was made, and what everybody had seen when all was lost."""

    def __init__(self, told: Party) -> None:
        self.room, self.tokens = told.room, told.tokens
        self.kept = told.seq
        self.seen: list[tuple[int, str]] = []

    def lose(self, told: Party) -> None:
        self.seen = [(wire.seq, wire.tag) for wire in told.wires]
        assert all(seq > self.kept for seq, _ in self.seen)

    async def goes_on(self, server: ServerProcess) -> None:
        """Whoever comes back is given what is so now, on whatever branch it was; and the game goes on."""
        async with AsyncExitStack() as stack:
            wires = [await stack.enter_async_context(wired(server, "json")) for _ in self.tokens]
            for wire, token, (seq, tag) in zip(wires, self.tokens, self.seen, strict=True):
                reply = await wire.join(self.room, token, since={"seq": seq, "tag": tag})
                assert (reply["t"], reply["resumed"]) == ("ok", False)
                assert wire.seq == self.kept
            acting = wires[wires[0].state["turn"]["seats"][0]]
            legal = await acting.of_room("legal")
            reply = await acting.of_room("act", action=legal["actions"][0], seq=acting.seq)
            assert (reply["t"], reply["seq"]) == ("ok", self.kept + 1)


def put_in_place(copy: Path, file: Path) -> None:
    """Nothing of what was there may be left: what was committed last lies beside the file."""
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()
    shutil.copy(copy, file)


async def backed_up(server: ServerProcess, back_up: Callable[[], T]) -> tuple[Before, T]:
    """Play, have it backed up, and play on what will be lost; the server is stopped then."""
    await asyncio.to_thread(server.wait_ready)
    async with party(server) as told:
        await told.play(5)
        before = Before(told)
        copy = await asyncio.to_thread(back_up)
        await told.play(5)
        before.lose(told)
    assert await asyncio.to_thread(server.stop) == 0
    return before, copy


async def test_a_file_is_backed_up_while_it_serves_and_restored(tmp_path: Path) -> None:
    file = tmp_path / "pharos.db"
    settings = {"PHAROS_STORE": f"sqlite:///{file}"}
    server = ServerProcess(settings)
    try:
        before, copies = await backed_up(server, lambda: [copied(line, file) for line in COMMANDS])
        for copy in copies:
            await asyncio.to_thread(put_in_place, copy, file)
            assert await asyncio.to_thread(verified, settings)
        server = ServerProcess(settings)
        await asyncio.to_thread(server.wait_ready)
        await before.goes_on(server)
        assert await asyncio.to_thread(server.stop) == 0
    finally:
        server.kill()


def copied(line: str, file: Path) -> Path:
    """The copy that a line of the runbook makes."""
    copy = file.with_name(f"copy-by-{line.split()[0]}.db")
    words = line.partition("  #")[0].replace("pharos.db", str(file)).replace("/backup/rooms.db", str(copy))
    subprocess.run(re.sub("^python", sys.executable, words), shell=True, check=True)
    return copy


def copy_of_aof(redis: RedisServer, copy: Path) -> tuple[str, ...]:
    """The append-only files, as the runbook has them copied; what to start a server on the copy with."""
    redis.ask("CONFIG", "SET", "auto-aof-rewrite-percentage", 0)
    redis.wait_until(lambda client: client.info("persistence")["aof_rewrite_in_progress"] == 0)
    copy.mkdir()
    for found in redis.folder.glob("appendonly*"):
        (shutil.copytree if found.is_dir() else shutil.copy)(found, copy / found.name)
    redis.ask("CONFIG", "SET", "auto-aof-rewrite-percentage", 100)
    return SAFE


def copy_of_rdb(redis: RedisServer, copy: Path) -> tuple[str, ...]:
    """The same of a snapshot."""
    redis.ask("BGSAVE")
    redis.wait_until(lambda client: client.info("persistence")["rdb_bgsave_in_progress"] == 0)
    copy.mkdir()
    shutil.copy(redis.folder / "dump.rdb", copy)
    return ("--appendonly", "no")


@pytest.mark.parametrize("back_up", [copy_of_aof, copy_of_rdb])
async def test_a_redis_is_backed_up_while_it_serves_and_restored(tmp_path: Path, back_up: Any) -> None:
    redis = RedisServer(tmp_path / "redis", *SAFE)
    settings = {"PHAROS_STORE": redis.url}
    server = ServerProcess(settings)
    try:
        before, options = await backed_up(server, lambda: back_up(redis, tmp_path / "copy"))
        await asyncio.to_thread(redis.kill)
        redis = await asyncio.to_thread(lambda: RedisServer(tmp_path / "copy", *options, port=redis.port))
        redis.ask("CONFIG", "SET", "appendonly", "yes")
        redis.wait_until(lambda client: client.info("persistence")["aof_rewrite_in_progress"] == 0)
        assert redis.ask("INFO", "persistence")["aof_enabled"] == 1
        assert await asyncio.to_thread(verified, settings)
        found = json.loads(await asyncio.to_thread(command, settings, "inspect", before.room, "--json"))
        assert before.room in str(found)
        server = ServerProcess(settings)
        await asyncio.to_thread(server.wait_ready)
        await before.goes_on(server)
        assert await asyncio.to_thread(server.stop) == 0
    finally:
        server.kill()
        redis.kill()
