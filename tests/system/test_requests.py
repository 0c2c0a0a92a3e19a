"""Every row of "Client to server" in the protocol, said wrongly in every way, over real sockets in both codecs.

Whatever is wrong: exactly one error, with the right code, that names the field and does not repeat the value; the
room and the connection are as before.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgpack
import pytest

from clients.lobby import Lobby
from tests.processes import ServerProcess, serving_well
from tests.system.wire import MOST, Pairs, Wire, wired

CODECS = ("json", "msgpack")
NAN = float("nan")
LONG = "Zq" * 300
SECRET = "Xy7Xy7"


class Row(NamedTuple):
    """A row of the table: the fields besides `t` and `id`, each with a value that is right, and those one may omit."""

    kind: str
    fields: dict[str, Any]
    optional: tuple[str, ...] = ()


TAG, DIGEST = "0123456789abcdef", "ab" * 32
ROOM = "ROOM"
ROWS = (
    Row(
        "join",
        {"room": ROOM, "token": "T" * 22, "since": {"seq": 1, "tag": TAG}, "legal": True, "chat_since": 1},
        ("token", "since", "legal", "chat_since"),
    ),
    Row("act", {"room": ROOM, "action": {"type": "reload"}, "seq": 3, "key": "k"}, ("key",)),
    Row("undo", {"room": ROOM, "seq": 3, "key": "k"}, ("key",)),
    Row("resign", {"room": ROOM, "key": "k"}, ("key",)),
    Row("back", {"room": ROOM, "key": "k"}, ("key",)),
    Row("legal", {"room": ROOM}),
    Row("check", {"room": ROOM, "seq": 3, "digest": DIGEST}),
    Row("chat", {"room": ROOM, "text": "hello", "key": "k"}, ("key",)),
    Row("leave", {"room": ROOM}),
    Row("ping", {"time": 5}, ("time",)),
)

NUMBERS = (-71, -(2**53), MOST + 1, 2**63, 2**64 - 1, 1.0, -0.5, 1e300)
OTHERS = (None, True, SECRET, [SECRET], {SECRET: SECRET}, {"type": [SECRET]}, "", LONG * 2)
FITTING: dict[str, tuple[type, ...]] = {
    "room": (str,),
    "token": (str,),
    "text": (str,),
    "key": (str,),
    "legal": (bool,),
}
"""Kinds of values that are not wrong for a field, or wrong only by their length."""
NOT_FITTING: dict[str, tuple[Any, ...]] = {
    "room": (LONG,),
    "token": (LONG,),
    "key": ("", LONG, "k\x07", "ключ", "k\n"),
    "digest": ("AB" * 32, DIGEST + "\n", DIGEST[1:], LONG),
    "text": ("",),
    "since": (
        {"seq": 1},
        {"tag": TAG},
        {"seq": 1, "tag": TAG, "x": SECRET},
        {"seq": -71, "tag": TAG},
        {"seq": 1.0, "tag": TAG},
        {"seq": 1, "tag": TAG.upper()},
        {"seq": 1, "tag": SECRET},
        {"seq": True, "tag": TAG},
    ),
    "action": (
        {"type": "reload", "x": 0.5},
        {"type": "reload", "x": [MOST + 1]},
        {"type": "reload", "x": {"y": -(2**60)}},
    ),
}


def wrong_values(name: str, codec: str) -> Iterator[Any]:
    """Values that the field can't take, also such that only one codec can say."""
    fitting = FITTING.get(name, ())
    for value in (*NUMBERS, *OTHERS):
        if type(value) in fitting or (name in ("action", "since") and isinstance(value, dict)):
            continue
        if name == "time" and value == -71:
            continue
        yield value
    yield from NOT_FITTING.get(name, ())
    if codec == "json":
        yield 2**70
    else:
        yield NAN
        yield float("inf")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    store: Path = tmp_path_factory.mktemp("requests") / "rooms.db"
    settings = {
        "PHAROS_STORE": f"sqlite:///{store}",
        "PHAROS_CREDITS_PER_SECOND": "100000",
        "PHAROS_CREDITS_BURST": "100000",
        "PHAROS_CHAT_INTERVAL": "0",
    }
    with serving_well(settings) as process:
        yield process
    assert SECRET not in process.text()


class Company(NamedTuple):
    """A running room: who has to decide, who does not, who watches, and one who was never there."""

    room: str
    tokens: list[str]
    deciding: Wire
    waiting: Wire
    watching: Wire
    stranger: Wire


@pytest.fixture(params=CODECS)
async def company(server: ServerProcess, request: pytest.FixtureRequest) -> AsyncIterator[Company]:
    """Everybody, in one codec; afterwards nobody's state has changed."""
    lobby = Lobby(server.url)
    made = await lobby.create("dragonwood", 2)
    taken = await lobby.take_seat(made["room"])
    tokens = [made["token"], taken["token"]]
    async with AsyncExitStack() as stack:
        wires = [await stack.enter_async_context(wired(server, request.param)) for _ in range(4)]
        for wire, token in zip(wires, (*tokens, None), strict=False):
            assert (await wire.join(made["room"], token, legal=True))["t"] == "ok"
        for wire in wires[:3]:
            await wire.until_present([True, True], 1)
        yield Company(made["room"], tokens, *wires)


async def expect(wire: Wire, fields: dict[str, Any] | Pairs, code: str, names: str, values: tuple[str, ...]) -> str:
    """One error is all that the frame brings about; its text."""
    heard = await wire.replies(wire.write(fields))
    assert [message["t"] for message in heard] == ["error"], (fields, heard)
    error = heard[0]
    assert error["code"] == code, (fields, error)
    assert names in error["message"], (fields, error)
    for value in (SECRET, LONG[:40], *values):
        assert value not in error["message"], (fields, error)
    given = dict(fields)
    right_id = type(given.get("id")) is int and 0 <= given["id"] <= MOST
    assert error["id"] == (given["id"] if right_id else None), (fields, error)
    return str(error["message"])


async def untouched(company: Company, wire: Wire) -> None:
    """The wire's state is still the server's, at the seq of the start, and nobody else has heard anything."""
    assert wire.seq == 3
    checked = await wire.check()
    assert (checked["t"], checked["match"], checked["seq"]) == ("ok", True, 3)
    for other in (company.deciding, company.waiting, company.watching):
        heard = await other.replies(other.write({"t": "ping", "id": 1}))
        assert [(message["t"], message.get("id")) for message in heard] == [("ok", 1)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
async def test_a_field_that_is_missing_extra_or_wrong(company: Company, row: Row) -> None:
    wire = company.deciding
    right = {"t": row.kind, "id": 7, **row.fields}
    if "room" in right:
        right["room"] = company.room
    for name in ("id", *row.fields):
        if name not in row.optional:
            without = {key: value for key, value in right.items() if key != name}
            await expect(wire, without, "bad_message", name, ())
        for value in wrong_values(name, wire.codec):
            await expect(wire, {**right, name: value}, "bad_message", name, (repr(value)[:40],) if value else ())
    for name in ("x", "seats", "T", "ID"):
        await expect(wire, {**right, name: SECRET}, "bad_message", name, ())
    await expect(wire, {**right, "x\n" + SECRET: 1}, "bad_message", "field", ())
    for kind in (None, 5, row.kind.upper(), f"{row.kind} ", "ok", [row.kind]):
        await expect(wire, {**right, "t": kind}, "bad_message", "t", ())
    await expect(wire, {key: value for key, value in right.items() if key != "t"}, "bad_message", "t", ())
    await untouched(company, wire)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.kind)
async def test_the_last_of_equal_keys_counts(company: Company, row: Row) -> None:
    wire = company.deciding
    right: dict[str, Any] = {"t": row.kind, "id": 7, **row.fields}
    if "room" in right:
        right["room"] = company.room
    for name, value in right.items():
        await expect(wire, [*right.items(), (name, [SECRET])], "bad_message", name, ())
        twice = [("t", "ping"), ("id", 3), (name, value), ("t", "ping"), ("id", 9)]
        heard = await wire.replies(wire.write(twice))
        kinds = [(message["t"], message["id"]) for message in heard]
        assert kinds == [("ok" if name in ("t", "id", "time") else "error", 9)], (name, heard)
    heard = await wire.replies(
        wire.write([("t", "chat"), ("room", "NOROOM"), ("t", "legal"), ("room", company.room), ("id", 4)])
    )
    assert [(message["t"], message["id"], message["seq"]) for message in heard] == [("ok", 4, 3)]
    await untouched(company, wire)


def of_room(company: Company) -> list[dict[str, Any]]:
    """Each request about a room, as it should be, but for `join`."""
    return [
        {"t": row.kind, "id": 8, **row.fields, "room": company.room} for row in ROWS if row.kind not in ("join", "ping")
    ]


async def test_whoever_is_not_attached_is_told_so(company: Company) -> None:
    for request in of_room(company):
        await expect(company.stranger, request, "not_joined", "not attached", ())
        for room in ("NOROOM", "", SECRET, "2222222222222222"):
            await expect(company.deciding, {**request, "room": room}, "not_joined", "not attached", ())
    await untouched(company, company.deciding)


async def test_a_spectator_can_look_and_talk_only(company: Company) -> None:
    for request in of_room(company):
        if request["t"] not in ("check", "chat", "leave"):
            await expect(company.watching, request, "not_seated", "spectator", ())
    await untouched(company, company.watching)


async def test_a_join_that_fits_nothing_leaves_the_old_one_alone(company: Company) -> None:
    wire = company.deciding
    join = {"t": "join", "id": 5, "room": company.room}
    for token in ("", SECRET, company.tokens[0][:-1], company.tokens[0] + "A", "ключ"):
        await expect(wire, {**join, "token": token}, "unauthorized", "token", (company.tokens[0],))
    for room in ("", "NOROOM", "K7QF2M2", "22222I", "2222222222222222", SECRET, "..", "a b"):
        await expect(wire, {**join, "room": room}, "unknown_room", "room", ())
    await untouched(company, wire)


BLAMED = (
    ({"type": SECRET}, "bad_message", "action"),
    ({}, "bad_message", "action"),
    ({"type": "reload", "x": 1}, "bad_message", "action"),
    ({"type": "reload", "x": SECRET}, "bad_message", "action"),
    ({"type": None}, "bad_message", "action"),
    ({"type": "discard"}, "bad_message", "action"),
    ({"type": "discard", "card": SECRET}, "bad_message", "card"),
    ({"type": "discard", "card": True}, "bad_message", "card"),
    ({"type": "discard", "card": None}, "bad_message", "card"),
    ({"type": "play", "cards": [1, SECRET]}, "bad_message", "cards"),
    ({"type": "play", "cards": {}}, "bad_message", "cards"),
    ({"type": "attack", "target": 0, "attack": SECRET, "use": []}, "bad_message", "attack"),
    ({"type": "attack", "target": -1, "attack": "strike", "use": []}, "illegal_action", ""),
    ({"type": "attack", "target": MOST, "attack": "strike", "use": [MOST] * 100}, "illegal_action", ""),
    ({"type": "discard", "card": 0}, "illegal_action", ""),
    ({"type": "discard", "card": -MOST}, "illegal_action", ""),
    ({"type": "play", "cards": []}, "illegal_action", ""),
    ({"type": "keep"}, "illegal_action", ""),
    ({"type": "pass"}, "bad_message", "action"),
)
TOO_MUCH = (([[[[[[[[[[[[[[[0]]]]]]]]]]]]]]], "nested"), ([0] * 2100, "values"))


async def test_an_action_that_can_not_be(company: Company) -> None:
    for action, code, names in BLAMED:
        await expect(company.deciding, {**act(company), "action": action}, code, names, ())
    message = await expect(company.deciding, {**act(company), "action": {"type": "keep"}}, "illegal_action", "", ())
    assert len(message) > len("illegal_action")
    await untouched(company, company.deciding)


async def test_what_nests_or_holds_too_much_is_not_read_so_far_as_its_id(company: Company) -> None:
    wire = company.deciding
    for value, names in TOO_MUCH:
        heard = await wire.replies(wire.write({**act(company), "action": {"type": "reload", "x": value}}))
        assert [(message["t"], message["id"], message["code"]) for message in heard] == [("error", None, "bad_message")]
        assert names in heard[0]["message"]
    await untouched(company, wire)


def act(company: Company) -> dict[str, Any]:
    return {"t": "act", "id": 8, "room": company.room, "action": {"type": "reload"}, "seq": 3}


async def test_an_action_at_the_wrong_time(company: Company) -> None:
    await expect(company.waiting, act(company), "not_your_turn", "decide", ())
    for seq in (0, 1, 2, 4, 5, MOST):
        await expect(company.deciding, {**act(company), "seq": seq}, "stale", "decision", ())
        await expect(company.waiting, {**act(company), "seq": seq}, "not_your_turn", "", ())
        for wire in (company.deciding, company.waiting):
            await expect(wire, {"t": "undo", "id": 8, "room": company.room, "seq": seq}, "cannot_undo", "", ())
    for wire in (company.deciding, company.watching):
        for seq in (0, 2, 4, MOST):
            check = {"t": "check", "id": 8, "room": company.room, "seq": seq, "digest": DIGEST}
            await expect(wire, check, "stale", "seq", ())
    await untouched(company, company.deciding)


async def test_a_line_that_can_not_be(company: Company) -> None:
    chat = {"t": "chat", "id": 8, "room": company.room}
    for text in ("", " ", "a\x00", "a\x1b[2J", "a\u202e\n", "x" * 501, "\u2028", "\u0085"):
        await expect(company.deciding, {**chat, "text": text}, "bad_message", "text", ())
    await untouched(company, company.deciding)


async def test_syntax_errors_do_not_touch_the_room(company: Company) -> None:
    wire = company.deciding
    rubbish = (b"NaN", b'{"t":"ping","id":NaN}') if wire.codec == "json" else (b"\xc1", b"\x82\xa1t\xa4ping\xa2id\xcb")
    for frame in rubbish:
        heard = await wire.replies(frame)
        assert [(message["t"], message["id"], message["code"]) for message in heard] == [("error", None, "bad_message")]
    if wire.codec == "msgpack":
        for value in (b"bytes", msgpack.ExtType(5, b"x"), msgpack.Timestamp(1)):
            packed = {"t": "chat", "id": 1, "room": company.room, "text": value}
            await expect_packed(wire, msgpack.packb(packed))
        await expect_packed(wire, msgpack.packb({"t": "ping", 5: 1}))
    await untouched(company, wire)


async def expect_packed(wire: Wire, frame: bytes) -> None:
    heard = await wire.replies(frame)
    assert [(message["t"], message["code"]) for message in heard] == [("error", "bad_message")]


async def test_before_the_start_and_after_the_end(server: ServerProcess) -> None:
    lobby = Lobby(server.url)
    made = await lobby.create("dragonwood", 2)
    counted = {"action": {"type": "reload"}, "seq": 1}
    async with wired(server, "json") as first, wired(server, "msgpack") as second:
        await first.join(made["room"], made["token"], legal=True)
        for kind, fields in (("act", counted), ("undo", {"seq": 1}), ("resign", {}), ("back", {})):
            refused = await first.of_room(kind, **fields)
            assert (refused["t"], refused["code"]) == ("error", "not_started"), kind
        assert (await first.of_room("legal"))["actions"] == []
        token = (await lobby.take_seat(made["room"]))["token"]
        await second.join(made["room"], token, legal=True)
        assert (await first.of_room("resign", key="r"))["t"] == "ok"
        refused = await first.of_room("resign")
        assert (refused["t"], refused["code"]) == ("error", "forbidden")
        again = await first.of_room("resign", key="r")
        assert (again["t"], again["seq"]) == ("ok", 4)
        other = await first.of_room("back", key="r")
        assert (other["t"], other["code"]) == ("error", "key_reused")
        await second.of_room("resign")
        while second.state["room"]["status"] == "playing":
            await second.hear()
        for wire in (first, second):
            for kind, fields in (("act", counted), ("undo", {"seq": 1}), ("resign", {}), ("back", {})):
                refused = await wire.of_room(kind, **fields)
                assert (refused["t"], refused["code"]) == ("error", "game_over"), kind
            assert (await wire.of_room("legal"))["actions"] == []
            assert (await wire.check())["match"] is True
        again = await first.of_room("resign", key="r")
        assert (again["t"], again["seq"]) == ("ok", 4)


async def test_many_bad_frames_at_once_get_a_reply_each(company: Company) -> None:
    wire = company.deciding
    frames = [wire.write({"t": "act", "id": number, "room": company.room, "seq": -1}) for number in range(200)]
    await asyncio.gather(*(wire.send(frame) for frame in frames))
    heard = await wire.replies(wire.write({"t": "ping", "id": 999}))
    assert [message["id"] for message in heard] == [*range(200), 999]
    assert {message["t"] for message in heard[:-1]} == {"error"}
    await untouched(company, wire)
