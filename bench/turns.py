"""The load on servers without our protocol: in each room the peers act in turn, the next when it has heard of the last.

What is sent, and what tells a peer of an action, is a subclass's business: `EchoPeer` here, those of other servers in
`bench.peers`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.jobs import Job
from bench.tally import Tally, now
from bench.wire import Wire

REQUEST = b"r" * 100
"""About as many bytes as an `act`."""


class Peer(Wire):
    """One connection of a room."""

    def __init__(self, target: str, *, binary: bool = False) -> None:
        super().__init__(target, binary=binary)
        self._room: TurnRoom | None = None
        self._place = 0

    def sit(self, room: TurnRoom, place: int) -> None:
        """Take a place in a room."""
        self._room, self._place = room, place

    def heard(self, size: int) -> None:
        """The next action of the room was told to this peer, in so many bytes."""
        assert self._room is not None
        self._room.told(self._place, size)

    def act(self, turn: int) -> None:
        """Send the room's action of this number, from 0."""
        raise NotImplementedError


class TurnRoom:
    """A room of peers; the first `seats` of them act."""

    def __init__(self, job: Job, tally: Tally, peers: Sequence[Peer]) -> None:
        self._tally = tally
        self._seats = job.seats
        self.peers = peers
        self._sent: list[float] = []
        self._heard = [0] * len(peers)
        self.playing = False
        for place, peer in enumerate(peers):
            peer.sit(self, place)

    def begin(self) -> None:
        """The first one acts."""
        self.playing = True
        self._act()

    def _act(self) -> None:
        turn = len(self._sent)
        self._sent.append(now())
        self.peers[turn % self._seats].act(turn)

    def told(self, place: int, size: int) -> None:
        """A peer has heard of the action that is its next."""
        turn = self._heard[place]
        if turn == len(self._sent):
            return  # nobody has acted: what was told is that others have come
        self._heard[place] += 1
        self._tally.told(now() - self._sent[turn], size)
        if turn == len(self._sent) - 1 and place == (turn + 1) % self._seats:
            self._tally.acted()
            if self.playing:
                self._act()


class EchoPeer(Peer):
    """A connection to the bare echo."""

    def opened(self) -> None:
        """The server knows this peer from the handshake on."""
        self.joined.set()

    def received(self, payload: bytes) -> None:
        """Somebody, perhaps this peer, has acted."""
        self.heard(len(payload))

    def act(self, turn: int) -> None:  # noqa: ARG002 - all requests are alike
        """Ask for the update."""
        self.send(REQUEST)


def echo_room(job: Job, number: int) -> list[Peer]:
    """The peers of one room; its path is its number."""
    return [EchoPeer(f"/{number}") for _ in range(job.seats + job.spectators)]
