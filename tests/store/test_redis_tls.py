"""Redis behind TLS: `rediss://` with the settings that the runbook names."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from server.store.redis import RedisStore, read_url
from server.store.store import News, StoreUnavailable, StoreUnusable, Wakeup
from tests.proxy import proxied
from tests.redis_server import RedisServer, shared_server
from tests.store.contract import ROOM, grown, heard
from tests.store.redis_load import opened


@pytest.fixture
def redis() -> RedisServer:
    server = shared_server()
    server.ask("FLUSHALL")
    return server


@pytest.fixture
def authority(tmp_path: Path) -> trustme.CA:
    """Whoever trusts `ca.pem` trusts it."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    return authority


def context_of(authority: trustme.CA, name: str) -> ssl.SSLContext:
    """What a server shows that has this name, or address."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(context)
    return context


async def serves(url: str) -> None:
    """Appends and wake-ups come through."""
    async with opened(url) as store:
        await grown(store, ROOM, 2)
        await store.follow(ROOM)
        head = await grown(store, ROOM, 1)
        assert await heard(store.wakeups(), 1) == [Wakeup(ROOM, News.ENTRY, head.seq)]
        await store.forget(ROOM)


async def refuses(url: str, why: str | None = None) -> None:
    """There is no way, and the server waits for one: a certificate may be mended while it does."""
    with pytest.raises(StoreUnavailable, match=why) as raised:
        await RedisStore(read_url(url)).open()
    assert not isinstance(raised.value, StoreUnusable)


@pytest.fixture
async def port(redis: RedisServer, authority: trustme.CA) -> AsyncIterator[int]:
    """A Redis that proves to be 127.0.0.1."""
    async with proxied(redis.port, context_of(authority, "127.0.0.1")) as proxy:
        yield proxy.port


async def test_a_server_whose_authority_is_named(port: int, tmp_path: Path) -> None:
    await serves(f"rediss://127.0.0.1:{port}?ssl_ca_certs={tmp_path}/ca.pem")


async def test_a_server_whose_authority_nobody_knows(port: int) -> None:
    await refuses(f"rediss://127.0.0.1:{port}", "certificate verify failed")
    await serves(f"rediss://127.0.0.1:{port}?ssl_cert_reqs=none")


async def test_a_server_by_another_name(redis: RedisServer, authority: trustme.CA, tmp_path: Path) -> None:
    async with proxied(redis.port, context_of(authority, "redis.example")) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}?ssl_ca_certs={tmp_path}/ca.pem"
        await refuses(url, "IP address mismatch")
        await serves(f"{url}&ssl_check_hostname=false")


async def test_a_server_that_wants_to_know_its_clients(
    redis: RedisServer, authority: trustme.CA, tmp_path: Path
) -> None:
    context = context_of(authority, "127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    authority.configure_trust(context)
    own = authority.issue_cert("pharos.example")
    own.private_key_pem.write_to_path(tmp_path / "key.pem")
    own.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    async with proxied(redis.port, context) as proxy:
        url = f"rediss://127.0.0.1:{proxy.port}?ssl_ca_certs={tmp_path}/ca.pem"
        await refuses(url)
        await serves(f"{url}&ssl_certfile={tmp_path}/cert.pem&ssl_keyfile={tmp_path}/key.pem")


async def test_plain_words_to_a_server_that_wants_tls(port: int) -> None:
    await refuses(f"redis://127.0.0.1:{port}")
