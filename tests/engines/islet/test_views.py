"""Views and events: who sees what, in what form, and what is shared; what reveals."""

from __future__ import annotations

from typing import Any

import pytest

from server.engines.dice import Dice
from server.engines.islet import ENGINE
from server.engines.islet.actions import Ended, Night, TilesDrawn
from server.engines.islet.state import Phase, SoloDeck
from tests.engines.islet.games import steps
from tests.engines.islet.tables import COMPONENTS, Play, ending, pay, scene, seat
from tests.engines.play import as_map

ZERO = {"water": 0, "sand": 0, "clay": 0, "leaf": 0, "twig": 0, "flower": 0}


def test_the_public_view_of_a_position() -> None:
    board = {(0, 0): "wl sf", (1, 0): "ct"}
    mine = seat((0, 0), {"water": 2}, {"leaf": 1})
    state = scene(board, mine, seat(), eggs={(1, 0): 1}, bag=9, turn=3, ending=None, idle=1)
    view: Any = ENGINE.public_view(state)
    heap = view["stacks"].pop("2,0")
    assert heap["level"] == 90 - 9 - 8 - 3
    assert view == {
        "round": 2,
        "seat": 0,
        "trail": (),
        "paid": None,
        "last_round": None,
        "idle": 1,
        "busy": False,
        "stacks": {
            "0,0": {
                "x": 0,
                "y": 0,
                "level": 2,
                "tiles": ({"terrain": "water", "nest": "leaf"}, {"terrain": "sand", "nest": "flower"}),
                "egg": None,
            },
            "1,0": {"x": 1, "y": 0, "level": 1, "tiles": ({"terrain": "clay", "nest": "twig"},), "egg": 1},
        },
        "piles": {"water": 10, "sand": 12, "clay": 12, "leaf": 11, "twig": 12, "flower": 12},
        "bag": 9,
        "seats": (
            {
                "bird": {"x": 0, "y": 0},
                "cards": ZERO | {"water": 2},
                "guarded": ZERO | {"leaf": 1},
                "used": ZERO,
                "eggs": 9,
                "tiles": 4,
            },
            {"bird": None, "cards": ZERO, "guarded": ZERO, "used": ZERO, "eggs": 9, "tiles": 4},
        ),
        "solo": None,
    }


def test_the_private_view_is_ones_own_tiles() -> None:
    state = scene({(0, 0): "wl"}, seat(hand="sf wt"), seat(hand="ct"), bag=0, ending=ending(1, "bag"))
    assert ENGINE.private_view(state, 0) == {
        "tiles": (
            {"id": state.players[0].hand[0], "terrain": "water", "nest": "twig"},
            {"id": state.players[0].hand[1], "terrain": "sand", "nest": "flower"},
        )
    }
    assert [tile["terrain"] for tile in ENGINE.private_view(state, 1)["tiles"]] == ["clay"]  # type: ignore[attr-defined]


def test_what_is_used_shows_until_the_end_of_the_turn() -> None:
    play = Play(scene({(0, 0): "wl", (1, 0): "sl"}, seat((0, 0), guarded={"sand": 2}), seat()))
    play.do("walk", x=1, y=0, pay=pay(guarded={"sand": 1}))
    view: Any = ENGINE.public_view(play.state)
    assert (view["seats"][0]["guarded"]["sand"], view["seats"][0]["used"]["sand"]) == (1, 1)
    assert view["trail"] == ({"x": 1, "y": 0},)
    play.do("stop")
    view = ENGINE.public_view(play.state)
    assert (view["seats"][0]["guarded"]["sand"], view["seats"][0]["used"]["sand"]) == (2, 0)


def test_an_end_that_is_known_shows() -> None:
    state = scene({(0, 0): "wl"}, seat(), seat(), bag=0, ending=ending(2, "bag"))
    assert ENGINE.public_view(state)["last_round"] == {"round": 2, "reason": "bag"}


def test_the_order_of_the_solo_deck_shows_nowhere() -> None:
    views = []
    for deck in ((0, 12, *range(1, 12)), (12, *range(1, 12), 0)):
        state = scene({(0, 0): "wl"}, seat((0, 0)), solo=SoloDeck(1, deck, ()))
        views.append((ENGINE.public_view(state), ENGINE.private_view(state, 0)))
    assert views[0] == views[1]


def test_what_did_not_change_is_the_same_object() -> None:
    board = {(0, 0): "wl", (1, 0): "wt", (2, 0): "sl"}
    play = Play(scene(board, seat((0, 0), {"leaf": 3}), seat((2, 0))))
    before: Any = ENGINE.public_view(play.state)
    hand = ENGINE.private_view(play.state, 0)
    play.do("walk", x=1, y=0, pay=pay())
    after: Any = ENGINE.public_view(play.state)
    assert after["stacks"] is before["stacks"]
    assert after["piles"] is before["piles"]
    assert after["seats"][1] is before["seats"][1]
    assert after["seats"][0]["cards"] is before["seats"][0]["cards"]
    assert after["seats"][0] != before["seats"][0]
    assert ENGINE.private_view(play.state, 0) is hand
    tile = play.engine.legal_actions(play.state, 0)[-1]
    assert as_map(tile) == {"type": "stop"}
    play.do("stop")
    first = play.listed("lay_tile")[0]
    before = ENGINE.public_view(play.state)
    play.do("lay_tile", tile=first["tile"], x=first["x"], y=first["y"])
    after = ENGINE.public_view(play.state)
    assert all(after["stacks"][cell] is stack for cell, stack in before["stacks"].items())
    assert len(after["stacks"]) == len(before["stacks"]) + 1


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_events_reveal_where_the_rules_say_and_nowhere_else(seats: int) -> None:
    for seed in (1, 2):
        for step in steps(seats, seed):
            reveals = any(event.reveals for event in step.events)
            turn_ended = step.after.number != step.before.number or step.after.phase is Phase.OVER
            drew = len(step.after.bag) < len(step.before.bag)
            eggs_ended_it = step.after.phase is Phase.OVER and step.before.phase is Phase.UNGUARD
            assert reveals == (drew or (seats == 1 and turn_ended and not eggs_ended_it))
            for event in step.events:
                fuller = isinstance(event.public, TilesDrawn)
                assert bool(event.private) == fuller
                assert not event.reveals or fuller or event.public is None or isinstance(event.public, Night | Ended)


def test_imagining_keeps_what_is_seen_and_deals_the_rest() -> None:
    for step in steps(3, 7):
        for viewer in (0, 2, None):
            other = ENGINE.resample(step.after, viewer, Dice(bytes([step.number % 256]) * 32))
            assert ENGINE.public_view(other) == ENGINE.public_view(step.after)
            if viewer is not None:
                assert ENGINE.private_view(other, viewer) == ENGINE.private_view(step.after, viewer)
                assert other.players[viewer] == step.after.players[viewer]
            assert ENGINE.load(ENGINE.dump(other)) == other


def test_imagining_deals_hands_and_bag_by_the_dice() -> None:
    state = scene({(0, 0): "wl"}, seat(), seat())
    imagined = [ENGINE.resample(state, 0, Dice(bytes([n]) * 32)) for n in range(4)]
    assert len({other.players[1].hand for other in imagined}) == 4
    assert len({other.bag for other in imagined}) == 4
    assert ENGINE.resample(state, 0, Dice(bytes(32))) == ENGINE.resample(state, 0, Dice(bytes(32)))


def test_imagining_the_solo_deck_keeps_days_and_nights() -> None:
    state = scene({(0, 0): "wl"}, seat((0, 0)), turn=9)
    decks = {ENGINE.resample(state, 0, Dice(bytes([n]) * 32)).solo for n in range(8)}
    assert len(decks) > 1
    for solo in decks:
        assert solo is not None
        assert len(solo.deck) == 5
        assert sum(card < COMPONENTS.solo.day for card in solo.deck) == 5
