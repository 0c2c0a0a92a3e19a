"""Greedy at Bretagne: builds what is worth most now, trades when that makes a better build possible, else passes.

A worker sent home is worth 2 at once, so workers stay on a lighthouse only for a card in hand, for its harbour, or for
a majority that is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from random import Random

from clients.bots.outlooks.bretagne import HIRED, MATERIALS, Means, Offer, Sight, Stock, View, prospect

CLOSELY = 8  # builds that are weighed with what they leave


def _gaining(sight: Sight, material: str, amount: int = 1) -> float:
    means = sight.means()
    place = MATERIALS.index(material)
    return prospect(sight, means._replace(stock=_with(means.stock, (place,) * amount)))


def _with(stock: Stock, places: Sequence[int]) -> Stock:
    return tuple(n + places.count(place) for place, n in enumerate(stock))


def _barge(sight: Sight, action: View) -> float:
    card = sight.numbers["barges"][action["place"] - 1]
    return float(sum(card["loads"]) + HIRED * card["engineers"] + sight.coin * card["coins"])


def _gain(sight: Sight, action: View) -> float:
    return _gaining(sight, action["material"])


def _load(sight: Sight, action: View) -> float:
    if action["type"] == "pass":
        return 0.0
    room = sight.numbers["barges"][sight.me["barge"] - 1]["loads"][sight.task["barge"]]
    return _gaining(sight, action["material"], min(room, sight.game["quimper"][action["material"]]))


# Part 3: build, trade, pass


def _act(sight: Sight, actions: Sequence[View]) -> View:
    """The build that is worth most with what it leaves; else the city that gains something; else `pass`."""
    legal = {(action["tile"], action["site"]) for action in actions if action["type"] == "build"}
    offers = [offer for offer in sight.offers if (offer.tile, offer.site) in legal]
    offers = sorted(offers, key=lambda offer: -offer.worth)[:CLOSELY]
    if offers:
        best = max(offers, key=lambda offer: _with_rest(sight, offer))
        if best.worth > 0:
            return {"type": "build", "tile": best.tile, "site": best.site}
    cities = [action for action in actions if action["type"] == "trade"]
    gains = [(_visit(sight, action["city"]), action) for action in cities]
    gain, action = max(gains, key=lambda each: each[0], default=(0.0, None))
    return action if action is not None and gain > 0.5 else actions[-1]


def _with_rest(sight: Sight, offer: Offer) -> float:
    means = sight.means()
    rest = tuple(a - b for a, b in zip(means.stock, offer.cost, strict=True))
    return offer.worth + prospect(sight, means._replace(stock=rest, engineers=means.engineers - offer.engineers))


def _visit(sight: Sight, city: str) -> float:
    """What the best trades of a visit gain, each once, one after the other."""
    start = means = sight.means()
    left = set(sight.numbers["trades"][city])
    while True:
        value, trade, after = prospect(sight, means), "", means
        for name in sorted(left):
            for outcome in _outcomes(sight, means, city, name):
                if (worth := prospect(sight, outcome)) > value:
                    value, trade, after = worth, name, outcome
        if not trade:
            return value - prospect(sight, start)
        left.discard(trade)
        means = after


def _outcomes(sight: Sight, means: Means, city: str, trade: str) -> Iterator[Means]:
    """The means after each way to make a trade that costs coins."""
    deal: Mapping[str, int] = sight.numbers["trades"][city][trade]
    if not deal.get("pay") or deal["pay"] > means.coins or not _there(sight, trade):
        return
    paid = means._replace(coins=means.coins - deal["pay"])
    if "materials" in deal:
        shelf = sight.game["brest"]["market"] if city == "brest" else sight.game["supply"]["materials"]
        places = [place for place, material in enumerate(MATERIALS) if shelf[material] >= deal["materials"]]
        for taken in combinations_with_replacement(places, deal["materials"]):
            yield paid._replace(stock=_with(paid.stock, taken))
    else:
        yield _after_deal(paid, deal)


def _there(sight: Sight, trade: str) -> bool:
    game = sight.game
    if trade == "hire":
        return bool(game["brest"]["single_engineers"])
    if trade == "hire_pair":
        return bool(game["brest"]["engineer_pairs"])
    return trade != "recruit" or bool(sight.me["reserve"])


def _after_deal(means: Means, deal: Mapping[str, int]) -> Means:
    return means._replace(
        engineers=means.engineers + deal.get("engineers", 0),
        coins=means.coins + deal.get("coins", 0),
        workers=means.workers + deal.get("workers", 0),
        cards=means.cards + deal.get("equipment", 0) - deal.get("give_equipment", 0),
    )


def _trade(sight: Sight, action: View) -> float:
    """What the seat has after the trade; going on or home changes nothing."""
    means = sight.means()
    kind = action["type"]
    if kind == "done":
        return prospect(sight, means) + 0.01
    if kind == "next_city":
        other = next(city for city in sight.numbers["trades"] if city != sight.task["city"])
        return prospect(sight, means) + max(0.0, _visit(sight, other) - 0.5)
    deal: Mapping[str, int] = sight.numbers["trades"][sight.task["city"]][kind]
    after = _after_deal(means._replace(coins=means.coins - deal.get("pay", 0)), deal)
    named = [MATERIALS.index(material) for material in action.get("materials", ())]
    if kind == "swap":
        named = [MATERIALS.index(action["material"])]
    if kind == "sell":
        sold = tuple(n - named.count(place) for place, n in enumerate(after.stock))
        return prospect(sight, after._replace(stock=sold))
    return prospect(sight, after._replace(stock=_with(after.stock, named)))


# Workers and evaluation


def _crew(sight: Sight, actions: Sequence[View]) -> View:
    """Keeps the workers that the lighthouse will need, sends the others home."""
    size = len(actions) - 1
    lighthouse = sight.lighthouse(sight.task["site"])
    workers = sight.workers_on(lighthouse)
    own = workers.get(sight.seat, 0)
    wanted = 0
    if len(lighthouse["levels"]) == sight.numbers["levels"]:
        wanted = _wanted(sight, lighthouse, max((n for seat, n in workers.items() if seat != sight.seat), default=0))
    elif sight.rounds_left:
        wanted = 1 + min(1, sum(sight.hand.values()))
    return actions[size - min(size, max(0, wanted - own))]


def _wanted(sight: Sight, lighthouse: View, rival: int) -> int:
    """Workers for the cards in hand, for the harbour and for the majority of a lighthouse that will be evaluated."""
    wanted = sum(sorted((worth > 2 for worth in _card_worths(sight, lighthouse)), reverse=True))
    if _harbour_worth(sight, lighthouse) > 2:
        wanted += 1
    majority = sight.numbers["classes"][lighthouse["class"]]["majority"]
    return wanted + (rival + 1 if rival + 1 < majority else 0)


def _card_worths(sight: Sight, lighthouse: View) -> list[int]:
    """What the cards of the hand would score here, best first."""
    worths: list[int] = []
    for kind, held in sight.hand.items():
        played = lighthouse["cards"].count(kind)
        points = sight.numbers["equipment"][kind][lighthouse["class"]]
        worths.extend(max(0, points - played - i) for i in range(held))
    return sorted(worths, reverse=True)


def _harbour_worth(sight: Sight, lighthouse: View) -> float:
    """Income to come and points of the end, less the price."""
    harbour = sight.game["harbours"][lighthouse["harbour"]]
    inside = len(harbour["workers"])
    if sight.seat in harbour["workers"] or sight.me["coins"] < inside:
        return 0.0
    return float(sight.numbers["harbour_points"][inside] + 1.5 * sight.rounds_left - sight.coin * inside)


def _majority(sight: Sight, lighthouse: View, left: int) -> float:
    """What so many own workers score in step c, if the others stay as they are."""
    if not left:
        return 0.0
    rival = max((n for seat, n in sight.workers_on(lighthouse).items() if seat != sight.seat), default=0)
    won = sight.numbers["classes"][lighthouse["class"]]["majority"] if left > rival else 0
    return float(left * sight.numbers["worker_left_points"] + won)


def _equip(sight: Sight, actions: Sequence[View]) -> View:
    """Plays the best card while the worker it takes home is not worth more where it is."""
    lighthouse = sight.lighthouse(sight.task["site"])
    own = sight.workers_on(lighthouse).get(sight.seat, 0)
    worths = _card_worths(sight, lighthouse)[:own]
    harbour = max(0.0, _harbour_worth(sight, lighthouse))
    future = 1.5 if sight.rounds_left else 0.0

    def total(played: int) -> float:
        left = own - played
        inside = harbour if left else 0.0
        rest = left - 1 if inside > 1 else left
        return sum(worths[:played]) - future * played + inside + _majority(sight, lighthouse, rest)

    if max(range(len(worths) + 1), key=total) == 0:
        return actions[-1]
    return max(actions[:-1], key=lambda action: _card_worth(sight, lighthouse, action["card"]))


def _card_worth(sight: Sight, lighthouse: View, kind: str) -> int:
    points: int = sight.numbers["equipment"][kind][lighthouse["class"]]
    played: int = lighthouse["cards"].count(kind)
    return points - played


def _harbour(sight: Sight, action: View) -> float:
    lighthouse = sight.lighthouse(sight.task["site"])
    own = sight.workers_on(lighthouse)[sight.seat]
    if action["type"] == "skip":
        return _majority(sight, lighthouse, own)
    return _harbour_worth(sight, lighthouse) + _majority(sight, lighthouse, own - 1)


SCORES: dict[str, Callable[[Sight, View], float]] = {
    "barge": _barge,
    "income": _gain,
    "reward": _gain,
    "load": _load,
    "trade": _trade,
    "harbour": _harbour,
}
PICKS: dict[str, Callable[[Sight, Sequence[View]], View]] = {"action": _act, "crew": _crew, "equip": _equip}


def choose(state: View, actions: Sequence[View], random: Random) -> View:  # noqa: ARG001 - ties go to the first
    """The action with the best outlook."""
    if len(actions) == 1:
        return actions[0]
    sight = Sight(state)
    phase = state["turn"]["phase"]
    if phase in PICKS:
        return PICKS[phase](sight, actions)
    score = SCORES[phase]
    return max(actions, key=lambda action: score(sight, action))


def ranked(state: View, actions: Sequence[View], random: Random) -> Sequence[View]:
    """The actions by their outlook, the best first."""
    best = choose(state, actions, random)
    sight = Sight(state)
    phase = state["turn"]["phase"]
    score = SCORES.get(phase, _promise)
    rest = [action for action in actions if action != best]
    return [best, *sorted(rest, key=lambda action: -score(sight, action))]


def _promise(sight: Sight, action: View) -> float:
    """Builds by their worth; everything else comes after those that are worth something."""
    offers = (offer for offer in sight.offers if action["type"] == "build")
    found = (offer.worth for offer in offers if (offer.tile, offer.site) == (action["tile"], action["site"]))
    return next(found, 0.0)
