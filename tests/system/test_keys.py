"""A key is carried out once, ever: in one TCP segment, over a cut, over a restart, after the end of the game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from server.store.sqlite import SqliteStore
from tests.processes import ServerProcess, serving
from tests.system.journals import keys_of, stored
from tests.system.party import Party, party
from tests.system.wire import wired
from tests.web.raw import TEXT, connected, frame


def settings(folder: Path, port: int = 0) -> dict[str, str]:
    return {"PHAROS_STORE": f"sqlite:///{folder}/rooms.db", "PHAROS_PORT": str(port), "PHAROS_CHAT_INTERVAL": "0"}


async def next_act(found: Party, key: str) -> tuple[int, dict[str, Any]]:
    """The seat that has to decide, and an action for it."""
    wire = found.deciding
    legal = await wire.of_room("legal")
    action = found.random.choice(legal["actions"])
    act = {"t": "act", "room": found.room, "action": action, "seq": wire.seq, "key": key}
    return wire.state["you"]["seat"], act


async def say_again(found: Party, seat: int, act: dict[str, Any]) -> dict[str, Any]:
    """The reply to the act on a fresh connection of the seat."""
    async with wired(found.server, "msgpack") as wire:
        await wire.join(found.room, found.tokens[seat])
        fields = {name: value for name, value in act.items() if name not in ("t", "id", "room")}
        return await wire.of_room("act", **fields)


async def test_twice_in_one_segment(tmp_path: Path) -> None:
    with serving(settings(tmp_path)) as server:
        async with party(server) as found, connected(server.port) as socket:
            seat, act = await next_act(found, "once")
            join = {"t": "join", "id": 0, "room": found.room, "token": found.tokens[seat]}
            sent = (join, *({**act, "id": number} for number in (1, 2, 3)), {**act, "id": 4, "seq": 0})
            socket.send(b"".join(frame(TEXT, json.dumps(message).encode()) for message in sent))
            replies: dict[int, Any] = {}
            patches = 0
            while len(replies) < 5:
                message = await socket.hear()
                patches += message["t"] == "patch"
                if "id" in message:
                    replies[message["id"]] = message
            assert [replies[number]["seq"] for number in (1, 2, 3, 4)] == [found.seq + 1] * 4
            assert patches == 1


@pytest.mark.parametrize("crash", [False, True])
async def test_over_a_cut_and_a_restart(tmp_path: Path, crash: bool) -> None:
    with serving(settings(tmp_path)) as server:
        async with party(server) as found:
            seat, act = await next_act(found, "once")
            async with connected(server.port) as socket:  # goes before it hears the reply
                socket.say(t="join", id=0, room=found.room, token=found.tokens[seat])
                socket.say(**act, id=1)
                await socket.writer.drain()
                await found.settle(act["seq"] + 1)
            first = await say_again(found, seat, act)
            assert (first["t"], first["seq"]) == ("ok", act["seq"] + 1)
            await found.play(2)
            assert (await say_again(found, seat, act))["seq"] == first["seq"]
        if crash:
            server.kill()
        else:
            server.stop()
        again = ServerProcess(settings(tmp_path, server.port))
        try:
            again.wait_ready()
            assert (await say_again(found, seat, act))["seq"] == first["seq"]
            other = await say_again(found, seat, {**act, "action": {"type": "reload", "no": 1}})
            assert other["code"] in ("key_reused", "bad_message")
        finally:
            again.stop()
    journal = (await stored(SqliteStore(tmp_path / "rooms.db"), [found.room]))[found.room]
    assert keys_of(journal)[seat, "once"] == 1


async def test_after_the_end_and_with_other_contents(tmp_path: Path) -> None:
    with serving(settings(tmp_path)) as server:
        async with party(server) as found:
            seat, act = await next_act(found, "once")
            wire = found.wires[seat]
            fields = {name: act[name] for name in ("action", "seq", "key")}
            first = await wire.of_room("act", **fields)
            for kind, more in (("resign", {}), ("undo", {"seq": first["seq"]}), ("back", {})):
                assert (await wire.of_room(kind, key="once", **more))["code"] == "key_reused", kind
            said = await wire.of_room("chat", text="once is enough", key="once")
            assert said["t"] == "ok", "chat has keys of its own"
            assert (await wire.of_room("chat", text="once is enough", key="once"))["n"] == said["n"]
            assert (await wire.of_room("chat", text="twice", key="once"))["code"] == "key_reused"
            resigned = await wire.of_room("resign", key="the end")
            other = found.wires[1 - seat]
            assert (await other.of_room("act", **fields))["code"] != "ok", "another seat's key is not this one's"
            await other.of_room("resign")
            while wire.state["room"]["status"] == "playing":
                await wire.hear()
            assert (await wire.of_room("act", **fields))["seq"] == first["seq"]
            assert (await wire.of_room("resign", key="the end"))["seq"] == resigned["seq"]
            assert (await wire.of_room("resign", key="once"))["code"] == "key_reused"
            assert (await wire.of_room("act", **{**fields, "key": "new"}))["code"] == "game_over"
