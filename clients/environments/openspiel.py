"""The games for OpenSpiel: importing this module registers `pharos_<game>` for every game.

    import pyspiel
    import clients.environments.openspiel
    game = pyspiel.load_game("pharos_dragonwood", {"players": 3})

The first node of a game is one of chance: which of `deals` tables is played. All else follows from it and the actions,
so a history is a whole match. A copy of a state has the same cards and dice ahead: a search that may not know them has
to sample over deals, or to use the engine's `resample`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pyspiel
from numpy.typing import NDArray

from clients.bots.offline import MOST_ENTRIES, table
from clients.environments.episode import FEATURES, MOST_ACTIONS, Episode
from server.engines import ENGINES, AnyEngine

DEALS = 10_000


def _type_of(engine: AnyEngine) -> pyspiel.GameType:
    return pyspiel.GameType(
        short_name=f"pharos_{engine.name}",
        long_name=engine.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=engine.seats[-1],
        min_num_players=2,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": 2, "deals": DEALS},
    )


class Rules(msgspec.Struct, frozen=True):
    """What states have of their game; copies of states share it."""

    engine: Any
    seats: int
    deals: int

    def __deepcopy__(self, memo: object) -> Rules:
        """Itself: nothing in it changes."""
        return self


class SpielGame(pyspiel.Game):
    """A game at a table of `players` seats."""

    def __init__(self, kind: pyspiel.GameType, engine: AnyEngine, parameters: Mapping[str, Any]) -> None:
        self.rules = Rules(engine, int(parameters.get("players", 2)), int(parameters.get("deals", DEALS)))
        if self.rules.seats < 2 or self.rules.seats not in engine.seats:
            raise ValueError(f"{engine.name}: no table of {self.rules.seats} players")
        if self.rules.deals < 1:
            raise ValueError(f"deals: at least 1, not {self.rules.deals}")
        info = pyspiel.GameInfo(
            num_distinct_actions=MOST_ACTIONS,
            max_chance_outcomes=self.rules.deals,
            num_players=self.rules.seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=MOST_ENTRIES,
        )
        super().__init__(kind, info, dict(parameters))

    def new_initial_state(self) -> SpielState:
        """Before the deal."""
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:  # noqa: ARG002
        """What a player sees."""
        return Observer()


class SpielState(pyspiel.State):
    """A match; before the deal there is no episode."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._rules = game.rules
        self.episode: Episode | None = None

    def current_player(self) -> int:
        """Who acts: chance first."""
        if self.episode is None:
            return int(pyspiel.PlayerId.CHANCE)
        seat = self.episode.seat
        return int(pyspiel.PlayerId.TERMINAL) if seat is None else seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every table, each as likely as the others."""
        return [(deal, 1 / self._rules.deals) for deal in range(self._rules.deals)]

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.episode is None else list(range(len(self.episode.actions(player))))

    def _apply_action(self, action: int) -> None:
        if self.episode is None:
            if not 0 <= action < self._rules.deals:
                raise ValueError(f"there are {self._rules.deals} deals, and no number {action} among them")
            self.episode = Episode(table(self._rules.engine, self._rules.seats, action))
        else:
            self.episode.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if self.episode is None or player < 0:
            return f"deal {action}"
        return str(self.episode.maps(player)[action])

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.episode is not None and self.episode.seat is None

    def returns(self) -> list[float]:
        """The utilities."""
        return [0.0] * self._rules.seats if self.episode is None else self.episode.utilities()

    def __str__(self) -> str:
        """All that anybody sees."""
        if self.episode is None:
            return "before the deal"
        return "\n".join(self.episode.text(seat) for seat in range(self._rules.seats))


class Observer:
    """A player's view, as vector and as text."""

    def __init__(self) -> None:
        self.tensor: NDArray[np.float32] = np.zeros(FEATURES, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Take the view of the player."""
        self.tensor[:] = 0.0 if state.episode is None else state.episode.vector(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """The view of the player as JSON."""
        return "" if state.episode is None else state.episode.text(player)


def _class_of(engine: AnyEngine) -> type[SpielGame]:
    """The class of the engine's game. OpenSpiel keeps what it is given past Python's end: a class outlives that."""
    kind = _type_of(engine)

    class Registered(SpielGame):
        def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
            super().__init__(kind, engine, parameters or {})

    return Registered


for _engine in ENGINES.values():
    pyspiel.register_game(_type_of(_engine), _class_of(_engine))
