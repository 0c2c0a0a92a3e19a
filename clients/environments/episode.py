"""One match as an environment has it: numbered actions, observations as vectors, utilities.

Rules that hold here:

1. Action i is the i-th legal action of the deciding seat; no decision has more than `MOST_ACTIONS`.
2. An observation is made of what the seat sees and nothing else. As a vector it is hashed: each leaf of the views adds
   to one of `FEATURES` places, by its path (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning",
   2009), numbers by their value, words and flags by being there. As text it is the views as JSON.
3. Where several seats decide at once they do so in ascending order. Of what those before it have chosen a seat sees
   what the rules show: all of it where Burano's pyramids are built, which is done in the open, else nothing.
4. Utilities add up to nothing: the part of the others that a seat is better than, less the part better than it.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from clients.bots.offline import Table, as_map, plain
from server.engines import ENGINES, AnyEngine
from server.engines.engine import Action, Result

MOST_ACTIONS = 2000
FEATURES = 1024


class Pickled:
    """What has an engine as its `_engine`, which has caches: in a pickle that goes by its name.

    It is the same match at the same place then, in a process that has the same rules.
    """

    _engine: AnyEngine

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": (self._engine.name, self._engine.rules)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _engine=ENGINES[state["_engine"]])


class Episode(Pickled):
    """A match that is being played."""

    def __init__(self, table: Table) -> None:
        self._engine = table.engine
        self._dice = table.dice()
        self.seats = table.seats
        self._state = self._engine.new(table.seats, table.options, self._dice)

    def __deepcopy__(self, memo: object) -> Episode:
        """The same match at the same place, with the same chance ahead. States are values: the copy shares them."""
        other = copy(self)
        other._dice = self._dice.fork()
        return other

    @property
    def seat(self) -> int | None:
        """Who decides; None when the match is over."""
        deciding = self._engine.deciding(self._state)
        return deciding[0] if deciding else None

    def actions(self, seat: int) -> Sequence[Action]:
        """The seat's legal actions; none unless it is its turn to decide here."""
        return self._engine.legal_actions(self._state, seat) if seat == self.seat else ()

    def maps(self, seat: int) -> list[dict[str, Any]]:
        """The same as they travel."""
        return [as_map(action) for action in self.actions(seat)]

    def step(self, number: int) -> None:
        """Play the deciding seat's legal action of this number.

        Raises:
            ValueError: there is none.
        """
        seat = self.seat
        actions = () if seat is None else self.actions(seat)
        if seat is None or not 0 <= number < len(actions):
            raise ValueError(f"there are {len(actions)} legal actions, and no number {number} among them")
        self._state, _ = self._engine.apply(self._state, seat, actions[number], self._dice)

    def views(self, seat: int) -> dict[str, Any]:
        """What the seat sees: `turn`, `game` and `you` of the protocol's state document, without what a room adds."""
        number, phase = self._engine.turn(self._state)
        you = {"seat": seat, **self._engine.private_view(self._state, seat)}
        turn = {"number": number, "phase": phase, "seats": self._engine.deciding(self._state)}
        views: dict[str, Any] = plain({"turn": turn, "game": self._engine.public_view(self._state), "you": you})
        return views

    def text(self, seat: int) -> str:
        """The views as JSON with sorted keys."""
        return orjson.dumps(self.views(seat), option=orjson.OPT_SORT_KEYS).decode()

    def vector(self, seat: int) -> NDArray[np.float32]:
        """The views, hashed."""
        features: NDArray[np.float32] = np.zeros(FEATURES, dtype=np.float32)
        for name, value in _leaves("", self.views(seat)):
            features[zlib.crc32(name.encode()) % FEATURES] += value
        return features

    def mask(self, seat: int) -> NDArray[np.int8]:
        """One for every legal action."""
        mask: NDArray[np.int8] = np.zeros(MOST_ACTIONS, dtype=np.int8)
        mask[: len(self.actions(seat))] = 1
        return mask

    def utilities(self) -> list[float]:
        """By seat, -1 to 1; all 0 while the match goes on."""
        result: Result | None = self._engine.result(self._state)
        if result is None or self.seats == 1:
            return [0.0] * self.seats
        return [
            sum((rank < other) - (rank > other) for other in result.ranks) / (self.seats - 1) for rank in result.ranks
        ]


def _leaves(path: str, value: object) -> Iterator[tuple[str, float]]:
    match value:
        case Mapping():
            for key, part in value.items():
                yield from _leaves(f"{path}/{key}", part)
        case list():
            for place, part in enumerate(value):
                yield from _leaves(f"{path}/{place}", part)
        case bool() | str() | None:
            yield f"{path}={value}", 1.0
        case int() | float():
            yield path, float(value)
