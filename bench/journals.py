"""SQLite files with rooms whose journals are short or long, all at the same place of the same game.

A long journal is a real one: each action that can be undone is undone and played again many times before the game goes
on, every entry under a key of its own, in a deployment that sets no limit to undoing.
"""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path
from random import Random

import msgspec

from bench.jobs import Prepared
from protocol.messages import RoomId
from server.engines import latest
from server.rooms.entries import FORMAT, AnyEntry, Created, Recorded, pack
from server.rooms.ids import new_id
from server.rooms.intents import AnyIntent, Play, TakeBack, TakeSeat
from server.rooms.listing import index_of
from server.rooms.room import Keep, Room
from server.rooms.saved import save
from server.settings import Pace
from server.store.sqlite import SqliteStore
from server.store.store import EMPTY, Append, wall_clock

GAME = "dragonwood"
SEATS = 4
ACTIONS = 90
"""How far the game has come, in actions that were not taken back."""

BATCH = 256
"""Entries in one append to the file."""


class Author:
    """Writes one journal through the room itself, so that every entry is one that a server would write."""

    def __init__(self, game: str, seats: int, random: Random) -> None:
        engine = latest(game)
        assert engine is not None, game
        self.tokens = tuple(secrets.token_urlsafe(16) for _ in range(seats))
        self._holders = [hashlib.sha256(token.encode()).digest() for token in self.tokens]
        self._random = random
        options = msgspec.to_builtins(engine.options())
        created = Created(FORMAT, game, engine.rules, options, seats, False, secrets.token_bytes(32), self._holders[0])
        self.entries: list[AnyEntry] = [created]
        first = Recorded(1, "0" * 16, wall_clock(), created)
        self.room = Room.begin(RoomId("222222"), first, Keep(timeouts_to_serve=3, undo_limit=1_000_000))
        for holder in self._holders:
            self._write(TakeSeat(holder, None, "bot"))

    def _write(self, intent: AnyIntent) -> None:
        entry = self.room.decide(intent).entry
        self.room.advance(Recorded(self.room.head.seq + 1, "0" * 16, self.room.head.at, entry))
        self.entries.append(entry)

    def act(self, again: int) -> bool:
        """Some seat acts and, if that can be undone, takes it back and acts again so often. Whether it could be."""
        decision = self.room.state.clocks.decisions[0]
        holder = self._holders[decision.seat]
        action = msgspec.to_builtins(self._random.choice(self.room.legal_actions(decision.seat)))
        before = len(self.room.state.takebacks)
        self._write(Play(holder, action, self.room.head.seq, self._key()))
        undoable = len(self.room.state.takebacks) > before
        for _ in range(again if undoable else 0):
            self._write(TakeBack(holder, self.room.head.seq, self._key(), self.room.head.at))
            self._write(Play(holder, action, self.room.head.seq, self._key()))
        return undoable

    def _key(self) -> str:
        return f"k{len(self.entries):06}"


def compose(length: int) -> Author:
    """A journal of about so many entries, `ACTIONS` actions into the game, where nothing can be undone."""
    author = Author(GAME, SEATS, Random(7))
    done = 0
    while done < ACTIONS or author.room.state.takebacks:
        left = max(0, length - len(author.entries))
        author.act(left // (2 * max(1, (ACTIONS - done) // 3)))
        done += 1
    return author


async def write(path: Path, length: int, rooms: int) -> tuple[Prepared, ...]:
    """A file with so many rooms that have this journal, each under an id of its own, and its snapshot."""
    author = compose(length)
    store = SqliteStore(path)
    await store.open()
    prepared = []
    for _ in range(rooms):
        room = new_id(private=False)
        head = EMPTY
        index = index_of(author.room, author.room.state, Pace())
        for first in range(0, len(author.entries), BATCH):
            entries = tuple(pack(entry) for entry in author.entries[first : first + BATCH])
            tags = tuple(secrets.token_hex(8) for _ in entries)
            head = await store.append(Append(room, head, entries, tags, index, wall_clock() + 3000))
        state = msgspec.structs.replace(author.room.state, id=room, head=head)
        kept = Room(author.room.rulebook, state, Keep(timeouts_to_serve=3, undo_limit=1_000_000), author.room.keys)
        await store.save(room, save(kept))
        prepared.append(Prepared(room, author.tokens))
    await store.close()
    return tuple(prepared)
