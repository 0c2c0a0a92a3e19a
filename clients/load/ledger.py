"""What the load tool counts: latencies by the second, requests that were refused, checks of states, difficulties.

A latency is the time from an action's being asked for to a viewer's having applied its update, cuts and kills of the
server included.
"""

from __future__ import annotations

import math
import time
from array import array
from collections import Counter, defaultdict
from collections.abc import Sequence

EXPECTED = frozenset({"stale", "game_over", "not_your_turn"})
"""What may become of an action that others, or a time-out, were faster than."""

KEPT = 64
"""For how many entries a room's latest updates are remembered until it is known who asked for them, and when."""


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest sample that at least `share` (0 to 1) of the ascending samples don't exceed; nan without samples."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


class Ledger:
    """The counts of one run. Times are seconds since its start."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self.actions = 0
        self.updates = 0
        self.games = 0
        self.refused: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        """What must not happen."""
        self.checks = 0
        self.troubles: list[tuple[float, str]] = []
        """What was done to clients and server, and when."""
        self.latencies: defaultdict[int, array[float]] = defaultdict(lambda: array("d"))
        """By the second of the run in which the update came."""

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._begun

    def update(self, latency: float) -> None:
        """A viewer has an update."""
        self.updates += 1
        self.latencies[int(self.elapsed)].append(latency)

    def refusal(self, code: str) -> None:
        """An action was refused."""
        self.refused[code] += 1
        if code not in EXPECTED:
            self.failures[f"an action refused: {code}"] += 1

    def checked(self, *, same: bool) -> None:
        """A client's state was compared with the server's."""
        self.checks += 1
        if not same:
            self.failures["a client's state that is not the server's"] += 1

    def trouble(self, what: str) -> None:
        """A difficulty was made."""
        self.troubles.append((self.elapsed, what))

    def recent(self, seconds: int) -> list[float]:
        """The latencies of the last whole seconds, ascending."""
        now = int(self.elapsed)
        return sorted(value for second in range(now - seconds, now) for value in self.latencies.get(second, ()))

    def all(self) -> list[float]:
        """Every latency, ascending."""
        return sorted(value for values in self.latencies.values() for value in values)

    @property
    def sound(self) -> bool:
        """Whether anything was done, and nothing went wrong."""
        return self.actions > 0 and not self.failures


class Watch:
    """Who has seen which entry of a room, and when; and when that entry's action was asked for."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen: dict[int, list[float]] = {}
        self._asked: dict[int, float] = {}
        self.acknowledged = 0
        """The last entry that some client was told is durable."""

    def seen(self, seq: int) -> None:
        """A viewer has applied the update of this entry."""
        asked, now = self._asked.get(seq), time.monotonic()
        if asked is None:
            self._seen.setdefault(seq, []).append(now)
            if len(self._seen) > KEPT:
                del self._seen[min(self._seen)]
        else:
            self._ledger.update(now - asked)

    def acted(self, seq: int, asked: float) -> None:
        """The action asked for at that moment became this entry."""
        self._ledger.actions += 1
        self.acknowledged = max(self.acknowledged, seq)
        for moment in self._seen.pop(seq, ()):
            self._ledger.update(moment - asked)
        self._asked[seq] = asked
        if len(self._asked) > KEPT:
            del self._asked[min(self._asked)]
