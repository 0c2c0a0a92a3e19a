"""What the store promises while Redis is killed, stopped, full, read-only, cut off, or loses replies."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from protocol.messages import RoomId
from server.store.redis import RedisStore, checks, keys, read_url
from server.store.store import (
    Conflict,
    Head,
    News,
    NotInTime,
    StoreUnavailable,
    StoreUnusable,
    UnknownOutcome,
    Wakeup,
)
from tests.processes import ROOT
from tests.proxy import Loss, Proxy, proxied
from tests.redis_server import SAFE, RedisServer, redis_server
from tests.store.contract import FINISHED, OTHER, ROOM, grown, heard, of
from tests.store.redis_load import BOUND, Load, opened, recovered


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path) as server:
        yield server


@pytest.fixture
async def store(redis: RedisServer) -> AsyncIterator[RedisStore]:
    async with opened(redis.url) as store:
        yield store


async def test_a_kill_of_redis_loses_nothing_that_was_acknowledged(redis: RedisServer, store: RedisStore) -> None:
    load = Load(store, 30)
    for _ in range(2):
        await load.more(300)
        await asyncio.to_thread(redis.kill)
        with pytest.raises((StoreUnavailable, UnknownOutcome)):
            await store.append(of(OTHER))
        await asyncio.to_thread(redis.start)
    await load.more(300)
    await load.stop()
    await load.check()
    assert load.longest < BOUND


async def stop_and_go(redis: RedisServer, store: RedisStore, seconds: float) -> None:
    load = Load(store, 30)
    await load.more(300)
    redis.signal(signal.SIGSTOP)
    await asyncio.sleep(seconds)
    begun = time.monotonic()
    calls = (store.read(ROOM), store.count(), store.say(ROOM, b"hello", None), store.attached(ROOM, "n", (0,), 0))
    for outcome in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(outcome, StoreUnavailable | UnknownOutcome)
    assert time.monotonic() - begun < BOUND
    redis.signal(signal.SIGCONT)
    await recovered(store)
    await load.more(300)
    await load.stop()
    await load.check()
    assert load.longest < BOUND


async def test_a_redis_that_stops_for_a_while(redis: RedisServer, store: RedisStore) -> None:
    await stop_and_go(redis, store, 0.1)


@pytest.mark.soak
async def test_a_redis_that_stops_for_ten_seconds(redis: RedisServer, store: RedisStore) -> None:
    await stop_and_go(redis, store, 10)


async def test_what_was_given_up_does_not_surface_later(redis: RedisServer, store: RedisStore) -> None:
    head = await grown(store, ROOM, 1)
    redis.signal(signal.SIGSTOP)
    append = msgspec.structs.replace(of(ROOM, head), not_after=head.at + 1500)
    with pytest.raises(UnknownOutcome):
        await store.append(append)
    redis.signal(signal.SIGCONT)
    await recovered(store)
    with pytest.raises(NotInTime):
        await store.append(append)
    assert await store.head(ROOM) == head


async def test_a_full_redis_refuses_and_nothing_has_happened(redis: RedisServer, store: RedisStore) -> None:
    head = await grown(store, ROOM, 3)
    redis.ask("CONFIG", "SET", "maxmemory", 1)
    for append in (of(ROOM, head), of(OTHER)):
        with pytest.raises(StoreUnavailable, match="maxmemory"):
            await store.append(append)
    with pytest.raises(StoreUnavailable, match="maxmemory"):
        await store.say(ROOM, b"hello", "key")
    assert await store.heads((ROOM, OTHER)) == {ROOM: head}
    assert len(await store.read(ROOM)) == 3
    assert await store.count() == 1
    redis.ask("CONFIG", "SET", "maxmemory", 0)
    assert (await store.append(of(ROOM, head))).seq == 4
    assert await store.say(ROOM, b"hello", "key") == 1


async def test_a_primary_that_became_a_replica_refuses(redis: RedisServer, store: RedisStore, tmp_path: Path) -> None:
    load = Load(store, 20)
    await load.more(200)
    with redis_server(tmp_path / "another") as another:
        redis.ask("REPLICAOF", "127.0.0.1", another.port)
        with pytest.raises(StoreUnavailable):
            await store.append(of(OTHER))
        redis.ask("REPLICAOF", "NO", "ONE")
    await recovered(store)
    await load.more(200)
    await load.stop()
    assert load.failures
    assert load.longest < BOUND


async def test_a_redis_that_forgot_the_scripts_is_told_them(redis: RedisServer, store: RedisStore) -> None:
    load = Load(store, 10)
    for _ in range(5):
        await load.more(50)
        redis.ask("SCRIPT", "FLUSH")
    await load.more(50)
    await load.stop()
    await load.check()
    assert load.failures == []


@asynccontextmanager
async def through_proxy(redis: RedisServer) -> AsyncIterator[tuple[RedisStore, Proxy]]:
    async with proxied(redis.port) as proxy, opened(f"redis://127.0.0.1:{proxy.port}") as store:
        yield store, proxy


@pytest.mark.parametrize("loss", [Loss.REPLY, Loss.SILENCE])
async def test_an_append_whose_reply_is_lost_has_happened_once(redis: RedisServer, loss: Loss) -> None:
    async with through_proxy(redis) as (store, proxy):
        head = await grown(store, ROOM, 2)
        append = of(ROOM, head)
        proxy.lose(append.tags[0].encode(), loss)
        begun = time.monotonic()
        assert (await store.append(append)) == await store.head(ROOM)
        assert time.monotonic() - begun < BOUND
        assert proxy.lost.is_set()
        assert [entry.tag for entry in await store.read(ROOM, 2)] == [append.tags[0]]
        assert (await grown(store, ROOM, 1)).seq == 4


async def test_an_append_that_is_lost_on_its_way_is_not_sent_again(redis: RedisServer) -> None:
    async with through_proxy(redis) as (store, proxy):
        head = await grown(store, ROOM, 2)
        append = of(ROOM, head)
        proxy.lose(append.tags[0].encode(), Loss.COMMAND)
        begun = time.monotonic()
        with pytest.raises(UnknownOutcome):
            await store.append(append)
        assert time.monotonic() - begun < BOUND
        assert await store.head(ROOM) == head


async def test_a_lost_append_that_another_overtook_is_a_conflict(redis: RedisServer, store: RedisStore) -> None:
    async with through_proxy(redis) as (cut_off, proxy):
        head = await grown(store, ROOM, 2)
        append = of(ROOM, head)
        proxy.lose(append.tags[0].encode(), Loss.COMMAND)
        lost = asyncio.ensure_future(cut_off.append(append))
        await proxy.lost.wait()
        won = await store.append(of(ROOM, head))
        with pytest.raises(Conflict) as raised:
            await lost
        assert raised.value.head == won


async def test_a_line_whose_reply_is_lost_is_said_once_by_its_key(redis: RedisServer) -> None:
    async with through_proxy(redis) as (store, proxy):
        await grown(store, ROOM, 1)
        proxy.lose(b"a line of its own", Loss.REPLY)
        with pytest.raises(UnknownOutcome):
            await store.say(ROOM, b"a line of its own", "key")
        assert await store.say(ROOM, b"a line of its own", "key") == 1
        assert [line.n for line in await store.lines(ROOM, 0)] == [1]


async def test_five_hundred_at_once_are_all_answered_over_few_connections(redis: RedisServer) -> None:
    async with opened(redis.url) as store:
        rooms = [RoomId(f"R{n}") for n in range(500)]
        heads = await asyncio.gather(*(store.append(of(room)) for room in rooms))
        assert {head.seq for head in heads} == {1}
        journals = await asyncio.gather(*(store.read(room) for room in rooms))
        assert {len(journal) for journal in journals} == {1}
        await store.follow(ROOM)
        clients = redis.ask("CLIENT", "LIST").splitlines()
        assert len(clients) <= 3 + 1, "one for appends, one for all else, one for wake-ups; and the one that asks"


async def test_wake_ups_that_may_have_been_missed_are_told(redis: RedisServer, store: RedisStore) -> None:
    head = await grown(store, ROOM, 1)
    await store.follow(ROOM)
    wakeups = store.wakeups()
    redis.ask("CLIENT", "KILL", "TYPE", "pubsub")
    assert (await heard(wakeups, 1))[0].news is News.LOST
    head = await store.append(of(ROOM, head))
    assert await heard(wakeups, 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]


async def test_a_redis_that_is_away_at_the_start(tmp_path: Path) -> None:
    with redis_server(tmp_path) as server:
        store = RedisStore(read_url(server.url))
        server.kill()
        for call in (store.open, store.now):
            with pytest.raises(StoreUnavailable) as raised:
                await call()
            assert not isinstance(raised.value, StoreUnusable)
        server.start()
        await store.open()
        assert (await grown(store, ROOM, 1)).seq == 1
        await store.close()


async def test_a_redis_with_another_password_is_of_no_use(tmp_path: Path) -> None:
    with redis_server(tmp_path, *SAFE) as server:
        server.ask("CONFIG", "SET", "requirepass", "right")
        with pytest.raises(StoreUnusable) as raised:
            await RedisStore(read_url(server.url.replace("//", "//:wrong-secret@"))).open()
        assert "wrong-secret" not in str(raised.value)
        async with opened(server.url.replace("//", "//:right@")) as store:
            assert await store.count() == 0


async def test_a_user_with_the_rights_that_the_runbook_names_is_enough(redis: RedisServer) -> None:
    [line] = [line for line in (ROOT / "docs/operations.md").read_text().splitlines() if "~pharos:*" in line]
    rights = line.partition(": `")[2].partition("`")[0].split()
    redis.ask("ACL", "SETUSER", "pharos", "reset", "on", ">right", *rights)
    with capture_logs() as logs:
        async with opened(redis.url.replace("//", "//pharos:right@")) as store:
            assert [log for log in logs if log["log_level"] == "warning"] == []
            await grown(store, ROOM, 1)
            await store.follow(ROOM)
            head = await grown(store, ROOM, 1)
            assert await store.head(ROOM) == head
            assert await heard(store.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, 2)]
            assert (await store.sweep(1)).due == ()
            await store.quarantine(ROOM, "reason")
            await store.forget(ROOM)


async def test_a_redis_of_another_format_is_of_no_use(redis: RedisServer, store: RedisStore) -> None:
    [key] = redis.ask("KEYS", "*format")
    redis.ask("SET", key, checks.FORMAT + 1)
    with pytest.raises(StoreUnusable, match=f"format {checks.FORMAT + 1}"):
        await RedisStore(read_url(redis.url)).open()


@pytest.mark.parametrize(
    ("options", "warnings"),
    [
        (SAFE, []),
        (("--appendonly", "yes"), [checks.LAGS]),
        (("--appendonly", "no"), [checks.FORGETS]),
        (("--appendonly", "no", "--maxmemory-policy", "allkeys-lru"), [checks.FORGETS, checks.EVICTS]),
        ((*SAFE, "--rename-command", "CONFIG", ""), [checks.HIDDEN]),
    ],
)
async def test_what_may_lose_rooms_is_said_at_the_start(
    tmp_path: Path, options: tuple[str, ...], warnings: list[str]
) -> None:
    with redis_server(tmp_path, *options) as server, capture_logs() as logs:
        async with opened(server.url):
            assert [line["event"] for line in logs if line["log_level"] == "warning"] == warnings


@asynccontextmanager
async def replicated(redis: RedisServer, folder: Path) -> AsyncIterator[tuple[RedisStore, RedisServer]]:
    """A store that wants a replica of every append, and that replica."""
    with redis_server(folder / "replica", *SAFE, "--replicaof", "127.0.0.1", str(redis.port)) as replica:
        replica.wait_until(lambda client: client.info("replication")["master_link_status"] == "up")
        async with opened(redis.url, replicas=1) as store:
            yield store, replica


async def test_an_append_waits_for_its_replicas(redis: RedisServer, tmp_path: Path) -> None:
    async with replicated(redis, tmp_path) as (store, replica):
        heads = await asyncio.gather(*(store.append(of(RoomId(f"ROOM{n}"))) for n in range(20)))
        assert {head.seq for head in heads} == {1}
        assert len(replica.ask("KEYS", "*journal")) == 20
        replica.signal(signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(UnknownOutcome, match="replicas"):
            await store.append(of(ROOM))
        assert time.monotonic() - begun < BOUND
        assert isinstance(await store.head(ROOM), Head)
        replica.signal(signal.SIGCONT)


async def test_what_is_refused_keeps_no_other_of_its_turn_from_its_answer(redis: RedisServer, tmp_path: Path) -> None:
    async with replicated(redis, tmp_path) as (store, _):
        head = await store.append(of(ROOM))
        redis.ask("CONFIG", "SET", "maxmemory", "1")
        async with asyncio.timeout(BOUND):
            full, overtaken = await asyncio.gather(
                store.append(of(OTHER)), store.append(of(ROOM)), return_exceptions=True
            )
        redis.ask("CONFIG", "SET", "maxmemory", "0")
        assert isinstance(full, StoreUnavailable)
        assert isinstance(overtaken, Conflict)
        assert overtaken.head == head
        redis.ask("SCRIPT", "FLUSH")
        async with asyncio.timeout(BOUND):
            heads = await asyncio.gather(*(store.append(of(RoomId(f"ROOM{n}"))) for n in range(3)))
        assert [head.seq for head in heads] == [1, 1, 1]


async def test_who_may_not_wait_for_replicas_any_more_is_not_told_that_nothing_happened(
    redis: RedisServer, tmp_path: Path
) -> None:
    async with replicated(redis, tmp_path) as (store, replica):
        head = await store.append(of(ROOM))
        replica.signal(signal.SIGSTOP)
        appending = asyncio.create_task(store.append(of(ROOM, head)))
        await asyncio.to_thread(redis.wait_until, lambda client: len(client.xrange(client.keys("*journal")[0])) == 2)
        redis.ask("REPLICAOF", "127.0.0.1", str(replica.port))  # what waits is let go with an error
        with pytest.raises(UnknownOutcome, match="UNBLOCKED"):
            await appending
        replica.signal(signal.SIGCONT)


async def test_a_server_that_is_full_is_opened_so_that_it_can_be_cleared_up(
    redis: RedisServer, store: RedisStore
) -> None:
    await grown(store, ROOM, 3, index=FINISHED)
    redis.ask("CONFIG", "SET", "maxmemory", "1")
    async with opened(redis.url) as another:
        with pytest.raises(StoreUnavailable):
            await another.append(of(OTHER))
        await another.compact(ROOM)
        await another.forget(ROOM)
    redis.ask("CONFIG", "SET", "maxmemory", "0")
    assert await store.head(ROOM) is None


async def test_names_of_games_that_nobody_has_cost_no_memory() -> None:
    before = keys.in_bucket.cache_info().currsize
    for number in range(100):
        keys.listed(keys.BUCKETS[0], f"no-game-{number}", None)
    assert keys.in_bucket.cache_info().currsize == before


async def test_what_is_compressed_is_not_read_to_be_compressed_again(redis: RedisServer, store: RedisStore) -> None:
    await grown(store, ROOM, 3, index=FINISHED)
    await store.compact(ROOM)
    [record] = redis.ask("KEYS", "*:archive")
    redis.ask("SET", record, "no journal")
    await store.compact(ROOM)
    assert redis.ask("GET", record) == b"no journal"


async def test_the_caller_of_a_fault_is_the_only_one_to_notice(redis: RedisServer, store: RedisStore) -> None:
    """A command that the server can't carry out is its caller's; those that travel with it are carried out."""
    head = await grown(store, ROOM, 1)
    journal = next(key for key in redis.ask("KEYS", "*journal"))
    redis.ask("DEL", journal)
    redis.ask("SET", journal, "no stream")
    results = await asyncio.gather(store.append(of(ROOM, head)), store.append(of(OTHER)), return_exceptions=True)
    assert isinstance(results[0], StoreUnavailable)
    assert isinstance(results[1], Head)
