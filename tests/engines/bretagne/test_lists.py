"""Every action there could be is tried at moments of random games: taken exactly when it is on the list."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import product

import pytest

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import (
    AnyAction,
    Build,
    Buy,
    ChooseBarge,
    Crew,
    Done,
    DrawCards,
    Enter,
    EnterCity,
    Equip,
    Gain,
    Hire,
    HirePair,
    Load,
    NextCity,
    Pass,
    Recruit,
    Sell,
    SellCards,
    Skip,
    Swap,
)
from server.engines.bretagne.box import CITIES, KINDS, MATERIALS
from server.engines.bretagne.state import Barges, Options, State
from server.engines.engine import IllegalAction
from tests.engines.bretagne.tables import BOX
from tests.engines.play import by_type, dice, walk

SITES = range(len(BOX.sites) + 2)
TILES = range(-1, len(BOX.tiles) + 1)
PHASES = {"barge", "income", "load", "action", "reward", "crew", "trade", "equip", "harbour"}


def every_action() -> list[AnyAction]:
    """All actions with parameters in and just out of their ranges, lists also unsorted, too short and too long."""
    actions: list[AnyAction] = [Pass(), Hire(), HirePair(), DrawCards(), Recruit(), NextCity(), Enter(), Skip(), Done()]
    actions += [ChooseBarge(place) for place in range(6)]
    actions += [Build(tile, site) for tile, site in product(TILES, SITES)]
    actions += [EnterCity(city) for city in CITIES]
    actions += [Crew(home) for home in range(-1, 9)]
    actions += [form(material) for form in (Gain, Load) for material in MATERIALS]
    actions += [Swap(card, material) for card, material in product(KINDS, MATERIALS)]
    actions += [Equip(card) for card in KINDS]
    for size in range(4):
        actions += [form(pick) for form in (Buy, Sell) for pick in product(MATERIALS, repeat=size)]
        actions += [SellCards(pick) for pick in product(KINDS, repeat=size)]
    return actions


ACTIONS = every_action()


@lru_cache(maxsize=1)
def moments() -> dict[str, list[State]]:
    """States of random games by phase, spread over them."""
    found: dict[str, list[State]] = {}
    for seats, barges, seed in product(ENGINE.seats, Barges, (2, 23)):
        for each in walk(ENGINE, seats, Options(barges), seed=seats + seed, pick=by_type):
            found.setdefault(ENGINE.turn(each.before)[1], []).append(each.before)
    return {phase: states[:: max(1, len(states) // 8)] for phase, states in found.items()}


@pytest.mark.parametrize("phase", sorted(PHASES))
def test_an_action_is_taken_exactly_when_it_is_on_the_list(phase: str) -> None:
    for state in moments()[phase]:
        [seat] = ENGINE.deciding(state)
        taken = []
        stream = dice(1, len(state.players))
        for action in ACTIONS:
            try:
                ENGINE.apply(state, seat, action, stream.fork())
            except IllegalAction:
                continue
            taken.append(action)
        assert Counter(taken) == Counter(ENGINE.legal_actions(state, seat))
        assert len(set(taken)) == len(taken)


def test_all_phases_are_met() -> None:
    assert set(moments()) == PHASES
