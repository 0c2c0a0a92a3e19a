"""Finished games of a real server, played again from their journals and compared with what its viewers were told."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from clients.bots.policies import play_random
from clients.bots.runner import play
from clients.connection import Connection
from clients.errors import Refused
from clients.lobby import Lobby
from clients.room import Room
from clients.terminal.printing import print_replay
from clients.terminal.replaying import BadReplay, Replay
from clients.terminal.screens.replay import Eyes
from clients.terminal.story import Story
from protocol.messages import Patch, Snapshot
from tests.processes import ServerProcess, serving

GAMES = ("dragonwood", "islet", "burano", "bretagne")
DRAWS = re.compile(r" draws [1-9] cards?")
MOVES = 60
"""Actions that are played at random before both give up; the server plays the rest."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://", "PHAROS_SERVED_PACE": "0"}) as process:
        yield process


class Watched:
    """A game as the server told it: states of a spectator and of seat 0 by entry, the spectator's log, the journal."""

    def __init__(self) -> None:
        self.public: dict[int, Any] = {}
        self.own: dict[int, Any] = {}
        self.story = Story()
        self.journal: dict[str, Any] = {}
        self.played = asyncio.Event()
        """Set once there was enough play."""


async def watch(room: Room, states: dict[int, Any], story: Story, played: asyncio.Event) -> None:
    async for message in room:
        story.take(message)
        if isinstance(message, Snapshot | Patch):
            states[story.seq] = story.state
        if len(states) >= MOVES:
            played.set()
        if story.over:
            return


async def play_watched(url: str, game: str) -> Watched:
    """A game of two at random; in Dragonwood to its end, in the others until the room is given up."""
    watched, lobby = Watched(), Lobby(url)
    room = (await lobby.create(game, 2, seat=False))["room"]
    async with Connection(url) as eyes, Connection(url) as desk, Connection(url) as ana, Connection(url) as ben:
        watching = asyncio.create_task(watch(await eyes.join(room), watched.public, watched.story, watched.played))
        tokens = [(await lobby.take_seat(room, name=name))["token"] for name in ("Ana", "Ben")]
        own = watch(await desk.join(room, tokens[0]), watched.own, Story(), watched.played)
        beside = asyncio.create_task(own)
        seats = [await ana.join(room, tokens[0], legal=True), await ben.join(room, tokens[1], legal=True)]
        playing = asyncio.gather(*(play(seat, play_random, Random(n)) for n, seat in enumerate(seats)))
        if game != "dragonwood":
            await watched.played.wait()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            for seat in seats:
                await seat.resign()
        await asyncio.gather(watching, beside)
        await asyncio.gather(playing, return_exceptions=True)
    watched.journal = dict(await lobby.replay(room))
    return watched


@pytest.fixture(scope="module")
def games(server: ServerProcess) -> dict[str, Watched]:
    """A watched game of each kind."""

    async def all_games() -> list[Watched]:
        return await asyncio.gather(*(play_watched(server.url, game) for game in GAMES))

    return dict(zip(GAMES, asyncio.run(all_games()), strict=True))


def shown(state: Any) -> Any:
    """What of a state a replay gives back as it was: not who is served, by time-outs, nor when a decision began."""
    turn = state["turn"] and {name: state["turn"][name] for name in ("number", "phase", "seats")}
    seats = [seat and (seat["name"], seat["kind"]) for seat in state["room"]["seats"]]
    return json.dumps([seats, turn, state["game"], state["you"]], sort_keys=True)


@pytest.mark.parametrize("game", GAMES)
def test_every_step_is_what_spectators_and_seats_saw(games: dict[str, Watched], game: str) -> None:
    watched = games[game]
    replay = Replay(watched.journal)
    assert len(replay) > MOVES / 2
    assert min(len(watched.public), len(watched.own)) > MOVES / 2
    for seq, state in watched.public.items():
        assert shown(replay.document(seq - 1, None)) == shown(state), seq
    for seq, state in watched.own.items():
        assert shown(replay.document(seq - 1, 0)) == shown(state), seq
    last = max(watched.public)
    end = replay.document(last - 1, None)
    assert end["room"]["status"] == watched.public[last]["room"]["status"]
    assert end["result"] == watched.public[last]["result"]


@pytest.mark.parametrize("game", GAMES)
def test_a_spectators_log_is_told_again_word_for_word(games: dict[str, Watched], game: str) -> None:
    watched = games[game]
    replay = Replay(watched.journal)
    eyes = Eyes(replay)
    told = [line for step in range(1, len(replay)) for line in eyes.lines(step)]
    assert len(told) > MOVES / 2
    assert told == watched.story.lines


def test_back_and_forth_leads_to_the_same_states(games: dict[str, Watched]) -> None:
    replay = Replay(games["dragonwood"].journal)
    forwards = [replay.document(step, 1) for step in range(len(replay))]
    assert [replay.document(step, 1) for step in reversed(range(len(replay)))] == forwards[::-1]
    fresh = Replay(games["dragonwood"].journal)
    assert fresh.document(len(fresh) - 1, 1) == forwards[-1]


def test_the_whole_log_shows_what_only_seats_knew(games: dict[str, Watched]) -> None:
    replay = Replay(games["dragonwood"].journal)
    lines: list[str] = []
    print_replay(replay, lines.append)
    drawn = [line for line in lines if DRAWS.search(line)]
    assert len(drawn) > 5
    assert all(": " in line for line in drawn), drawn
    watched = [str(line) for line in games["dragonwood"].story.lines if DRAWS.search(line.text)]
    assert len(watched) == len(drawn)
    assert not any(": " in line for line in watched)
    assert any(line.startswith("* The game has ended") for line in lines)


def test_all_eyes_follow_the_turn_and_come_around(games: dict[str, Watched]) -> None:
    replay = Replay(games["dragonwood"].journal)
    eyes = Eyes(replay)
    step = next(n for n in range(len(replay)) if replay.step(n).game is not None)
    seen = []
    for _ in range(4):
        seen.append((str(eyes), eyes.viewer(step)))
        eyes.change()
    assert seen == [("spectators", None), ("seat 1", 0), ("seat 2", 1), ("all", replay.on_turn(step))]
    assert str(eyes) == "spectators"
    viewers = {Eyes(replay, everything=True).viewer(n) for n in range(step, len(replay))}
    assert viewers == {0, 1}


def broken(journal: dict[str, Any], how: str) -> dict[str, Any]:
    changed = copy.deepcopy(journal)
    last = next(entry for entry in reversed(changed["entries"]) if entry["kind"] == "action")
    match how:
        case "seed":
            changed["seed"] = "00" * 32
        case "words":
            last["words"] += 1
        case "action":
            last["action"] = {"type": "attack", "target": 999, "attack": "strike", "use": []}
        case "unknown":
            changed["rules"] = "0.0.0"
        case "nothing":
            changed = {}
        case "entropy":
            changed["entropy"][0] = "11" * 32
    return changed


@pytest.mark.parametrize("how", ["seed", "words", "action", "unknown", "nothing", "entropy"])
def test_a_journal_that_leads_elsewhere_is_refused(games: dict[str, Watched], how: str) -> None:
    with pytest.raises(BadReplay):
        print_replay(Replay(broken(games["dragonwood"].journal, how)), lambda _line: None)


async def test_a_running_game_has_no_replay(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    made = await lobby.create("dragonwood", 2)
    with pytest.raises(Refused, match="not_finished"):
        await lobby.replay(made["room"])
