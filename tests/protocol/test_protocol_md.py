"""PROTOCOL.md says what the code says: its tables, and its worked session frame by frame."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

import protocol
from protocol import checks
from protocol.codec import JSON, MSGPACK, Codec
from protocol.codes import HTTP_STATUS, Close, Code
from protocol.digest import digest
from protocol.documents import EntryKind
from protocol.messages import AnyClientMessage, AnyServerMessage, Check, ClientMessage, Error, Ok, Patch, Snapshot
from protocol.openapi import CALLS
from protocol.patch import apply
from tests.protocol import golden
from tests.protocol.test_schemas import check, plain

TEXT = (Path(protocol.__file__).parent / "PROTOCOL.md").read_text()


def section(title: str) -> str:
    """The text under a heading, up to the next of its rank."""
    level = title.partition(" ")[0]
    return re.split(rf"^{level} ", TEXT.partition(f"\n{title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text: str) -> list[list[str]]:
    """The rows of the tables in the text, without their heads."""
    lines = [line.strip("| ") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split(" | ")] for line in lines if not line.startswith("---")]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def kinds(union: Any) -> dict[str, Any]:
    return {str(kind.__struct_config__.tag): kind for kind in get_args(union)}


def test_every_request_is_told_with_its_fields() -> None:
    told: dict[str, set[str]] = {}
    for names, fields, *_ in rows(section("## 2. Client to server")):
        for name in quoted(names):
            told[name] = {field for field in quoted(fields) if field.isidentifier()}
    del told["t"]
    assert told == {tag: set(kind.__struct_fields__) - {"id"} for tag, kind in kinds(AnyClientMessage).items()}


def test_every_message_of_the_server_is_told_with_its_fields() -> None:
    table = section("## 3. Server to client").partition("### Error codes")[0]
    told = {quoted(row[0])[0]: {field for field in quoted(row[1]) if field.isidentifier()} for row in rows(table)}
    for tag, kind in kinds(AnyServerMessage).items():
        assert told[tag] == ({"id"} if kind is Ok else set(kind.__struct_fields__)), tag


def test_every_code_is_told_with_its_http_status() -> None:
    told = {quoted(row[0])[0]: row[1] for row in rows(section("### Error codes"))[1:]}
    assert told == {code.value: str(HTTP_STATUS.get(code, "–")) for code in Code}


def test_every_close_code_is_told() -> None:
    told = {int(row[0]) for row in rows(section("## 1. Transport")) if row[0].isdecimal()}
    assert told == set(Close)


def test_the_limits_are_told() -> None:
    told = {
        quoted(row[0])[0]: row[1] for row in rows(section("## 1. Transport")) if row[0] in ("`frame_bytes`", "`depth`")
    }
    assert told == {"frame_bytes": f"{checks.FRAME_BYTES:,}", "depth": str(checks.DEPTH)}
    assert f"at most {checks.VALUES:,} values" in TEXT


def test_every_call_is_told() -> None:
    table = " ".join(row[0] for row in rows(section("## 7. HTTP")))
    told = {(call.partition(" ")[0].lower(), call.partition(" ")[2].partition("?")[0]) for call in quoted(table)} - {
        ("call", "")
    }
    assert told == {(call.method, call.path) for call in CALLS}


def test_every_kind_of_entry_is_told() -> None:
    told = [kind for row in rows(section("## 8. Entries of the journal")) for kind in quoted(row[0])]
    assert sorted(told) == sorted(get_args(EntryKind))


def test_every_golden_file_is_told() -> None:
    told = {name for row in rows(section("## 11. Golden files")) for name in quoted(row[0])}
    assert told == set(golden.contents())


SESSION = [line.split(" ", 1) for line in section("## 10. A worked session").splitlines() if line[:2] in ("→ ", "← ")]
IN_JSON = [(way, line.encode()) for way, line in SESSION if line.startswith("{")]
IN_MSGPACK = [(way, bytes.fromhex(line)) for way, line in SESSION if not line.startswith("{")]


def messages(frames: list[tuple[str, bytes]], codec: Codec) -> list[Any]:
    return [codec.decode(frame) if way == "→" else codec.decode_server(frame) for way, frame in frames]


def written(message: Any, codec: Codec) -> bytes:
    return codec.encode_request(message) if isinstance(message, ClientMessage) else codec.encode(message)


@pytest.mark.parametrize(("frames", "codec"), [(IN_JSON, JSON), (IN_MSGPACK, MSGPACK)], ids=["json", "msgpack"])
def test_the_session_is_as_it_goes_over_the_wire(frames: list[tuple[str, bytes]], codec: Codec) -> None:
    assert len(frames) > 25
    for (_, frame), message in zip(frames, messages(frames, codec), strict=True):
        assert written(message, codec) == frame
        check(
            "ClientMessage" if isinstance(message, ClientMessage) else "ServerMessage",
            json.loads(written(message, JSON)),
        )


def test_the_session_is_the_same_in_both_codecs() -> None:
    (_, *json_frames), (_, *msgpack_frames) = messages(IN_JSON, JSON), messages(IN_MSGPACK, MSGPACK)
    assert json_frames == msgpack_frames


def test_the_session_holds_together() -> None:
    state: Any = None
    seq, open_requests = 0, {}
    for message in messages(IN_JSON, JSON):
        match message:
            case Snapshot():
                seq, state = message.seq, message.state
            case Patch():
                assert message.seq == seq + 1
                seq, state = message.seq, apply(state, message.ops)
            case Check():
                assert message.digest == digest(state)
            case _:
                pass
        if isinstance(message, ClientMessage):
            open_requests[message.id] = message
        elif isinstance(message, Ok | Error):
            del open_requests[message.id]
        if state is not None:
            check("State", plain(state))
    assert open_requests == {}
    seed = bytes.fromhex(state["room"]["seed"])
    assert state["room"]["commitment"] == hashlib.sha256(b"pharos-v1-commit" + seed).hexdigest()
