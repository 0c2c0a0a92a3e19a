"""What is measured and traced of an action: every stage once, with its room, seat, seq and connection."""

from __future__ import annotations

import sys
from random import Random

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from protocol.codes import Code
from protocol.messages import Act, Error, Legal, Ok, RoomId
from server.rooms.hub import Hub
from server.rooms.stats import Stage
from server.settings import SettingsError, read_settings
from server.store.memory import MemoryStore
from server.traces import Traces, open_traces
from tests.rooms.tables import QUICK, Nodes, Party
from tests.store.faulty import Fault, FaultyStore


def counts(hub: Hub) -> dict[Stage, int]:
    """How often each stage was measured."""
    return {stage: sum(histogram.buckets) for stage, histogram in hub.stats.stages.items()}


async def refused(party: Party) -> Error:
    """A seat that does not have to decide tries to."""
    await party.settled()
    (acting,) = party.deciding()
    other = next(peer for peer in party.peers if peer is not acting)
    legal = await acting.ask(Legal)
    assert isinstance(legal, Ok)
    assert legal.actions
    answer = await other.ask(Act, action=legal.actions[0], seq=other.seq)
    assert isinstance(answer, Error)
    return answer


async def test_every_stage_of_an_action_is_measured_once(hub: Hub) -> None:
    party = await Nodes([hub]).party(2)
    before = counts(hub)
    for _ in range(3):
        await party.step(Random(1))
    assert {stage: count - before[stage] for stage, count in counts(hub).items()} == dict.fromkeys(Stage, 3)
    await refused(party)
    more = {stage: count - before[stage] for stage, count in counts(hub).items()}
    assert more == {Stage.DECIDE: 4, Stage.APPEND: 3, Stage.COMMIT: 3, Stage.ACTION: 4}
    stages = hub.stats.stages
    parts = sum(stages[stage].sum for stage in (Stage.DECIDE, Stage.APPEND, Stage.COMMIT))
    assert parts > 0


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


async def test_a_store_that_fails_and_a_room_that_raises_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    store = FaultyStore(MemoryStore())
    hub = Hub(store, QUICK, "alone")
    await hub.start()
    try:
        party = await Nodes([hub]).party(2)
        store.fail(Fault.REFUSED)
        assert isinstance(await party.step(Random(1)), Error)
        assert hub.stats.actions[Code.UNAVAILABLE] == hub.stats.store_errors == 1
        table = hub.known(RoomId(party.room))
        assert table is not None
        monkeypatch.setattr(table.room, "decide", None)
        assert isinstance(await party.step(Random(1)), Error)
        assert hub.stats.actions[Code.INTERNAL] == hub.stats.faults["raised"] == 1
        assert isinstance(await party.step(Random(1)), Ok)
    finally:
        await hub.stop()


async def traced(spans: InMemorySpanExporter) -> tuple[Party, list[ReadableSpan]]:
    """A party that took one step and was refused one, and the spans of both."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    hub = Hub(MemoryStore(), QUICK, "alone", Traces(provider))
    await hub.start()
    try:
        party = await Nodes([hub]).party(2)
        spans.clear()
        await party.step(Random(1))
        await refused(party)
    finally:
        await hub.stop()
    return party, list(spans.get_finished_spans())


async def test_a_trace_holds_the_stages_of_one_action(spans: InMemorySpanExporter) -> None:
    party, found = await traced(spans)
    decide, append, commit, action, not_decided, not_done = found
    assert [span.name for span in (decide, append, commit)] == ["pharos.decide", "pharos.append", "pharos.commit"]
    assert {span.parent.span_id for span in (decide, append, commit) if span.parent} == {action.context.span_id}
    assert action.name == "pharos.action"
    assert action.parent is None
    assert action.start_time <= decide.start_time <= append.start_time <= commit.start_time
    assert action.end_time >= commit.end_time
    told = dict(action.attributes or {})
    assert told["pharos.room"] == party.room
    assert told["pharos.seat"] in (0, 1)
    assert told["pharos.connection"] in {peer.connection.id for peer in party.peers}
    assert told["pharos.request"] == "Act"
    assert not_done.attributes["pharos.outcome"] == not_decided.attributes["pharos.outcome"] == "not_your_turn"
    assert not_done.status.is_unset
    assert not_done.context.trace_id != action.context.trace_id
    text = "".join(span.to_json() for span in found)
    assert not [token for token in party.tokens if token in text]


def test_traces_are_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_traces(read_settings({})) is None
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(SettingsError, match="otel"):
        open_traces(read_settings({"PHAROS_TRACES": "1"}))
