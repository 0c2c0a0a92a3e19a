"""One room as a client sees it: its state, kept by patches, its frames as they come, and what a seat may ask.

Rules that hold here:

1. `state` is always that of the last frame; what `async for` gives has been applied already.
2. A `turn` holds until the seat's decision is another: then `actions` is empty, and one that was not read yet is
   never given out. So whoever acts on a `Turn` acts on the present decision.
3. A patch that does not follow is never applied: the room is attached anew, from a snapshot.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import UNSET

from clients.errors import Refused
from protocol.messages import (
    Act,
    Back,
    Chat,
    ChatLine,
    Check,
    ClientMessage,
    Error,
    Join,
    Leave,
    Legal,
    Ok,
    Patch,
    Ping,
    Presence,
    Resign,
    RoomMessage,
    Since,
    Snapshot,
    Turn,
    Undo,
)
from protocol.patch import apply

GONE = frozenset({"revoked", "displaced", "broken_room", "unknown_room"})
"""Codes after which a room is not attached again."""

LATER = 0.5
"""Seconds before a room that the server let go of for now is attached again."""

Told: TypeAlias = Snapshot | Patch | Turn | Presence | ChatLine | Error


class Asking(Protocol):
    """What a room needs of its connection."""

    async def ask(self, make: Callable[[int], ClientMessage]) -> Ok:
        """Send a request and wait for its `ok`."""

    def knows(self, room: Room) -> bool:
        """Whether the room is still one of this connection's."""

    def forget(self, room: Room) -> None:
        """Do not attach this room again."""

    def attach_anew(self, room: Room, pause: float = 0.0) -> None:
        """Join the room again, after so many seconds."""


class Room:
    """One room that the connection is attached to. Iterate over it to hear what happens, until it ends."""

    def __init__(self, connection: Asking, join: Join) -> None:
        self._connection = connection
        self._join = join
        self._told: deque[Told] = deque()
        self._news = asyncio.Event()
        self._attached = asyncio.Event()
        self._turn: Turn | None = None
        self._own: list[int] = []
        self.ended: Refused | None = None
        """Why the room is no longer attached, if it is not by `leave`."""
        self.current = asyncio.Event()
        """Set once there is a state."""
        self.seat: int | None = None
        self.seq = 0
        self.tag = ""
        self.state: Mapping[str, Any] = {}
        self.presence: Presence | None = None
        self.chat_n = 0

    @property
    def id(self) -> str:
        """The room's id."""
        return self._join.room

    @property
    def attached(self) -> bool:
        """Whether the server tells this connection of the room at present."""
        return self._attached.is_set()

    @property
    def deciding(self) -> bool:
        """Whether this seat has to decide now."""
        return self._since() is not None

    @property
    def actions(self) -> Sequence[Mapping[str, Any]]:
        """The seat's legal actions, where its `turn` has come and holds."""
        return () if self._turn is None else self._turn.actions

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.state) and self.state["room"]["status"] in ("finished", "abandoned")

    def _since(self) -> int | None:
        """The entry at which the seat's present decision began."""
        turn = self.state["turn"] if self.state else None
        if turn is None or self.seat not in turn["seats"]:
            return None
        since: int = turn["since"][turn["seats"].index(self.seat)]
        return since

    def check_attached(self) -> None:
        """Raise the reason why the room is no longer attached, if there is one."""
        if self.ended is not None:
            raise self.ended

    # What one may ask.

    async def act(self, action: Mapping[str, Any], *, seq: int | None = None, key: str | None = None) -> int:
        """Play an action, decided on at `seq` (else at the last one); the seq of its entry, which is durable then.

        Raises:
            Refused: by the rules, or because it is not this seat's turn.
        """
        at = self.seq if seq is None else seq
        return await self._seq(Act, action=dict(action), seq=at, key=key or _new_key())

    async def undo(self, seq: int | None = None) -> int:
        """Take back this seat's action of this seq; without one, its last."""
        last = self._own[-1] if self._own else self.seq
        return await self._seq(Undo, seq=last if seq is None else seq, key=_new_key())

    async def resign(self) -> int:
        """Give the game up."""
        return await self._seq(Resign, key=_new_key())

    async def back(self) -> int:
        """Play a served seat again."""
        return await self._seq(Back, key=_new_key())

    async def legal(self) -> Sequence[Mapping[str, Any]]:
        """Every legal action of this seat."""
        ok = await self._ask(Legal)
        return ok.actions if ok.actions is not UNSET else ()

    async def check(self, digest: str) -> bool:
        """Whether the server has the same state, by its digest."""
        return (await self._ask(Check, seq=self.seq, digest=digest)).match is True

    async def server_time(self) -> int:
        """What time it is at the server, in ms."""
        ok = await self._connection.ask(lambda number: Ping(id=number))
        return ok.now if isinstance(ok.now, int) else 0

    async def chat(self, text: str) -> None:
        """Say a line."""
        await self._ask(Chat, text=text, key=_new_key())

    async def leave(self) -> None:
        """Detach; the seat stays taken."""
        await self._ask(Leave)
        self._connection.forget(self)

    async def _seq(self, kind: type[RoomMessage], **fields: Any) -> int:
        seq = (await self._ask(kind, **fields)).seq
        return seq if isinstance(seq, int) else 0

    async def _ask(self, kind: type[RoomMessage], **fields: Any) -> Ok:
        """Ask; again once the room is attached, if the server did not know yet that it is."""
        while True:
            self.check_attached()
            try:
                return await self._connection.ask(lambda number: kind(id=number, room=self.id, **fields))
            except Refused as refusal:
                self.check_attached()
                if refusal.code != "not_joined" or not self._connection.knows(self):
                    raise
            if self.attached:
                self._connection.attach_anew(self)
            await self._attached.wait()

    # What the connection tells.

    def __aiter__(self) -> AsyncIterator[Told]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[Told]:
        while True:
            while self._told:
                yield self._told.popleft()
            if self.ended is not None or not self._connection.knows(self):
                return
            self._news.clear()
            await self._news.wait()

    def request(self, number: int) -> Join:
        """The join with which to attach (again)."""
        since = Since(self.seq, self.tag) if self.seq else UNSET
        chat = self.chat_n if self.chat_n else UNSET
        return msgspec.structs.replace(self._join, id=number, since=since, chat_since=chat)

    def joined(self, ok: Ok) -> None:
        """The server has attached this connection."""
        self._attached.set()
        self.seat = ok.seat if isinstance(ok.seat, int) else None

    def cut(self) -> None:
        """The server tells nothing at present."""
        self._attached.clear()

    def end(self, reason: Refused | None) -> None:
        """The room is not attached any more, and won't be again."""
        self.ended = reason
        for event in (self.current, self._attached, self._news):
            event.set()

    def take(self, message: Told) -> None:
        """Apply a frame of the room, and hand it on."""
        match message:
            case Snapshot():
                self.seq, self.tag, self.state, self._own = message.seq, message.tag, message.state, []
                if self._turn is not None and self._turn.seq > message.seq:  # of entries that the server has lost
                    self._drop_turn()
                self._settle_turn()
                self.current.set()
            case Patch():
                if not self._patch(message):
                    return
            case Turn():
                self._drop_turn()
                self._turn = message
            case Presence():
                self.presence = message
            case ChatLine():
                if message.n <= self.chat_n:
                    return
                self.chat_n = message.n
            case Error():
                self._detached(message)
        self._told.append(message)
        self._news.set()

    def _patch(self, message: Patch) -> bool:
        """Whether the patch was the next one, and is applied; where it can't be, ask for a snapshot."""
        if message.seq <= self.seq or not self.seq:
            return False
        try:
            if message.seq != self.seq + 1:
                raise ValueError("a gap")
            self.state = apply(self.state, message.ops)  # type: ignore[assignment]
        except ValueError:
            self.seq = 0
            self._connection.attach_anew(self)
            return False
        self.seq, self.tag = message.seq, message.tag
        self._note_own(message)
        self._settle_turn()
        return True

    def _detached(self, error: Error) -> None:
        """The server tells no more of the room: for good, or only for now."""
        if error.code in GONE:
            self.ended = Refused(error.code, error.message)
            self._connection.forget(self)
        else:
            self._connection.attach_anew(self, LATER)

    def _note_own(self, patch: Patch) -> None:
        """Keep in mind which actions are this seat's own: `undo` takes back the last."""
        for event in patch.events[:1]:
            if event.get("kind") == "undo":
                self._own = [seq for seq in self._own if seq < event["of"]]
            elif event.get("kind") == "action" and event["seat"] == self.seat:
                self._own.append(patch.seq)

    def _settle_turn(self) -> None:
        """Drop the last `turn` if it does not hold any more."""
        since = self._since()
        if self._turn is not None and (since is None or since > self._turn.seq):
            self._drop_turn()

    def _drop_turn(self) -> None:
        if self._turn is not None and self._turn in self._told:
            self._told.remove(self._turn)
        self._turn = None


def _new_key() -> str:
    return secrets.token_hex(8)
