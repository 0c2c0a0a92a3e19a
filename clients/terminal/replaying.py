"""A finished game played again from its journal (`GET /api/rooms/{room}/replay`): every state, through any eyes.

Rules that hold here:

1. The engine alone says what an action did; the journal's `words` must come out at every entry, and the seed must be
   the one that was committed to. A journal that leads elsewhere is refused.
2. States are values: going back is looking at an old one. They are worked out when they are first looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from clients.bots.offline import plain
from server.engines import ENGINES, AnyEngine
from server.engines.dice import Dice, commitment, stream_key
from server.engines.engine import Event, IllegalAction

Json: TypeAlias = Mapping[str, Any]

ROOM_OPTIONS = frozenset({"clock", "spectators", "chat"})
"""The options of a room that are not the game's (protocol section 4)."""


class BadReplay(Exception):  # noqa: N818 - reads as the statement it makes
    """This is no replay, or not one that can be played again here; says why."""


class Step(msgspec.Struct, frozen=True):
    """The room after one entry. `game`: the engine's state, None before the start."""

    entry: Json
    seats: tuple[Json | None, ...]
    status: str
    game: Any = None
    events: Sequence[Event] = ()


class Replay:
    """A game that can be stepped through. Steps are numbered from 0: the room's first entry."""

    def __init__(self, journal: Json) -> None:
        """`journal`: what the server answered.

        Raises:
            BadReplay: it can't be played again.
        """
        self._journal = journal
        try:
            self._entries: Sequence[Json] = journal["entries"]
            self.engine = _engine(journal["game"], journal["rules"])
            self._places = int(self._entries[0]["seats"])
            own = {name: value for name, value in journal["options"].items() if name not in ROOM_OPTIONS}
            self._options = msgspec.convert(own, self.engine.options)
            self._seed = bytes.fromhex(journal["seed"])
            self._key = stream_key(self._seed, [bytes.fromhex(part) if part else None for part in journal["entropy"]])
            if commitment(self._seed).hex() != self._entries[0]["commitment"]:
                raise BadReplay("the seed is not the one that was committed to")
            self._steps = [Step(self._entries[0], (None,) * self._places, "open")]
        except (LookupError, TypeError, ValueError) as error:
            raise BadReplay(f"this is no replay of a room: {error!r}") from error

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def places(self) -> int:
        """How many seats the room has."""
        return self._places

    @property
    def room(self) -> str:
        """The room's id."""
        return str(self._journal["room"])

    @property
    def options(self) -> Json:
        """Every option of the room and of the game."""
        options: Json = self._journal["options"]
        return options

    def step(self, number: int) -> Step:
        """The room after the entry of this number (from 0).

        Raises:
            BadReplay: the journal does not lead there.
        """
        while len(self._steps) <= number:
            try:
                self._steps.append(self._next(self._entries[len(self._steps)]))
            except (LookupError, TypeError, ValueError, IllegalAction) as error:
                raise BadReplay(f"entry {len(self._steps) + 1} can't be played again: {error!r}") from error
        return self._steps[number]

    def document(self, number: int, viewer: int | None) -> dict[str, Any]:
        """The state document of protocol section 4 as a viewer had it at a step (None: a spectator)."""
        step = self.step(number)
        game = None if step.game is None else self.engine.public_view(step.game)
        you = None
        if viewer is not None:
            private = {} if step.game is None else self.engine.private_view(step.game, viewer)
            you = {"seat": viewer, **private}
        result = self._journal["result"] if step.status == "finished" else None
        document: dict[str, Any] = plain(
            {"room": self._room(step), "turn": self._turn(step), "game": game, "you": you, "result": result}
        )
        return document

    def on_turn(self, number: int) -> int | None:
        """The seat through whose eyes a step is best seen: the first that decides, else the one that acted."""
        step = self.step(number)
        deciding = () if step.game is None else self.engine.deciding(step.game)
        seat = deciding[0] if deciding else step.entry.get("seat")
        return seat if isinstance(seat, int) else None

    def events(self, number: int, viewer: int | None, *, everything: bool = False) -> list[Json]:
        """What a step's entry told a viewer (protocol section 3), its room event first.

        `everything`: in its fullest form, whoever got it.
        """
        step = self.step(number)
        bodies = (_fullest(event) if everything else event.form_for(viewer) for event in step.events)
        told = [msgspec.to_builtins(body) for body in bodies if body is not None]
        found: list[Json] = plain([_room_event(step.entry), *told])
        return found

    def _next(self, entry: Json) -> Step:
        before = self._steps[-1]
        dice = Dice(self._key, before.entry["words"])
        step = self._after(before, entry, dice)
        if dice.words != entry["words"]:
            raise ValueError(f"the dice stand at word {dice.words}, the journal says {entry['words']}")
        return step

    def _after(self, before: Step, entry: Json, dice: Dice) -> Step:
        seats, status, game = before.seats, before.status, before.game
        events: Sequence[Event] = ()
        match entry["kind"]:
            case "seated":
                held = {"name": entry["name"], "kind": entry["player"], "served": False}
                seats = _put(seats, entry["seat"], held)
                if game is None and None not in seats:
                    status, game = "playing", self.engine.new(self._places, self._options, dice)
            case "vacated":
                left = None if game is None else {**(seats[entry["seat"]] or {}), "kind": "server", "served": True}
                seats = _put(seats, entry["seat"], left)
            case "action" | "timeout":
                action = msgspec.convert(entry["action"], self.engine.actions)
                game, events = self.engine.apply(game, entry["seat"], action, dice)
                status = status if self.engine.deciding(game) else "finished"
            case "undo":
                game = self._steps[entry["of"] - 2].game
                dice.words = self._entries[entry["of"] - 2]["words"]
            case "resign" | "back":
                seats = _put(
                    seats, entry["seat"], {**(seats[entry["seat"]] or {}), "served": entry["kind"] == "resign"}
                )
            case "abandoned":
                status = "abandoned"
        return Step(entry, seats, status, game, events)

    def _room(self, step: Step) -> Json:
        journal = self._journal
        return {
            "id": journal["room"],
            "game": journal["game"],
            "rules": journal["rules"],
            "status": step.status,
            "private": False,
            "options": journal["options"],
            "seats": step.seats,
            "commitment": self._entries[0]["commitment"],
            "entropy": journal["entropy"],
            "seed": journal["seed"],
            "created": self._entries[0]["at"],
        }

    def _turn(self, step: Step) -> Json | None:
        if step.game is None:
            return None
        number, phase = self.engine.turn(step.game)
        deciding = self.engine.deciding(step.game)
        if step.status == "abandoned":
            phase, deciding = "over", ()
        since = [step.entry["seq"]] * len(deciding)
        return {"number": number, "phase": phase, "seats": deciding, "since": since, "clock": None}


def _engine(game: str, rules: str) -> AnyEngine:
    engine = ENGINES.get((game, rules))
    if engine is None:
        raise BadReplay(f"{game} by rules {rules} is not known here")
    return engine


def _put(seats: tuple[Json | None, ...], place: int, held: Json | None) -> tuple[Json | None, ...]:
    return (*seats[:place], held, *seats[place + 1 :])


def _fullest(event: Event) -> object:
    """The form of whoever learned the most: a seat's own form, where there is one."""
    return event.private[0][1] if event.private else event.public


def _room_event(entry: Json) -> Json:
    """The entry as the room's own event (protocol section 8)."""
    names = ("kind", "seat", "name", "policy", "of", "ms", "reason")
    return {name: entry[name] for name in names if entry.get(name) is not None}
