"""The client's connection against a real server: cut, muted, displaced, told to go, and what it makes of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
import websockets
from websockets.asyncio.server import ServerConnection, serve

from clients import connection as connecting
from clients.bots.policies import policy
from clients.bots.runner import play
from clients.connection import Connection, Room
from clients.errors import Refused, Unreachable
from clients.lobby import Lobby
from protocol.codec import CODECS, JSON, Codec
from protocol.digest import digest
from protocol.messages import ChatLine, Patch, Presence, Snapshot, Turn
from tests.clients.proxy import Proxy, proxied
from tests.processes import ServerProcess, serving

PATIENCE = 20.0
RELOAD = {"type": "reload"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    store: Path = tmp_path_factory.mktemp("connection") / "rooms.db"
    with serving({"PHAROS_STORE": f"sqlite:///{store}"}) as process:
        yield process
    assert [entry for entry in process.log if entry["level"] == "error"] == []


@pytest.fixture
async def proxy(server: ServerProcess) -> AsyncIterator[Proxy]:
    async with proxied(server.port) as found:
        yield found


@pytest.fixture(params=["json", "msgpack"])
def codec(request: pytest.FixtureRequest) -> Codec:
    return CODECS[request.param]


class Party:
    """A room of two, and its tokens."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.lobby = Lobby(url)
        self.room = ""
        self.tokens: list[str] = []

    async def begin(self) -> Party:
        made = await self.lobby.create("dragonwood", 2)
        taken = await self.lobby.take_seat(made["room"])
        self.room, self.tokens = made["room"], [made["token"], taken["token"]]
        return self

    async def join(self, connection: Connection, seat: int = 0, **more: Any) -> Room:
        return await connection.join(self.room, self.tokens[seat], **more)


@pytest.fixture
async def party(server: ServerProcess) -> Party:
    return await Party(server.url).begin()


async def until(room: Room, seq: int) -> None:
    """Read the room's messages until its state is at least at `seq`."""
    async with asyncio.timeout(PATIENCE):
        async for _ in room:
            if room.seq >= seq:
                return


async def true(holds: Callable[[], bool]) -> None:
    """Until it holds; looks again after everything that happens on the loop."""
    async with asyncio.timeout(PATIENCE):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.005)


async def same_as_server(room: Room) -> bool:
    return await room.check(digest(room.state))


async def test_a_game_is_played_out_through_many_cuts(party: Party, proxy: Proxy, codec: Codec) -> None:
    """Every action is in the journal once, and every one that was asked for got its `ok`."""
    acknowledged: list[int] = []

    async def seat(number: int) -> Connection:
        async with Connection(proxy.url, codec=codec) as connection:
            room = await party.join(connection, number, legal=True)
            act = room.act

            async def noted(action: Any, **more: Any) -> int:
                acknowledged.append(await act(action, **more))
                return acknowledged[-1]

            room.act = noted  # type: ignore[method-assign]
            await play(room, policy("random", ""), Random(number))
            assert room.state["result"] is not None
            return connection

    playing = asyncio.gather(seat(0), seat(1))
    cuts = 0
    async with asyncio.timeout(90):
        while not playing.done():
            reached = len(acknowledged) + 25
            await true(lambda reached=reached: len(acknowledged) >= reached or playing.done())
            proxy.cut()
            cuts += 1
        connections = await playing
    assert cuts > 4
    assert all(connection.reconnects >= 4 for connection in connections)
    replay = await party.lobby.replay(party.room)
    actions = [entry["seq"] for entry in replay["entries"] if entry["kind"] == "action"]
    assert sorted(acknowledged) == actions


async def test_an_action_whose_reply_is_lost_counts_once(party: Party, proxy: Proxy, codec: Codec) -> None:
    async with Connection(proxy.url, codec=codec) as cut, Connection(party.url, codec=codec) as other:
        room, watching = await party.join(cut, legal=True), await party.join(other, 1)
        proxy.mute = True
        acting = asyncio.create_task(room.act(RELOAD))
        await until(watching, 4)
        assert not acting.done()
        proxy.cut()
        proxy.mute = False
        assert await acting == 4
        assert watching.seq == 4
        assert (room.seq, room.tag) == (4, watching.tag)
        assert await same_as_server(room)
        assert cut.reconnects >= 1


async def test_what_is_asked_while_the_connection_is_down_is_done_later(party: Party, proxy: Proxy) -> None:
    async with Connection(proxy.url) as connection:
        room = await party.join(connection)
        proxy.refuse = True
        proxy.cut()
        await true(lambda: not room.attached)
        asked = [asyncio.create_task(room.act(RELOAD)), asyncio.create_task(room.chat("still here"))]
        await true(lambda: len(proxy.accepted) >= 3)
        proxy.refuse = False
        assert await asked[0] == 4
        await asked[1]


async def test_a_resume_brings_patches_and_no_line_twice(party: Party, proxy: Proxy, codec: Codec) -> None:
    async with Connection(proxy.url, codec=codec) as connection, Connection(party.url) as other:
        room, playing = await party.join(connection, 1), await party.join(other, 0, legal=True)
        await playing.act(RELOAD)
        await playing.chat("one")
        await true(lambda: room.chat_n >= 1 and room.seq == 4)
        proxy.refuse = True
        proxy.cut()
        await playing.resign()
        await playing.chat("two")
        told, early = [], [message for message in room._told if isinstance(message, ChatLine | Patch)]
        assert [type(message) for message in early] == [Patch, ChatLine]
        proxy.refuse = False
        async with asyncio.timeout(PATIENCE):
            async for message in room:
                told.append(message)
                if {Patch, ChatLine} <= {type(each) for each in told if each not in early}:
                    break
        assert [message.seq for message in told if isinstance(message, Snapshot)] == [3]
        assert [message.seq for message in told if isinstance(message, Patch)] == [4, 5]
        assert [message.text for message in told if isinstance(message, ChatLine)] == ["one", "two"]
        assert any(isinstance(message, Presence) for message in told)
        assert await same_as_server(room)


async def test_pauses_grow_and_a_good_connection_is_not_hammered(party: Party, proxy: Proxy) -> None:
    async with Connection(proxy.url) as connection:
        await party.join(connection)
        proxy.refuse = True
        proxy.cut()
        await true(lambda: len(proxy.accepted) >= 6)
        pauses = [later - earlier for earlier, later in pairwise(proxy.accepted[1:])]
    least = [0.5 * connecting.FIRST_PAUSE * 2 ** (number + 1) for number in range(len(pauses))]
    assert all(pause >= bound for pause, bound in zip(pauses, least, strict=True)), pauses


async def test_a_server_that_welcomes_and_hangs_up_is_not_hammered() -> None:
    came: list[float] = []
    limits = {"frame_bytes": 1, "depth": 1, "rooms": 1, "credits_per_second": 1, "credits_burst": 1}
    welcome = {"t": "welcome", "protocol": 1, "server": "0", "codec": "json", "limits": limits, "now": 0}

    async def hang_up(socket: ServerConnection) -> None:
        came.append(asyncio.get_running_loop().time())
        await socket.send(json.dumps(welcome))

    async with serve(hang_up, "127.0.0.1", 0, subprotocols=[websockets.Subprotocol("pharos.v1+json")]) as fake:
        port = fake.sockets[0].getsockname()[1]
        async with Connection(f"http://127.0.0.1:{port}"), asyncio.timeout(PATIENCE):
            await true(lambda: len(came) >= 5)
    pauses = [later - earlier for earlier, later in pairwise(came)]
    assert all(pause >= 0.05 * 2**number for number, pause in enumerate(pauses)), pauses


async def test_the_time_to_come_back_is_kept() -> None:
    came: list[float] = []

    async def close(socket: ServerConnection) -> None:
        came.append(asyncio.get_running_loop().time())
        if len(came) == 1:
            await socket.send('{"t": "closing", "reason": "maintenance", "reconnect_after": 800}')
            await socket.close(1001)
        else:
            await socket.wait_closed()

    async with serve(close, "127.0.0.1", 0, subprotocols=[websockets.Subprotocol("pharos.v1+json")]) as fake:
        port = fake.sockets[0].getsockname()[1]
        async with Connection(f"http://127.0.0.1:{port}"), asyncio.timeout(PATIENCE):
            await true(lambda: len(came) >= 2)
    assert came[1] - came[0] >= 0.8


async def test_a_server_that_stops_and_one_that_follows(tmp_path: Path, codec: Codec) -> None:
    settings = {"PHAROS_STORE": f"sqlite:///{tmp_path}/rooms.db", "PHAROS_RECONNECT_SPREAD": "500"}
    servers = [ServerProcess(settings)]
    try:
        await asyncio.to_thread(servers[0].wait_ready)
        party = await Party(servers[0].url).begin()
        async with Connection(party.url, codec=codec) as connection:
            room = await party.join(connection)
            await room.act(RELOAD)
            assert await asyncio.to_thread(servers[0].stop) == 0
            servers.append(ServerProcess({**settings, "PHAROS_PORT": str(servers[0].port)}))
            assert await same_as_server(room)
            with pytest.raises(Refused) as refusal:
                await room.act(RELOAD)
            assert refusal.value.code == "not_your_turn"
            assert await asyncio.to_thread(servers[1].stop) == 0
    finally:
        for server in servers:
            if server.process.poll() is None:
                server.kill()


async def test_a_seat_that_is_given_up_is_not_joined_again(party: Party, proxy: Proxy, codec: Codec) -> None:
    async with Connection(proxy.url, codec=codec) as connection:
        room = await party.join(connection, 1)
        await party.lobby.vacate(party.room, 1, party.tokens[1])
        async with asyncio.timeout(PATIENCE):
            async for _ in room:
                pass
        for ask in (room.resign, room.back):
            with pytest.raises(Refused) as refusal:
                await ask()
            assert refusal.value.code == "revoked"
        assert not connection.knows(room)
        with pytest.raises(Refused) as refusal:
            await party.join(connection, 1)
        assert refusal.value.code == "revoked"


async def test_a_seat_that_is_given_up_during_a_cut(party: Party, proxy: Proxy) -> None:
    async with Connection(proxy.url) as connection:
        room = await party.join(connection, 1)
        proxy.refuse = True
        proxy.cut()
        await party.lobby.vacate(party.room, 1, party.tokens[1])
        proxy.refuse = False
        async with asyncio.timeout(PATIENCE):
            async for _ in room:
                pass
        assert room.ended is not None
        assert room.ended.code == "revoked"


async def test_a_fifth_connection_displaces_the_one_least_heard_from(party: Party, proxy: Proxy, codec: Codec) -> None:
    async with AsyncExitStack() as stack:
        quiet = await stack.enter_async_context(Connection(proxy.url, codec=codec))
        room = await party.join(quiet)
        others = [await stack.enter_async_context(Connection(party.url)) for _ in range(4)]
        rooms = [await party.join(other) for other in others]
        async with asyncio.timeout(PATIENCE):
            async for _ in room:
                pass
        assert room.ended is not None
        assert room.ended.code == "displaced"
        proxy.cut()
        await true(lambda: quiet.reconnects > 0 and quiet.welcome is not None)
        assert await rooms[0].act(RELOAD) == 4
        for other in rooms:
            await until(other, 4)
        assert all(other.ended is None for other in rooms)
        assert room.seq == 3


async def test_a_patch_that_does_not_follow_brings_a_snapshot(
    party: Party, server: ServerProcess, codec: Codec
) -> None:
    async with Connection(server.url, codec=codec) as connection, Connection(server.url) as other:
        room, playing = await party.join(connection, 1), await party.join(other, 0)
        await until(room, 3)
        room.seq = 2
        await playing.act(RELOAD)
        await until(room, 4)
        assert await same_as_server(room)
        room.state = {"turn": None}
        await room.resign()
        await true(lambda: "room" in room.state)
        assert room.seq >= 5
        assert await same_as_server(room)


async def test_an_unread_turn_whose_decision_is_over_is_never_given_out(party: Party, server: ServerProcess) -> None:
    async with Connection(server.url) as connection, Connection(server.url) as phone, Connection(server.url) as other:
        room = await party.join(connection, legal=True)
        second, opponent = await party.join(phone), await party.join(other, 1, legal=True)
        assert RELOAD in room.actions
        assert room.deciding
        await second.act(RELOAD)
        await true(lambda: room.seq >= 4)
        assert not room.deciding
        assert list(room.actions) == []
        await until(opponent, 4)
        told = []
        async with asyncio.timeout(PATIENCE):
            async for message in room:
                told.append(type(message))
                if message.seq == 4 if isinstance(message, Patch) else False:
                    break
        assert Turn not in told


async def test_undo_takes_back_the_own_last_action(party: Party, server: ServerProcess) -> None:
    async with Connection(server.url) as connection:
        room = await party.join(connection, legal=True)
        await true(lambda: bool(room.actions))
        attacks = [action for action in room.actions if action["type"] == "attack"]
        if not attacks:
            pytest.fail("a first hand that can attack nothing")
        assert await room.act(attacks[0]) == 4
        assert await room.undo() == 5
        assert room.state["turn"]["phase"] == "turn"
        assert await room.act(attacks[-1]) == 6
        with pytest.raises(Refused) as refusal:
            await room.undo(4)
        assert refusal.value.code == "cannot_undo"
        assert await room.undo() == 7


async def test_patience_with_a_server_that_limits(tmp_path: Path) -> None:
    settings = {
        "PHAROS_STORE": f"sqlite:///{tmp_path}/rooms.db",
        "PHAROS_CREDITS_BURST": "10",
        "PHAROS_CREDITS_PER_SECOND": "40",
    }
    with serving(settings) as server:
        party = await Party(server.url).begin()
        async with Connection(server.url) as connection, asyncio.timeout(PATIENCE):
            room = await party.join(connection)
            found = await asyncio.gather(*(room.legal() for _ in range(12)))
            assert all(RELOAD in actions for actions in found)
            await asyncio.gather(room.chat("one"), room.chat("two"))
        assert [entry for entry in server.log if entry["level"] == "error"] == []


async def test_who_waits_when_the_connection_is_closed_is_told(party: Party, proxy: Proxy) -> None:
    async with Connection(proxy.url) as connection:
        room = await party.join(connection)
        proxy.mute = True
        asking = asyncio.create_task(room.legal())
        reading = asyncio.create_task(drained(room))
        await asyncio.sleep(0)
    with pytest.raises(Unreachable):
        await asking
    await reading
    with pytest.raises(Unreachable):
        await room.legal()


async def drained(room: Room) -> None:
    async for _ in room:
        pass


async def test_a_second_join_takes_the_place_of_the_first(party: Party, server: ServerProcess) -> None:
    async with Connection(server.url) as connection:
        first = await connection.join(party.room)
        assert first.seat is None
        second = await party.join(connection)
        assert second.seat == 0
        async with asyncio.timeout(PATIENCE):
            await drained(first)
        assert await second.act(RELOAD) == 4
        await second.leave()
        async with asyncio.timeout(PATIENCE):
            await drained(second)
        assert second.ended is None


@pytest.mark.parametrize(("room", "token", "code"), [("NOROOM", None, "unknown_room"), ("", "x", "unauthorized")])
async def test_a_join_that_is_refused(
    party: Party, server: ServerProcess, room: str, token: str | None, code: str
) -> None:
    async with Connection(server.url) as connection:
        with pytest.raises(Refused) as refusal:
            await connection.join(room or party.room, token)
        assert refusal.value.code == code
        assert (await party.join(connection)).seat == 0


async def test_nobody_there() -> None:
    async with proxied(1) as proxy:
        with pytest.raises(Unreachable) as missing:
            async with Connection(proxy.url, codec=JSON):
                pass
    assert str(missing.value).startswith(f"no server answers at {proxy.url} (")


async def test_a_room_that_could_not_be_joined_any_more_is_forgotten(proxy: Proxy, party: Party) -> None:
    """A connection that ends meanwhile says so, and holds no place for a room that nobody has."""
    connection = await Connection(proxy.url).open()
    assert not connection.closed
    proxy.mute = True
    joining = asyncio.create_task(party.join(connection))
    await asyncio.sleep(0)
    assert connection.rooms == {party.room}
    await connection.close()
    with pytest.raises(Unreachable):
        await joining
    with pytest.raises(Unreachable):
        await party.join(connection)
    assert connection.closed
    assert connection.rooms == frozenset()


async def test_a_game_that_is_cut_off_for_good_was_not_played(server: ServerProcess, party: Party) -> None:
    connection = await Connection(server.url).open()
    room = await party.join(connection, legal=True)
    playing = asyncio.create_task(play(room, policy("random", ""), Random(1)))
    await asyncio.sleep(0)
    await connection.close()
    with pytest.raises(Unreachable, match="closed"):
        await playing


@pytest.mark.parametrize("url", ["http://127.0.0.1:99999", "http://.."])
async def test_an_address_that_can_not_be_is_said_at_once(url: str) -> None:
    with pytest.raises(Unreachable):
        async with asyncio.timeout(PATIENCE):
            await Connection(url).open()
