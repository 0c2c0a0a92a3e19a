"""The load tool: what it counts, and short runs against real servers with everything that can go wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from clients.load import party, report
from clients.load.__main__ import arguments, run
from clients.load.ledger import KEPT, Ledger, Watch, percentile
from clients.lobby import Lobby
from protocol.messages import Patch, Snapshot
from tests.processes import serving

PNG = b"\x89PNG\r\n\x1a\n"
TAG = "0" * 16


def test_an_update_is_measured_from_the_asking_whichever_comes_first() -> None:
    ledger = Ledger()
    watch = Watch(ledger)
    watch.seen(7)
    watch.seen(7)
    assert ledger.updates == 0
    watch.acted(7, asked=0.0)
    watch.seen(7)
    assert (ledger.actions, ledger.updates, watch.acknowledged) == (1, 3, 7)
    first, *_, last = ledger.all()
    assert 0 < first <= last


def test_updates_that_nobody_here_asked_for_are_forgotten() -> None:
    ledger = Ledger()
    watch = Watch(ledger)
    for seq in range(1, 2 * KEPT):
        watch.seen(seq)
    watch.acted(1, asked=0.0)
    assert (ledger.actions, ledger.updates) == (1, 0)


@pytest.mark.parametrize(("code", "sound"), [("stale", True), ("game_over", True), ("illegal_action", False)])
def test_only_what_others_were_faster_at_may_be_refused(code: str, sound: bool) -> None:
    ledger = Ledger()
    ledger.actions = 1
    ledger.refusal(code)
    assert ledger.sound is sound
    assert ledger.refused[code] == 1


def test_a_run_without_actions_or_with_a_foreign_state_is_not_sound() -> None:
    ledger = Ledger()
    assert not ledger.sound
    ledger.actions = 1
    ledger.checked(same=True)
    assert ledger.sound
    ledger.checked(same=False)
    assert not ledger.sound


@pytest.mark.parametrize(("share", "expected"), [(0.5, 2.0), (0.51, 3.0), (0.99, 4.0), (1.0, 4.0), (0.0, 1.0)])
def test_percentiles_are_samples(share: float, expected: float) -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], share) == expected


def test_slow_readers_are_spread_over_the_rooms() -> None:
    asked = arguments(["--rooms", "3", "--spectators", "2", "--slow", "4"])
    spread = [len(range(n, asked.slow, asked.rooms)) for n in range(asked.rooms)]
    assert spread == [2, 1, 1]
    with pytest.raises(SystemExit):
        arguments(["--rooms", "1", "--spectators", "1", "--slow", "2"])


async def test_load_with_cuts_and_a_kill_leaves_every_state_right(tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("matplotlib")
    console, png = Console(record=True, width=100, quiet=True), tmp_path / "latency.png"
    asked = arguments(
        [
            *("--rooms", "2", "--seats", "2", "--think", "0.02", "--duration", "5", "--check-all"),
            *("--kill-every", "2", "--drops", "120", "--slow", "1", "--png", str(png)),
        ]
    )
    ledgers = _ledgers(monkeypatch)
    assert await run(asked, console) == 0
    ledger = ledgers[0]
    assert {what for _, what in ledger.troubles} >= {"kill", "up"}
    assert ledger.actions > 20
    assert ledger.checks >= 2 * 3
    assert png.read_bytes().startswith(PNG)


async def test_states_that_differ_make_the_run_fail(monkeypatch: Any) -> None:
    monkeypatch.setattr(party, "digest", lambda _: "0" * 64)
    ledgers = _ledgers(monkeypatch)
    asked = arguments(["--rooms", "1", "--seats", "2", "--think", "0.01", "--duration", "1", "--check-all"])
    with serving({"PHAROS_STORE": "memory://"}) as server:
        asked.url = server.url
        assert await run(asked, Console(quiet=True)) == 1
    assert ledgers[0].failures.keys() == {"a client's state that is not the server's"}


async def test_entries_that_a_client_saw_and_the_server_lost_make_the_run_fail() -> None:
    class Lossy:
        over = False
        actions = ()

        async def __aiter__(self) -> AsyncIterator[Snapshot | Patch]:
            yield Snapshot("K7QF2M", 3, TAG, {})
            yield Patch("K7QF2M", 4, TAG, 0, [], [])
            yield Snapshot("K7QF2M", 9, TAG, {})
            yield Snapshot("K7QF2M", 7, TAG, {})

        def check_attached(self) -> None:
            """It is."""

    ledger = Ledger()
    playing = party.Party(party.Wish("http://127.0.0.1:9", "islet", 2, 1, think=0.0), ledger, checked=True)
    await playing._view(Lossy(), Watch(ledger))  # type: ignore[arg-type]
    assert ledger.failures == {"entries lost that a client had seen": 2}
    assert not ledger.sound


async def test_when_a_game_ends_the_same_clients_begin_another() -> None:
    again = asyncio.Event()

    class Counting(Ledger):
        def __setattr__(self, name: str, value: object) -> None:
            super().__setattr__(name, value)
            if name == "actions" and value and self.games:
                again.set()

    ledger = Counting()
    with serving({"PHAROS_STORE": "memory://"}) as server:
        playing = party.Party(party.Wish(server.url, "islet", 2, 1, think=0.0), ledger, checked=True)
        task = asyncio.create_task(playing.run())
        async with asyncio.timeout(60):
            await again.wait()
        playing.finish()
        await task
        rooms = (await Lobby(server.url).rooms())["rooms"]
    assert ledger.sound, ledger.failures
    assert [room["status"] for room in rooms] == ["playing", "finished"]


async def test_without_the_library_a_picture_is_refused(monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(report.NoPictures):
        report.check_pictures()


def _ledgers(monkeypatch: Any) -> list[Ledger]:
    """Keeps hold of the ledgers that runs begin."""
    found: list[Ledger] = []

    class Kept(Ledger):
        def __init__(self) -> None:
            super().__init__()
            found.append(self)

    monkeypatch.setattr("clients.load.__main__.Ledger", Kept)
    return found
