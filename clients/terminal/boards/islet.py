"""Islet at a terminal: the island as triangles, an action in words, a line of the log.

A cell is named by its coordinates, as in the actions: 2,-1. In its triangle stand the name; terrain, nest, level and
egg; and the birds above or below. Eggs are the small letter of their colour, birds the capital one. Colours only repeat
what signs and letters say. An island that is too wide is cut into strips, one below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from clients.terminal.games import State, seat_name

Cell: TypeAlias = tuple[int, int]
Teller: TypeAlias = Callable[[State, Mapping[str, Any]], str]

COLOURS = ("white", "yellow", "red", "blue")
SEAT_STYLES = ("bold black on white", "bold black on bright_yellow", "bold white on red", "bold white on blue")
SIGNS = {"water": "~", "sand": ":", "clay": "#"}
TERRAIN_STYLES = {"water": "black on cyan", "sand": "black on yellow3", "clay": "black on dark_orange3"}
OFF_SHORE = "dim"
STEP, HEIGHT, NAME = 4, 4, 6  # columns from a triangle to the next; its lines; the room for its name
HIGH = 10  # a level that has no digit
TASKS = {
    "turn": "to explore or move",
    "explore": "to lay another tile or stop",
    "move": "to walk, lay eggs or stop",
    "guard": "to choose the resource that the second egg guards",
    "unguard": "to choose the guarded resource that gives up its egg",
    "return": "to return cards over the limit",
    "over": "took the last turn",
}
REASONS = {
    "eggs": "all eggs of a player lie on the island",
    "bag": "the bag is empty",
    "idle": "nobody builds any more",
}


# ---------------------------------------------------------------------------------------------------------- the board


def board(state: State, width: int = 80) -> RenderableType:
    """One's own tiles and cards, the island and the seats as this viewer sees them, `width` columns wide."""
    game = state["game"]
    if game is None:
        return Text("The game has not started yet.")
    own = [] if state["you"] is None else [_own(state)]
    return Group(_headline(state), *own, *_island(game, width), _legend(game), _seats(state, width))


def _headline(state: State) -> Text:
    game, turn = state["game"], state["turn"]
    line = Text(f"Turn {turn['number']}, round {game['round']}: ", style="bold")
    line.append(f"{seat_name(state, game['seat'])} {TASKS[turn['phase']]}")
    if game["last_round"] and turn["phase"] != "over":
        line.append(f" - round {game['last_round']['round']} is the last", style="bold red")
    if game["solo"]:
        solo = game["solo"]
        left = f"{solo['day']} day and {solo['night']} night cards left"
        line.append(f"\nPass {solo['pass']}, {solo['turned']} cards turned, {left}; the tide took {len(solo['lost'])}.")
    elif game["idle"]:
        line.append(f"\nIdle rounds in a row: {game['idle']}.")
    line.append(f"\nPiles: {_amounts(game['piles'], zeros=True)}. Bag: {game['bag']}.")
    if state["result"] is not None:
        scores = zip(state["result"]["scores"], state["result"]["ranks"], strict=True)
        words = [f"{seat_name(state, seat)} {score} (rank {rank})" for seat, (score, rank) in enumerate(scores)]
        line.append(f"\nThe end ({state['result']['reason']}): {', '.join(words)}", style="bold")
    return line


def _island(game: State, width: int) -> Iterator[Text]:
    """The strips of the island, west to east."""
    stacks = {(stack["x"], stack["y"]): stack for stack in game["stacks"].values()}
    land = set(stacks) | {beside for cell in stacks for beside in _neighbours(cell)}
    columns = max(1, (width - STEP) // STEP)
    west, east = min(x for x, _ in land), max(x for x, _ in land)
    for first in range(west, east + 1, columns):
        strip = sorted(cell for cell in land if first <= cell[0] < first + columns)
        if strip:
            canvas = Canvas(first, max(y for _, y in strip))
            for cell in strip:
                _triangle(canvas, cell, stacks.get(cell), game)
            if east - west >= columns:
                yield Text(f"-- x from {first} to {min(east, first + columns - 1)} --", style="dim")
            yield canvas.text()


class Canvas:
    """Signs with styles on a plane of lines and columns; `first` and `top` are the cell in its upper left corner."""

    def __init__(self, first: int, top: int) -> None:
        self._first = first
        self._top = top
        self._signs: dict[int, dict[int, tuple[str, str]]] = {}

    def put(self, cell: Cell, line: int, column: int, signs: str, style: str = "") -> None:
        """Writes on a line and from a column of the cell's own square."""
        y, x = (self._top - cell[1]) * HEIGHT + line, (cell[0] - self._first) * STEP + column
        for place, sign in enumerate(signs):
            self._signs.setdefault(y, {})[x + place] = (sign, style)

    def text(self) -> Text:
        """All lines from the first to the last that have a sign."""
        text = Text(no_wrap=True)
        for y in range(min(self._signs), max(self._signs) + 1):
            line = self._signs.get(y, {})
            for x in range(max(line, default=-1) + 1):
                sign, style = line.get(x, (" ", ""))
                text.append(sign, style=style or None)
            text.append("\n")
        text.rstrip()
        return text


def _triangle(canvas: Canvas, cell: Cell, stack: Mapping[str, Any] | None, game: State) -> None:
    """One cell: the edges, the name on the broad line, what the stack is on the next, the birds on the narrow one."""
    up = _points_up(cell)
    style = TERRAIN_STYLES[stack["tiles"][-1]["terrain"]] if stack else OFF_SHORE
    for line in range(HEIGHT):
        left = HEIGHT - 1 - line if up else line
        canvas.put(cell, line, left, "/" if up else "\\", "" if stack else OFF_SHORE)
        canvas.put(cell, line, 2 * HEIGHT - 1 - left, "\\" if up else "/", "" if stack else OFF_SHORE)
    broad, middle, narrow = (3, 2, 1) if up else (0, 1, 2)
    canvas.put(cell, broad, 1, cell_name(*cell).center(NAME, "_" if up else " "), style)
    canvas.put(cell, middle, 2, _kind(stack) if stack else " " * 4, style)
    canvas.put(cell, narrow, 3, "  ", style)
    if not up:
        canvas.put(cell, -1, 1, "_" * NAME if stack is None else "", OFF_SHORE)
    if stack and stack["egg"] is not None:
        canvas.put(cell, middle, 5, COLOURS[stack["egg"]][0], SEAT_STYLES[stack["egg"]])
    for place, seat in enumerate(_birds(game, cell)):
        canvas.put(cell, narrow, 3 + place, COLOURS[seat][0].upper(), SEAT_STYLES[seat])


def _kind(stack: Mapping[str, Any]) -> str:
    top, level = stack["tiles"][-1], stack["level"]
    return f"{SIGNS[top['terrain']]}{top['nest'][0]}{level if level < HIGH else '+'} "


def _birds(game: State, cell: Cell) -> list[int]:
    """The seats whose birds stand on a cell."""
    here = {"x": cell[0], "y": cell[1]}
    return [number for number, seat in enumerate(game["seats"]) if seat["bird"] == here]


def _points_up(cell: Cell) -> bool:
    return sum(cell) % 2 == 0


def _neighbours(cell: Cell) -> tuple[Cell, ...]:
    x, y = cell
    return (x - 1, y), (x + 1, y), (x, y - 1 if _points_up(cell) else y + 1)


def cell_name(x: int, y: int) -> str:
    """How the board and the actions call a cell: `2,-1`; without the comma where it would not fit: `-12-10`."""
    name = f"{x},{y}"
    return name if len(name) <= NAME else f"{x}{y}"


def _legend(game: State) -> Text:
    signs = "  ".join(f"{sign} {terrain}" for terrain, sign in SIGNS.items())
    text = Text(f"{signs}  l leaf  t twig  f flower  1-9 level  ", style="dim")
    text.append("A bird is the capital, an egg the small letter of: ")
    for seat in range(len(game["seats"])):
        text.append(f"{COLOURS[seat]}", style=SEAT_STYLES[seat])
        text.append(" ")
    high = [stack for stack in game["stacks"].values() if stack["level"] >= HIGH]
    if high:
        text.append("\n+ is " + ", ".join(f"{stack['level']} on {_place(stack)}" for stack in high))
    return text


def _seats(state: State, width: int) -> Table:
    game = state["game"]
    table = Table(width=min(width, 100), box=None, padding=(0, 1), header_style="bold")
    for column in ("", "bird", "eggs", "laid at", "cards", "guarded (* used)", "tiles"):
        table.add_column(column, overflow="fold")
    for number, seat in enumerate(game["seats"]):
        levels = sorted((s["level"] for s in game["stacks"].values() if s["egg"] == number), reverse=True)
        guarded = [*_each(seat["guarded"], ""), *_each(seat["used"], "*")]
        table.add_row(
            Text(
                f"{COLOURS[number][0].upper()} {seat_name(state, number)}",
                style="bold" if number == game["seat"] else "",
            ),
            _place(seat["bird"]) if seat["bird"] else "ocean",
            str(seat["eggs"]),
            " ".join(map(str, levels)) or "-",
            _amounts(seat["cards"]) or "-",
            ", ".join(guarded) or "-",
            str(seat["tiles"]),
        )
    return table


def _each(counts: Mapping[str, int], mark: str) -> list[str]:
    return [f"{kind}{mark}" for kind, count in counts.items() for _ in range(count)]


def _own(state: State) -> Text:
    cards = _amounts(state["game"]["seats"][state["you"]["seat"]]["cards"])
    tiles = [f"#{tile['id']} {tile['terrain']} {tile['nest']}" for tile in state["you"]["tiles"]]
    return Text(f"Your tiles: {', '.join(tiles) or 'none'}\nYour cards: {cards or 'none'}", style="bold")


# ------------------------------------------------------------------------------------------------------------ actions


def describe(state: State, action: Mapping[str, Any]) -> str:
    """A legal action in words, with the names that the board uses."""
    return DESCRIPTIONS[action["type"]](state, action)


def _describe_tile(state: State, action: Mapping[str, Any]) -> str:
    tile = next(tile for tile in state["you"]["tiles"] if tile["id"] == action["tile"])
    stack = state["game"]["stacks"].get(f"{action['x']},{action['y']}")
    words = f"Lay tile #{tile['id']} ({tile['terrain']}, {tile['nest']}) on {_place(action)}"
    if stack is None:
        return f"{words}, in the ocean"
    return f"{words}, on {stack['tiles'][-1]['terrain']}, to level {stack['level'] + 1}"


def _describe_walk(state: State, action: Mapping[str, Any]) -> str:
    stack = state["game"]["stacks"][f"{action['x']},{action['y']}"]
    top = stack["tiles"][-1]
    words = f"Walk to {_place(action)} ({top['terrain']}, {top['nest']}, level {stack['level']})"
    return f"{words}, {_paying(action['pay'])}"


def _describe_egg(state: State, action: Mapping[str, Any]) -> str:
    bird = state["game"]["seats"][state["you"]["seat"]]["bird"]
    return f"Lay an egg on {_place(bird)}, {_paying(action['pay'])}"


def _describe_stop(state: State, _: Mapping[str, Any]) -> str:
    explores = state["turn"]["phase"] == "explore"
    return "Stop exploring: gain resources and draw" if explores else "End the move here"


def _describe_unguard(_: State, action: Mapping[str, Any]) -> str:
    used = "used this turn" if action["used"] else "not used this turn"
    return f"Lay the egg of the guarded {action['resource']} ({used})"


DESCRIPTIONS: dict[str, Teller] = {
    "lay_tile": _describe_tile,
    "walk": _describe_walk,
    "lay_egg": _describe_egg,
    "stop": _describe_stop,
    "guard": lambda _, action: f"Guard a {action['resource']} with the second egg",
    "unguard": _describe_unguard,
    "return": lambda _, action: f"Return a {action['resource']} card",
    "pass": lambda _, __: "Pass: there is nothing that can be done",
}


# ---------------------------------------------------------------------------------------------------------------- log


def narrate(state: State, event: Mapping[str, Any]) -> str | None:
    """A line of the log for an event of the game; None for what needs none, as events of the room."""
    teller = NARRATIONS.get(event["kind"])
    return None if teller is None else teller(state, event)


def _narrate_tile(state: State, event: Mapping[str, Any]) -> str:
    tile = f"{event['terrain']} with a {event['nest']}"
    return f"{_who(state, event)} lays {tile} on {_place(event)}, level {event['level']}."


def _narrate_drawn(state: State, event: Mapping[str, Any]) -> str:
    tiles = event.get("tiles")
    shown = [f"#{tile['id']} {tile['terrain']} {tile['nest']}" for tile in tiles or ()]
    return f"{_who(state, event)} draws {_count(event['count'], 'tile')}{': ' if shown else ''}{', '.join(shown)}."


def _narrate_night(_: State, event: Mapping[str, Any]) -> str:
    return f"Night: the tide takes {_place(event['lost'])}." if event["lost"] else "Night: the tide finds nothing."


def _narrate_end(_: State, event: Mapping[str, Any]) -> str:
    return f"The game is over: {REASONS.get(event['reason'], event['reason'])}."


NARRATIONS: dict[str, Teller] = {
    "tile_laid": _narrate_tile,
    "resource_gained": lambda state, event: f"{_who(state, event)} gains a {event['resource']} for {_place(event)}.",
    "tiles_drawn": _narrate_drawn,
    "returned": lambda state, event: f"{_who(state, event)} returns a {event['resource']}.",
    "walked": lambda state, event: f"{_who(state, event)} walks to {_place(event)}, {_paying(event['pay'])}.",
    "egg_laid": lambda state, event: (
        f"{_who(state, event)} lays an egg on {_place(event)}, level {event['level']}, {_paying(event['pay'])}."
    ),
    "guarded": lambda state, event: f"{_who(state, event)} guards a {event['resource']}.",
    "unguarded": lambda state, event: f"{_who(state, event)} takes the egg off a {event['resource']}.",
    "passed": lambda state, event: f"{_who(state, event)} passes.",
    "last_round": lambda _, event: f"Round {event['round']} is the last: {REASONS[event['reason']]}.",
    "night": _narrate_night,
    "ended": _narrate_end,
}


# -------------------------------------------------------------------------------------------------------------- words


def _who(state: State, event: Mapping[str, Any]) -> str:
    return seat_name(state, event["seat"])


def _place(where: Mapping[str, Any]) -> str:
    return cell_name(where["x"], where["y"])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _amounts(counts: Mapping[str, int], *, zeros: bool = False) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in counts.items() if count or zeros)


def _paying(pay: Mapping[str, Mapping[str, int]]) -> str:
    parts: Sequence[str] = [
        *(f"{count} {kind}" for kind, count in pay["cards"].items()),
        *(f"{count} guarded {kind}" for kind, count in pay["guarded"].items()),
    ]
    return f"paying {' + '.join(parts)}" if parts else "for free"
