"""Who sees what, what stays the same object, and what `imagine` makes of a view. D4, D15, D16, D17."""

from __future__ import annotations

import json
from itertools import pairwise

import msgspec
import pytest
from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import EnterCity, Hire, NextCity, Pass, Recruit, SellCards, Swap
from server.engines.bretagne.box import KINDS, MATERIALS, City
from server.engines.bretagne.state import Barges, Options, State
from server.engines.engine import with_turn
from tests.engines.bretagne.tables import (
    BOX,
    acting,
    change_player,
    checked,
    deal,
    give,
    in_round,
    legal,
    new,
    play,
    step,
)
from tests.engines.play import dice, final, walk

FURNISHINGS, PIER, SIREN, CABLEWAY = KINDS


def seen(state: State, seat: int | None = None) -> bytes:
    """All that a viewer gets of a state."""
    private = None if seat is None else ENGINE.private_view(state, seat)
    return json.dumps([ENGINE.public_view(state), private]).encode()


def test_the_public_view_shows_the_table() -> None:
    state = deal(acting(3), 1, SIREN, SIREN)
    view = ENGINE.public_view(state)
    assert view["players"][1]["hand"] == 2
    assert view["weather"]["forecast"] == state.weather[1]
    assert view["production"] == {"now": state.production[0], "past": ()}
    assert view["equipment"]["deck"] == 28
    assert view["tiles"]["hell"]["stack"] == 8
    assert [tile["id"] for tile in view["tiles"]["heaven"]["open"]] == list(state.open[0])
    used = {harbour.tile for harbour in state.harbours}
    assert {tile["id"] for tile in view["spare_harbours"]} == set(range(12)) - used
    assert view["task"] == {"phase": "action", "seat": 0}
    assert view["reference"]["flips_region"] == 3
    assert view["reference"]["production"][0] == dict(zip(MATERIALS, BOX.production[0][3], strict=True))


def test_a_hand_is_seen_by_its_seat_alone() -> None:
    state = deal(acting(3), 1, SIREN, SIREN)
    other = deal(acting(3), 1, PIER, CABLEWAY)
    assert ENGINE.private_view(state, 1) == {"hand": {"furnishings": 0, "pier": 0, "siren": 2, "cableway": 0}}
    for seat in (None, 0, 2):
        assert seen(state, seat) == seen(other, seat)
    assert seen(state, 1) != seen(other, 1)


def test_orders_of_decks_and_what_is_to_come_are_secret() -> None:
    state = acting(2)
    hidden = replace(
        state,
        deck=state.deck[::-1],
        stacks=tuple(stack[::-1] for stack in state.stacks),
        weather=(*state.weather[:2], *state.weather[:1:-1]),
        production=(state.production[0], *state.production[:0:-1]),
    )
    assert hidden != state
    for seat in (None, 0, 1):
        assert seen(checked(hidden), seat) == seen(state, seat)


def test_which_card_of_a_kind_is_held_shows_nowhere() -> None:
    """D16: not in views, and not in what others are told when it is sold."""
    state = deal(acting(2), 0, SIREN, SIREN)
    sirens = sorted((*state.deck, *state.players[0].hand))
    sirens = [card for card in sirens if ENGINE.components.card_kinds[card] is SIREN]
    swapped = tuple(card for card in sorted((*state.deck, *state.players[0].hand)) if card not in sirens[-2:])
    other = checked(change_player(replace(state, deck=swapped), 0, hand=tuple(sirens[-2:])))
    assert seen(state, 0) == seen(other, 0)
    for table in (state, other):
        after, events = step(play(table, EnterCity(City.LORIENT)), SellCards((SIREN, SIREN)))
        told = [event.form_for(1) for event in events]
        assert told[0].sold == (SIREN, SIREN)
        assert ENGINE.public_view(after)["equipment"]["discards"]["siren"] == 2


def test_equal_parts_are_the_same_objects_in_all_games_at_once() -> None:
    first, second = acting(2, seed=3), acting(2, seed=3)
    view, other = ENGINE.public_view(first), ENGINE.public_view(second)
    assert all(view[key] is other[key] for key in view if isinstance(view[key], dict | tuple))
    state = play(first, Pass())
    after = ENGINE.public_view(state)
    assert after["lighthouses"] is view["lighthouses"]
    assert after["players"][1] is view["players"][1]
    assert after["players"][0] is not view["players"][0]
    assert after["players"][0]["materials"] is view["players"][0]["materials"]


def test_the_parts_of_a_decision_are_shared_too() -> None:
    state = give(acting(2), 0, coins=9)
    before = play(state, EnterCity(City.LORIENT), Recruit(), NextCity())
    after = play(before, Hire())
    tasks = [ENGINE.public_view(each)["task"] for each in (before, after)]
    assert tasks[0]["visited"] == ("lorient",)
    assert tasks[0]["visited"] is tasks[1]["visited"]


@pytest.mark.parametrize("viewer", [None, 0, 1, 2])
def test_an_imagined_state_looks_the_same_to_its_viewer(viewer: int | None) -> None:
    steps = list(walk(ENGINE, 3, Options(Barges.CHOSEN), seed=4))[::6]
    for each in steps:
        twin = ENGINE.resample(each.before, viewer, dice(each.number, 3))
        assert seen(twin, viewer) == seen(each.before, viewer)
    assert any(ENGINE.resample(each.before, viewer, dice(1, 3)) != each.before for each in steps)


def test_what_is_not_a_view_is_not_imagined() -> None:
    state = acting(2)
    view = with_turn(ENGINE.public_view(state), ENGINE.turn(state))
    for spoil in (
        {"players": view["players"][:1]},
        {"round": 9},
        {"tiles": {}},
        {"weather": {"now": "hail", "forecast": None, "past": ()}},
        {"equipment": {"deck": 30, "discards": dict.fromkeys(KINDS, 9)}},
    ):
        with pytest.raises(ValueError, match=r"."):
            ENGINE.imagine({**view, **spoil}, None, 2, Options(), dice(1, 2))
    with pytest.raises(ValueError, match="seats"):
        ENGINE.imagine(view, None, 3, Options(), dice(1, 2))
    with pytest.raises(ValueError, match="view"):
        ENGINE.imagine(view, {"seat": 0, "hand": {"siren": "two"}}, 2, Options(), dice(1, 2))


def test_undo_stops_at_what_came_to_light() -> None:
    """D17: every event that reveals is a drawing of cards, or its action ends part 1, 3 or 4 of a round."""
    part = {"barge": 1, "income": 1, "load": 2, "equip": 4, "harbour": 4, "over": 6}
    for seats, barges in ((2, Barges.BY_ORDER), (4, Barges.CHOSEN)):
        for each in walk(ENGINE, seats, Options(barges), seed=11):
            old, new_ = (part.get(ENGINE.turn(state)[1], 3) for state in (each.before, each.after))
            players = zip(each.before.players, each.after.players, strict=True)
            drawn = any(set(after.hand) - set(before.hand) for before, after in players)
            ends = old != new_ and old != 2
            assert any(event.reveals for event in each.events) == (ends or drawn), each.action


def test_open_tiles_hands_and_discards_are_kept_in_order() -> None:
    """D15."""
    for each in walk(ENGINE, 4, Options(), seed=6):
        piles = [*each.after.open, each.after.discards, *(player.hand for player in each.after.players)]
        assert all(a < b for pile in piles for a, b in pairwise(pile))


def test_views_are_of_their_published_form() -> None:
    public, private = ENGINE.views
    for state in (new(2, barges=Barges.CHOSEN), acting(4), final(ENGINE, 3, Options(), 5)):
        assert msgspec.convert(json.loads(json.dumps(ENGINE.public_view(state))), public)
        assert msgspec.convert(json.loads(json.dumps(ENGINE.private_view(state, 0))), private)
    assert msgspec.json.schema(public)


def test_no_forecast_in_the_last_round() -> None:
    assert ENGINE.public_view(in_round(acting(2), 5))["weather"]["forecast"] is None
    assert Swap(SIREN, MATERIALS[0]) not in legal(acting(2))
