"""`verify`: journals that this version plays as they were written, and those that it does not."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from server.engines import ENGINES
from server.support.cli import main
from tests.rooms.tables import Party
from tests.support.evening import environment, evening, rewrite


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Party]:
    file = tmp_path_factory.mktemp("verify") / "rooms.db"
    return file, asyncio.run(evening(file))


@pytest.fixture
def copied(played: tuple[Path, Party], tmp_path: Path) -> tuple[Path, Party]:
    """The same, for a test that spoils it."""
    file, party = played
    return Path(shutil.copy(file, tmp_path)), party


def verified(file: Path, *arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    """The exit code of `verify`, and the lines that it printed."""
    code = main(["verify", *arguments], environment(file))
    told = capsys.readouterr()
    assert told.err == ""
    return code, told.out.splitlines()


def test_what_was_written_by_these_rules_is_good(
    played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]
) -> None:
    file, party = played
    code, lines = verified(file, "--all", capsys=capsys)
    assert code == 0
    assert len(lines) == 3  # the public room, the private one, the sum
    assert f"{party.room}: good, {party.peers[0].seq} entries" in lines
    assert lines[-1] == "2 rooms: 2 good"
    assert verified(file, "--all", "--quiet", capsys=capsys) == (0, ["2 rooms: 2 good"])


def test_other_rules_are_found_at_the_entry_that_they_change(
    copied: tuple[Path, Party], capsys: pytest.CaptureFixture[str]
) -> None:
    file, party = copied
    seq = rewrite(file, party.room, digest=b"12345678")
    code, lines = verified(file, party.room, capsys=capsys)
    assert code == 1
    assert lines[0].startswith(f"{party.room}: broken, {seq - 1} entries; entry {seq}: ")
    assert verified(file, "--all", capsys=capsys)[1][-1] == "2 rooms: 1 good, 1 broken"


def test_an_action_that_these_rules_forbid_is_found(
    copied: tuple[Path, Party], capsys: pytest.CaptureFixture[str]
) -> None:
    file, party = copied
    seq = rewrite(file, party.room, action={"type": "attack", "target": 63, "attack": "strike", "use": []})
    code, lines = verified(file, party.room, capsys=capsys)
    assert code == 1
    assert f"entry {seq}: an action that can't be" in lines[0]


def test_a_gap_in_the_journal_is_found(copied: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    file, party = copied
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(
            "DELETE FROM entry WHERE seq = 5 AND id = (SELECT id FROM room WHERE room = ?)", (party.room,)
        )
    code, lines = verified(file, party.room, capsys=capsys)
    assert code == 1
    assert lines[0].startswith(f"{party.room}: broken, 4 entries; entry 5: ")


def test_a_snapshot_that_the_journal_does_not_lead_to_is_found(
    copied: tuple[Path, Party], capsys: pytest.CaptureFixture[str]
) -> None:
    file, party = copied
    with closing(sqlite3.connect(file)) as connection, connection:
        ((data, number),) = connection.execute("SELECT data, id FROM snapshot").fetchall()
        name = party.peers[0].state["room"]["seats"][0]["name"].encode()
        assert data.count(name) == 1
        connection.execute("UPDATE snapshot SET data = ? WHERE id = ?", (data.replace(name, b"X" * len(name)), number))
    code, lines = verified(file, party.room, capsys=capsys)
    assert code == 1
    assert lines[0].endswith("the snapshot is not what the journal leads to")


def test_rules_that_are_gone_are_told_apart(
    copied: tuple[Path, Party], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, party = copied
    (dragonwood,) = [key for key in ENGINES if key[0] == "dragonwood"]
    monkeypatch.delitem(ENGINES, dragonwood)
    code, lines = verified(file, party.room, capsys=capsys)
    assert code == 1
    assert lines[0].startswith(f"{party.room}: foreign, 0 entries; entry 1: dragonwood ")


def test_a_room_that_does_not_exist(played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    assert verified(played[0], "NOSUCH", capsys=capsys) == (1, ["NOSUCH: missing, 0 entries", "1 rooms: 1 missing"])
