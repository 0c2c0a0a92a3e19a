"""The arena: fair pairings, honest counts, and the command from its line to its plot."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from clients.bots import arena
from clients.bots.arena import Standing, duels, main, played, plot, standings, wilson
from clients.bots.matches import Outcome, Pairing, contender, iterations, play_match, round_robin
from clients.bots.policies import UnknownPolicy
from clients.bots.search import LEVELS, Level, Search
from tests.clients.bots.hosts import workers_of


def outcome(policies: tuple[str, ...], ranks: tuple[int, ...], seed: int = 0) -> Outcome:
    seats = len(policies)
    scores = tuple(10 - rank for rank in ranks)
    return Outcome(Pairing("dragonwood", policies, seed), scores, ranks, (10,) * seats, (1.0,) * seats)


def test_every_pair_meets_on_every_table_both_ways_round() -> None:
    pairings = list(round_robin("islet", 2, ["a", "b", "c"], 4))
    assert Counter(pairing.policies for pairing in pairings) == dict.fromkeys(
        [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a"), ("b", "c"), ("c", "b")], 2
    )
    assert [(pairing.policies, pairing.seed) for pairing in pairings[:2]] == [(("a", "b"), 0), (("b", "a"), 0)]
    assert [pairing.policies for pairing in round_robin("islet", 3, ["a", "b"], 2)] == [
        ("a", "b", "a"),
        ("b", "a", "b"),
    ]


def test_a_match_is_a_function_of_its_pairing() -> None:
    pairing = Pairing("dragonwood", ("greedy", "random"), 3)
    one, again = play_match(pairing), play_match(pairing)
    assert (one.scores, one.ranks, one.moves) == (again.scores, again.ranks, again.moves)
    assert all(moves > 0 for moves in one.moves)


def test_a_search_plays_without_a_limit_of_time() -> None:
    assert contender("hard", "islet") == Search(Level(LEVELS["hard"].iterations))
    assert contender("search-7", "islet") == Search(Level(7))
    assert [iterations(name, "islet") for name in ("search-7", "greedy")] == [7, None]
    with pytest.raises(UnknownPolicy, match="search-x"):
        contender("search-x", "islet")


def test_a_draw_is_half_a_win_and_the_seats_do_not_matter() -> None:
    met = duels([outcome(("a", "b"), (1, 2)), outcome(("b", "a"), (1, 1)), outcome(("b", "a"), (2, 1))])
    assert [(duel.one, duel.other, duel.matches, duel.won) for duel in met] == [("a", "b", 3, 2.5)]


def test_who_wins_is_rated_higher_and_more_surely_the_more_is_played() -> None:
    few = standings(["a", "b"], [outcome(("a", "b"), (1, 2), seed) for seed in range(3)])
    many = standings(["b", "a"], [outcome(("b", "a"), (2, 1), seed) for seed in range(30)])
    for found in (few, many):
        assert [standing.policy for standing in found] == ["a", "b"]
        assert (found[0].won, found[1].won) == (found[0].matches, 0)
        assert found[0].rating > found[1].rating
    assert many[0].unsure < few[0].unsure
    assert [standing.seconds for standing in few] == [0.1, 0.1]


def test_the_order_in_which_matches_end_does_not_count() -> None:
    outcomes = [outcome(("a", "b"), (1 + seed % 2, 2 - seed % 2), seed) for seed in range(9)]
    assert standings(["a", "b"], outcomes) == standings(["a", "b"], outcomes[::-1])


@pytest.mark.parametrize(("won", "matches", "low", "high"), [(60, 100, 0.502, 0.691), (10, 10, 0.722, 1.0)])
def test_the_interval_is_wilsons(won: float, matches: int, low: float, high: float) -> None:
    """The figures are those of the textbook formula."""
    assert wilson(won, matches) == pytest.approx((low, high), abs=0.001)


def test_the_command_prints_both_tables_and_draws_the_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "rating.png"
    line = ["--policies", "random,greedy", "--iterations", "1", "--games", "2", "--plot", str(picture)]
    assert main(["--game", "dragonwood", *line]) == 0
    out = capsys.readouterr().out
    assert "dragonwood: standings" in out
    assert "dragonwood: who beats whom" in out
    for name in ("random", "greedy", "search-1"):
        assert name in out
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_two_that_search_as_long_as_each_other_are_drawn_both(tmp_path: Path) -> None:
    found = [Standing(name, 2, 1.0, 10.0, 25.0, 8.0, 0.1) for name in ("normal", "search-64", "greedy")]
    plot(tmp_path / "rating", "islet", found)
    assert (tmp_path / "rating").read_bytes().startswith(b"\x89PNG")


def test_another_seed_is_other_tables() -> None:
    pairings = list(round_robin("islet", 2, ["a", "b"], 4, seed=100))
    assert [pairing.seed for pairing in pairings] == [100, 100, 101, 101]


def test_what_is_lost_with_a_worker_is_played_again() -> None:
    pairings = list(round_robin("dragonwood", 2, ["greedy", "random"], 10))
    playing = played(pairings, 1)
    outcomes = [next(playing)]
    for worker in workers_of():
        worker.kill()
    outcomes += playing
    assert sorted(each.pairing.seed for each in outcomes) == sorted(pairing.seed for pairing in pairings)
    again = outcomes[-1]
    assert play_match(again.pairing).scores == again.scores


def test_stopped_in_the_middle_it_shows_what_was_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def some(pairings: list[Pairing], processes: int) -> Iterator[Outcome]:
        yield play_match(pairings[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(arena, "played", some)
    assert main(["--policies", "random,greedy"]) == 130
    said = capsys.readouterr()
    assert "dragonwood: who beats whom" in said.out
    assert "stopped after 1 of 20 matches" in said.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["--game", "chess"], "no table of 2 for 'chess'"),
        (["--seats", "9"], "no table of 9 for 'dragonwood'"),
        (["--policies", "greedy"], "it takes two different policies"),
        (["--policies", "greedy,greedy"], "it takes two different policies"),
        (["--policies", "greedy,clever"], "no policy 'clever'"),
        (["--policies", "greedy,search-0"], "no policy 'search-0'"),
        (["--iterations", "1,01"], "it takes two different policies, and none of them twice"),
        (["--iterations", "0"], "--iterations: numbers from 1 on"),
        (["--iterations", "ten"], "--iterations: numbers from 1 on"),
        (["--processes", "0"], "--processes: at least 1, not 0"),
        (["--games", "0"], "--games: an even number"),
        (["--games", "3"], "--games: an even number"),
        (["--seed", "-1"], "--seed: not negative"),
        (["--plot", "/no/such/folder/rating.png"], "--plot: there is no folder '/no/such/folder'"),
    ],
)
def test_what_it_cannot_do_it_says(line: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line) == 2
    err = capsys.readouterr().err
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_the_arena(number: signal.Signals) -> None:
    command = [
        sys.executable,
        "-m",
        "clients.bots.arena",
        "--game",
        "islet",
        "--policies",
        "normal,hard",
        "--games",
        "2",
    ]
    with subprocess.Popen([*command, "--processes", "2"], stderr=subprocess.DEVNULL) as arena:
        workers: list[psutil.Process] = []
        while len(workers) < 3:  # the two, and the process that keeps track of what they share
            workers = psutil.Process(arena.pid).children(recursive=True)
            assert arena.poll() is None
        arena.send_signal(number)
        assert arena.wait(30) != 0
    _, left = psutil.wait_procs(workers, 30)
    assert not left
