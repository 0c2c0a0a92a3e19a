"""Whether an append may happen, and what lies in the journal then. Pure; the same for every store that decides here."""

from __future__ import annotations

from server.store.store import EMPTY, Append, Conflict, Head, NotInTime, Quarantined, Stored


def check_shape(append: Append) -> None:
    """Raises:
    ValueError: the append names no entry, or not one tag for each.
    """
    if not append.entries or len(append.entries) != len(append.tags):
        raise ValueError("an append has one tag for each of its entries, and one entry at least")


def accept(append: Append, head: Head | None, quarantined: str | None, now: int) -> tuple[Stored, ...]:
    """The entries as they lie in the journal after the append. `head` is None where there is no journal.

    The head is compared first: whoever sends again has to learn that the entry is there, even when it is late by then.

    Raises:
        Conflict, Quarantined, NotInTime: as the contract of a store says.
    """
    present = head or EMPTY
    if (append.after.seq, append.after.tag) != (present.seq, present.tag):
        raise Conflict(present)
    if quarantined is not None:
        raise Quarantined(quarantined)
    if not append.not_before <= now <= append.not_after:
        raise NotInTime(now)
    at = max(present.at, now)
    return tuple(
        Stored(present.seq + i, tag, at, data)
        for i, (tag, data) in enumerate(zip(append.tags, append.entries, strict=True), start=1)
    )
