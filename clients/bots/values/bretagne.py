"""Bretagne: the score so far, what stands in harbours and on lighthouses, and what the next builds promise."""

from __future__ import annotations

from typing import Any

from clients.bots.outlooks.bretagne import Sight, prospect
from server.engines.bretagne import ENGINE
from server.engines.bretagne.state import State

SPREAD = 12.0
CAUTION = 1.0
HORIZON = 3

INCOME = 1.2  # what a worker in a harbour brings each round
CREW = 1.0  # a worker on a lighthouse that is not evaluated yet


def value(state: State, seat: int) -> float:
    """The score that the seat may expect."""
    view: dict[str, Any] = {
        "turn": {"phase": ENGINE.turn(state)[1]},
        "game": ENGINE.public_view(state),
        "you": {"seat": seat, **ENGINE.private_view(state, seat)},
    }
    sight = Sight(view)
    points = sight.me["points"] + _harbours(sight) + _crews(sight)
    return float(points + prospect(sight, sight.means()))


def _harbours(sight: Sight) -> float:
    worth = 0.0
    for harbour in sight.game["harbours"]:
        if sight.seat in harbour["workers"]:
            place = harbour["workers"].index(sight.seat)
            worth += sight.numbers["harbour_points"][place] + INCOME * sight.rounds_left
    return worth


def _crews(sight: Sight) -> float:
    """Workers that will be evaluated; who has most on a lighthouse may get its majority."""
    worth = 0.0
    for lighthouse in sight.game["lighthouses"]:
        workers = sight.workers_on(lighthouse)
        own = workers.pop(sight.seat, 0)
        if not own or lighthouse["status"] != "open":
            continue
        built = len(lighthouse["levels"]) / sight.numbers["levels"]
        worth += CREW * own
        if own > max(workers.values(), default=0):
            worth += built * sight.numbers["classes"][lighthouse["class"]]["majority"]
    return worth
