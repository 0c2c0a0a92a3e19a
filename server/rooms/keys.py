"""What the keys of a room did: a key is carried out once, for as long as the room exists (protocol section 2).

A key is remembered by its holder with the entry it led to and a fingerprint of what was asked for. All of it follows
from the journal, which is gone through for it when the room is loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from protocol.codes import Code, ProtocolError
from server.rooms.deciding import Already, refuse
from server.rooms.entries import Acted, CameBack, Recorded, Resigned, Seated, Undone, Vacated, kind_of
from server.rooms.intents import AnyIntent, ComeBack, GiveUp, Play, TakeBack
from server.rooms.transitions import Rulebook, read_action


class Done(msgspec.Struct, frozen=True, gc=False):
    """What a key did: the entry, and the fingerprint of the request."""

    seq: int
    contents: int


@dataclass
class Keys:
    """The keys of one room up to an entry, and who holds its seats there."""

    _done: dict[bytes, dict[str, Done]] = field(default_factory=dict)
    _holders: dict[int, bytes] = field(default_factory=dict)

    def note(self, recorded: Recorded) -> None:
        """Take the journal's next entry."""
        entry = recorded.entry
        if isinstance(entry, Acted | Undone | Resigned | CameBack):
            holder = self._holders.get(entry.seat)
            if entry.key is not None and holder is not None:
                done = Done(recorded.seq, _fingerprint(*_recorded(entry)))
                self._done.setdefault(holder, {})[entry.key] = done
        elif isinstance(entry, Seated) and entry.token is not None:
            self._holders[entry.seat] = entry.token
        elif isinstance(entry, Seated | Vacated):
            self._holders.pop(entry.seat, None)

    def check(self, rulebook: Rulebook, intent: AnyIntent) -> None:
        """Let a request pass whose key is new.

        Raises:
            Already: it was carried out before. ProtocolError: `key_reused`, it was something else.
        """
        if not isinstance(intent, Play | TakeBack | GiveUp | ComeBack) or intent.key is None:
            return
        done = self._done.get(intent.holder, {}).get(intent.key)
        if done is None:
            return
        if done.contents != _wanted(rulebook, intent):
            refuse(Code.KEY_REUSED, "key: it was used for something else")
        raise Already(done.seq)


def _wanted(rulebook: Rulebook, intent: Play | TakeBack | GiveUp | ComeBack) -> int | None:
    """The fingerprint of what is asked for; None for what is no action at all."""
    match intent:
        case Play():
            try:
                return _fingerprint("action", msgspec.to_builtins(read_action(rulebook, intent.action)))
            except ProtocolError:
                return None
        case TakeBack():
            return _fingerprint("undo", intent.seq)
        case GiveUp():
            return _fingerprint("resign", None)
        case ComeBack():
            return _fingerprint("back", None)


def _recorded(entry: Acted | Undone | Resigned | CameBack) -> tuple[str, object]:
    match entry:
        case Acted():
            return "action", entry.action
        case Undone():
            return "undo", entry.of
        case _:
            return kind_of(entry), None


def _fingerprint(kind: str, contents: object) -> int:
    """64 bits, other ones in each process: a journal is gone through by the process that asks."""
    return hash(msgspec.msgpack.encode((kind, contents)))
