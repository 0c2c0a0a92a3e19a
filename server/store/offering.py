"""Which seats wait for a bot host, by the presence records. Pure; the same for every store that decides here.

`lua/attached.lua` of the store on Redis says the same as `waits_from`.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterable, Sequence
from typing import TypeVar

import msgspec

from server.store.store import PRESENCE_GOOD_FOR, Offer

encode = msgspec.json.Encoder().encode
"""Offers as a store keeps them."""
decode = msgspec.json.Decoder(tuple[Offer, ...]).decode
NONE = encode(())

T = TypeVar("T")

Record = tuple[int, Sequence[int]]
"""When a node's presence record was renewed, and the seats in it."""


def waiting(offers: Iterable[Offer], connected: Container[int]) -> tuple[Offer, ...]:
    """Those that wait, of a room to which these seats are connected."""
    return tuple(offer for offer in offers if not (offer.taken and offer.seat in connected))


def drawn(found: Sequence[T], limit: int) -> Sequence[T]:
    """All, or so many of them at random: one that nobody can serve does not stand before the others for ever."""
    return found if len(found) <= limit else random.sample(found, limit)


def waits_from(offers: Sequence[Offer], records: Iterable[Record]) -> int | None:
    """The moment from which one of them may wait if no record changes: 0 for at once, None for never."""
    if not offers:
        return None
    until: dict[int, int] = {}
    for at, seats in records:
        for seat in seats:
            until[seat] = max(until.get(seat, 0), at + PRESENCE_GOOD_FOR)
    return min(until.get(offer.seat, 0) if offer.taken else 0 for offer in offers)
