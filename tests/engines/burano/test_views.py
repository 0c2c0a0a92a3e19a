"""What views show, what they hide, and that they share what did not change."""

from __future__ import annotations

from server.engines.burano.actions import Catch, Take
from tests.engines.burano.scenes import at_sea
from tests.engines.burano.tables import ENGINE, WHITE, act, card, give, house, in_turn, legal_of, roof_id, turned
from tests.engines.burano.test_sea import docks


def test_the_public_view_shows_the_table_in_the_words_of_the_box() -> None:
    state = give(turned(in_turn()), buildings=(card("fishmonger"),), fish=["sole", "eel"], sold=["crab"])
    state = house(state, 3, 4, WHITE, roofs=[(roof_id("fixed", "white", "blue"), 0)])
    view = ENGINE.public_view(state)
    family = view["families"][0]
    assert family["wheel"]["reds"] == ("white", "orange", "blue")
    assert family["wheel"]["ring"][1] == {"colour": "orange", "mark": "fountain"}
    assert (family["hand"], family["sold"], family["boat"]) == (2, ("crab",), "mooring A")
    assert family["buildings"][0]["name"] == "fishmonger"
    assert family["buildings"][0]["points"] == (2,)
    assert [roof["kind"] for roof in family["roofs"]] == ["islands", "workshops", "wheel"]
    end = {"roof": 36 + 1, "end": 0, "colour": "white", "painter": 0}
    assert view["island"][4 * 7 + 3] == ({"house": "white", "roof": end},)
    assert view["island"][3 * 7 + 3] is None
    assert view["rounds"] == 4
    assert view["stacks"] == {"islands": 10, "workshops": 10, "wheel": 10, "fixed": 12}


def test_a_hand_of_fish_is_seen_by_its_seat_alone() -> None:
    one = give(in_turn(), fish=["sole", "eel"])
    other = give(in_turn(), fish=["crab", "crab"])
    assert ENGINE.public_view(one) == ENGINE.public_view(other)
    assert ENGINE.private_view(one, 1) == ENGINE.private_view(other, 1) == {"fish": ()}
    assert ENGINE.private_view(one, 0) == {"fish": ("sole", "eel")}


def test_a_deck_is_seen_by_its_size_alone() -> None:
    state = in_turn()
    market = state.fish
    turned_over = type(state)(
        **{name: getattr(state, name) for name in state.__struct_fields__ if name != "fish"},
        fish=type(market)(market.open, market.deck[::-1]),
    )
    assert ENGINE.public_view(turned_over) == ENGINE.public_view(state)


def test_parts_that_did_not_change_are_the_same_objects() -> None:
    state = in_turn()
    before = ENGINE.public_view(state)
    after = ENGINE.public_view(act(state, Take(2, 0, 0)))
    assert after["families"] is not before["families"]
    assert after["families"][1] is before["families"][1]
    for name in ("wheel", "stock", "roofs", "buildings", "sold"):
        assert after["families"][0][name] is before["families"][0][name]
    for name in ("island", "islands", "ships", "workshops", "markers", "supply", "fish", "buildings", "stacks", "task"):
        assert after[name] is before[name]


def test_one_plot_changes_and_its_neighbours_do_not() -> None:
    state = give(in_turn(), ready=[WHITE])
    before = ENGINE.public_view(state)["island"]
    build = next(action for action in ENGINE.legal_actions(state, 0) if type(action).__name__ == "Build")
    after = ENGINE.public_view(act(state, build))["island"]
    changed = [square for square in range(49) if after[square] is not before[square]]
    assert changed == [build.y * 7 + build.x]


def test_the_task_shows_what_is_left_of_a_catch() -> None:
    state = docks(at_sea(), "Mazzorbo", 0, 1, 2)
    state = act(state, next(action for action in ENGINE.legal_actions(state, 0) if action.route == ("Mazzorbo",)))
    assert ENGINE.public_view(state)["task"]["left"] == 3
    state = act(state, legal_of(state, Catch)[0])
    task = ENGINE.public_view(state)["task"]
    assert (task["left"], task["matches"], task["work"]) == (2, 3, None)
    assert ENGINE.public_view(state)["fish"]["open"][0] is None
