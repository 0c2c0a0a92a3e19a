"""`python -m server inspect ROOM`: a room's journal and state out of the store, for whoever has to explain them.

Masked unless asked for: the seed and the actions of a game that goes on (what everybody was told of them is shown),
what only one seat may see, keys, hashes of tokens and invites. Tokens themselves are not in the store.
"""

from __future__ import annotations

from typing import Any

import msgspec

from protocol.messages import RoomId
from server.rooms.audience import Change
from server.rooms.chores import next_chore
from server.rooms.entries import Recorded, kind_of
from server.rooms.replaying import contents
from server.rooms.room import Keep, Room
from server.settings import Pace
from server.store.store import Saved, Store
from server.support.walking import Problem, Walk

Json = dict[str, Any]


class Inspected(msgspec.Struct, frozen=True):
    """One room. `journal`: as far as it can be played; `state`: what everybody sees there; `hidden`: the secrets."""

    room: RoomId
    entries: int
    problem: Problem | None
    journal: list[Json]
    state: Json | None
    next: Json | None
    snapshot: Json | None
    attached: Json
    chat: int
    hidden: Json | None = None


async def inspect(store: Store, room: RoomId, pace: Pace, *, secrets: bool) -> Inspected | None:
    """All that the store has of a room; None if there is no such room.

    Raises:
        StoreUnavailable: the store went away. ValueError: a compressed journal can't be read.
    """
    journal = await store.read(room)
    if not journal:
        return None
    saved, presence, lines = await store.saved(room), await store.presence(room), await store.lines(room, 0)
    walk = Walk(room, journal, Keep(pace.timeouts_to_serve, pace.undo_limit))
    told = list(walk.told())
    reached = walk.room
    open_actions = secrets or (reached is not None and reached.state.ended)
    return Inspected(
        room,
        len(journal),
        walk.problem,
        [_line(entry, change, actions=open_actions, secrets=secrets) for entry, change in told],
        None if reached is None else dict(reached.documents().public),
        None if reached is None else _next(reached, pace),
        _snapshot(saved),
        {"seats": list(presence.seats), "spectators": presence.spectators, "seen": presence.seen},
        max((line.n for line in lines), default=0),
        _hidden(reached) if secrets and reached is not None else None,
    )


def _line(entry: Recorded, change: Change | None, *, actions: bool, secrets: bool) -> Json:
    """One entry: what it holds as far as it may be shown, and what everybody was told of it."""
    held = _all_of(entry) if secrets else contents(entry.entry)
    if "action" in held and not actions:
        held = {**held, "action": "***"}
    place = {"seq": entry.seq, "at": entry.at, "tag": entry.tag, "kind": kind_of(entry.entry)}
    seat = getattr(entry.entry, "seat", None)
    events = msgspec.to_builtins(change.events(None)[1:]) if change else []
    return {**place, **({} if seat is None else {"seat": seat}), **held, **({"events": events} if events else {})}


def _all_of(entry: Recorded) -> Json:
    """Every field of an entry, bytes as hex."""
    fields = {name: getattr(entry.entry, name) for name in entry.entry.__struct_fields__}
    return {name: value.hex() if isinstance(value, bytes) else value for name, value in fields.items()}


def _next(room: Room, pace: Pace) -> Json:
    """What the server will do by itself if nothing else happens."""
    chore = next_chore(room.rulebook, room.state, pace)
    doing = {} if chore.intent is None else {"intent": type(chore.intent).__name__}
    return {"at": chore.at, "task": chore.task.value, **doing}


def _snapshot(saved: Saved | None) -> Json | None:
    return None if saved is None else {"seq": saved.seq, "tag": saved.tag, "bytes": len(saved.data)}


def _hidden(room: Room) -> Json:
    """What nobody but the operator may know while the game goes on."""
    state = room.state
    position = state.position
    seats = [None if seat is None or seat.token is None else seat.token.hex() for seat in state.seats]
    return {
        "seed": state.created.seed.hex(),
        "words": 0 if position is None else position.words,
        "game": None if position is None else room.rulebook.engine.dump(position.game),
        "private": list(room.documents().private),
        "tokens": seats,
        "revoked": [token.hex() for token in state.revoked],
    }
