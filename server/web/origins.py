"""Which web pages may talk to this server (protocol section 7): the rule for `Origin`."""

from __future__ import annotations

from collections.abc import Sequence

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
HTTP_PORT = 80
"""The port that browsers leave out."""


class Origins:
    """The allowed origins: those of the settings, else the server's own loopback URLs."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._given = tuple(allowed)
        self._allowed = frozenset(self._given)

    def serve(self, port: int) -> None:
        """The server listens on this port: its loopback URLs are known now."""
        if not self._given:
            ports = (f":{port}", "") if port == HTTP_PORT else (f":{port}",)
            self._allowed = frozenset(f"http://{host}{shown}" for host in LOOPBACK for shown in ports)

    def allow(self, origin: str | None) -> bool:
        """Whether a request with this `Origin` is served; None: it has none, so no page sent it."""
        return origin is None or origin in self._allowed
