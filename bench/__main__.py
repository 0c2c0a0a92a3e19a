"""`python -m bench`: the engines alone, then the server beside a bare echo, in one run.

The server has one core for itself, the load the others. `--quick` takes about a minute, the whole about ten.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

from rich.console import Console

from bench import plan, report, servers
from bench.engines import measure_all
from bench.machine import description
from bench.runner import Runner

WIDTH = 120
"""Columns, where the output is no terminal."""


def arguments() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure Pharos.")
    parser.add_argument("--quick", action="store_true", help="about a minute instead of ten")
    parser.add_argument("--peers", action="store_true", help="beside other servers: see `make bench-peers`")
    parser.add_argument("--only", choices=("engines", "server"), help="one half of it")
    parser.add_argument("--rounds", type=int, help="how often the cases are run in turn")
    parser.add_argument("--case", action="append", default=[], help="only cases whose name has this in it")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there, too")
    return parser.parse_args()


def chosen(options: argparse.Namespace) -> plan.Plan:
    """The plan that was asked for."""
    make = plan.peers if options.peers else plan.quick if options.quick else plan.full
    whole = make(servers.stores())
    wanted = {case.name for case in whole.cases if not options.case or any(part in case.name for part in options.case)}
    wanted |= {other for case in whole.cases if case.name in wanted for other in (case.half_of, case.beside)}
    cases = tuple(case for case in whole.cases if case.name in wanted)
    return plan.Plan(cases, options.rounds or whole.rounds, whole.engines)


def main() -> int:
    """Measure, and show; 1 if anything went wrong meanwhile."""
    options, console = arguments(), Console(width=None if sys.stdout.isatty() else WIDTH)
    todo = chosen(options)
    machine = description()
    console.print(machine)
    found: list[report.Sheet] = []
    runner = Runner(todo, lambda text: console.print(text, style="dim"))
    if options.only != "server" and todo.engines:
        console.print("engines", style="dim")
        found.append(report.engines(measure_all(todo.engines)))
    if options.only != "engines":
        with contextlib.suppress(KeyboardInterrupt):
            runner.run()
        found += report.sheets(todo.cases, runner.outcomes)
    for sheet in found:
        report.show(console, sheet)
    if options.markdown:
        options.markdown.write_text("\n".join([f"{machine}\n", *map(report.markdown, found)]))
    complaints = report.complaints(runner.outcomes)
    for complaint in complaints:
        console.print(f"went wrong: {complaint}", style="bold")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
