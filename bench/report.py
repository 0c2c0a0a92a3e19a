"""The tables of a run: on the terminal, and as Markdown for docs/performance.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from bench.engines import Speed
from bench.figures import middle, ratios, written
from bench.jobs import Outcome
from bench.plan import Case
from bench.runner import failures

COLUMNS = (
    "case",
    "actions/s",
    "CPU µs/action",
    "× echo",
    "p50 ms",
    "p99 ms",
    "bytes",
    "KB joined",
    "KB played",
    "core",
)


class Sheet(msgspec.Struct, frozen=True):
    """One table: a title, headings, and rows of texts of which the first is a name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def engines(speeds: Sequence[Speed]) -> Sheet:
    """The engines' table."""
    rows = tuple(
        (
            f"{speed.game}, {speed.seats} seats",
            written(speed.games_a_second, 1),
            written(speed.actions_a_game),
            written(speed.action * 1e6, 1),
            f"{speed.slowest} {written(speed.slowest_took * 1e3, 2)} ms",
        )
        for speed in speeds
    )
    return Sheet("Engines", ("game", "games/s", "actions/game", "CPU µs/action", "slowest call"), rows)


def sheets(cases: Sequence[Case], outcomes: Mapping[str, Sequence[Outcome]]) -> Iterator[Sheet]:
    """A table for each group of cases, in their order; each figure is the middle one of the rounds."""
    for title in dict.fromkeys(case.table for case in cases):
        rows = tuple(_row(case, outcomes) for case in cases if case.table == title)
        yield Sheet(title, COLUMNS, rows)


def _row(case: Case, outcomes: Mapping[str, Sequence[Outcome]]) -> tuple[str, ...]:
    rounds, beside = outcomes[case.name], outcomes.get(case.beside, ())
    return (
        case.name,
        written(middle([each.rate for each in rounds])),
        written(middle([each.cpu for each in rounds]) * 1e6),
        written(ratios([each.cpu for each in rounds], [each.cpu for each in beside]), 1),
        written(middle([each.p50 for each in rounds]) * 1e3, 1),
        written(middle([each.p99 for each in rounds]) * 1e3, 1),
        written(middle([each.update_bytes for each in rounds])),
        written(middle([each.joined_bytes for each in rounds]) / 1024, 1),
        written(middle([each.played_bytes for each in rounds]) / 1024, 1),
        f"{written(middle([each.server_cpu / each.seconds for each in rounds]) * 100)} %",
    )


def complaints(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """Every case in which something went wrong: its figures are not to be trusted."""
    return [f"{name}: {found}" for name, rounds in outcomes.items() if (found := failures(rounds))]


def show(console: Console, sheet: Sheet) -> None:
    """Print a table."""
    table = Table(title=sheet.title, title_justify="left")
    for number, column in enumerate(sheet.columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=not number)
    for row in sheet.rows:
        table.add_row(*row)
    console.print(table)


def markdown(sheet: Sheet) -> str:
    """The same table as Markdown."""
    lines = [sheet.columns, ("---", *("--:" for _ in sheet.columns[1:])), *sheet.rows]
    return "\n".join([f"**{sheet.title}**", "", *(f"| {' | '.join(line)} |" for line in lines), ""])
