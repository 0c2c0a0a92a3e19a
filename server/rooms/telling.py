"""What single viewers are told: snapshots, their legal actions, that they are no longer attached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from protocol.codes import Code
from protocol.messages import Error, Snapshot, Turn
from server.rooms.audience import Change
from server.rooms.document import Part
from server.rooms.viewers import Viewer, Window
from server.store.store import Head

if TYPE_CHECKING:
    from server.rooms.table import Table


def window_now(table: Table) -> Window:
    """What whoever holds no seat may see now."""
    table.release()
    return table.viewers.window


def view(table: Table, viewer: Viewer) -> tuple[Head, Part]:
    """What the viewer was told last, and at which entry: a spectator may be behind."""
    if viewer.seat is None:
        window = table.viewers.window
        return window.head, {**window.public, "you": None}
    return table.room.head, table.room.documents().of(viewer.seat)


def snapshot(table: Table, viewer: Viewer) -> bytes:
    """The frame with all that the viewer sees."""
    head, state = view(table, viewer)
    return viewer.connection.codec.encode(Snapshot(table.id, head.seq, head.tag, state))


def anew(table: Table, viewer: Viewer) -> Sequence[bytes]:
    """All that the viewer sees, and its `turn` where one is due."""
    return (snapshot(table, viewer), *turn_frames(table, viewer))


def refresh(table: Table, viewer: Viewer) -> None:
    """Give the viewer a snapshot in place of all that it may have missed, and then what else it missed."""
    viewer.connection.outbox.fresh(table.id, anew(table, viewer))
    table.talk.again(viewer)


def tell_turns(table: Table, change: Change) -> None:
    """The legal actions to every seat whose decision is a new one and that asked for them."""
    frames: dict[tuple[int, str], bytes] = {}
    for viewer in table.viewers.players.values():
        if viewer.seat not in change.fresh or not viewer.legal or not table.room.decides(viewer.seat):
            continue
        key = (viewer.seat, viewer.connection.codec.name)
        if key not in frames:
            frames[key] = _turn_frame(table, viewer, viewer.seat)
        viewer.connection.outbox.update(table.id, frames[key])


def turn_frames(table: Table, viewer: Viewer) -> Sequence[bytes]:
    """The viewer's `turn`, if it asked for such and has to decide."""
    if viewer.seat is None or not viewer.legal or not table.room.decides(viewer.seat):
        return ()
    return (_turn_frame(table, viewer, viewer.seat),)


def _turn_frame(table: Table, viewer: Viewer, seat: int) -> bytes:
    return viewer.connection.codec.encode(Turn(table.id, table.room.head.seq, actions(table, seat)))


def actions(table: Table, seat: int) -> Sequence[Mapping[str, object]]:
    """The seat's legal actions; in their typed form, which is written as the maps that they stand for."""
    return cast("Sequence[Mapping[str, object]]", table.room.legal_actions(seat))


def check_holder(table: Table, viewer: Viewer) -> None:
    """Detach a viewer whose token holds its seat no more."""
    if viewer.seat is not None and table.room.state.holder(viewer.holder or b"") != viewer.seat:
        detach(table, viewer, Code.REVOKED, "this seat was given up")


def detach(table: Table, viewer: Viewer, code: Code, message: str) -> None:
    """Detach a viewer and tell it why."""
    table.viewers.remove(viewer.connection)
    frame = viewer.connection.codec.encode(Error(None, code, message, room=table.id))
    viewer.connection.outbox.reply(frame, table.id)
    table.talk.changed()
