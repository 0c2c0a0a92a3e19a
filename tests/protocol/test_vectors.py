"""The golden files are what this code writes and reads, and what other libraries make of them."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any, get_args

import jsonpatch
import msgpack
import msgspec
import pytest

from protocol.codec import CODECS, JSON, MSGPACK
from protocol.codes import EncodingProtocolError, ProtocolError, SyntaxProtocolError
from protocol.digest import digest
from protocol.messages import AnyClientMessage, AnyServerMessage
from protocol.patch import apply, diff
from tests.protocol import golden
from tests.protocol.golden_frames import CLIENT, SERVER
from tests.protocol.golden_invalid import INVALID, Invalid


def load(name: str) -> list[dict[str, Any]]:
    return json.loads((golden.VECTORS / name).read_text())


def named(items: list[dict[str, Any]]) -> Any:
    return pytest.mark.parametrize("item", [pytest.param(item, id=item["name"]) for item in items])


@pytest.mark.parametrize("name", golden.contents())
def test_a_golden_file_is_what_the_code_says(name: str) -> None:
    assert (golden.VECTORS / name).read_text() == golden.text(golden.contents()[name])


def test_there_is_a_frame_of_every_message_and_of_every_field() -> None:
    for union, samples in ((AnyClientMessage, CLIENT), (AnyServerMessage, SERVER)):
        for kind in get_args(union):
            told = [msgspec.to_builtins(message) for message in samples.values() if type(message) is kind]
            assert {field for message in told for field in message} - {"t"} == set(kind.__struct_fields__), kind


@named(load("client_frames.json"))
def test_a_request_is_read_alike_in_both_codecs(item: dict[str, Any]) -> None:
    text, packed = item["json"].encode(), bytes.fromhex(item["msgpack"])
    assert json.loads(text) == msgpack.unpackb(packed)
    assert JSON.decode(text) == MSGPACK.decode(packed) == CLIENT[item["name"]]


@named(load("server_frames.json"))
def test_a_message_of_the_server_is_read_alike_in_both_codecs(item: dict[str, Any]) -> None:
    text, packed = item["json"].encode(), bytes.fromhex(item["msgpack"])
    assert json.loads(text) == msgpack.unpackb(packed)
    assert JSON.decode_server(text) == MSGPACK.decode_server(packed) == SERVER[item["name"]]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.codec}: {case.name}") for case in INVALID])
def test_an_invalid_frame_is_refused_for_the_right_reason(case: Invalid) -> None:
    with pytest.raises(ProtocolError) as caught:
        CODECS[case.codec].decode(case.payload())
    error = caught.value
    kinds = {"message": ProtocolError, "syntax": SyntaxProtocolError, "encoding": EncodingProtocolError}
    assert (type(error), error.code) == (kinds[case.fault], case.code)
    assert (error.id, error.room) == (case.id, case.room)
    place, colon, _ = error.message.partition(": ")
    if case.fault == "message":
        assert (place if colon else None) == case.field, error.message


def below(words: list[int], n: int) -> int:
    """The protocol's text, read literally: words that can't be used are taken and thrown away."""
    while True:
        word = words.pop(0)
        if word < 2**32 // n * n:
            return word % n


@named(load("dice.json"))
def test_the_dice_are_those_of_the_protocol(item: dict[str, Any]) -> None:
    seed = bytes.fromhex(item["seed"])
    assert item["commitment"] == hashlib.sha256(b"pharos-v1-commit" + seed).hexdigest()
    entropy = b"".join(bytes.fromhex(part or "00" * 32) for part in item["entropy"])
    key = hmac.new(seed, b"pharos-v1-stream" + entropy, "sha256").digest()
    assert item["key"] == key.hex()
    blocks = b"".join(hmac.new(key, i.to_bytes(8, "big"), "sha256").digest() for i in range(40))
    stream = [int.from_bytes(blocks[at : at + 4], "big") for at in range(0, len(blocks), 4)]
    assert item["words"] == stream[: len(item["words"])]
    left = stream.copy()
    for draw in item["below"]:
        assert (draw["value"], draw["words"]) == (below(left, draw["n"]), len(stream) - len(left))
    left = stream.copy()
    for shuffle in item["shuffles"]:
        items = list(range(shuffle["n"]))
        for i in range(len(items) - 1, 0, -1):
            j = below(left, i + 1)
            items[i], items[j] = items[j], items[i]
        assert (shuffle["items"], shuffle["words"]) == (items, len(stream) - len(left))


def test_some_draw_passes_words_over() -> None:
    assert any(item["below"][-1]["words"] > len(item["below"]) for item in load("dice.json"))


@named(load("digests.json"))
def test_a_digest_is_that_of_the_canonical_text(item: dict[str, Any]) -> None:
    assert json.loads(item["canonical"]) == item["state"]
    assert item["digest"] == hashlib.sha256(item["canonical"].encode()).hexdigest() == digest(item["state"])


@named(load("patches.json"))
def test_a_patch_is_the_one_that_is_written(item: dict[str, Any]) -> None:
    assert diff(item["old"], item["new"]) == item["ops"]
    assert apply(item["old"], item["ops"]) == item["new"]
    assert jsonpatch.apply_patch(item["old"], item["ops"]) == item["new"]
