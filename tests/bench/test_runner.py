"""Short measurements on real servers: what the load does is right, and what goes wrong is told."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench import journals, plan, report, servers
from bench.engines import measure
from bench.jobs import Job, Outcome
from bench.machine import cores
from bench.plan import Case, Plan
from bench.runner import Runner, failures, run_job
from server.engines import ENGINES

SHORT = Job(pid=0, port=0, rooms=1, warm=0.2, seconds=1.0)


def _run(*cases: Case) -> dict[str, list[Outcome]]:
    runner = Runner(Plan(cases, rounds=1, engines=0.0), lambda _: None)
    runner.run()
    return runner.outcomes


def test_a_room_of_each_codec_beside_the_echo() -> None:
    echo = Case("t", "echo", plan.ECHO, replace(SHORT, kind=plan.ECHO))
    jobs = {codec: replace(SHORT, codec=codec, spectators=9, game="islet") for codec in ("json", "msgpack")}
    found = _run(echo, *(Case("t", codec, "memory", job, beside="echo") for codec, job in jobs.items()))
    assert report.complaints(found) == []
    for (outcome,) in found.values():
        assert outcome.actions > 5
        assert 0 < outcome.p50 <= outcome.p99 < 1.5
    assert found["echo"][0].update_bytes == 200
    assert found["msgpack"][0].update_bytes < found["json"][0].update_bytes
    (sheet,) = report.sheets((echo, Case("t", "json", "memory", jobs["json"], beside="echo")), found)
    assert [row[0] for row in sheet.rows] == ["echo", "json"]
    assert all(len(row) == len(sheet.columns) for row in sheet.rows)
    assert report.markdown(sheet).splitlines()[2].startswith("| case | actions/s |")


def test_a_paced_load_keeps_its_pace() -> None:
    paced = Case("t", "paced", "sqlite", replace(SHORT, rooms=2, rate=20.0, seconds=2.0))
    ((outcome,),) = _run(paced).values()
    assert not outcome.errors
    assert 0 < outcome.rate < 30


async def test_prepared_rooms_are_played_on(tmp_path: Path) -> None:
    path = tmp_path / "journals.db"
    prepared = await journals.write(path, 200, 1)
    core, others = cores()
    with servers.pharos("sqlite", core, others, path) as server:
        outcome = run_job(replace(SHORT, pid=server.pid, port=server.port, prepared=prepared))
        room = _look(server.port, prepared[0].room)
    assert not outcome.errors
    assert outcome.actions > 0
    assert room["room"]["status"] in ("playing", "finished")
    assert max(room["turn"]["since"], default=201) > 200


def _look(port: int, room: str) -> dict[str, dict[str, list[int]]]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", f"/api/rooms/{room}")
    found: dict[str, dict[str, list[int]]] = json.loads(connection.getresponse().read())
    connection.close()
    return found


def test_what_goes_wrong_is_counted_over_the_rounds() -> None:
    outcome = Outcome(1, 1.0, 0.1, 0.1, 0.1, 0.1, 1, 1, 1, errors={"stale": 2})
    assert failures([outcome, outcome, replace(outcome, errors={})]) == {"stale": 4}
    assert report.complaints({"a": [outcome], "b": []}) == ["a: {'stale': 2}"]


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    core, _ = cores()
    with pytest.raises(servers.NotStarted, match="Cannot find module"), servers.peer("missing.mjs", (), core):
        pass


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
def test_an_engine_is_measured(engine: object) -> None:
    speed = measure(engine, 0.01)  # type: ignore[arg-type]
    assert speed.games_a_second > 0
    assert speed.actions_a_game > 10
    assert 0 < speed.action < speed.slowest_took
    assert speed.slowest in ("new", "deciding", "legal_actions", "apply", "public_view", "private_view")


def test_a_case_that_can_not_be_measured_does_not_end_the_run() -> None:
    missing = Case("t", "missing", "", SHORT, peer=("missing.mjs",))
    half = Case("t", "half", "memory", SHORT, half_of="missing")
    found = _run(missing, half)
    assert [failure.partition(":")[0] for failure in report.complaints(found)] == ["missing", "half"]
    (sheet,) = report.sheets((missing, half), found)
    assert sheet.rows[0][1:4] == ("–", "–", "–")


def test_a_room_with_so_many_actions_to_play_ends_the_measurement_with_them() -> None:
    ((outcome,),) = _run(Case("t", "some", "memory", replace(SHORT, warm=0.01, seconds=60.0, actions=400))).values()
    assert not outcome.errors
    assert 100 < outcome.actions <= 400
    assert outcome.seconds < 60
