"""What every codec checks between a parsed frame and a typed message.

The rules here:

- A number is an integer within ±(2^53 - 1), wherever it stands.
- What is refused is named by its place in the message and the reason; the client's own value is never repeated. A
  field that the protocol does not know is shown by name only where the name is harmless: too short for a token.
- The `id` and `room` of a refused request are recovered where they are valid ones.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar, cast, get_args

import msgspec

from protocol.codes import Code, ProtocolError
from protocol.messages import (
    MAX_INT,
    Act,
    AnyClientMessage,
    AnyServerMessage,
    Digest,
    Entropy,
    Key,
    OwnToken,
    ServerMessage,
    Tag,
)

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

_NAME = re.compile(r"[A-Za-z0-9_-]{1,21}")
_PLACED = re.compile(r"(?s)(?P<reason>.*?)(?: - at (?:`key` in )?`\$(?P<place>[^`]*)`)?")
_FIELD = re.compile(r"Object (?:missing required|contains unknown) field `(?P<field>[A-Za-z0-9_-]{1,21})`")
_HARMLESS = re.compile(r"Expected `[a-z| `]+`(?:, got `[a-z]+`| (?:[<>]=? -?\d+|of length (?:[<>]=? )?\d+))?")
_FORMS = {
    f"Expected `str` matching regex {meta.pattern!r}": meta.description
    for form in (Digest, Entropy, Key, OwnToken, Tag)
    for meta in get_args(form)[1:]
}


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
        ProtocolError: `bad_message`, with `id` and `room` as far as they are valid ones; without an `id` a `room`
            would say that one is no longer attached to it.
    """
    if not isinstance(frame, dict):
        raise ProtocolError(Code.BAD_MESSAGE, "a frame is a map")
    try:
        return _request(frame)
    except ProtocolError as error:
        error.id = _valid_id(frame.get("id"))
        error.room = None if error.id is None else _valid_room(frame.get("room"))
        raise


def _request(frame: dict[str, object]) -> AnyClientMessage:
    tag = frame.get("t")
    kind = REQUESTS.get(tag) if isinstance(tag, str) else None
    if kind is None:
        raise _bad("t", "not a type of message that the protocol knows")
    message = typed(frame, kind)
    if isinstance(message, Act):
        _check_numbers(message.action, "action")
    return message


def server_frame(frame: object) -> ServerMessage | None:
    """The typed message in a parsed frame of a server; None where a newer server sends a type unknown here.

    Raises:
        ProtocolError: `bad_message`, where a known type does not hold what it must.
    """
    if not isinstance(frame, dict):
        raise ProtocolError(Code.BAD_MESSAGE, "a frame is a map")
    tag = frame.get("t")
    kind = FRAMES.get(tag) if isinstance(tag, str) else None
    return None if kind is None else typed(frame, kind)


def body(value: object, kind: type[T]) -> T:
    """A typed body of an HTTP call, from its parsed JSON.

    Raises:
        ProtocolError: `bad_message`.
    """
    if not isinstance(value, dict):
        raise ProtocolError(Code.BAD_MESSAGE, "a body is a map")
    _check_numbers(value, "")
    return typed(value, kind)


def typed(value: object, kind: type[T], place: str = "") -> T:
    """`value`, which stands at this place of a message or body, as a struct of this kind.

    Raises:
        ProtocolError: `bad_message`, with the field and the reason.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error), place) from None


def _valid_id(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_INT else None


def _valid_room(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= ROOM_LENGTH else None


def _check_numbers(value: dict[str, Any] | list[Any], place: str) -> None:
    """Every number in a parsed map or array, found in one pass that stays off what can't hold one."""
    for name, part in value.items() if isinstance(value, dict) else (("", part) for part in value):
        kind = type(part)
        if kind is str or kind is bool or part is None:
            continue
        if kind is dict or kind is list:
            _check_numbers(part, _inside(place, name))
        elif kind is float or not -MAX_INT <= part <= MAX_INT:
            raise _bad(_inside(place, name), "not an integer within ±(2^53 - 1)")


def _inside(place: str, name: str) -> str:
    """The place of a member; its name is the client's own, and shown only where it is harmless."""
    if not _NAME.fullmatch(name):
        return place
    return f"{place}.{name}" if place else name


def _bad(place: str, reason: str) -> ProtocolError:
    return ProtocolError(Code.BAD_MESSAGE, f"{place}: {reason}" if place else reason)


def _explained(message: str, outer: str) -> ProtocolError:
    """The validation library's message without anything of the client's in it."""
    found = _PLACED.fullmatch(message)
    reason, within = (found["reason"], found["place"] or "") if found else ("", "")
    place = ".".join(part for part in (outer, *re.split(r"[.\[\]]+", within)) if _NAME.fullmatch(part))
    if named := _FIELD.fullmatch(reason):
        absent = reason.startswith("Object missing")
        place = f"{place}.{named['field']}" if place else named["field"]
        return _bad(place, "required, and not there" if absent else "not a field that the protocol knows here")
    if reason.startswith("Object contains unknown field"):
        return _bad(place, "holds a field that the protocol does not know")
    if _HARMLESS.fullmatch(reason):
        return _bad(place, reason[0].lower() + reason[1:].replace("`", ""))
    if reason in _FORMS:
        return _bad(place, f"expected {_FORMS[reason]}")
    return _bad(place, "not a value that the protocol allows")
