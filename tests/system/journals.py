"""What a finished room's replay says, played again on the engine alone; and the journal as it lies in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from protocol.messages import RoomId
from server.engines import ENGINES
from server.engines.dice import Dice, commitment, stream_key
from server.engines.engine import Event, Result
from server.rooms.entries import Acted, AnyEntry, unpack
from server.rooms.options import RoomOptions
from server.store.store import Store


class Replayed(msgspec.Struct):
    """A journal played again: the states by the seq of the entry that led there, the events likewise, the end."""

    states: dict[int, Any]
    events: dict[int, Sequence[Event]]
    result: Result | None


def play_again(replay: Mapping[str, Any]) -> Replayed:
    """Play a replay from its seed; every `words` on the way must be the journal's."""
    engine = ENGINES[replay["game"], replay["rules"]]
    seed, entries = bytes.fromhex(replay["seed"]), replay["entries"]
    assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
    assert entries[0]["commitment"] == commitment(seed).hex()
    key = stream_key(seed, [bytes.fromhex(part) if part else None for part in replay["entropy"]])
    own = {name: value for name, value in replay["options"].items() if name not in RoomOptions.__struct_fields__}
    replayed = Replayed({}, {}, None)
    state, free = None, set(range(entries[0]["seats"]))
    for entry in entries[1:]:
        dice = Dice(key, entries[entry["seq"] - 2]["words"])
        match entry["kind"]:
            case "seated":
                free.discard(entry["seat"])
                if state is None and not free:
                    state = engine.new(entries[0]["seats"], msgspec.convert(own, engine.options), dice)
            case "vacated" if state is None:
                free.add(entry["seat"])
            case "action" | "timeout":
                action = msgspec.convert(entry["action"], engine.actions)
                state, replayed.events[entry["seq"]] = engine.apply(state, entry["seat"], action, dice)
            case "undo":
                state, dice = replayed.states[entry["of"] - 1], Dice(key, entries[entry["of"] - 2]["words"])
        assert dice.words == entry["words"], entry
        replayed.states[entry["seq"]] = state
    replayed.result = engine.result(state) if state is not None else None
    return replayed


def check_result(replay: Mapping[str, Any]) -> None:
    """The engine, fed with the journal, ends as the server said. For games in which nobody resigned."""
    replayed = play_again(replay)
    assert replayed.result is not None
    assert msgspec.to_builtins(replayed.result) == {
        key: tuple(value) if isinstance(value, list) else value for key, value in replay["result"].items()
    }


async def stored(store: Store, rooms: Sequence[str]) -> dict[str, list[AnyEntry]]:
    """The journals of the rooms."""
    await store.open()
    try:
        return {room: [unpack(entry.data) for entry in await store.read(RoomId(room))] for room in rooms}
    finally:
        await store.close()


def keys_of(journal: Sequence[AnyEntry]) -> Counter[tuple[int, str]]:
    """How often each key of a seat's actions is in the journal."""
    return Counter((entry.seat, entry.key or "") for entry in journal if isinstance(entry, Acted))
