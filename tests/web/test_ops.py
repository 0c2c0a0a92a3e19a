"""Health, readiness and figures."""

from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from server.rooms.stats import Stage
from tests.web.desk import Desk


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_alive_is_not_the_same_as_ready(desk: Desk) -> None:
    async def statuses() -> list[int]:
        return [(await desk.call("GET", path)).status_code for path in ("/healthz", "/readyz")]

    assert await statuses() == [200, 200]
    desk.hub.ready = False
    assert await statuses() == [200, 503]
    desk.hub.ready = True
    desk.site.gate.shut()
    assert await statuses() == [200, 503]


async def test_metrics_are_what_prometheus_reads(desk: Desk) -> None:
    desk.hub.stats.actions["ok"] = 3
    desk.hub.stats.actions["stale"] = 1
    desk.hub.stats.entries["dragonwood", "action"] = 3
    for stage, seconds in ((Stage.APPEND, 0.0004), (Stage.APPEND, 0.0009), (Stage.APPEND, 9.0), (Stage.ACTION, 0.003)):
        desk.hub.stats.stages[stage].add(seconds)
    desk.site.traffic.connections = 2
    desk.site.traffic.closed[1009] = 4
    response = await desk.call("GET", "/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    families = {family.name: family for family in text_string_to_metric_families(response.text)}
    assert all(name.startswith("pharos_") for name in families)
    assert all(family.documentation for family in families.values())
    found = {(s.name, *s.labels.values()): s.value for family in families.values() for s in family.samples}
    assert found["pharos_connections",] == 2
    assert found["pharos_actions_total", "ok"] == 3
    assert found["pharos_actions_total", "stale"] == 1
    assert found["pharos_entries_total", "dragonwood", "action"] == 3
    assert found["pharos_connections_closed_total", "1009"] == 4
    assert found["pharos_append_seconds_bucket", "0.0005"] == 1
    assert found["pharos_append_seconds_bucket", "0.001"] == found["pharos_append_seconds_bucket", "5.0"] == 2
    assert found["pharos_append_seconds_bucket", "+Inf"] == found["pharos_append_seconds_count",] == 3
    assert found["pharos_append_seconds_sum",] == pytest.approx(9.0013)
    assert found["pharos_action_seconds_count",] == 1
    assert found["pharos_decide_seconds_count",] == found["pharos_commit_seconds_count",] == 0
    assert found["pharos_resident_memory_bytes",] > 10_000_000
    faults = [found["pharos_room_faults_total", kind] for kind in ("raised", "broken", "foreign", "another_way")]
    assert faults == [0] * 4, "else the first one would be no increase"
    assert found["pharos_ready",] == 1
    desk.site.gate.shut()
    assert "pharos_ready 0.0" in (await desk.call("GET", "/metrics")).text


async def test_two_sites_in_one_process_keep_their_own_figures(desk: Desk) -> None:
    other = Desk()
    desk.site.traffic.frames_in = 7
    assert "pharos_frames_in_total 7.0" in (await desk.call("GET", "/metrics")).text
    assert "pharos_frames_in_total 0.0" in (await other.call("GET", "/metrics")).text
