"""The plans: every case has a name of its own, and what it refers to comes before it."""

from __future__ import annotations

import pytest

from bench.plan import ECHO, GAMES, Plan, full, peers, quick
from bench.servers import PEERS, stores
from server.engines import ENGINES

PLANS = [full(["memory", "sqlite", "redis"]), quick(["memory", "sqlite"]), peers(["sqlite"])]


@pytest.mark.parametrize("plan", PLANS)
def test_cases_refer_to_earlier_cases(plan: Plan) -> None:
    known: dict[str, str] = {}
    for case in plan.cases:
        assert case.name not in known
        known[case.name] = case.store
        assert not case.half_of or case.half_of in known
        assert not case.beside or known[case.beside] == ECHO


def test_every_game_and_every_store_is_measured() -> None:
    cases = full(stores()).cases
    assert set(GAMES) == {name for name, _ in ENGINES}
    assert {case.job.game for case in cases} == set(GAMES)
    assert {case.store for case in cases} == {ECHO, *stores()}
    assert {case.job.codec for case in cases} == {"json", "msgpack"}


def test_the_peers_are_there() -> None:
    files = {case.peer[0] for case in peers(["sqlite"]).cases if case.peer}
    assert files == {path.name for path in (PEERS / "servers").iterdir()}
