"""An inspected room, and what came of verifying, as text for people."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import msgspec

from server.support.inspecting import Inspected
from server.support.verifying import Verdict, Verified

PLACE = ("seq", "at", "tag", "kind", "seat", "events")


def room_text(found: Inspected) -> str:
    """The room, its seats, its journal line by line, its state as JSON."""
    lines = [_head(found), "", "journal", *(_entry(entry) for entry in found.journal)]
    if found.problem is not None:
        lines.append(f"  {found.problem.seq:>5}  can't be played: {found.problem.reason}")
        lines.append(f"         {found.entries - found.problem.seq} more entries behind it")
    if found.state is not None:
        lines += ["", "state", _pretty(found.state)]
    if found.hidden is not None:
        lines += ["", "SECRETS - of a game that may go on; show them to nobody", _pretty(found.hidden)]
    return "\n".join(lines)


def verdict_text(verified: Verified) -> str:
    """One line about one room."""
    told = f"{verified.room}: {verified.verdict}, {verified.entries} entries"
    problem = verified.problem
    return told if problem is None else f"{told}; entry {problem.seq}: {problem.reason}"


def summary_text(counts: dict[Verdict, int]) -> str:
    """How many rooms there were of each verdict."""
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{sum(counts.values())} rooms: {told}" if told else "no rooms"


def _head(found: Inspected) -> str:
    rows: list[tuple[str, str]] = [("room", found.room)]
    if found.state is not None:
        room, turn = found.state["room"], found.state["turn"]
        private = "private" if room["private"] else "public"
        rows.append(("game", f"{room['game']} {room['rules']}, {room['status']}, {private}"))
        rows.append(("created", moment(room["created"])))
        rows.append(("options", json.dumps(room["options"])))
        rows += [(f"seat {number}", _seat(seat, number, found)) for number, seat in enumerate(room["seats"])]
        if turn is not None:
            rows.append(("turn", f"{turn['number']}, {turn['phase']}, seats to decide: {turn['seats']}"))
    rows.append(("entries", str(found.entries)))
    snapshot = found.snapshot
    rows.append(("snapshot", "none" if snapshot is None else f"at entry {snapshot['seq']}, {snapshot['bytes']} bytes"))
    rows.append(("watching", f"{found.attached['spectators']} spectators; {found.chat} lines of chat so far"))
    if found.next is not None:
        rows.append(
            ("next", f"{moment(found.next['at'])} {found.next['task']} {found.next.get('intent', '')}".rstrip())
        )
    problem = found.problem
    rows.append(("problem", "none" if problem is None else f"entry {problem.seq}: {problem.reason}"))
    return "\n".join(f"{name:<9} {value}" for name, value in rows)


def _seat(seat: dict[str, Any] | None, number: int, found: Inspected) -> str:
    if seat is None:
        return "free"
    states = ["served"] * seat["served"] + ["connected"] * (number in found.attached["seats"])
    return ", ".join([seat["name"], seat["kind"], *states])


def _entry(entry: dict[str, Any]) -> str:
    seat = "" if "seat" not in entry else f"seat {entry['seat']}"
    held = " ".join(f"{name}={_compact(value)}" for name, value in entry.items() if name not in PLACE)
    line = f"  {entry['seq']:>5}  {moment(entry['at'])}  {entry['kind']:<9} {seat:<6}  {held}".rstrip()
    return "\n".join([line, *(f"         {_compact(event)}" for event in entry.get("events", ()))])


def moment(at: int) -> str:
    """A moment in ms since 1970, in UTC to the millisecond."""
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _compact(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _pretty(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
