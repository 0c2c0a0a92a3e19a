"""One of each message, with and without what may be absent, and odd values that a codec must carry unharmed."""

from __future__ import annotations

from protocol.messages import (
    MAX_INT,
    Act,
    Back,
    Chat,
    ChatLine,
    Check,
    ClientMessage,
    Closing,
    Error,
    Join,
    Leave,
    Legal,
    Limits,
    Ok,
    Patch,
    Ping,
    Presence,
    Resign,
    ServerMessage,
    Since,
    Snapshot,
    Turn,
    Undo,
    Welcome,
)

ROOM = "K7QF2M"
TAG = "00ff17a2b3c4d5e6"
ATTACK = {"type": "attack", "target": 31, "attack": "strike", "use": [3, 8]}

CLIENT: dict[str, ClientMessage] = {
    "join as a spectator": Join(1, ROOM),
    "join with everything": Join(
        2, ROOM, token="AAECAwQFBgcICQoLDA0ODw", since=Since(57, TAG), legal=True, chat_since=0
    ),
    "act": Act(3, ROOM, ATTACK, 57),
    "act with a key": Act(4, ROOM, {"type": "pass"}, 58, key="~ key 1"),
    "act with values of every kind": Act(
        5, ROOM, {"type": "odd", "no": None, "yes": True, "deep": [[], {}, [{"least": -MAX_INT, "most": MAX_INT}]]}, 0
    ),
    "undo": Undo(6, ROOM, 58),
    "undo with a key": Undo(7, ROOM, 58, key="u1"),
    "resign": Resign(8, ROOM),
    "resign with a key": Resign(8, ROOM, key="r1"),
    "back": Back(9, ROOM),
    "back with a key": Back(9, ROOM, key="b1"),
    "legal": Legal(10, ROOM),
    "check": Check(11, ROOM, 58, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
    "chat": Chat(12, ROOM, 'Grüße, "世界" 🐉 \\ / ✓', key="c1"),
    "leave": Leave(13, ROOM),
    "ping": Ping(MAX_INT),
    "ping with a time": Ping(0, time=-1),
}

STATE = {
    "room": {
        "id": ROOM,
        "game": "dragonwood",
        "rules": "1.0.0",
        "status": "playing",
        "private": False,
        "options": {
            "clock": {"bank": 330000, "per_turn": 30000},
            "spectators": {"allowed": True, "delay": 0},
            "chat": "all",
            "dragons": "bottom_half",
        },
        "seats": [
            {"name": "Ana", "kind": "human", "served": False},
            {"name": "greedy-1", "kind": "bot", "served": False},
        ],
        "commitment": "5a" * 32,
        "entropy": [None, "0f" * 32],
        "seed": None,
        "created": 1764480000000,
    },
    "turn": {
        "number": 12,
        "phase": "play",
        "seats": [1],
        "since": [57],
        "clock": {"at": 1764480012000, "deadlines": [1764480042000], "banks": [310000, 295500]},
    },
    "game": {"deck": 31, "row": [4, 9, 17]},
    "you": {"seat": 1, "hand": [2, 5]},
    "result": None,
}
FREE_SEATS = {
    "room": {**STATE["room"], "status": "open", "seats": [STATE["room"]["seats"][0], None], "entropy": [None, None]},
    "turn": None,
    "game": None,
    "you": None,
    "result": None,
}
FINISHED = {
    **STATE,
    "room": {**STATE["room"], "status": "finished", "seed": "00" * 32},
    "turn": {"number": 30, "phase": "over", "seats": [], "since": [], "clock": None},
    "you": None,
    "result": {"scores": [21, 34], "ranks": [2, 1], "reason": "the deck ran out"},
}

SERVER: dict[str, ServerMessage] = {
    "welcome": Welcome(1, "0.1.0", "json", Limits(16384, 16, 64, 40, 80), 1764480000000),
    "ok to a join as a spectator": Ok(1, room=ROOM, seat=None, seq=57, tag=TAG, resumed=False),
    "ok to a join with a seat": Ok(2, room=ROOM, seat=1, seq=57, tag=TAG, resumed=True),
    "ok to an action": Ok(3, seq=58),
    "ok to legal": Ok(10, seq=58, actions=[ATTACK, {"type": "pass"}]),
    "ok to check": Ok(11, seq=58, match=False),
    "ok to chat": Ok(12, n=3),
    "ok to leave": Ok(13),
    "ok to ping": Ok(0, time=-1, now=1764480000123),
    "error": Error(3, "illegal_action", "a strike needs two or more cards in a row", room=ROOM),
    "error to no request": Error(None, "displaced", "this seat has newer connections", room=ROOM),
    "error with a time to wait": Error(4, "rate_limited", "more requests than credits", retry_after=250),
    "snapshot": Snapshot(ROOM, 57, TAG, STATE),
    "snapshot of an open room": Snapshot(ROOM, 2, TAG, FREE_SEATS),
    "snapshot of a finished game": Snapshot(ROOM, 99, TAG, FINISHED),
    "patch": Patch(
        ROOM,
        58,
        "0123456789abcdef",
        1764480013000,
        ops=[
            {"op": "replace", "path": "/game/deck", "value": 30},
            {"op": "remove", "path": "/game/row/1"},
            {"op": "add", "path": "/game/row/2", "value": 40},
            {"op": "replace", "path": "/turn/seats/0", "value": 0},
        ],
        events=[{"kind": "action", "seat": 1}, {"kind": "captured", "seat": 1, "card": 31}],
    ),
    "patch that changes nothing": Patch(ROOM, 59, TAG, 1764480013001, ops=[], events=[]),
    "turn": Turn(ROOM, 58, [ATTACK, {"type": "pass"}]),
    "presence": Presence(ROOM, [True, False], 3),
    "chat of a seat": ChatLine(ROOM, 3, 0, "Ana", "Grüße 🐉", 1764480014000),
    "chat of a spectator": ChatLine(ROOM, 4, None, None, "well played", 1764480014001),
    "closing": Closing("the server is going down", 1830),
}
