"""Two rooms that differ only in what one viewer can't see, and the frames that this viewer gets of each.

The rooms have the same id, journal, times, tags, commitment and dice; the engine's state of the second is `resample`d
for the viewer. Whatever somebody else then does in both, the viewer must get the same bytes, unless an event among
them says that it reveals something.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import msgspec
from msgspec.structs import replace

from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import ProtocolError
from protocol.messages import RoomId, Snapshot, Turn
from server.engines import AnyEngine
from server.engines.dice import Dice, stream_key
from server.rooms.audience import Change
from server.rooms.clocks import Clocks, Decision
from server.rooms.entries import FORMAT, Created, Recorded
from server.rooms.intents import AnyIntent, GiveUp, Play, PlayFor, TakeBack, TakeSeat
from server.rooms.keys import Keys
from server.rooms.options import RoomOptions, flat
from server.rooms.room import Keep, Room
from server.rooms.state import Position
from tests.engines.play import Step

Viewer = int | None
AT = 1_764_480_000_000
CLOCK = {"bank": 60_000, "per_turn": 30_000}
KEEP = Keep(timeouts_to_serve=3, undo_limit=20)


class Leak(AssertionError):  # noqa: N818 - reads as the statement it makes
    """A viewer's frames depend on what the viewer may not know."""


@dataclass
class Count:
    """How many scripts were tried, could be carried out in both rooms, led to different frames with an excuse."""

    tried: Counter[str] = field(default_factory=Counter)
    compared: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    errors: int = 0


def entry(seq: int, content: Any) -> Recorded:
    """An entry at its place: number, tag and time follow from the number."""
    return Recorded(seq, f"{seq:016x}", AT + 1000 * seq, content)


def holder(seat: int) -> bytes:
    return bytes([seat]) * 32


def begun(engine: AnyEngine, seats: int, options: msgspec.Struct) -> Room:
    """A room in which everybody sits and the game has started, with a clock."""
    shared = msgspec.convert({"clock": CLOCK}, RoomOptions)
    created = Created(FORMAT, engine.name, engine.rules, flat(shared, options), seats, False, b"s" * 32, b"")
    room = Room.begin(RoomId("K7QF2M"), entry(1, created), KEEP)
    for seat in range(seats):
        proposal = room.decide(TakeSeat(holder(seat), f"Player {seat}", "human", seat))
        room.commit(entry(seat + 2, proposal.entry))
    return room


def room_at(base: Room, game: Any, words: int) -> Room:
    """The room with the game at another state, as if every decision had just begun."""
    engine, head = base.rulebook.engine, base.state.head
    decisions = tuple(Decision(seat, head.seq, head.at) for seat in engine.deciding(game))
    clocks = Clocks(base.state.clocks.banks, decisions, head.at)
    state = replace(base.state, position=Position(game, words), clocks=clocks, takebacks=(), undos=0)
    return Room(base.rulebook, state, KEEP, Keys())


def sight(room: Room, viewer: Viewer, codec: Codec) -> list[bytes]:
    """What the viewer gets when it joins: a snapshot, and its `turn`."""
    state = room.state
    snapshot = Snapshot(state.id, state.head.seq, state.head.tag, room.documents().of(viewer))
    return [codec.encode(snapshot), *_turn(room, viewer, codec)]


def _turn(room: Room, viewer: Viewer, codec: Codec) -> list[bytes]:
    if viewer is None or room.state.clocks.of(viewer) is None:
        return []
    actions = [msgspec.to_builtins(action) for action in room.legal_actions(viewer)]
    return [codec.encode(Turn(room.state.id, room.state.head.seq, actions))]


def told(room: Room, change: Change, viewer: Viewer, codec: Codec) -> list[bytes]:
    """What the viewer gets of an entry: the patch, and its `turn` where its decision is a new one."""
    turn = _turn(room, viewer, codec) if viewer in change.fresh else []
    return [change.frame(viewer, codec), *turn]


class Twins:
    """The two rooms, and everything that `viewer` was told of each."""

    def __init__(self, rooms: Sequence[Room], viewer: Viewer, codec: Codec) -> None:
        self.rooms = rooms
        self.viewer = viewer
        self.codec = codec
        self.frames: list[list[bytes]] = [[], []]
        self.reveals = False

    def carry_out(self, intent: AnyIntent) -> bool:
        """Do it in both rooms; whether it could be done in both."""
        done = []
        for room, frames in zip(self.rooms, self.frames, strict=True):
            try:
                proposal = room.decide(intent)
            except ProtocolError:
                done.append(False)
                continue
            change = room.commit(entry(room.head.seq + 1, proposal.entry))
            self.reveals |= any(event.reveals for event in (proposal.outcome.events if proposal.outcome else ()))
            frames.extend(told(room, change, self.viewer, self.codec))
            done.append(True)
        return all(done)

    @property
    def same(self) -> bool:
        """Whether the viewer got the same bytes, and would on joining now."""
        first, second = (sight(room, self.viewer, self.codec) for room in self.rooms)
        return self.frames[0] == self.frames[1] and first == second


def scripts(twins: tuple[Room, Room], seat: int, action: Any) -> Iterator[tuple[str, list[AnyIntent]]]:
    """What the seat, or the server for it, may do in both rooms: by name, one intent after the other."""
    state, engine = twins[0].state, twins[0].rulebook.engine
    seq = state.head.seq
    if action is not None:
        play = Play(holder(seat), msgspec.to_builtins(action), seq, None)
        yield "action", [play]
        yield "undo", [play, TakeBack(holder(seat), seq + 1, None, 0)]
    defaults = [engine.default_action(room.state.position.game, seat) for room in twins if room.state.position]
    if defaults[0] == defaults[1]:
        yield "timeout", [PlayFor(seat, seq, 0)]
        yield "resign", [GiveUp(holder(seat), None), PlayFor(seat, seq, 0)]


def compare(base: Room, step: Step, viewer: Viewer, tries: Sequence[Any], count: Count) -> None:
    """One moment of a game, one viewer: everybody else's actions, and the viewer's own that are refused.

    Raises:
        Leak: with the frames that differ.
    """
    engine, codec = base.rulebook.engine, (JSON, MSGPACK)[step.number % 2]
    stream = Dice(stream_key(step.number.to_bytes(32, "big"), [b"elsewhere".ljust(32)]))
    games = (step.before, engine.resample(step.before, viewer, stream))
    twins = (room_at(base, games[0], step.words[0]), room_at(base, games[1], step.words[0]))
    _demand_same("on joining", *(sight(room, viewer, codec) for room in twins))
    if viewer is not None:
        _same_refusals(twins, viewer, tries, count)
    for seat in engine.deciding(step.before):
        if seat == viewer:
            continue
        for name, intents in scripts(twins, seat, _action(engine, games, step, seat)):
            count.tried[name] += 1
            pair = Twins([room_at(base, game, step.words[0]) for game in games], viewer, codec)
            if not all(pair.carry_out(intent) for intent in intents) and name != "undo":
                continue
            count.compared[name] += 1
            if pair.same:
                continue
            if not pair.reveals:
                raise Leak(f"{name} of seat {seat}, to {viewer}: {_differing(pair)}")
            count.excused[name] += 1


def _action(engine: AnyEngine, games: Sequence[Any], step: Step, seat: int) -> Any:
    """An action of the seat that is legal in both states: the one that was played, if it is."""
    actions = list(engine.legal_actions(games[1], seat))
    both = [action for action in engine.legal_actions(games[0], seat) if action in actions]
    if seat == step.seat and step.action in both:
        return step.action
    return Random(step.number).choice(both) if both else None


def _same_refusals(twins: Sequence[Room], viewer: int, tries: Sequence[Any], count: Count) -> None:
    """What the viewer tries in vain is refused in the same words."""
    for action in tries:
        texts = []
        for room in twins:
            try:
                room.decide(Play(holder(viewer), msgspec.to_builtins(action), room.head.seq, None))
            except ProtocolError as error:
                texts.append(str(error).encode())
            else:
                texts.append(b"")
        count.errors += any(texts)
        _demand_same(f"an error about {action}", *([text] for text in texts))


def _demand_same(what: str, first: list[bytes], second: list[bytes]) -> None:
    if first != second:
        raise Leak(f"{what}: {next((a, b) for a, b in zip(first, second, strict=False) if a != b)}")


def _differing(pair: Twins) -> str:
    frames = [
        [*told_so, *sight(room, pair.viewer, pair.codec)] for told_so, room in zip(pair.frames, pair.rooms, strict=True)
    ]
    return repr(next(((a, b) for a, b in zip(*frames, strict=False) if a != b), "one more frame"))
