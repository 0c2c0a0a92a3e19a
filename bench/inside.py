"""What one action costs inside the server: `python -m bench.inside [GAME]… [--codec msgpack]`.

The whole way of an action but the sockets and the disc, in this process: a request's bytes are read and given to the
hub, whose store is in memory, and what its room tells is taken out of the outboxes of four seats that all ask for
`legal`. CPU time is counted for batches of one action in each of the rooms; what the players do between two batches is
not counted. Told is the lower decile of the batches: the rest is what else the machine did. No garbage is collected
within a batch.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import random
import secrets
import sys
import time
from collections.abc import Sequence

import msgspec
import uvloop

from bench.plan import GAMES
from clients.load.ledger import percentile
from protocol.codec import CODECS, Codec
from protocol.messages import CreateRoom, RoomId, RoomMessage, TakeSeat
from server import logs
from server.rooms.hub import Hub
from server.rooms.viewer import Connection
from server.settings import Pace
from server.store.memory import MemoryStore
from server.web.frames import Framing
from server.web.outbox import BoundedOutbox
from server.web.traffic import Traffic

ROOMS = 20
SEATS = 4
BATCHES = 250
WARM = 50
BOUNDLESS = 10**9


class Figures(msgspec.Struct, frozen=True):
    """CPU seconds of an action; bytes of the payloads of the median update and of the median `turn`."""

    action: float
    update_bytes: float
    turn_bytes: float


class _Frame(msgspec.Struct):
    t: str
    id: int = -1
    seq: int = 0
    actions: Sequence[msgspec.Raw] = ()


class Seat:
    """One connection, without its socket."""

    def __init__(self, hub: Hub, framing: Framing, codec: Codec) -> None:
        self._hub = hub
        self._outbox = BoundedOutbox(framing, Traffic(), max_frames=BOUNDLESS, max_bytes=BOUNDLESS)
        self._connection = Connection(codec, self._outbox, failed_lookup=lambda *_: 0, max_rooms=1)

    def say(self, payload: bytes) -> None:
        """Hand a request in."""
        request = self._connection.codec.decode(payload)
        assert isinstance(request, RoomMessage)
        self._hub.request(self._connection, request)

    def hear(self) -> list[bytes]:
        """The payloads that wait, in order."""
        return [_payload(frame) for frame in self._outbox.take()]

    def leave(self) -> None:
        """Close the connection."""
        self._hub.gone(self._connection)


def _payload(frame: bytes) -> bytes:
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


class Play:
    """One room, whose seats play at random. `turns`: what the seats that have to decide may do, and since when."""

    def __init__(self, codec: Codec, room: RoomId, seats: Sequence[Seat], sizes: dict[str, list[int]]) -> None:
        self._room = room
        self._read = (msgspec.json if codec.name == "json" else msgspec.msgpack).Decoder(_Frame).decode
        self._write = (msgspec.json if codec.name == "json" else msgspec.msgpack).encode
        self._seats = seats
        self._sizes = sizes
        self._turns: dict[int, _Frame] = {}

    def next(self) -> tuple[Seat, bytes] | None:
        """A request, and whose it is, once the last one was answered; None: the game is over."""
        for number, seat in enumerate(self._seats):
            for payload in seat.hear():
                self._heard(number, payload)
        if not self._turns:
            for seat in self._seats:
                seat.leave()
            return None
        number = min(self._turns)
        turn = self._turns.pop(number)
        act = {"t": "act", "id": 1, "room": self._room, "action": random.choice(turn.actions), "seq": turn.seq}
        return self._seats[number], self._write({**act, "key": secrets.token_hex(8)})

    def _heard(self, number: int, payload: bytes) -> None:
        frame = self._read(payload)
        self._sizes.setdefault(frame.t, []).append(len(payload))
        if frame.t == "turn":
            self._turns[number] = frame
        elif frame.t == "error":
            sys.exit(f"refused: {payload!r}")


class House:
    """A hub, and its rooms."""

    def __init__(self, game: str, codec: Codec) -> None:
        self._game = game
        self._codec = codec
        self.hub = Hub(MemoryStore(), Pace(), "bench")
        self._framing = Framing(binary=codec.binary)
        self.sizes: dict[str, list[int]] = {}

    async def open(self) -> Play:
        """A room with somebody on every seat."""
        tokens = [secrets.token_urlsafe(16) for _ in range(SEATS)]
        made = await self.hub.create(CreateRoom(self._game, SEATS), tokens[0])
        room = RoomId(made.room)
        for token in tokens[1:]:
            await self.hub.take_seat(room, TakeSeat(), token, bot_host=False)
        seats = [Seat(self.hub, self._framing, self._codec) for _ in tokens]
        for seat, token in zip(seats, tokens, strict=True):
            join = {"t": "join", "id": 0, "room": room, "token": token, "legal": True}
            seat.say(msgspec.json.encode(join) if self._codec.name == "json" else msgspec.msgpack.encode(join))
        await self.quiet()
        return Play(self._codec, room, seats, self.sizes)

    async def quiet(self) -> None:
        """Until no room has anything to do."""
        while any(table.busy for table in self.hub.loaded()):  # noqa: ASYNC110 - what waits for events costs more
            await asyncio.sleep(0)


async def measure(game: str, codec: Codec) -> Figures:
    """Play batches of one action in every room."""
    house = House(game, codec)
    await house.hub.start()
    plays, taken = [await house.open() for _ in range(ROOMS)], []
    for batch in range(WARM + BATCHES):
        if batch == WARM:
            house.sizes.clear()
        requests = []
        for place, play in enumerate(plays):
            request = play.next()
            if request is None:
                plays[place] = await house.open()
                request = plays[place].next()
            assert request is not None
            requests.append(request)
        gc.disable()
        begun = time.process_time()
        for seat, payload in requests:
            seat.say(payload)
        await house.quiet()
        taken.append((time.process_time() - begun) / ROOMS)
        gc.enable()
    await house.hub.stop()
    sizes = {kind: sorted(found) for kind, found in house.sizes.items()}
    return Figures(
        percentile(sorted(taken[WARM:]), 0.1), percentile(sizes["patch"], 0.5), percentile(sizes["turn"], 0.5)
    )


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.inside", description="What an action costs, sockets aside.")
    parser.add_argument("games", nargs="*", metavar="GAME", default=GAMES, help="all of them, if none is named")
    parser.add_argument("--codec", choices=("json", "msgpack"), default="json")
    options = parser.parse_args()
    logs.configure("console", "info")
    for game in options.games:
        found = uvloop.run(measure(game, CODECS[options.codec]))
        print(
            f"{game:12}{found.action * 1e6:8.1f} µs of CPU an action, update {found.update_bytes:.0f} bytes, "
            f"turn {found.turn_bytes:.0f} bytes"
        )


if __name__ == "__main__":
    main()
