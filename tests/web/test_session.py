"""The conversation of one connection, without a socket: what it says, what it costs, when it ends."""

from __future__ import annotations

import json
import time
from typing import Any

import msgpack
import pytest

from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import Close
from protocol.messages import Join, RoomId
from server.settings import Wire
from server.web.frames import Framing
from server.web.gate import Gate
from server.web.outbox import BoundedOutbox
from server.web.session import Session, Surroundings
from server.web.traffic import Traffic
from tests.web.echo_hub import EchoHub


class Talk:
    """A session on the echo hub, and a clock that is set by hand."""

    def __init__(self, codec: Codec = JSON, wait: int = 0) -> None:
        self.hub = EchoHub()
        self.gate = Gate()
        self.traffic = Traffic()
        self.codec = codec
        self.failures = 0
        self.told_to_wait = wait
        self.now = 100.0
        self.outbox = BoundedOutbox(Framing(binary=codec.binary), self.traffic, max_frames=10_000, max_bytes=10**9)
        around = Surroundings(self.hub, Wire(), self.traffic, self.gate)  # type: ignore[arg-type]
        self.session = Session(around, codec, self.outbox, self, self.now)  # type: ignore[arg-type]
        self.connection = self.session._connection

    def wait(self) -> int:
        return self.told_to_wait

    def failed(self) -> int:
        self.failures += 1
        return self.told_to_wait

    def send(self, **message: Any) -> Close | None:
        payload = msgpack.packb(message) if self.codec.binary else json.dumps(message).encode()
        return self.raw(payload)

    def raw(self, payload: bytes) -> Close | None:
        return self.session.message(payload, self.now)

    def got(self) -> list[dict[str, Any]]:
        payloads = [frame[2:] if frame[1] < 126 else frame[4:] for frame in self.outbox.take()]
        return [msgpack.unpackb(load) if self.codec.binary else json.loads(load) for load in payloads]

    def one(self) -> dict[str, Any]:
        (message,) = self.got()
        return message


@pytest.mark.parametrize("codec", [JSON, MSGPACK])
def test_the_first_frame_says_what_is_spoken(codec: Codec) -> None:
    talk = Talk(codec)
    talk.session.welcome()
    welcome = talk.one()
    assert welcome["t"] == "welcome"
    assert welcome["protocol"] == 1
    assert welcome["codec"] == codec.name
    assert welcome["limits"] == {
        "frame_bytes": 16384, "depth": 16, "rooms": 64, "credits_per_second": 40, "credits_burst": 80,
    }  # fmt: skip
    assert abs(welcome["now"] - time.time() * 1000) < 60_000


@pytest.mark.parametrize("codec", [JSON, MSGPACK])
def test_requests_reach_the_hub_and_their_replies_the_client(codec: Codec) -> None:
    talk = Talk(codec)
    assert talk.send(t="join", id=1, room="ABCDEF", token="x") is None
    assert [message["t"] for message in talk.got()] == ["ok", "snapshot"]
    assert talk.send(t="act", id=2, room="ABCDEF", seq=1, action={"type": "pass"}) is None
    patch, ok = talk.got()
    assert patch["t"] == "patch"
    assert ok == {"t": "ok", "id": 2, "seq": 1}


def test_ping_is_answered_at_once_also_while_the_server_goes_down() -> None:
    talk = Talk()
    talk.gate.shut()
    talk.send(t="ping", id=9, time=-5)
    pong = talk.one()
    assert (pong["t"], pong["id"], pong["time"]) == ("ok", 9, -5)
    assert abs(pong["now"] - time.time() * 1000) < 60_000
    talk.send(t="ping", id=10)
    assert "time" not in talk.one()


def test_requests_are_refused_while_the_server_goes_down() -> None:
    talk = Talk()
    talk.gate.shut()
    talk.send(t="join", id=1, room="ABCDEF")
    error = talk.one()
    assert (error["t"], error["id"], error["room"], error["code"]) == ("error", 1, "ABCDEF", "draining")
    assert not talk.connection.rooms


@pytest.mark.parametrize(
    ("payload", "id_"),
    [
        (b"{}", None),
        (b"[]", None),
        (b'{"t":"ping"}', None),
        (b'{"t":"dance","id":3}', 3),
        (b'{"t":"ping","id":4,"more":1}', 4),
        (b'{"t":"join","id":5,"room":7}', 5),
        (b'{"t":"join","id":6,"room":"A","token":null}', 6),
        (b'{"t":"join","id":true,"room":"A"}', None),
        (b'{"t":"act","id":7,"room":"A","seq":1.0,"action":{}}', 7),
    ],
)
def test_a_message_that_is_wrong_is_named_and_nothing_more(payload: bytes, id_: int | None) -> None:
    talk = Talk()
    for _ in range(5):
        assert talk.raw(payload) is None
    errors = talk.got()
    assert {error["code"] for error in errors} == {"bad_message"}
    assert {error["id"] for error in errors} == {id_}
    assert talk.traffic.refused == {"bad_message": 5}


def test_the_third_syntax_error_in_a_row_ends_the_conversation() -> None:
    talk = Talk()
    assert talk.raw(b"{") is None
    assert talk.raw(b"nonsense") is None
    assert talk.send(t="ping", id=1) is None
    assert talk.raw(b"{") is None
    assert talk.raw(b'{"t":"ping"}') is None
    assert talk.raw(b"{") is None
    assert talk.raw(b"{") is None
    assert talk.raw(b"") is Close.INVALID_TEXT
    assert len(talk.got()) == 8


def test_messagepack_text_that_is_not_utf8_ends_the_conversation() -> None:
    assert Talk(MSGPACK).raw(b"\x82\xa1t\xa1\xff\xa2id\x01") is Close.INVALID_TEXT


def test_the_burst_is_served_and_what_is_beyond_it_refused_with_a_time_to_wait() -> None:
    talk = Talk()
    for number in range(81):
        assert talk.send(t="ping", id=number) is None
    *served, refused = talk.got()
    assert len(served) == 80
    assert (refused["code"], refused["id"], refused["retry_after"]) == ("rate_limited", 80, 25)
    talk.now += 0.025
    talk.send(t="ping", id=81)
    assert talk.one()["t"] == "ok"


@pytest.mark.parametrize(
    ("message", "cost"),
    [
        ({"t": "join", "room": "A"}, 5),
        ({"t": "join", "room": "A", "token": "x"}, 1),
        ({"t": "legal", "room": "A"}, 5),
        ({"t": "check", "room": "A", "seq": 0, "digest": "0" * 64}, 5),
        ({"t": "act", "room": "A", "seq": 0, "action": {"type": "pass"}}, 1),
        ({"t": "leave", "room": "A"}, 1),
        ({"t": "nonsense"}, 1),
    ],
)
def test_what_a_request_costs(message: dict[str, Any], cost: int) -> None:
    talk = Talk()
    for _ in range(80 // cost):
        talk.send(id=1, **message)
    assert "rate_limited" not in talk.traffic.refused
    talk.send(t="ping", id=2)
    assert talk.traffic.refused["rate_limited"] == 1


@pytest.mark.parametrize("token", [{}, {"token": "x"}])
def test_a_join_that_fits_nothing_costs_what_a_spectator_s_does(token: dict[str, str]) -> None:
    talk = Talk()
    for _ in range(8):
        talk.send(t="join", id=1, room="NOROOM", **token)
    for number in range(41):
        talk.send(t="ping", id=number)
    assert [message["code"] for message in talk.got() if message["t"] == "error"] == ["unknown_room"] * 8 + [
        "rate_limited"
    ]


def test_what_many_joins_at_once_owe_is_paid_before_anything_else() -> None:
    talk = Talk()
    for _ in range(80):
        talk.send(t="join", id=1, room="LATE22", token="x")
    for _ in range(80):  # the room's answer comes when all have been read
        talk.connection.failed_lookup(Join(1, RoomId("LATE22"), token="x"))
    talk.outbox.take()
    talk.now += 7.9
    talk.send(t="ping", id=1)
    talk.now += 0.2
    talk.send(t="ping", id=2)
    assert [message["t"] for message in talk.got()] == ["error", "ok"]


def test_a_flood_ends_the_conversation_after_ten_seconds() -> None:
    talk = Talk()
    started = talk.now
    end = None
    while end is None:
        talk.now += 0.01
        end = talk.send(t="ping", id=1)
        talk.outbox.take()
        assert talk.now < started + 13
    assert end is Close.FLOOD
    assert talk.now > started + 10


def test_control_frames_cost_credits_and_get_no_reply() -> None:
    talk = Talk()
    end = None
    started = talk.now
    while end is None:
        talk.now += 0.01
        end = talk.session.control(talk.now)
        assert talk.now < started + 13
    assert end is Close.FLOOD
    assert talk.got() == []


def test_rubbish_floods_too() -> None:
    talk = Talk()
    end = None
    while end is None and talk.now < 113:
        talk.now += 0.01
        end = talk.raw(b'{"t":"nonsense"}')
        talk.outbox.take()
    assert end is Close.FLOOD


def test_failed_lookups_are_reported_and_too_many_of_them_stop_further_joins() -> None:
    talk = Talk()
    talk.send(t="join", id=1, room="NOROOM")
    assert talk.one()["code"] == "unknown_room"
    assert talk.failures == 1
    talk.told_to_wait = 4000
    talk.send(t="join", id=2, room="ABCDEF")
    error = talk.one()
    assert (error["code"], error["retry_after"]) == ("rate_limited", 4000)
    assert not talk.connection.rooms


def test_an_exception_of_the_hub_is_internal_and_the_conversation_goes_on() -> None:
    talk = Talk()
    talk.send(t="join", id=1, room="ABCDEF")
    talk.got()
    assert talk.send(t="act", id=2, room="ABCDEF", seq=0, action={"type": "raise"}) is None
    error = talk.one()
    assert (error["code"], error["id"]) == ("internal", 2)
    assert "asked" not in error["message"]
    talk.send(t="ping", id=3)
    assert talk.one()["t"] == "ok"


def test_a_connection_is_settled_once_it_has_joined_even_if_it_left_again() -> None:
    talk = Talk()
    talk.send(t="ping", id=1)
    talk.send(t="join", id=2, room="NOROOM")
    assert not talk.session.settled
    talk.send(t="join", id=3, room="ABCDEF")
    talk.send(t="leave", id=4, room="ABCDEF")
    assert not talk.connection.rooms
    assert talk.session.settled


def test_when_it_was_heard_last_is_kept() -> None:
    talk = Talk()
    assert talk.connection.heard == 100.0
    talk.now = 105.0
    talk.send(t="ping", id=1)
    assert talk.connection.heard == 105.0


def test_the_end_detaches_from_every_room() -> None:
    talk = Talk()
    for number, room in enumerate(("A", "B")):
        talk.send(t="join", id=number, room=room, token="x")
    talk.session.gone()
    assert talk.hub.viewers == {RoomId("A"): [], RoomId("B"): []}


def test_closing_tells_when_to_come_back() -> None:
    talk = Talk()
    talk.session.closing(1234)
    assert talk.one() == {"t": "closing", "reason": "the server is going down", "reconnect_after": 1234}
