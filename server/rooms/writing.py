"""From a decision to the journal and back: append, commit, tell; catch up with what others appended.

The journal first: nothing is told to anybody before the store has it.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import structlog

from protocol.codes import Code, ProtocolError
from server.engines.engine import IllegalAction
from server.rooms import telling
from server.rooms.audience import Change
from server.rooms.chores import Task
from server.rooms.deciding import Already, Proposal
from server.rooms.entries import MAX_ENTRY, BrokenJournal, Recorded, Vacated, kind_of, pack
from server.rooms.intents import Abandon, AnyIntent, GiveBack
from server.rooms.jobs import Job
from server.rooms.listing import index_of
from server.rooms.loading import commit, recorded
from server.rooms.saved import save
from server.rooms.stats import Stage
from server.store.store import Append, Conflict, StoreUnavailable

if TYPE_CHECKING:
    from server.rooms.table import Table

log = structlog.get_logger("pharos.rooms")

ATTEMPTS = 100
"""How often a decision is taken anew because another node was faster."""


class Untold(Exception):  # noqa: N818
    """The entry is in the journal, but something of ours raised when it was committed and told."""


async def carry_out(table: Table, intent: AnyIntent) -> int:
    """Decide, append, commit, tell; again if another node was faster. The seq of the entry.

    Before anything else after an outage, what nobody could use of the clocks is given back.

    Raises:
        ProtocolError: refused. StoreUnavailable, UnknownOutcome, BrokenJournal, Untold.
    """
    await give_back(table)
    return await _carry_out(table, intent)


async def give_back(table: Table) -> None:
    """What the last outage took of the room's clocks, if that was not done yet."""
    gap = await table.hub.keeping.gap()
    if gap is not None and gap != table.given_back:
        await _carry_out(table, GiveBack(*gap))
        table.given_back = gap


async def _carry_out(table: Table, intent: AnyIntent) -> int:
    for _ in range(ATTEMPTS):
        seq = await _attempt(table, intent)
        if seq is not None:
            return seq
    raise StoreUnavailable(f"{ATTEMPTS} attempts were overtaken")


async def _attempt(table: Table, intent: AnyIntent) -> int | None:
    """The seq of the entry; None if another node was faster, whose entries are taken then."""
    try:
        with table.hub.stats.timing(Stage.DECIDE):
            proposal = table.room.decide(intent)
    except Already as already:
        return already.seq
    except IllegalAction as refusal:
        raise BrokenJournal(f"the default action is illegal: {refusal.rule}") from refusal
    try:
        change = await _append(table, proposal)
    except Conflict:
        await catch_up(table)
        return None
    if _to_be_saved(table):
        # In a job of its own: whoever asked for the entry does not wait for it, nor hear that it failed.
        table.submit(Job(_save, lambda _: None))
    return change.recorded.seq


async def _append(table: Table, proposal: Proposal) -> Change:
    """Append the entry, commit it and tell the viewers."""
    room, hub, now = table.room, table.hub, table.hub.clock.now()
    data = pack(proposal.entry)
    if len(data) > MAX_ENTRY:
        raise ProtocolError(Code.TOO_LARGE, f"the entry would have more than {MAX_ENTRY} bytes")
    planned = Recorded(room.head.seq + 1, secrets.token_hex(8), max(now, room.head.at), proposal.entry)
    next_state = room.next_state(planned, proposal.outcome)
    index = index_of(room, next_state, hub.pace)
    append = Append(
        table.id,
        room.head,
        (data,),
        (planned.tag,),
        index,
        not_after=now + hub.pace.append_timeout,
        not_before=proposal.not_before,
    )
    with hub.stats.timing(Stage.APPEND):
        head = await hub.store.append(append)
    table.due = None if index.due is None else head.at + index.due
    appended = Recorded(head.seq, head.tag, head.at, proposal.entry)
    try:
        with hub.stats.timing(Stage.COMMIT):
            change = room.commit_planned(appended, proposal.outcome, next_state)
            _tell(table, change)
    except Exception as error:
        raise Untold(f"entry {head.seq} can't be told") from error
    return change


async def catch_up(table: Table) -> None:
    """Take what others appended; if the journal went another way, load it anew and tell everybody afresh."""
    head = table.room.head
    entries = await table.hub.store.read(table.id, head.seq - 1)
    table.current = True
    if not entries or entries[0].tag != head.tag:
        table.hub.stats.faults["another_way"] += 1
        log.warning("the journal went another way", room=table.id, seq=head.seq)
        table.let_go()
        await table.load()
        return
    for entry in entries[1:]:
        table.due = None
        with table.hub.stats.timing(Stage.COMMIT):
            _tell(table, commit(table.room, recorded(entry)))


def _tell(table: Table, change: Change) -> None:
    """The change to all viewers, and what follows from it for some of them."""
    entry = change.recorded
    table.viewers.change(change)
    table.history.add(change)
    if isinstance(entry.entry, Vacated):
        for viewer in table.viewers.holding(entry.entry.seat):
            telling.check_holder(table, viewer)
    telling.tell_turns(table, change)
    table.hub.stats.committed(table.room, entry)
    log.debug("entry", kind=kind_of(entry.entry))


def _to_be_saved(table: Table) -> bool:
    """Whether a snapshot is due: at a place that no undo can cross."""
    room = table.room
    return not room.state.takebacks and room.head.seq - table.saved_at >= table.hub.pace.snapshot_every


async def _save(table: Table) -> None:
    if _to_be_saved(table):
        table.saved_at = table.room.head.seq
        await table.hub.store.save(table.id, save(table.room))


async def do_chore(table: Table) -> None:
    """What the room needs done by itself, if it is time; that may be later once an outage was given back."""
    await give_back(table)
    chore, hub = table.chore(), table.hub
    now, head = hub.clock.now(), table.room.head
    if chore.at > now:
        await hub.store.rearm(table.id, head, chore.at)
    elif chore.task is Task.INTENT and chore.intent is not None:
        # Overtaken, it is not tried again as it is: a seat may have come back, or have got time back.
        await _attempt(table, chore.intent)
    elif chore.task is Task.ATTENDED:
        attached, gap = await hub.store.presence(table.id), await hub.keeping.gap()
        there = table.attended or attached.seats or attached.spectators
        last_seen = now if there else max(attached.seen, gap[1] if gap else 0)  # in an outage nobody could be seen
        again = max(last_seen, head.at) + hub.pace.open_ttl
        if again <= now:
            await carry_out(table, Abandon("unattended", head.seq))
        else:
            table.put_off(Task.ATTENDED, again)
            await hub.store.rearm(table.id, head, again)
    elif chore.task is Task.COMPACT:
        await hub.store.compact(table.id)
        table.compacted = True
        await hub.store.rearm(table.id, head, head.at + hub.pace.finished_ttl)
    else:
        await hub.store.forget(table.id)
        for viewer in table.viewers.all():
            telling.detach(table, viewer, Code.UNKNOWN_ROOM, "the room's time is over; it was removed")
        table.let_go()
