"""What one address may do, and what an address is.

1. An IPv6 address stands for its /64, an IPv4-mapped one for the IPv4 address.
2. `X-Forwarded-For` counts only from a trusted proxy; the address is the rightmost one that is not a trusted proxy's.
   Where the header can't be read, the proxy's own address it is: what lies further left may be the client's invention.
3. Loopback addresses are free, unless the settings say otherwise.
4. Memory is bounded: an address that did nothing lately is forgotten, and where too many did something, the one that
   did so longest ago.
"""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Sequence
from typing import NewType

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
            if hop is None:
                break
            nearest = hop
        return _name(nearest)


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

    def __init__(
        self, *, connections: int, new_rooms: int, failed_lookups: int, loopback: bool, clock: Callable[[], float]
    ) -> None:
        """The numbers are those of protocol section 7; `loopback`: whether loopback addresses are limited too."""
        self._most = connections
        self._loopback = loopback
        self._open: dict[Address, int] = {}
        self._rooms = Rate(new_rooms, clock)
        self._lookups = Rate(failed_lookups, clock)

    def _free(self, address: Address) -> bool:
        if address == NOWHERE:
            return True
        return not self._loopback and "/" not in address and ipaddress.ip_address(address).is_loopback

    def connect(self, address: Address) -> bool:
        """Whether the address may open one more connection; if so, it is counted until `disconnect`."""
        count = self._open.get(address, 0)
        if count >= self._most and not self._free(address):
            return False
        self._open[address] = count + 1
        return True

    def disconnect(self, address: Address) -> None:
        """One of the address's connections is closed."""
        count = self._open[address] - 1
        if count:
            self._open[address] = count
        else:
            del self._open[address]

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
