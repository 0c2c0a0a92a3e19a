"""What the store keeps of a room beside its journal, so that it is found: in lists, by deadlines, by bot hosts."""

from __future__ import annotations

from collections.abc import Iterator

from server.rooms.chores import next_chore
from server.rooms.document import room_part
from server.rooms.room import Room
from server.rooms.state import RoomState, Status
from server.settings import Pace
from server.store.store import Index, Offer


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
        offers=() if state.ended else tuple(_offers(state)),
    )


def _offers(state: RoomState) -> Iterator[Offer]:
    """The seats offered to bot hosts, and those that one has taken and may have to come back for."""
    for number, (seat, offer) in enumerate(zip(state.seats, state.offers, strict=True)):
        if seat is None and offer is not None:
            yield Offer(number, offer.policy)
        elif seat is not None and seat.policy is not None and seat.token is not None and not seat.resigned:
            yield Offer(number, seat.policy, taken=True)
