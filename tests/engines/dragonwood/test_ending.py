"""How decks run out and games end, scores and ranks (Decks, end and score; D2, D4, D11, D13, D14, D18)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.dragonwood.actions import Discard, Drew, Ended, LastTurns, Reload, Reshuffled
from server.engines.dragonwood.state import Attack, Options, Phase, State
from server.engines.dragonwood.steps.drawing import draw
from server.engines.dragonwood.steps.table import Table
from server.engines.engine import IllegalAction
from tests.engines.dragonwood.scene import (
    ENGINE,
    Loaded,
    act,
    adventurer,
    adventurers,
    attempt,
    bodies,
    dragonwood,
    faces,
    kinds,
    scene,
)
from tests.engines.play import dice

EACH, AT_ONCE = Options(last_turn_each=True), Options(last_turn_each=False)
DRAGONS = ("Blue Dragon", "Orange Dragon", "Crazy Bats", "Wild Boar", "Spooky Spiders")
SECOND = ("Orange Dragon", "Fire Ants", "Crazy Bats", "Wild Boar", "Spooky Spiders")


def last_card(options: Options = EACH, *, ran_out: int = 1, seats: int = 3, **fields: object) -> State:
    """The deck has one card left, all others are discarded."""
    hands = ("R4 B5 G6", "P1", "P2", "P3")[:seats]
    return scene(hands, draws=[adventurer("G9")], short=True, options=options, ran_out=ran_out, **fields)


def still(count: int) -> Loaded:
    """Dice for a shuffle of so many cards in which nothing moves."""
    return Loaded(*range(count - 1, 0, -1))


def test_the_deck_runs_out_when_its_last_card_is_drawn_and_is_made_anew_when_one_is_needed() -> None:
    """D2."""
    state, events = act(last_card(ran_out=0), Reload())
    assert kinds(events) == ["drew"]
    assert (state.ran_out, state.final_turn) == (1, None)
    assert (state.adventurers, len(state.discard)) == ((), 58)
    state, events = act(state, Reload(), still(58))
    assert bodies(events)[0] == Reshuffled(58)
    assert events[0].reveals
    assert kinds(events)[1:] == ["ladybug"] * 4 + ["drew"], "undisturbed, the highest ids lie on top"
    assert state.players[1].hand == adventurers("P1 B8 B9 B10 B11 B12")


def test_a_reshuffle_starts_from_the_ids_in_ascending_order() -> None:
    state, _ = act(last_card(ran_out=0), Reload())
    plain, _ = act(state, Reload(), still(58))
    turned, _ = act(replace(state, discard=state.discard[::-1]), Reload(), still(58))
    assert turned == plain


def test_the_second_time_gives_every_player_one_more_turn() -> None:
    """D4, D14: seat 0 draws the last card in turn 1; seats 1, 2, 0 have a turn more, then the game is over."""
    state = last_card()
    assert ENGINE.public_view(state)["last_turns"] is None
    state, events = act(state, Reload())
    assert bodies(events) == [LastTurns(), Drew(0, 1)]
    assert (state.ran_out, state.final_turn) == (2, 4)
    turns = []
    stream = dice(1, 3)
    while ENGINE.deciding(state):
        turns.append((state.in_turn, ENGINE.public_view(state)["last_turns"]))
        state, events = ENGINE.apply(state, state.in_turn, Reload(), stream)
    assert turns == [(1, 3), (2, 2), (0, 1)]
    assert bodies(events)[-1] == Ended("deck")
    assert ENGINE.turn(state) == (4, "over")
    assert ENGINE.result(state).reason == "deck"


def test_the_turn_of_the_running_out_is_none_of_the_last_turns() -> None:
    """D14: seat 0, over its hand limit, is still in the turn in which the deck ran out."""
    hands = ("R1 R2 R3 R4 R5 R6 R7 R8 R9", "P1", "P2")
    state, _ = act(scene(hands, draws=[adventurer("G9")], short=True, ran_out=1), Reload())
    assert state.phase is Phase.HAND_LIMIT
    assert ENGINE.public_view(state)["last_turns"] == 3
    state, _ = act(state, Discard(adventurer("G9")))
    assert (state.in_turn, ENGINE.public_view(state)["last_turns"]) == (1, 3)


def test_without_last_turns_the_turn_is_finished_and_the_game_ends() -> None:
    """D14: hand limit included."""
    hands = ("R1 R2 R3 R4 R5 R6 R7 R8 R9", "P1", "P2")
    start = scene(hands, draws=[adventurer("G9")], short=True, ran_out=1, options=AT_ONCE)
    state, events = act(start, Reload())
    assert kinds(events) == ["drew"], "no last turns are told"
    assert (state.phase, ENGINE.public_view(state)["last_turns"]) == (Phase.HAND_LIMIT, 1)
    state, events = act(state, Discard(adventurer("G9")))
    assert kinds(events) == ["discarded", "ended"]
    assert state.phase is Phase.OVER


def test_without_last_turns_the_refill_and_its_events_are_finished_first() -> None:
    """Sunny Day draws the last card in the refill after a capture; the storm after it is still chosen in."""
    top = ["Sunny Day", "Thunder Storm", "Hungry Bear"]
    start = scene(("R7 G7 O1", "P1"), top=top, draws=[adventurer("G9")], short=True, ran_out=1, options=AT_ONCE)
    rolled = Loaded(*faces(2, 2).shows, *still(61).shows)
    state, events = attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", rolled)
    assert kinds(events)[-1] == "event"
    assert state.final_turn == 1
    state, _ = act(state, Discard(adventurer("O1")), seat=0)
    state, events = act(state, Discard(adventurer("P1")), seat=1)
    assert kinds(events) == ["discarded", "discarded", "turned_up", "ended"]
    assert ENGINE.result(state).reason == "deck"


def test_the_count_stands_still_after_the_second_time() -> None:
    """D2, D11: a draw of the last turns reshuffles again, and again exhausts the deck."""
    start = last_card(ran_out=2, seats=2, final_turn=3, number=2, in_turn=1)
    state, events = act(start, Reload())
    assert kinds(events) == ["drew"]
    assert (state.ran_out, state.final_turn) == (2, 3)
    state, events = act(state, Reload(), dice(1, 2))
    assert kinds(events)[0] == "reshuffled"
    assert kinds(events)[-1] == "ended"


def test_nothing_is_drawn_when_only_ladybugs_are_left() -> None:
    """D13, D17: neither pile is touched, in the midst of a draw too."""
    state = replace(scene(), adventurers=(60, 61), discard=(62, 63))
    table = Table(ENGINE.components, state, Loaded())
    draw(table, 0, 2)
    assert table.state == state
    assert bodies(table.events) == [Drew(0, 0)]
    state = replace(scene(), adventurers=(adventurer("G9"),), discard=(60, 61, 62, 63))
    table = Table(ENGINE.components, state, Loaded())
    draw(table, 0, 2)
    assert bodies(table.events)[-1] == Drew(0, 1)
    assert (table.state.adventurers, table.state.discard) == ((), (60, 61, 62, 63))


def test_nothing_is_drawn_when_both_piles_are_empty() -> None:
    table = Table(ENGINE.components, replace(scene(), adventurers=(), discard=()), Loaded())
    draw(table, 0, 2)
    assert bodies(table.events) == [Drew(0, 0)]
    assert bodies(table.events, 0) == [Drew(0, 0, ())]


def test_the_second_dragon_ends_the_game_at_once_before_the_refill() -> None:
    start = scene(("G4 G5 G6", "P1"), SECOND, before=[(), ["Blue Dragon"]], top=["Sunny Day"])
    state, events = attempt(start, Attack.SPELL, "Orange Dragon", "G4 G5 G6", faces(3, 3))
    assert kinds(events) == ["attempted", "captured", "ended"]
    assert bodies(events)[-1] == Ended("dragons")
    assert len(state.landscape) == 4
    assert ENGINE.deciding(state) == ()
    assert ENGINE.legal_actions(state, 0) == ()
    with pytest.raises(IllegalAction, match="the game is over"):
        ENGINE.apply(state, 0, Reload(), Loaded())


def test_the_first_dragon_ends_nothing() -> None:
    state, events = attempt(scene(("G4 G5 G6", "P1"), DRAGONS), Attack.SPELL, "Blue Dragon", "G4 G5 G6", faces(3, 3))
    assert kinds(events) == ["attempted", "captured", "turned_up"]
    assert ENGINE.result(state) is None


def test_dragons_are_the_reason_in_the_last_turn_too() -> None:
    """D18."""
    before = [(), ["Blue Dragon"]]
    start = scene(("G4 G5 G6", "P1"), SECOND, before=before, ran_out=2, final_turn=3, number=3)
    state, events = attempt(start, Attack.SPELL, "Orange Dragon", "G4 G5 G6", faces(3, 3))
    assert bodies(events)[-1] == Ended("dragons")
    assert ENGINE.result(state).reason == "dragons"


def test_an_empty_dragonwood_deck_leaves_the_landscape_unfilled() -> None:
    start = scene(("R7 G7", "P1"))
    away = tuple(
        card for card in start.dragonwood if ENGINE.components.creature(card) and card != dragonwood("Blue Dragon")
    )
    gone = tuple(card for card in start.dragonwood if not ENGINE.components.creature(card))
    owner = replace(start.players[1], creatures=(*away, start.landscape[4]))
    start = replace(start, dragonwood=(), players=(start.players[0], owner), gone=gone, removed=start.removed)
    start = replace(start, landscape=(*start.landscape[:4], dragonwood("Blue Dragon")))
    state, events = attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", faces(2, 2))
    assert kinds(events) == ["attempted", "captured"]
    assert len(state.landscape) == 4
    assert (state.in_turn, state.phase) == (1, Phase.TURN)


def over(*creatures: tuple[str, ...]) -> State:
    """A finished game in which the seats hold these creatures."""
    names = [("R4", "O4", "P4", "G4")[seat] for seat in range(len(creatures))]
    seats = len(creatures)
    landscape = ("Wild Boar", "Wild Boar", "Fire Ants", "Fire Ants", "Wasps' Nest")
    ended = {"phase": Phase.OVER, "ran_out": 2, "final_turn": seats + 1, "number": seats + 1}
    return scene(names, landscape, before=creatures, **ended)


def test_example_4_tied_for_most_creatures_both_get_two_and_the_orange_dragon_breaks_the_tie() -> None:
    glob = ("Orange Dragon", "Gooey Glob", "Grumpy Troll", "Hungry Bear")  # 7 + 5 + 4 + 3 = 19, and 2
    ogre = ("Angry Ogre", "Blue Dragon", "Secret Shadow", "Gigantic Python")  # 5 + 6 + 4 + 4 = 19, and 2
    assert ENGINE.result(over(ogre, glob)).scores == (21, 21)
    assert ENGINE.result(over(ogre, glob)).ranks == (2, 1)
    assert ENGINE.result(over(glob, ogre)).ranks == (1, 2)


def test_the_most_creature_cards_alone_bring_three() -> None:
    spiders, bear = ("Spooky Spiders", "Spooky Spiders"), ("Hungry Bear",)
    assert ENGINE.result(over(spiders, bear)).scores == (5, 3)
    assert ENGINE.result(over(spiders, bear)).ranks == (1, 2)


def test_three_tied_get_two_each_and_enhancements_do_not_count() -> None:
    hands = (("Spooky Spiders",), ("Crazy Bats", "Silver Sword"), ("Hungry Bear",), ("Lucky Mushroom",))
    assert ENGINE.result(over(*hands)).scores == (3, 3, 5, 0)
    assert ENGINE.result(over(*hands)).ranks == (2, 2, 1, 4)


def test_no_bonus_when_nobody_has_a_creature() -> None:
    result = ENGINE.result(over((), (), ()))
    assert result.scores == (0, 0, 0)
    assert result.ranks == (1, 1, 1)


def test_equal_totals_without_the_orange_dragon_are_ranked_by_creature_cards() -> None:
    """Three cards with 3 points and the bonus of 3 against one with 6: the Blue Dragon."""
    bats = ("Crazy Bats", "Crazy Bats", "Spooky Spiders")
    assert ENGINE.result(over(("Blue Dragon",), bats, ("Hungry Bear",))).scores == (6, 6, 3)
    assert ENGINE.result(over(("Blue Dragon",), bats, ("Hungry Bear",))).ranks == (2, 1, 3)


def test_equal_in_all_three_share_the_rank() -> None:
    result = ENGINE.result(over(("Hungry Bear",), (), ("Hungry Bear",), ()))
    assert result.scores == (5, 0, 5, 0)
    assert result.ranks == (1, 3, 1, 3)
