"""`inspect`: what support may see of a room, and what it sees only when it asks for secrets."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from server.rooms.requests import hashed
from server.support.cli import main
from tests.rooms.tables import Party
from tests.support.evening import environment, evening, rewrite


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Party]:
    file = tmp_path_factory.mktemp("inspect") / "rooms.db"
    return file, asyncio.run(evening(file))


def shown(capsys: pytest.CaptureFixture[str], file: Path, *arguments: str) -> dict[str, Any]:
    """What `inspect --json` prints."""
    assert main(["inspect", *arguments, "--json"], environment(file)) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def secrets_of(file: Path, party: Party) -> list[str]:
    """What must not be told of a running game: its seed, and the hash of every token."""
    with closing(sqlite3.connect(file)) as connection:
        (data,) = connection.execute(
            "SELECT entry.data FROM room JOIN entry USING (id) WHERE room = ? AND entry.seq = 1", (party.room,)
        ).fetchone()
    hashes = [hashed(token) for token in party.tokens]
    assert hashes[0] in data  # the creator's
    seeds = [data[at + 2 : at + 34] for at in range(len(data)) if data[at : at + 2] == b"\xc4\x20"]
    return [*(secret.hex() for secret in hashes), *(secret.hex() for secret in seeds)]


def test_the_state_is_what_everybody_sees(played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    file, party = played
    found = shown(capsys, file, party.room)
    state = {key: value for key, value in party.peers[0].state.items() if key != "you"}
    assert found["state"] == state
    assert found["entries"] == len(found["journal"]) == party.peers[0].seq
    assert found["problem"] is None
    assert found["hidden"] is None
    assert [entry["seq"] for entry in found["journal"]] == list(range(1, found["entries"] + 1))
    assert found["next"]["intent"] == "PlayFor"
    assert found["snapshot"]["seq"] > 8


def test_secrets_are_masked_unless_asked_for(played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    file, party = played
    secrets = secrets_of(file, party)
    for arguments in ([party.room], [party.room, "--json"]):
        assert main(["inspect", *arguments], environment(file)) == 0
        text = capsys.readouterr().out
        assert not [secret for secret in secrets if secret in text]
        assert "***" in text
    open_book = shown(capsys, file, party.room, "--secrets")
    text = json.dumps(open_book)
    assert all(secret in text for secret in secrets)
    assert "***" not in text
    assert open_book["hidden"]["private"][0]["seat"] == 0


def test_an_action_is_told_by_its_public_events(played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    file, party = played
    masked = shown(capsys, file, party.room)["journal"]
    acted = [entry for entry in masked if entry["kind"] == "action"]
    assert {json.dumps(entry["action"]) for entry in acted} == {'"***"'}
    assert any(entry.get("events") for entry in acted)


def test_people_get_a_line_an_entry(played: tuple[Path, Party], capsys: pytest.CaptureFixture[str]) -> None:
    file, party = played
    assert main(["inspect", party.room], environment(file)) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["room", party.room]
    assert "problem   none" in lines
    journal = lines[lines.index("journal") + 1 : lines.index("state") - 1]
    assert len([line for line in journal if line[:7].strip().isdigit()]) == party.peers[0].seq


def test_a_room_that_can_not_be_played_is_shown_as_far_as_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "rooms.db"
    party = asyncio.run(evening(file, steps=12))
    seq = rewrite(file, party.room, digest=b"12345678")
    found = shown(capsys, file, party.room)
    assert found["problem"]["seq"] == seq
    assert len(found["journal"]) == seq - 1
    assert main(["inspect", party.room], environment(file)) == 0
    assert "another state" in capsys.readouterr().out


def test_no_such_room_and_no_such_file(
    played: tuple[Path, Party], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = played
    assert main(["inspect", "NOSUCH"], environment(file)) == 1
    assert capsys.readouterr().err == "pharos: NOSUCH: there is no such room\n"
    assert main(["inspect", "NOSUCH"], environment(tmp_path / "none.db")) == 2
    assert capsys.readouterr().err == f"pharos: PHAROS_STORE: there is no file {tmp_path}/none.db\n"
    assert not list(tmp_path.iterdir())
