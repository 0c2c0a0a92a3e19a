"""What the store keeps of a room beside its journal, so that it is found: in lists, by deadlines, by bot hosts."""

from __future__ import annotations

from server.rooms.chores import next_chore
from server.rooms.document import room_part
from server.rooms.room import Room
from server.rooms.state import RoomState, Seat, Status
from server.settings import Pace
from server.store.store import Index


def index_of(room: Room, state: RoomState, pace: Pace) -> Index:
    """The index of a room in the state that it will have after an append."""
    rulebook = room.rulebook
    same = state.seats is room.state.seats and state.status is room.state.status
    part = room.documents().room if same else room_part(rulebook, state)
    playing = state.status is Status.PLAYING
    return Index(
        game=state.created.game,
        status=state.status.value,
        public=not state.created.private,
        created=state.created_at,
        listing=room.listing(part),
        due=max(0, next_chore(rulebook, state, pace).at - state.head.at),
        clock=playing and rulebook.shared.clock is not None,
        offers=state.status in (Status.OPEN, Status.PLAYING) and (any(state.offers) or any(map(_hosted, state.seats))),
    )


def _hosted(seat: Seat | None) -> bool:
    """Whether a bot host has the seat, and may have to come back for it."""
    return seat is not None and seat.policy is not None and seat.token is not None
