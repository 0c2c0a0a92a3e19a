"""What an address is, and what it may do."""

from __future__ import annotations

import ipaddress

import pytest

from server.settings import PerAddress
from server.web import limits
from server.web.limits import NOWHERE, Address, Calls, Limits, Proxies, Rate

ALICE, BOB = Address("192.0.2.1"), Address("192.0.2.2")


class Watch:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def trusting(*networks: str) -> Proxies:
    return Proxies(ipaddress.ip_network(network) for network in networks)


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        (None, ""),
        ("", ""),
        ("not an address", ""),
    ],
)
def test_an_address_is_one_of_ipv4_or_a_network_of_ipv6(peer: str | None, address: str) -> None:
    assert trusting().client(peer, []) == address


def test_nobody_untrusted_may_say_where_it_comes_from() -> None:
    assert trusting("10.0.0.0/8").client("192.0.2.1", ["203.0.113.9"]) == "192.0.2.1"


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["1.1.1.1, 203.0.113.9"], "203.0.113.9"),
        (["1.1.1.1", "203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, 10.1.1.1, 10.2.2.2"], "203.0.113.9"),
        (["203.0.113.9:4711"], "203.0.113.9"),
        (["[2001:db8::1]:4711"], "2001:db8::/64"),
        (["2001:db8::1"], "2001:db8::/64"),
        ([], "10.0.0.1"),
        (["unknown"], "10.0.0.1"),
        (["203.0.113.9, <script>"], "10.0.0.1"),
        (["203.0.113.9, unknown, 10.2.2.2"], "10.2.2.2"),
        ([",,"], "10.0.0.1"),
        (["10.9.9.9"], "10.9.9.9"),
    ],
)
def test_a_trusted_proxy_is_believed_as_far_as_it_can_be_read(forwarded: list[str], address: str) -> None:
    assert trusting("10.0.0.0/8").client("10.0.0.1", forwarded) == address


def test_a_rate_counts_any_minute() -> None:
    watch = Watch()
    rate = Rate(3, watch)
    for _ in range(3):
        assert rate.wait(ALICE) == 0
        rate.count(ALICE)
        watch.now += 10
    assert rate.wait(ALICE) == 30_000
    assert rate.wait(BOB) == 0
    watch.now += 30
    assert rate.wait(ALICE) == 0
    rate.count(ALICE)
    assert rate.wait(ALICE) == 10_000


def test_what_is_forgiven_does_not_count() -> None:
    rate = Rate(1, Watch())
    rate.count(ALICE)
    rate.forgive(ALICE)
    assert rate.wait(ALICE) == 0
    rate.forgive(BOB)
    assert rate.wait(BOB) == 0


def test_a_rate_remembers_no_more_addresses_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADDRESSES", 10)
    watch = Watch()
    rate = Rate(1, watch)
    for number in range(50):
        rate.count(Address(f"192.0.2.{number}"))
    assert len(rate._times) == 10
    assert rate.wait(Address("192.0.2.49")) > 0
    watch.now += 61
    rate.count(ALICE)
    assert len(rate._times) == 1


def make(*, loopback: bool = False) -> Limits:
    return Limits(PerAddress(2, 2, 20, 200, 2, 2, limit_loopback=loopback), Watch())


def test_connections_are_counted_while_they_are_open() -> None:
    bounds = make()
    assert bounds.connect(ALICE)
    assert bounds.connect(ALICE)
    assert not bounds.connect(ALICE)
    assert bounds.connect(BOB)
    bounds.disconnect(ALICE)
    assert bounds.connect(ALICE)
    for address in (ALICE, ALICE, BOB):
        bounds.disconnect(address)
    assert len(bounds._sockets) == 0


def test_http_connections_are_counted_apart_from_websockets() -> None:
    bounds = make()
    assert [bounds.arrive(ALICE) for _ in range(3)] == [True, True, False]
    assert bounds.connect(ALICE)
    bounds.depart(ALICE)
    assert bounds.arrive(ALICE)


def test_calls_come_in_a_burst_and_then_at_their_pace() -> None:
    watch = Watch()
    bounds = Limits(PerAddress(calls_per_second=20, calls_burst=5), watch)
    assert [bounds.call(ALICE) for _ in range(6)] == [0, 0, 0, 0, 0, 50]
    assert bounds.call(BOB) == 0
    watch.now += 0.051
    assert [bounds.call(ALICE) for _ in range(2)] == [0, 49]
    watch.now += 60
    assert [bounds.call(ALICE) > 0 for _ in range(6)] == [False] * 5 + [True]


def test_calls_are_remembered_for_as_long_as_they_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ADDRESSES", 10)
    watch = Watch()
    calls = Calls(1, 5, watch)
    for number in range(50):
        calls.wait(Address(f"192.0.2.{number}"))
    assert len(calls) == 10
    watch.now += 6
    calls.wait(ALICE)
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("trusted", "forwarded", "address"),
    [
        ("10.0.0.0/8", "127.0.0.1", "10.0.0.1"),
        ("10.0.0.0/8", "127.0.0.1, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.0/8", "::1", "10.0.0.1"),
        ("10.0.0.0/8", "::ffff:127.0.0.1", "10.0.0.1"),
        ("10.0.0.0/8,127.0.0.0/8", "203.0.113.7, 127.0.0.1", "203.0.113.7"),
    ],
)
def test_nobody_is_at_home_because_a_header_says_so(trusted: str, forwarded: str, address: str) -> None:
    """Whoever lives within the trusted networks can write the header as it likes."""
    assert trusting(*trusted.split(",")).client("10.0.0.1", [forwarded]) == address


def test_a_trusted_proxy_has_as_many_connections_as_it_wants() -> None:
    proxies = trusting("10.0.0.0/8")
    assert proxies.peer("10.0.0.1") == proxies.peer("::ffff:10.0.0.1") == proxies.peer(None) == NOWHERE
    assert proxies.peer("192.0.2.1") == ALICE
    bounds = make()
    assert all(bounds.arrive(NOWHERE) for _ in range(9))


def test_new_rooms_and_failed_lookups_are_limited() -> None:
    bounds = make()
    assert bounds.new_room(ALICE) == 0
    assert bounds.new_room(ALICE) == 0
    assert bounds.new_room(ALICE) == 60_000
    bounds.no_room(ALICE)
    assert bounds.new_room(ALICE) == 0
    assert bounds.look_up(ALICE) == 0
    bounds.failed(ALICE)
    bounds.failed(ALICE)
    assert bounds.look_up(ALICE) == 60_000
    assert bounds.look_up(BOB) == 0


@pytest.mark.parametrize("address", [Address("127.0.0.1"), Address("127.8.8.8"), Address("::1"), NOWHERE])
def test_loopback_is_free_unless_the_settings_say_otherwise(address: Address) -> None:
    free, bound = make(), make(loopback=True)
    for _ in range(5):
        assert free.connect(address)
        assert free.new_room(address) == 0
        free.failed(address)
    assert free.look_up(address) == 0
    if address != NOWHERE:
        assert [bound.connect(address) for _ in range(3)] == [True, True, False]
        assert [bound.new_room(address) > 0 for _ in range(3)] == [False, False, True]
