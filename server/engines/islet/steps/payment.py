"""Paying (RULES.md, "Paying"): every way that wastes nothing.

A recipe makes up the price exactly; a part of it makes up less. So the ways that waste nothing are the recipes,
each with every split between unguarded cards and guarded resources, less those whose conversion finds no card (D9).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from operator import add, gt, sub
from typing import NamedTuple

from server.engines.islet.components import Components, Counts, Price
from server.engines.islet.state import Payment, State

NO_SPLIT = range(1)


class Purse(NamedTuple):
    """What a seat can spend now, and the piles that it would go to."""

    cards: Counts
    guarded: Counts
    piles: Counts

    @classmethod
    def of(cls, state: State) -> Purse:
        """What the seat whose turn it is can spend."""
        return cls(state.player.cards, state.player.guarded, state.piles)

    def without(self, payment: Payment) -> Purse:
        """After a payment: unguarded cards are on their piles at once (D6), guarded ones are used for this turn."""
        return Purse(
            less(self.cards, payment.cards), less(self.guarded, payment.guarded), plus(self.piles, payment.cards)
        )


def plus(some: Counts, more: Counts) -> Counts:
    """The sums, kind by kind."""
    return tuple(map(add, some, more))


def less(some: Counts, fewer: Counts) -> Counts:
    """The differences, kind by kind."""
    return tuple(map(sub, some, fewer))


def changed(counts: Counts, kind: int, by: int) -> Counts:
    """The counts, one of them changed."""
    return (*counts[:kind], counts[kind] + by, *counts[kind + 1 :])


def ways(components: Components, purse: Purse, kind: int) -> tuple[Payment, ...]:
    """Every way to pay for one walk onto the terrain `kind`, or one egg on the nest `kind`, in the order of P."""
    return _ways(components.prices[kind], purse.cards, purse.guarded, purse.piles[kind] > 0)


@lru_cache(maxsize=8192)  # with few cards in a hand, the same ones come up again and again
def _ways(price: Price, have: Counts, kept: Counts, pile: bool) -> tuple[Payment, ...]:
    """`pile`: whether there are cards on the pile of the price's kind."""
    found = []
    most = plus(have, kept)
    for spend, converts in price.recipes:
        if any(map(gt, spend, most)):
            continue
        splits = [
            range(max(0, due - n), min(due, more) + 1) if due else NO_SPLIT
            for due, n, more in zip(spend, have, kept, strict=True)
        ]
        for flat in product(*splits):
            cards = less(spend, flat)
            if not converts or pile or cards[price.kind]:  # D9
                found.append((cards, flat))
    return tuple(Payment(*way) for way in sorted(found))
