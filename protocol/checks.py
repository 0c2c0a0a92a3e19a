"""What every codec checks between a parsed frame and a typed message.

The rules here:

- A number is an integer within ±(2^53 - 1), wherever it stands.
- What is refused is named by its place in the message and the reason; the client's own value is never repeated. A
  field that the protocol does not know is shown by name only where the name is harmless.
- The `id` and `room` of a refused request are recovered where they are valid ones.
"""

from __future__ import annotations

import re
from typing import TypeVar, cast, get_args

import msgspec

from protocol.codes import Code, ProtocolError
from protocol.messages import MAX_INT, AnyClientMessage, AnyServerMessage, Json, ServerMessage

T = TypeVar("T")

FRAME_BYTES = 16 * 1024
"""The default limit of a client's frame, in bytes."""
DEPTH = 16
"""How deep maps and arrays may nest; the frame's own map is the first."""
VALUES = 2048
"""How many values a client's frame may hold: every map, array, string, number, bool and null; keys don't count."""
ROOM_LENGTH = 64

REQUESTS: dict[str, type[AnyClientMessage]] = {
    cast(str, kind.__struct_config__.tag): kind for kind in get_args(AnyClientMessage)
}
FRAMES: dict[str, type[AnyServerMessage]] = {
    cast(str, kind.__struct_config__.tag): kind for kind in get_args(AnyServerMessage)
}

_PLACED = re.compile(r"(?s)(?P<reason>.*?)(?: - at (?P<place>[^'\"\n]*))?")
_FIELD = re.compile(r"Object (?:missing required|contains unknown) field `(?P<field>[A-Za-z0-9_-]{1,32})`")
_HARMLESS = re.compile(r"Expected `[a-z| `]+`(?:, got `[a-z]+`| (?:[<>]=? -?\d+|of length (?:[<>]=? )?\d+))?")
_PATTERN = re.compile(r"Expected `str` matching regex '.*'")


def size_error(limit: int) -> ProtocolError:
    """The refusal of a frame or body of more than `limit` bytes."""
    return ProtocolError(Code.TOO_LARGE, f"more than {limit} bytes")


def depth_error() -> ProtocolError:
    """The refusal of what nests too deeply."""
    return ProtocolError(Code.BAD_MESSAGE, f"maps and arrays nested deeper than {DEPTH}")


def count_error() -> ProtocolError:
    """The refusal of what holds too many values."""
    return ProtocolError(Code.BAD_MESSAGE, f"more than {VALUES} values")


def request(frame: object) -> AnyClientMessage:
    """The typed request in a parsed frame.

    Raises:
        ProtocolError: `bad_message`, with `id` and `room` as far as they are valid ones.
    """
    try:
        return _request(frame)
    except ProtocolError as error:
        if isinstance(frame, dict):
            error.id = _valid_id(frame.get("id"))
            error.room = _valid_room(frame.get("room"))
        raise


def _request(frame: object) -> AnyClientMessage:
    kind = REQUESTS.get(tag) if isinstance(tag := _tag(frame), str) else None
    if kind is None:
        raise _bad("t", "not a type of message that the protocol knows")
    message = typed(frame, kind)
    if (action := getattr(message, "action", None)) is not None:
        _check_numbers(action, "action")
    return message


def server_frame(frame: object) -> ServerMessage | None:
    """The typed message in a parsed frame of a server; None where a newer server sends a type unknown here.

    Raises:
        ProtocolError: `bad_message`, where a known type does not hold what it must.
    """
    tag = _tag(frame)
    kind = FRAMES.get(tag) if isinstance(tag, str) else None
    return None if kind is None else typed(frame, kind)


def body(value: object, kind: type[T]) -> T:
    """A typed body of an HTTP call, from its parsed JSON.

    Raises:
        ProtocolError: `bad_message`.
    """
    if not isinstance(value, dict):
        raise ProtocolError(Code.BAD_MESSAGE, "a body is a map")
    for field, part in value.items():
        if isinstance(part, dict | list):
            _check_numbers(part, field if _FIELD_NAME.fullmatch(field) else "a field")
    return typed(value, kind)


def typed(value: object, kind: type[T]) -> T:
    """`value` as a struct of this kind.

    Raises:
        ProtocolError: `bad_message`, with the field and the reason.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error)) from None


_FIELD_NAME = re.compile(r"[A-Za-z0-9_-]{1,32}")


def _tag(frame: object) -> object:
    if not isinstance(frame, dict):
        raise ProtocolError(Code.BAD_MESSAGE, "a frame is a map")
    return frame.get("t")


def _valid_id(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_INT else None


def _valid_room(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= ROOM_LENGTH else None


def _check_numbers(value: Json, place: str) -> None:
    kind = type(value)
    if kind is int:
        if not -MAX_INT <= cast(int, value) <= MAX_INT:
            raise _bad(place, "not an integer within ±(2^53 - 1)")
    elif kind is float:
        raise _bad(place, "not an integer within ±(2^53 - 1)")
    elif kind is dict:
        for key, part in cast(dict[str, Json], value).items():
            if type(part) is not str:
                _check_numbers(part, f"{place}.{key}" if _FIELD_NAME.fullmatch(key) else place)
    elif kind is list:
        for part in cast(list[Json], value):
            _check_numbers(part, place)


def _bad(place: str, reason: str) -> ProtocolError:
    return ProtocolError(Code.BAD_MESSAGE, f"{place}: {reason}" if place else reason)


def _explained(message: str) -> ProtocolError:
    """The validation library's message without anything of the client's in it."""
    found = _PLACED.fullmatch(message)
    reason, place = (found["reason"], found["place"] or "") if found else ("", "")
    place = ".".join(part for part in place.removeprefix("$").split(".") if _FIELD_NAME.fullmatch(part))
    if named := _FIELD.fullmatch(reason):
        absent = reason.startswith("Object missing")
        place = f"{place}.{named['field']}" if place else named["field"]
        return _bad(place, "required, and not there" if absent else "not a field that the protocol knows here")
    if reason.startswith("Object contains unknown field"):
        return _bad(place, "holds a field that the protocol does not know")
    if _HARMLESS.fullmatch(reason):
        return _bad(place, reason[0].lower() + reason[1:].replace("`", ""))
    if _PATTERN.fullmatch(reason):
        return _bad(place, "not in the form that the protocol asks for")
    return _bad(place, "not a value that the protocol allows")
