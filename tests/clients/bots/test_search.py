"""The searching policies: legal everywhere, a function of what their seat sees, and better than chance."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from clients.bots import tree
from clients.bots.offline import Table, as_map, document, moves, play, table
from clients.bots.policies import play_random, policies, policy
from clients.bots.search import LEVELS, ByChance, Level, Search
from clients.bots.tree import Node, Tree, View
from server.engines import ENGINES, AnyEngine
from server.engines.dice import Dice
from server.engines.engine import Action, with_turn
from tests.engines.toy import ENGINE as TOY

GAMES = pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)


def decisions(engine: AnyEngine, seats: int, every: int, most: int) -> Iterator[tuple[Table, Any, int]]:
    """States of one game played at random in which there is something to choose, and the seat that decides."""
    place = table(engine, seats, 7)
    found = 0
    for number, move in enumerate(moves(place, [play_random] * seats, Random(7))):
        deciding = engine.deciding(move.state)
        if number % every or not deciding or len(engine.legal_actions(move.state, deciding[-1])) == 1:
            continue
        yield place, move.state, deciding[-1]
        found += 1
        if found == most:
            return


def chosen(search: Search, place: Table, state: Any, seat: int) -> Any:
    actions = [as_map(action) for action in place.engine.legal_actions(state, seat)]
    choice = search(document(place, state, seat), actions, Random(3))
    assert choice in actions
    return choice


@GAMES
def test_it_moves_the_same_whatever_lies_behind_its_view(engine: AnyEngine) -> None:
    """The hidden part is drawn anew behind its back: another deck, other hands, the same views, the same move."""
    seats, hidden = engine.seats[-1], 0
    for number, (place, state, seat) in enumerate(decisions(engine, seats, 9, 5)):
        other = engine.resample(state, seat, Dice(bytes([number]) * 32))
        hidden += other != state
        assert chosen(Search(Level(4)), place, other, seat) == chosen(Search(Level(4)), place, state, seat)
    assert hidden >= 4


@GAMES
def test_it_plays_a_game_of_two_by_the_rules(engine: AnyEngine) -> None:
    """`moves` refuses what is not on the list."""
    place = table(engine, 2, 3)
    played = sum(1 for _ in zip(range(30), moves(place, [Search(Level(2))] * 2, Random(1)), strict=False))
    assert played == 30


def test_its_choice_is_a_function_of_document_list_and_numbers() -> None:
    engine = next(engine for engine in ENGINES.values() if engine.name == "dragonwood")
    place, state, seat = next(decisions(engine, 2, 10, 1))
    actions = [as_map(action) for action in engine.legal_actions(state, seat)]
    seen = document(place, state, seat)
    choices = [Search(Level(4))(seen, actions, Random(seed)) for seed in (*range(4), *range(4))]
    assert choices[:4] == choices[4:]


def test_other_numbers_make_another_tree() -> None:
    state = TOY.new(2, TOY.options(), Dice(bytes(32)))
    one, again, other = (grown(state, 0, 30, seed).root for seed in (1, 1, 2))
    assert rewards(one) == rewards(again)
    assert rewards(one) != rewards(other)


def test_the_budget_ends_a_search_that_its_iterations_would_not() -> None:
    engine = next(engine for engine in ENGINES.values() if engine.name == "dragonwood")
    place, state, seat = next(decisions(engine, 2, 10, 1))
    chosen(Search(Level(10**9, 0.05)), place, state, seat)


def test_hurried_it_has_less_time_but_no_fewer_iterations() -> None:
    assert Search(Level(100, 2.0)).hurried(4.0) == Search(Level(100, 0.5))
    assert Search(Level(100)).hurried(4.0) == Search(Level(100))


@GAMES
def test_every_game_has_the_levels(engine: AnyEngine) -> None:
    assert policies(engine.name)[-3:] == ("easy", "normal", "hard")
    assert [policy(name, engine.name) for name in LEVELS] == [Search(level) for level in LEVELS.values()]


# ------------------------------------------------------------------------------- the tree, on a game without a guide


def grown(state: Any, seat: int, iterations: int, seed: int = 1) -> Tree:
    public = with_turn(TOY.public_view(state), TOY.turn(state))
    view = View(public, {"seat": seat, **TOY.private_view(state, seat)}, 2, TOY.options())
    found = Tree(TOY, ByChance(), view, Random(seed))
    for _ in range(iterations):
        found.iterate()
    return found


def rewards(node: Node) -> list[tuple[Action, float]]:
    return [(action, child.total) for action, child in node.children.items()]


def search_toy(state: Any, actions: Any, random: Random) -> Any:
    """The tree as a policy of the small game."""
    turn = state["turn"]
    public = with_turn(state["game"], (turn["number"], turn["phase"]))
    found = Tree(TOY, ByChance(), View(public, state["you"], 2, TOY.options()), random)
    for _ in range(40):
        found.iterate()
    listed = {str(as_map(action)): as_map(action) for action in found.ranked()}
    return next(action for action in actions if str(action) == next(iter(listed)))


def test_by_the_rules_alone_it_beats_chance() -> None:
    """No word of this game is in the clients: it is played by the contract of its engine."""
    lead = 0
    for seed in range(8):
        own = seed % 2
        chooses = [search_toy, play_random] if own == 0 else [play_random, search_toy]
        scores = play(table(TOY, 2, seed), chooses, Random(seed)).scores
        lead += scores[own] - scores[1 - own]
    assert lead >= 60


def test_every_iteration_is_counted_once_at_the_root_and_below() -> None:
    state = TOY.new(2, TOY.options(), Dice(bytes(32)))
    root = grown(state, 0, 50).root
    assert root.visits == 50
    assert sum(child.visits for child in root.children.values()) == 50
    assert all(0 <= child.total <= child.visits for child in root.children.values())


def test_a_long_list_widens_with_the_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    state = TOY.new(2, TOY.options(), Dice(bytes(32)))
    legal = len(TOY.legal_actions(state, 0))
    monkeypatch.setattr(tree, "WIDTH", 1.0)
    monkeypatch.setattr(tree, "WIDENING", 0.5)
    sizes = [len(grown(state, 0, visits).root.children) for visits in (1, 4, 16)]
    assert sizes == [1, 2, 4]
    assert legal > 4
    assert len(grown(state, 0, (legal + 1) ** 2).root.children) == legal


def test_it_never_thinks_of_what_its_seat_cannot_do() -> None:
    """The other seats' hands are imagined, its own is not."""
    state = TOY.new(2, TOY.options(), Dice(bytes(32)))
    assert set(grown(state, 0, 200).root.children) <= set(TOY.legal_actions(state, 0))


def test_the_guides_choice_is_tried_as_often_as_any_other() -> None:
    state = TOY.new(2, TOY.options(), Dice(bytes(32)))
    first, *others = grown(state, 0, 101).root.children.values()
    assert first.visits + 1 >= max(child.visits for child in others)


def test_another_action_has_to_gain_more_than_the_error_of_the_mean() -> None:
    first = [0.5] * 100
    assert tree._sure_gain(first, first, 1.0) == 0.0
    assert tree._sure_gain([0.6] * 100, first, 1.0) == pytest.approx(0.1, abs=0.01)
    assert tree._sure_gain([0.6], first, 1.0) < 0
    unsteady = [1.0, 0.1] * 50
    assert tree._sure_gain(unsteady, first, 0.5) > 0 > tree._sure_gain(unsteady, first, 2.0)
