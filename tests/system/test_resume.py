"""Coming back: wherever the client's last entry lies, it ends with what a newcomer gets, and no entry comes twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

from tests.processes import ServerProcess, serving, serving_well
from tests.system.party import Party, party
from tests.system.wire import wired
from tests.web.raw import BINARY, TEXT, frame, raw

KEPT = 12
"""How many changes the servers here remember."""

CODECS = ("json", "msgpack")
FOREIGN = "0123456789abcdef"


def settings(folder: Path, port: int = 0) -> dict[str, str]:
    return {
        "PHAROS_STORE": f"sqlite:///{folder}/rooms.db",
        "PHAROS_PORT": str(port),
        "PHAROS_HISTORY_CHANGES": str(KEPT),
        "PHAROS_CREDITS_BURST": "2000",
    }


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving_well(settings(tmp_path_factory.mktemp("resume"))) as process:
        yield process


@pytest.fixture
async def playing(server: ServerProcess) -> AsyncIterator[Party]:
    async with party(server) as found:
        await found.play(3)
        yield found


class Away:
    """A viewer that is not there: what it last knew."""

    def __init__(self, party: Party, seat: int | None, codec: str, known: tuple[int, str, dict[str, Any]]) -> None:
        self.party = party
        self.seat = seat
        self.codec = codec
        self.seq, self.tag, self.state = known
        self.heard: list[dict[str, Any]] = []

    @classmethod
    async def now(cls, party: Party, seat: int | None, codec: str) -> Away:
        """One that goes now."""
        return cls(party, seat, codec, await party.fresh(seat, codec))

    async def back(self, **since: Any) -> bool:
        """Come back; check that it leads to what a newcomer gets. Whether it was by patches."""
        async with wired(self.party.server, self.codec) as wire:
            wire.room, wire.seq, wire.tag, wire.state = self.party.room, self.seq, self.tag, self.state
            token = {} if self.seat is None else {"token": self.party.tokens[self.seat]}
            wanted = {"seq": self.seq, "tag": self.tag, **since}
            join = {"t": "join", "id": 1, "room": self.party.room, "since": wanted, **token}
            self.heard = await wire.replies(wire.write(join))
            assert self.heard[0]["t"] == "ok", self.heard[0]
            assert (wire.seq, wire.tag) == (self.heard[0]["seq"], self.heard[0]["tag"])
            assert (wire.seq, wire.tag, wire.state) == await self.party.fresh(self.seat, self.codec)
            assert (await wire.check())["match"] is True
        return bool(self.heard[0]["resumed"])

    def kinds(self) -> list[str]:
        """What came after the `ok`, up to who is there."""
        kinds = [message["t"] for message in self.heard[1:]]
        return kinds[: kinds.index("presence")]


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("missed", [0, 1, 5, KEPT])
async def test_what_was_missed_comes_as_patches(playing: Party, codec: str, seat: int | None, missed: int) -> None:
    away = await Away.now(playing, seat, codec)
    await playing.play(missed)
    assert await away.back() is True
    assert away.kinds() == ["patch"] * missed


async def test_a_wrong_check_is_answered_before_its_snapshot_whatever_was_asked_for_with_it(playing: Party) -> None:
    away = await Away.now(playing, 0, "json")
    await playing.play(2)
    seq, tag, state = await playing.fresh(0, "json")
    async with wired(playing.server, "json") as wire:
        wire.room, wire.seq, wire.tag, wire.state = playing.room, away.seq, away.tag, away.state
        since, token = {"seq": away.seq, "tag": away.tag}, playing.tokens[0]
        join = {"t": "join", "id": 1, "room": playing.room, "since": since, "token": token, "legal": True}
        check = {"t": "check", "id": 2, "room": playing.room, "seq": seq, "digest": "0" * 64}
        await wire.send(wire.write(join))
        await wire.send(wire.write(check))
        heard = [await wire.hear()]
        while heard[-1]["t"] != "snapshot":
            heard.append(await wire.hear())
    assert {"t": "ok", "id": 2, "seq": seq, "match": False} in heard
    assert [message["seq"] for message in heard if message["t"] == "patch"] == [seq - 1, seq]
    assert (wire.seq, wire.tag, wire.state) == (seq, tag, state)


@pytest.mark.parametrize("seat", [0, None])
async def test_what_is_kept_no_more_comes_as_a_snapshot(playing: Party, seat: int | None) -> None:
    away = await Away.now(playing, seat, "json")
    await playing.play(KEPT + 1)
    assert await away.back() is False
    assert away.kinds() == ["snapshot"]


@pytest.mark.parametrize(
    "since",
    [{"tag": FOREIGN}, {"seq": 10_000}, {"seq": 10_000, "tag": FOREIGN}, {"seq": 0}, {"seq": 2**53 - 1}],
    ids=str,
)
async def test_an_entry_that_is_not_the_journals_leads_to_a_snapshot(playing: Party, since: dict[str, Any]) -> None:
    away = await Away.now(playing, 0, "json")
    await playing.play(2)
    assert await away.back(**since) is False
    assert away.kinds() == ["snapshot"]


@pytest.mark.parametrize("seat", [0, 1, None])
async def test_an_undo_is_an_entry_like_any_other(server: ServerProcess, seat: int | None) -> None:
    async with party(server, "islet") as found:
        await found.play(1)
        away_before = await Away.now(found, seat, "json")
        while True:
            away_between = await Away.now(found, seat, "msgpack")
            mine = found.deciding
            acted = await found.act()
            away_after = await Away.now(found, seat, "json")
            undone = await mine.of_room("undo", seq=acted)
            if undone["t"] == "ok":
                break
            assert undone["code"] == "cannot_undo"
            assert found.seq < 60, "nothing in this game could be taken back"
            away_before = away_between
        await found.settle(undone["seq"])
        await found.play(1)
        for away, missed in ((away_before, None), (away_between, 3), (away_after, 2)):
            assert await away.back() is True
            assert missed is None or away.kinds() == ["patch"] * missed


async def joined_bytes(server: ServerProcess, codec: str, join: dict[str, Any]) -> int:
    """How many bytes come for a join, headers of frames included, until what was asked next is answered."""
    write, opcode = (msgpack.packb, BINARY) if codec == "msgpack" else (lambda m: json.dumps(m).encode(), TEXT)
    async with raw(server.port) as socket:
        await socket.handshake(headers={"Sec-WebSocket-Protocol": f"pharos.v1+{codec}"})
        await socket.frame()  # welcome
        marker = {"t": "check", "id": 2, "room": join["room"], "seq": 2**53 - 1, "digest": "0" * 64}
        socket.send(frame(opcode, write(join)) + frame(opcode, write(marker)))
        total = 0
        while True:
            _, payload = await socket.frame()
            message = msgpack.unpackb(payload) if codec == "msgpack" else json.loads(payload)
            if message.get("id") == 2:
                return total
            total += len(payload) + (2 if len(payload) < 126 else 4)


@pytest.mark.parametrize("codec", CODECS)
async def test_a_resume_that_missed_nothing_costs_little(server: ServerProcess, codec: str) -> None:
    async with party(server, "dragonwood", 4) as found:
        await found.play(4)
        said = await found.wires[0].of_room("chat", text="x" * 500)
        for seat in (0, 1, 2, 3, None):
            away = await Away.now(found, seat, codec)
            join = {"t": "join", "id": 1, "room": found.room, "since": {"seq": away.seq, "tag": away.tag}}
            token = {} if seat is None else {"token": found.tokens[seat]}
            cost = await joined_bytes(server, codec, {**join, **token, "chat_since": said["n"]})
            print(f"a resume that missed nothing, {codec}: {cost} bytes")
            assert cost < 600


async def test_one_drop_after_the_other(playing: Party) -> None:
    """Connections that are cut at every moment of a join leave nothing behind, and the last one has it all."""
    away = await Away.now(playing, 0, "json")
    join = {"room": playing.room, "token": playing.tokens[0], "since": {"seq": away.seq, "tag": away.tag}}
    for drop in range(12):
        await playing.play(1 if drop % 3 == 0 else 0)
        async with raw(playing.server.port) as socket:
            await socket.handshake()
            await socket.hear()
            socket.say(t="join", id=1, **join)
            for _ in range(drop % 4):
                await socket.hear()
    assert await away.back() is True
    assert away.kinds() == ["patch"] * 4
    watcher = playing.wires[1]
    await watcher.of_room("check", seq=2**53 - 1, digest="0" * 64)
    await watcher.until_present([True, True], 0)


async def test_a_node_that_is_behind_reads_the_store_first(tmp_path: Path) -> None:
    """A client that was told by one node is never told less by another."""
    with serving(settings(tmp_path)) as here, serving(settings(tmp_path)) as there:
        async with party(here) as found, wired(there, "json") as follower:
            await follower.join(found.room)
            for _ in range(6):
                await found.play(1)
                away = await Away.now(found, 0, "json")
                found.server = there
                assert await away.back() is True
                assert away.kinds() == []
                found.server = here


async def known_before(server: ServerProcess, games: list[tuple[str, int]]) -> list[Away]:
    """In rooms of these games, what 25 viewers of each know: its seats' holders, the rest spectators."""
    aways = []
    for number, (game, seats) in enumerate(games):
        codec = CODECS[number % 2]
        async with party(server, game, seats) as found:
            await found.play(2)
            known = [await Away.now(found, seat, codec) for seat in (*range(seats), None)]
        aways += [*known, *[known[-1]] * (24 - seats)]
    return aways


async def come_back(away: Away, server: ServerProcess) -> bool:
    """Join where the viewer stood; whether it was by patches, and ended at the same."""
    async with wired(server, away.codec) as wire:
        wire.seq, wire.tag, wire.state = away.seq, away.tag, away.state
        token = None if away.seat is None else away.party.tokens[away.seat]
        reply = await wire.join(away.party.room, token, since={"seq": away.seq, "tag": away.tag})
        assert reply["t"] == "ok", reply
        assert (wire.seq, wire.tag, wire.state) == (away.seq, away.tag, away.state)
        assert (await wire.check())["match"] is True
        return bool(reply["resumed"])


async def test_three_hundred_at_once_after_a_restart(tmp_path: Path) -> None:
    games = [("dragonwood", 4), ("islet", 2), ("burano", 3), ("bretagne", 2)] * 3
    with serving(settings(tmp_path)) as first:
        aways = await known_before(first, games)
        assert len(aways) == 300
        first.kill()
        again = ServerProcess(settings(tmp_path, first.port))
        try:
            await asyncio.to_thread(again.wait_ready)
            assert await asyncio.gather(*(come_back(away, again) for away in aways)) == [True] * 300
        finally:
            assert again.stop() == 0
    assert [entry for entry in again.log if entry["level"] == "error"] == []
