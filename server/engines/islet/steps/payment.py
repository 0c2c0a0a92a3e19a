"""Paying (RULES.md, "Paying"): every way that wastes nothing.

A recipe makes up the price exactly; a part of it makes up less. So the ways that waste nothing are the recipes,
each with every split between unguarded cards and guarded resources, less those whose conversion finds no card (D9).
"""

from __future__ import annotations

from itertools import product
from operator import add, sub
from typing import NamedTuple

from server.engines.islet.components import Components, Counts
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


def ways(components: Components, purse: Purse, kind: int) -> list[Payment]:
    """Every way to pay for one walk onto the terrain `kind`, or one egg on the nest `kind`, in the order of P."""
    found = []
    have, kept, piles = purse
    for spend, converted, kinds in components.recipes[kind]:
        if any(spend[spent] > have[spent] + kept[spent] for spent in kinds):
            continue
        splits = [
            range(max(0, due - n), min(due, more) + 1) if due else NO_SPLIT
            for due, n, more in zip(spend, have, kept, strict=True)
        ]
        for flat in product(*splits):
            cards = less(spend, flat)
            if converted is None or piles[converted] + cards[converted] > 0:  # D9
                found.append((cards, flat))
    return [Payment(*way) for way in sorted(found)]
