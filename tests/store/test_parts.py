"""The parts that stores share: cursors, compressed journals, the mailbox."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.messages import MAX_INT, RoomId
from server.store.archive import pack, unpack
from server.store.cursor import cursor_behind, position_of
from server.store.mailbox import Mailbox
from server.store.store import News, Stored, Wakeup
from tests.store.contract import OTHER, ROOM

entries = st.lists(
    st.builds(Stored, st.integers(1, 20_000), st.text(max_size=16), st.integers(0, MAX_INT), st.binary(max_size=64))
)


@given(st.integers(0, MAX_INT), st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_a_cursor_names_its_position(created: int, room: str) -> None:
    assert position_of(cursor_behind(created, RoomId(room))) == (created, room)


@given(st.text(max_size=60))
def test_any_other_text_is_no_cursor(text: str) -> None:
    with pytest.raises(ValueError, match="cursor"):
        position_of(text)


@given(entries)
def test_a_compressed_journal_is_the_journal(journal: list[Stored]) -> None:
    assert unpack(pack(journal)) == tuple(journal)


@given(st.binary(max_size=40))
def test_other_bytes_are_no_compressed_journal(record: bytes) -> None:
    with pytest.raises(ValueError, match="compressed journal"):
        unpack(record)


def test_a_cut_journal_is_no_compressed_journal() -> None:
    record = pack([Stored(n, "a" * 16, n, b"data") for n in range(50)])
    with pytest.raises(ValueError, match="compressed journal"):
        unpack(record[:-3])


async def read(mailbox: Mailbox) -> list[Wakeup]:
    mailbox.close()
    return [wakeup async for wakeup in mailbox.read()]


async def test_of_one_kind_about_one_room_the_newest_waits() -> None:
    mailbox = Mailbox()
    for wakeup in (
        Wakeup(ROOM, News.ENTRY, 7),
        Wakeup(ROOM, News.CHAT),
        Wakeup(OTHER, News.ENTRY, 3),
        Wakeup(ROOM, News.ENTRY, 8),
        Wakeup(ROOM, News.ENTRY, 6),
        Wakeup(ROOM, News.CHAT),
    ):
        mailbox.post(wakeup)
    assert await read(mailbox) == [Wakeup(ROOM, News.ENTRY, 8), Wakeup(ROOM, News.CHAT), Wakeup(OTHER, News.ENTRY, 3)]


async def test_what_was_dropped_is_not_read() -> None:
    mailbox = Mailbox()
    for news in (News.ENTRY, News.CHAT, News.PRESENCE):
        mailbox.post(Wakeup(ROOM, news, 1))
        mailbox.post(Wakeup(OTHER, news, 1))
    mailbox.drop(ROOM)
    assert {wakeup.room for wakeup in await read(mailbox)} == {OTHER}


async def test_what_comes_while_one_reads_is_read() -> None:
    mailbox = Mailbox()
    reader = mailbox.read()
    waiting = asyncio.ensure_future(anext(reader))
    await asyncio.sleep(0)
    mailbox.post(Wakeup(ROOM, News.ENTRY, 1))
    assert await waiting == Wakeup(ROOM, News.ENTRY, 1)
    mailbox.post(Wakeup(ROOM, News.ENTRY, 2))
    assert await anext(reader) == Wakeup(ROOM, News.ENTRY, 2)
