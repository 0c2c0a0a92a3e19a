"""What one address may do, and what an address is.

1. An IPv6 address stands for its /64, an IPv4-mapped one for the IPv4 address.
2. `X-Forwarded-For` counts only from a trusted proxy; the address is the rightmost one that is not a trusted proxy's.
   Where the header can't be read, the proxy's own address it is: what lies further left may be the client's invention.
3. Loopback addresses are free, unless the settings say otherwise. Only a TCP peer is at one: nobody is believed who
   forwards for it.
4. Memory is bounded: an address that did nothing lately is forgotten, and where too many did something, the one that
   did so longest ago.
"""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NewType

from protocol.codes import Code, ProtocolError
from server.settings import PerAddress
from server.web.credits import Credits

Address = NewType("Address", str)
Network = ipaddress.IPv4Network | ipaddress.IPv6Network
IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MINUTE = 60.0
ADDRESSES = 20_000
"""How many addresses a limit remembers."""

FORWARDED = 32
"""How many hops of `X-Forwarded-For` are looked at."""

NOWHERE = Address("")
"""The address of who has none, a Unix socket's peer: free like loopback."""


def too_many(what: str, wait: int) -> ProtocolError:
    """What an address is told that has done something too often, and may again in so many milliseconds."""
    return ProtocolError(Code.RATE_LIMITED, f"too many {what} from this address", retry_after=wait)


def _parse(text: str) -> IPAddress | None:
    """An address, with or without a port, brackets or a zone; None if it is none."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _name(address: IPAddress) -> Address:
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return Address(str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64))))
    return Address(str(address))


class Proxies:
    """Whose `X-Forwarded-For` is believed."""

    def __init__(self, trusted: Iterable[Network]) -> None:
        self._trusted = tuple(trusted)

    def _trusts(self, address: IPAddress) -> bool:
        return any(address in network for network in self._trusted)

    def client(self, peer: str | None, forwarded: Sequence[str]) -> Address:
        """The address that a request comes from, by its TCP peer and its `X-Forwarded-For` headers, in order."""
        nearest = _parse(peer) if peer else None
        if nearest is None:
            return NOWHERE
        hops = ",".join(forwarded).split(",")[-FORWARDED:] if forwarded else []
        while hops and self._trusts(nearest):
            hop = _parse(hops.pop())
            if hop is None or (hop.is_loopback and not self._trusts(hop)):
                break
            nearest = hop
        return _name(nearest)

    def peer(self, host: str | None) -> Address:
        """The address of a TCP peer by itself; a trusted proxy, which stands for many, has none."""
        nearest = _parse(host) if host else None
        return NOWHERE if nearest is None or self._trusts(nearest) else _name(nearest)


class Open:
    """How many connections of a kind each address has."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count: dict[Address, int] = {}

    def take(self, address: Address, *, free: bool) -> bool:
        """Count one more, unless there are too many; `free`: whether there may be any number."""
        count = self._count.get(address, 0)
        if count >= self._most and not free:
            return False
        self._count[address] = count + 1
        return True

    def give_back(self, address: Address) -> None:
        """One is closed."""
        count = self._count[address] - 1
        if count:
            self._count[address] = count
        else:
            del self._count[address]

    def __len__(self) -> int:
        return len(self._count)


class Calls:
    """So many calls a second, after a burst, for each address."""

    def __init__(self, rate: int, burst: int, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._credits: OrderedDict[Address, tuple[Credits, float]] = OrderedDict()

    def wait(self, address: Address) -> int:
        """Count a call, or say for how many milliseconds the address has to wait."""
        now = self._clock()
        known = self._credits.pop(address, None)
        left = Credits(self._rate, self._burst, now) if known is None else known[0]
        self._credits[address] = (left, now)
        self._forget(now)
        return 0 if left.take(1, now) else left.wait(1)

    def _forget(self, now: float) -> None:
        """Drop whoever is the longest quiet, while its bucket is full again or there are too many."""
        while self._credits:
            address, (_, when) = next(iter(self._credits.items()))
            if when + self._burst / self._rate > now and len(self._credits) <= ADDRESSES:
                return
            del self._credits[address]

    def __len__(self) -> int:
        return len(self._credits)


class Rate:
    """At most `most` times in any minute, for each address."""

    def __init__(self, most: int, clock: Callable[[], float]) -> None:
        self._most = most
        self._clock = clock
        self._times: OrderedDict[Address, deque[float]] = OrderedDict()

    def wait(self, address: Address) -> int:
        """For how many milliseconds the address has to wait before the next time; 0: it may now."""
        times = self._times.get(address)
        if times is None or len(times) < self._most:
            return 0
        return max(0, math.ceil((times[0] + MINUTE - self._clock()) * 1000))

    def count(self, address: Address) -> None:
        """It did so now."""
        now = self._clock()
        times = self._times.pop(address, None)
        if times is None:
            times = deque(maxlen=self._most)
        times.append(now)
        self._times[address] = times
        self._forget(now)

    def forgive(self, address: Address) -> None:
        """The last time does not count."""
        times = self._times.get(address)
        if times is not None:
            times.pop()
            if not times:
                del self._times[address]

    def _forget(self, now: float) -> None:
        """Drop whoever is the longest quiet, while that is over a minute or there are too many."""
        while self._times:
            address, times = next(iter(self._times.items()))
            if times[-1] + MINUTE > now and len(self._times) <= ADDRESSES:
                return
            del self._times[address]


class Limits:
    """The limits per address of one process."""

    def __init__(self, per: PerAddress, clock: Callable[[], float]) -> None:
        self._loopback = per.limit_loopback
        self._sockets = Open(per.connections)
        self._calling = Open(per.http_connections)
        self._calls = Calls(per.calls_per_second, per.calls_burst, clock)
        self._rooms = Rate(per.new_rooms, clock)
        self._lookups = Rate(per.failed_lookups, clock)

    def _free(self, address: Address) -> bool:
        if address == NOWHERE:
            return True
        return not self._loopback and "/" not in address and ipaddress.ip_address(address).is_loopback

    def connect(self, address: Address) -> bool:
        """Whether the address may have one more WebSocket; if so, it is counted until `disconnect`."""
        return self._sockets.take(address, free=self._free(address))

    def disconnect(self, address: Address) -> None:
        """One of the address's WebSockets is closed."""
        self._sockets.give_back(address)

    def arrive(self, peer: Address) -> bool:
        """Whether the peer may have one more HTTP connection; if so, it is counted until `depart`."""
        return self._calling.take(peer, free=self._free(peer))

    def depart(self, peer: Address) -> None:
        """One of the peer's HTTP connections is closed, or has become a WebSocket."""
        self._calling.give_back(peer)

    def call(self, address: Address) -> int:
        """Count an HTTP call or a handshake, or say for how many milliseconds the address has to wait."""
        return 0 if self._free(address) else self._calls.wait(address)

    def new_room(self, address: Address) -> int:
        """Count a new room, or say for how many milliseconds the address has to wait."""
        wait = 0 if self._free(address) else self._rooms.wait(address)
        if not wait:
            self._rooms.count(address)
        return wait

    def no_room(self, address: Address) -> None:
        """The room that was counted last did not come about."""
        self._rooms.forgive(address)

    def look_up(self, address: Address) -> int:
        """For how many milliseconds the address may look up no room, for it failed too often; 0: it may."""
        return 0 if self._free(address) else self._lookups.wait(address)

    def failed(self, address: Address) -> int:
        """The address asked for a room, or with a token, that does not exist.

        The answer: 0, or, if it had failed too often by the time this came out (for it may ask for many at once), for
        how many milliseconds it has to wait; then it is not told.
        """
        wait = self.look_up(address)
        if not wait:
            self._lookups.count(address)
        return wait


@dataclass(frozen=True, slots=True)
class LookUps:
    """The look-ups of rooms and tokens that one address makes."""

    limits: Limits
    address: Address

    def wait(self) -> int:
        """See `Limits.look_up`."""
        return self.limits.look_up(self.address)

    def failed(self) -> int:
        """See `Limits.failed`."""
        return self.limits.failed(self.address)
