"""An action without sockets: every game is played in both codecs, and nothing is refused."""

from __future__ import annotations

import pytest

from bench import inside
from bench.plan import GAMES
from protocol.codec import CODECS


@pytest.mark.parametrize("game", GAMES)
async def test_every_game_is_measured_in_both_codecs(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ROOMS": 2, "BATCHES": 12, "WARM": 2}.items():
        monkeypatch.setattr(inside, name, value)
    for codec in ("json", "msgpack"):
        found = await inside.measure(game, CODECS[codec])
        assert found.action > 0
        assert min(found.update_bytes, found.turn_bytes) > 50
