"""A store with rooms in which people have played, for the commands that look at stores."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from protocol.messages import CreateRoom
from server.rooms.entries import Acted, AnyEntry, pack, unpack
from server.rooms.hub import Hub
from server.settings import Pace
from server.store.sqlite import SqliteStore
from tests.rooms.tables import QUICK, Nodes, Party, new_token

SNAPSHOTS: Pace = msgspec.structs.replace(QUICK, snapshot_every=8)
CLOCK = {"bank": 600_000, "per_turn": 600_000}


async def evening(file: Path, *, steps: int = 40) -> Party:
    """A public room of two seats in a new file, after so many actions; and a private one where somebody waits."""
    hub = Hub(SqliteStore(file), SNAPSHOTS, "alone")
    await hub.start()
    try:
        await hub.create(CreateRoom("islet", 2, private=True), new_token())
        party, random = await Nodes([hub]).party(2, clock=CLOCK), Random(5)
        while steps and await party.playing():
            await party.step(random)
            steps -= 1
        await party.settled()
    finally:
        await hub.stop()
    return party


def rewrite(file: Path, room: str, **changes: Any) -> int:
    """Write the last action of a room's journal otherwise; the seq of it."""
    with closing(sqlite3.connect(file)) as connection, connection:
        rows = connection.execute(
            "SELECT id, entry.seq, entry.data FROM room JOIN entry USING (id) WHERE room = ? ORDER BY entry.seq DESC",
            (room,),
        ).fetchall()
        number, seq, entry = next(
            (number, seq, entry) for number, seq, data in rows if isinstance(entry := unpack(data), Acted)
        )
        other: AnyEntry = msgspec.structs.replace(entry, **changes)
        connection.execute("UPDATE entry SET data = ? WHERE id = ? AND seq = ?", (pack(other), number, seq))
    return int(seq)


def environment(file: Path) -> dict[str, str]:
    """Settings for a command on the file."""
    return {"PHAROS_STORE": f"sqlite:///{file}"}
