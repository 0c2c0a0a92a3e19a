"""Those who read slowly, or not at all, or are gone: nobody else notices, and whoever reads again has it all."""

from __future__ import annotations

import asyncio
import json
import socket as sockets
import struct
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import psutil
import pytest

from protocol.patch import apply
from server.rooms.talk import TOGETHER
from tests import truth
from tests.processes import ServerProcess, serving_well
from tests.system.party import Party, party
from tests.system.wire import Wire, wired
from tests.web.raw import TEXT, RawSocket, frame, raw

OUTBOX = 32_768
LINE = "\U0001f6a3" * 500
"""A line of chat of 2,000 bytes."""

SETTINGS = {
    "PHAROS_STORE": "memory://",
    "PHAROS_OUTBOX_BYTES": str(OUTBOX),
    "PHAROS_SEND_BUFFER": "16384",
    "PHAROS_CHAT_INTERVAL": "0",
    "PHAROS_CREDITS_PER_SECOND": "100000",
    "PHAROS_CREDITS_BURST": "100000",
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with serving_well(SETTINGS) as process:
        yield process


@pytest.fixture(scope="module")
def hasty() -> Iterator[ServerProcess]:
    """A server that has patience with the stuck for two seconds only."""
    with serving_well({**SETTINGS, "PHAROS_STUCK_AFTER": "2000", "PHAROS_CLOSE_WITHIN": "500"}) as process:
        yield process


async def metric(server: ServerProcess, name: str) -> float:
    """A figure of `/metrics`, labels included in the name."""
    lines = (await asyncio.to_thread(server.get, "/metrics"))[1].decode().splitlines()
    return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} ")), 0.0)


@asynccontextmanager
async def not_reading(found: Party) -> AsyncIterator[RawSocket]:
    """A spectator that takes nothing after its join, with a small window."""
    async with raw(found.server.port, buffer=4096) as socket:
        await socket.handshake()
        await socket.hear()
        socket.say(t="join", id=1, room=found.room)
        await socket.until("presence")
        yield socket


async def talk(found: Party, lines: int) -> None:
    """So many long lines of chat, all read by the seats."""
    for _ in range(lines):
        reply = await found.wires[0].of_room("chat", text=LINE)
        assert reply["t"] == "ok"
        while (await found.wires[1].hear())["t"] != "chat":
            pass


class Folded:
    """What a client that was slow makes of the frames that it reads at last."""

    def __init__(self) -> None:
        self.state: dict[str, Any] = {}
        self.seq = 0
        self.kinds: list[str] = []
        self.presence: dict[str, Any] = {}

    def take(self, message: dict[str, Any]) -> None:
        truth.frame(message)
        self.kinds.append(message["t"])
        match message["t"]:
            case "snapshot":
                assert message["seq"] >= self.seq
                self.state, self.seq = message["state"], message["seq"]
            case "patch":
                assert message["seq"] == self.seq + 1, "a gap"
                self.state = dict(apply(self.state, message["ops"]))  # type: ignore[arg-type]
                self.seq = message["seq"]
            case "presence":
                self.presence = message


async def test_a_slow_reader_gets_one_snapshot_and_who_is_there(server: ServerProcess) -> None:
    async with party(server) as found, not_reading(found) as slow:
        folded = Folded()
        folded.state, folded.seq = (await found.fresh(None))[2], found.seq
        dropped = await metric(server, "pharos_outbox_dropped_frames_total")
        while await metric(server, "pharos_outbox_dropped_frames_total") == dropped:
            await talk(found, 20)
        await found.play(5)
        async with wired(server, "json") as newcomer:
            await newcomer.join(found.room)
            await found.play(5)
            slow.say(t="ping", id=77)
            while (message := await slow.hear()).get("id") != 77:
                folded.take(message)
            while folded.seq < found.seq or folded.presence.get("spectators") != 2:
                folded.take(await slow.hear())
            assert folded.state == (await found.fresh(None))[2]
            assert folded.presence["connected"] == [True, True]
        assert folded.kinds.count("snapshot") == 1, "a slow reader costs one snapshot"
        assert folded.kinds.count("patch") == 0


async def test_who_does_not_read_is_not_read_from(server: ServerProcess) -> None:
    async with party(server) as found, not_reading(found) as slow:
        dropped = await metric(server, "pharos_outbox_dropped_frames_total")
        while await metric(server, "pharos_outbox_dropped_frames_total") == dropped:
            await talk(found, 20)
        before = await metric(server, "pharos_frames_in_total")
        slow.send(frame(TEXT, b'{"t":"ping","id":5}') * 30)
        await talk(found, 10)
        assert await metric(server, "pharos_frames_in_total") == before + 10
        answered = 0
        while answered < 30:
            answered += (await slow.hear()).get("id") == 5
        assert await metric(server, "pharos_frames_in_total") == before + 40


async def follow(wire: Wire, last: asyncio.Future[int]) -> int:
    """Read every patch, in order and without a gap, to the last; how many there were."""
    patches = 0
    while not last.done() or wire.seq < last.result():
        patches += (await wire.hear())["t"] == "patch"
    return patches


async def test_two_hundred_play_beside_one_that_never_reads(hasty: ServerProcess) -> None:
    """All of them get every patch in order, while the one falls behind, is found stuck, and is closed with 4001.

    It is attached to another room besides, in which so much is said that it soon takes nothing any more.
    """
    closed = 'pharos_connections_closed_total{code="4001"}'
    async with party(hasty) as found, party(hasty) as loud, AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(wired(hasty, ("json", "msgpack")[n % 2])) for n in range(198)]
        await asyncio.gather(*(wire.join(found.room) for wire in wires))
        last: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        async with not_reading(found) as stuck, asyncio.TaskGroup() as group:
            first, following = found.seq, [group.create_task(follow(wire, last)) for wire in wires]
            stuck.say(t="join", id=2, room=loud.room)
            dropped = await metric(hasty, "pharos_outbox_dropped_frames_total")
            while await metric(hasty, "pharos_outbox_dropped_frames_total") == dropped:
                await talk(loud, 20)
            await found.play(5)
            while not await metric(hasty, closed):
                await found.play(1)
                await asyncio.sleep(0.1)
            last.set_result(await found.act())
        assert {task.result() for task in following} == {found.seq - first}
        assert await metric(hasty, "pharos_outbox_conflations_total") == 0, "nobody else fell behind"


async def test_many_that_never_read_hold_no_memory(server: ServerProcess) -> None:
    process = psutil.Process(server.process.pid)
    async with party(server) as found, AsyncExitStack() as stack:
        for _ in range(30):
            await stack.enter_async_context(not_reading(found))
        await talk(found, 150)  # each has its buffers full now
        before = process.memory_info().rss
        await talk(found, 250)
        grown = process.memory_info().rss - before
    assert grown < 30 * 250 * len(LINE.encode()) / 3, f"{grown} bytes"


async def test_a_dead_socket_stops_no_broadcast(server: ServerProcess) -> None:
    """Connections that are reset in the middle of broadcasts: whoever is left gets everything."""
    async with party(server, "dragonwood", 3) as found, AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(wired(server, "json")) for _ in range(10)]
        for wire in wires:
            await wire.join(found.room)
        for _ in range(10):
            dying = [await stack.enter_async_context(not_reading(found)) for _ in range(4)]
            acting = asyncio.create_task(found.play(2))
            for each in dying:
                raw_socket = each.writer.get_extra_info("socket")
                raw_socket.setsockopt(sockets.SOL_SOCKET, sockets.SO_LINGER, struct.pack("ii", 1, 0))
                each.writer.transport.abort()
            await acting
        for wire in wires:
            while wire.seq < found.seq:
                await wire.hear()
            assert (await wire.check())["match"] is True
            await wire.until_present([True] * 3, 10)


async def test_a_crowd_that_comes_at_once_is_told_as_one(server: ServerProcess) -> None:
    async with party(server) as found, wired(server, "json") as watcher, AsyncExitStack() as stack:
        await watcher.join(found.room)
        crowd = [await stack.enter_async_context(wired(server, "json")) for _ in range(60)]
        told = asyncio.create_task(presences(watcher, 61))
        loop = asyncio.get_running_loop()
        begun = loop.time()
        await asyncio.gather(*(wire.join(found.room) for wire in crowd))
        count = await told
        assert count <= 3 + (loop.time() - begun) * 1000 / TOGETHER


async def presences(wire: Wire, spectators: int) -> int:
    """How often it is told who is there, until these are."""
    count = 0
    while wire.presence != ([True, True], spectators):
        count += (await wire.hear())["t"] == "presence"
    return count


async def test_a_connection_that_is_cut_while_its_join_waits_leaves_nothing_behind(server: ServerProcess) -> None:
    async with party(server) as found, wired(server, "json") as watcher:
        await watcher.join(found.room)
        for _ in range(30):
            async with raw(server.port) as socket:
                await socket.handshake()
                await socket.hear()
                join = json.dumps({"t": "join", "id": 1, "room": found.room}).encode()
                socket.send(frame(TEXT, join) * 5)
                await socket.writer.drain()
        await watcher.of_room("check", seq=2**53 - 1, digest="0" * 64)
        await watcher.until_present([True, True], 1)
