"""What the sockets of one process count, for `/metrics`: plain integers, because they are touched at every frame."""

from __future__ import annotations

from collections import Counter


class Traffic:
    """Counters since the start, and the number of open connections."""

    __slots__ = ("closed", "connections", "displaced_frames", "frames_in", "frames_out", "refused", "resyncs")

    def __init__(self) -> None:
        self.connections = 0
        self.frames_in = 0
        self.frames_out = 0
        self.displaced_frames = 0
        """Updates and notices that were dropped because their viewer reads too slowly."""
        self.resyncs = 0
        """Snapshots that took the place of dropped updates."""
        self.refused: Counter[str] = Counter()
        """Requests that the web layer itself refused, by error code."""
        self.closed: Counter[int] = Counter()
        """Connections that the server closed, by close code."""
