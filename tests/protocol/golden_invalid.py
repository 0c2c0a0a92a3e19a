"""Frames that a server refuses, and what it says: the code, and the place of the fault."""

from __future__ import annotations

from typing import Literal

import msgspec

from protocol.codes import Code


class Invalid(msgspec.Struct, frozen=True, omit_defaults=True):
    """A frame, as text (JSON) or in hex; sent `times` over as one frame. `field`: where the message puts the fault.

    `fault`: `message` (the codec is right, the contents are not), `syntax` (the third in a row closes 1007) or
    `encoding` (not UTF-8: closes 1007 at once).
    """

    name: str
    codec: Literal["json", "msgpack"]
    text: str | None = None
    hex: str | None = None
    times: int = 1
    fault: Literal["message", "syntax", "encoding"] = "message"
    code: str = Code.BAD_MESSAGE.value
    field: str | None = None
    id: int | None = None
    room: str | None = None

    def payload(self) -> bytes:
        """The frame."""
        once = self.text.encode() if self.text is not None else bytes.fromhex(self.hex or "")
        return once * self.times


def _json(name: str, text: str, field: str | None = None, **more: object) -> Invalid:
    return msgspec.structs.replace(Invalid(name, "json", text=text, field=field), **more)


def _hex(name: str, data: str, field: str | None = None, **more: object) -> Invalid:
    return msgspec.structs.replace(Invalid(name, "msgpack", hex=data.replace(" ", ""), field=field), **more)


def _act(action: str) -> str:
    return f'{{"t":"act","id":7,"room":"K7QF2M","seq":1,"action":{action}}}'


_ACT = {"id": 7, "room": "K7QF2M"}
_MSGPACK_ACT = "85 a174a3616374 a2696407 a4726f6f6da64b375146324d a373657101 a6616374696f6e "  # then the action

JSON_FRAMES = (
    _json("an array", "[]"),
    _json("a string", '"ping"'),
    _json("no type", '{"id":1}', "t", id=1),
    _json("an unknown type", '{"t":"shout","id":1}', "t", id=1),
    _json("a type that is no string", '{"t":1,"id":1}', "t", id=1),
    _json("a server's type", '{"t":"ok","id":1}', "t", id=1),
    _json("no id", '{"t":"ping"}', "id"),
    _json("a negative id", '{"t":"ping","id":-1}', "id"),
    _json("an id of 2^53", '{"t":"ping","id":9007199254740992}', "id"),
    _json("a whole float for an integer", '{"t":"ping","id":1.0}', "id"),
    _json("an exponent for an integer", '{"t":"ping","id":1e2}', "id"),
    _json("true for an integer", '{"t":"ping","id":true}', "id"),
    _json("a string for an integer", '{"t":"ping","id":"1"}', "id"),
    _json("null for an absent field", '{"t":"ping","id":1,"time":null}', "time", id=1),
    _json("an unknown field", '{"t":"ping","id":1,"colour":"red"}', "colour", id=1),
    _json("an unknown field whose name is not shown", '{"t":"ping","id":1,"col\\nour":"red"}', id=1),
    _json("no room", '{"t":"leave","id":1}', "room", id=1),
    _json("1 for true", '{"t":"join","id":1,"room":"K7QF2M","legal":1}', "legal", id=1, room="K7QF2M"),
    _json("a tag in capitals", '{"t":"join","id":1,"room":"R","since":{"seq":1,"tag":"00FF17A2B3C4D5E6"}}', "since.tag",
          id=1, room="R"),
    _json("a tag and a line feed", '{"t":"join","id":1,"room":"R","since":{"seq":1,"tag":"00ff17a2b3c4d5e6\\n"}}',
          "since.tag", id=1, room="R"),
    _json("since without its tag", '{"t":"join","id":1,"room":"R","since":{"seq":1}}', "since.tag", id=1, room="R"),
    _json("unknown in since", '{"t":"join","id":1,"room":"R","since":{"seq":1,"tag":"00ff17a2b3c4d5e6","x":1}}',
          "since.x", id=1, room="R"),
    _json("an empty key", '{"t":"resign","id":1,"room":"R","key":""}', "key", id=1, room="R"),
    _json("a key that is not ASCII", '{"t":"resign","id":1,"room":"R","key":"ключ"}', "key", id=1, room="R"),
    _json("an empty line of chat", '{"t":"chat","id":1,"room":"R","text":""}', "text", id=1, room="R"),
    _json("an action that is a string", _act('"pass"'), "action", **_ACT),
    _json("a float in an action", _act('{"type":"pay","gold":[1,0.5]}'), "action.gold", **_ACT),
    _json("2^53 in an action", _act('{"type":"pay","in":{"gold":9007199254740992}}'), "action.in.gold", **_ACT),
    _json("-2^53 in an action", _act('{"type":"pay","gold":-9007199254740992}'), "action.gold", **_ACT),
    _json("more than 64 bits in an action", _act('{"type":"pay","gold":123456789012345678901234567890}'), "action.gold",
          **_ACT),
    _json("the last of equal keys counts", '{"t":"ping","id":1,"id":"x"}', "id"),
    _json("17 levels", _act('{"type":"a","x":' + "[" * 15 + "]" * 15 + "}")),
    _json("more than 2,048 values", _act('{"type":"a","x":[' + "0," * 2048 + "0]}")),
    _json("16,385 bytes", " ", times=16385, code=Code.TOO_LARGE.value),
    _json("nothing", "", fault="syntax"),
    _json("no JSON", "ping", fault="syntax"),
    _json("cut short", '{"t":"ping","id":1', fault="syntax"),
    _json("two objects", '{"t":"ping","id":1}{}', fault="syntax"),
    _json("a byte order mark", '\ufeff{"t":"ping","id":1}', fault="syntax"),
    _json("NaN", '{"t":"ping","id":NaN}', fault="syntax"),
    _json("a lone surrogate", '{"t":"chat","id":1,"room":"R","text":"\\ud800"}', fault="syntax"),
    _json("a raw line feed in a string", '{"t":"chat","id":1,"room":"R","text":"a\nb"}', fault="syntax"),
    Invalid("broken UTF-8", "json", hex=b'{"t":"ping","id":1,"x":"\xff"}'.hex(), fault="encoding"),
    Invalid("a surrogate in UTF-8", "json", hex=b'"\xed\xa0\x80"'.hex(), fault="encoding"),
)  # fmt: skip

MSGPACK_FRAMES = (
    _hex("an array", "90"),
    _hex("no type", "81 a2696401", "t", id=1),
    _hex("an unknown type", "82 a174a573686f7574 a2696401", "t", id=1),
    _hex("no id", "81 a174a470696e67", "id"),
    _hex("an id of 2^53", "82 a174a470696e67 a26964cf0020000000000000", "id"),
    _hex("an id of 2^64-1", "82 a174a470696e67 a26964cfffffffffffffffff", "id"),
    _hex("a float for an integer", "82 a174a470696e67 a26964cb3ff0000000000000", "id"),
    _hex("nil for an absent field", "83 a174a470696e67 a2696401 a474696d65c0", "time", id=1),
    _hex("an unknown field", "83 a174a470696e67 a2696401 a6636f6c6f7572a3726564", "colour", id=1),
    _hex("a float in an action", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64ca3f000000", "action.gold", **_ACT),
    _hex("NaN in an action", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64cb7ff8000000000000", "action.gold",
         **_ACT),
    _hex("-2^63 in an action", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64d38000000000000000", "action.gold",
         **_ACT),
    _hex("the last of equal keys counts", "83 a174a470696e67 a2696401 a26964a178", "id"),
    _hex("binary", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64c40100"),
    _hex("a timestamp", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64d6ff00000000"),
    _hex("an extension type", _MSGPACK_ACT + "82 a474797065a3706179 a4676f6c64c7000500"),
    _hex("a key that is an integer", _MSGPACK_ACT + "82 a474797065a3706179 0101"),
    _hex("a key that is binary", _MSGPACK_ACT + "82 a474797065a3706179 c4017801"),
    _hex("17 levels", _MSGPACK_ACT + "81 a178" + "91" * 14 + "90"),
    _hex("more than 2,048 values", _MSGPACK_ACT + "81 a178 dc0801" + "00" * 2049),
    _hex("2,049 empty maps", "dc0801" + "80" * 2049),
    _hex("16,385 bytes", "80", times=16385, code=Code.TOO_LARGE.value),
    _hex("nothing", "", fault="syntax"),
    _hex("the unused byte", "c1", fault="syntax"),
    _hex("the unused byte as a key", "81 c1", fault="syntax"),
    _hex("cut short after a key", "82 a174a470696e67 a26964", fault="syntax"),
    _hex("cut short in a string", "82 a174a470696e", fault="syntax"),
    _hex("cut short in a number", "82 a174a470696e67 a26964cf00", fault="syntax"),
    _hex("two maps", "80 80", fault="syntax"),
    _hex("an array of 4,294,967,295 announced", "dd ffffffff", fault="syntax"),
    _hex("a map of 4,294,967,295 announced", "81 a174 df ffffffff", fault="syntax"),
    _hex("a string of 4,294,967,295 announced", "81 a174 db ffffffff", fault="syntax"),
    _hex("broken UTF-8", "82 a174a470696e67 a26964a1ff", fault="encoding"),
    _hex("a surrogate in UTF-8", "82 a174a470696e67 a26964a3eda080", fault="encoding"),
)  # fmt: skip

INVALID = (*JSON_FRAMES, *MSGPACK_FRAMES)
