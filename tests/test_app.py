"""The whole server as a process: how it starts, what stops the start, a room played over both interfaces."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from server.app import open_store
from server.settings import SettingsError, read_settings
from server.store.memory import MemoryStore
from server.store.sqlite import SqliteStore
from tests.processes import PATIENCE, ROOT, ServerProcess, serving


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"PHAROS_PROT": "1"}, "PHAROS_PROT: there is no such setting"),
        ({"PHAROS_STORE": "redis+nonsense://u:a-secret@h"}, "PHAROS_STORE: must begin with"),
        ({"PHAROS_STORE": "sqlite://pharos.db"}, "PHAROS_STORE: a file's URL is"),
        ({"PHAROS_STORE": "sqlite:////nowhere/at/all/pharos.db"}, "PHAROS_STORE: the directory"),
        ({"PHAROS_STORE": f"sqlite:///{ROOT / 'pyproject.toml'}"}, "PHAROS_STORE: "),
    ],
)
def test_a_start_that_can_not_be_is_one_clear_line(environment: dict[str, str], told: str, tmp_path: Path) -> None:
    done = started(tmp_path, **environment)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"pharos: {told}")
    assert "a-secret" not in line


def started(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A server that ends by itself, in this folder."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PHAROS_")}
    return subprocess.run(
        [sys.executable, "-m", "server"],
        env={**clean, "PYTHONPATH": str(ROOT), "PHAROS_PORT": "0", "PHAROS_LOG_LEVEL": "error", **environment},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_port_that_somebody_else_has_is_one_clear_line(tmp_path: Path, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = started(tmp_path, PHAROS_HOST=host, PHAROS_PORT=str(port))
    assert (done.returncode, done.stderr) == (2, f"pharos: PHAROS_PORT: {host}:{port} is taken by another program\n")


def test_an_address_of_another_machine_is_one_clear_line(tmp_path: Path) -> None:
    done = started(tmp_path, PHAROS_HOST="192.0.2.1")  # of TEST-NET-1, RFC 5737: nobody has it
    assert done.returncode == 2
    assert done.stderr.startswith("pharos: PHAROS_HOST: 192.0.2.1:0 can't be listened at: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_server_that_is_told_so_ends_with_its_standard_input(tmp_path: Path) -> None:
    done = started(tmp_path, PHAROS_STORE="memory://", PHAROS_STOP_WITH_STDIN="1", PHAROS_LOG_LEVEL="info")
    assert done.returncode == 0
    assert "stopped" in done.stderr.splitlines()[-1]


def test_the_store_is_chosen_by_its_url(tmp_path: Path) -> None:
    assert isinstance(open_store(read_settings({"PHAROS_STORE": "memory://"})), MemoryStore)
    assert isinstance(open_store(read_settings({"PHAROS_STORE": f"sqlite:///{tmp_path}/a.db"})), SqliteStore)
    assert isinstance(open_store(read_settings({})), SqliteStore)
    with pytest.raises(SettingsError):
        open_store(read_settings({"PHAROS_STORE": "memory://somewhere"}))


class Player:
    """A seat's connection."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket = socket
        self.id = 0

    async def ask(self, kind: str, **fields: Any) -> list[dict[str, Any]]:
        """A request; what comes up to its reply, the reply last."""
        self.id += 1
        await self.socket.send(json.dumps({"t": kind, "id": self.id, **fields}))
        found: list[dict[str, Any]] = []
        while not found or found[-1].get("id") != self.id:
            found.append(json.loads(await self.socket.recv()))
        return found

    async def until(self, kind: str) -> dict[str, Any]:
        """The next frame of this type."""
        while (frame := json.loads(await self.socket.recv()))["t"] != kind:
            pass
        return frame


async def test_a_room_outlives_its_server_and_no_token_is_ever_logged(tmp_path: Path) -> None:
    environment = {"PHAROS_STORE": f"sqlite:///{tmp_path}/rooms.db", "PHAROS_LOG_LEVEL": "debug"}
    with serving(environment, cwd=tmp_path) as server:
        async with httpx.AsyncClient(base_url=server.url) as http:
            created = (await http.post("/api/rooms", json={"game": "dragonwood", "seats": 2, "name": "Ana"})).json()
            room, tokens = created["room"], [created["token"]]
            taken = await http.post(f"/api/rooms/{room}/seats", json={"name": "Bo"})
            assert taken.status_code == 201
            tokens.append(taken.json()["token"])
            assert (await http.get(f"/api/rooms/{room}")).json()["room"]["status"] == "playing"
        async with websockets.connect(server.ws) as socket:
            player = Player(socket)
            ok = (await player.ask("join", room=room, token=tokens[0], legal=True))[-1]
            assert ok["seat"] == 0
            turn = await player.until("turn")
            *before, acted = await player.ask("act", room=room, action=turn["actions"][0], seq=turn["seq"])
            assert acted["t"] == "ok"
            assert [frame["seq"] for frame in before if frame["t"] == "patch"][-1] >= acted["seq"]
            refused = (await player.ask("act", room=room, action=turn["actions"][0], seq=999))[-1]
            assert refused["t"] == "error"
            server.signal()
            assert (await player.until("closing"))["reconnect_after"] >= 0
        assert server.wait() == 0
        for token in tokens:
            assert token not in server.text()
        assert server.complaints() == []
        told = [line for line in server.log if line["event"] in ("entry", "refused") and line["seq"] >= acted["seq"]]
        assert [(line["room"], line["seat"], line["seq"]) for line in told] == [(room, 0, acted["seq"])] * 2
        assert len({line["connection"] for line in told}) == 1
        assert (told[0]["kind"], told[1]["code"]) == ("action", refused["code"])
    with serving(environment, cwd=tmp_path) as server:
        async with websockets.connect(server.ws) as socket:
            player = Player(socket)
            since = {"seq": ok["seq"], "tag": ok["tag"]}
            joined = (await player.ask("join", room=room, token=tokens[1], since=since))[-1]
            assert (joined["t"], joined["seat"]) == ("ok", 1)
            assert joined["seq"] >= acted["seq"]
        status, figures = server.get("/metrics")
        assert status == 200
        assert b'pharos_rooms{game="dragonwood",status="playing"} 1.0' in figures


def test_a_signal_before_it_serves_ends_the_start_well(tmp_path: Path) -> None:
    """A container's first process ends by no signal that it does not listen for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:  # a Redis that takes the connection and says nothing
        store = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        server = ServerProcess({"PHAROS_STORE": store})
        server.wait_for("starting")
        server.signal()
        assert server.wait() == 0
    assert not server.noise
