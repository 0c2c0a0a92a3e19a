"""Bots at a real server: games of their own, seats of rooms that are there, seats that the server plays meanwhile."""

from __future__ import annotations

import asyncio
from asyncio import gather
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, cast

import pytest

from clients.bots.__main__ import arguments, run
from clients.bots.policies import policy
from clients.bots.runner import Plan, _decide, join_room, play, play_game
from clients.connection import Connection
from clients.errors import Refused
from clients.lobby import Lobby
from clients.room import Room
from protocol.messages import Patch, Turn
from tests.processes import ServerProcess, serving


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://", "PHAROS_SERVED_PACE": "20", "PHAROS_GRACE": "0"}) as process:
        yield process
    assert [entry for entry in process.log if entry["level"] == "error"] == []


@pytest.mark.parametrize("codec", ["json", "msgpack"])
async def test_a_game_of_bots(server: ServerProcess, codec: str) -> None:
    plan = Plan(server.url, "dragonwood", 2, ("greedy", "random"), {"dragons": "whole_deck"}, codec, seed=1)
    played = await play_game(plan)
    assert played.state["room"]["options"]["dragons"] == "whole_deck"
    assert [seat["name"] for seat in played.state["room"]["seats"]] == ["greedy-1", "random-2"]
    assert played.state["result"]["reason"] in ("deck", "dragons")


async def test_the_free_seats_of_a_room_whose_names_are_taken(server: ServerProcess) -> None:
    made = await Lobby(server.url).create("dragonwood", 3, name="random-1", kind="bot")
    plan = Plan(server.url, "dragonwood", 3, ("random",), seed=2)
    async with Connection(server.url) as connection:
        room = await connection.join(made["room"], made["token"], legal=True)
        played, _ = await gather(join_room(plan, made["room"]), play(room, policy("random", ""), Random(3)))
    names = [seat["name"] for seat in played.state["room"]["seats"]]
    assert names == ["random-1", "random-2", "random-3"]
    with pytest.raises(Refused) as refusal:
        await join_room(plan, made["room"])
    assert refusal.value.code == "game_over"


async def test_a_bot_that_is_too_slow_comes_back_and_plays_on(server: ServerProcess) -> None:
    """Its clock runs out on every decision; what it sends too late is no mistake of its."""
    options = {"clock": {"bank": 0, "per_turn": 100}}
    made = await Lobby(server.url).create("dragonwood", 2, options=options)
    taken = await Lobby(server.url).take_seat(made["room"])
    async with Connection(server.url) as first, Connection(server.url) as second, Connection(server.url) as third:
        rooms = [
            await first.join(made["room"], made["token"], legal=True),
            await second.join(made["room"], taken["token"], legal=True),
        ]
        quick, slow = (policy("random", ""), Random(1)), (policy("random", ""), Random(2), 0.3)
        playing = gather(play(rooms[0], *quick), play(rooms[1], *slow))
        watching = await third.join(made["room"])
        kinds: list[str] = []
        async with asyncio.timeout(30):
            async for message in watching:
                if isinstance(message, Patch):
                    kinds.append(message.events[0]["kind"])
                if "back" in kinds and kinds[-1] == "timeout":
                    break
        assert not playing.done()
        playing.cancel()
        await gather(playing, return_exceptions=True)
    assert kinds.index("back") > kinds.index("timeout")


class Lossy:
    """A room that refuses a listed action; with `lost`, since the store lost the entries on which it was listed."""

    over = False

    def __init__(self, turn: Turn, *, lost: bool) -> None:
        self.actions, self._lost = turn.actions, lost

    async def act(self, action: Mapping[str, Any], *, seq: int) -> int:
        if self._lost:
            self.actions = [{"type": "another"}]
        raise Refused("illegal_action", "it was legal elsewhere")


async def test_a_move_that_the_store_lost_is_no_mistake_of_the_bot() -> None:
    turn = Turn("ROOM", 7, [{"type": "one"}])
    await _decide(cast(Room, Lossy(turn, lost=True)), turn.actions[0], turn)
    with pytest.raises(Refused, match="illegal_action"):
        await _decide(cast(Room, Lossy(turn, lost=False)), turn.actions[0], turn)


async def test_the_command_prints_each_game(server: ServerProcess, capsys: pytest.CaptureFixture[str]) -> None:
    asked = arguments(["--url", server.url, "--game", "dragonwood", "--seats", "2", "--games", "2", "--seed", "4"])
    assert await run(asked) == 0
    printed = capsys.readouterr().out.splitlines()
    assert len([line for line in printed if "dragonwood" in line]) == 2
    assert len([line for line in printed if "random-" in line]) == 4
