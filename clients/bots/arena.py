"""`python -m clients.bots.arena`: how strong the policies are, by matches of all against all in parallel processes.

python -m clients.bots.arena --game dragonwood --policies random,greedy,normal --games 40
python -m clients.bots.arena --game islet --policies greedy --iterations 10,30,100 --games 20 --plot islet.png

Ratings are those of the library openskill (Plackett-Luce), with the interval that it is 95 % sure of. The shares of
wins, draws counted half, come with Wilson's 95 % interval. Needs the extra `arena`: pip install --editable '.[arena]'.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from math import sqrt
from pathlib import Path

import msgspec

from clients.bots.matches import SEARCH, Outcome, Pairing, contender, iterations, play_match, round_robin
from clients.bots.policies import UnknownPolicy
from clients.bots.thinking import ATTEMPTS, end, processors, start
from server.engines import latest

try:
    from openskill.models import PlackettLuce
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.table import Table
except ModuleNotFoundError as missing:
    sys.exit(f"pharos arena: {missing.name} is not installed: pip install --editable '.[arena]'")

LAST_SEED = 2**64
SURE = 1.96
"""Standard deviations on either side that hold 95 % of a normal distribution."""


class Standing(msgspec.Struct, frozen=True):
    """What a policy achieved: matches, won ones (a draw is half of one), mean score, rating, seconds a move."""

    policy: str
    matches: int
    won: float
    score: float
    rating: float
    unsure: float
    """Half of the rating's 95 % interval."""
    seconds: float


class Duel(msgspec.Struct, frozen=True):
    """What two policies did against each other, as the first sees it."""

    one: str
    other: str
    matches: int
    won: float


def wilson(won: float, matches: int) -> tuple[float, float]:
    """The 95 % interval of a share of wins: Wilson (1927)."""
    share, squared = won / matches, SURE**2
    middle = (share + squared / (2 * matches)) / (1 + squared / matches)
    half = SURE / (1 + squared / matches) * sqrt(share * (1 - share) / matches + squared / (4 * matches**2))
    return middle - half, middle + half


def played(pairings: Iterable[Pairing], processes: int) -> Iterator[Outcome]:
    """The matches, as they end. Those that were lost with a worker are played again: a match follows from its pairing.

    Raises:
        BrokenProcessPool: worker after worker was killed.
    """
    missing = dict.fromkeys(pairings)
    for _ in range(ATTEMPTS):
        for outcome in _played_once(list(missing), processes):
            del missing[outcome.pairing]
            yield outcome
        if not missing:
            return
    raise BrokenProcessPool(f"workers were killed {ATTEMPTS} times")


def _played_once(pairings: Sequence[Pairing], processes: int) -> Iterator[Outcome]:
    """What these workers get done, until one of them is killed."""
    with start(processes) as pool:
        try:
            futures: list[Future[Outcome]] = []
            with suppress(BrokenProcessPool):
                futures += (pool.submit(play_match, pairing) for pairing in pairings)
            for future in as_completed(futures):
                with suppress(BrokenProcessPool):
                    yield future.result()
        except BaseException:
            end(pool)
            raise


def _best(outcome: Outcome, name: str) -> int:
    seats = zip(outcome.pairing.policies, outcome.ranks, strict=True)
    return min(rank for policy, rank in seats if policy == name)


def duels(outcomes: Iterable[Outcome]) -> list[Duel]:
    """Every pair that met. The better one is whose best seat ranks before the other's."""
    won: dict[tuple[str, str], list[float]] = {}
    for outcome in outcomes:
        one, other = sorted(set(outcome.pairing.policies))
        first, second = _best(outcome, one), _best(outcome, other)
        won.setdefault((one, other), []).append(0.5 if first == second else float(first < second))
    return [Duel(one, other, len(each), sum(each)) for (one, other), each in won.items()]


def standings(names: Sequence[str], outcomes: Sequence[Outcome]) -> list[Standing]:
    """The policies, the best rating first. The order of the outcomes does not count: they are rated by their seeds."""
    met = duels(outcomes)
    rated = _rate(names, sorted(outcomes, key=lambda each: (each.pairing.seed, each.pairing.policies)))
    found = []
    for name in names:
        mine = [duel for duel in met if name in (duel.one, duel.other)]
        seats = [(each, s) for each in outcomes for s, policy in enumerate(each.pairing.policies) if policy == name]
        moves = sum(each.moves[seat] for each, seat in seats)
        rating, sigma = rated[name]
        found.append(
            Standing(
                policy=name,
                matches=sum(duel.matches for duel in mine),
                won=sum(duel.won if duel.one == name else duel.matches - duel.won for duel in mine),
                score=sum(each.scores[seat] for each, seat in seats) / max(1, len(seats)),
                rating=rating,
                unsure=SURE * sigma,
                seconds=sum(each.seconds[seat] for each, seat in seats) / max(1, moves),
            )
        )
    return sorted(found, key=lambda standing: -standing.rating)


def _rate(names: Sequence[str], outcomes: Iterable[Outcome]) -> dict[str, tuple[float, float]]:
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for name in names}
    for outcome in outcomes:
        pair = sorted(set(outcome.pairing.policies))
        ranks = [float(_best(outcome, name)) for name in pair]
        teams = model.rate([[ratings[name]] for name in pair], ranks=ranks)
        for name, (rating,) in zip(pair, teams, strict=True):
            ratings[name] = rating
    return {name: (rating.mu, rating.sigma) for name, rating in ratings.items()}


def tables(game: str, found: Sequence[Standing], met: Sequence[Duel]) -> Iterator[Table]:
    """The standings, and who beat whom how often."""
    standing = Table("policy", title=f"{game}: standings")
    for column in ("matches", "won", "mean score", "rating", "± 95 %", "s/move"):
        standing.add_column(column, justify="right")
    for each in found:
        numbers = f"{each.won:g}", f"{each.score:.1f}", f"{each.rating:.1f}", f"{each.unsure:.1f}"
        standing.add_row(each.policy, str(each.matches), *numbers, f"{each.seconds:.4f}")
    yield standing
    pairs = Table("policy", "against", title=f"{game}: who beats whom")
    for column in ("matches", "won", "share", "95 % interval"):
        pairs.add_column(column, justify="right")
    order = [each.policy for each in found]
    for duel in met:
        one, other, won = duel.one, duel.other, duel.won
        if order.index(one) > order.index(other):
            one, other, won = other, one, duel.matches - won
        low, high = wilson(won, duel.matches)
        interval = f"{max(0.0, low):.0%} to {high:.0%}"
        pairs.add_row(one, other, str(duel.matches), f"{won:g}", f"{won / duel.matches:.0%}", interval)
    yield pairs


def plot(path: Path, game: str, found: Sequence[Standing]) -> None:
    """Draw rating against iterations; policies that do not search are lines across."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    counted = ((count, each) for each in found if (count := iterations(each.policy, game)) is not None)
    searching = sorted(counted, key=lambda one: one[0])
    axes.errorbar(
        [count for count, _ in searching],
        [each.rating for _, each in searching],
        yerr=[each.unsure for _, each in searching],
        marker="o",
        capsize=4,
        label="search",
    )
    for number, each in enumerate(each for each in found if iterations(each.policy, game) is None):
        axes.axhline(each.rating, color=f"C{number + 1}", linestyle="--", label=each.policy)
        axes.axhspan(each.rating - each.unsure, each.rating + each.unsure, color=f"C{number + 1}", alpha=0.1)
    if searching:
        axes.set_xscale("log")
        counts = [count for count, _ in searching]
        axes.set_xticks(counts, labels=[str(count) for count in counts])
        axes.set_xticks([], minor=True)
    axes.set(xlabel="iterations a decision", ylabel="rating, with 95 % interval", title=game)
    axes.legend()
    figure.savefig(path, format="png", dpi=150)


def arguments(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m clients.bots.arena", description="Measure how strong bots are.")
    parser.add_argument("--game", default="dragonwood", help="(%(default)s)")
    parser.add_argument("--seats", type=int, default=2, help="seats at a table (%(default)s)")
    parser.add_argument("--policies", default="random,greedy", help="who plays: random,greedy,easy,normal,hard")
    parser.add_argument("--iterations", help="searches that play besides, by their iterations: 10,30,100")
    both = "games of each pair, an even number: every table is played both ways round (%(default)s)"
    parser.add_argument("--games", type=int, default=20, help=both)
    parser.add_argument(
        "--seed", type=int, default=0, help="number of the first table; the next one follows (%(default)s)"
    )
    parser.add_argument("--processes", type=int, default=processors(), help="matches at once (%(default)s)")
    parser.add_argument("--plot", type=Path, help="write a PNG of rating against iterations")
    return parser.parse_args(argv)


def names_of(asked: argparse.Namespace) -> list[str]:
    """The policies that play.

    Raises:
        ValueError: there is no such game or table, or fewer than two policies. UnknownPolicy: there is none of a name.
    """
    engine = latest(asked.game)
    if engine is None or asked.seats not in engine.seats or asked.seats < 2:
        raise ValueError(f"no table of {asked.seats} for {asked.game!r}")
    counts = [part for part in (asked.iterations or "").split(",") if part]
    if not all(count.isdecimal() and int(count) > 0 for count in counts):
        raise ValueError(f"--iterations: numbers from 1 on, with commas, not {asked.iterations!r}")
    names = [name for name in asked.policies.split(",") if name] + [f"{SEARCH}{int(count)}" for count in counts]
    for name in names:
        contender(name, asked.game)
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise ValueError("it takes two different policies, and none of them twice")
    return names


def check_numbers(asked: argparse.Namespace) -> None:
    """See, before the first match, whether the rest of what is asked for can be done.

    Raises:
        ValueError: it can't.
    """
    if asked.games < 1 or asked.games % 2:
        raise ValueError(f"--games: an even number, as every table is played both ways round, not {asked.games}")
    if asked.processes < 1:
        raise ValueError(f"--processes: at least 1, not {asked.processes}")
    if not 0 <= asked.seed < LAST_SEED:
        raise ValueError("--seed: not negative, and at most 64 bits")
    if asked.plot and not asked.plot.parent.is_dir():
        raise ValueError(f"--plot: there is no folder {str(asked.plot.parent)!r}")


def compete(asked: argparse.Namespace, names: Sequence[str]) -> tuple[list[Outcome], int]:
    """Play all matches, or as many as can be; the outcomes, and the exit code."""
    pairings = list(round_robin(asked.game, asked.seats, names, asked.games, asked.seed))
    columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()
    outcomes: list[Outcome] = []
    try:
        with Progress(TextColumn("{task.description}"), *columns, console=Console(stderr=True)) as progress:
            task = progress.add_task(asked.game, total=len(pairings))
            for outcome in played(pairings, asked.processes):
                outcomes.append(outcome)
                progress.advance(task)
    except KeyboardInterrupt:
        print(f"pharos arena: stopped after {len(outcomes)} of {len(pairings)} matches", file=sys.stderr)
        return outcomes, 130
    except BrokenProcessPool as error:
        print(f"pharos arena: {error}; {len(outcomes)} of {len(pairings)} matches were played", file=sys.stderr)
        return outcomes, 1
    return outcomes, 0


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    asked = arguments(argv)
    try:
        names = names_of(asked)
        check_numbers(asked)
    except (ValueError, UnknownPolicy) as error:
        print(f"pharos arena: {error}", file=sys.stderr)
        return 2
    outcomes, code = compete(asked, names)
    if not outcomes:
        return code
    found = standings(names, outcomes)
    for each in tables(asked.game, found, duels(outcomes)):
        Console().print(each)
    if asked.plot:
        plot(asked.plot, asked.game, found)
    return code


if __name__ == "__main__":
    sys.exit(main())
