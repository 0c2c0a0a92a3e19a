"""What a room remembers for those who resume: bounded in changes and bytes, without gaps, by seq and tag."""

from __future__ import annotations

import pytest

from protocol.codec import JSON
from server.rooms.audience import Change
from server.rooms.history import History
from server.store.store import Head
from tests.rooms.journal import START, Journal

pytestmark = pytest.mark.usefixtures("toy")

BASE = Head(3, f"{3:016x}", START)


def changes(count: int) -> list[Change]:
    """The changes of entries 4, 5, …, each with a frame that was sent."""
    journal, found = Journal(rounds=5, bids=False), []
    while len(found) < count:
        found.append(journal.play(journal.state.clocks.decisions[0].seat, "pass"))
        found[-1].frame(None, JSON)
    return found


def tag(seq: int) -> str:
    return f"{seq:016x}"


def seen(history: History, seq: int) -> list[bytes]:
    """The frames after an entry, as a spectator gets them."""
    kept = history.since(seq, tag(seq))
    assert kept is not None
    assert [each.head.seq for each in kept] == list(range(seq + 1, seq + 1 + len(kept)))
    return [each.frame(None, JSON) for each in kept]


def frames(told: list[Change]) -> list[bytes]:
    return [change.frame(None, JSON) for change in told]


def filled(count: int, most: int, most_bytes: int = 10**9) -> tuple[History, list[Change]]:
    history, all_of_them = History(BASE, most, most_bytes), changes(count)
    for change in all_of_them:
        history.add(change)
    return history, all_of_them


def test_it_gives_what_came_after_an_entry() -> None:
    history, kept = filled(5, 10)
    for number in range(6):
        assert seen(history, 3 + number) == frames(kept[number:])
    assert history.since(2, tag(2)) is None
    assert history.since(9, tag(9)) is None
    assert history.since(0, "") is None


def test_an_entry_of_another_branch_is_not_known() -> None:
    history, _ = filled(5, 10)
    for seq in range(3, 9):
        assert history.since(seq, tag(seq + 1)) is None
        assert history.since(seq, "") is None


def test_the_oldest_go_when_there_are_too_many() -> None:
    history, kept = filled(6, 4)
    assert history.since(4, tag(4)) is None
    assert seen(history, 5) == frames(kept[2:])
    assert history.since(5, tag(6)) is None
    assert history.since(9, tag(9)) == ()


def test_the_oldest_go_when_they_are_too_heavy_but_never_the_last() -> None:
    weights = [change.kept().weight for change in changes(6)]
    history, kept = filled(6, 100, sum(weights[3:]))
    assert history.since(5, tag(5)) is None
    assert seen(history, 6) == frames(kept[3:])
    history, kept = filled(6, 100, 1)
    assert seen(history, 8) == frames(kept[-1:])
    assert history.since(7, tag(7)) is None


def test_an_empty_one_knows_its_base() -> None:
    history = History(BASE, 4, 1000)
    assert history.since(3, tag(3)) == ()
    assert history.since(3, tag(4)) is None
