"""The four events, their order and their choices (Events; D3, D15)."""

from __future__ import annotations

import pytest

from server.engines.dragonwood.actions import (
    Discard,
    Discarded,
    DragonwoodAction,
    Drew,
    EventTurnedUp,
    Give,
    Passed,
    Play,
    Reload,
    Removed,
    TurnedUp,
)
from server.engines.dragonwood.state import Attack, Phase, State
from server.engines.engine import Event, IllegalAction
from tests.engines.dragonwood.scene import (
    ENGINE,
    LADYBUGS,
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

LANDSCAPE = ("Spooky Spiders", "Silver Sword", "Wild Boar", "Magical Unicorn", "Fire Ants")
NINE = "B1 B2 B3 B4 B5 B6 B7 B8 B9"


def turn_up(start: State) -> tuple[State, list[Event]]:
    """Seat `in_turn` captures the Spiders with two sevens, so that the landscape is refilled."""
    return attempt(start, Attack.STOMP, "Spooky Spiders", "R7 G7", faces(2, 2))


def test_sunny_day_lets_each_seat_draw_both_cards_in_turn_and_the_refill_goes_on() -> None:
    draws = adventurers("P1 P2 P3 P4 P5 P6")
    start = scene(("", "R7 G7", "O1"), LANDSCAPE, top=["Sunny Day", "Hungry Bear"], draws=draws, in_turn=1, number=2)
    state, events = turn_up(start)
    assert kinds(events) == ["attempted", "captured", "event", "drew", "drew", "drew", "turned_up"]
    assert bodies(events)[2] == EventTurnedUp(dragonwood("Sunny Day"), "Sunny Day")
    assert [state.players[seat].hand for seat in (1, 2, 0)] == [
        adventurers("P1 P2"),
        adventurers("O1 P3 P4"),
        adventurers("P5 P6"),
    ]
    assert bodies(events, 2)[4] == Drew(2, 2, adventurers("P3 P4"))
    assert bodies(events)[4] == Drew(2, 2)
    assert state.gone == (dragonwood("Sunny Day"),)
    assert state.landscape[-1] == dragonwood("Hungry Bear")
    assert (state.in_turn, state.phase, state.event) == (2, Phase.TURN, None)


def test_sunny_day_replaces_a_ladybug_before_the_next_seat_draws() -> None:
    draws = [LADYBUGS[0], *adventurers("P1 P2 P3"), *adventurers("P4 P5")]
    state, events = turn_up(scene(("R7 G7", "O1"), LANDSCAPE, top=["Sunny Day"], draws=draws))
    assert kinds(events)[3:6] == ["ladybug", "drew", "drew"]
    assert state.players[0].hand == adventurers("P1 P2 P3")
    assert state.players[1].hand == adventurers("O1 P4 P5")


def sunny_with_full_hands() -> tuple[State, list[Event]]:
    draws = adventurers("P1 P2 P3 P4 P5 P6")
    hands = ("O1 O2 O3 O4 O5 O6 O7 O8", "R7 G7", NINE)
    return turn_up(scene(hands, LANDSCAPE, top=["Sunny Day", "Hungry Bear"], draws=draws, in_turn=1, number=2))


def test_sunny_day_over_full_hands_discard_clockwise_when_all_have_drawn() -> None:
    """D3: seat 2 down to nine, card by card, then seat 0, then the refill goes on."""
    state, events = sunny_with_full_hands()
    assert kinds(events)[-1] == "drew", "the refill waits"
    assert (state.phase, ENGINE.deciding(state)) == (Phase.HAND_LIMIT, (2,))
    assert ENGINE.legal_actions(state, 0) == ()
    assert ENGINE.public_view(state)["event"] == {
        "card": dragonwood("Sunny Day"),
        "name": "Sunny Day",
        "chosen": (False, False, False),
    }
    state, events = act(state, Discard(adventurer("B1")))
    assert not events[0].reveals
    assert state.discard[-1] == adventurer("B1"), "each discard is visible at once"
    state, events = act(state, Discard(adventurer("P3")))
    assert not events[0].reveals
    assert ENGINE.deciding(state) == (0,)
    state, events = act(state, Discard(adventurer("O1")))
    assert kinds(events) == ["discarded", "turned_up"]
    assert events[0].reveals, "the last hand-limit discard of a Sunny Day can't be taken back"
    assert (state.in_turn, state.phase, state.event) == (2, Phase.TURN, None)


def test_a_hand_over_the_limit_may_only_discard_its_own_cards() -> None:
    state, _ = sunny_with_full_hands()
    for action, rule in ((Give(adventurer("B1")), "over the limit"), (Discard(adventurer("O1")), "in your hand")):
        with pytest.raises(IllegalAction, match=rule):
            ENGINE.apply(state, 2, action, Loaded())
    with pytest.raises(IllegalAction, match="not yours to decide"):
        ENGINE.apply(state, 0, Discard(adventurer("O1")), Loaded())


def storm(name: str) -> State:
    """Seat 1 in turn has one card left, seat 0 two, seat 3 none."""
    hands = ("O1 O2", "R7 G7 R1", "B1 B2", "")
    start = scene(hands, LANDSCAPE, top=[name, "Hungry Bear"], in_turn=1, number=2)
    state, events = turn_up(start)
    assert kinds(events) == ["attempted", "captured", "event"]
    return state


def test_thunder_storm_makes_everybody_discard_one_and_lists_them_clockwise() -> None:
    state = storm("Thunder Storm")
    assert (state.phase, ENGINE.deciding(state)) == (Phase.EVENT, (0, 1, 2)), "an empty hand has nothing to choose"
    assert ENGINE.legal_actions(state, 2) == [Discard(adventurer("B1")), Discard(adventurer("B2"))]
    assert ENGINE.default_action(state, 2) == Discard(adventurer("B1"))
    state, events = act(state, Discard(adventurer("B2")), seat=2)
    assert not events
    state, events = act(state, Discard(adventurer("O2")), seat=0)
    assert not events
    state, events = act(state, Discard(adventurer("R1")), seat=1)
    assert bodies(events) == [
        Discarded(1, adventurer("R1")),
        Discarded(2, adventurer("B2")),
        Discarded(0, adventurer("O2")),
        TurnedUp(dragonwood("Hungry Bear")),
    ]
    assert all(event.reveals for event in events)
    assert state.discard[-3:] == (adventurer("R1"), adventurer("B2"), adventurer("O2"))
    assert (state.in_turn, state.phase, state.event) == (2, Phase.TURN, None)


def test_wind_storm_passes_to_the_right_after_all_have_chosen() -> None:
    state = storm("Wind Storm")
    assert ENGINE.legal_actions(state, 0) == [Give(adventurer("O1")), Give(adventurer("O2"))]
    state, _ = act(state, Give(adventurer("O1")), seat=0)
    assert state.players[0].hand == adventurers("O1 O2"), "no card moves before all have chosen"
    state, _ = act(state, Give(adventurer("R1")), seat=1)
    state, events = act(state, Give(adventurer("B1")), seat=2)
    assert [player.hand for player in state.players] == [
        adventurers("O2 R1"),
        adventurers("B1"),
        adventurers("B2"),
        adventurers("O1"),
    ]
    assert bodies(events)[:3] == [Passed(1, 0), Passed(2, 1), Passed(0, 3)]
    assert bodies(events, 0)[:3] == [Passed(1, 0, adventurer("R1")), Passed(2, 1), Passed(0, 3, adventurer("O1"))]
    assert bodies(events, 3)[:3] == [Passed(1, 0), Passed(2, 1), Passed(0, 3, adventurer("O1"))]
    assert events[0].reveals


def test_a_choice_is_seen_by_nobody_else_until_all_have_chosen() -> None:
    state = storm("Wind Storm")
    one, _ = act(state, Give(adventurer("O1")), seat=0)
    other, _ = act(state, Give(adventurer("O2")), seat=0)
    assert ENGINE.public_view(one) == ENGINE.public_view(other)
    assert ENGINE.public_view(one)["event"]["chosen"] == (True, False, False, False)
    for seat in (1, 2, 3):
        assert ENGINE.private_view(one, seat) == ENGINE.private_view(other, seat)
        assert ENGINE.legal_actions(one, seat) == ENGINE.legal_actions(other, seat)
    assert ENGINE.private_view(one, 0)["choice"] == adventurer("O1")
    assert ENGINE.private_view(other, 0)["choice"] == adventurer("O2")


def test_who_has_chosen_decides_no_more_and_the_others_keep_their_decision() -> None:
    state = storm("Thunder Storm")
    before = ENGINE.decision(state, 1)
    state, _ = act(state, Discard(adventurer("O1")), seat=0)
    assert ENGINE.deciding(state) == (1, 2)
    assert ENGINE.decision(state, 1) == before
    assert ENGINE.legal_actions(state, 0) == ()
    with pytest.raises(IllegalAction, match="not yours to decide"):
        ENGINE.apply(state, 0, Discard(adventurer("O2")), Loaded())


@pytest.mark.parametrize(
    ("name", "action", "rule"),
    [
        ("Thunder Storm", Give(adventurer("O1")), "discard a card"),
        ("Thunder Storm", Reload(), "discard a card"),
        ("Thunder Storm", Discard(adventurer("B1")), "in your hand"),
        ("Wind Storm", Discard(adventurer("O1")), "give a card to the right"),
        ("Wind Storm", Play((adventurer("O1"),)), "give a card to the right"),
        ("Wind Storm", Give(adventurer("B1")), "in your hand"),
    ],
)
def test_other_actions_in_a_storm_are_refused(name: str, action: DragonwoodAction, rule: str) -> None:
    with pytest.raises(IllegalAction, match=rule):
        ENGINE.apply(storm(name), 0, action, Loaded())


@pytest.mark.parametrize("name", ["Thunder Storm", "Wind Storm"])
def test_a_storm_over_empty_hands_is_over_at_once(name: str) -> None:
    """D15."""
    state, events = turn_up(scene(("R7 G7", ""), LANDSCAPE, top=[name, "Hungry Bear"]))
    assert kinds(events) == ["attempted", "captured", "event", "turned_up"]
    assert (state.in_turn, state.phase) == (1, Phase.TURN)


def test_quicksand_takes_all_enhancements_of_the_landscape_and_they_are_replaced() -> None:
    top = ["Quicksand", "Hungry Bear", "Charmed Potion", "Angry Ogre"]
    state, events = turn_up(scene(("R7 G7", "O1"), LANDSCAPE, before=[["Lucky Mushroom"]], top=top))
    sunk = (dragonwood("Silver Sword"), dragonwood("Magical Unicorn"))
    assert kinds(events) == ["attempted", "captured", "event", "removed", "turned_up", "turned_up", "turned_up"]
    assert bodies(events)[3] == Removed(sunk)
    assert state.gone == (dragonwood("Quicksand"), *sunk), "D15"
    names = ("Wild Boar", "Fire Ants", "Hungry Bear", "Charmed Potion", "Angry Ogre")
    assert state.landscape == tuple(map(dragonwood, names))
    assert state.players[0].enhancements == (dragonwood("Lucky Mushroom"),), "those of players stay"


def test_quicksand_without_enhancements_removes_nothing() -> None:
    """D17."""
    plain = ("Spooky Spiders", "Crazy Bats", "Wild Boar", "Hungry Bear", "Fire Ants")
    _, events = turn_up(scene(("R7 G7", "O1"), plain, top=["Quicksand", "Angry Ogre"]))
    assert bodies(events)[3] == Removed(())


def test_one_event_is_finished_before_the_next_is_turned_up() -> None:
    top = ["Thunder Storm", "Sunny Day", "Wind Storm", "Hungry Bear"]
    draws = [*adventurers("P1 P2"), *adventurers("P3 P4")]
    state, events = turn_up(scene(("R7 G7 O5", "O1"), LANDSCAPE, top=top, draws=draws))
    assert kinds(events)[-1] == "event"
    first = ENGINE.decision(state, 0)
    state, _ = act(state, Discard(adventurer("O5")), seat=0)
    state, events = act(state, Discard(adventurer("O1")), seat=1)
    assert kinds(events) == ["discarded", "discarded", "event", "drew", "drew", "event"]
    assert state.phase is Phase.EVENT
    assert ENGINE.decision(state, 0) != first
    assert state.event is not None
    assert state.event.card == dragonwood("Wind Storm")
    assert state.gone == tuple(map(dragonwood, ("Thunder Storm", "Sunny Day", "Wind Storm")))
