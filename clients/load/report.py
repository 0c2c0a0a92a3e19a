"""What the load tool shows: figures while it runs, a table in the end, and latency over time as a picture."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from clients.load.ledger import Ledger, percentile

RECENT = 5
"""Seconds that the figures of a running load are about."""


class NoPictures(Exception):  # noqa: N818 - reads as the statement it makes
    """The library that draws is not installed."""


def milliseconds(seconds: float) -> str:
    """A latency for people."""
    return "–" if math.isnan(seconds) else f"{seconds * 1000:,.1f} ms"


def progress(ledger: Ledger, connections: int, reconnects: int) -> Table:
    """How it goes at present."""
    recent = ledger.recent(RECENT)
    table = Table.grid(padding=(0, 2))
    table.add_row("time", f"{ledger.elapsed:.0f} s", "connections", f"{connections:,}", "reconnects", f"{reconnects:,}")
    table.add_row("actions", f"{ledger.actions:,}", "games over", f"{ledger.games:,}", "updates", f"{ledger.updates:,}")
    table.add_row(
        "p50",
        milliseconds(percentile(recent, 0.5)),
        "p99",
        milliseconds(percentile(recent, 0.99)),
        f"of {RECENT} s",
        "",
    )
    table.add_row(
        "checks", f"{ledger.checks:,}", "failures", f"{ledger.failures.total():,}", "troubles", _troubles(ledger)
    )
    return table


def _troubles(ledger: Ledger) -> str:
    counts = Counter(what for _, what in ledger.troubles if what != "up")
    return ", ".join(f"{count} × {what}" for what, count in counts.items()) or "none"


def summary(ledger: Ledger, seconds: float, reconnects: int) -> Table:
    """How it was. `seconds`: for how long the parties played."""
    ordered = ledger.all()
    table = Table(title="Load", title_justify="left", show_header=False)
    rows = [
        ("actions acknowledged", f"{ledger.actions:,} ({ledger.actions / seconds:,.1f} a second)"),
        ("updates", f"{ledger.updates:,}"),
        ("games over", f"{ledger.games:,}"),
        *((f"latency p{share * 100:g}", milliseconds(percentile(ordered, share))) for share in (0.5, 0.9, 0.99, 1.0)),
        ("troubles", _troubles(ledger)),
        ("attempts to reconnect", f"{reconnects:,}"),
        ("actions overtaken", ", ".join(f"{code} {n:,}" for code, n in sorted(ledger.refused.items())) or "none"),
        ("states compared", f"{ledger.checks:,}"),
        ("failures", ", ".join(f"{what}: {n:,}" for what, n in ledger.failures.items()) or "none"),
    ]
    for row in rows:
        table.add_row(*row)
    return table


def show(console: Console, ledger: Ledger, seconds: float, reconnects: int) -> None:
    """Print the final table."""
    console.print(summary(ledger, seconds, reconnects))


def check_pictures() -> None:
    """See that pictures can be drawn.

    Raises:
        NoPictures.
    """
    try:
        import matplotlib  # noqa: F401 - an extra, needed only for pictures
    except ImportError:
        raise NoPictures("a picture needs matplotlib: pip install 'pharos-tables[bench]'") from None


def picture(ledger: Ledger, path: Path) -> None:
    """Latency over time, second by second, with what was done to the server, as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    seconds = sorted(ledger.latencies)
    figure, axes = pyplot.subplots(figsize=(10, 4.5), layout="constrained")
    for share in (0.5, 0.99, 1.0):
        values = [percentile(sorted(ledger.latencies[second]), share) * 1000 for second in seconds]
        axes.plot(seconds, values, label=f"p{share * 100:g}")
    for moment, what in ledger.troubles:
        if what in ("kill", "up"):
            axes.axvline(moment, color="red" if what == "kill" else "green", linewidth=0.8, linestyle="--")
    axes.set_yscale("log")
    axes.set_xlabel("seconds (dashed red: server killed, green: up again)")
    axes.set_ylabel("action to update, ms")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend(loc="upper right")
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
