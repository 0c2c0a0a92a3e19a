"""The terminal board of Burano on whole games: it fits, it says everything, no two actions read the same."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import msgspec
import pytest
from rich.cells import cell_len

from clients.bots.offline import document, moves, plain, table
from clients.bots.policies import policy
from clients.terminal.boards.burano import board, describe, narrate
from server.engines.burano import ENGINE
from server.engines.burano.actions import Build, Catch, Lace, Skip, Take
from server.engines.burano.state import Phase
from tests.clients.terminal.boards.printed import printed
from tests.engines.burano.scenes import at_sea, lacing
from tests.engines.burano.tables import (
    BLUE,
    BOX,
    ORANGE,
    WHITE,
    act,
    apply,
    at_work,
    bare,
    card,
    cubes,
    docks,
    give,
    house,
    in_turn,
    legal,
    play,
    replace,
    roof_id,
    turned,
    with_roofs,
)
from tests.engines.burano.test_workshops import BLUES
from tests.engines.play import as_map

GAMES = [(2, "random", "random"), (3, "greedy", "first_game"), (4, "random", "first_game")]


def text(state: dict[str, Any], width: int = 80) -> str:
    """The board without colours."""
    return printed(board, state, width)


def flat(state: dict[str, Any]) -> str:
    """The board's words, one blank between them, borders left out."""
    return " ".join(text(state).replace("│", " ").split())


def shown(state: Any, viewer: int | None = 0) -> dict[str, Any]:
    """The state document of a table set up by a test."""
    return document(table(ENGINE, len(state.families)), state, viewer)


@pytest.mark.parametrize(("seats", "name", "workshops"), GAMES)
def test_a_whole_game_is_shown_described_and_told(seats: int, name: str, workshops: str) -> None:
    place = table(ENGINE, seats, 11, {"workshops": workshops})
    for number, move in enumerate(moves(place, [policy(name, "burano")] * seats, Random(11))):
        viewer = (None, 0, seats - 1)[number % 3]
        state = document(place, move.state, viewer) if move.events or number % 19 == 0 else {}
        for event in move.events:
            line = narrate(state, plain(msgspec.to_builtins(event.form_for(viewer))))
            assert line is None or (line and "None" not in line)
        if number % 19 == 0:
            width = 80 + 20 * (number % 3)
            assert max(map(cell_len, text(state, width).splitlines())) <= width
        for seat in ENGINE.deciding(move.state)[: number % 3 == 0]:
            state = document(place, move.state, seat)
            words = [describe(state, as_map(action)) for action in ENGINE.legal_actions(move.state, seat)]
            assert len(set(words)) == len(words)


def test_the_island_shows_levels_houses_and_roofs_with_their_other_end() -> None:
    roof = roof_id("fixed", "white", "blue")
    state = house(house(bare(in_turn()), 2, 4, WHITE, roofs=[(roof, 0)]), 3, 4, BLUE, roofs=[(roof, 1)])
    state = house(state, 3, 5, ORANGE, BLUE, roofs=[(roof_id("wheel", "orange", "blue"), 0)])
    seen = text(shown(state))
    for words in ("1W/W>", "1B/B<", "2B ", "(F)", "~~~"):
        assert words in seen


def test_wheel_pyramid_and_cards_of_a_seat() -> None:
    state = give(turned(in_turn(), first=3, workers=9), buildings=(card("fast boat"),), ready=[WHITE, WHITE])
    state = replace(state, supply=cubes(BLUE))
    seen = text(shown(state))
    assert "wheel [P$ G$ Y+ O$ W+ G$ B+ Y$ P$] W$! O+! B$!  9 workers" in seen
    assert "ready 2W" in seen
    assert f"{card('fast boat')} fast boat" in seen
    assert "supply 1B" in seen
    assert "pyramid WWW OOO BBB | PP PG | G" in seen


def test_sea_and_workshops_show_workers_by_seat_and_boats() -> None:
    state = at_work(at_work(at_sea("Venezia"), BLUES[1]), BLUES[1], seat=1)
    seen = text(shown(docks(state, "Murano", WHITE, BLUE, BLUE)))
    assert re.search(r"Murano +WBB +0/0 ", seen)
    assert "Sant'Erasmo" in seen
    assert "B$ 12" in seen
    assert "Venezia 1" in " ".join(seen.replace("│", " ").split())


def test_the_headline_names_the_decision() -> None:
    assert "pyramids, built by Seat 1 (you), Seat 2" in flat(shown(with_roofs()))
    assert "may lace (white, orange, blue; 3 workers)" in flat(shown(lacing()))
    assert "the game is over" in flat(shown(replace(in_turn(), phase=Phase.OVER)))


def test_the_hand_is_shown_to_its_seat_alone() -> None:
    state = give(in_turn(), fish=["squid", "crab"])
    assert "fish in hand squid, crab" in text(shown(state))
    assert "squid" not in text(shown(replace(state, fish=replace(state.fish, open=(None, None, None))), 1))


def test_actions_in_words() -> None:
    state = shown(give(bare(in_turn()), ready=[WHITE]))
    assert describe(state, as_map(Take(2, 0, 0))) == "Take the cube from the top, row 0, column 0"
    work = state["game"]["markers"]["white"]
    assert describe(state, as_map(Build("white", 3, 4))) == f"Build a white house at 3,4 ({work})"
    assert (
        describe(shown(lacing()), as_map(Lace(BLUES[1], False))) == "Send a worker to the blue square 10 with the coin"
    )
    assert describe(shown(lacing()), as_map(Skip())) == "Send no more lace workers"
    assert describe(shown(at_sea()), {"type": "skip"}) == "Do not sail"


def test_events_in_words() -> None:
    _, events = play(in_turn(), Take(2, 0, 0))
    assert narrate(shown(in_turn()), as_map(events[0])) == "Seat 1 (you) takes a green cube (+1 coin)"
    state = docks(at_sea(), "Mazzorbo", WHITE, BLUE, BLUE)
    state = act(state, next(action for action in legal(state) if action.route == ("Mazzorbo",)))
    _, caught = apply(state, Catch("deck"))
    kind = BOX.fish.kinds[state.fish.deck[-1]]
    assert narrate(shown(state, 0), as_map(caught[0].form_for(0))) == f"Seat 1 (you) takes {kind} from the deck"
    assert narrate(shown(state, 1), as_map(caught[0].form_for(1))) == "Seat 1 takes a fish from the deck"


def test_before_the_start_there_is_nothing_to_show() -> None:
    assert "not started" in text({"game": None})
