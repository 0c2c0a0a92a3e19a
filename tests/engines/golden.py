"""Golden games: whole games as text that a person can read and a test can repeat, line by line.

A file has a header (game, seats, seed, entropy, options), then a paragraph a step: the action with its number,
turn, phase and seat, and below it the events, public form first; `reveals` marks those that no undo passes. Every
`EVERY` steps stands a digest of the state with the number of dice words taken; the result ends the file. Only the
header and the actions are input, all else is what the rules made of them.

    python -m tests.engines.golden record GAME OUT --seats 3 --seed 7 --option name=value --policy random
    python -m tests.engines.golden find GAME --reason deck --seats 3      (prints the seeds that end so)
    python -m tests.engines.golden update FILE...                         (the same actions by the present rules)
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import unified_diff
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from clients.bots.offline import Table, moves, table
from clients.bots.policies import Choose, policy
from server.engines import AnyEngine, latest
from server.engines.engine import Event, IllegalAction
from tests.engines.play import as_map, digest

EVERY = 20
HERE = Path(__file__).parent
ACTION = re.compile(r"^(?P<number>\d+) .*? seat (?P<seat>\d+): (?P<action>\{.*\})$")

Script = Iterable[tuple[int, Mapping[str, Any]]]


class Stuck(AssertionError):  # noqa: N818 - reads as the statement it makes
    """A golden game that the present rules can't play to its end."""


def compact(value: object) -> str:
    """One line of JSON in the order of the fields, with the blanks that make it readable."""
    return json.dumps(value, ensure_ascii=False)


def transcript(table: Table, script: Script) -> Iterator[str]:
    """The lines of the game that this script of (seat, action map) makes at the table.

    Raises:
        Stuck: an action is not legal, the script ends before the game, or goes on after it.
    """
    engine, dice = table.engine, table.dice()
    yield from _header(table)
    state = engine.new(table.seats, table.options, dice)
    yield f"state {digest(state)} words {dice.words}"
    for number, (seat, action) in enumerate(script, 1):
        turn, phase = engine.turn(state)
        yield ""
        yield f"{number} turn {turn} {phase} seat {seat}: {compact(action)}"
        try:
            state, events = engine.apply(state, seat, msgspec.convert(action, engine.actions), dice)
        except (IllegalAction, msgspec.ValidationError) as error:
            raise Stuck(f"step {number}, seat {seat}, {compact(action)}: {error}") from error
        for event in events:
            yield from _event(event)
        if number % EVERY == 0:
            yield f"state {digest(state)} words {dice.words}"
    result = engine.result(state)
    if result is None:
        raise Stuck(f"the script ends, and {engine.deciding(state)} still decide")
    yield ""
    yield f"state {digest(state)} words {dice.words}"
    yield f"result {compact(as_map(result))}"


def _header(table: Table) -> Iterator[str]:
    yield f"game: {table.engine.name} {table.engine.rules}"
    yield f"seats: {table.seats}"
    yield f"seed: {table.seed.hex()}"
    entropy = table.entropy or (None,) * table.seats
    yield f"entropy: {' '.join('-' if each is None else each.hex() for each in entropy)}"
    yield f"options: {compact(as_map(table.options))}"


def _event(event: Event) -> Iterator[str]:
    mark = " (reveals)" if event.reveals else ""
    yield f"    {'nothing' if event.public is None else _body(event.public)}{mark}"
    for seat, body in event.private:
        yield f"      to {seat}: {_body(body)}"


def _body(body: object) -> str:
    fields = as_map(body)
    return f"{fields.pop('kind')} {compact(fields)}"


def read(text: str, engine: AnyEngine | None = None) -> tuple[Table, list[tuple[int, dict[str, Any]]]]:
    """The table and the script of a golden file's text; `engine` in place of the registered one.

    Raises:
        KeyError: a line of the header is missing.
        LookupError: the game is not registered.
    """
    lines = text.splitlines()
    header = dict(line.split(": ", 1) for line in lines[:5])
    name = header["game"].split()[0]
    engine = engine or latest(name)
    if engine is None:
        raise LookupError(f"no game {name!r} is registered")
    place = Table(
        engine=engine,
        seats=int(header["seats"]),
        options=msgspec.convert(json.loads(header["options"]), engine.options),
        seed=bytes.fromhex(header["seed"]),
        entropy=tuple(None if each == "-" else bytes.fromhex(each) for each in header["entropy"].split()),
    )
    steps = [match for line in lines if (match := ACTION.match(line))]
    return place, [(int(step["seat"]), json.loads(step["action"])) for step in steps]


def check(engine: AnyEngine | None, path: Path) -> None:
    """Replays the file's actions and compares every line.

    Raises:
        AssertionError: with the difference, its first lines.
    """
    text = path.read_text(encoding="utf-8")
    place, script = read(text, engine)
    played: list[str] = []
    stuck = ""
    try:
        played.extend(transcript(place, script))
    except Stuck as error:
        stuck = f"{path.name}: {error}\n"
    difference = list(islice(unified_diff(text.splitlines(), played, "recorded", "played now", lineterm=""), 40))
    if stuck or difference:
        raise AssertionError(stuck + f"{path} differs:\n" + "\n".join(difference))


def policy_script(place: Table, chooses: Sequence[Choose], seed: int) -> Script:
    """What these policies, one a seat, do at the table; `seed` is that of their own random numbers."""
    for move in moves(place, chooses, Random(seed)):
        yield move.seat, as_map(move.action)


def write(place: Table, script: Script, path: Path) -> None:
    """Writes the golden file of this script: for games that no policy plays, e.g. a rare ending.

    Raises:
        Stuck: as `transcript`.
    """
    lines = list(transcript(place, script))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def golden_files(game: str) -> list[Path]:
    """The golden files of a game, by name."""
    return sorted((HERE / game / "golden").glob("*.txt"))


def _engine(name: str) -> AnyEngine:
    engine = latest(name)
    if engine is None:
        raise SystemExit(f"no game {name!r} is registered")
    return engine


def _options(pairs: Sequence[str]) -> dict[str, Any]:
    options = {}
    for name, value in (pair.split("=", 1) for pair in pairs):
        try:
            options[name] = json.loads(value)
        except json.JSONDecodeError:
            options[name] = value
    return options


def _record(arguments: argparse.Namespace) -> None:
    engine = _engine(arguments.game)
    place = table(engine, arguments.seats, arguments.seed, _options(arguments.option))
    chooses = [policy(arguments.policy, engine.name)] * arguments.seats
    write(place, policy_script(place, chooses, arguments.seed), arguments.out)


def _find(arguments: argparse.Namespace) -> None:
    """Prints seed, steps and result of the games that end for this reason."""
    engine = _engine(arguments.game)
    chooses = [policy(arguments.policy, engine.name)] * arguments.seats
    found = 0
    for seed in islice(count(arguments.seed), arguments.tries):
        place = table(engine, arguments.seats, seed, _options(arguments.option))
        played = list(moves(place, chooses, Random(seed)))
        result = engine.result(played[-1].state)
        if result is not None and arguments.reason in (None, result.reason):
            print(f"seed {seed}: {len(played)} steps, {compact(as_map(result))}", flush=True)
            found += 1
            if found == arguments.most:
                return
    print(f"{found} found in {arguments.tries} seeds", file=sys.stderr)


def _update(arguments: argparse.Namespace) -> None:
    for path in arguments.files:
        write(*read(path.read_text(encoding="utf-8")), path)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.engines.golden", description="Golden games.")
    commands = parser.add_subparsers(required=True)
    record = commands.add_parser("record", help="play a game and write it down")
    record.set_defaults(run=_record)
    find = commands.add_parser("find", help="search for seeds whose game ends in a given way")
    find.set_defaults(run=_find)
    for command in (record, find):
        command.add_argument("game")
        command.add_argument("--seats", type=int, required=True)
        command.add_argument("--seed", type=int, default=0, help="find: the first one tried")
        command.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
        command.add_argument("--policy", default="random")
    record.add_argument("out", type=Path)
    find.add_argument("--reason")
    find.add_argument("--tries", type=int, default=200)
    find.add_argument("--most", type=int, default=5, help="stop after so many")
    update = commands.add_parser("update", help="replay the recorded actions by the present rules")
    update.set_defaults(run=_update)
    update.add_argument("files", nargs="+", type=Path)
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """The commands of this module's docstring."""
    arguments = _arguments(argv)
    arguments.run(arguments)


if __name__ == "__main__":
    main()
