"""Which web pages may talk to this server (protocol section 7): the rule for `Origin`."""

from __future__ import annotations

from collections.abc import Sequence


class Origins:
    """The allowed origins: those of the settings, else the server's own loopback URLs."""

    def __init__(self, allowed: Sequence[str]) -> None:
        self._given = tuple(allowed)
        self._allowed = frozenset(self._given)

    def serve(self, port: int) -> None:
        """The server listens on this port: its loopback URLs are known now."""
        if not self._given:
            self._allowed = frozenset(f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]"))
            if port == 80:
                self._allowed |= frozenset(f"http://{host}" for host in ("127.0.0.1", "localhost", "[::1]"))

    def allow(self, origin: str | None) -> bool:
        """Whether a request with this `Origin` is served; None: it has none, so no page sent it."""
        return origin is None or origin in self._allowed
