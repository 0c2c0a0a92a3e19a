"""What guides a search: fast players that play by the rules, and luck that is fair."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from clients.bots.offline import as_map, document
from clients.bots.search import Level, Search, guide_of
from clients.bots.values import dragonwood
from server.engines import ENGINES, AnyEngine
from server.engines.dice import Dice
from server.engines.dragonwood.actions import AttackWith, Keep, Play
from server.engines.dragonwood.state import Attack, Phase, State
from server.engines.islet import ENGINE as ISLET
from tests.clients.bots.test_search import GAMES, decisions
from tests.engines.dragonwood import scene as wood

HARD = ("Grumpy Troll", "Gigantic Python", "Secret Shadow", "Angry Ogre", "Gooey Glob")


@GAMES
def test_a_line_can_be_played_as_far_as_the_seat_decides(engine: AnyEngine) -> None:
    """By `apply`, which refuses what the rules forbid."""
    guide, random, longest = guide_of(engine.name, engine.rules), Random(4), 0
    for _, state, seat in decisions(engine, 2, 5, 6):
        line = guide.line(state, seat, engine.legal_actions(state, seat), random)
        reached = state
        for action in line:
            assert seat in engine.deciding(reached)
            reached, _ = engine.apply(reached, seat, action, Dice(bytes(32)))
        longest = max(longest, len(line))
    assert longest >= (2 if engine is ISLET else 1)


@GAMES
def test_what_is_ranked_is_legal_and_once_each(engine: AnyEngine) -> None:
    guide = guide_of(engine.name, engine.rules)
    for _, state, seat in decisions(engine, 3, 7, 6):
        legal = engine.legal_actions(state, seat)
        ranked = guide.ranked(state, seat, legal, Random(1))
        assert ranked
        assert set(ranked) <= set(legal)
        assert len(set(ranked)) == len(ranked)


def test_the_pyramid_is_built_without_a_search() -> None:
    """As the fast player builds it: this search would have no end."""
    engine, built = ENGINES["burano", "1.0.0"], 0
    for place, state, seat in decisions(engine, 2, 3, 8):
        if engine.turn(state)[1] == "pyramid":
            built += 1
            actions = [as_map(action) for action in engine.legal_actions(state, seat)]
            seen = document(place, state, seat)
            chosen = Search(Level(10**9))(seen, actions, Random(2))
            assert chosen in actions
    assert built >= 3


def test_it_tries_every_attack_of_the_rules() -> None:
    """Also with enhancements that are named, and by the spell."""
    before = [["Charmed Potion", "Friendly Bunny", "Lightning Bolt", "Cloak of Darkness"]]
    state = wood.scene(("G4 G5 G6 R5 B9", "P1"), ("Orange Dragon", "Silver Sword", *HARD[:3]), before=before)
    tried = {AttackWith(each.target, each.attack, each.use) for each in dragonwood.tries(state, state.players[0])}
    assert tried == {action for action in wood.ENGINE.legal_actions(state, 0) if isinstance(action, AttackWith)}


def in_play(before: list[list[str]]) -> State:
    start = wood.scene(("R7 B7", "P1"), ("Pack of Wolves", *HARD[:4]), before=before)
    state, _ = wood.act(start, AttackWith(wood.dragonwood("Pack of Wolves"), Attack.STOMP, ()))
    return state


@pytest.mark.parametrize("before", [[], [["Cloak of Darkness"]], [["Lucky Mushroom"]]])
def test_luck_is_fair(before: list[list[str]]) -> None:
    """Over all rolls of the dice it adds up to nothing, but no roll is without."""
    state = in_play(before)
    play = Play(wood.adventurers("R7 B7"))
    found = []
    for roll in product(wood.PRINTED.die, repeat=2):
        after, _ = wood.act(state, play, wood.faces(*roll))
        found.append(dragonwood.luck(state, 0, play, after))
    assert sum(found) == pytest.approx(0.0)
    assert all(found)
    assert min(found) < 0 < max(found)


def test_to_keep_a_miss_is_no_luck() -> None:
    state, _ = wood.act(in_play([["Lucky Mushroom"]]), Play(wood.adventurers("R7 B7")), wood.faces(1, 2))
    assert state.phase is Phase.REROLL
    after, _ = wood.act(state, Keep())
    assert dragonwood.luck(state, 0, Keep(), after) == 0.0
