"""Bretagne at a terminal: the players, the coast, the harbours, the markets.

Seats are letters (A is seat 0), with the same colour everywhere; `A2` on a level is its builder with two workers on it.
Materials are br, st, sa, wo in tables, words elsewhere. Colours only repeat what letters and words say. All of it goes
by the state document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clients.terminal.boards.bretagne_words import (
    BARGES,
    CITIES,
    REASONS,
    SEATS,
    SHORT,
    counted,
    describe,
    narrate,
    tile_in_words,
)
from clients.terminal.games import State, seat_name

__all__ = ["board", "describe", "narrate"]

Fields: TypeAlias = Mapping[str, Any]

SEAT_STYLES = ("bold cyan", "bold yellow", "bold magenta", "bold green")
CLASS_STYLES = {"heaven": "green", "purgatory": "blue", "hell": "red"}
WEATHER_STYLES = {"sun": "yellow", "changeable": "cyan", "storm": "bold red"}
TASKS = {
    "barge": "chooses a barge card",
    "income": "chooses a material in a harbour",
    "load": "loads a barge at Quimper",
    "action": "builds, trades or passes",
    "reward": "chooses a material as reward",
    "crew": "sends workers home or leaves them on the level",
    "trade": "trades",
    "equip": "plays equipment",
    "harbour": "may enter a harbour",
    "over": "",
}


def board(state: State, width: int = 80) -> RenderableType:
    """The whole table as this viewer sees it, `width` columns wide; what the players have comes first."""
    game = state["game"]
    if game is None:
        return Text("The game has not started yet.")
    parts: list[RenderableType] = [_headline(state), _players(state, width)]
    if state["you"] is not None:
        parts.append(Text(f"Your equipment: {_kinds(state['you']['hand'])}", style="bold"))
    tables = [part(game, width) for part in (_coast, _harbours, _tiles)]
    return Group(*parts, *tables, _markets(game))


def _headline(state: State) -> Text:
    game = state["game"]
    weather = game["weather"]
    line = Text(f"Round {game['round']} of {game['rounds']}   Weather: ", style="bold")
    line.append(weather["now"].upper(), style=WEATHER_STYLES[weather["now"]])
    line.append(f"   Forecast: {weather['forecast'] or 'none, the last round'}")
    line.append(f"\nEngineers a level: {_engineers(game)}", style="")
    line.append("   Order: ").append_text(_letters(game["order"]))
    if game["passed"]:
        line.append("   Passed: ").append_text(_letters(game["passed"]))
    for seat in state["turn"]["seats"]:
        line.append("\n> ").append_text(_seat(seat)).append(f" {seat_name(state, seat)} {TASKS[game['task']['phase']]}")
        line.append(_about(game["task"]))
    if state["result"] is not None:
        result = state["result"]
        line.append(f"\nThe end: {REASONS[result['reason']]}. ")
        ranked = sorted(range(len(result["ranks"])), key=lambda seat: int(result["ranks"][seat]))
        line.append(", ".join(f"{result['ranks'][i]}. {seat_name(state, i)} {result['scores'][i]}" for i in ranked))
    return line


def _engineers(game: Fields) -> str:
    """What each class asks for in this weather."""
    now, words = game["weather"]["now"], []
    for name, row in game["reference"]["classes"].items():
        injury = " and an injury" if row["storm_injury"] and now == "storm" else ""
        words.append(f"{name} {row['engineers'][now]}{injury}")
    return ", ".join(words)


def _about(task: Fields) -> str:
    phase = task["phase"]
    if phase == "load":
        return f": the {BARGES[task['barge']]} barge"
    if phase == "trade":
        return f" in {CITIES[task['city']]}"
    return f": site {task['site']}" if "site" in task else f": harbour {task['harbour']}" if "harbour" in task else ""


def _coast(game: Fields, width: int) -> Table:
    levels = game["reference"]["levels"]
    table = _grid("Coast, clockwise from Lorient", width)
    for name in ("Site", "Class", "Lighthouse", "Extra"):
        table.add_column(name, justify="right" if name == "Site" else "left", no_wrap=True)
    for height in range(1, levels + 1):
        table.add_column(f"L{height}", no_wrap=True)
    for name in ("Eng", "Coins", "Harb"):
        table.add_column(name, justify="right", no_wrap=True)
    region = ""
    for each in game["lighthouses"]:
        if each["region"] != region:
            region = each["region"]
            table.add_row("", Text(f"- {region} -", style="dim"))
        table.add_row(*_lighthouse(each, levels))
    return table


def _lighthouse(each: Fields, levels: int) -> list[Text | str]:
    head = [str(each["site"]), Text(each["class"], style=CLASS_STYLES[each["class"]]), each["name"]]
    if each["status"] != "open":
        word = "BUILT" if each["status"] == "built" else "STANDS"
        return [*head, Text(word, style="reverse"), *[""] * (levels + 2), str(each["harbour"])]
    built = [_seat(level["seat"]).append(str(level["workers"])) for level in each["levels"]]
    empty: list[Text | str] = [Text(".", style="dim")] * (levels - len(built))
    extra = " ".join(SHORT[material] for material in each["extra"]) or "-"
    return [*head, extra, *built, *empty, str(each["engineers"]), str(each["coins"]), str(each["harbour"])]


def _harbours(game: Fields, width: int) -> Table:
    table = _grid("Harbours", width)
    for name in ("Harb", "Region", "Pays", "Other side", "Workers"):
        table.add_column(name, justify="right" if name == "Harb" else "left", no_wrap=True)
    for each in game["harbours"]:
        tile, improved = each["tile"], each["improved"]
        pays, other = (tile["improved"], tile["normal"]) if improved else (tile["normal"], tile["improved"])
        pays_text = Text(counted(pays), style="bold" if improved else "")
        pays_text.append(" (improved)" if improved else "")
        table.add_row(str(each["harbour"]), each["region"], pays_text, counted(other), _letters(each["workers"]))
    return table


def _tiles(game: Fields, width: int) -> Table:
    table = _grid("Open tiles: number, cost, reward", width)
    columns: list[list[str]] = []
    for name, tiles in game["tiles"].items():
        table.add_column(Text(f"{name} ({tiles['stack']} left)", style=CLASS_STYLES[name]), no_wrap=True)
        columns.append([tile_in_words(tile) for tile in tiles["open"]])
    for row in range(max(len(column) for column in columns)):
        table.add_row(*(column[row] if row < len(column) else "" for column in columns))
    return table


def _markets(game: Fields) -> Text:
    brest = game["brest"]
    text = Text(f"Quimper: {_stock(game['quimper'])}\n")
    text.append(f"Brest: {_stock(brest['market'])}")
    text.append(f"   engineers: {brest['single_engineers']} single, {brest['engineer_pairs']} pairs\n")
    text.append(f"Supply: {_stock(game['supply']['materials'])}   engineers: {game['supply']['engineers']}\n")
    equipment = game["equipment"]
    text.append(f"Equipment: {equipment['deck']} in the deck, discarded: {_kinds(equipment['discards'])}")
    return text


def _players(state: State, width: int) -> Table:
    table = _grid("Players (workers: home, reserve, Brest, Lorient)", width)
    for name in ("", "Name", "Pts", "Coins", "br", "st", "sa", "wo", "Eng", "Workers", "Barge", "Cards"):
        table.add_column(name, justify="left" if name in ("", "Name", "Barge") else "right", no_wrap=True)
    for seat, each in enumerate(state["game"]["players"]):
        you = state["you"] is not None and state["you"]["seat"] == seat
        name = seat_name(state, seat)[: 12 if you else 16] + (" you" if you else "")
        workers = f"{each['warehouse']}+{each['reserve']} {each['brest']} {each['lorient']}"
        stock = [str(n) for n in each["materials"].values()]
        numbers = [str(each["points"]), str(each["coins"]), *stock, str(each["engineers"]), workers]
        barge = _barge(each, passed=seat in state["game"]["passed"])
        table.add_row(_seat(seat), Text(name), *numbers, barge, str(each["hand"]))
    return table


def _barge(player: Fields, *, passed: bool) -> str:
    if player["barge"] is None:
        return "passed" if passed else "-"
    loads = [f"{load['amount']}{SHORT[load['material']]}" if load else "-" for load in player["loads"]]
    return " ".join([f"{player['barge']}:", *loads]) if loads else str(player["barge"])


def _grid(title: str, width: int) -> Table:
    return Table(title=title, title_justify="left", width=width, box=None, padding=(0, 1, 0, 0), header_style="bold")


def _seat(seat: int) -> Text:
    return Text(SEATS[seat], style=SEAT_STYLES[seat])


def _letters(seats: Sequence[int]) -> Text:
    return Text(" ").join(_seat(seat) for seat in seats) if seats else Text("-")


def _stock(stock: Mapping[str, int]) -> str:
    return " ".join(f"{n} {name}" for name, n in stock.items())


def _kinds(hand: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {kind}" for kind, n in hand.items() if n) or "none"
