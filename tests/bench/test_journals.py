"""Journals made for the bench are ones that a server reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.journals import ACTIONS, GAME, SEATS, compose, write
from server.rooms.entries import Undone
from server.rooms.loading import load
from server.rooms.room import Keep
from server.store.sqlite import SqliteStore
from server.store.store import wall_clock

KEEP = Keep(timeouts_to_serve=3, undo_limit=1_000_000)


@pytest.mark.parametrize("length", [100, 1000])
def test_a_journal_has_about_its_length_and_nothing_to_undo(length: int) -> None:
    author = compose(length)
    least = ACTIONS + SEATS + 1
    assert max(least, length) <= len(author.entries) <= max(least, length) * 1.3
    assert author.room.state.takebacks == ()
    assert any(isinstance(entry, Undone) for entry in author.entries) is (length > least)


async def test_its_rooms_load_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "journals.db"
    prepared = await write(path, 300, 2)
    store = SqliteStore(path)
    await store.open()
    try:
        rooms = [
            (await load(store, each.room, KEEP, recent=0, now=wall_clock())).room  # type: ignore[arg-type]
            for each in prepared
        ]
    finally:
        await store.close()
    assert len({room.state.id for room in rooms}) == 2
    for room, each in zip(rooms, prepared, strict=True):
        assert room.head.seq >= 300
        assert room.state.created.game == GAME
        assert len(each.tokens) == SEATS
        assert not room.state.ended
