"""Logs: one form for everything, and no secrets, also not in tracebacks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.processes import ROOT

SCRIPT = """
import logging, structlog
from server import logs
logs.configure({style!r}, {level!r})
log = structlog.get_logger()
log.debug("quiet", room="ABCDEF")
log.info("entry", room="ABCDEF", seq=4)
log.info("said", path="/\\x1b[2J\\x07", seat=1)
logging.getLogger("asyncio").error("a library says %s", "this")
logging.getLogger("uvicorn.error").warning("Invalid HTTP request received.")
def look(token):
    raise RuntimeError("no details")
try:
    look("a-secret-token")
except RuntimeError:
    log.exception("a bug")
    logging.getLogger("asyncio").exception("another bug")
"""


def written(style: str, level: str = "info") -> str:
    """What a process writes that logs in this style."""
    script = SCRIPT.format(style=style, level=level)
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr


def test_json_is_one_map_a_line() -> None:
    lines = [json.loads(line) for line in written("json").splitlines()]
    assert [line["event"] for line in lines] == ["entry", "said", "a library says this", "a bug", "another bug"]
    assert (lines[0]["room"], lines[0]["seq"], lines[0]["level"]) == ("ABCDEF", 4, "info")
    assert all("timestamp" in line for line in lines)
    assert lines[1]["path"] == "/\x1b[2J\x07"
    assert lines[3]["exception"][0]["exc_type"] == "RuntimeError"


def test_console_is_for_people() -> None:
    text = written("console")
    assert "entry" in text
    assert "room=ABCDEF" in text
    assert "RuntimeError: no details" in text
    assert "\x1b[" not in text  # no colours where nobody sees them


@pytest.mark.parametrize("style", ["json", "console"])
def test_nothing_that_a_client_says_is_obeyed_by_a_terminal(style: str) -> None:
    text = written(style)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "[2J" in text


@pytest.mark.parametrize("style", ["json", "console"])
def test_tracebacks_show_no_values(style: str) -> None:
    assert "a-secret-token" not in written(style).replace('look("a-secret-token")', "")


def test_the_level_is_kept() -> None:
    assert "quiet" in written("json", "debug")
    assert "entry" not in written("json", "error")
