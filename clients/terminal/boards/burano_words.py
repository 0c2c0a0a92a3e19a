"""Burano in words: the actions of a list, and what happened. Cells and cards are named as on the board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from clients.terminal import games
from clients.terminal.games import State

Fields: TypeAlias = Mapping[str, Any]

LAYERS = ("the base", "the second layer", "the top")
WIDTH = 7


def seat_name(state: State, seat: int) -> str:
    """Who sits there, and whether that is the viewer."""
    own = state["you"] is not None and state["you"]["seat"] == seat
    return games.seat_name(state, seat) + (" (you)" if own else "")


def describe(state: State, action: Mapping[str, Any]) -> str:
    """An action of the list in words."""
    return ACTIONS[action["type"]](state, action)


def narrate(state: State, event: Mapping[str, Any]) -> str | None:
    """A line of the log; None for an event that needs none."""
    tell = EVENTS.get(event["kind"])
    return None if tell is None else tell(state, event)


def _roof(state: State, number: int) -> str:
    """A roof in hand or on the island, as far as the state shows it."""
    for family in state["game"]["families"]:
        for roof in family["roofs"]:
            if roof["roof"] == number:
                return f"roof #{number} ({roof['kind']}, {'-'.join(roof['colours'])})"
    return f"roof #{number}"


def _card(state: State, number: int) -> str:
    game = state["game"]
    cards = [card for card in game["buildings"]["open"] if card]
    cards += (card for family in game["families"] for card in family["buildings"])
    names = [card["name"] for card in cards if card["card"] == number]
    return f"card {number} ({names[0]})" if names else f"card {number}"


def _cell(fields: Fields) -> str:
    return f"{LAYERS[fields['layer']]}, row {fields['row']}, column {fields['column']}"


def _square(state: State, square: int) -> str:
    workshop = state["game"]["workshops"][square]
    coin = " with the coin" if workshop["coin"] else ""
    return f"the {workshop['colour']} square {square}{coin}"


def _coins(number: int) -> str:
    return f"{number:+d} coin{'' if abs(number) == 1 else 's'}"


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


def _workers(number: int) -> str:
    return f"{number} worker{'' if number == 1 else 's'}"


def a(colour: str) -> str:
    """The colour with its article."""
    return f"an {colour}" if colour[0] in "aeiou" else f"a {colour}"


def many(count: int, noun: str) -> str:
    """The count and the noun, in the plural where it is one; a noun ends in -s or -es there."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def _counted(cubes: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {colour}" for colour, number in cubes.items()) or "none"


def _list(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)


# ------------------------------------------------------------------------------------------------------- actions


def _cube_privilege(_state: State, action: Fields) -> str:
    place = f"at {_cell(action)} of the pyramid" if "layer" in action else "in the stock"
    return f"Privilege: {a(action['colour'])} cube of the supply {place}"


def _build(state: State, action: Fields) -> str:
    floors = state["game"]["island"][action["y"] * WIDTH + action["x"]]
    work = state["game"]["markers"][action["colour"]]
    level = f", level {len(floors) + 1}" if floors else ""
    return f"Build {a(action['colour'])} house at {action['x']},{action['y']}{level} ({work})"


def _paint(state: State, action: Fields) -> str:
    first = f"{action['x']},{action['y']}"
    return f"Paint {_roof(state, action['roof'])}, first end at {first}, second at {action['x2']},{action['y2']}"


def _lace(state: State, action: Fields) -> str:
    privilege = " by a privilege" if action["privilege"] else ""
    return f"Send a worker to {_square(state, action['square'])}{privilege}"


def _swap(_state: State, action: Fields) -> str:
    one = f"{a(action['colour'])} dock house of {action['island']}"
    return f"Privilege: swap {one} with {a(action['colour2'])} one of {action['island2']}"


def _catch(state: State, action: Fields) -> str:
    if action["from"] == "deck":
        return "Take the top fish of the deck"
    return f"Take the {state['game']['fish']['open'][action['from']]} from slot {action['from']}"


def _sell(state: State, action: Fields) -> str:
    ship = state["game"]["ships"][action["ship"]]
    return f"Sell {_list(action['fish'])} to ship {action['ship']} ({ship['name']})"


def _recall(state: State, action: Fields) -> str:
    place = action["island"] if "island" in action else _square(state, action["square"])
    return f"Take a worker back from {place}"


def _skip(state: State, _action: Fields) -> str:
    game = state["game"]
    what = {"crew": "Send no crew", "sell": "Sell nothing", "lace_scoring": "Score no lace"}.get(state["turn"]["phase"])
    if what is not None:
        return what
    work = game["task"]["work"]
    return {"fish": "Do not sail", "earn": "Do not earn"}.get(work, "Send no more lace workers")


def _score_lace(state: State, action: Fields) -> str:
    squares = _list([_square(state, square) for square in action["squares"]])
    joker = f", with {a(action['joker'])} cube from the dye house" if action["joker"] else ""
    return f"Score lace on {squares}{joker}"


def _done(state: State, _action: Fields) -> str:
    return "Keep these roofs" if state["turn"]["phase"] == "roofs" else "Take no more workers back"


ACTIONS: dict[str, Callable[[State, Fields], str]] = {
    "draw_roof": lambda _, action: f"Draw a roof of the kind {action['kind']}",
    "return_roof": lambda state, action: f"Put {_roof(state, action['roof'])} back",
    "stack": lambda _, action: f"Put {a(action['colour'])} cube on {_cell(action)}",
    "take": lambda _, action: f"Take the cube from {_cell(action)}",
    "build": _build,
    "paint": _paint,
    "coin_privilege": lambda *_: "Privilege: a coin",
    "cube_privilege": _cube_privilege,
    "end_turn": lambda *_: "End the turn",
    "sail": lambda _, action: f"Sail to {' and on to '.join(action['route'])}",
    "swap": _swap,
    "lace": _lace,
    "earn": lambda *_: "Earn the coins of the wheel",
    "skip": _skip,
    "catch": _catch,
    "send": lambda *_: "Send a crew ashore",
    "sell": _sell,
    "recall": _recall,
    "done": _done,
    "privilege": lambda *_: "Take privileges",
    "building": lambda state, action: f"Take {_card(state, action['card'])}",
    "score_lace": _score_lace,
}


# -------------------------------------------------------------------------------------------------------- events


def _who(state: State, event: Fields) -> str:
    return seat_name(state, event["seat"])


def _told_stack(state: State, event: Fields) -> str | None:
    if not event["coins"]:
        return None
    return f"{_who(state, event)} returns {_counted(event['returned'])}: {_coins(event['coins'])}"


def _told_build(state: State, event: Fields) -> str:
    privilege = f", +{event['privileges']} privilege" if event["privileges"] else ""
    house = f"{a(event['colour'])} house at {event['x']},{event['y']}, level {event['level']}"
    return f"{_who(state, event)} builds {house} ({_coins(event['coins'])}{privilege})"


def _told_paint(state: State, event: Fields) -> str:
    bonus = f", painters {_points(event['bonus'])}" if event["bonus"] else ""
    ends = f"at {event['x']},{event['y']} and {event['x2']},{event['y2']}, level {event['level']}"
    return f"{_who(state, event)} paints roof #{event['roof']} {ends} ({_coins(event['coins'])}{bonus})"


def _told_roof_score(state: State, event: Fields) -> str:
    card = event["card"]
    reward = f"+{event['privileges']} privileges" if card is None else _card(state, card)
    return f"{_who(state, event)} takes {reward}; roof #{event['roof']} scores {_points(event['points'])}"


def _told_cube(state: State, event: Fields) -> str:
    place = "the stock" if event["place"] is None else "the pyramid"
    return f"{_who(state, event)} uses a privilege: {a(event['colour'])} cube to {place}"


def _told_sail(state: State, event: Fields) -> str:
    matches = f", {many(event['matches'], 'match')}" if event["matches"] else ""
    return f"{_who(state, event)} sails to {' and on to '.join(event['route'])}{matches}"


def _told_swap(state: State, event: Fields) -> str:
    one = f"{event['colour']} of {event['island']}"
    return f"{_who(state, event)} swaps dock houses: {one} and {event['colour2']} of {event['island2']}"


def _displaced(state: State, event: Fields) -> str:
    if not event["displaced"]:
        return ""
    names = _list([seat_name(state, seat) for seat in event["displaced"]])
    return f"; back to the wheel: {names} ({_coins(event['compensation'])} each)"


def _told_lace(state: State, event: Fields) -> str:
    coins = f", {_coins(event['coins'])}" if event["coins"] else ""
    privilege = " by a privilege" if event["privilege"] else ""
    where = _square(state, event["square"])
    return f"{_who(state, event)} sends a lace worker to {where}{privilege}{coins}{_displaced(state, event)}"


def _told_catch(state: State, event: Fields) -> str:
    fish = event["fish"] or "a fish"
    source = "the deck" if event["from"] == "deck" else f"slot {event['from']}"
    turned = [kind for _, kind in event["turned_up"]]
    return f"{_who(state, event)} takes {fish} from {source}" + (f"; turned up: {_list(turned)}" if turned else "")


def _told_crew(state: State, event: Fields) -> str:
    return f"{_who(state, event)} leaves {_workers(event['workers'])} on {event['island']}{_displaced(state, event)}"


def _told_sale(state: State, event: Fields) -> str:
    ship = state["game"]["ships"][event["ship"]]["name"]
    sold = f"{_list(event['fish'])} to {ship} for {_points(event['points'])}"
    return f"{_who(state, event)} sells {sold}; it sails to {event['harbour']}"


def _told_recall(state: State, event: Fields) -> str:
    place = event["island"] if event["square"] is None else _square(state, event["square"])
    return f"{_who(state, event)} takes a worker back from {place} ({_coins(event['coins'])})"


def _told_islands(state: State, event: Fields) -> str:
    scored = [
        f"{island} {_list([seat_name(state, seat) for seat in seats])} {_points(points)}"
        for island, seats, points in event["islands"]
    ]
    return f"Season's end: {'; '.join(scored)}" if scored else "Season's end: no sea island scores"


def _told_lace_score(state: State, event: Fields) -> str:
    workers = _workers(len(event["squares"]))
    joker = f" and {a(event['joker'])} one of the dye house" if event["joker"] else ""
    returned = f"{_counted(event['returned'])} returned{joker}"
    return f"{_who(state, event)} scores lace for {workers}: {_points(event['points'])} ({returned})"


def _told_season(_state: State, event: Fields) -> str:
    markers = event["markers"]
    works = (f"{work} {_list([c for c, w in markers.items() if w == work])}" for work in ("fish", "lace", "earn"))
    return f"A new season: {'; '.join(works)}"


def _told_end(state: State, event: Fields) -> str:
    scores = [f"{seat_name(state, seat)} {_points(points)}" for seat, points in enumerate(event["scores"])]
    return f"Winter is over: {', '.join(scores)}"


EVENTS: dict[str, Callable[[State, Fields], str | None]] = {
    "roof_drawn": lambda state, event: f"{_who(state, event)} draws {_roof(state, event['roof'])}",
    "roof_returned": lambda state, event: f"{_who(state, event)} puts roof #{event['roof']} back",
    "stacked": _told_stack,
    "rounds_begun": lambda state, event: f"All pyramids stand; {_who(state, event)} begins",
    "taken": lambda state, event: f"{_who(state, event)} takes {a(event['colour'])} cube ({_coins(event['coins'])})",
    "built": _told_build,
    "painted": _told_paint,
    "roof_scored": _told_roof_score,
    "coin_gained": lambda state, event: f"{_who(state, event)} uses a privilege: {_coins(event['coins'])}",
    "cube_gained": _told_cube,
    "sailed": _told_sail,
    "swapped": _told_swap,
    "lace_placed": _told_lace,
    "earned": lambda state, event: f"{_who(state, event)} earns {_coins(event['coins'])}",
    "caught": _told_catch,
    "crew_sent": _told_crew,
    "sold": _told_sale,
    "recalled": _told_recall,
    "islands_scored": _told_islands,
    "lace_scored": _told_lace_score,
    "season_begun": _told_season,
    "start_player": lambda state, event: f"The start-player marker goes to {_who(state, event)}",
    "ended": _told_end,
}
