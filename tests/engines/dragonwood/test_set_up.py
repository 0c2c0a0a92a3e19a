"""Set-up (1 to 4) and its draws on the stream, made anew from RULES.md, "Dice"; D1, D12."""

from __future__ import annotations

import pytest

from server.engines.dice import Dice
from server.engines.dragonwood.state import Dragons, Options, Phase, State
from tests.engines.dragonwood.scene import ENGINE, Loaded
from tests.engines.play import dice

EVENTS = range(38, 42)
DRAGONS = (27, 28)
MODES = [(seats, dragons) for seats in (2, 3, 4) for dragons in Dragons]


def shuffle(items: list[int], stream: Dice) -> list[int]:
    for i in range(len(items) - 1, 0, -1):
        j = stream.below(i + 1)
        items[i], items[j] = items[j], items[i]
    return items


def by_the_book(seats: int, dragons: Dragons, stream: Dice) -> dict[str, tuple[int, ...]]:
    """Set-up as RULES.md tells it, step by step."""
    deck = shuffle([card for card in range(42) if card not in DRAGONS], stream)
    out = {2: 12, 3: 10, 4: 8}[seats]
    deck, removed = deck[: 40 - out], deck[40 - out :]
    half = len(deck) // 2 if dragons is Dragons.BOTTOM_HALF else len(deck)
    mixed = shuffle(sorted([*deck[:half], *DRAGONS]), stream)
    lower, upper = (mixed, deck[half:]) if dragons is Dragons.BOTTOM_HALF else ([], mixed)
    adventurers = shuffle(list(range(64)), stream)
    hands, discard = [[] for _ in range(seats)], []
    for _ in range(5):
        for hand in hands:
            owed = 1
            while owed:
                card = adventurers.pop()
                owed -= 1
                if card >= 60:
                    discard.append(card)
                    owed += 2
                else:
                    hand.append(card)
    landscape: list[int] = []
    while len(landscape) < 5:
        if upper[-1] in EVENTS:
            upper = shuffle(sorted(upper), stream)
        else:
            landscape.append(upper.pop())
    return {
        "removed": tuple(removed),
        "dragonwood": (*lower, *upper),
        "adventurers": tuple(adventurers),
        "discard": tuple(discard),
        "landscape": tuple(landscape),
        **{f"hand {seat}": tuple(sorted(hand)) for seat, hand in enumerate(hands)},
    }


def laid_out(state: State) -> dict[str, tuple[int, ...]]:
    return {
        "removed": state.removed,
        "dragonwood": state.dragonwood,
        "adventurers": state.adventurers,
        "discard": state.discard,
        "landscape": state.landscape,
        **{f"hand {seat}": player.hand for seat, player in enumerate(state.players)},
    }


@pytest.mark.parametrize(("seats", "dragons"), MODES)
def test_the_draws_are_those_of_the_rules(seats: int, dragons: Dragons) -> None:
    for seed in range(25):
        stream, again = dice(seed, seats), dice(seed, seats)
        state = ENGINE.new(seats, Options(dragons=dragons), stream)
        assert laid_out(state) == by_the_book(seats, dragons, again)
        assert stream.words == again.words


@pytest.mark.parametrize(("seats", "dragons"), MODES)
def test_everything_is_where_set_up_puts_it(seats: int, dragons: Dragons) -> None:
    lowest = set()
    for seed in range(25):
        state = ENGINE.new(seats, Options(dragons=dragons), dice(seed, seats))
        assert (state.phase, state.number, state.in_turn) == (Phase.TURN, 1, 0)
        assert len(state.removed) == {2: 12, 3: 10, 4: 8}[seats]
        assert not set(DRAGONS) & set(state.removed)
        assert not set(EVENTS) & set(state.landscape)
        assert len(state.landscape) == 5
        dealt = sum(len(player.hand) for player in state.players)
        assert dealt == 5 * seats + len(state.discard), "a Ladybug is replaced by two cards"
        assert set(state.discard) <= {60, 61, 62, 63}
        lowest.update(state.dragonwood.index(dragon) for dragon in DRAGONS if dragon in state.dragonwood)
    half = (40 - {2: 12, 3: 10, 4: 8}[seats]) // 2
    assert (max(lowest) < half + 2) is (dragons is Dragons.BOTTOM_HALF)


def test_an_event_of_the_first_five_goes_back_into_the_part_without_dragons() -> None:
    """D1: the lower part stays as it was shuffled; the event may lie anywhere in the upper one."""
    places, met = set(), 0
    for seed in range(60):
        state = ENGINE.new(2, Options(), dice(seed, 2))
        stream = dice(seed, 2)
        deck = shuffle([card for card in range(42) if card not in DRAGONS], stream)
        lower = shuffle(sorted([*deck[:14], *DRAGONS]), stream)
        assert state.dragonwood[:16] == tuple(lower)
        first = [card for card in deck[23:28] if card in EVENTS]
        met += bool(first)
        places.update(state.dragonwood.index(card) for card in first if card in state.dragonwood)
    assert met > 10
    assert min(places) >= 16
    assert len(places) > 4


def test_with_whole_deck_an_event_goes_back_into_all_of_it() -> None:
    places = set()
    for seed in range(60):
        stream, options = dice(seed, 2), Options(dragons=Dragons.WHOLE_DECK)
        state = ENGINE.new(2, options, dice(seed, 2))
        deck = shuffle([card for card in range(42) if card not in DRAGONS], stream)
        mixed = shuffle(sorted([*deck[:28], *DRAGONS]), stream)
        places.update(state.dragonwood.index(card) for card in mixed[25:] if card in EVENTS)
    assert min(places) < 8


def test_a_shuffle_in_which_nothing_moves_deals_from_the_end() -> None:
    """D12 with the Dice section: item i is swapped with itself, so the lists stay ascending and tops are their ends."""
    still = [i for n in (40, 16, 64) for i in range(n - 1, 0, -1)]
    state = ENGINE.new(2, Options(), Loaded(*still))
    assert state.removed == (*range(30, 42),)
    assert state.landscape == (29, 26, 25, 24, 23)
    assert state.dragonwood == (*range(14), 27, 28, *range(14, 23))
    assert state.discard == (63, 62, 61, 60), "seat 0's first card brings 62 and 61, and 60 in place of 61's draws"
    assert len(state.players[0].hand) == 9


def test_other_numbers_of_seats_are_refused() -> None:
    for seats in (1, 5):
        with pytest.raises(ValueError, match="number of seats"):
            ENGINE.new(seats, Options(), Loaded())
