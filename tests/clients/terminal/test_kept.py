"""The seats that are kept in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.terminal import kept
from clients.terminal.kept import Kept, default_path

HERE, THERE = "http://127.0.0.1:8000", "http://example.net"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "pharos" / "seats.json"


def test_a_seat_is_there_for_the_next_run_at_its_server_only(path: Path) -> None:
    Kept(HERE, path).keep("K7QF2M", "token")
    assert Kept(HERE, path).own("K7QF2M") == "token"
    assert Kept(HERE, path).own("AAAAAA") is None
    assert Kept(THERE, path).own("K7QF2M") is None


def test_bots_are_kept_apart_from_the_person(path: Path) -> None:
    seats = Kept(HERE, path)
    seats.keep("K7QF2M", "bot", "greedy")
    assert seats.own("K7QF2M") is None
    seats.keep("K7QF2M", "mine")
    again = Kept(HERE, path)
    assert again.own("K7QF2M") == "mine"
    assert [(seat.token, seat.policy) for seat in again.bots("K7QF2M")] == [("bot", "greedy")]


def test_the_last_seat_taken_in_a_room_counts_and_a_dropped_room_is_forgotten(path: Path) -> None:
    seats = Kept(HERE, path)
    seats.keep("K7QF2M", "first")
    seats.keep("K7QF2M", "second")
    seats.keep("AAAAAA", "other")
    assert seats.own("K7QF2M") == "second"
    seats.drop("K7QF2M")
    assert Kept(HERE, path).own("K7QF2M") is None
    assert Kept(HERE, path).own("AAAAAA") == "other"


def test_a_token_that_does_not_fit_is_forgotten_alone(path: Path) -> None:
    seats = Kept(HERE, path)
    seats.keep("K7QF2M", "mine")
    seats.keep("K7QF2M", "bot", "greedy")
    seats.keep("K7QF2M", "wrong")
    seats.drop("K7QF2M", "wrong")
    again = Kept(HERE, path)
    assert again.own("K7QF2M") == "mine"
    assert [seat.token for seat in again.bots("K7QF2M")] == ["bot"]


def test_two_programs_do_not_lose_each_others_seats(path: Path) -> None:
    one, other = Kept(HERE, path), Kept(HERE, path)
    one.keep("K7QF2M", "one")
    other.keep("AAAAAA", "other")
    assert Kept(HERE, path).own("K7QF2M") == "one"
    assert Kept(HERE, path).own("AAAAAA") == "other"


def test_the_file_is_for_the_user_alone_and_nothing_lies_beside_it(path: Path) -> None:
    Kept(HERE, path).keep("K7QF2M", "token")
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_can_not_be_read_costs_the_memory_only(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("{broken")
    seats = Kept(HERE, path)
    assert seats.own("K7QF2M") is None
    seats.keep("K7QF2M", "token")
    assert Kept(HERE, path).own("K7QF2M") == "token"


def test_a_place_that_can_not_be_written_costs_the_memory_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    seats = Kept(HERE, tmp_path / "file" / "seats.json")
    seats.keep("K7QF2M", "token")
    seats.keep("AAAAAA", "other")
    assert seats.own("K7QF2M") == "token"


def test_without_a_file_they_are_kept_while_the_program_runs() -> None:
    seats = Kept(HERE, None)
    seats.keep("K7QF2M", "one")
    seats.keep("AAAAAA", "two")
    seats.drop("AAAAAA")
    assert (seats.own("K7QF2M"), seats.own("AAAAAA")) == ("one", None)


def test_the_oldest_seats_are_forgotten_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    seats = Kept(HERE, path)
    for room in ("AAAAAA", "BBBBBB", "CCCCCC"):
        seats.keep(room, room.lower())
    assert [Kept(HERE, path).own(room) for room in ("AAAAAA", "BBBBBB", "CCCCCC")] == [None, "bbbbbb", "cccccc"]


def test_the_place_follows_the_environment() -> None:
    assert default_path({"XDG_STATE_HOME": "/somewhere"}) == Path("/somewhere/pharos/seats.json")
    assert default_path({}) == Path.home() / ".local" / "state" / "pharos" / "seats.json"
