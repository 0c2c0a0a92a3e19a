"""The HTTP interface does what `/openapi.json` says: schemathesis against a running server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.processes import serving_well

LOOSE = "positive_data_acceptance"
"""The one check that can't hold: what a game takes, or a name, or that 1.0 is no integer here, no schema can say."""


def schemathesis(folder: Path, examples: int) -> None:
    """Run all of its phases against a server."""
    with serving_well({"PHAROS_STORE": f"sqlite:///{folder}/rooms.db", "PHAROS_BOT_KEY": "a-key"}) as server:
        limits = ["--max-examples", str(examples), "--seed", "7", "--exclude-checks", LOOSE, "--warnings", "off"]
        done = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", f"{server.url}/openapi.json", *limits],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-10_000:]
        assert "17 selected / 17 total" in done.stdout


def test_no_call_answers_what_the_document_does_not_say(tmp_path: Path) -> None:
    schemathesis(tmp_path, 5)


@pytest.mark.soak
def test_no_call_does_so_however_often_it_is_tried(tmp_path: Path) -> None:
    schemathesis(tmp_path, 300)
