"""What can go wrong for a client."""

from __future__ import annotations


class Refused(Exception):  # noqa: N818 - the server's answer, not a fault of ours
    """The server said no: `code` for programs, `message` for people, `retry_after` in ms where waiting helps."""

    def __init__(self, code: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_after = retry_after


class Unreachable(Exception):  # noqa: N818
    """The server can't be reached."""
