"""`make run`: server and bot host by one command, which end together."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.processes import PATIENCE, ROOT
from tests.redis_server import free_port


@pytest.fixture
def made(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The command in a session of its own, with this interpreter in the place of the one that it would install."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PHAROS_", "MAKE"))}
    settings = {
        "PHAROS_PORT": str(free_port()),
        "PHAROS_LOG": "json",
        "PHAROS_STORE": f"sqlite:///{tmp_path}/rooms.db",
        "PHAROS_BOT_KEY": "the-key-of-the-hosts",
    }
    made = subprocess.Popen(
        ["make", "-o", ".venv/installed", "-o", ".venv/bot-key", f"BIN={Path(sys.executable).parent}", "run"],
        cwd=ROOT,
        env={**clean, **settings},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    late = threading.Timer(PATIENCE, os.killpg, (made.pid, signal.SIGKILL))
    late.start()
    yield made
    ended_by_itself = not late.finished.is_set()
    late.cancel()
    made.wait()
    assert ended_by_itself


def test_a_signal_to_make_alone_ends_server_and_host(made: subprocess.Popen[str]) -> None:
    assert made.stdout is not None
    said: list[str] = []
    with made.stdout as lines:
        for line in lines:  # until the last process that could write has ended
            said.append(json.loads(line)["event"] if line.startswith("{") else line)
            if said[-1] == "serving":
                made.terminate()
    assert said.index("serving") < said.index("stopping") < said.index("stopped")
    assert made.wait() == -signal.SIGTERM


def hosts(made: subprocess.Popen[str]) -> list[psutil.Process]:
    """The bot hosts that run there."""
    every = psutil.Process(made.pid).children(recursive=True)
    return [each for each in every if each.name().startswith("python") and "clients.bots.host" in each.cmdline()]


def test_a_host_that_is_killed_is_started_again(made: subprocess.Popen[str]) -> None:
    assert made.stdout is not None
    pids: list[int] = []
    with made.stdout as lines:
        for line in lines:
            if "waiting for seats" in line:
                (host,) = hosts(made)
                pids.append(host.pid)
                if len(pids) == 1:
                    host.kill()
                else:
                    made.terminate()
    assert len(set(pids)) == 2
    assert made.wait() == -signal.SIGTERM
