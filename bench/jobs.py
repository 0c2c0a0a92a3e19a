"""What the load is told to do, and what it tells in the end; both travel as JSON between two processes."""

from __future__ import annotations

import math

import msgspec


class Prepared(msgspec.Struct, frozen=True):
    """A room that is there already, and the tokens of its seats in order."""

    room: str
    tokens: tuple[str, ...]


class Job(msgspec.Struct, frozen=True):
    """One measurement. `pid` is the server's, whose CPU and memory are read.

    `spectators`: besides the seats, in each room. `rate`: actions a second in all rooms together (0: each seat acts as
    soon as it can). `stock`: rooms created before the clock starts, for tables whose game ends. `actions`: after so
    many a table rests (0: never). `nodes`: further servers on the same store, by their processes; `ports`: where the
    connections go, one after the other, and again from the first, where that is not always `port`.
    """

    pid: int
    port: int
    kind: str = "pharos"
    game: str = "dragonwood"
    codec: str = "json"
    rooms: int = 50
    seats: int = 4
    spectators: int = 0
    rate: float = 0.0
    warm: float = 1.0
    seconds: float = 3.0
    stock: int = 0
    actions: int = 0
    cores: tuple[int, ...] = ()
    prepared: tuple[Prepared, ...] = ()
    nodes: tuple[int, ...] = ()
    ports: tuple[int, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What one measurement found. Latencies in seconds: from sending an action to a viewer's having its update."""

    actions: int
    seconds: float
    server_cpu: float
    load_cpu: float
    p50: float
    p99: float
    update_bytes: float
    joined_bytes: float
    """Memory of the server per connection, its share of the room included: all have joined, nobody has acted yet."""
    played_bytes: float
    """The same at the end."""
    games: int = 0
    errors: dict[str, int] = {}

    @property
    def rate(self) -> float:
        """Actions a second."""
        return self.actions / self.seconds

    @property
    def cpu(self) -> float:
        """Seconds of the server's CPU per action."""
        return self.server_cpu / self.actions if self.actions else math.nan
