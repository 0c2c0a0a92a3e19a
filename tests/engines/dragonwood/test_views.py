"""Who sees what: the views' contents and what they keep secret (Views and events)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from server.engines.dragonwood.actions import AttackWith, Keep, LastTurns, Reload
from server.engines.dragonwood.state import Attack, Options, State
from tests.engines.dragonwood.scene import (
    ENGINE,
    act,
    adventurers,
    attempt,
    bodies,
    dragonwood,
    faces,
    scene,
)
from tests.engines.play import final, walk

WOLVES = ("Pack of Wolves", "Fire Ants", "Crazy Bats", "Wild Boar", "Silver Sword")
FACE = {"name": "Pack of Wolves", "dragon": False, "points": 3, "strike": 6, "stomp": 7, "scream": 9, "effect": None}


def public(state: State) -> dict[str, object]:
    return dict(ENGINE.public_view(state))


def test_the_landscape_shows_ids_names_and_values_in_the_order_turned_up() -> None:
    view = public(scene(landscape=WOLVES))
    assert [card["name"] for card in view["landscape"]] == list(WOLVES)
    assert view["landscape"][0] == {"card": dragonwood("Pack of Wolves"), **FACE}
    sword = view["landscape"][4]
    assert sword["effect"] == {"strike_bonus": 2}
    assert (sword["strike"], sword["stomp"], sword["scream"], sword["points"]) == (10, 6, 7, 0)


def test_a_seat_shows_its_number_of_cards_and_what_lies_open_before_it() -> None:
    own = ["Hungry Bear", "Lightning Bolt", "Spooky Spiders"]
    view = public(scene(("R4 B5 G6", "P1"), WOLVES, before=[own]))
    assert view["seats"][0] == {
        "hand": 3,
        "enhancements": (
            {"card": dragonwood("Lightning Bolt"), "name": "Lightning Bolt", "effect": {"any_bonus": 4, "once": True}},
        ),
        "creatures": (
            {"card": dragonwood("Hungry Bear"), "name": "Hungry Bear"},
            {"card": dragonwood("Spooky Spiders"), "name": "Spooky Spiders"},
        ),
        "points": 4,
    }
    assert view["seats"][1] == {"hand": 1, "enhancements": (), "creatures": (), "points": 0}


def test_decks_are_sizes_and_the_discard_pile_is_open() -> None:
    state = scene(draws=adventurers("G9 G10"), short=True)
    view = public(state)
    assert (view["adventurer_deck"], view["discard"], view["ran_out"]) == (2, state.discard, 0)
    assert view["dragonwood_deck"] == len(state.dragonwood)
    assert (view["colours"], view["numbers"]) == (("red", "orange", "purple", "green", "blue"), 12)


def test_the_attempt_in_progress_is_open_from_the_announcement_on() -> None:
    start = scene(("R7 B7", "P1"), WOLVES, before=[["Lucky Mushroom", "Lightning Bolt"]])
    bolt = dragonwood("Lightning Bolt")
    state, _ = act(start, AttackWith(dragonwood("Pack of Wolves"), Attack.STOMP, (bolt,)))
    announced = {
        "attack": "stomp",
        "target": dragonwood("Pack of Wolves"),
        "use": (bolt,),
        "cards": (),
        "dice": (),
        "bonus": 4,
        "needed": 7,
        "rerolls": 1,
    }
    assert public(state)["attempt"] == announced
    state, _ = attempt(start, Attack.STOMP, "Pack of Wolves", "R7 B7 with Lightning Bolt", faces(1, 1))
    assert public(state)["attempt"] == {**announced, "cards": adventurers("R7 B7"), "dice": (1, 1)}
    assert public(state)["gone"] == ({"card": bolt, "name": "Lightning Bolt"},)
    assert public(state)["seats"][0]["hand"] == 0
    state, _ = act(state, Keep())
    assert public(state)["attempt"] is None, "after a failed attempt the played cards are marked no more"


def test_the_hand_is_for_its_owner_alone() -> None:
    state = scene(("R4 B5 G6", "P1"))
    assert ENGINE.private_view(state, 0) == {"hand": adventurers("R4 B5 G6"), "choice": None}
    other = scene(("R4 B5 G6", "P2"))
    assert public(state) == public(other)
    assert ENGINE.private_view(state, 0) == ENGINE.private_view(other, 0)


def test_the_order_of_decks_and_the_removed_cards_are_seen_by_nobody() -> None:
    state = scene()
    turned = replace(
        state,
        adventurers=state.adventurers[::-1],
        dragonwood=(*state.dragonwood[:2], *state.removed[:3], *state.dragonwood[5:]),
        removed=(*state.dragonwood[2:5], *state.removed[3:]),
    )
    assert public(turned) == public(state)
    assert all(ENGINE.private_view(turned, seat) == ENGINE.private_view(state, seat) for seat in (0, 1))


def test_parts_that_did_not_change_are_the_same_objects() -> None:
    before = scene(draws=adventurers("G9"))
    after, _ = act(before, Reload())
    old, new = public(before), public(after)
    for name in ("landscape", "discard", "gone", "colours"):
        assert new[name] is old[name]
    assert new["seats"][1] is old["seats"][1]
    assert new["seats"][0] is not old["seats"][0]
    assert ENGINE.private_view(after, 1)["hand"] is ENGINE.private_view(before, 1)["hand"]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_last_turns_count_down_to_the_end(seats: int) -> None:
    steps = list(walk(ENGINE, seats, Options(), 5))
    ran_out = next(step.before.number for step in steps if LastTurns() in bodies(step.events))
    last = steps[-1].after.number
    assert last == ran_out + seats
    for step in steps:
        number, left = step.after.number, ENGINE.public_view(step.after)["last_turns"]
        if number > ran_out:
            assert left == last - number + 1
        elif step.after.ran_out < 2:
            assert left is None
        else:
            assert left == seats


def test_a_finished_game_shows_no_hand_to_others() -> None:
    state = final(ENGINE, 2, Options(), 3)
    assert "hand" not in public(state)
    assert ENGINE.turn(state)[1] == "over"
