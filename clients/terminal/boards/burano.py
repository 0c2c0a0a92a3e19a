"""Burano at a terminal: the board, an action in words, a line of the log.

Colours are named by their first letter (W O B P G Y), painted in the colour besides. A house square shows the level
and the house, and after a slash the roof's end on it with an arrow to its other end: `2W/B>`. A wheel is read from
number 1: covered sectors in brackets, `$` a coin, `+` a fountain, `!` a red arrow. Rows, columns and squares count from
0 as in the actions. All of it goes by the state document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from clients.terminal.boards.burano_words import describe, many, narrate
from clients.terminal.boards.burano_words import seat_name as _name
from clients.terminal.games import State

__all__ = ["board", "describe", "narrate"]

View: TypeAlias = Mapping[str, Any]

STYLES = {
    "white": "bold white",
    "orange": "dark_orange",
    "blue": "bright_blue",
    "pink": "bright_magenta",
    "green": "green",
    "yellow": "bright_yellow",
}
SEASONS = ("Spring", "Summer", "Autumn", "Winter")
WIDTH = 7  # squares in a row of the island and of the workshops
LAYERS = (3, 2, 1)
MARKS = {"coin": "$", "fountain": "+"}
ARROWS = {1: ">", -1: "<", WIDTH: "v", -WIDTH: "^"}
LEFT = 45  # columns of the island beside the sea


def board(state: State, width: int = 80) -> RenderableType:
    """The whole table as this viewer sees it, `width` columns wide; the own family comes first."""
    game = state["game"]
    if game is None:
        return Text("The game has not started yet.")
    own = state["you"]["seat"] if state["you"] is not None else None
    first, *others = sorted(range(len(game["families"])), key=lambda seat: seat != own)
    parts: list[RenderableType] = [
        _headline(state),
        _family(state, first, width),
        _side_by_side(_island(game), _sea(game), width),
        _side_by_side(_workshops(game), _market(game), width),
    ]
    return Group(*parts, *(_family(state, seat, width) for seat in others))


def _side_by_side(left: RenderableType, right: RenderableType, width: int) -> Table:
    grid = Table.grid()
    grid.add_column(width=LEFT)
    grid.add_column(width=width - LEFT)
    grid.add_row(left, right)
    return grid


def _letter(colour: str, before: str = "", after: str = "") -> Text:
    return Text(f"{before}{colour[0].upper()}{after}", style=STYLES.get(colour, ""))


def _letters(colours: Iterable[str], gap: str = " ") -> Text:
    return Text(gap).join(_letter(colour) for colour in colours)


def _cubes(cubes: Mapping[str, int]) -> Text:
    there = [_letter(colour, before=str(number)) for colour, number in cubes.items() if number]
    return Text(" ").join(there) if there else Text("none", style="dim")


def _headline(state: State) -> Text:
    game = state["game"]
    season = SEASONS[game["season"]] if game["season"] < len(SEASONS) else f"Season {game['season'] + 1}"
    when = f"{season}, round {game['round'] + 1} of {game['rounds']}, turn {state['turn']['number']}"
    lines = Text()
    lines.append(f"{when}: {_task(state)}\n", style="bold")
    for work in ("fish", "lace", "earn"):
        colours = [colour for colour, what in game["markers"].items() if what == work]
        lines.append(f"{work} ").append_text(_letters(colours)).append("   ")
    return lines.append("supply ").append_text(_cubes(game["supply"]))


def _task(state: State) -> str:
    game, phase = state["game"], state["turn"]["phase"]
    if phase == "over":
        return "the game is over"
    if phase == "pyramid":
        builders = ", ".join(_name(state, seat) for seat in state["turn"]["seats"])
        return f"pyramids, built by {builders}"
    task = game["task"]
    what = {
        "roofs": "takes roofs",
        "turn": f"is on turn, {game['actions']} of 4 actions taken",
        "perform": f"may {task['work']}",
        "catch": f"catches {task['left']} more fish",
        "crew": "may send a crew ashore",
        "sell": "may sell fish",
        "recall": "may take workers back",
        "reward": "chooses the reward of a roof",
        "lace_scoring": "may score lace",
    }[phase]
    reds = f" ({', '.join(task['reds'])}; {task['left']} workers)" if task["reds"] is not None else ""
    return f"{_name(state, game['seat'])} {what}{reds}"


# ------------------------------------------------------------------------------------------------- island and sea


def _island(game: View) -> RenderableType:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=1)
    for _ in range(WIDTH):
        table.add_column(width=5)
    table.add_row("", *(Text(str(x), style="dim") for x in range(WIDTH)))
    squares = game["island"]
    fountain = _fountain(squares)
    for y in range(len(squares) // WIDTH):
        cells = (_plot(squares, y * WIDTH + x, fountain) for x in range(WIDTH))
        table.add_row(Text(str(y), style="dim"), *cells)
    return Panel(table, title="Island (x across, y down)", title_align="left", width=LEFT)


def _fountain(squares: Sequence[Any]) -> int | None:
    """The square that is no house square, but has house squares on all four sides."""
    for square in range(WIDTH, len(squares) - WIDTH):
        around = (square - WIDTH, square - 1, square + 1, square + WIDTH)
        if squares[square] is None and all(squares[other] is not None for other in around):
            return square
    return None


def _plot(squares: Sequence[Any], square: int, fountain: int | None) -> Text:
    floors = squares[square]
    if floors is None:
        return Text("(F)", style="cyan") if square == fountain else Text("~~~", style="blue dim")
    if not floors:
        return Text("·", style="dim")
    text = _letter(floors[-1]["house"], before=str(len(floors)))
    roof = floors[-1]["roof"]
    if roof is not None:
        text.append("/").append_text(_letter(roof["colour"])).append(_towards(squares, square, roof))
    return text


def _towards(squares: Sequence[Any], square: int, roof: View) -> str:
    """The arrow to the roof's other end."""
    for step, arrow in ARROWS.items():
        other = square + step
        floors = squares[other] if 0 <= other < len(squares) else None
        if floors and floors[-1]["roof"] is not None and floors[-1]["roof"]["roof"] == roof["roof"]:
            return arrow
    return "-"  # the other end carries a house by now


def _sea(game: View) -> RenderableType:
    seats = range(len(game["families"]))
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_row(
        Text("island", style="dim"),
        Text("dock", style="dim"),
        Text("workers", style="dim"),
        Text("boat", style="dim"),
    )
    for island in game["islands"]:
        workers = "/".join(str(island["workers"][seat]) for seat in seats)
        table.add_row(island["name"], _letters(island["docks"], ""), workers, _boats(game, island["name"]))
    for harbour in _harbours(game):
        table.add_row(harbour, "", "", _boats(game, harbour))
    lines: list[RenderableType] = [table]
    for ship in game["ships"]:
        points = "/".join(map(str, ship["points"]))
        lines.append(Text(f"{ship['ship']} {ship['name']} {points}, {ship['harbour']}"))
    return Panel(Group(*lines), title="Sea", title_align="left")


def _harbours(game: View) -> list[str]:
    """The nodes of the routes that are neither islands nor moorings."""
    nodes = sorted({node for route in game["routes"] for node in route})
    islands = {island["name"] for island in game["islands"]}
    return [node for node in nodes if node not in islands and not node.startswith("mooring")]


def _boats(game: View, node: str) -> Text:
    boats = [str(seat + 1) for seat, family in enumerate(game["families"]) if family["boat"] == node]
    return Text(",".join(boats), style="bold")


# ------------------------------------------------------------------------------------------- workshops and cards


def _workshops(game: View) -> RenderableType:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(width=2)
    for _ in range(WIDTH):
        table.add_column(width=5)
    squares = game["workshops"]
    table.add_row("", *(Text(f"+{column}", style="dim") for column in range(WIDTH)))
    for start in range(0, len(squares), WIDTH):
        table.add_row(Text(str(start), style="dim"), *map(_workshop, squares[start : start + WIDTH]))
    return Panel(table, title="Workshops ($ coin, then seats)", title_align="left", width=LEFT)


def _workshop(square: View | None) -> Text:
    if square is None:
        return Text("·", style="dim")
    text = _letter(square["colour"], after="$" if square["coin"] else "")
    workers = "".join(str(seat + 1) for seat in square["workers"])
    return text.append(workers and f" {workers}", style="bold white")


def _market(game: View) -> RenderableType:
    fish = ", ".join(f"{slot} {kind or '-'}" for slot, kind in enumerate(game["fish"]["open"]))
    lines = [Text(f"Fish: {fish} (deck {game['fish']['deck']})")]
    lines += (Text(f"Card {_card(card)}" if card else "Card -") for card in game["buildings"]["open"])
    lines.append(Text(f"Cards in the deck: {game['buildings']['deck']}"))
    stacks = ", ".join(f"{kind} {number}" for kind, number in game["stacks"].items())
    lines.append(Text(f"Roofs: {stacks}"))
    return Panel(Group(*lines), title="Open", title_align="left")


def _card(card: View) -> str:
    about = "".join(colour[0].upper() for colour in card["colours"]) or "/".join(kind[:4] for kind in card["fish"])
    return f"{card['card']} {card['name']}{about and ' ' + about}"


# --------------------------------------------------------------------------------------------------------- seats


def _family(state: State, seat: int, width: int) -> RenderableType:
    game = state["game"]
    family = game["families"][seat]
    decides = seat in state["turn"]["seats"]
    own = state["you"] is not None and state["you"]["seat"] == seat
    lines: list[RenderableType] = [
        Text(
            f"{many(family['points'], 'point')}  {many(family['coins'], 'coin')}  "
            f"{many(family['privileges'], 'privilege')}  "
            f"{family['hand']} fish  boat: {family['boat']}"
        ),
        _line("wheel", _wheel(family["wheel"])),
        _line("pyramid", _pyramid(family["pyramid"])).append("  ready ").append_text(_cubes(family["ready"])),
    ]
    if any(family["stock"].values()):
        lines.append(_line("stock", _cubes(family["stock"])))
    roofs = [
        Text(f"#{roof['roof']} {roof['kind']} ").append_text(_letters(roof["colours"], "-")) for roof in family["roofs"]
    ]
    lines.append(_line("roofs", Text("  ").join(roofs)))
    if family["buildings"]:
        lines.append(_line("cards", Text("; ".join(_card(card) for card in family["buildings"]))))
    if family["sold"]:
        lines.append(_line("sold", Text(", ".join(family["sold"]))))
    start = ", start player" if game["start"] == seat else ""
    title = f"{'> ' if decides else ''}{seat + 1}: {_name(state, seat)}{start}"
    if own:
        lines.append(_line("fish in hand", Text(", ".join(state["you"]["fish"]) or "none")))
    return Panel(Group(*lines), title=Text(title), title_align="left", width=width, style="bold" if decides else "")


def _line(label: str, text: Text) -> Text:
    return Text(f"{label} ", style="dim").append_text(text)


def _wheel(wheel: View) -> Text:
    ring, size = wheel["ring"], len(wheel["ring"])
    text = Text("[")
    for number in range(size):
        sector = ring[(wheel["first"] + number) % size]
        if number == wheel["workers"]:
            text.append("]")
        text.append(" " if number else "")
        text.append_text(_letter(sector["colour"], after=MARKS[sector["mark"]]))
        if number >= size - 3 and number >= wheel["workers"]:
            text.append("!", style="bold red")
    return text.append(f"  {wheel['workers']} workers")


def _pyramid(cubes: Sequence[str | None]) -> Text:
    rows: list[Text] = []
    place = 0
    for edge in LAYERS:
        layer = []
        for _ in range(edge):
            layer.append(_row(cubes[place : place + edge]))
            place += edge
        rows.append(Text(" ").join(layer))
    return Text(" | ").join(rows)


def _row(cubes: Sequence[str | None]) -> Text:
    return Text("").join(Text(".", style="dim") if cube is None else _letter(cube) for cube in cubes)
