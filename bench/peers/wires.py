"""The peers' wires, as far as the job needs them: making a room, sitting down, acting, noticing updates."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from bench.jobs import Job
from bench.turns import Peer, echo_room

CELLS = 40
JOIN_ROOM, ROOM_DATA, ROOM_STATE, ROOM_STATE_PATCH = 10, 13, 14, 15
"""Colyseus: the first byte of a message."""


def _post(port: int, path: str, body: object) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


class ColyseusPeer(Peer):
    """A client of a Colyseus room, by the protocol of 0.18."""

    def received(self, payload: bytes) -> None:
        """The room's own messages: joined, the whole state, a patch."""
        kind = payload[0]
        if kind == ROOM_STATE_PATCH:
            self.heard(len(payload))
        elif kind == JOIN_ROOM:
            self.send(bytes((JOIN_ROOM,)))
        elif kind == ROOM_STATE:
            self.joined.set()

    def act(self, turn: int) -> None:
        """Set one of the cells."""
        action = msgspec.msgpack.encode({"at": turn % CELLS, "value": turn % 251 + 1})
        self.send(bytes((ROOM_DATA,)) + msgspec.msgpack.encode("set") + action)


def colyseus_room(job: Job, number: int) -> list[Peer]:  # noqa: ARG001 - ids are the server's
    """A new room, and its peers in the order of their seats."""
    made = _post(job.port, "/matchmake/create/job", {"seat": 0})
    others = [_post(job.port, f"/matchmake/joinById/{made['roomId']}", {"seat": seat}) for seat in range(1, job.seats)]
    return [
        ColyseusPeer(f"/{seat['processId']}/{seat['roomId']}?sessionId={seat['sessionId']}", binary=True)
        for seat in (made, *others)
    ]


class BoardgamePeer(Peer):
    """A client of a boardgame.io match: socket.io over a WebSocket, one packet a text frame."""

    def __init__(self, match: str, player: int, credentials: str) -> None:
        super().__init__("/socket.io/?EIO=4&transport=websocket")
        self._match = match
        self._player = str(player)
        self._credentials = credentials
        self._state = 0
        self._patch = msgspec.json.Decoder(tuple[str, str, int, int, msgspec.Raw, msgspec.Raw])

    def received(self, payload: bytes) -> None:
        """Packets of engine.io, and in them those of socket.io in the game's namespace."""
        if payload.startswith(b'42/job,["patch"'):
            self._state = self._patch.decode(payload[7:])[3]
            self.heard(len(payload))
        elif payload.startswith(b"0"):
            self.send(b"40/job,")
        elif payload.startswith(b"40/job,"):
            self._emit("sync", self._match, self._player, self._credentials, 4)
        elif payload.startswith(b'42/job,["sync"'):
            self.joined.set()
        elif payload == b"2":
            self.send(b"3")

    def _emit(self, *event: object) -> None:
        self.send(b"42/job," + msgspec.json.encode(event))

    def act(self, turn: int) -> None:
        """Set one of the cells."""
        payload = {
            "type": "set",
            "args": [turn % CELLS, turn % 251 + 1],
            "playerID": self._player,
            "credentials": self._credentials,
        }
        action = {"type": "MAKE_MOVE", "payload": payload}
        self._emit("update", action, self._state, self._match, self._player)


def boardgame_room(job: Job, number: int) -> list[Peer]:  # noqa: ARG001
    """A new match, and its players in order."""
    match = _post(job.port, "/games/job/create", {"numPlayers": job.seats})["matchID"]
    return [
        BoardgamePeer(match, player, _sit(job.port, match, player)["playerCredentials"]) for player in range(job.seats)
    ]


def _sit(port: int, match: str, player: int) -> Any:
    return _post(port, f"/games/job/{match}/join", {"playerID": str(player), "playerName": f"p{player}"})


ROOMS: Mapping[str, Callable[[Job, int], list[Peer]]] = {
    "echo": echo_room,
    "colyseus": colyseus_room,
    "boardgame.io": boardgame_room,
}
"""Every kind of server that is not Pharos: how a room of it is made."""
