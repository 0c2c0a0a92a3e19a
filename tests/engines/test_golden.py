"""Every golden game of every registered game is repeated line by line; and the harness that does so sees a change."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.bots.offline import table
from server.engines import ENGINES, latest
from server.engines.dice import Dice
from server.engines.engine import Action, Event
from tests.engines import golden
from tests.engines.golden import Stuck, check, golden_files, main, read, transcript, write
from tests.engines.toy import ENGINE, State, ToyEngine

GAMES = sorted({name for name, _ in ENGINES})
FILES = [path for game in ["toy", *GAMES] for path in golden_files(game)]
ROUNDS = golden_files("toy")[-1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}-{path.stem}")
def test_a_golden_game_is_repeated_line_by_line(path: Path) -> None:
    game = path.parent.parent.name
    check(ENGINE if game == "toy" else latest(game), path)


def test_every_registered_game_has_golden_games() -> None:
    without = [game for game in GAMES if not golden_files(game)]
    assert not without, f"no golden game in tests/engines/<game>/golden for: {', '.join(without)}"


class Generous(ToyEngine):
    """The toy game with rules that changed: a roll is told twice."""

    def carry_out(self, state: State, seat: int, action: Action, dice: Dice) -> tuple[State, list[Event]]:
        after, events = super().carry_out(state, seat, action, dice)
        return (after, [*events, *events]) if type(action).__name__ == "Roll" else (after, events)


class Strict(ToyEngine):
    """The toy game without passing."""

    def legal_actions(self, state: State, seat: int) -> list[Action]:
        return [action for action in super().legal_actions(state, seat) if type(action).__name__ != "Pass"]


def test_another_event_is_shown_as_a_difference() -> None:
    with pytest.raises(AssertionError, match=r"\n\+    rolled") as failure:
        check(Generous(), ROUNDS)
    assert "recorded" in str(failure.value)


def test_an_action_that_is_no_longer_legal_is_named() -> None:
    with pytest.raises(AssertionError, match=r'seat 2, \{"type": "pass"\}: the rules do not allow that now'):
        check(Strict(), ROUNDS)


@pytest.mark.parametrize("line", ["options: ", "state ", "    played ", "result "])
def test_every_line_counts(line: str, tmp_path: Path) -> None:
    text = ROUNDS.read_text(encoding="utf-8")
    places = [number for number, each in enumerate(text.splitlines()) if each.startswith(line)]
    changed = text.splitlines()
    changed[places[-1]] += " " if line == "options: " else "0"
    path = tmp_path / "changed.txt"
    path.write_text("\n".join(changed) + "\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="differs"):
        check(ENGINE, path)


def test_a_script_must_end_with_the_game() -> None:
    place, script = read(ROUNDS.read_text(encoding="utf-8"), ENGINE)
    with pytest.raises(Stuck, match="still decide"):
        list(transcript(place, script[:-1]))
    with pytest.raises(Stuck, match="another seat decides"):
        list(transcript(place, [*script, (0, {"type": "pass"})]))


def test_a_game_can_be_written_from_a_script(tmp_path: Path) -> None:
    place = table(ENGINE, 1, 3, {"bids": False})
    path = tmp_path / "golden" / "passes.txt"
    write(place, [(0, {"type": "pass"})] * 3, path)
    check(ENGINE, path)
    assert path.read_text(encoding="utf-8").splitlines()[-1].startswith('result {"scores": [0]')


def test_the_commands_find_record_and_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(golden, "latest", lambda _: ENGINE)
    main(["find", "toy", "--reason", "goal", "--seats", "2", "--option", "rounds=5", "--most", "1"])
    seed = capsys.readouterr().out.split(":")[0].removeprefix("seed ")
    out = tmp_path / "goal.txt"
    main(["record", "toy", str(out), "--seats", "2", "--option", "rounds=5", "--seed", seed])
    recorded = out.read_text(encoding="utf-8")
    assert '"reason": "goal"' in recorded
    monkeypatch.setattr(golden, "latest", lambda _: Generous())
    main(["update", str(out)])
    assert out.read_text(encoding="utf-8") != recorded
    check(Generous(), out)


def test_a_game_that_is_not_registered_is_named() -> None:
    with pytest.raises(SystemExit, match="no game 'chess'"):
        main(["find", "chess", "--seats", "2"])
