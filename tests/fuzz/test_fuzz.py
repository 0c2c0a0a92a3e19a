"""Fuzzing: a reply or a clean close, never anything else. For a short while in every run, for long in `make soak`."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.processes import ROOT


def throw(target: str, *limits: str) -> int:
    """Throw inputs at the target, in a process of its own; how many there were."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.guided", target, *limits],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    found = re.findall(r"^Done (\d+) runs", done.stdout, re.MULTILINE)
    return int(found[-1])


@pytest.mark.parametrize("target", ["codec", "session"])
def test_ten_seconds_of_it(target: str) -> None:
    assert throw(target, "--seconds", "10") > 200


@pytest.mark.soak
def test_five_million_inputs_of_the_codec() -> None:
    assert throw("codec", "--runs", "5000000") >= 5_000_000


@pytest.mark.soak
def test_three_hundred_thousand_conversations() -> None:
    assert throw("session", "--runs", "300000") >= 300_000
