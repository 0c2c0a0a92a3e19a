"""What never gets lost in Bretagne: tokens, engineers, workers by owner, tiles, cards; what stays where it is.

Counted here anew, straight from the file's numbers, not with the engine's own counting.
"""

from __future__ import annotations

import tomllib
from collections import Counter

from server.engines.bretagne.components import FILE
from server.engines.bretagne.state import State

BOX = tomllib.loads(FILE.read_text(encoding="utf-8"))
PAIR = BOX["brest"]["trades"]["hire_pair"]["engineers"]
CARDS = sum(row["copies"] for row in BOX["equipment"])


def check(state: State) -> None:
    """Everything of the box is somewhere, once."""
    assert materials(state) == [BOX["tokens_per_material"]] * len(BOX["materials"]), "materials"
    assert engineers(state) == BOX["engineers"], "engineers"
    for seat in range(len(state.players)):
        assert workers(state, seat) == BOX["workers"]["all"], f"workers of seat {seat}"
    levels = [level for lighthouse in state.lighthouses for level in lighthouse.levels]
    tiles = [tile for pile in (*state.stacks, *state.open) for tile in pile] + [level.tile for level in levels]
    assert sorted(tiles) == list(range(len(BOX["tiles"]))), "construction tiles"
    cards = [*state.deck, *state.discards]
    for holder in state.players:
        cards.extend(holder.hand)
    for lighthouse in state.lighthouses:
        cards.extend(lighthouse.cards)
    assert sorted(cards) == list(range(CARDS)), "equipment cards"
    assert sorted(each.tile for each in state.lighthouses) == list(range(len(BOX["lighthouses"]))), "lighthouses"
    assert len({harbour.tile for harbour in state.harbours}) == BOX["harbours_in_play"], "harbour tiles"
    assert Counter(card.value for card in state.weather) == Counter(BOX["weather"]), "weather cards"
    assert sorted(state.production) == list(range(len(BOX["production"]))), "production cards"


def materials(state: State) -> list[int]:
    """All tokens by material."""
    total = [0] * len(BOX["materials"])
    piles = [state.supply.materials, state.brest.market, state.quimper, *(each.materials for each in state.players)]
    for pile in piles:
        assert min(pile) >= 0, "a material below 0"
        total = [a + b for a, b in zip(total, pile, strict=True)]
    for load in (load for holder in state.players for load in holder.loads if load is not None):
        total[load.material] += load.amount
    return total


def engineers(state: State) -> int:
    """All engineers."""
    places = [state.supply.engineers, state.brest.single_engineers, PAIR * state.brest.engineer_pairs]
    places += [each.engineers for each in (*state.players, *state.lighthouses)]
    assert min(places) >= 0, "engineers below 0"
    return sum(places)


def workers(state: State, seat: int) -> int:
    """All workers of a seat."""
    holder = state.players[seat]
    places = [holder.warehouse, holder.reserve, *holder.cities]
    places += [level.workers for each in state.lighthouses for level in each.levels if level.seat == seat]
    places += [harbour.workers.count(seat) for harbour in state.harbours]
    assert min(places) >= 0, "workers below 0"
    return sum(places)


def check_step(before: State, after: State) -> None:
    """Points don't shrink, nobody leaves a harbour, what is built stays built, decks of the set-up stay as they are."""
    for old, new in zip(before.players, after.players, strict=True):
        assert new.points >= old.points, "points were lost"
        assert new.coins >= 0, "coins below 0"
    for old, new in zip(before.harbours, after.harbours, strict=True):
        assert new.workers[: len(old.workers)] == old.workers, "a worker left a harbour"
        assert new.tile == old.tile, "a harbour tile moved"
        assert new.improved >= old.improved, "a harbour turned back"
    for old, new in zip(before.lighthouses, after.lighthouses, strict=True):
        assert old.tile == new.tile, "a lighthouse moved"
        assert old.status == new.status or old.status.value == "open", "a finished lighthouse was opened"
    assert before.weather == after.weather, "the weather cards changed"
    assert before.production == after.production, "the production cards changed"
