"""Every golden game of every registered game is repeated line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.engines import ENGINES, latest
from tests.engines.golden import check, golden_files

GAMES = sorted({name for name, _ in ENGINES})
FILES = [path for game in GAMES for path in golden_files(game)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_golden_game_is_repeated_line_by_line(path: Path) -> None:
    check(latest(path.parent.parent.name), path)


def test_every_registered_game_has_golden_games() -> None:
    without = [game for game in GAMES if not golden_files(game)]
    assert not without, f"no golden game in tests/engines/<game>/golden for: {', '.join(without)}"
