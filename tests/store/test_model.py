"""Every store agrees with the model, whatever is called in whatever order, through either of two store objects."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from protocol.messages import RoomId
from server.store.store import EMPTY, Append, Conflict, Head, Index, NotInTime, Offer, Quarantined, Saved, Store
from tests.store.contract import STILL, World
from tests.store.model import Model

T = TypeVar("T")
ROOMS = [RoomId(name) for name in ("AAAAAA", "BBBBBB", "CCCCCC")]
GAMES, STATUSES = ("burano", "islet"), ("open", "playing", "finished", "abandoned")

rooms = st.sampled_from(ROOMS)
offers = st.builds(Offer, seat=st.integers(0, 3), policy=st.just("greedy"), taken=st.booleans())
indices = st.builds(
    Index,
    game=st.sampled_from(GAMES),
    status=st.sampled_from(STATUSES),
    public=st.booleans(),
    created=st.sampled_from([0, 5, 1_764_480_000_000]),
    listing=st.binary(max_size=3),
    due=st.none() | st.integers(0, 20_000),
    clock=st.booleans(),
    offers=st.lists(offers, unique_by=lambda offer: offer.seat, max_size=2).map(tuple),
)
EXAMPLES = {"redis": 5}
windows = st.sampled_from([(-1, 1), (-1, 1), (-1, 1), (0, 0), (-5, -1), (1, 5)])


async def _outcome(store: Store, append: Append) -> tuple[Head | str, Head]:
    """The new head, or the name of the error; and the journal's head."""
    try:
        head = await store.append(append)
    except Conflict as conflict:
        return "Conflict", conflict.head
    except (NotInTime, Quarantined) as error:
        return type(error).__name__, await store.head(append.room) or EMPTY
    return head, head


class Agreement(RuleBasedStateMachine):
    """A store beside the model. `make` names the store."""

    make: Callable[[Path], World]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.world = type(self).make(Path(self.folder.name))
        self.runner = asyncio.Runner()
        self.model = Model()
        self.tags = 0
        self.stores = [self.world.store(), self.world.store()]
        for store in self.stores:
            self.run(store.open())

    def run(self, call: Awaitable[T]) -> T:
        async def wait() -> T:
            return await call

        return self.runner.run(wait())

    def teardown(self) -> None:
        for store in self.stores:
            self.run(store.close())
        self.world.close()
        self.runner.close()
        self.folder.cleanup()

    def store(self) -> Store:
        """One store object after the other."""
        self.stores.reverse()
        return self.stores[0]

    def tag(self) -> str:
        self.tags += 1
        return f"{self.tags:016x}"

    @rule(room=rooms, index=indices)
    def grow(self, room: RoomId, index: Index) -> None:
        self.append(room, 1, index, 0, (0, 0))

    @rule(room=rooms, count=st.integers(1, 3), index=indices, stale=st.sampled_from([0, 0, 0, 1]), window=windows)
    def append(self, room: RoomId, count: int, index: Index, stale: int, window: tuple[int, int]) -> None:
        head, now = self.model.head(room), self.model.now
        append = Append(
            room,
            Head(max(0, head.seq - stale), head.tag, head.at),
            tuple(b"%d" % n for n in range(count)),
            tuple(self.tag() for _ in range(count)),
            index,
            not_before=now + window[0],
            not_after=now + window[1],
        )
        expected = self.model.append(append)
        assert self.run(_outcome(self.store(), append)) == (expected, self.model.head(room))

    @rule(ms=st.integers(-30_000, 30_000))
    def step(self, ms: int) -> None:
        self.world.step(ms)
        self.model.now += ms

    @precondition(lambda self: self.model.rooms)
    @rule(room=rooms, seq=st.integers(1, 5), data=st.binary(max_size=3))
    def save(self, room: RoomId, seq: int, data: bytes) -> None:
        saved = Saved(seq, self.tag(), data)
        self.run(self.store().save(room, saved))
        found = self.model.rooms.get(room)
        if found and (found.saved is None or found.saved.seq <= seq):
            found.saved = saved

    @precondition(lambda self: self.model.rooms)
    @rule(data=st.data(), text=st.binary(max_size=3), key=st.none() | st.sampled_from("xyz"))
    def say(self, data: st.DataObject, text: bytes, key: str | None) -> None:
        room = data.draw(st.sampled_from(sorted(self.model.rooms)))
        assert self.run(self.store().say(room, text, key)) == self.model.say(room, text, key)

    @rule(
        room=rooms, node=st.sampled_from("mn"), seats=st.lists(st.integers(0, 3), unique=True), crowd=st.integers(0, 2)
    )
    def attached(self, room: RoomId, node: str, seats: list[int], crowd: int) -> None:
        self.run(self.store().attached(room, node, tuple(seats), crowd))
        self.model.attached(room, node, tuple(seats), crowd)

    @rule(room=rooms, stale=st.booleans(), due=st.none() | st.integers(-20_000, 20_000))
    def rearm(self, room: RoomId, stale: bool, due: int | None) -> None:
        head, moment = self.model.head(room), None if due is None else self.model.now + due
        if stale:
            head = Head(head.seq, "0" * 16, head.at)
        self.run(self.store().rearm(room, head, moment))
        self.model.rearm(room, head, moment)

    @rule(ms=st.integers(-10_000, 10_000))
    def swept(self, ms: int) -> None:
        self.run(self.store().swept(self.model.now + ms))
        self.model.swept(self.model.now + ms)

    @rule(room=rooms)
    def compact(self, room: RoomId) -> None:
        self.run(self.store().compact(room))

    @precondition(lambda self: len(self.model.living()) > 1)
    @rule(room=rooms)
    def quarantine(self, room: RoomId) -> None:
        self.run(self.store().quarantine(room, "reason"))
        if room in self.model.rooms:
            self.model.rooms[room].aside = True

    @precondition(lambda self: len(self.model.rooms) > 1)
    @rule(room=rooms)
    def forget(self, room: RoomId) -> None:
        self.run(self.store().forget(room))
        self.model.forget(room)

    @invariant()
    def rooms_agree(self) -> None:
        store, model = self.store(), self.model

        async def agrees(name: RoomId) -> None:
            room = model.rooms.get(name)
            entries = tuple(room.entries) if room else ()
            found = await asyncio.gather(
                store.heads([name]),
                store.read(name),
                store.read(name, 2),
                store.saved(name),
                store.lines(name, 0),
                store.presence(name),
            )
            assert found == [
                {name: room.head} if room else {},
                entries,
                entries[2:],
                room.saved if room else None,
                model.lines(name),
                model.presence(name),
            ]

        async def agree() -> None:
            await asyncio.gather(*(agrees(name) for name in ROOMS))

        self.run(agree())

    @invariant()
    def indices_agree(self) -> None:
        store, model, living = self.store(), self.model, self.model.living()

        async def listed(game: str | None, status: str | None) -> None:
            first = await store.rooms(game, status, None, 2)
            rest = (await store.rooms(game, status, first.cursor, 2)).rooms if first.cursor else ()
            assert first.rooms + rest == model.listed(game, status)

        async def agree() -> None:
            lists = ((None, None), ("burano", None), (None, "open"), ("islet", "playing"))
            await asyncio.gather(*(listed(game, status) for game, status in lists))
            count, waiting, clocks, sweep = await asyncio.gather(
                store.count(), store.offers(10), store.clocks(), store.sweep(10)
            )
            assert count == sum(room.index.status in ("open", "playing") for room in living.values())
            assert set(waiting) == model.waiting()
            assert set(clocks) == {name for name, room in living.items() if room.index.clock}
            assert sweep == model.sweep()

        self.run(agree())


@pytest.mark.parametrize("store", STILL)
def test_a_store_agrees_with_the_model(store: str) -> None:
    machine = type("Agreement", (Agreement,), {"make": staticmethod(STILL[store])})
    checks = settings(
        max_examples=EXAMPLES.get(store, 20),
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=checks)
