"""What is measured, case by case, in a quick run and in a full one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from bench.jobs import Job

GAMES = ("dragonwood", "islet", "burano", "bretagne")
ECHO = "echo"
ANY = Job(pid=0, port=0)
"""The job of a case, before there is a server to do it on."""


class Case(msgspec.Struct, frozen=True):
    """One line of a table. `store` is `echo` for the ceiling.

    `half_of`: run at half the rate that the case of this name reached in the same round. `journal`: entries that the
    rooms have behind them.
    """

    table: str
    name: str
    store: str
    job: Job
    half_of: str = ""
    journal: int = 0


class Plan(msgspec.Struct, frozen=True):
    """The cases, how often all of them are run in turn, and for how long each game's engine plays."""

    cases: tuple[Case, ...]
    rounds: int
    engines: float


def _of(table: str, name: str, store: str, half_of: str = "", journal: int = 0, **fields: object) -> Case:
    job = msgspec.structs.replace(ANY, kind=ECHO if store == ECHO else "pharos", **fields)
    return Case(table, name, store, job, half_of, journal)


def quick(stores: Sequence[str]) -> Plan:
    """About a minute: 50 rooms, JSON, each store, beside the echo."""
    table = "50 rooms of 4, Dragonwood"
    cases = [_of(table, ECHO, ECHO, seconds=2.0)]
    cases += [_of(table, f"{store} json", store, seconds=2.0, stock=20) for store in stores]
    cases.append(_of(table, "sqlite msgpack", "sqlite", seconds=2.0, stock=20, codec="msgpack"))
    return Plan(tuple(cases), rounds=1, engines=1.0)


def full(stores: Sequence[str]) -> Plan:
    """About ten minutes."""
    durable = "sqlite"
    cases = [
        *_rooms(stores),
        *(
            _of("At half the load, 100 rooms", f"{store} json, half", store, f"{store} json, 100 rooms", rooms=100)
            for store in stores
        ),
        *(_of("Each game, 50 rooms of 4", game, durable, game=game, stock=30) for game in GAMES),
        _of("Viewers of one room", "echo, 4", ECHO, rooms=1),
        _of("Viewers of one room", "echo, 500", ECHO, rooms=1, spectators=496),
        _of("Viewers of one room", "sqlite json, 4", durable, rooms=1, stock=4),
        _of("Viewers of one room", "sqlite json, 500", durable, rooms=1, spectators=496, stock=2),
        *(_journal(length) for length in (100, 10_000)),
        *(_of("Memory, 100 rooms after 200 actions each", f"memory {codec}", "memory", rooms=100, actions=200,
              codec=codec, seconds=8.0) for codec in ("json", "msgpack")),
    ]  # fmt: skip
    return Plan(tuple(cases), rounds=3, engines=4.0)


def _rooms(stores: Sequence[str]) -> Iterator[Case]:
    table = "Rooms of 4, Dragonwood, as fast as they can"
    for rooms in (1, 50, 100):
        yield _of(table, f"echo, {rooms} rooms", ECHO, rooms=rooms)
        for store in stores:
            yield _of(table, f"{store} json, {rooms} rooms", store, rooms=rooms, stock=min(40, rooms))
    for store in stores:
        yield _of(table, f"{store} msgpack, 100 rooms", store, rooms=100, stock=40, codec="msgpack")


def _journal(length: int) -> Case:
    table = "Journals, 20 rooms at the same place of the same game, 400 actions a second"
    return _of(table, f"{length:,} entries", "sqlite", journal=length, rooms=20, rate=400.0, seconds=5.0)
