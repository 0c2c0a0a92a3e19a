"""What a store's URL says of where Redis is."""

from __future__ import annotations

import pytest
from redis.asyncio.connection import Connection, SSLConnection, UnixDomainSocketConnection

from server.store.redis import read_url
from server.store.redis.addresses import Shape


def test_one_server() -> None:
    place = read_url("redis://ana:p%40ss@host:7000/3?socket_keepalive=true")
    assert (place.shape, place.seeds, place.kind) == (Shape.SINGLE, (("host", 7000),), Connection)
    assert place.options == {"username": "ana", "password": "p@ss", "db": 3, "socket_keepalive": True}
    assert read_url("redis://host").seeds == (("host", 6379),)
    assert read_url("redis://[::1]:7000").seeds == (("::1", 7000),)
    assert read_url("rediss://host").kind is SSLConnection


def test_a_cluster() -> None:
    place = read_url("redis+cluster://:secret@one,two:7001")
    assert (place.shape, place.seeds) == (Shape.CLUSTER, (("one", 6379), ("two", 7001)))
    assert place.options["password"] == "secret"
    assert read_url("rediss+cluster://one").kind is SSLConnection


def test_sentinels() -> None:
    place = read_url("redis+sentinel://u:secret@one,two:7001/main/2?sentinel_password=other")
    assert (place.shape, place.seeds, place.service) == (Shape.SENTINEL, (("one", 26379), ("two", 7001)), "main")
    assert (place.options["db"], place.options["password"]) == (2, "secret")
    assert place.sentinel_options == {"password": "other"}
    place = read_url("rediss+sentinel://one/main?ssl_cert_reqs=none")
    assert place.tls is not None
    assert place.sentinel_options == {}


def test_a_socket() -> None:
    place = read_url("redis+unix:///run/redis.sock?db=1")
    assert (place.kind, place.seeds) == (UnixDomainSocketConnection, (("/run/redis.sock", 0),))
    assert place.options == {"db": 1}


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis+nonsense://u:hush@h", "must be redis://"),
        ("http://u:hush@h", "must be redis://"),
        ("redis://u:hush@one,two", "several hosts"),
        ("redis://u:hush@one/notanumber", "must end with"),
        ("redis://u:hush@one:99999999", "host:port"),
        ("redis+cluster://u:hush@one/3", "must end with"),
        ("redis+sentinel://u:hush@one", "must end with"),
        ("redis+unix://", "needs the path"),
        ("redis://u:hush@one?db=x", "'db'"),
        ("redis://u:hush@one?colour=red", "a setting that"),
        ("rediss://u:hush@one?ssl_ca_certs=/no/such/file", "TLS can't be set up: .*No such file"),
        ("rediss://u:hush@one?ssl_cert_reqs=sometimes", "TLS can't be set up"),
    ],
)
def test_a_url_that_can_not_be_meant_is_refused_without_its_secret(url: str, told: str) -> None:
    with pytest.raises(ValueError, match=told) as raised:
        read_url(url)
    assert "hush" not in str(raised.value)
