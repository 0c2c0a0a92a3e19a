"""The games for PettingZoo: one agent acts at a time (AEC).

    env = GameEnv("dragonwood", seats=3)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        ended = termination or truncation
        env.step(None if ended else env.action_space(agent).sample(observation["action_mask"]))

`observation` is a vector, `action_mask` says which numbers are legal; `info["actions"]` has the actions themselves, in
the same order, and `env.episode.views(seat)` what the agent sees, in full.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from clients.bots.offline import table
from clients.environments.episode import FEATURES, MOST_ACTIONS, Episode, Pickled
from server.engines import latest


class GameEnv(Pickled, AECEnv):
    """A game at a table of so many seats; agent `seat_0` has seat 0."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as PettingZoo has it; an instance adds its name
        "render_modes": ["ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        game: str,
        seats: int = 2,
        options: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        """`options`: the game's; the rest are its defaults. `render_mode`: `ansi`, or None.

        Raises:
            ValueError: there is no such game, or not at so many seats, or with such options; or no such way to render.
        """
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode is one of {self.metadata['render_modes']}, or None, not {render_mode!r}")
        super().__init__()
        engine = latest(game)
        if engine is None or seats < 2:
            raise ValueError(f"there is no game {game!r} for {seats} agents")
        self._engine = engine
        self._options = dict(options or {})
        self._random = Random()  # noqa: S311 - play, not secrets
        table(engine, seats, 0, self._options)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"pharos_{game}_v{engine.rules.partition('.')[0]}"}
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}

    @cache  # noqa: B019 - the interface wants the same space each time
    def observation_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002
        """A vector of features, and the mask of the legal actions."""
        return spaces.Dict(
            {
                "observation": spaces.Box(-np.inf, np.inf, (FEATURES,), np.float32),
                "action_mask": spaces.Box(0, 1, (MOST_ACTIONS,), np.int8),
            }
        )

    @cache  # noqa: B019 - as above; a space also remembers its seed
    def action_space(self, agent: str) -> spaces.Space[Any]:  # noqa: ARG002
        """The number of a legal action."""
        return spaces.Discrete(MOST_ACTIONS)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a new match: the same seed, the same match; without one, the next of the sequence."""
        if seed is not None:
            self._random = Random(seed)  # noqa: S311 - play, not secrets
        number = self._random.getrandbits(255)
        self.episode = Episode(table(self._engine, len(self.possible_agents), number, self._options))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        seat = self.episode.seat
        for agent in self.agents:
            self.infos[agent] = {"actions": self.episode.maps(self._seat_of[agent])}
        self.agent_selection = self.possible_agents[seat or 0]

    def observe(self, agent: str) -> dict[str, Any]:
        """What the agent sees."""
        seat = self._seat_of[agent]
        return {"observation": self.episode.vector(seat), "action_mask": self.episode.mask(seat)}

    def step(self, action: int | None) -> None:
        """Play the selected agent's legal action of this number.

        Raises:
            ValueError: there is none. TypeError: it is no whole number.
        """
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.episode.step(-1 if action is None else operator.index(action))
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self.episode.seat is None:
            self.rewards = dict(zip(self.possible_agents, self.episode.utilities(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()

    def render(self) -> str | None:
        """What the agent that is to act sees, as JSON."""
        return self.episode.text(self._seat_of[self.agent_selection]) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held."""
