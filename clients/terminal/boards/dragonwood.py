"""Dragonwood at a terminal: the board, an action in words, a line of the log.

Adventurers are named by the first letter of the colour and the number (R4), Dragonwood cards by name and id (Fire Ants
#10). Colours only repeat what letters and words say. All of it goes by the state document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from clients.terminal.boards import dragonwood_odds
from clients.terminal.games import State, seat_name

STYLES = {"red": "red", "orange": "dark_orange", "purple": "magenta", "green": "green", "blue": "blue"}
ATTACKS = {"strike": "Strike at", "stomp": "Stomp on", "scream": "Scream at", "spell": "Cast the dragon spell on"}
EFFECTS = {
    "strike_bonus": "+{} strike",
    "stomp_bonus": "+{} stomp",
    "scream_bonus": "+{} scream",
    "any_bonus": "+{} any attempt",
    "reroll": "re-roll {} die",
    "extra_dice": "{} extra die",
    "wild_cards": "{} wild card",
}
REASONS = {"dragons": "both dragons are captured", "deck": "the adventurers are used up"}

Teller: TypeAlias = Callable[[State, Mapping[str, Any]], str]


# ---------------------------------------------------------------------------------------------------------- the board


def board(state: State, width: int = 80) -> RenderableType:
    """The whole table as this viewer sees it, `width` columns wide."""
    game = state["game"]
    if game is None:
        return Text("The game has not started yet.")
    parts: list[RenderableType] = [_headline(state)]
    if game["attempt"] is not None:
        parts.append(_attempt(state, width))
    if game["event"] is not None:
        parts.append(_event(state, width))
    if state["you"] is not None:
        parts.append(_hand(state))
    return Group(*parts, _landscape(game, width), _seats(state, width))


def _headline(state: State) -> Text:
    game = state["game"]
    tasks = {
        "turn": "to reload or attack",
        "play": "to play cards",
        "reroll": "to roll a die again or not",
        "wound": "to take a wound",
        "hand_limit": "has a hand over the limit",
        "event": "to choose a card",
        "over": "took the last turn",
    }
    deciding = state["turn"]["seats"] or [_in_turn(state)]
    line = Text()
    line.append(f"Turn {state['turn']['number']}: ", style="bold")
    line.append(f"{', '.join(seat_name(state, seat) for seat in deciding)} {tasks[state['turn']['phase']]}")
    if game["last_turns"] is not None and state["turn"]["phase"] != "over":
        line.append(f" - last turns to come: {game['last_turns']}", style="bold red")
    line.append(
        f"\nAdventurers: {game['adventurer_deck']} in the deck, {len(game['discard'])} discarded"
        f"{_ran_out(game['ran_out'])}. Dragonwood deck: {game['dragonwood_deck']}."
    )
    if state["result"] is not None:
        scores = zip(state["result"]["scores"], state["result"]["ranks"], strict=True)
        words = [f"{seat_name(state, seat)} {score} (rank {rank})" for seat, (score, rank) in enumerate(scores)]
        line.append(f"\nFinal scores: {', '.join(words)}", style="bold")
    return line


def _ran_out(times: int) -> str:
    return "" if times == 0 else ", ran out once" if times == 1 else f", ran out {times} times"


def _grid(title: str, width: int, columns: Sequence[str]) -> Table:
    table = Table(title=title, title_justify="left", width=width, box=None, padding=(0, 1), header_style="bold")
    for column in columns:
        numeric = column in ("Points", "Strike", "Stomp", "Scream", "Cards")
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    return table


def _landscape(game: Mapping[str, Any], width: int) -> Table:
    table = _grid("Landscape", width, ("Card", "What", "Points", "Strike", "Stomp", "Scream"))
    for card in game["landscape"]:
        kind = "DRAGON" if card["dragon"] else "creature" if card["effect"] is None else _effect(card["effect"])
        style = "bold red" if card["dragon"] else "" if card["effect"] is None else "cyan"
        points = str(card["points"]) if card["effect"] is None else "-"
        values = (str(card[attack]) for attack in ("strike", "stomp", "scream"))
        table.add_row(Text(_label(card), style=style), Text(kind, style=style), points, *values)
    return table


def _effect(effect: Mapping[str, Any]) -> str:
    words = [form.format(effect[name]) for name, form in EFFECTS.items() if name in effect]
    return ", ".join(words) + (" (once)" if effect.get("once") else "")


def _in_turn(state: State) -> int:
    """The seat whose turn it is, which need not be the one that decides: turns go round."""
    turn: int = state["turn"]["number"]
    return (turn - 1) % len(state["game"]["seats"])


def _seats(state: State, width: int) -> Table:
    game = state["game"]
    table = _grid("Players", width, ("", "Name", "Cards", "Points", "Captured"))
    for seat, view in enumerate(game["seats"]):
        you = state["you"] is not None and state["you"]["seat"] == seat
        mark = ">" if seat == _in_turn(state) and state["turn"]["phase"] != "over" else " "
        name = Text(seat_name(state, seat) + (" (you)" if you else ""), style="bold" if you else "")
        captured = Text(_counted([card["name"] for card in view["creatures"]]) or "-")
        for card in view["enhancements"]:
            captured.append(f"\n{_label(card)}: {_effect(card['effect'])}", style="cyan")
        table.add_row(mark, name, str(view["hand"]), str(view["points"]), captured)
    return table


def _counted(names: Sequence[str]) -> str:
    return ", ".join(f"{names.count(name)} {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names))


def _attempt(state: State, width: int) -> Panel:
    game, attempt = state["game"], state["game"]["attempt"]
    text = Text(f"{ATTACKS[attempt['attack']]} {_card(game, attempt['target'])}")
    text.append(f": dice{_bonus(attempt)} must reach {attempt['needed']}.{_using(game, attempt['use'])}")
    if attempt["cards"]:
        text.append("\nPlayed: ").append_text(_cards(game, attempt["cards"]))
        text.append(f"   Dice: {_dice(attempt['dice'])} = {sum(attempt['dice']) + attempt['bonus']}")
    if attempt["rerolls"]:
        text.append(f"\nOn a miss, re-rolls of one die: {attempt['rerolls']}")
    return Panel(text, title=Text(f"{seat_name(state, _in_turn(state))}'s attempt"), width=width)


def _event(state: State, width: int) -> Panel:
    event = state["game"]["event"]
    text = Text("Chosen: ")
    chosen = [seat_name(state, seat) for seat, done in enumerate(event["chosen"]) if done]
    text.append(", ".join(chosen) or "nobody yet")
    if state["you"] is not None and state["you"]["choice"] is not None:
        text.append(". You chose ").append_text(_adventurer(state["game"], state["you"]["choice"]))
    return Panel(text, title=event["name"], width=width)


def _hand(state: State) -> Text:
    cards = _cards(state["game"], state["you"]["hand"]) or Text("no cards")
    return Text.assemble(("Your hand: ", "bold"), cards)


# ---------------------------------------------------------------------------------------------------------- the words


def describe(state: State, action: Mapping[str, Any]) -> str:
    """An action of the list in words; two actions of a list never read the same."""
    return _DESCRIBE[action["type"]](state, action)


def _describe_attack(state: State, action: Mapping[str, Any]) -> str:
    game = state["game"]
    target = next(card for card in game["landscape"] if card["card"] == action["target"])
    value = "" if action["attack"] == "spell" else f" ({target[action['attack']]})"
    what = f"{ATTACKS[action['attack']]} {_label(target)}{value}{_using(game, action['use'])}"
    return f"{what}: {dragonwood_odds.of_attack(state, action)}"


def _describe_play(state: State, action: Mapping[str, Any]) -> str:
    cards = action["cards"]
    odds = dragonwood_odds.of_play(state["game"]["attempt"], len(cards))
    return f"Play {_list(state['game'], cards)}: {odds}"


def _describe_reroll(state: State, action: Mapping[str, Any]) -> str:
    die: int = action["die"]
    return f"Roll die {die + 1} again, which shows {state['game']['attempt']['dice'][die]}"


def _describe_give(state: State, action: Mapping[str, Any]) -> str:
    seats = len(state["game"]["seats"])
    receiver = "the right" if state["you"] is None else seat_name(state, (state["you"]["seat"] - 1) % seats)
    return f"Give {_short(state['game'], action['card'])} to {receiver}"


_DESCRIBE: dict[str, Teller] = {
    "reload": lambda _state, _action: "Reload: draw a card",
    "attack": _describe_attack,
    "play": _describe_play,
    "reroll": _describe_reroll,
    "keep": lambda _state, _action: "Let the miss stand",
    "discard": lambda state, action: f"Discard {_short(state['game'], action['card'])}",
    "give": _describe_give,
}


def narrate(state: State, event: Mapping[str, Any]) -> str | None:
    """A line of the game log; None for what is no event of the game."""
    teller = _NARRATE.get(event["kind"])
    return None if teller is None else teller(state, event)


def _drew(state: State, event: Mapping[str, Any]) -> str:
    count = event["count"]
    cards = f": {_list(state['game'], event['cards'])}" if event.get("cards") else ""
    return f"{seat_name(state, event['seat'])} draws {count} card{'' if count == 1 else 's'}{cards}"


def _attempted(state: State, event: Mapping[str, Any]) -> str:
    game, verdict = state["game"], "a hit" if event["success"] else "a miss"
    return (
        f"{seat_name(state, event['seat'])}: {event['attack']} against {_card(game, event['target'])}"
        f" with {_list(game, event['cards'])}{_using(game, event['use'])}:"
        f" {_dice(event['dice'])}{_bonus(event)} = {event['total']} of {event['needed']}, {verdict}"
    )


def _rerolled(state: State, event: Mapping[str, Any]) -> str:
    verdict = "a hit" if event["success"] else "a miss"
    shows = event["dice"][event["die"]]
    name = seat_name(state, event["seat"])
    return f"{name} rolls die {event['die'] + 1} again: {shows}, in all {event['total']}, {verdict}"


def _passed(state: State, event: Mapping[str, Any]) -> str:
    what = _short(state["game"], event["card"]) if "card" in event else "a card"
    return f"{seat_name(state, event['seat'])} gives {what} to {seat_name(state, event['receiver'])}"


def _removed(state: State, event: Mapping[str, Any]) -> str:
    names = ", ".join(_card(state["game"], card) for card in event["cards"])
    return f"The quicksand swallows {names or 'nothing'}"


def _discarded(verb: str) -> Teller:
    return lambda state, event: f"{seat_name(state, event['seat'])} {verb} {_short(state['game'], event['card'])}"


_NARRATE: dict[str, Teller] = {
    "drew": _drew,
    "ladybug": lambda state, event: f"{seat_name(state, event['seat'])} draws a Lucky Ladybug and draws again",
    "reshuffled": lambda _state, event: f"The discard pile is shuffled into a new deck of {event['count']}",
    "attempted": _attempted,
    "rerolled": _rerolled,
    "wounded": _discarded("is wounded and loses"),
    "discarded": _discarded("discards"),
    "captured": lambda state, event: (
        f"{seat_name(state, event['seat'])} captures {_card(state['game'], event['card'])}"
    ),
    "turned_up": lambda state, event: f"{_card(state['game'], event['card'])} comes into the landscape",
    "event": lambda _state, event: f"Event: {event['name']}",
    "removed": _removed,
    "passed": _passed,
    "last_turns": lambda _state, _event: "The deck has run out: one more turn for everybody after this one",
    "ended": lambda _state, event: f"The game is over ({REASONS.get(event['reason'], event['reason'])})",
}


# ------------------------------------------------------------------------------------------------------ names of things


def _label(card: Mapping[str, Any]) -> str:
    return f"{card['name']} #{card['card']}"


def _card(game: Mapping[str, Any], card: int) -> str:
    return next((_label(each) for each in _open_cards(game) if each["card"] == card), f"card #{card}")


def _open_cards(game: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from game["landscape"]
    yield from game["gone"]
    for seat in game["seats"]:
        yield from seat["creatures"]
        yield from seat["enhancements"]


def _colour(game: Mapping[str, Any], card: int) -> str:
    colour, colours = card // game["numbers"], game["colours"]
    return str(colours[colour]) if colour < len(colours) else "Ladybug"


def _short(game: Mapping[str, Any], card: int) -> str:
    colour = _colour(game, card)
    return colour if colour == "Ladybug" else f"{colour[0].upper()}{card % game['numbers'] + 1}"


def _adventurer(game: Mapping[str, Any], card: int) -> Text:
    return Text(_short(game, card), style=f"bold {STYLES.get(_colour(game, card), '')}".strip())


def _cards(game: Mapping[str, Any], cards: Sequence[int]) -> Text:
    return Text("  ").join(_adventurer(game, card) for card in cards)


def _list(game: Mapping[str, Any], cards: Sequence[int]) -> str:
    return " ".join(_short(game, card) for card in cards)


def _dice(dice: Sequence[int]) -> str:
    return " ".join(f"[{face}]" for face in dice)


def _bonus(attempt: Mapping[str, Any]) -> str:
    return f" + {attempt['bonus']}" if attempt["bonus"] else ""


def _using(game: Mapping[str, Any], use: Sequence[int]) -> str:
    return f", using {', '.join(_card(game, card) for card in use)}" if use else ""
