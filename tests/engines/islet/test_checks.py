"""What `load` refuses: every kind of impossible state, by the reason it gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from server.engines.islet import ENGINE
from tests.engines.islet.tables import Play, ending, pay, scene, seat

ROW = {(0, 0): "wl", (1, 0): "wt", (2, 0): "sf", (3, 0): "sl"}
Change = Callable[[dict[str, Any]], object]


def turn() -> Play:
    return Play(scene(ROW, seat((0, 0), {"leaf": 3, "sand": 1}, {"leaf": 1}), seat((2, 0)), eggs={(3, 0): 0}, turn=3))


def exploring() -> Play:
    play = turn()
    play.do("lay_tile", tile=play.me.hand[0], x=-1, y=0)
    return play


def moving() -> Play:
    play = turn()
    play.do("walk", x=1, y=0, pay=pay())
    return play


def guarding() -> Play:
    play = turn()
    play.do("lay_egg", pay=pay({"leaf": 3}))
    return play


def unguarding() -> Play:
    play = Play(scene(ROW, seat((0, 0), {"leaf": 3}, {"leaf": 2}, laid=8), seat((2, 0))))
    play.do("lay_egg", pay=pay({"leaf": 2}, {"leaf": 1}))
    return play


def returning() -> Play:
    play = Play(scene(ROW, seat((0, 0), {"leaf": 8}), seat((2, 0))))
    play.do("lay_tile", tile=play.me.hand[0], x=-1, y=0)
    play.do("stop")
    return play


def solo() -> Play:
    return Play(scene(ROW, seat((0, 0)), turn=3))


def emptied() -> Play:
    return Play(scene(ROW, seat((0, 0)), seat((2, 0)), bag=0, ending=ending(2, "bag")))


def over() -> Play:
    play = Play(scene(ROW, seat((2, 0)), seat((0, 0), {"leaf": 3}, {"leaf": 1}, laid=9), turn=2))
    play.do("lay_egg", pay=pay({"leaf": 3}))
    play.do("unguard", resource="leaf", used=False)
    play.do("stop")
    return play


def put(*place: str | int, to: object) -> Change:
    """Another value at a place of the dump."""

    def change(data: Any) -> None:
        for key in place[:-1]:
            data = data[key]
        data[place[-1]] = to

    return change


def both(*changes: Change) -> Change:
    return lambda data: [change(data) for change in changes]


def drop(key: str) -> Change:
    return lambda data: data.pop(key)


P0: tuple[str | int, ...] = ("players", 0)
IMPOSSIBLE: list[tuple[Callable[[], Play], Change, str]] = [
    (turn, drop("trail"), "trail"),
    (turn, put("extra", to=1), "extra"),
    (turn, put("phase", to="nap"), "nap"),
    (turn, put("number", to=0), "count from 1"),
    (turn, put("idle", to=-1), "from 0"),
    (turn, put("players", to=[]), "1 to 4 seats"),
    (turn, put("solo", to={"passing": 1, "deck": [0], "lost": []}), "one seat, and only one"),
    (solo, put("solo", to=None), "one seat, and only one"),
    (turn, put("bag", 0, to=0), "each is in one place"),
    (turn, put("bag", to=[]), "each is in one place"),
    (turn, lambda data: data["board"]["stacks"].reverse(), "ascend"),
    (turn, put("board", "stacks", 3, "x", to=9), "one piece"),
    (turn, lambda data: data["board"]["stacks"].append({"x": 4, "y": 0, "tiles": [], "egg": None}), "has a tile"),
    (solo, put("board", "stacks", 3, "x", to=1 << 40), "further out"),
    (turn, put("piles", 0, to=13), "every card"),
    (turn, put(*P0, "cards", 3, to=2), "every card"),
    (turn, put("piles", to=[12] * 5), "six counts"),
    (turn, both(put(*P0, "cards", 0, to=-1), put("piles", 0, to=13)), "from 0"),
    (turn, both(put(*P0, "guarded", 0, to=3), put("piles", 0, to=9)), "more of a kind"),
    (turn, both(put(*P0, "used", 3, to=1), put(*P0, "guarded", 3, to=0)), "stand up"),
    (moving, both(put("players", 1, "used", 3, to=1), put("piles", 3, to=7)), "stand up"),
    (turn, put(*P0, "eggs", to=3), "eggs: each"),
    (turn, both(put(*P0, "eggs", to=-1), put("piles", 0, to=12)), "eggs: each"),
    (turn, put("board", "stacks", 3, "egg", to=2), "not there"),
    (turn, put("board", "stacks", 3, "egg", to=1), "eggs: each"),
    (turn, put(*P0, "bird", to=[9, 9]), "stands on a tile"),
    (turn, put(*P0, "bird", to=[2, 0]), "another bird's tile"),
    (turn, lambda data: data["players"][0]["hand"].reverse(), "ids ascend"),
    (turn, lambda data: data["players"][1]["hand"].insert(0, data["players"][0]["hand"].pop(0)), "hand"),
    (turn, lambda data: data["bag"].append(data["players"][0]["hand"].pop()), "drawn up"),
    (turn, both(put(*P0, "cards", 1, to=6), put("piles", 1, to=6)), "than the limit"),
    (returning, both(put(*P0, "cards", 3, to=7), put("piles", 3, to=5)), "or a return without"),
    (returning, put("phase", to="turn"), "than the limit"),
    (turn, put("paid", to={"cards": [0, 0, 0, 3, 0, 0], "guarded": [0] * 6}), "paid: only"),
    (unguarding, put("paid", to=None), "paid: only"),
    (unguarding, put("paid", "cards", 3, to=1), "exactly the price"),
    (unguarding, put("paid", "cards", to=[0, 0, 0, 3]), "six counts"),
    (unguarding, put("paid", to={"cards": [0, 0, 0, 1, 0, 0], "guarded": [0, 0, 0, 2, 0, 0]}), "is used now"),
    (turn, put("trail", to=[[0, 0]]), "trail: only within"),
    (exploring, put("trail", to=[]), "drawn up"),
    (exploring, put("trail", to=[[9, 9]]), "one to four tiles"),
    (exploring, put("trail", to=[[3, 0]]), "on a bird or an egg"),
    (exploring, put("busy", to=False), "isn't idle"),
    (moving, put("trail", to=[]), "under the bird"),
    (moving, put("trail", to=[[1, 0], [0, 0]]), "under the bird"),
    (moving, put("trail", to=[[2, 0], [1, 0]]), "one terrain"),
    (moving, put("trail", to=[[1, 0], [0, 0], [1, 0]]), "different tiles"),
    (moving, both(put(*P0, "bird", to=None), put("trail", to=[[1, 0]])), "under the bird"),
    (moving, both(put("players", 1, "bird", to=[1, 0]), put(*P0, "cards", 1, to=0), put("piles", 1, to=12)), "stuck"),
    (guarding, put("trail", to=[[1, 0]]), "where the bird stands"),
    (guarding, both(put("board", "stacks", 0, "egg", to=None), put(*P0, "eggs", to=8)), "an egg just laid"),
    (unguarding, put("board", "stacks", 0, "egg", to=0), "eggs: each"),
    (unguarding, both(put("board", "stacks", 4, "egg", to=None), put(*P0, "eggs", to=1)), "none available"),
    (emptied, put("ending", to=None), "bag is empty"),
    (emptied, put("ending", "round", to=3), "the next"),
    (emptied, put("ending", "reason", to="eggs"), "last egg"),
    (emptied, put("ending", "reason", to="idle"), "the next"),
    (emptied, both(put("ending", "reason", to="idle"), put("ending", "round", to=1)), "so many idle rounds"),
    (turn, put("ending", to={"round": 2, "reason": "bag"}), "when the bag is empty"),
    (turn, put("idle", to=3), "would have ended"),
    (turn, put("idle", to=4), "would have ended"),
    (over, put("ending", to=None), "after its last round"),
    (over, put("number", to=1), "after its last round"),
    (over, put("busy", to=True), "after its last round"),
    (over, put("ending", "reason", to="bag"), "last egg"),
    (solo, put("idle", to=1), "don't end a solo game"),
    (solo, put("ending", to={"round": 3, "reason": "bag"}), "don't end a solo game"),
    (solo, put("solo", "deck", 0, to=1), "each card once"),
    (solo, put("solo", "deck", 0, to=13), "not in the deck"),
    (solo, put("solo", "passing", to=3), "a pass of the game"),
    (solo, put("number", to=4), "after every turn"),
    (solo, put("phase", to="over"), "only the last card or egg"),
]


@pytest.mark.parametrize(("start", "change", "reason"), IMPOSSIBLE, ids=range(len(IMPOSSIBLE)))
def test_an_impossible_state_is_refused(start: Callable[[], Play], change: Change, reason: str) -> None:
    data: Any = _plain(ENGINE.dump(start().state))
    assert ENGINE.load(data) == start().state
    change(data)
    with pytest.raises(ValueError, match=re.escape(reason)):
        ENGINE.load(data)


def _plain(value: Any) -> Any:
    """With lists for tuples, as after JSON."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def test_solo_states_of_both_passes_are_taken() -> None:
    for number in (1, 13, 14, 26):
        state = scene(ROW, seat((0, 0)), turn=number)
        assert ENGINE.load(ENGINE.dump(state)) == state
