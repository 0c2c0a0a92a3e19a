"""The load on the bare echo: in each room the peers send in turn, the next one when it has heard of the last."""

from __future__ import annotations

from bench.jobs import Job
from bench.tally import Tally, now
from bench.wire import Wire

REQUEST = b"r" * 100
"""About as many bytes as an `act`."""


class Peer(Wire):
    """One connection of an echo room."""

    def __init__(self, room: EchoRoom, number: int) -> None:
        super().__init__(f"/{room.number}")
        self._room = room
        self._number = number

    def opened(self) -> None:
        """The server knows this peer from the handshake on."""
        self.joined.set()

    def received(self, payload: bytes) -> None:
        """Somebody, perhaps this peer, has sent."""
        self._room.told(self, len(payload))

    @property
    def number(self) -> int:
        """Its place in the room."""
        return self._number


class EchoRoom:
    """A room of peers; the first `seats` of them send."""

    def __init__(self, job: Job, tally: Tally, number: int) -> None:
        self.number = number
        self._tally = tally
        self._seats = job.seats
        self.peers = [Peer(self, place) for place in range(job.seats + job.spectators)]
        self._sent: list[float] = []
        self._heard = [0] * len(self.peers)
        self.playing = False

    def begin(self) -> None:
        """The first one sends."""
        self.playing = True
        self._send()

    def _send(self) -> None:
        self._sent.append(now())
        self.peers[(len(self._sent) - 1) % self._seats].send(REQUEST)

    def told(self, peer: Peer, size: int) -> None:
        """A peer has heard of the action that is its next."""
        turn = self._heard[peer.number]
        self._heard[peer.number] += 1
        self._tally.told(now() - self._sent[turn], size)
        if turn == len(self._sent) - 1 and peer.number == (turn + 1) % self._seats:
            self._tally.acted()
            if self.playing:
                self._send()
