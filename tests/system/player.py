"""A client written from section 9 of the protocol alone, which comes back whatever is done to it.

It counts the gaps that it sees, so that a test can hold every one of them against a frame that the network lost.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgpack
import websockets
from websockets.asyncio.client import ClientConnection
from websockets.typing import Subprotocol

from protocol.digest import digest
from protocol.patch import apply
from tests import truth

PATIENCE = 0.4
"""Seconds without an answer after which a connection counts as dead."""

AGAIN = ("unavailable", "unknown_outcome", "rate_limited", "draining", "not_joined")


@dataclass
class Act:
    """An action that was sent, and how it ended: its entry, or the refusal's code."""

    key: str
    action: Mapping[str, Any]
    seq: int
    entry: int | None = None
    refused: str | None = None

    @property
    def pending(self) -> bool:
        return self.entry is None and self.refused is None


class Lost(Exception):  # noqa: N818 - what is true of the connection
    """The connection is of no use any more."""


@dataclass
class Player:
    """One viewer of one room: a seat's holder who plays at random, or (without a token) a spectator."""

    url: str
    room: str
    token: str | None
    codec: str
    random: Random
    acts: list[Act] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    seq: int = 0
    tag: str = ""
    playing: bool = True
    """Whether it still acts by itself."""
    connections: int = 0
    resumed: int = 0
    patches: list[tuple[int, str]] = field(default_factory=list)
    """The seq and tag of each patch that was applied."""
    gaps: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)
        self._keys = itertools.count(1)
        self._actions: list[Mapping[str, Any]] = []
        self._listed = 0
        """The seq at which these actions were legal."""
        self._waiting: dict[int, Act | None] = {}
        self._joined = False
        self._socket: ClientConnection | None = None
        self._asked = 0
        """The seq of the last `check`."""

    async def run(self) -> None:
        """Connect, and again whenever the connection is lost, until cancelled."""
        while True:
            with suppress(OSError, TimeoutError, Lost, websockets.WebSocketException):
                await self._once()
            await asyncio.sleep(self.random.uniform(0.01, 0.1))

    async def _once(self) -> None:
        opening = websockets.connect(
            self.url,
            subprotocols=[Subprotocol(f"pharos.v1+{self.codec}")],
            compression=None,
            max_size=None,
            open_timeout=4 * PATIENCE,
            close_timeout=0.1,
            ping_interval=None,
        )
        async with opening as self._socket:
            self.connections += 1
            self._waiting.clear()
            self._joined = False
            await self._join(fresh=not self.seq)
            try:
                while True:
                    await self._hear()
            finally:
                self._socket.transport.abort()

    async def _hear(self) -> None:
        """One frame; where none comes, whether the connection is alive."""
        assert self._socket is not None
        try:
            async with asyncio.timeout(PATIENCE):
                payload = await self._socket.recv()
        except TimeoutError:
            if self._waiting:
                raise Lost from None
            await self._ask()
            return
        await self._take(json.loads(payload) if isinstance(payload, str) else msgpack.unpackb(payload))
        self.news.set()

    async def _ask(self) -> None:
        """Whether anything has come that was lost on its way, or at least whether the other side is there."""
        if self._joined:
            self._asked = self.seq
            await self._say(None, t="check", room=self.room, seq=self.seq, digest=self.digest())
        else:
            await self._say(None, t="ping")

    async def _say(self, act: Act | None, **fields: Any) -> None:
        assert self._socket is not None
        number = next(self._ids)
        self._waiting[number] = act
        message = {"id": number, **fields}
        await self._socket.send(msgpack.packb(message) if self.codec == "msgpack" else json.dumps(message))

    async def _join(self, *, fresh: bool) -> None:
        fields: dict[str, Any] = {"legal": True}
        if self.token is not None:
            fields["token"] = self.token
        if not fresh:
            fields["since"] = {"seq": self.seq, "tag": self.tag}
        await self._say(None, t="join", room=self.room, **fields)

    async def _take(self, message: Mapping[str, Any]) -> None:
        truth.frame(message)
        match message["t"]:
            case "ok":
                await self._ok(message)
            case "error":
                await self._error(message)
            case "snapshot":
                self._moved(message, message["state"])
            case "patch" if message["seq"] == self.seq + 1:
                self.patches.append((message["seq"], message["tag"]))
                self._moved(message, dict(apply(self.state, message["ops"])))  # type: ignore[arg-type]
            case "patch":
                await self._gap()
            case "turn":
                self._actions, self._listed = message["actions"], message["seq"]
                await self._act()

    async def _gap(self) -> None:
        """A frame is missing: the state is of no use any more."""
        if not self._joined:
            return
        self.gaps += 1
        self._joined = False
        await self._join(fresh=True)

    def _moved(self, message: Mapping[str, Any], state: dict[str, Any]) -> None:
        self.state, self.seq, self.tag = state, message["seq"], message["tag"]

    async def _ok(self, ok: Mapping[str, Any]) -> None:
        act = self._waiting.pop(ok["id"])
        assert ok.get("match") is not False
        if "resumed" in ok:
            self._joined = True
            self.resumed += ok["resumed"]
            for pending in self.acts:
                if pending.pending:
                    await self._send(pending)
        elif act is not None:
            act.entry = ok["seq"]
            if self.seq < act.entry:
                await self._gap()
            else:
                await self._act()
        else:
            await self._act()

    async def _error(self, error: Mapping[str, Any]) -> None:
        if error["id"] is None:
            raise Lost
        act = self._waiting.pop(error["id"])
        if act is None and error["code"] == "stale":
            if self.seq == self._asked:
                await self._gap()
        elif error["code"] in AGAIN:
            await asyncio.sleep(min(0.3, error.get("retry_after", 50) / 1000))
            await (self._send(act) if act is not None else self._join(fresh=True))
        elif act is not None:
            assert error["code"] in ("stale", "not_your_turn", "game_over"), error
            act.refused = error["code"]
            await self._act()

    async def _act(self) -> None:
        """Play one of the listed actions, if it is this seat's turn and nothing is under way."""
        turn, seat = self.state.get("turn"), (self.state.get("you") or {}).get("seat")
        if not (self.playing and turn and seat in turn["seats"] and self._joined):
            return
        if any(act.pending for act in self.acts):
            return
        if self._listed < turn["since"][turn["seats"].index(seat)]:
            await self._gap()  # what is legal now was lost on its way
            return
        act = Act(f"{seat}-{next(self._keys)}", self.random.choice(self._actions), self.seq)
        self.acts.append(act)
        await self._send(act)

    async def _send(self, act: Act) -> None:
        await self._say(act, t="act", room=self.room, action=act.action, seq=act.seq, key=act.key)

    @property
    def settled(self) -> bool:
        """Whether nothing that was sent waits for its end."""
        return self._joined and not any(act.pending for act in self.acts)

    @property
    def over(self) -> bool:
        return bool(self.state) and self.state["room"]["status"] != "playing"

    async def until_settled(self) -> None:
        """Until every action has its end."""
        while not self.settled:
            self.news.clear()
            await self.news.wait()

    async def until_over(self) -> None:
        """Until the game has ended."""
        while not self.over:
            self.news.clear()
            await self.news.wait()

    async def until(self, seq: int) -> None:
        """Until this entry has come."""
        while self.seq < seq:
            self.news.clear()
            await self.news.wait()

    def digest(self) -> str:
        return digest(self.state)  # type: ignore[arg-type]
