"""A room of a real server with a connection on every seat, played a few actions at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from clients.lobby import Lobby
from tests.processes import ServerProcess
from tests.system.wire import Wire, wired


@dataclass
class Party:
    """The room, the tokens of its seats, and a wire on each."""

    server: ServerProcess
    room: str
    tokens: list[str]
    wires: list[Wire]
    random: Random

    @property
    def seq(self) -> int:
        """The last entry that everybody has seen."""
        return self.wires[0].seq

    @property
    def deciding(self) -> Wire:
        """The wire of a seat that has to decide."""
        return self.wires[self.wires[0].state["turn"]["seats"][0]]

    async def settle(self, seq: int) -> None:
        """Until everybody has seen this entry."""
        for wire in self.wires:
            while wire.seq < seq:
                await wire.hear()

    async def act(self, **fields: Any) -> int:
        """Some legal action; its entry."""
        wire = self.deciding
        legal = await wire.of_room("legal")
        reply = await wire.of_room("act", action=self.random.choice(legal["actions"]), seq=wire.seq, **fields)
        assert reply["t"] == "ok", reply
        await self.settle(reply["seq"])
        return int(reply["seq"])

    async def play(self, actions: int) -> None:
        """So many actions, whoever's they are."""
        for _ in range(actions):
            await self.act()

    async def fresh(self, seat: int | None, codec: str = "json") -> tuple[int, str, dict[str, Any]]:
        """What a newcomer in this place gets: seq, tag, state."""
        async with wired(self.server, codec) as wire:
            reply = await wire.join(self.room, None if seat is None else self.tokens[seat])
            assert reply["resumed"] is False
            return wire.seq, wire.tag, wire.state


async def seated(
    server: ServerProcess, game: str = "dragonwood", seats: int = 2, **fields: Any
) -> tuple[str, list[str]]:
    """A room whose seats are all taken, and their tokens."""
    lobby = Lobby(server.url)
    made = await lobby.create(game, seats, **fields)
    return made["room"], [made["token"], *[(await lobby.take_seat(made["room"]))["token"] for _ in range(seats - 1)]]


@asynccontextmanager
async def party(server: ServerProcess, game: str = "dragonwood", seats: int = 2, **fields: Any) -> AsyncIterator[Party]:
    """A room with a wire on every seat, in both codecs."""
    room, tokens = await seated(server, game, seats, **fields)
    async with AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(wired(server, ("json", "msgpack")[n % 2])) for n in range(seats)]
        for wire, token in zip(wires, tokens, strict=True):
            assert (await wire.join(room, token))["t"] == "ok"
        yield Party(server, room, tokens, wires, Random(5))
