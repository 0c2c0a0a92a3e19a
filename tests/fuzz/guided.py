"""Throws inputs at a target: `python -m tests.fuzz.guided codec --runs 5000000`.

Guided by coverage where atheris is installed (`pip install '.[fuzz]'`), else by blind mutation of the target's seeds.
A target is a module of this package with `SEEDS` and `one(data)`, which raises where its invariant does not hold. The
last line of the output says how many inputs there were.
"""

from __future__ import annotations

import argparse
import importlib
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LONGEST = 2000
"""Bytes of an input. That frames have a limit is shown elsewhere; short inputs reach more in the same time."""

Target = Callable[[bytes], None]


def mutated(seeds: Sequence[bytes], dice: random.Random) -> bytes:
    """A seed, spoilt in a few places."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.randint(1, 6)):
        at, to = sorted(dice.randint(0, len(data)) for _ in range(2))
        match dice.randint(0, 4):
            case 0:
                data[at:to] = b""
            case 1:
                data[at:at] = dice.randbytes(dice.randint(1, 8))
            case 2:
                data[at : at + 1] = dice.randbytes(1)
            case 3:
                data[at:at] = data[at:to] * dice.randint(1, 3)
            case 4:
                other = dice.choice(seeds)
                start = dice.randint(0, len(other))
                data[at:to] = other[start : start + dice.randint(0, 64)]
    return bytes(data[:LONGEST])


def blind(one: Target, seeds: Sequence[bytes], runs: int, seconds: float) -> int:
    """So many inputs, or as many as there is time for; how many there were."""
    dice, ends, done = random.Random(1), time.monotonic() + seconds, 0
    for seed in seeds:
        one(seed)
    while done < runs and time.monotonic() < ends:
        data = mutated(seeds, dice)
        try:
            one(data)
        except BaseException:
            print("input:", data.hex(), flush=True)
            raise
        done += 1
    return done


def guided(atheris: Any, one: Target, seeds: Sequence[bytes], options: argparse.Namespace) -> None:
    """The same, guided by coverage; ends the process."""
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(seeds):
            (Path(folder) / str(number)).write_bytes(seed)
        limits = [f"-runs={options.runs}", f"-max_total_time={int(options.seconds)}", f"-max_len={LONGEST}"]
        atheris.Setup([sys.argv[0], *limits, "-rss_limit_mb=2048", "-timeout=20", folder], one)
        atheris.Fuzz()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--runs", type=int, default=2**31 - 1)
    parser.add_argument("--seconds", type=float, default=7 * 24 * 3600)
    options = parser.parse_args()
    name = f"tests.fuzz.{options.target}_target"
    try:
        import atheris
    except ImportError:
        target = importlib.import_module(name)
        print(f"Done {blind(target.one, target.SEEDS, options.runs, options.seconds)} runs, blindly")
    else:
        with atheris.instrument_imports(include=["protocol", "server.web", "server.rooms"]):
            target = importlib.import_module(name)
        guided(atheris, target.one, target.SEEDS, options)


if __name__ == "__main__":
    main()
