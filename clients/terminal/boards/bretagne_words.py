"""Bretagne in words: actions of the list, lines of the log. Seats are letters (A is seat 0) beside their names.

All of it goes by the state document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from clients.terminal.games import State, seat_name

Fields: TypeAlias = Mapping[str, Any]

SEATS = "ABCD"
SHORT = {"brick": "br", "stone": "st", "sand": "sa", "wood": "wo"}
CITIES = {"brest": "Brest", "lorient": "Lorient"}
REASONS = {"lighthouses": "all lighthouses stand", "rounds": "the last round is over"}
BARGES = ("first", "second", "third")
_NAMES = {"any_material": "material of choice", "equipment": "card"}
_REWARDS = {"coins": "coin", "equipment": "card", "points": "pt", "workers": "worker", "any_material": "any"}
_and = " and ".join


def _who(state: State, seat: int) -> str:
    return f"{seat_name(state, seat)} ({SEATS[seat]})"


def counted(counts: Mapping[str, int]) -> str:
    """ "2 brick, 1 card", or "nothing"."""
    return ", ".join(f"{n} {_plural(_NAMES.get(name, name), n)}" for name, n in counts.items()) or "nothing"


def _plural(name: str, n: int) -> str:
    if name in SHORT:
        return name
    name = name.removesuffix("s")
    if n == 1:
        return name
    return "materials of choice" if name == _NAMES["any_material"] else name + "s"


def _site(state: State, site: int) -> str:
    return f"{state['game']['lighthouses'][site - 1]['name']} (site {site})"


def tile_in_words(tile: Fields) -> str:
    """A construction tile's number, cost and reward, as short as on the board."""
    cost = " ".join(f"{n}{SHORT[material]}" for material, n in tile["cost"].items())
    return f"{tile['id']:>2} {cost}: {_short(tile['reward'])}"


def _short(reward: Mapping[str, int]) -> str:
    return " ".join(f"{n}{_REWARDS.get(name, name)}" for name, n in reward.items())


def describe(state: State, action: Fields) -> str:
    """An action of the list in words, naming tiles, sites and cards the way the board does."""
    return _DESCRIBE[action["type"]](state, action)


def _describe_build(state: State, action: Fields) -> str:
    tiles = (tile for each in state["game"]["tiles"].values() for tile in each["open"])
    tile = next(tile for tile in tiles if tile["id"] == action["tile"])
    return f"Build tile {tile_in_words(tile).strip()} on {_site(state, action['site'])}"


def _describe_crew(state: State, action: Fields) -> str:
    points = action["home"] * state["game"]["reference"]["worker_home_points"]
    return f"Send {action['home']} of the crew straight home for {points} points"


def _describe_deal(words: str) -> Callable[[State, Fields], str]:
    def describe_deal(state: State, action: Fields) -> str:
        deal = state["game"]["reference"]["trades"][state["game"]["task"]["city"]][action["type"]]
        given = {"coins": deal.get("pay", 0), "equipment": deal.get("give_equipment", 0)}
        got = {name: deal.get(name, 0) for name in ("engineers", "equipment", "workers", "coins")}
        named = _and(action.get("materials") or action.get("cards") or ())
        paid = counted({name: n for name, n in given.items() if n})
        gets = counted({name: n for name, n in got.items() if n})
        return words.format(named=named, paid=paid, gets=gets, **{k: v for k, v in action.items() if k != "type"})

    return describe_deal


def _describe_enter(state: State, _: Fields) -> str:
    site = state["game"]["lighthouses"][state["game"]["task"]["site"] - 1]
    price = len(state["game"]["harbours"][site["harbour"]]["workers"])
    return f"Move a worker into harbour {site['harbour']} for {counted({'coins': price})}"


def _describe_done(state: State, _: Fields) -> str:
    return "End trading" if state["game"]["task"]["phase"] == "trade" else "Play no more cards here"


def _describe_next_city(state: State, _: Fields) -> str:
    other = next(name for city, name in CITIES.items() if city != state["game"]["task"]["city"])
    return f"Go on to {other} with another worker"


def _describe_pass(state: State, _: Fields) -> str:
    loading = state["game"]["task"]["phase"] == "load"
    return "Leave the barge empty" if loading else "Pass for the rest of the round"


_DESCRIBE: dict[str, Callable[[State, Fields], str]] = {
    "choose_barge": lambda _, action: f"Take barge card {action['place']}",
    "gain": lambda _, action: f"Take 1 {action['material']}",
    "load": lambda _, action: f"Load {action['material']}",
    "build": _describe_build,
    "trade": lambda _, action: f"Send a worker to {CITIES[action['city']]} to trade",
    "pass": _describe_pass,
    "crew": _describe_crew,
    "hire": _describe_deal("Hire {gets} for {paid}"),
    "hire_pair": _describe_deal("Hire a pair, {gets}, for {paid}"),
    "buy": _describe_deal("Buy {named} for {paid}"),
    "sell": _describe_deal("Sell {named} for {gets}"),
    "draw_cards": _describe_deal("Draw {gets} for {paid}"),
    "sell_cards": _describe_deal("Sell the cards {named} for {gets}"),
    "recruit": _describe_deal("Recruit {gets} for {paid}"),
    "swap": _describe_deal("Swap the card {card} for 1 {material} and {gets}"),
    "next_city": _describe_next_city,
    "equip": lambda _, action: f"Play {action['card']}",
    "enter": _describe_enter,
    "skip": lambda *_: "Stay out of the harbour",
    "done": _describe_done,
}


def narrate(state: State, event: Fields) -> str | None:
    """A line of the log for an event of the game; None for what needs no line."""
    teller = _NARRATE.get(event["kind"])
    return None if teller is None else teller(state, event)


def _short_of(event: Fields) -> str:
    return f" (the supply lacks {counted(event['short'])})" if event["short"] else ""


def _drawn(event: Fields) -> str:
    return f": {_and(event['cards'])}" if event.get("cards") else ""


def _narrate_income(state: State, event: Fields) -> str:
    chooses = f", and chooses {event['choices']}" if event.get("choices") else ""
    got = counted(event["got"]) + _drawn(event) + chooses + _short_of(event)
    return f"Harbour {event['harbour']} pays {_who(state, event['seat'])} {got}"


def _narrate_built(state: State, event: Fields) -> str:
    words = f"{_who(state, event['seat'])} builds level {event['level']} of {_site(state, event['site'])} "
    words += f"with tile {event['tile']} for {counted(event['paid'] | {'engineers': event['engineers']})}"
    words += f", gets {counted(event['got'])}{_drawn(event)}{_short_of(event)}"
    words += f" and {counted({'coins': event['idle_coins']})} that lay there" if event["idle_coins"] else ""
    return words + (", and a worker is injured" if event["injured"] else "")


def _narrate_crewed(state: State, event: Fields) -> str:
    home = f", {event['home']} went home for {counted({'points': event['points']})}" if event["home"] else ""
    man = "worker stays" if event["workers"] == 1 else "workers stay"
    return f"{_who(state, event['seat'])}: {event['workers'] or 'no'} {man} on the level{home}"


def _narrate_traded(state: State, event: Fields) -> str:
    sold = f" ({_and(event['sold'])})" if event.get("sold") else ""
    got = counted(event["got"]) + _drawn(event)
    return f"{_who(state, event['seat'])} gives {counted(event['paid'])}{sold} for {got} in {CITIES[event['city']]}"


def _narrate_passed(state: State, event: Fields) -> str:
    back = f", {counted(event['returned'])} go back" if event["returned"] else ""
    return f"{_who(state, event['seat'])} passes, place {event['place']} of the next round{back}"


def _narrate_loaded(state: State, event: Fields) -> str:
    load = f"{event['amount']} {event['material']}" if event["material"] else "nothing: Quimper is empty"
    return f"{_who(state, event['seat'])} loads {load} into the {BARGES[event['barge']]} barge"


def _narrate_evaluated(state: State, event: Fields) -> str | None:
    if event["step"] == "equipment":
        return f"{_site(state, event['site'])} is evaluated"
    if event["step"] != "majority":
        return None
    scored = [f"{_who(state, seat)} {points}" for seat, points in enumerate(event["points"]) if points]
    return f"Workers on {_site(state, event['site'])} score: {', '.join(scored) or 'nobody'}"


def _narrate_supplied(_: State, event: Fields) -> str:
    short = sum((*event["market_short"], *event["quimper_short"], event["engineers_short"]))
    return "Brest and Quimper are filled" + (f", but the supply lacks {short} pieces" if short else "")


def _narrate_gained(state: State, event: Fields) -> str:
    source = f"site {event['site']}" if event["harbour"] is None else f"harbour {event['harbour']}"
    return f"{_who(state, event['seat'])} takes 1 {event['material']} ({source})"


def _narrate_ended(state: State, event: Fields) -> str:
    scores = ", ".join(f"{_who(state, seat)} {score}" for seat, score in enumerate(event["scores"]))
    return f"The game ends, {REASONS[event['reason']]}: {scores}"


def _narrate_round(state: State, event: Fields) -> str:
    return f"Round {event['round']} begins, in the order {', '.join(_who(state, seat) for seat in event['order'])}"


_NARRATE: dict[str, Callable[[State, Fields], str | None]] = {
    "round": _narrate_round,
    "weather": lambda _, event: f"Weather: {event['weather']}, forecast: {event['forecast'] or 'none'}",
    "barge": lambda state, event: (
        f"{_who(state, event['seat'])} gets barge card {event['place']}: {counted(event['got'])}{_short_of(event)}"
    ),
    "income": _narrate_income,
    "gained": _narrate_gained,
    "supplied": _narrate_supplied,
    "opened": lambda _, event: f"{len(event['tiles'])} construction tiles are turned up" if event["tiles"] else None,
    "loaded": _narrate_loaded,
    "built": _narrate_built,
    "crewed": _narrate_crewed,
    "city_entered": lambda state, event: f"{_who(state, event['seat'])} sends a worker to {CITIES[event['city']]}",
    "traded": _narrate_traded,
    "passed": _narrate_passed,
    "equipped": lambda state, event: (
        f"{_who(state, event['seat'])} plays {event['card']} for {event['points']}, a worker comes home"
    ),
    "entered": lambda state, event: (
        f"{_who(state, event['seat'])} enters harbour {event['harbour']} for {counted({'coins': event['paid']})}"
    ),
    "evaluated": _narrate_evaluated,
    "flipped": lambda _, event: f"The harbours of the {event['region']} are improved",
    "closed": lambda _, event: f"Idle sites get a coin: {', '.join(map(str, event['idle_sites'])) or 'none'}",
    "ended": _narrate_ended,
}
