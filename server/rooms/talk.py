"""Who is there and what is said: a table's presence and chat, which live in the store and not in its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import orjson
import structlog

from protocol.codes import Code, ProtocolError
from protocol.messages import Chat, ChatLine, Presence
from protocol.texts import clean_line
from server.rooms.deciding import refuse
from server.rooms.jobs import Job
from server.rooms.loading import NoSuchRoom
from server.rooms.options import ChatRule
from server.rooms.viewers import Viewer
from server.store.store import Attached, Line, StoreUnavailable

if TYPE_CHECKING:
    from server.rooms.table import Table

log = structlog.get_logger("pharos.rooms")

LINES_AFTER_JOIN = 50
LINES_KEPT = 200

TOGETHER = 100
"""ms within which comings and goings are told as one: a crowd that comes at once costs each of it little."""


class Talk:
    """What a table knows of presence and chat. Everything but `changed` runs in the table's jobs."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.presence: Presence | None = None
        self.due: int | None = None
        """When the viewers are to be told who is there (ms of store time), if they have to be."""
        self._told: Presence | None = None
        self._told_at = 0
        self._lines: list[ChatLine] | None = None
        self._said: dict[str, float] = {}
        self._keys: dict[tuple[str, str], ChatLine] = {}
        self._announcing = False
        self._deaf = False
        """Whether the store could not tell what was said."""

    # Presence.

    def changed(self) -> None:
        """Somebody came or went here, or elsewhere: find out and tell, soon and once."""
        if self._announcing:
            return
        self._announcing = True
        self._table.submit(Job(lambda table: table.talk.announce(), self._not_announced))

    def _not_announced(self, _: ProtocolError) -> None:
        """The next renewal of the record tries again."""
        self._announcing = False

    async def announce(self) -> None:
        """Renew this node's record, and tell the viewers if anything is other than it was told."""
        self._announcing = False
        table, store = self._table, self._table.hub.store
        viewers = table.viewers
        if self._deaf:
            await self.listen()
        try:
            await store.attached(table.id, table.hub.node, viewers.seats(), len(viewers.spectators))
            found = await store.presence(table.id)
        except StoreUnavailable:
            found = Attached(viewers.seats(), len(viewers.spectators), 0)
        seats = range(len(table.room.state.seats))
        self.presence = Presence(table.id, [seat in found.seats for seat in seats], found.spectators)
        self._tell()

    def _tell(self) -> None:
        """Tell all viewers who is there, now or as soon as it may be."""
        presence, now = self.presence, self._table.hub.clock.now()
        if presence is None or presence == self._told:
            self.due = None
        elif now - self._told_at < TOGETHER:
            self.due = self._told_at + TOGETHER
        else:
            self._told, self._told_at, self.due = presence, now, None
            self._table.viewers.notice(presence, now)

    def tell(self) -> None:
        """It is time to tell the viewers who is there."""
        self.due = None
        self._table.submit(Job(_tell_presence, lambda _: None))

    def greet(self, viewer: Viewer) -> None:
        """Tell a new viewer who is there."""
        table = self._table
        presence = self.presence if viewer.seat is not None or not table.viewers.delay else table.viewers.shown
        if presence is None:
            presence = Presence(table.id, [False] * len(table.room.state.seats), 0)
        viewer.presence = presence
        viewer.connection.outbox.notice(table.id, viewer.connection.codec.encode(presence))

    # Chat.

    def _rule(self) -> ChatRule:
        return self._table.room.rulebook.shared.chat

    async def say(self, viewer: Viewer, message: Chat) -> int:
        """Say a line; its number.

        Raises:
            ProtocolError: the room's chat rule, the pace, the text, a reused key.
            NoSuchRoom, StoreUnavailable, UnknownOutcome.
        """
        self._may_say(viewer)
        text = clean_line(message.text)
        table = self._table
        speaker = viewer.connection.id if viewer.holder is None else viewer.holder.hex()
        key = message.key if isinstance(message.key, str) else None
        if key is not None and (known := self._keys.get((speaker, key))) is not None:
            return known.n if known.text == text else refuse(Code.KEY_REUSED, "key: it was used for another line")
        now = self._in_time(speaker)
        if self._lines is None:
            await self.hear()
        taken = None if viewer.seat is None else table.room.state.seats[viewer.seat]
        name = taken.name if taken is not None else None
        line = ChatLine(table.id, 0, viewer.seat, name, text, table.hub.clock.now())
        try:
            n = await table.hub.store.say(table.id, _pack(line), None if key is None else f"{speaker}:{key}")
        except LookupError:
            raise NoSuchRoom(table.id) from None
        await self.listen()
        said = next((known for known in self._lines or () if known.n == n), line)
        if said.text != text:
            refuse(Code.KEY_REUSED, "key: it was used for another line")
        if said.at == line.at:  # else it was said before, under its key
            self._count(speaker, now)
        if key is not None:
            self._remember(speaker, key, said)
        return n

    def _may_say(self, viewer: Viewer) -> None:
        rule = self._rule()
        if rule is ChatRule.NONE:
            refuse(Code.FORBIDDEN, "this room has no chat")
        if rule is ChatRule.SEATS and viewer.seat is None:
            refuse(Code.FORBIDDEN, "only the seats chat in this room")

    def _in_time(self, speaker: str) -> float:
        """The moment, on the steady clock, if the speaker may say another line now."""
        now, interval = self._table.hub.clock.monotonic(), self._table.hub.pace.chat_interval
        waited = (now - self._said.get(speaker, float("-inf"))) * 1000
        if waited < interval:
            retry = max(1, int(interval - waited))
            raise ProtocolError(Code.RATE_LIMITED, "one line a second", retry_after=retry)
        return now

    def _count(self, speaker: str, now: float) -> None:
        self._said.pop(speaker, None)
        if len(self._said) > LINES_KEPT:
            self._said.pop(next(iter(self._said)))
        self._said[speaker] = now

    def _remember(self, speaker: str, key: str, line: ChatLine) -> None:
        if len(self._keys) > LINES_KEPT:
            self._keys.pop(next(iter(self._keys)))
        self._keys[speaker, key] = line

    async def hear(self) -> None:
        """Tell the viewers what was said since, here or elsewhere."""
        for line in await self._news():
            self._table.viewers.notice(line, line.at, seats_only=self._rule() is ChatRule.SEATS)

    async def listen(self) -> None:
        """Hear what was said, if the store can tell it; else at the next news or renewal of the presence."""
        try:
            await self.hear()
            self._deaf = False
        except StoreUnavailable as error:
            self._deaf = True
            log.warning("store unavailable", room=self._table.id, reason=str(error))

    async def _news(self) -> list[ChatLine]:
        known = self._lines
        if not known:
            self._lines = await self._stored(0)
            if known is None:
                self._await_again()
                return []
            return self._lines
        last = known[-1]
        found = await self._stored(last.n - 1)
        if not found or found[0] != last:  # so many were said since, or the store has lost the last ones
            found = await self._stored(0)
            self._lines = found
            self._keys.clear()
            return [line for line in found if line not in known]
        self._lines = (known + found[1:])[-LINES_KEPT:]
        return found[1:]

    async def _stored(self, after: int) -> list[ChatLine]:
        room = self._table.id
        return [_unpack(room, line) for line in await self._table.hub.store.lines(room, after)]

    def begin_anew(self) -> None:
        """The room was loaded anew: what spectators who are behind were still to hear waits no more."""
        viewers = self._table.viewers
        if viewers.delay and self.presence is not None:
            viewers.notice(self.presence, self._table.hub.clock.now())
        self._await_again()

    def _await_again(self) -> None:
        """Let spectators who are behind hear the last lines in their time."""
        table = self._table
        if table.viewers.delay and self._rule() is not ChatRule.SEATS:
            now = table.hub.clock.now()
            table.viewers.keep([line for line in self._lines or () if line.at + table.viewers.delay > now])

    def recent(self, viewer: Viewer, since: int | None) -> None:
        """Tell a new viewer the last lines that are known, or those after the line `since`."""
        if self._rule() is ChatRule.SEATS and viewer.seat is None:
            return
        lines = self._lines or []
        viewers = self._table.viewers
        if viewer.seat is None and viewers.delay:  # what is younger waits for all of them, this one included
            lines = [line for line in lines if line.at + viewers.delay <= viewers.released]
        if since is None or (lines and since > lines[-1].n):  # a line that the store has lost
            chosen = lines[-LINES_AFTER_JOIN:]
        else:
            chosen = [line for line in lines if line.n > since]
        for line in chosen:
            viewer.connection.outbox.notice(self._table.id, viewer.connection.codec.encode(line), line.n)

    def again(self, viewer: Viewer) -> None:
        """Tell a viewer that reads again who is there, and what was said, if it missed any of that."""
        line = viewer.connection.outbox.missed(self._table.id)
        if line is None:
            return
        self.greet(viewer)
        if line:
            self.recent(viewer, line - 1)


async def _tell_presence(table: Table) -> None:
    table.talk._tell()


def _pack(line: ChatLine) -> bytes:
    return orjson.dumps({"seat": line.seat, "name": line.name, "text": line.text, "at": line.at})


def _unpack(room: str, line: Line) -> ChatLine:
    return msgspec.convert({"room": room, "n": line.n, "t": "chat", **orjson.loads(line.data)}, ChatLine)
