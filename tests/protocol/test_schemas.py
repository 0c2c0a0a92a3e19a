"""The JSON Schemas are valid, and say of every frame what the code does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from protocol.codes import HTTP_STATUS, Code
from protocol.messages import Leave, Ok
from protocol.schemas import game_schema, messages_schema, options_schema
from server.engines import ENGINES, AnyEngine
from server.rooms.hub import Hub
from server.rooms.options import RoomOptions
from server.store.memory import MemoryStore
from tests.protocol.golden_frames import CLIENT, SERVER
from tests.protocol.golden_invalid import JSON_FRAMES, Invalid
from tests.protocol.test_codec import read
from tests.rooms.peer import Peer
from tests.rooms.tables import QUICK, Nodes, Party

MESSAGES = messages_schema()

NOT_TOLD_BY_A_SCHEMA = {
    "a whole float for an integer",
    "an exponent for an integer",
    "a float in an action",
    "2^53 in an action",
    "-2^53 in an action",
    "more than 64 bits in an action",
    "17 levels",
    "more than 2,048 values",
}
REFUSED = [case for case in JSON_FRAMES if case.fault == "message" and case.code == Code.BAD_MESSAGE]


def check(kind: str, value: object) -> None:
    """Raises unless the value is what the schema calls `kind`."""
    Draft202012Validator({**MESSAGES, "anyOf": [{"$ref": f"#/$defs/{kind}"}]}).validate(value)


def patterns(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            yield schema["pattern"]
        for part in schema.values():
            yield from patterns(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from patterns(part)


def test_the_schema_of_the_messages_is_one() -> None:
    Draft202012Validator.check_schema(MESSAGES)


@pytest.mark.parametrize("name", CLIENT)
def test_every_request_fits_the_schema(name: str) -> None:
    message = CLIENT[name]
    check("ClientMessage", msgspec.to_builtins(message))
    check(type(message).__name__, msgspec.to_builtins(message))


@pytest.mark.parametrize("name", SERVER)
def test_every_message_of_the_server_fits_the_schema(name: str) -> None:
    message = SERVER[name]
    check("ServerMessage", msgspec.to_builtins(message))
    check(type(message).__name__, msgspec.to_builtins(message))


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_is_refused_does_not_fit_the_schema(case: Invalid) -> None:
    fits = Draft202012Validator({**MESSAGES, "anyOf": [{"$ref": "#/$defs/ClientMessage"}]})
    assert fits.is_valid(json.loads(case.payload())) == (case.name in NOT_TOLD_BY_A_SCHEMA)


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
def test_every_game_has_schemas(engine: AnyEngine) -> None:
    schema = game_schema(engine.name, engine.actions, engine.events, engine.views, engine.options)
    Draft202012Validator.check_schema(schema)
    assert set(schema["properties"]) == {"action", "event", "game", "you", "options"}
    options = options_schema(RoomOptions, engine.options)
    Draft202012Validator.check_schema(options)
    defaults = {name: part["default"] for name, part in options["properties"].items() if "default" in part}
    assert set(defaults) == set(options["properties"])
    Draft202012Validator(options).validate(defaults)
    assert not Draft202012Validator(options).is_valid({"no such option": 1})


@pytest.mark.parametrize("engine", ENGINES.values(), ids=lambda engine: engine.name)
async def test_all_that_a_room_sends_fits_the_schemas(engine: AnyEngine) -> None:
    schema = game_schema(engine.name, engine.actions, engine.events, engine.views, engine.options)
    game = Draft202012Validator(schema)
    hub = Hub(MemoryStore(), QUICK, "node-0")
    await hub.start()
    try:
        party = await Nodes([hub]).party(2, game=engine.name, clock={"bank": 60000, "per_turn": 1000})
        watcher = Peer(hub)
        await watcher.join(party.room)
        random = Random(7)
        for _ in range(12):
            if await party.playing():
                assert isinstance(await party.step(random), Ok)
        check("RoomLook", plain(await hub.look(party.room)))  # type: ignore[arg-type]
        check("RoomPage", plain(await hub.rooms(None, None, None)))
        _check_frames(game, [*party.peers, watcher])
        assert isinstance(await watcher.ask(Leave), Ok)
    finally:
        await hub.stop()


def plain(value: object) -> Any:
    return json.loads(json.dumps(value))


def _check_frames(game: Draft202012Validator, peers: list[Peer]) -> None:
    for peer in peers:
        for frame in peer.box.frames:
            check("ServerMessage", told := read(peer.box.codec, frame))
            for action in told.get("actions", ()):
                game.validate({"action": action})
            for event in told.get("events", ())[1:]:
                game.validate({"event": event})
            for event in told.get("events", ())[:1]:
                check("RoomEvent", event)
        state = plain(peer.fold())
        check("State", state)
        game.validate({"game": state["game"], **({"you": state["you"]} if state["you"] else {})})


async def test_a_replay_fits_the_schema() -> None:
    hub = Hub(MemoryStore(), QUICK, "node-0")
    await hub.start()
    try:
        party: Party = await Nodes([hub]).party(2)
        random = Random(3)
        while await party.playing():
            assert isinstance(await party.step(random), Ok)
        replay = plain(await hub.replay(party.room))  # type: ignore[arg-type]
    finally:
        await hub.stop()
    check("Replay", replay)
    assert {entry["kind"] for entry in replay["entries"]} >= {"created", "seated", "action"}


def test_patterns_are_ones_that_ecmascript_knows() -> None:
    found = set(patterns(MESSAGES))
    assert found
    for pattern in found:
        assert not any(part in pattern for part in ("(?<", "(?P", r"\Z", r"\A", "(?i", "(?#", "(?>")), pattern


def test_every_code_has_an_http_status_or_is_the_sockets_alone() -> None:
    of_the_socket = {
        Code.UNSUPPORTED_PROTOCOL,
        Code.NOT_JOINED,
        Code.NOT_SEATED,
        Code.TOO_MANY,
        Code.NOT_YOUR_TURN,
        Code.STALE,
        Code.CANNOT_UNDO,
        Code.DISPLACED,
    }
    assert set(Code) - set(HTTP_STATUS) == of_the_socket
