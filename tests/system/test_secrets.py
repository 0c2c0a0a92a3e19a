"""What nobody may know is told by no way: not by logs, figures, lists, refusals, nor by what a seat heard before."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from clients.lobby import Lobby
from tests.processes import ServerProcess, serving
from tests.system.calls import calling, code_of
from tests.system.party import Party, party
from tests.system.wire import wired
from tests.web.raw import BINARY, TEXT, connected, frame, raw

BOT_KEY = "bot-key-" + secrets.token_hex(16)
LINE = "meet me behind the lighthouse"


class Evening:
    """A game that was played on a server whose log tells all that it can, and whatever was secret in it."""

    def __init__(self, folder: Path) -> None:
        self.settings = {
            "PHAROS_STORE": f"sqlite:///{folder}/rooms.db",
            "PHAROS_LOG_LEVEL": "debug",
            "PHAROS_BOT_KEY": BOT_KEY,
            "PHAROS_CHAT_INTERVAL": "0",
        }
        self.secret: dict[str, str] = {"bot key": BOT_KEY, "line of chat": LINE}
        self.shown: list[str] = []
        """What anybody could fetch while the game went on."""

    def tokens(self, found: Party) -> None:
        for seat, token in enumerate(found.tokens):
            self.secret[f"token {seat}"] = token
            self.secret[f"hash of token {seat}"] = hashlib.sha256(token.encode()).hexdigest()

    async def look_around(self, server: ServerProcess, room: str) -> None:
        """Everything that a stranger can get."""
        async with calling(server) as client:
            for path in ("/api/games", "/api/rooms", f"/api/rooms/{room}", "/metrics", "/readyz", "/openapi.json"):
                self.shown.append((await client.get(path)).text)
            for path in (f"/api/rooms/{room}/replay", "/api/rooms/ABCDEF", "/api/bots"):
                self.shown.append((await client.get(path)).text)
        async with wired(server, "json") as wire:
            await wire.join(room)
            self.shown.append(repr(wire.state))


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    """A whole game, with all that can go wrong on the way."""
    return asyncio.run(played(Evening(tmp_path_factory.mktemp("secrets"))))


async def played(told: Evening) -> Evening:
    """Play it, and listen."""
    with serving(told.settings) as server:
        async with party(server, "dragonwood", 3) as found:
            told.tokens(found)
            await found.play(10)
            await found.wires[0].of_room("chat", text=LINE, key="k")
            await misbehave(server, found, told)
            await told.look_around(server, found.room)
            await vacate(server, found, told)
            for wire in (found.wires[0], found.wires[2]):
                await wire.of_room("resign")
            replay = await ended(server, found)
        told.secret["seed"] = replay["seed"]
    told.shown.append(server.text())
    assert server.noise == []
    assert [entry for entry in server.log if entry["level"] == "error"] == []
    return told


async def misbehave(server: ServerProcess, found: Party, told: Evening) -> None:
    """Say secrets where they do not belong, and what can't be read."""
    token = found.tokens[0]
    async with raw(server.port) as socket:
        assert (await socket.handshake(f"/ws?token={token}", {"Authorization": f"Bearer {token}"})).status == 101
    async with raw(server.port) as socket:
        assert (await socket.handshake(f"/{token}")).status == 404
    for opcode, payload in ((TEXT, token.encode()), (BINARY, token.encode()), (TEXT, b"\xff" + token.encode())):
        async with connected(server.port) as socket:
            socket.send(frame(opcode, payload))
            told.shown.append(str(await socket.frame()))
    async with calling(server) as client:
        for path in (f"/api/rooms/{token}", f"/api/rooms/{found.room}?token={token}", f"/{token}"):
            told.shown.append((await client.get(path)).text)
        body = {"token": token, "name": token, "seat": token}
        told.shown.append((await client.post(f"/api/rooms/{found.room}/seats", json=body)).text)
    wire = found.wires[1]
    for fields in ({"action": {"type": token}}, {"action": {"type": "reload", token: token}}):
        told.shown.append(str(await wire.of_room("act", seq=wire.seq, **fields)))


async def vacate(server: ServerProcess, found: Party, told: Evening) -> None:
    """Give a seat up, with an invite that nobody uses, so that the game ends when the others resign."""
    lobby = Lobby(server.url)
    told.secret["invite"] = await lobby.invite(found.room, found.tokens[1])
    await lobby.vacate(found.room, 1, found.tokens[1])


async def ended(server: ServerProcess, found: Party) -> dict[str, Any]:
    """The replay, once the room has ended."""
    while found.wires[0].state["room"]["status"] == "playing":
        await found.wires[0].hear()
    return dict(await Lobby(server.url).replay(found.room))


SECRETS = ["bot key", "line of chat", *[f"{what} {seat}" for what in ("token", "hash of token") for seat in range(3)]]


@pytest.mark.parametrize("name", [*SECRETS, "invite", "seed"])
def test_nothing_secret_is_logged_or_shown(evening: Evening, name: str) -> None:
    for text in evening.shown:
        assert evening.secret[name] not in text


def test_the_log_tells_no_hand_and_no_deck(evening: Evening) -> None:
    """No line of it holds a list of numbers, as cards are."""
    assert evening.shown
    assert not re.search(r"\[\d+, \d+", evening.shown[-1])


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving({"PHAROS_STORE": "memory://", "PHAROS_SERVED_PACE": "50"}) as process:
        yield process


async def test_a_running_room_has_no_replay_and_no_seed(server: ServerProcess) -> None:
    async with party(server) as found, calling(server) as client:
        await found.play(3)
        for token in (None, *found.tokens):
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            refused = await client.get(f"/api/rooms/{found.room}/replay", headers=headers)
            assert (refused.status_code, code_of(refused)) == (409, "not_finished")
        for wire in found.wires:
            assert wire.state["room"]["seed"] is None


async def test_a_stranger_is_refused_alike_whatever_the_others_hold(server: ServerProcess) -> None:
    """Who is not asked gets the same words for any action, legal for whoever is asked or not."""
    async with party(server, "dragonwood", 3) as found, AsyncExitStack() as stack:
        watcher = await stack.enter_async_context(wired(server, "json"))
        await watcher.join(found.room)
        legal = (await found.deciding.of_room("legal"))["actions"]
        idle = next(wire for wire in found.wires if wire is not found.deciding)
        tries = [*legal[:10], {"type": "attack", "target": 41, "attack": "strike", "use": []}, {"type": "keep"}]
        told = [await idle.of_room("act", action=action, seq=idle.seq) for action in tries]
        assert {(error["code"], error["message"]) for error in told} == {
            ("not_your_turn", "this seat does not have to decide now")
        }
        told = [await watcher.of_room("act", action=action, seq=watcher.seq) for action in tries]
        assert {error["code"] for error in told} == {"not_seated"}
        assert (await watcher.of_room("legal"))["code"] == "not_seated"
        assert (await idle.of_room("legal"))["actions"] == []


async def test_a_spectator_of_any_seq_gets_no_seat_s_frames(server: ServerProcess) -> None:
    """What was sent to seats before is not resent to a spectator who names the seat's last entry."""
    async with party(server) as found, wired(server, "json") as watcher:
        seq, tag, state = found.seq, found.wires[0].tag, (await found.fresh(None))[2]
        await found.play(6)
        watcher.seq, watcher.tag, watcher.state = seq, tag, state
        reply = await watcher.join(found.room, since={"seq": seq, "tag": tag})
        assert reply["resumed"] is True
        assert watcher.state == (await found.fresh(None))[2]
        assert watcher.state["you"] is None
