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
    rooms have behind them. `beside`: the case of the echo that its CPU is compared with, round by round. `peer`: the
    file of another server, and its arguments, where that is what is measured.
    """

    table: str
    name: str
    store: str
    job: Job
    half_of: str = ""
    journal: int = 0
    beside: str = ""
    peer: tuple[str, ...] = ()


class Plan(msgspec.Struct, frozen=True):
    """The cases, how often all of them are run in turn, and for how long each game's engine plays."""

    cases: tuple[Case, ...]
    rounds: int
    engines: float


FASTEST = "Rooms of 4, Dragonwood, as fast as they can"
VIEWERS = "Viewers of one room"
MEMORY = "Memory of 100 rooms of 4 after 200 actions each"
JOURNALS = "Journals: 20 rooms at the same place of the same game, 400 actions a second"


def _job(**fields: object) -> Job:
    return msgspec.structs.replace(ANY, **fields)


def _echo(table: str, name: str, **fields: object) -> Case:
    return Case(table, name, ECHO, _job(kind=ECHO, **fields))


def quick(stores: Sequence[str]) -> Plan:
    """About a minute: 50 rooms on each store, beside the echo."""
    job = _job(seconds=2.0, stock=20)
    cases = [
        _echo(FASTEST, ECHO, seconds=2.0),
        *(Case(FASTEST, f"{store} json", store, job, beside=ECHO) for store in stores),
        Case(FASTEST, "sqlite msgpack", "sqlite", msgspec.structs.replace(job, codec="msgpack"), beside=ECHO),
    ]
    return Plan(tuple(cases), rounds=1, engines=1.0)


def full(stores: Sequence[str]) -> Plan:
    """About ten minutes."""
    cases = [*_rooms(stores), *_half(stores), *_games(), *_viewers(), *_journals(), *_memory()]
    return Plan(tuple(cases), rounds=3, engines=4.0)


def _rooms(stores: Sequence[str]) -> Iterator[Case]:
    for rooms in (1, 50, 100):
        echo = f"echo, {rooms} rooms"
        yield _echo(FASTEST, echo, rooms=rooms)
        for store in stores:
            job = _job(rooms=rooms, stock=min(40, rooms))
            yield Case(FASTEST, f"{store} json, {rooms} rooms", store, job, beside=echo)
    for store in stores:
        job = _job(rooms=100, stock=40, codec="msgpack")
        yield Case(FASTEST, f"{store} msgpack, 100 rooms", store, job, beside="echo, 100 rooms")


def _half(stores: Sequence[str]) -> Iterator[Case]:
    for store in stores:
        busy = f"{store} json, 100 rooms"
        yield Case("At half that rate, 100 rooms", f"{store} json, half", store, _job(rooms=100), half_of=busy)


def _games() -> Iterator[Case]:
    for game in GAMES:
        yield Case("Each game, 50 rooms of 4", game, "sqlite", _job(game=game, stock=30), beside="echo, 50 rooms")


def _viewers() -> Iterator[Case]:
    for spectators in (0, 496):
        viewers = 4 + spectators
        yield _echo(VIEWERS, f"echo, {viewers} viewers", rooms=1, spectators=spectators)
        job = _job(rooms=1, spectators=spectators, stock=2)
        yield Case(VIEWERS, f"sqlite json, {viewers} viewers", "sqlite", job, beside=f"echo, {viewers} viewers")


def _journals() -> Iterator[Case]:
    for length in (100, 10_000):
        job = _job(rooms=20, rate=400.0, seconds=5.0)
        yield Case(JOURNALS, f"{length:,} entries", "sqlite", job, journal=length)


def _memory() -> Iterator[Case]:
    for codec in ("json", "msgpack"):
        job = _job(rooms=100, actions=200, codec=codec, warm=0.1, seconds=90.0)
        yield Case(MEMORY, f"sqlite {codec}, 200 actions", "sqlite", job)


def peers(stores: Sequence[str]) -> Plan:
    """The same job on other servers, beside the echo and Pharos, which plays Dragonwood at it."""
    table, job = "Rooms of 4, one small change an action", _job(rooms=50, stock=30)
    others = (
        ("Colyseus, patches at once", "colyseus", ("colyseus.mjs", "at-once")),
        ("Colyseus, default tick", "colyseus", ("colyseus.mjs",)),
        ("boardgame.io, deltas", "boardgame.io", ("boardgameio.cjs",)),
    )
    cases = [
        _echo(table, ECHO, rooms=50),
        *(Case(table, name, "", _job(kind=kind, rooms=50), beside=ECHO, peer=peer) for name, kind, peer in others),
        *(Case(table, f"Pharos, {store}, Dragonwood", store, job, beside=ECHO) for store in stores),
    ]
    return Plan(tuple(cases), rounds=3, engines=0.0)
