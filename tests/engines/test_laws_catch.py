"""The laws hold for the sound toy game, and each finds what breaks it: a law that can't fail would prove nothing."""

from __future__ import annotations

import pytest

from tests.engines.laws import Broken, Game, Law, played
from tests.engines.play import by_type, option_sets
from tests.engines.test_laws import LAWS, cases, name
from tests.engines.toy import ENGINE, ToyEngine
from tests.engines.toy.broken import BROKEN

BY_NAME = {law.__name__: law for law in LAWS}


@pytest.mark.parametrize("game", cases(ENGINE), ids=name)
def test_every_law_holds_for_the_sound_game(game: Game) -> None:
    game = played(game)
    for law in LAWS:
        law(game)


@pytest.mark.parametrize("engine", BROKEN, ids=lambda engine: engine.__name__)
def test_its_law_finds_the_broken_game(engine: type[ToyEngine]) -> None:
    assert _finds(BY_NAME[engine.law], engine()), f"{engine.law} did not find {engine.__name__}: {engine.__doc__}"


def test_every_law_has_a_game_that_breaks_it() -> None:
    assert set(BY_NAME) == {engine.law for engine in BROKEN}


def _finds(law: Law, engine: ToyEngine) -> bool:
    """Whether the law finds it in one of twenty games."""
    for seed in range(20):
        for options in option_sets(engine)[:2]:
            try:
                law(played(Game(engine, 3, options, seed, pick=by_type)))
            except Broken:
                return True
    return False
