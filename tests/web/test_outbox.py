"""The outbox: order, bounds, conflation, catching up. The socket is played by `Reader`."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from protocol.messages import RoomId
from server.web.frames import Framing
from server.web.outbox import BoundedOutbox
from server.web.traffic import Traffic

A, B = RoomId("A"), RoomId("B")
HEADER = 2


class Reader:
    """A socket whose peer reads when it is told to, and a hub that has snapshots."""

    def __init__(self, *, max_frames: int = 4, max_bytes: int = 1000) -> None:
        self.traffic = Traffic()
        self.outbox = BoundedOutbox(
            Framing(binary=False), self.traffic, max_frames=max_frames, max_bytes=max_bytes
        )  # fmt: skip
        self.outbox.on_full = self.write
        self.outbox.on_waiting = self.wake
        self.wakes = 0
        self.reads = False
        self.sent: list[bytes] = []
        self.asked: list[RoomId] = []

    def wake(self) -> None:
        self.wakes += 1

    def write(self) -> None:
        if self.reads:
            self.sent += [frame[HEADER:] for frame in self.outbox.take()]

    def read(self) -> list[bytes]:
        """The peer reads everything that there is now; what it got."""
        self.reads = True
        self.write()
        self.reads = False
        sent, self.sent = self.sent, []
        return sent


def test_frames_leave_in_the_order_in_which_they_came() -> None:
    reader = Reader()
    reader.outbox.reply(b"ok", A)
    reader.outbox.fresh(A, [b"snapshot", b"turn"])
    reader.outbox.notice(A, b"presence")
    assert reader.read() == [b"ok", b"snapshot", b"turn", b"presence"]
    assert reader.read() == []


def test_the_socket_is_woken_once_for_everything_that_waits() -> None:
    reader = Reader()
    reader.outbox.update(A, b"1")
    reader.outbox.update(A, b"2")
    assert reader.wakes == 1
    reader.read()
    reader.outbox.reply(b"ok", None)
    assert reader.wakes == 2


def test_a_payload_for_many_is_framed_once() -> None:
    framing = Framing(binary=False)
    outboxes = [BoundedOutbox(framing, Traffic(), max_frames=4, max_bytes=1000) for _ in range(3)]
    payload = b"x" * 200
    for outbox in outboxes:
        outbox.update(A, payload)
        outbox.reply(b"another", A)
    first, *others = [outbox.take()[0] for outbox in outboxes]
    assert all(other is first for other in others)


def test_a_socket_that_can_write_is_never_behind() -> None:
    reader = Reader()
    reader.reads = True
    for number in range(100):
        reader.outbox.update(A, str(number).encode())
    assert not reader.outbox.behind
    assert reader.read() == [str(number).encode() for number in range(100)]


def test_a_full_outbox_drops_updates_and_marks_their_rooms() -> None:
    reader = Reader()
    for number in range(4):
        reader.outbox.update(A if number % 2 else B, str(number).encode())
    assert reader.outbox.full
    reader.outbox.update(A, b"4")
    assert reader.outbox.behind
    reader.outbox.update(B, b"5")
    assert reader.read() == []
    assert reader.traffic.displaced_frames == 6


def test_bytes_bound_the_outbox_too() -> None:
    reader = Reader(max_bytes=10)
    reader.outbox.update(A, b"0123456789")
    reader.outbox.update(A, b"next")
    assert reader.outbox.behind
    assert reader.read() == []


def test_a_single_frame_beyond_the_bounds_passes() -> None:
    reader = Reader(max_bytes=10)
    reader.outbox.fresh(A, [b"x" * 100])
    assert reader.read() == [b"x" * 100]


def test_replies_are_never_dropped() -> None:
    reader = Reader()
    replies = [str(number).encode() for number in range(50)]
    for reply in replies:
        reader.outbox.reply(reply, None)
    assert reader.read() == replies


def fill(reader: Reader, room: RoomId) -> None:
    """Bring the room behind."""
    while not reader.outbox.behind:
        reader.outbox.update(room, b"update")


def test_a_reply_waits_behind_the_snapshot_that_is_to_come() -> None:
    reader = Reader()
    fill(reader, A)
    reader.outbox.reply(b"ok", A)
    assert reader.read() == []
    reader.outbox.catch_up(reader.asked.append)
    assert reader.asked == [A]
    reader.outbox.fresh(A, [b"snapshot", b"turn"])
    assert not reader.outbox.behind
    assert reader.read() == [b"snapshot", b"turn", b"ok"]
    assert reader.traffic.resyncs == 1


def test_a_reply_of_another_room_or_of_none_does_not_wait() -> None:
    reader = Reader()
    fill(reader, A)
    reader.outbox.reply(b"other", B)
    reader.outbox.reply(b"pong", None)
    assert reader.read() == [b"other", b"pong"]


def test_a_reply_that_waited_after_a_dropped_update_waits_for_the_snapshot() -> None:
    reader = Reader()
    reader.outbox.reply(b"first", A)
    reader.outbox.update(A, b"update")
    reader.outbox.reply(b"second", A)
    reader.outbox.reply(b"other", B)
    reader.outbox.update(A, b"too much")
    assert reader.read() == [b"first", b"other"]
    reader.outbox.fresh(A, [b"snapshot"])
    assert reader.read() == [b"snapshot", b"second"]


def test_later_updates_of_a_room_that_is_behind_are_dropped_until_its_snapshot() -> None:
    reader = Reader()
    fill(reader, A)
    reader.read()
    reader.outbox.update(A, b"late")
    assert reader.read() == []
    reader.outbox.fresh(A, [b"snapshot"])
    reader.outbox.update(A, b"new")
    assert reader.read() == [b"snapshot", b"new"]


def test_a_snapshot_takes_the_place_of_the_first_waiting_update() -> None:
    reader = Reader(max_frames=10)
    reader.outbox.reply(b"ok of the join", A)
    reader.outbox.update(A, b"1")
    reader.outbox.reply(b"ok of 1", A)
    reader.outbox.update(B, b"of B")
    reader.outbox.update(A, b"2")
    reader.outbox.notice(A, b"chat")
    reader.outbox.fresh(A, [b"snapshot", b"turn"])
    assert reader.read() == [b"ok of the join", b"snapshot", b"turn", b"ok of 1", b"of B", b"chat"]


def test_a_dropped_notice_is_made_good_when_the_peer_reads() -> None:
    reader = Reader()
    for _ in range(4):
        reader.outbox.reply(b"ok", None)
    reader.outbox.notice(A, b"presence")
    assert reader.outbox.behind
    reader.read()
    reader.outbox.catch_up(reader.asked.append)
    assert reader.asked == [A]


def test_of_a_room_that_is_behind_nothing_comes_before_its_snapshot() -> None:
    reader = Reader()
    fill(reader, A)
    reader.read()
    reader.outbox.notice(A, b"presence")
    reader.outbox.notice(A, b"line 7", 7)
    reader.outbox.notice(A, b"line 8", 8)
    assert reader.read() == []
    assert reader.outbox.outdated(A)
    assert reader.outbox.missed(A) is None, "the snapshot comes first"
    reader.outbox.fresh(A, [b"snapshot"])
    reader.outbox.notice(A, b"line 9", 9)
    assert reader.read() == [b"snapshot"], "line 7 comes first"
    assert reader.outbox.missed(A) == 7
    assert reader.outbox.missed(A) is None
    reader.outbox.notice(A, b"line 7", 7)
    assert reader.read() == [b"line 7"]
    assert not reader.outbox.behind


def test_the_first_line_that_was_dropped_is_named_in_whatever_order_they_were() -> None:
    reader = Reader()
    for line in (5, 6):
        reader.outbox.notice(A, b"line", line)
    for _ in range(2):
        reader.outbox.reply(b"ok", None)
    reader.outbox.notice(A, b"line", 7)
    reader.outbox.update(B, b"update")  # there is no room for it: what waits is dropped, the lines among it
    assert reader.read() == [b"ok", b"ok"]
    assert not reader.outbox.outdated(A), "no update of A was lost: it needs no snapshot"
    assert reader.outbox.missed(A) == 5
    assert reader.outbox.outdated(B)
    reader.outbox.fresh(B, [b"snapshot"])
    assert reader.outbox.missed(B) is None
    assert not reader.outbox.behind


def test_whoever_missed_who_is_there_only_is_told_that_only() -> None:
    reader = Reader()
    for _ in range(4):
        reader.outbox.reply(b"ok", None)
    reader.outbox.notice(A, b"presence")
    assert reader.outbox.missed(A) == 0


def test_a_room_is_asked_for_once() -> None:
    reader = Reader()
    fill(reader, A)
    reader.outbox.catch_up(reader.asked.append)
    reader.outbox.catch_up(reader.asked.append)
    assert reader.asked == [A]


def test_a_snapshot_for_which_there_is_no_room_is_asked_for_again() -> None:
    reader = Reader()
    fill(reader, A)
    reader.outbox.catch_up(reader.asked.append)
    for _ in range(4):
        reader.outbox.update(B, b"update")
    reader.outbox.fresh(A, [b"snapshot"])
    assert reader.outbox.behind
    assert reader.read() == [b"update"] * 4
    reader.outbox.catch_up(reader.asked.append)
    assert reader.asked == [A, A]


def test_catching_up_stops_when_the_outbox_is_full_again() -> None:
    reader = Reader(max_frames=2)
    rooms = [RoomId(str(number)) for number in range(6)]
    for room in rooms:
        reader.outbox.update(room, b"update")
    reader.outbox.update(rooms[0], b"too much")
    for room in rooms:
        reader.outbox.update(room, b"too much")
        reader.outbox.update(room, b"too much")
        reader.outbox.update(room, b"too much")
    reader.read()
    seen: list[bytes] = []
    while reader.outbox.behind:
        reader.outbox.catch_up(lambda room: reader.outbox.fresh(room, [room.encode()]))
        got = reader.read()
        assert 1 <= len(got) <= 2
        seen += got
    assert sorted(set(seen)) == sorted(room.encode() for room in rooms)


def test_forgetting_a_room_drops_what_waits_of_it_but_no_reply() -> None:
    reader = Reader(max_frames=10)
    reader.outbox.update(A, b"update")
    reader.outbox.reply(b"ok", A)
    reader.outbox.notice(A, b"chat")
    reader.outbox.update(B, b"of B")
    reader.outbox.forget(A)
    assert reader.read() == [b"ok", b"of B"]


def test_forgetting_a_room_that_is_behind_releases_its_replies() -> None:
    reader = Reader()
    fill(reader, A)
    reader.outbox.reply(b"ok", A)
    reader.outbox.forget(A)
    assert not reader.outbox.behind
    assert reader.read() == [b"ok"]
    reader.outbox.update(A, b"joined again")
    assert reader.read() == [b"joined again"]


class Conversation(RuleBasedStateMachine):
    """Any order of calls: the viewer's state never has a gap, no reply comes before its effect, no line is lost.

    A frame says what it is: a patch brings `seq` after `seq - 1`, a snapshot brings any, a reply names the seq that
    must have been seen before it. What is said is told again from the line that the outbox names.
    """

    def __init__(self) -> None:
        super().__init__()
        self.reader = Reader(max_frames=5, max_bytes=400)
        self.seq = {A: 0, B: 0}
        self.seen = {A: 0, B: 0}
        self.lines = {A: 0, B: 0}
        self.heard = {A: 0, B: 0}
        self.owed = 0
        self.replies = 0

    @rule(room=st.sampled_from((A, B)), size=st.integers(0, 60))
    def update(self, room: RoomId, size: int) -> None:
        self.seq[room] += 1
        self._send("patch", room, size)

    @rule(room=st.sampled_from((A, B)), size=st.integers(0, 60))
    def line(self, room: RoomId, size: int) -> None:
        self.lines[room] += 1
        self._say(room, self.lines[room], size)

    @rule(room=st.sampled_from((A, B)), size=st.integers(0, 60))
    def presence(self, room: RoomId, size: int) -> None:
        self._send("presence", room, size)

    @rule(room=st.sampled_from((A, B)))
    def reply(self, room: RoomId) -> None:
        self.owed += 1
        self._send("reply", room, 0)

    @rule(room=st.sampled_from((A, B)))
    def snapshot(self, room: RoomId) -> None:
        self._send("snapshot", room, 10)

    @rule()
    def the_peer_reads(self) -> None:
        self._got(self.reader.read())
        self.reader.outbox.catch_up(self._make_good)

    def _send(self, kind: str, room: RoomId, size: int) -> None:
        frame = json.dumps([kind, room, self.seq[room], "x" * size]).encode()
        match kind:
            case "patch":
                self.reader.outbox.update(room, frame)
            case "presence":
                self.reader.outbox.notice(room, frame)
            case "reply":
                self.reader.outbox.reply(frame, room)
            case "snapshot":
                self.reader.outbox.fresh(room, [frame])
                self._say_again(room)

    def _say_again(self, room: RoomId) -> None:
        first = self.reader.outbox.missed(room)
        for line in range(first, self.lines[room] + 1) if first else ():
            self._say(room, line, 10)

    def _make_good(self, room: RoomId) -> None:
        if self.reader.outbox.outdated(room):
            self._send("snapshot", room, 10)
        else:
            self._say_again(room)

    def _say(self, room: RoomId, line: int, size: int) -> None:
        frame = json.dumps(["line", room, line, "x" * size]).encode()
        self.reader.outbox.notice(room, frame, line)

    def _got(self, frames: Sequence[bytes]) -> None:
        for frame in frames:
            kind, room, seq, _ = json.loads(frame)
            if kind == "patch":
                assert seq == self.seen[room] + 1, "a gap"
                self.seen[room] = seq
            elif kind == "snapshot":
                assert seq >= self.seen[room], "a snapshot of the past"
                self.seen[room] = seq
            elif kind == "line":
                assert seq == self.heard[room] + 1, "a line that is lost, or comes twice"
                self.heard[room] = seq
            elif kind == "reply":
                assert self.seen[room] >= seq, "a reply before its effect"
                self.replies += 1

    @invariant()
    def what_waits_is_bounded(self) -> None:
        waiting = self.reader.outbox._items
        droppable = [frame for frame, _, kind, _ in waiting if kind]
        assert len(droppable) <= 6
        assert sum(map(len, droppable)) < 400 + 200

    def teardown(self) -> None:
        for _ in range(10):
            self.the_peer_reads()
        assert not self.reader.outbox.behind
        assert self.replies == self.owed, "a reply was lost"
        assert self.seen == self.seq, "the viewer never caught up"
        assert self.heard == self.lines, "a line was lost"


TestConversation = Conversation.TestCase
TestConversation.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("length", [0, 125, 126, 65535, 65536])
def test_headers_tell_the_length(length: int) -> None:
    frame = Framing(binary=True).frame(bytes(length))
    assert frame[0] == 0x82
    header = 2 if length < 126 else 4 if length < 65536 else 10
    assert len(frame) == header + length
    told = frame[1] if length < 126 else int.from_bytes(frame[2:header], "big")
    assert told == length
